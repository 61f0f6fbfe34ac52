"""opencode: what its export prints, the files of its older versions, and its database.

A session has messages, and a message parts; one answer is many messages. Since version 2 a message holds what it says,
and is of a kind where it had a role.
"""

from __future__ import annotations

import io
import sqlite3
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import BinaryIO

from mdtally.project import files
from mdtally.sources.recording import (
    WORDS,
    RecordedTurn,
    Recording,
    TurnPart,
    answer_parts,
    attachment,
    dialog_parts,
    most_used,
    notice,
    text_parts,
    time_of,
    tool_part,
    turns_of,
    unknown_kinds,
)
from mdtally.sources.values import Json, Numbered, json_object, list_of, mapping, mappings, text_of, texts_of
from mdtally.text.model import Refusal
from mdtally.text.records import by_key

_KINDS = WORDS["opencode-messages"]
_ROLES = _KINDS[:2]
_PART_KINDS = WORDS["opencode-parts"]
_FEEDBACK = "The user rejected permission to use this specific tool call with the following feedback: "
_TABLES = "SELECT name FROM sqlite_master WHERE name IN ('session', 'session_v2') ORDER BY name"
_SAID = {"session": "SELECT session_id FROM message", "session_v2": "SELECT session_id FROM session_message"}
_SESSIONS = "SELECT id, time_updated, '{0}', directory, title, parent_id, revert FROM {0} WHERE id IN ({1})"
_WHOLE = "SELECT id, type, data FROM session_message WHERE session_id = ? ORDER BY seq"
_MESSAGES = "SELECT id, data FROM message WHERE session_id = ? ORDER BY time_created, id"
_PARTS = "SELECT message_id, data FROM part WHERE session_id = ? ORDER BY id"
_FOLDERS = "SELECT directory, max(time_updated) FROM {} GROUP BY directory"


def is_opencode(value: Json) -> bool:
    """True for an exported session, and for a session of the older versions, whose messages are files of their own."""
    info = mapping(value.get("info")) if isinstance(value.get("messages"), list) else value
    return text_of(info.get("id")).startswith("ses_") and ("directory" in info or "time" in info)


def read_opencode(values: Iterable[Numbered]) -> Iterator[Recording]:
    """The conversation of an exported session, or of one whose messages and parts follow it."""
    info: Json = {}
    messages: dict[str, Json] = {}
    for _, value in values:
        if isinstance(value.get("messages"), list):
            yield _recording(mapping(value.get("info")), mappings(value["messages"]))
        elif "messageID" in value:
            messages.setdefault(str(value["messageID"]), {"info": {}, "parts": []})["parts"].append(value)
        elif text_of(value.get("id")).startswith("msg_"):
            messages[value["id"]] = {"info": value, "parts": []}
        else:
            info = value if is_opencode(value) else info
    if info:
        yield _recording(info, list(messages.values()))


def with_messages(path: Path, stream: BinaryIO) -> BinaryIO:
    """A session of the older versions with its messages and their parts, in their order; any other file as it is.

    Below `storage/` a session lies in `session/PROJECT/ses_1.json`, its messages in `message/ses_1/msg_1.json` and so
    on, the parts of that one in `part/msg_1/prt_1.json` and so on.
    """
    if path.parts[-4:-2] != ("storage", "session"):
        return stream
    storage = path.parents[2]
    messages = sorted(files.matching(storage / "message" / path.stem, "*.json"))
    parts = (part for one in messages for part in sorted(files.matching(storage / "part" / one.stem, "*.json")))
    whole = [data for data in map(files.read, (path, *messages, *parts)) if isinstance(data, bytes)]
    return io.BytesIO(b"[" + b",".join(whole) + b"]") if messages else stream


def read_database(database: sqlite3.Connection, nothing: Refusal) -> Iterator[Recording | Refusal]:
    """The conversations of a database, the one changed last first; of a table of before those that version 2 lacks.

    Args:
        database: the database.
        nothing: what is given if it has no table of sessions.
    """
    try:
        names = database.execute(_TABLES).fetchall()
        tables = [database.execute(_SESSIONS.format(table, _SAID[table])) for (table,) in names]
        rows = {row[0]: row for row in chain.from_iterable(tables)}
        last_first = sorted(rows.values(), key=lambda row: str(row[1]), reverse=True)
        for name, _, table, folder, title, parent, revert in last_first:
            info = {"id": name, "directory": folder, "title": title, "parentID": parent, "revert": json_object(revert)}
            yield _recording(info, _messages(database, table, name))
        yield from [] if tables else [nothing]
    except sqlite3.Error as error:
        yield Refusal(f"a database that can't be read ({error})")


