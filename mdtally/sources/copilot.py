"""Copilot's chat in VS Code: what "Export Chat" writes, and the files in which the editor keeps chats."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any
from urllib.parse import unquote

from mdtally.sources.recording import (
    RecordedTurn,
    Recording,
    TurnPart,
    attachment,
    dialog_parts,
    most_used,
    notice,
    text_parts,
    time_of,
    tool_part,
    turns_of,
)
from mdtally.sources.values import Json, Numbered, list_of, mapping, mappings, text_of
from mdtally.text.regex import regex

# An edit leaves the fence around it: "```\n" before it, "\n```\n" behind it
_FENCE = regex(r"\s*```\w*\s*\Z")

# Pieces that stand in the midst of words and show nothing: behind "```python\n" the file that the code is for
_INSIDE = ("codeblockUri", "undoStop")

_DIALOG = "questionCarousel"

# "Read [](file:///g%3A/app/src/main.ts#1-1)"
_LINK = regex(r"\]\(file://([^)#]+)")
# 'Using "Apply Patch"', "Generating patch (12 lines)": no word about what it is about
_EMPTY = regex(r'Using "|Generating ')


def is_copilot(value: Json) -> bool:
    """True for a chat, or for the first line of one that is kept as lines of changes."""
    chat = mapping(value["v"]) if value.get("kind") == 0 and "v" in value else value
    return isinstance(chat.get("requests"), list) and ("responderUsername" in chat or "sessionId" in chat)


def read_copilot(values: Iterable[Numbered]) -> Iterator[Recording]:
    """The conversation of a chat; requests that the person took back stand in it until the next one."""
    chat: Json = {}
    for _, value in values:
        if value.get("kind") == 0:
            chat = mapping(value.get("v"))
        elif "k" in value:
            _apply_change(chat, value)
        elif is_copilot(value):
            chat = value
    requests = mappings(chat.get("requests"))
    yield Recording(
        session=text_of(chat.get("sessionId")) or next((text_of(request.get("requestId")) for request in requests), ""),
        model=most_used(map(_model, requests)),
        title=text_of(chat.get("customTitle")),
        begun=time_of(chat.get("creationDate")),
        turns=turns_of(turn for one in requests if not _is_undone(one) for turn in _exchange(one)),
        elsewhere=len(turns_of(turn for one in requests if _is_undone(one) for turn in _exchange(one))),
    )


def _model(request: Json) -> str:
    """The model that answered: the stated one, or the one that was chosen for it, "Claude Haiku 4.5 • 5.1 credits"."""
    stated, result = text_of(request.get("modelId")).removeprefix("copilot/"), mapping(request.get("result"))
    pieces = [mapping(result.get("metadata")), *mappings(request.get("response"))]
    chosen = next(filter(None, (text_of(piece.get("resolvedModel")) for piece in pieces)), "")
    return stated if stated != "auto" else chosen or text_of(result.get("details")).partition(" • ")[0]


def _is_undone(request: Json) -> bool:
    """True if all of a request was taken back, and not only what came behind a step of its answer."""
    undone = request.get("shouldBeRemovedOnSend")
    return bool(undone) and not mapping(undone).get("afterUndoStop")


def _apply_change(chat: Json, change: Json) -> None:
    """Make a recorded change: values to put at a list's end, or behind its first "i" (kind 2), or a value at a path."""
    *above, last = list_of(change.get("k")) or [None]
    place: Any = chat
    try:
        for key in above:
            place = place[key]
        if change.get("kind") == 2:
            place[last][change.get("i", len(place[last])) :] = list_of(change.get("v"))
        else:
            place[last] = change.get("v")
    except (KeyError, IndexError, TypeError):
        return  # a change of something that is not there


