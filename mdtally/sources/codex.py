"""Codex: a rollout of its command line, editor extension or app, which is lines of JSON.

The same words stand in a rollout up to three times: as an event that the screen showed, as an item that went to the
model, and in a summary at the task's end. Items of the role "user" are mostly not the person's: instructions, the
environment and the like. So the events are read, and the items only of a side that has no events. Dialogs have none:
what the agent asks in one is a call of a tool, and what the person answers is what that gives.
"""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import BinaryIO

from mdtally.project import files
from mdtally.sources.recording import (
    ID,
    PHRASES,
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
    tool_part,
    turns_of,
    without_wrappers,
)
from mdtally.sources.values import (
    COMPRESSED,
    LARGEST,
    Json,
    Numbered,
    decompress,
    json_object,
    list_of,
    mapping,
    mappings,
    text_of,
    texts_of,
)
from mdtally.text.model import Refusal
from mdtally.text.records import replace
from mdtally.text.regex import regex

_KINDS = WORDS["codex-records"]
# What stands in front of the person's words, or in their place, among the items that went to the model:
# "<environment_context>…</environment_context>", "# AGENTS.md instructions for /home/me/app\n\n<INSTRUCTIONS>…"
_WRAPPERS = WORDS["codex-wrappers"]
_HEADING = regex(r"\s*# AGENTS\.md instructions[^\n]*\s*(?=<INSTRUCTIONS>)")
_WARNING = regex(r"\s*Warning: (?:apply_patch was requested via|The maximum number of)")
# "# Context from my IDE setup:\n\n## Open tabs: …\n\n## My request for Codex:\nFix the test.", "## Prior conversation
# with Codex:\n{"conversation":[…]}\n## My request for Codex:\n…", and the request's heading alone
_ADDED = regex(r"(?sm)\A\s*(?=##? [A-Z][^\n]*:[ \t]*$).*?^## My request for Codex:[ \t]*\n?")
# "# Files mentioned by the user:\n\n## notes.pdf: /home/me/notes.pdf"
_FILES = regex(r"(?sm)^# Files mentioned by the user:$(.*?)(?=^# |\Z)")
_FILE = regex(r"(?m)^## ([^:\n]+): \S")
# "<user_shell_command>\n<command>\nnpm test\n</command>\n<result>…", which is typed as "!npm test"
_TYPED = regex(r"(?s)\s*<user_shell_command>\s*<command>\s*(.*?)\s*</command>")
# What stands at the end of an answer that went by the memory: "<oai-mem-citation>…</oai-mem-citation>"
_CITED = regex(r"(?s)\s*<oai-mem-citation>.*?</oai-mem-citation>")
# "<proposed_plan>\n# Sort faster\n…\n</proposed_plan>"
_PROPOSED = regex(r"(?s)<proposed_plan>\s*(.*?)\s*</proposed_plan>")
_ERRAND, _BUTTON = PHRASES["codex-errand"], PHRASES["codex-button"]
# What a dialog gives: "{"answers":{"policy":{"answers":["Drop it"]}}}", "request_user_input was cancelled before …",
# "aborted by user after 9.1s"; of one that the agent does not wait for '{"accepted":true}'; if it was not shown:
# "request_user_input is unavailable in Code mode"
_SHOWN = regex(r"\A\s*\{\s*\"(?:answers|accepted)\"|\b(?:cancelled|aborted)\b")
_DIALOGS = ("request_user_input", "request_user_input_async")
# What answers that one: "> Which port?\n\n8080", or
# '<send_user_message_question_reply>[{"question":"Which port?","answer":"8080"}]</send_user_message_question_reply>'
_REPLY = regex(r"(?s)\s*<send_user_message_question_reply>(.*)</send_user_message_question_reply>\s*")
# A program of calls: 'const r = await tools.shell_command({"command":"git diff","timeout_ms":9000}); text(r);'
_CALL, _GIVEN = regex(r"\btools\.(\w+)\("), regex(r"(?s)\"?(\w+)\"?\s*:\s*(\"(?:[^\"\\]|\\.)*\")")
_PATCH = regex(r"(?s)\"(?:[^\"\\]|\\.)*\*\*\* Begin Patch(?:[^\"\\]|\\.)*\"|`[^`]*\*\*\* Begin Patch[^`]*`")
_EDITORS = ("codex_vscode", "Codex Desktop")


