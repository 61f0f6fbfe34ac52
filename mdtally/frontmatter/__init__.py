"""The frontmatter of a file, read and edited by python-frontmatter without losing a byte; see ``door``."""

from mdtally.frontmatter.door import dumps, edit, loads, post, read
from mdtally.frontmatter.text import REMOVED

__all__ = ["REMOVED", "dumps", "edit", "loads", "post", "read"]
