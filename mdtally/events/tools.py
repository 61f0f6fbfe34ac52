"""What an agent does with its tools, in words: how a note tells of a call, and what kind of looking it is."""

from __future__ import annotations

from typing import Literal, cast

from mdtally.text import datafiles

Looking = Literal["read", "search", "run", "edit", "web", "agent", "other"]
"""What a call of a tool does: reads or edits a file, searches, runs a command, looks in the web, asks a sub-agent."""

VERBS: dict[str, Looking] = {}
"""What a call does, by the words with which a note tells of it; of two that begin alike the longer one is first."""

VERB_OF: dict[str, str] = {}
"""Those words by the name of the tool, in lower case."""

for _row in datafiles.rows(__file__, "tools.txt"):
    _kind, _verb, _tools = map(str.strip, _row.split("|"))
    VERBS[_verb] = cast(Looking, _kind)
    VERB_OF.update(dict.fromkeys(_tools.casefold().split(), _verb))


def tell(tool: str, what: str) -> str:
    """A call in words: "read src/app.py"; of a tool that is not known with its name: "used TodoWrite"."""
    if verb := VERB_OF.get(tool.casefold()):
        return f"{verb} {what}".strip()
    return f"used {tool}: {what}" if what else f"used {tool}"