def is_codex(value: Json) -> bool:
    """True for a line of a rollout, of which the oldest have no kind."""
    if text_of(value.get("type")) in _KINDS:
        return "payload" in value
    return value.get("record_type") == "state" or {"id", "timestamp", "instructions"} <= value.keys()


def with_beginning(path: Path, stream: BinaryIO) -> BinaryIO:
    """A rollout with those that it goes on from behind its first line, and all of its own; any other file as it is."""
    head = stream.readline() if path.name.startswith("rollout-") else b""
    stream.seek(0)
    pieces, paths = list[bytes](), [path] if head.startswith(COMPRESSED) or _rollout_before(head) else []
    for one in paths:
        opened = files.open_file(one)
        if isinstance(opened, Refusal):
            break
        with opened:
            data = opened.read(LARGEST)
        plain = decompress(io.BytesIO(data)) if data.startswith(COMPRESSED) else io.BytesIO(data)
        if isinstance(plain, Refusal):
            break
        pieces.insert(0, plain.read())
        name = _rollout_before(pieces[0].partition(b"\n")[0])
        root = next((each for each in one.parents if each.name == "sessions"), one.parent)
        found = files.matching(root, f"**/rollout-*{name}.jsonl*") if ID.fullmatch(name) else []
        paths += [each for each in found[:1] if each not in paths]
    later = (piece.replace(b'"session_meta"', b'"history_base"', 1) for piece in pieces[1:])
    return io.BytesIO(b"\n".join([pieces[-1].partition(b"\n")[0], pieces[0], *later])) if pieces[1:] else stream


def _rollout_before(line: bytes | str) -> str:
    """The id, by its first line, of the rollout that one goes on from, as the name of that ends; "" if it begins anew.

    A thread that was taken back to an earlier turn goes on so since 2026, and one that was forked begins so.
    """
    meta = mapping(json_object(line).get("payload"))
    is_agents, base = meta.get("thread_source") == "subagent", mapping(meta.get("history_base"))
    return "" if is_agents else text_of(base.get("thread_id"))


def read_codex(values: Iterable[Numbered]) -> Iterator[Recording]:
    """The conversation of a rollout; those that it goes on from stand above lines of the kind "history_base"."""
    meta: Json = {}
    models, unknown = list[object](), Counter[str]()
    rows, left = list[Json](), list[Json]()
    title, has_beginning = "", False
    for number, value in values:
        kind, payload = text_of(value.get("type")), mapping(value.get("payload"))
        if kind == "session_meta" or (number == 1 and not kind):
            meta = meta or payload or value
        elif kind == "history_base":
            has_beginning = True
            left += [row for row in rows if not _is_before(row, payload)]
            rows = [row for row in rows if _is_before(row, payload)]
        elif kind == "turn_context":
            models.append(payload.get("model"))
        elif kind in _KINDS:
            rows.append(value)
            title = text_of(payload.get("thread_name")) or title
        elif kind in ("message", "reasoning", "function_call", "function_call_output"):
            # The oldest rollouts hold the items as they are.
            rows.append({"type": "response_item", "payload": value})
        elif value.get("record_type") != "state":
            unknown[kind] += 1
    messages, elsewhere = _messages(rows)
    unknown["history_base"] += bool(meta.get("history_base")) and not has_beginning
    yield Recording(
        **texts_of(meta, session="id", folder="cwd", begun="timestamp"),
        model=most_used(models),
        title=title,
        turns=turns_of(messages),
        elsewhere=elsewhere + len(turns_of(_messages(left)[0])),
        is_sub_agent=_is_sub_agent(meta, messages),
        unknown=+unknown,
    )


