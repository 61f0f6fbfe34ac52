"""What an agent does with its tools, in words: how a note tells of a call, and what kind of looking it is."""

from __future__ import annotations

from typing import Literal

Looking = Literal["read", "search", "run", "edit", "web", "agent", "other"]
"""What a call of a tool does: reads or edits a file, searches, runs a command, looks in the web, asks a sub-agent."""

VERBS: dict[str, Looking] = {
    "read": "read", "searched the web for": "web", "searched": "search", "ran": "run", "edited": "edit",
    "wrote": "edit", "fetched": "web", "asked a sub-agent:": "agent", "used": "other",
}  # fmt: skip
"""The words with which a note tells of a call ("> read src/app.py"), by what it does; a longer one before its start."""

_OF_TOOL = {
    "Read": "read", "NotebookRead": "read", "Grep": "searched", "Glob": "searched", "LS": "searched",
    "Bash": "ran", "PowerShell": "ran", "Edit": "edited", "MultiEdit": "edited", "NotebookEdit": "edited",
    "Write": "wrote", "WebFetch": "fetched", "WebSearch": "searched the web for",
    "Task": "asked a sub-agent:", "Agent": "asked a sub-agent:",
}  # fmt: skip


def tell(tool: str, what: str) -> str:
    """A call in words: "read src/app.py"; of a tool that is not known with its name: "used TodoWrite"."""
    verb = _OF_TOOL.get(tool, f"used {tool}")
    return f"{verb} {what}".strip() if tool in _OF_TOOL else f"{verb}: {what}" if what else verb