def _messages(database: sqlite3.Connection, table: str, name: str) -> list[Json]:
    """The messages of a session of a table of sessions."""
    if table == "session_v2":
        rows = database.execute(_WHOLE, (name,))
        return [json_object(data) | {"id": one, "type": kind} for one, kind, data in rows]
    parts = by_key((message, json_object(data)) for message, data in database.execute(_PARTS, (name,)))
    rows = database.execute(_MESSAGES, (name,))
    return [{"info": json_object(data) | {"id": one}, "parts": parts.get(one, [])} for one, data in rows]


def folders_in(database: sqlite3.Connection) -> dict[str, float]:
    """The folders in which the sessions of a database were begun, with the time of the last change in each."""
    try:
        rows = chain(*(database.execute(_FOLDERS.format(table)) for (table,) in database.execute(_TABLES)))
        return {str(folder): float(changed) / 1000 for folder, changed in rows}
    except (sqlite3.Error, TypeError, ValueError):
        return {}


def _recording(info: Json, messages: list[Json]) -> Recording:
    """The conversation of a session; messages that the person took back are still listed, from a stated one on."""
    info, messages = mapping(info.get("location")) | info, [*map(_with_parts, messages)]
    infos = [mapping(message.get("info")) for message in messages]
    names, roles = ([one.get(key) for one in infos] for key in ("id", "role"))
    reverted = mapping(info.get("revert")).get("messageID")
    end = names.index(reverted) if reverted in names else len(names)
    kinds = (part.get("type") for message in messages for part in mappings(message.get("parts")))
    return Recording(
        **texts_of(info, session="id", folder="directory", title="title"),
        model=most_used(one.get("modelID") or mapping(one.get("model")).get("id") for one in [*infos, info]),
        begun=time_of(mapping(info.get("time")).get("created")),
        turns=turns_of(chain.from_iterable(map(_turns, messages[:end]))),
        elsewhere=len(turns_of(chain.from_iterable(map(_turns, messages[end:])))),
        is_sub_agent=bool(info.get("parentID")),
        unknown=unknown_kinds(roles, _KINDS) + unknown_kinds(kinds, _PART_KINDS),
    )


def _with_parts(message: Json) -> Json:
    """A message of version 2 as those of before are: with a role, and what it says in parts."""
    kind, parts = message.get("type"), mappings(message.get("content"))
    if "info" in message:
        return message
    if kind in ("user", "shell"):  # which is typed as "!npm test"
        text = f"! {message.get('command')}" if kind == "shell" else message.get("text")
        files = ({"type": "file", "filename": file.get("name")} for file in mappings(message.get("files")))
        parts = [{"type": "text", "text": text}, *files]
    elif kind == "compaction" and message.get("status") == "completed":
        parts = [{"type": kind}]
    role = {"shell": "user", "compaction": "assistant"}.get(str(kind), kind)
    return {"info": message | {"role": role}, "parts": parts}


def _turns(message: Json) -> Iterator[RecordedTurn]:
    """What a message adds; what the person answers in a dialog stands in the midst of the agent's."""
    info, parts = mapping(message.get("info")), list[TurnPart]()
    is_person, time = info.get("role") == "user", time_of(mapping(info.get("time")).get("created"))
    for part in mappings(message.get("parts")) if info.get("role") in _ROLES else ():
        kind = part.get("type")
        if kind == "text" and not (part.get("synthetic") or part.get("ignored")):
            parts += text_parts(part.get("text"))
        elif kind == "tool":
            call, answers = _call(part)
            parts += call
            if answers:
                yield from (RecordedTurn(False, tuple(parts), time), RecordedTurn(True, answers))
                parts = []
        elif kind == "file":
            parts.append(attachment("file", part.get("filename")))
        elif kind == "subtask":
            parts.append(tool_part("task", part.get("description")))
        elif kind == "compaction":
            parts.append(notice("the conversation so far was compacted"))
    error = mapping(info.get("error"))
    if error.get("name") == "MessageAbortedError" or info.get("outcome") == "interrupted":
        parts.append(notice("interrupted"))
    elif failed := text_of(mapping(error.get("data")).get("message")) or text_of(error.get("message")):
        parts.append(notice(f"failed: {failed}"))
    yield RecordedTurn(is_person, tuple(parts), time)


def _call(part: Json) -> tuple[list[TurnPart], tuple[TurnPart, ...]]:
    """A call of a tool, of one that shows a dialog what the agent asks; and what the person said to it."""
    state = mapping(part.get("state"))
    call = tool_part(part.get("tool") or part.get("name"), state.get("input"))
    questions = mappings(mapping(state.get("input")).get("questions")) if call.tool == "question" else []
    answers = zip(questions, list_of(mapping(state.get("metadata")).get("answers")), strict=False)
    error = text_of(state.get("error")) or text_of(mapping(state.get("error")).get("message"))
    _, is_refused, words = error.partition(_FEEDBACK)
    refusal = [notice("refused a call"), *text_parts(words)] if is_refused else []
    said = (*refusal, *chain(*(answer_parts(asked, list_of(given)) for asked, given in answers)))
    return dialog_parts(call, questions), said
