"""Claude Code: a session file, which is lines of JSON.

A session file is a tree of records in the order in which they were written. The conversation is the path from the last
record up to the root; a prompt that was taken back stands on a branch that no path leads to. Most "user" records are
not the person's words: results of tools, hooks, reminders and notices are recorded as such, too.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from operator import itemgetter

from mdtally.sources.recording import (
    PHRASES,
    WORDS,
    RecordedTurn,
    Recording,
    TurnPart,
    answer_parts,
    attachment,
    branch,
    dialog_parts,
    most_used,
    notice,
    text_parts,
    tool_part,
    turns_of,
    unknown_kinds,
    without_wrappers,
)
from mdtally.sources.values import Json, Numbered, mapping, mappings, text_of
from mdtally.text.records import replace
from mdtally.text.regex import regex

_KNOWN = WORDS["claude-code-records"]
_TREE = _KNOWN[:4]
_NOT_SAID, _REFUSED = PHRASES["claude-code-not-said"], PHRASES["claude-code-refusal"]
_SUMMARY = "This session is being continued from a previous conversation"
# "[Request interrupted by user]", "[Request interrupted by user for tool use]"
_INTERRUPTION = regex(r"\s*\[Request interrupted by user[^\]\n]*\]\s*\Z")
# "<command-name>/mcp</command-name> <command-message>mcp</command-message> <command-args></command-args>"
_COMMAND = regex(r"(?s)\s*(?:<command-(name|message|args)>(?:(?!</command-\1>).)*</command-\1>\s*)+\Z")
_NAME, _ARGUMENTS = (regex(rf"(?s)<command-{field}>(.*?)</command-{field}>") for field in ("name", "args"))
# "<bash-input>git status</bash-input>" is typed as "! git status", "<user-memory-input>…" as "# …".
_TYPED = regex(r"(?s)\s*<(bash|user-memory)-input>((?:(?!</\1-input>).)*)</\1-input>\s*\Z")
# What a call gives that was shown and not allowed.
_SHOWN = regex(r"The user doesn't want to |\[Request interrupted by user")
# "Implement the following plan:\n\n# Sort faster\n…\n\n\nIf you need specific details from before exiting plan mode (…)
# read the full transcript at: /home/me/.claude/….jsonl\n\nUser feedback on this plan: not the tests"
_HINT, _ADDED = "If you need specific details from before exiting plan mode", "\n\nUser feedback on this plan: "


def is_claude_code(value: Json) -> bool:
    """True for a record of a session file."""
    kind = text_of(value.get("type"))
    if kind in _TREE:
        return "uuid" in value and "parts" not in _message_of(value) and "systemPayload" not in value
    return kind in _KNOWN


def read_claude_code(values: Iterable[Numbered]) -> Iterator[Recording]:
    """The conversation of a session file."""
    records = list(values)
    conversation, other = _conversation(records)
    models = [_message_of(row).get("model") for _, row in conversation if _answer_id(row)]
    titles = [[name for _, row in records if (name := text_of(row.get(key)))] for key in ("customTitle", "aiTitle")]
    is_side = [bool(row.get("isSidechain")) for _, row in records if row.get("type") in ("user", "assistant")]
    yield Recording(
        session=next((name for _, row in reversed(conversation) if (name := text_of(row.get("sessionId")))), ""),
        folder=next((text_of(row["cwd"]) for _, row in records if row.get("cwd")), ""),
        model=most_used(model for model in models if model != "<synthetic>"),
        title=next((names[-1] for names in titles if names), ""),
        turns=turns_of(_messages(sorted([*conversation, *_queued_messages(records, conversation)], key=itemgetter(0)))),
        elsewhere=len(turns_of(_messages(other))),
        is_sub_agent=all(is_side),
        unknown=unknown_kinds((row.get("type") for _, row in records), _KNOWN),
    )


# -- The path ---------------------------------------------------------------------------------------------------------


def _conversation(records: Sequence[Numbered]) -> tuple[list[Numbered], list[Numbered]]:
    """The records of the conversation as it stood at the end, in the order of the file, and those of other branches.

    Calls of tools that ran at the same time fork the tree, and the path leads through one of them only: the other parts
    of an answer that has a part on the path belong to it.
    """
    tree: dict[str, Numbered] = {}
    for number, row in records:
        if isinstance(row.get("uuid"), str):
            tree.setdefault(row["uuid"], (number, row))
    main = {name: each for name, each in tree.items() if not each[1].get("isSidechain")}
    spoken = [name for name, (_, row) in main.items() if row.get("type") in _TREE[:2] or _is_command(row)]
    shown, _ = branch(_parents(main), None, spoken)
    path = {name: main[name] for name in shown}
    answers = {_answer_id(row) for _, row in path.values()} - {""}
    seen = {key for _, row in path.values() for key in _content_keys(row)}
    for name, (number, row) in main.items():
        # A session that was resumed may hold a part of an answer twice.
        if name not in path and _answer_id(row) in answers and seen.isdisjoint(_content_keys(row)):
            path[name] = number, row
    said = {_joined_text(_content(row)) for _, row in path.values()}
    other = [each for name, each in main.items() if name not in path and _joined_text(_content(each[1])) not in said]
    return sorted(path.values(), key=itemgetter(0)), other


def _parents(main: Mapping[str, Numbered]) -> dict[str, object]:
    """What each record follows; one that was written late, as its time shows, follows the record above it in the file.

    It names what was there at its time, such as the call that a hook is of: all that was said since would be left out.
    One of the same time as an earlier one with that parent is a copy of it, in other pieces. A command that names none
    follows what stands above, and the first prompt commands that were typed before it.
    """
    parents: dict[str, object] = {}
    known: set[tuple[str, str]] = set()
    above, reached = "", ""
    for name, (_, row) in main.items():
        parent, time = _parent(row), text_of(row.get("timestamp"))
        is_late = parent and "" < time < reached and (str(parent), time) not in known
        begins = not parent and all(_is_command(each) for _, each in islice(main.values(), len(parents)))
        parents[name] = above if is_late or begins or (not parent and _is_command(row)) else parent
        known.add((str(parent), time))
        above, reached = name, time
    return parents


def _parent(row: Json) -> object:
    """The uuid of the record that one follows; of what stands in place of a conversation one that no record has."""
    stands_for_more = _is_summary(row) or row.get("subtype") == "compact_boundary"
    return row.get("parentUuid") or row.get("logicalParentUuid") or (stands_for_more and "compacted")


def _content_keys(row: Json) -> Iterator[tuple[str, str]]:
    """What tells the parts of an answer from each other."""
    for block in _blocks(row) if _answer_id(row) else ():
        yield _answer_id(row), str(block.get("id") or block.get("text") or block.get("type"))


def _queued_messages(records: Sequence[Numbered], conversation: Sequence[Numbered]) -> Iterator[Numbered]:
    """Messages that were typed while the agent worked and are recorded nowhere but in the queue.

    A message that left the queue by "dequeue" follows as a record of its own; "popAll" took all back.
    """
    if not any(row.get("operation") == "remove" for _, row in records):
        return
    waiting: list[tuple[str, str]] = []  # each with the time at which it was typed
    answers = {_answer_id(row) for _, row in conversation}
    typed = [(number, _typed_text(row)) for number, row in conversation if _is_prompt(row) or _is_attached(row)]
    is_live = True
    for number, row in records:
        if row.get("type") == "assistant" and not row.get("isSidechain"):
            is_live = _answer_id(row) in answers
        if row.get("type") != "queue-operation":
            continue
        operation, content = row.get("operation"), _joined_text(row.get("content"))
        if operation == "enqueue":
            waiting.append((content, str(row.get("timestamp") or "")))
        elif operation == "popAll":
            waiting.clear()
        elif operation == "dequeue":
            del waiting[:1]
        elif operation == "remove" and waiting:
            own = [message for message in waiting if not _NOT_SAID.match(message[0])]
            first, time = ([message for message in waiting if message[0] == content] or own or waiting)[0]
            waiting.remove((first, time))
            is_told = any(text.startswith(first.strip()) and line > number - 40 for line, text in typed)
            if is_live and not is_told and not _NOT_SAID.match(first) and first[:1] != "/":
                yield number, {"type": "user", "timestamp": time, "message": {"content": first}}


# -- Who speaks -------------------------------------------------------------------------------------------------------


def _messages(records: Sequence[Numbered]) -> list[RecordedTurn]:
    """What records of a conversation say; one prompt that was recorded in parts is one message."""
    found, prompt = list[RecordedTurn](), None  # the last message, if it is a prompt
    errors = [block for _, row in records for block in _blocks(row) if block.get("is_error")]
    failed = {text_of(row.get("tool_use_id")) for row in errors if not _SHOWN.match(_joined_text(row.get("content")))}
    for _, row in records:
        parts, time = tuple(_parts(row, failed)), text_of(row.get("timestamp"))
        message = RecordedTurn(row.get("type") != "assistant", parts, time)
        is_prompt = message.is_person and any(part.kind != "notice" for part in parts)
        if prompt and is_prompt and time and time == prompt.time and row.get("type") == "user":
            texts = [part.text for part in (*prompt.parts, *parts) if part.kind == "text"]
            others = [part for part in (*prompt.parts, *parts) if part.kind != "text"]
            found[-1] = prompt = replace(prompt, parts=(*text_parts("\n".join(texts)), *others))
        elif parts:
            found.append(message)
            prompt = message if is_prompt else None
    return found


def _parts(row: Json, failed: Container[str]) -> Iterator[TurnPart]:
    """What a record adds to the conversation, with the ids of calls that failed."""
    if row.get("type") == "assistant":
        yield from _answer_parts(row, failed)
    elif row.get("subtype") == "compact_boundary":
        yield notice("the conversation so far was compacted")
    elif _is_prompt(row) or _is_attached(row):
        text = _typed_text(row)
        own = _without_plan(text, text_of(row.get("planContent")).strip())
        yield from [notice("interrupted")] if _INTERRUPTION.match(text) else text_parts(own)
        for block in _blocks(row):
            if block.get("type") in ("image", "document"):
                yield attachment({"image": "picture"}.get(block["type"], "document"), block.get("title"))
    elif row.get("type") == "user":
        for block in _blocks(row):
            refused = _REFUSED.match(_joined_text(block.get("content"))) if block.get("type") == "tool_result" else None
            if refused:
                yield from (notice("refused a call"), *text_parts(refused[1]))
        yield from _dialog_answers(mapping(row.get("toolUseResult")))


def _dialog_answers(result: Json) -> Iterator[TurnPart]:
    """What the person answered in a dialog, if a call gave that."""
    answers, notes = mapping(result.get("answers")), mapping(result.get("annotations"))
    for question in mappings(result.get("questions")):
        name = text_of(question.get("question"))
        yield from answer_parts(question, (answers.get(name), mapping(notes.get(name)).get("notes")))


def _without_plan(text: str, plan: str) -> str:
    """A prompt; of one that the program makes of a plan that was approved, the first line and what the person added."""
    first, _, below = text.partition("\n")
    ending = plan if plan and plan in below else _HINT
    if first != "Implement the following plan:" or ending not in below:
        return text
    return f"{first}\n\n{below.rpartition(ending)[2].partition(_ADDED)[2]}".strip()


def _answer_parts(row: Json, failed: Container[str]) -> Iterator[TurnPart]:
    """The visible words and the calls of tools of a part of an answer."""
    if row.get("isApiErrorMessage") or _message_of(row).get("model") == "<synthetic>":
        text = _joined_text(_content(row))
        yield from [notice(f"failed: {text}")] if row.get("isApiErrorMessage") and text else []
        return
    for block in _blocks(row):
        if block.get("type") == "text" and block.get("text") != "No response requested.":
            yield from text_parts(block.get("text"))
        elif block.get("type") == "tool_use":
            call, given = tool_part(block.get("name"), block.get("input")), mapping(block.get("input"))
            is_shown = text_of(block.get("id")) not in failed
            if is_shown and call.tool == "AskUserQuestion":
                yield from dialog_parts(call, mappings(given.get("questions")))
            elif is_shown and call.tool in ("ExitPlanMode", "exit_plan_mode"):
                yield from text_parts(given.get("plan")) or [call]
            else:
                yield call


def _is_prompt(row: Json) -> bool:
    """True for a record that may hold words of the person."""
    if row.get("type") == "system":
        return _is_command(row)
    if row.get("type") != "user" or row.get("isMeta") or row.get("isVisibleInTranscriptOnly"):
        return False
    if row.get("promptSource") == "system" or _is_of_others(row):
        return False  # a notice of the program, such as that a task in the background has ended
    return not any(block.get("type") == "tool_result" for block in _blocks(row)) and not _is_summary(row)


def _is_command(row: Json) -> bool:
    """True for a command that the program carried out, or what that gave."""
    return row.get("subtype") == "local_command"


def _is_attached(row: Json) -> bool:
    """True for a message that was typed while the agent worked and was handed on with something else."""
    queued = mapping(row.get("attachment"))
    is_prompt = queued.get("type") == "queued_command" and queued.get("commandMode", "prompt") == "prompt"
    return is_prompt and not (queued.get("isMeta") or _is_of_others(queued))


def _is_of_others(row: Json) -> bool:
    """True if a record says that its message is another session's, of a task in the background, or the program's."""
    return mapping(row.get("origin")).get("kind") in ("peer", "coordinator", "task-notification", "auto-continuation")


def _is_summary(row: Json) -> bool:
    """True for the summary that stands in place of a conversation that was compacted."""
    is_old = text_of(row.get("version"))[:2] in ("", "0.", "1.")  # later ones always mark it
    is_said_so = row.get("isCompactSummary") or (is_old and _joined_text(_content(row)).startswith(_SUMMARY))
    return row.get("type") == "user" and bool(is_said_so)


def _typed_text(row: Json) -> str:
    """What the person typed, as it stood at the prompt; "" for what only looks like a message of theirs."""
    texts = (_as_typed(text_of(block.get("text"))) for block in _blocks(row) if block.get("type") == "text")
    return "\n".join(filter(None, texts)).strip()


def _as_typed(text: str) -> str:
    """The text of a block as it was typed."""
    text = without_wrappers(text, WORDS["claude-code-wrappers"])
    if _NOT_SAID.match(text):
        return ""
    if _COMMAND.match(text):
        name, arguments = ((field.search(text) or ("", ""))[1].strip() for field in (_NAME, _ARGUMENTS))
        return f"/{name.lstrip('/')} {arguments}".strip() if name else ""
    typed = _TYPED.match(text)
    return f"{'!' if typed[1] == 'bash' else '#'} {typed[2].strip()}" if typed else text


# -- The shape of a record --------------------------------------------------------------------------------------------


def _message_of(row: Json) -> Json:
    return mapping(row.get("message"))


def _answer_id(row: Json) -> str:
    """The id of the answer that a record is a part of; "" if it is none."""
    return str(_message_of(row).get("id") or "") if row.get("type") == "assistant" else ""


def _content(row: Json) -> object:
    """What a record says: a text, or a list of blocks."""
    if "attachment" in row:
        return mapping(row["attachment"]).get("prompt")
    return _message_of(row).get("content", row.get("content"))


def _blocks(row: Json) -> list[Json]:
    """The blocks of what a record says; a bare text is one."""
    content = _content(row)
    return [{"type": "text", "text": content}] if isinstance(content, str) else mappings(content)


def _joined_text(content: object) -> str:
    """The text of a content, or of its text blocks."""
    if isinstance(content, list):
        texts = (block.get("text") if isinstance(block, dict) else block for block in content)
        return "\n".join(text for text in texts if isinstance(text, str))
    return content if isinstance(content, str) else ""
