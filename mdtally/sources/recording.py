"""A recorded conversation: who said what, and which tools were called in between. What all readers give."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Literal

from mdtally.sources.values import Json, json_object, list_of, mapping, text_of
from mdtally.text import datafiles
from mdtally.text.records import record, replace
from mdtally.text.regex import regex

WORDS = datafiles.tables(__file__, "words.txt")
"""What programs call the kinds of their records, and what they put around words, by the program; see the file."""
PHRASES = {
    name: regex(rf"(?s)\s*(?:{'|'.join(rows)})") for name, _, rows in datafiles.sections(__file__, "phrases.txt")
}
"""What programs write where words of a conversation stand, by the program; see the file."""

ID = regex(r"[A-Za-z0-9_.-]{1,200}")
"""What a session may be called by: no path, and no glob."""

PartKind = Literal["text", "tool", "attached", "notice"]


@record
class TurnPart:
    """A part of a turn.

    Attributes:
        kind: "text" for visible words, "tool" for a call of a tool, "attached" for a picture or file that the person
            sent along, "notice" for what the program reports, such as an interruption.
        text: the words; of a tool its object: the command, pattern or file as it was given; "" if there was none.
        tool: the tool's name; "" for the other kinds.
    """

    kind: PartKind
    text: str
    tool: str = ""


@record
class RecordedTurn:
    """What one side said and did until the other one spoke.

    Attributes:
        is_person: True if the person speaks, False for the agent.
        parts: the parts in their order, never none.
        time: when it began (ISO; UTC where it was recorded as a number); "" if that was not recorded.
    """

    is_person: bool
    parts: tuple[TurnPart, ...]
    time: str = ""

    @property
    def text(self) -> str:
        """The visible words, the parts parted by a blank line."""
        return "\n\n".join(part.text for part in self.parts if part.kind == "text")


@record
class Recording:
    """A recorded session of an agent, or a chat of a program's export.

    Attributes:
        session: its id; "" if none was recorded.
        source: the name of the program.
        folder: the folder in which it was begun; "" if none was recorded.
        model: the model that gave most answers; "" if none was recorded.
        title: what the program calls it; "" if it has no name.
        begun: when it began, as `RecordedTurn.time`, for turns without a time; "" if that was not recorded.
        turns: the branch that was shown last, without what the person took back.
        elsewhere: how many turns stand on other branches: edits, retries, rewinds.
        is_sub_agent: True if an agent or the program itself speaks where a person would: no conversation of a person's.
        unknown: kinds of records that are not known, with how many there were.
    """

    session: str = ""
    source: str = ""
    folder: str = ""
    model: str = ""
    title: str = ""
    begun: str = ""
    turns: tuple[RecordedTurn, ...] = ()
    elsewhere: int = 0
    is_sub_agent: bool = False
    unknown: Mapping[str, int] = {}

    @property
    def first_words(self) -> str:
        """The first message of the person that is not a command, else the first one; "" if there is none."""
        texts = [text for turn in self.turns if turn.is_person and (text := turn.text.strip())]
        return next((text for text in texts if text[:1] not in ("/", "!", "#", "[")), next(iter(texts), ""))


def turns_of(messages: Iterable[RecordedTurn]) -> tuple[RecordedTurn, ...]:
    """Messages as turns: those of the agent that follow each other are one; each of the person's is one.

    A message of nothing but calls or notices, with no turn above it, is left out; notices belong to the turn above.
    """
    turns: list[RecordedTurn] = []
    for message in messages:
        is_notice = all(part.kind == "notice" for part in message.parts)
        if turns and (is_notice or not (message.is_person or turns[-1].is_person)):
            turns[-1] = replace(turns[-1], parts=turns[-1].parts + message.parts)
        elif not is_notice:
            turns.append(message)
    return tuple(turns)


def unknown_kinds(kinds: Iterable[object], known: Container[str]) -> Counter[str]:
    """The kinds of records that are not among the known ones, with how many there are of each."""
    return Counter(kind for kind in map(str, kinds) if kind not in known)


def branch(parents: Mapping[str, object], leaf: object, leaves: Sequence[str]) -> tuple[list[str], list[str]]:
    """The path in a tree of messages from its root to the one that was shown last, and the messages that are not on it.

    Where a parent is lost, or leads back, the path goes on with what stands above in the file; where no message names
    one, the path is the file.

    Args:
        parents: the name of each message's parent; None or "" of a root.
        leaf: the name of the message that was shown last, if that is known.
        leaves: those of which, if it is not, the last one is taken.
    """
    order = list(parents)
    if not any(parents.values()):
        return order, []
    places = {name: place for place, name in enumerate(order)}
    at = leaf if isinstance(leaf, str) and leaf in places else next(reversed(leaves), None)
    path: dict[str, None] = {}
    above = len(order)
    while at is not None:
        path[at] = None
        above = min(above, places[at])
        parent = parents[at]
        if not parent:
            break
        at = parent if isinstance(parent, str) and parent in places and parent not in path else None
        while at is None and above > 0:
            above -= 1
            at = order[above] if order[above] not in path else None
    return list(path)[::-1], [name for name in order if name not in path]


# -- What readers make parts of ---------------------------------------------------------------------------------------


def text_parts(text: object) -> list[TurnPart]:
    """Visible words as a part; none for white space and for what is no text."""
    return [TurnPart("text", text.strip("\r\n"))] if isinstance(text, str) and text.strip() else []


def notice(text: str) -> TurnPart:
    """What the program reports, as a part."""
    return TurnPart("notice", text)


def attachment(kind: str, name: object = "") -> TurnPart:
    """A picture or file that was sent along, as a part: its name without folders; "a picture" if it has none."""
    name = "" if not isinstance(name, str) or name.startswith("data:") else name.replace("\\", "/").rsplit("/", 1)[-1]
    return TurnPart("attached", name or f"a {kind}")


def dialog_parts(call: TurnPart | None, questions: Sequence[Json]) -> list[TurnPart]:
    """What an agent asks in a dialog, as its words, with the answers that it offers; the call if nothing is asked.

    Args:
        call: the call of the tool that shows the dialog; None if nothing is told where nothing is asked.
        questions: each with "question" and, for what is offered, "options": texts, or "label" and "description".
    """
    texts = []
    for question in questions:
        options = [[_label(one), text_of(mapping(one).get("description"))] for one in list_of(question.get("options"))]
        offered = (f"- {' '.join(': '.join(filter(None, option)).split())}" for option in options)
        texts.append("\n\n".join(filter(None, (text_of(question.get("question")).strip(), "\n".join(offered)))))
    return text_parts("\n\n".join(texts)) or ([call] if call else [])


def answer_parts(question: Json, answers: Iterable[object]) -> Iterator[TurnPart]:
    """What a person answered in a dialog: an offer that they chose as a notice, what they typed as their words."""
    labels = [*filter(None, map(_label, list_of(question.get("options"))))]
    for answer in filter(None, map(text_of, answers)):
        rest = answer
        for label in sorted(labels, key=len, reverse=True):
            rest = rest.replace(label, "")
        if question.get("isSecret") or not rest.strip(", "):
            yield notice(f"answered: {'(not recorded)' if question.get('isSecret') else answer}")
        else:
            yield from text_parts(answer)


def _label(option: object) -> str:
    return text_of(option) or text_of(mapping(option).get("label"))


def without_wrappers(text: str, names: Sequence[str]) -> str:
    """The text without the blocks at its beginning and end that a program put there: "<name>…</name>"."""
    while True:
        text = text.strip()
        for name in names:
            opening, closing = f"<{name}", f"</{name}>"
            if text.startswith((f"{opening}>", f"{opening} ")) and closing in text:
                text = text.partition(closing)[2]
                break
            if text.endswith(closing) and f"{opening}>" in text:
                text = text[: text.rindex(f"{opening}>")]
                break
        else:
            return text


# "*** Update File: src/app.py" in a patch
_PATCHED = regex(r"(?m)^\*\*\* (?:Add|Update|Delete) File: (.+)$")


def tool_part(name: object, given: object) -> TurnPart:
    """A call of a tool as a part, with what it is about.

    Args:
        name: the tool's name.
        given: its arguments: a mapping, the JSON of one, or a text.
    """
    if isinstance(given, str):
        given = json_object(given) if given[:1] == "{" else given  # empty where it is cut off
    if isinstance(given, dict):
        texts = {key: text for key, value in given.items() if (text := _as_text(value))}
        given = next((texts[key] for key in WORDS["call-objects"] if key in texts), next(iter(texts.values()), ""))
    what = _as_text(given)
    if patched := _PATCHED.findall(what):  # by a tool of its own, or by the shell
        return TurnPart("tool", ", ".join(patched), "apply_patch")
    return TurnPart("tool", what, str(name or ""))


def _as_text(value: object) -> str:
    """A text; of a list the paths of files, or the words of a command, without the shell that runs it; else ""."""
    words = [mapping(word).get("path", word) for word in list_of(value)]
    if words and all(isinstance(word, str) for word in words):
        return words[2] if len(words) == 3 and words[1] in ("-c", "-lc") else " ".join(words)
    return text_of(value)


def time_of(value: object) -> str:
    """A recorded time in ISO form: a text as it is; a number counts seconds, or milliseconds and less, since 1970."""
    if isinstance(value, str) and not value.replace(".", "", 1).isdigit():
        return value
    try:
        seconds = float(value)  # type: ignore[arg-type]
        for _ in range(3):
            seconds /= 1000 if abs(seconds) > 1e11 else 1  # the year 5138
        return datetime.fromtimestamp(seconds, UTC).isoformat()
    except (TypeError, ValueError, OverflowError, OSError):
        return ""


def most_used(names: Iterable[object]) -> str:
    """The name that comes most often, as that of a model; "" if there is none."""
    counted = Counter(name for name in names if name and isinstance(name, str))
    return next((name for name, _ in counted.most_common(1)), "")
