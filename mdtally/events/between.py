"""What stands between a person's message and the agent's reply: what the person brought, what the agent looked at.

It is a fact about the transcript and no evidence: a reason can do without a number, and a tool that was called may have
shown nothing. Calls of tools are read from our own notes and from the forms of known programs (SpecStory of both eras,
Claude Code's export, aider's edits, and exporters that write a line a call).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Literal

from mdtally.events.tools import VERB_OF, VERBS, Looking
from mdtally.text import datafiles
from mdtally.text.document import Document
from mdtally.text.model import Turn
from mdtally.text.records import record, replace
from mdtally.text.regex import regex

Brought = Literal["path", "link", "number", "code", "quotation", "error"]


@record
class BroughtThing:
    """Something in a person's message that stood nowhere above it; line: its line in the file."""

    kind: Brought
    text: str
    line: int


@record
class ToolCall:
    """A call of a tool that a transcript shows: what kind of looking it is, its object, and its line in the file."""

    kind: Looking
    what: str
    line: int


@record
class Between:
    """What stands between the push and the reply, each in the order of the transcript."""

    brought: tuple[BroughtThing, ...] = ()
    looked: tuple[ToolCall, ...] = ()

    @property
    def words(self) -> str:
        """In a sentence: "you brought a number; it read 2 files and ran pytest"."""
        kinds = Counter(thing.kind for thing in self.brought)
        things = [_NAMES[kind][0] if number == 1 else f"{number} {_NAMES[kind][1]}" for kind, number in kinds.items()]
        more = " and more" * (len(things) > _SHOWN)
        calls = [_calls_in_words(kind, [call.what for call in self.looked if call.kind == kind]) for kind in _ORDER]
        brought = f"you brought {_join_words(things[:_SHOWN])}{more}" if things else _NOTHING
        did = _join_words([words for words in calls if words])
        return f"{brought}; {f'it {did}' if did else 'no tool call is shown'}"


_FORMS = {head: expressions for head, _, expressions in datafiles.sections(__file__, "between.txt")}
_CALLS = tuple(map(regex, _FORMS.pop("call")))
_NAMES = {kind: names.split(", ") for kind, names in (head.split(": ") for head in _FORMS)}
_THING = regex("|".join(f"(?P<{head.split(':')[0]}>{'|'.join(rows)})" for head, rows in _FORMS.items()))
_NOTHING = "no new file, link, number or quotation from you"  # a reason may be new all the same
_KEPT = 1 << 15  # a walk asks again after each tag, and nearly all is as it was
_SHOWN = 3  # kinds of things that a sentence names
_ORDER: tuple[Looking, ...] = ("read", "search", "run", "edit", "web", "agent", "other")
# "> read src/app.py", and "> edited" where it was not recorded what
_OURS = regex(rf"> (?P<tool>{'|'.join(VERBS)})(?: (?P<what>.+)|\s*\Z)")
_FOLDERS = regex(r"^(?!\w+://)(?:[\w.:~-]*[/\\])+(?=.)")  # in front of a file: "src/", "C:\\x\\"
# "cd 'my app' && PYTHONPATH=. pytest -q"; not "# Run the tests", which may go on with anything
_PROGRAM = regex(r"(?:(?:cd (?:'[^']*'|\"[^\"]*\"|\S+) *(?:&&|;)|\w+=\S*|sudo) +)*([\w.~/-]+)(?= |\Z)")
_IN_TICKS = regex(r"`([^`]+)`\s*\Z")


def between(document: Document, asked: Sequence[Turn], reply: Sequence[Turn], known: set[str]) -> Between:
    """What stands between a message and the reply to it.

    Args:
        document: the transcript.
        asked: the person's turns, none of which need be one right above the reply.
        reply: the agent's turns.
        known: what has stood above the message, as `things_in` tells it; what message and reply hold is added.
    """
    brought = []
    lines = [line.line for turn in asked for line in turn.lines]
    text = _turns_text(asked)
    rows = text.split("\n")
    for thing, names in _things(text):
        if names[0] not in known and _call(rows[thing.line]) is None:
            brought.append(replace(thing, line=lines[thing.line]))
        known.update(names)
    # A program may print calls below the message.
    first, last = lines[-1] + 1 if lines else reply[0].line, reply[-1].end_line
    looked = tuple(_calls(document.lines[first - 1 : last], first))
    known.update(things_in(reply))
    return Between(tuple(brought), looked)