def _exchange(request: Json) -> Iterator[RecordedTurn]:
    """A request and the answer to it."""
    time, message = time_of(request.get("timestamp")), request.get("message")
    text = text_of(message) or text_of(mapping(message).get("text"))
    variables = mappings(mapping(request.get("variableData")).get("variables"))
    pictures = [attachment("picture", one.get("name")) for one in variables if one.get("kind") == "image"]
    if not request.get("isSystemInitiated"):  # as where a terminal in the background has ended
        yield RecordedTurn(True, (*text_parts(text), *pictures), time)
    pieces: list[Json] = []
    for piece in _each_once(mappings(request.get("response"))):
        pieces.append(piece)
        if piece.get("kind") == _DIALOG:
            yield RecordedTurn(False, tuple(_answer_parts(pieces)), time)
            yield RecordedTurn(True, _answers(piece), time)
            pieces = []
    yield RecordedTurn(False, tuple(_answer_parts(pieces)), time)
    error = text_of(mapping(mapping(request.get("result")).get("errorDetails")).get("message"))
    if error or request.get("isCanceled"):
        is_stopped = request.get("isCanceled") or error == "Canceled"
        yield RecordedTurn(False, (notice("interrupted" if is_stopped else f"failed: {error}"),), time)


def _each_once(pieces: Sequence[Json]) -> Iterator[Json]:
    """The pieces of an answer; a dialog, which is written again when it is answered, as it was last."""
    last = {str(piece.get("resolveId") or at): at for at, piece in enumerate(pieces) if piece.get("kind") == _DIALOG}
    return (piece for at, piece in enumerate(pieces) if piece.get("kind") != _DIALOG or at in last.values())


def _text(value: object) -> str:
    """A text, which may be wrapped."""
    return text_of(value) or text_of(mapping(value).get("value"))


def _questions(dialog: Json) -> list[Json]:
    """What a dialog asks, as `dialog_parts` takes it."""
    questions = mappings(dialog.get("questions"))
    return [one | {"question": _text(one.get("message")) or _text(one.get("title"))} for one in questions]


def _answers(dialog: Json) -> tuple[TurnPart, ...]:
    """What the person answered in a dialog: the offers that they chose as notices, what they typed as words."""
    parts: list[TurnPart] = []
    for question in mappings(dialog.get("questions")):
        given = mapping(dialog.get("data")).get(text_of(question.get("id")))
        chosen = [mapping(given).get(key) for key in ("selectedValue", "selectedValues")]
        names = [text_of(name) for one in chosen for name in (one if isinstance(one, list) else [one])]
        parts += [notice(f"answered: {', '.join(filter(None, names))}")] if any(names) else []
        parts += text_parts(text_of(given) or mapping(given).get("freeformValue"))
    return tuple(parts)


def _answer_parts(pieces: list[Json]) -> Iterator[TurnPart]:
    """The words of an answer, which go on across references to files and symbols, and its calls."""
    text = ""
    for piece in pieces:
        kind = piece.get("kind")
        if kind in (None, "markdownContent", "markdownVuln"):
            words = _text(piece.get("value", piece.get("content")))
            text += "" if _FENCE.match(words) else words
        elif kind == "inlineReference":
            text += _reference(piece)
        elif kind not in _INSIDE:
            yield from text_parts(text)
            text = ""
            yield from _call(piece)
    yield from text_parts(text)


def _reference(piece: Json) -> str:
    """What stands in a sentence where an answer points to something: its name, else that of its file or folder."""
    target = mapping(piece.get("inlineReference"))
    place = mapping(mapping(target.get("location")).get("uri")) or mapping(target.get("uri")) or target
    named = text_of(target.get("name")) or text_of(piece.get("name"))
    return named or text_of(place.get("path")).rstrip("/").rsplit("/", 1)[-1]


def _call(piece: Json) -> Iterator[TurnPart]:
    """A call of a tool, by its name and what the chat showed of it; an edit of a file."""
    if piece.get("kind") == _DIALOG:
        yield from dialog_parts(None, _questions(piece))
    elif piece.get("kind") == "textEditGroup":
        yield tool_part("edit", text_of(mapping(piece.get("uri")).get("path")))
    elif piece.get("kind") == "toolInvocationSerialized":
        shown = _text(piece.get("pastTenseMessage") or piece.get("invocationMessage"))
        files = ", ".join(unquote(path) for path in _LINK.findall(shown))
        command = mapping(mapping(piece.get("toolSpecificData")).get("commandLine")).get("original")
        given = text_of(command) or files or ("" if _EMPTY.match(shown) else shown)
        yield tool_part(text_of(piece.get("toolId")).removeprefix("copilot_"), given)