def _is_before(row: Json, meta: Json) -> bool:
    """True of a line that a rollout goes on from, by its number in the thread."""
    number, end = row.get("ordinal"), mapping(meta.get("history_base")).get("end_ordinal_exclusive")
    return not (isinstance(number, int) and isinstance(end, int)) or number < end


def _is_sub_agent(meta: Json, messages: Sequence[RecordedTurn]) -> bool:
    """True if an agent began the session, or an editor or the app did for itself, as for the title of another one."""
    source, prompts = meta.get("source"), [message.text for message in messages if message.is_person]
    is_agents = isinstance(source, dict) or meta.get("thread_source") == "subagent"
    is_editors = source == "exec" and meta.get("originator") in _EDITORS
    return is_agents or is_editors or (len(prompts) == 1 and bool(_ERRAND.match(prompts[0])))


def _messages(rows: Sequence[Json]) -> tuple[list[RecordedTurn], int]:
    """What was said and called, and how many turns of it the person took back."""
    events = [_event(row) for row in rows]
    shown = [(row, event) for row, event in zip(rows, events, strict=True) if event and event.parts[0].kind != "notice"]
    with_events = {"plan" if _is_plan(row) else event.is_person for row, event in shown}
    dialogs = _dialogs(rows)
    messages: list[RecordedTurn] = []
    prompts: list[int] = []  # where they begin turns of Codex's, as answers in a dialog and "! command" do not
    elsewhere, origin = 0, ""
    for row, event in zip(rows, events, strict=True):
        payload = mapping(row.get("payload"))
        if payload.get("type") == "thread_rolled_back":
            number = payload.get("num_turns")
            first = prompts[-number:][:1] if isinstance(number, int) and number > 0 else []
            elsewhere += sum(len(turns_of(messages[place:])) for place in first)
            messages = messages[: first[0]] if first else messages
            prompts = [place for place in prompts if place < len(messages)]
        is_read_below = _is_plan(row) and False not in with_events  # as an item
        message = _item(row, with_events, dialogs) if event is None or is_read_below else event
        if message and message.is_person:
            parts = (part for one in message.parts for part in _without_question(one, dialogs))
            message = replace(message, parts=tuple(_without_plan(part, messages) for part in parts))
        before = messages[-1] if messages else None
        # While the form of events changed, some versions wrote both; of a review some write each event twice.
        is_same = before and message and (before.is_person, before.parts) == (message.is_person, message.parts)
        is_copy = is_same and (origin != str(payload.get("type")) or (before == message and event and event.time))
        if message and message.parts and not is_copy:
            origin = str(payload.get("type"))
            is_prompt = message.is_person and origin != "function_call_output" and message.text[:2] != "! "
            prompts += [len(messages)] if is_prompt else []
            messages.append(message)
    return messages, elsewhere


def _is_plan(row: Json) -> bool:
    """True of the event that shows a plan."""
    payload = mapping(row.get("payload"))
    return payload.get("type") == "item_completed" and mapping(payload.get("item")).get("type") == "Plan"


