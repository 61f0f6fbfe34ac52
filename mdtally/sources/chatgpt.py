"""ChatGPT: the conversations of a data export. Each is a tree; what was shown is the path to its current node.

Edited messages and answers that were asked for again stand beside each other. Much of the tree was never shown: system
messages, instructions, calls of tools and their results. DeepSeek's export has the same tree with other messages.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from mdtally.sources.recording import (
    WORDS,
    RecordedTurn,
    Recording,
    TurnPart,
    attachment,
    branch,
    most_used,
    text_parts,
    time_of,
    tool_part,
    turns_of,
    unknown_kinds,
)
from mdtally.sources.values import Json, Numbered, json_object, list_of, mapping, mappings, text_of
from mdtally.text.regex import regex

_KNOWN = WORDS["chatgpt-contents"]
_WORDS = _KNOWN[:2]
_HIDDEN = "is_visually_hidden_from_conversation"
# "\ue200cite\ue202turn0search1\ue201", "【4†source】": where an answer points to what it read.
# "\ue200entity\ue202["people","Ana B","singer"]\ue201", "\ue200url\ue202Notion\ue202https://notion.so\ue201": a name.
_MARK = regex("( *)(?:\ue200([^\ue201\n]*)\ue201|【\\d+[^】\n]*†[^】\n]*】)|[\ue200-\ue2ff]")
_NAMING = ("url", "navlist", "video")
# "a bridge[reference:1][!reference:2]", "[citation:3]"
_CITED = regex(r"\[!?(?:reference|citation):\d+\]")


def is_chatgpt(value: Json) -> bool:
    """True for a conversation of an export."""
    return isinstance(value.get("mapping"), dict)


def read_chatgpt(values: Iterable[Numbered]) -> Iterator[Recording]:
    """The conversations of an export."""
    return (_recording(value, _message) for _, value in values)


def is_deepseek(value: Json) -> bool:
    """True for a conversation of DeepSeek's export."""
    return is_chatgpt(value) and "inserted_at" in value


def read_deepseek(values: Iterable[Numbered]) -> Iterator[Recording]:
    """The conversations of DeepSeek's export, which does not say which branch was shown: that of the last message."""
    return (_recording(value, _fragments) for _, value in values)


def _recording(value: Json, read: Callable[[Json, Json], RecordedTurn]) -> Recording:
    """A conversation of an export; ``read`` gives what a message of its tree adds to what was shown."""
    nodes = {name: node for name, node in value["mapping"].items() if isinstance(node, dict)}
    parents = {name: node.get("parent") for name, node in nodes.items()}
    answered = set(map(text_of, parents.values()))
    leaves = [name for name in nodes if name not in answered]
    shown, others = branch(parents, value.get("current_node"), leaves or list(nodes))
    messages = [mapping(nodes[name].get("message")) for name in shown]
    models = (mapping(message.get("metadata")).get("model_slug") or message.get("model") for message in messages)
    return Recording(
        session=text_of(value.get("conversation_id")) or text_of(value.get("id")),
        model=most_used(models) or text_of(value.get("default_model_slug")),
        title=text_of(value.get("title")),
        turns=turns_of(read(message, value) for message in messages),
        unknown=unknown_kinds(map(_kind, messages), _KNOWN) if read is _message else {},
        elsewhere=len(turns_of(read(mapping(nodes[name].get("message")), value) for name in others)),
    )


def _kind(message: Json) -> object:
    """The kind of a message's content, or the role of who is neither the person nor the agent."""
    role = mapping(message.get("author")).get("role", "system")
    if role not in ("user", "assistant"):
        return role
    is_hidden = mapping(message.get("metadata")).get(_HIDDEN)
    return "text" if is_hidden else mapping(message.get("content")).get("content_type", "text")


def _message(message: Json, value: Json) -> RecordedTurn:
    """What a node's message adds to what was shown."""
    role, about = mapping(message.get("author")).get("role"), mapping(message.get("metadata"))
    content = mapping(message.get("content"))
    kind, is_person = content.get("content_type", "text"), role == "user"
    parts: list[TurnPart] = []
    if about.get(_HIDDEN) or role not in ("user", "assistant"):
        pass
    elif not is_person and message.get("recipient") not in ("all", None):
        given = text_of(content.get("text")) or "\n".join(filter(None, map(text_of, list_of(content.get("parts")))))
        parts = [tool_part(message.get("recipient"), given)]
    elif kind in _WORDS:
        names = [attachment("file", file.get("name")) for file in mappings(about.get("attachments"))]
        pieces = list_of(content.get("parts")) or [content.get("text")]
        sent = (names or _pictures(pieces)) if is_person else []
        parts = [*text_parts("\n".join(_texts(pieces, is_person))), *sent]
    return RecordedTurn(is_person, tuple(parts), time_of(message.get("create_time") or value.get("create_time")))


def _fragments(message: Json, value: Json) -> RecordedTurn:
    """What a message of DeepSeek's adds: words, files that were sent along, and calls without their objects."""
    pieces = [(text_of(piece.get("type")), piece) for piece in mappings(message.get("fragments"))]
    parts: list[TurnPart] = []
    for kind, piece in pieces:
        if kind in ("REQUEST", "RESPONSE"):
            text = text_of(piece.get("content"))
            parts += text_parts(text if kind == "REQUEST" else _CITED.sub("", text))
        elif kind.startswith("TOOL_"):
            parts.append(tool_part(kind.removeprefix("TOOL_").lower(), ""))
    parts += [attachment("file", one.get("file_name")) for _, piece in pieces for one in mappings(piece.get("files"))]
    is_person = any(kind in ("REQUEST", "FILE") for kind, _ in pieces)
    return RecordedTurn(is_person, tuple(parts), time_of(message.get("inserted_at") or value.get("inserted_at")))


def _texts(pieces: Iterable[object], is_person: bool) -> Iterator[str]:
    """The words of a message's pieces, those that were spoken aloud included."""
    for piece in pieces:
        text = text_of(piece) or text_of(mapping(piece).get("text"))
        if text.strip():
            yield text if is_person else _MARK.sub(_visible_name, text)


def _visible_name(mark: re.Match[str]) -> str:
    """What is shown for a mark: the name of a page, person or thing; nothing where it points to what was read."""
    kind, given = (*text_of(mark[2]).split("\ue202"), "")[:2]
    if kind == "entity":
        given = "".join(map(text_of, list_of(json_object(f'{{"entity": {given}}}').get("entity"))[1:2]))
    return f"{mark[1]}{given}" if kind == "entity" or kind in _NAMING else ""


def _pictures(pieces: Iterable[object]) -> list[TurnPart]:
    return [attachment("picture") for piece in pieces if mapping(piece).get("content_type") == "image_asset_pointer"]
