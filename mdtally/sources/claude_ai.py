"""Claude.ai: the conversations of a data export.

Newer exports say which message answers which, and hold those that were edited or asked for again; which branch was
shown last they do not say: the one of the last message is taken. A message of the time before answers the one above.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from mdtally.sources.recording import (
    WORDS,
    RecordedTurn,
    Recording,
    TurnPart,
    attachment,
    branch,
    dialog_parts,
    text_parts,
    tool_part,
    turns_of,
    unknown_kinds,
)
from mdtally.sources.values import Json, Numbered, mapping, mappings, text_of, texts_of

_SENDERS = ("human", "assistant")
_BLOCKS = WORDS["claude-ai-blocks"]
_ROOT = "00000000-0000-4000-8000-000000000000"


def is_claude_ai(value: Json) -> bool:
    """True for a conversation of an export."""
    return isinstance(value.get("chat_messages"), list)


def read_claude_ai(values: Iterable[Numbered]) -> Iterator[Recording]:
    """The conversations of an export; those that were deleted hold messages without words, and no turn."""
    for _, value in values:
        messages = mappings(value["chat_messages"])
        named = {text_of(message.get("uuid")): message for message in messages if message.get("uuid")}
        shown, others = messages, list[Json]()
        if len(named) == len(messages) and any("parent_message_uuid" in message for message in messages):
            given = {name: message.get("parent_message_uuid") for name, message in named.items()}
            above = zip(given.items(), [None, *given], strict=False)
            parents = {name: None if parent == _ROOT else parent or before for (name, parent), before in above}
            both = branch(parents, value.get("current_leaf_message_uuid"), list(named))
            shown, others = ([named[name] for name in names] for names in both)
        kinds = (block.get("type") for message in shown for block in mappings(message.get("content")))
        yield Recording(
            **texts_of(value, session="uuid", model="model", title="name", begun="created_at"),
            turns=turns_of(map(_message, shown)),
            elsewhere=len(turns_of(map(_message, others))),
            unknown=unknown_kinds(map(_sender, shown), _SENDERS) + unknown_kinds(kinds, _BLOCKS),
        )


def _sender(message: Json) -> str:
    return text_of(message.get("sender")) or "message of nobody"


def _message(message: Json) -> RecordedTurn:
    """What a message adds; its flat text repeats its blocks, and says of calls that they can't be shown."""
    is_person = _sender(message) == "human"
    if _sender(message) not in _SENDERS:
        return RecordedTurn(False, ())
    parts: list[TurnPart] = []
    blocks = mappings(message.get("content"))
    for block in blocks:
        if block.get("type") in ("text", "voice_note"):
            parts += text_parts(block.get("text") or mapping(block.get("voice_note")).get("text"))
        elif block.get("type") == "tool_use" and not is_person:
            call, given = tool_part(block.get("name"), block.get("input")), mapping(block.get("input"))
            is_dialog = call.tool.startswith("ask_user_input")
            parts += dialog_parts(call, mappings(given.get("questions"))) if is_dialog else [call]
    if not blocks:
        parts = text_parts(message.get("text"))
    if is_person:
        files = [file.get("file_name") for file in mappings(message.get("files"))]
        pasted = [paste.get("file_name") for paste in mappings(message.get("attachments"))]
        parts += [attachment("file", name) for name in [*(name for name in pasted if name not in files), *files]]
    return RecordedTurn(is_person, tuple(parts), text_of(message.get("created_at")))