def _event(row: Json) -> RecordedTurn | None:
    """What the screen showed, from a line that tells of it."""
    payload, time = mapping(row.get("payload")), text_of(row.get("timestamp"))
    kind = payload.get("type") if row.get("type") == "event_msg" else row.get("type")
    if kind in ("compacted", "context_compacted"):
        return RecordedTurn(False, (notice("the conversation so far was compacted"),), time)
    if kind == "turn_aborted":
        return RecordedTurn(False, (notice("interrupted"),), time)
    if kind == "error" and text_of(payload.get("message")):
        return RecordedTurn(False, (notice(f"failed: {payload['message']}"),), time)
    parts: list[TurnPart] = []
    if kind == "user_message" and payload.get("kind") in (None, "plain"):
        pictures = [*list_of(payload.get("images")), *list_of(payload.get("local_images"))]
        parts = _prompt_parts(text_of(payload.get("message")))
        parts += [attachment("picture", path) for path in pictures]
    elif kind == "agent_message":
        parts = text_parts(payload.get("message"))
    elif kind == "item_completed":
        item = mapping(payload.get("item"))
        kind = item.get("type")
        if kind in ("UserMessage", "AgentMessage") and not item.get("questions"):  # those stand in the call
            parts = [part for block in mappings(item.get("content")) for part in _block(block)]
        elif kind == "Plan":
            parts = text_parts(item.get("text"))
    return RecordedTurn(kind in ("user_message", "UserMessage"), tuple(parts), time) if parts else None


def _dialogs(rows: Iterable[Json]) -> dict[str, list[Json]]:
    """What the agent asked in dialogs, by the ids of the calls; without those that the program did not show."""
    asked: dict[str, list[Json]] = {}
    for row in rows:
        item = mapping(row.get("payload"))
        name, output = text_of(item.get("call_id")), text_of(item.get("output"))
        if name and item.get("type") == "function_call" and item.get("name") in _DIALOGS:
            asked[name] = [*map(_question, mappings(json_object(item.get("arguments")).get("questions")))]
        elif item.get("type") == "function_call_output" and not _SHOWN.search(output):
            asked.pop(name, None)
    return asked


def _question(given: Json) -> Json:
    """What is asked in a dialog, with its options as objects."""
    options = [one if isinstance(one, dict) else {"label": one} for one in list_of(given.get("options"))]
    return given | {"question": given.get("question") or given.get("title"), "options": options}


def _answers(questions: Iterable[Json], output: object) -> Iterator[TurnPart]:
    """What the person answered in a dialog."""
    given = mapping(json_object(output).get("answers"))
    for question in questions:
        answers = list_of(mapping(given.get(text_of(question.get("id")))).get("answers"))
        # In the terminal, words stand behind the option to which they were added, or behind that of other words.
        texts = [text_of(answer).removeprefix("user_note: ") for answer in answers if answer != "None of the above"]
        yield from answer_parts(question, texts)


def _item(row: Json, with_events: set[str | bool], dialogs: Mapping[str, list[Json]]) -> RecordedTurn | None:
    """What an item that went to the model adds: a call, a dialog, or words of a side that has no events."""
    if row.get("type") != "response_item":
        return None
    item, time = mapping(row.get("payload")), text_of(row.get("timestamp"))
    kind, dialog = text_of(item.get("type")), dialogs.get(text_of(item.get("call_id")))
    if kind.endswith("_call"):
        name = item.get("name") or mapping(item.get("function")).get("name") or kind.removesuffix("_call")
        given = next((item[key] for key in ("arguments", "input", "action") if item.get(key)), "")
        calls = _calls(given) if name == "exec" else []
        return RecordedTurn(False, tuple(calls or dialog_parts(tool_part(name, given), dialog or [])), time)
    if kind == "function_call_output" and dialog:
        return RecordedTurn(True, tuple(_answers(dialog, item.get("output"))), time)
    is_person = item.get("role") == "user"
    if kind != "message" or item.get("role") not in ("user", "assistant"):
        return None
    blocks = mappings(item.get("content"))
    if is_person and (typed := [match for block in blocks if (match := _TYPED.match(text_of(block.get("text"))))]):
        return RecordedTurn(True, tuple(part for match in typed for part in text_parts(f"! {match[1]}")), time)
    if is_person in with_events:
        # Of a version that shows a plan without an event.
        plans = (_PROPOSED.findall(text_of(block.get("text"))) for block in blocks if not is_person)
        new = [] if "plan" in with_events else [part for found in plans for plan in found for part in text_parts(plan)]
        return RecordedTurn(False, tuple(new), time)
    about = mapping(item.get("internal_chat_message_metadata_passthrough")).get("content_item_kinds")
    if is_person and isinstance(about, list) and len(about) == len(blocks):
        blocks = [block for block, name in zip(blocks, about, strict=True) if str(name).startswith("user.")]
    parts = [part for block in blocks for part in _block(block, is_injected=is_person)]
    if not is_person:  # a plan as it was shown
        parts = [replace(part, text=_CITED.sub("", _PROPOSED.sub(r"\1", part.text))) for part in parts]
    return RecordedTurn(is_person, tuple(parts), time)