def things_in(turns: Iterable[Turn]) -> Iterator[str]:
    """What turns hold that somebody may bring, such that the same thing is told again by the same text."""
    return (name for _, names in _things(_turns_text(turns)) for name in names)


def _turns_text(turns: Iterable[Turn]) -> str:
    return "\n".join(turn.text for turn in turns if turn.lines)


@lru_cache(_KEPT)
def _things(text: str) -> tuple[tuple[BroughtThing, Sequence[str]], ...]:
    """What a text holds that somebody may bring, with its row, 0-based, for the line; and what each is known by.

    A file is also known by its name without the folders.
    """
    found: list[BroughtThing] = []
    fence = ""
    for row, line in enumerate(text.split("\n")):
        said = line.strip()
        if said.startswith(("```", "~~~")):
            fence = "" if fence and said.startswith(fence) else fence or said[:3]
        elif fence and said:
            found.append(BroughtThing("code", said, row))
        else:
            for match in _THING.finditer(line):
                said = match[0].strip('`"“”«»„ ')
                kind = "error" if (inside := _THING.match(said)) and inside.lastgroup == "error" else match.lastgroup
                found.append(BroughtThing(kind, said, row))  # type: ignore[arg-type]
    names = (" ".join(thing.text.casefold().lstrip("@").removeprefix("./").split()) for thing in found)
    return tuple((thing, (name, _FOLDERS.sub("", name))) for thing, name in zip(found, names, strict=True))


@lru_cache(_KEPT)
def _call(line: str) -> tuple[Looking, str] | None:
    """The call of a tool that a line shows: its kind and object, "" if that stands elsewhere; None if it shows none."""
    if ours := _OURS.match(line):
        return VERBS[ours["tool"]], ours["what"] or ""
    found = next((match for form in _CALLS if (match := form.match(line))), None)
    verb = VERB_OF.get(found["tool"].casefold().replace(" ", "_")) if found else None
    if found is None or not (verb or "Tool use" in line):
        return None
    return VERBS[verb or "used"], found["what"].strip()


def _calls(lines: Sequence[str], first: int) -> Iterator[ToolCall]:
    """The calls of tools that lines show, of which the first one has this number."""
    for index, line in enumerate(lines):
        if call := _call(line):
            # SpecStory has a command on a line of its own.
            below = (found[1] for row in lines[index + 1 : index + 6] if (found := _IN_TICKS.match(row.strip())))
            kind, what = call
            is_told = what and not (kind == "run" and "Tool use" in line)
            yield ToolCall(kind, what if is_told else next(below, what), first + index)


def _calls_in_words(kind: Looking, objects: Sequence[str]) -> str:
    """Calls of one kind in words: "read 2 files", "ran pytest"; "" if there are none."""
    different = len(set(objects))
    if not objects:
        return ""
    if kind == "run":
        program = _PROGRAM.match(objects[0]) if different == 1 else None
        commands = "a command" if len(objects) == 1 else f"{len(objects)} commands"
        return f"ran {program[1] if program else commands}"
    if kind in ("read", "edit"):
        files = "files" if "" in objects and len(objects) > 1 else f"{different} file{'s' * (different != 1)}"
        return f"{'read' if kind == 'read' else 'edited'} {files}"
    times = f" {len(objects)} times" if len(objects) > 1 else ""
    did = {"search": "searched", "web": "looked in the web", "agent": "asked a sub-agent"}
    return did.get(kind, "used other tools") + times


def _join_words(parts: Sequence[str]) -> str:
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)
