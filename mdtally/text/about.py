"""What this program is: its version and where it is published."""

from __future__ import annotations

__version__ = "0.2.0"

REPOSITORY = ""
"""The address under which the project is published, such as "https://github.com/OWNER/mdtally"; "" until it is. The one
place to set it: findings, SARIF and reports link to the rules' pages there."""