def _calls(program: object) -> list[TurnPart]:
    """The calls of tools in a program that the agent wrote to make them; none where it makes up their commands."""
    code, calls = text_of(program), list[TurnPart]()
    found = [*_CALL.finditer(code)]
    for call, after in zip_longest(found, found[1:]):
        here = code[call.end() : after.start() if after else None]
        given = {name: text for name, literal in _GIVEN.findall(here) if (text := _literal(literal))}
        if call[1].endswith("_command") and given.keys().isdisjoint(("command", "cmd")):
            return []
        patch = "\n".join(map(_literal, _PATCH.findall(code))) if call[1] == "apply_patch" else ""
        calls.append(tool_part(call[1], patch or given))
    return calls


def _literal(text: str) -> str:
    """The text that a literal in JavaScript stands for; "" if it is no literal of JSON, too."""
    return text_of(json_object(f'{{"is": {text}}}').get("is")) if text[:1] == '"' else text.strip("`")


def _without_question(part: TurnPart, dialogs: Mapping[str, Sequence[Json]]) -> Iterator[TurnPart]:
    """A part of a prompt; of one that answers a dialog for which the agent did not wait, the answer."""
    asked = {text_of(one.get("question")): one for questions in dialogs.values() for one in questions}
    reply = _REPLY.fullmatch(part.text) if part.kind == "text" else None
    replies = mappings(json_object(f'{{"all": {reply[1]}}}').get("all")) if reply else []
    answers = [(text_of(one.get("question")), one.get("answer")) for one in replies]
    for question in asked if part.kind == "text" else ():
        quoted = "".join(f"> {line}\n" for line in question.split("\n"))
        if part.text.startswith(f"{quoted}\n"):
            answers.append((question, part.text.removeprefix(quoted).strip()))
    for question, answer in answers:
        yield from answer_parts(asked.get(question, {}), [answer])
    yield from [] if answers else [part]


def _without_plan(part: TurnPart, messages: Iterable[RecordedTurn]) -> TurnPart:
    """A part of a prompt; of one that a button sends with the agent's plan, the first line."""
    sent = _BUTTON.match(part.text) if part.kind == "text" else None
    if sent and (sent[1][0] == "A" or any(sent[2].strip() in one.text for one in messages if not one.is_person)):
        return replace(part, text=sent[1])
    return part


def _block(block: Json, *, is_injected: bool = False) -> list[TurnPart]:
    """What a block of a message says; of one that may hold injected words, what the person typed."""
    if "image" in text_of(block.get("type")):
        return [attachment("picture", block.get("path"))]
    text = text_of(block.get("text"))
    if is_injected:
        text = without_wrappers(_HEADING.sub("", text, count=1), _WRAPPERS)
    return [] if is_injected and _WARNING.match(text) else _prompt_parts(text)


def _prompt_parts(text: str) -> list[TurnPart]:
    """What the person typed, without what an editor put in front of it; files that were sent along are named there."""
    added = _ADDED.match(text)
    if added is None:
        return text_parts(text)
    names = (name for files in _FILES.findall(added[0]) for name in _FILE.findall(files))
    return [*text_parts(text[added.end() :]), *(attachment("file", name) for name in names)]
