"""The door to a model: what is to be asked is found first, then said, then asked, and then everything is made again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import typer

from mdtally.doors.cli.common import Call, ExitCode, fail, note, out

if TYPE_CHECKING:
    from mdtally.ask.model import Model, Prompt
    from mdtally.check.settling import Offer
    from mdtally.text.document import Document
    from mdtally.text.model import Refusal

Thing = TypeVar("Thing")
Made = TypeVar("Made")

CACHED = "cached"
"""In place of a command: take the kept answers, and call nobody."""


def asks(call: Call) -> bool:
    """True if a model is to be asked, or its kept answers, or the prompts, are wanted."""
    return bool(call.ask_dry_run or call.settings(Path.cwd()).ask_command)


def _words(call: Call) -> list[str] | Refusal:
    """The words of the command that is asked, or why it can't be; [] if none is."""
    from mdtally.project import command as commands

    command = call.settings(Path.cwd()).ask_command
    return [] if command in ("", CACHED) else commands.split(command)


def with_model(
    call: Call, things: Sequence[Thing], make: Callable[[Thing, Model], Made], *, since: str | None = None
) -> list[Made]:
    """What is made of each thing with the answers of a model; all are looked through before anybody is asked.

    Args:
        call: its options say who is asked, and how often.
        things: files, or what else is asked about.
        make: makes something of one; what it asks without an answer is asked then, and it is made again.
        since: a commit; answers that were not kept there are named.
    """
    from mdtally.ask.model import KeptAnswers, Model, label_of
    from mdtally.project import command as commands

    words, earlier = _words(call), partial(commands.text_at, since) if since else None
    if not isinstance(words, list):
        fail(f"--ask: {words.reason}")
    model = Model(KeptAnswers(partial(_answers_file, call), label_of(words) if words else "", earlier))
    made, waiting = list[Made](), dict[int, Thing]()
    for number, thing in enumerate(things):
        known_before = len(model.wanted)
        made.append(make(thing, model))
        if len(model.wanted) > known_before:
            waiting[number] = thing
    if call.ask_dry_run:
        _print([*model.wanted.values()][: call.max_asked])
    left, known, asked = call.max_asked, set[str](), 1
    while asked and (not known or model.wanted.keys() - known):
        is_again, known = bool(known), {"", *model.wanted}
        asked = ask(call, model, words, left, is_again=is_again)
        left = None if left is None else left - asked
        for number, thing in waiting.items() if asked else ():
            made[number] = make(thing, model)
    for failure in model.faults:
        note(f"model: {failure}")
    if model.brought:
        note(f"model: answers that were not kept at {since}: {', '.join(model.brought)}")
    return made


def ask(call: Call, model: Model, words: list[str], most: int | None, *, is_again: bool) -> int:
    """Ask what is open, so often at most, and say before and after how often; gives the number of calls."""
    from mdtally.project import command as commands
    from mdtally.text.percent import count

    kept, before = len(model.used), model.answered
    questions = f"{count(len(model.wanted) + kept, 'question')}, {kept} with a kept answer"
    if is_again:
        questions = f"{count(len(model.wanted), 'question')} once more, with what the file leaves over"
    prompts = [*model.wanted.values()][:most]
    if not words:
        note(f"model: {questions}; no calls")
        return 0
    note(f"model: {questions}; {count(len(prompts), 'call')} of {words[0]} to make")
    if prompts:
        size = sum(len(prompt.text.encode("utf-8", "replace")) for prompt in prompts)
        leaves = "whether they leave this machine is its affair (--ask-dry-run prints them)"
        note(f"model: {max(1, round(size / 1000)):,} kB, with words of these files, go to {words[0]}; {leaves}")
    timeout = call.settings(Path.cwd()).timeout
    left = len(model.wanted) - len(prompts)
    model.ask(prompts, lambda texts: commands.ask_all(words, texts, timeout, call.ask_jobs))
    more = f"; {left} not asked about (--max-asked)" if left else ""
    if prompts or left:
        note(f"model: {count(len(prompts), 'call')} made, {count(model.answered - before, 'answer')} used{more}")
    return len(prompts)


def name_of(call: Call) -> str:
    """What a model is called: its program, or "a kept answer"; "" if none is to be asked."""
    command, words = call.settings(Path.cwd()).ask_command, _words(call)
    if isinstance(words, list) and words:
        return words[0]
    return "a kept answer" if command == CACHED else command


def proposal(call: Call, path: Path, document: Document, model: Model) -> Offer | None:
    """The reading that a model proposes of a file, asked once more where the file shows that something is left over."""
    from mdtally.ask.model import again_prompt, offer_proposed, reading_prompt, second_look

    by = name_of(call)
    prompt = reading_prompt(path, document, lambda answer: offer_proposed(document, answer, by))
    offer, answer = model(prompt), model.answer_to(prompt)
    look = None if answer is None else second_look(document, answer)
    again = model(again_prompt(prompt, answer, look)) if answer is not None and look else None
    return again or offer


def propose(call: Call, path: Path, document: Document) -> Offer | Refusal:
    """The reading that a model proposes of a file, or that it proposes none."""
    from mdtally.text.model import Refusal

    (offer,) = with_model(call, [document], lambda one, model: proposal(call, path, one, model))
    return offer or Refusal("no reading was proposed that fits")


def _print(prompts: Sequence[Prompt[Any]]) -> None:
    """Print prompts, and end the call."""
    from mdtally.text import safe
    from mdtally.text.percent import count

    for prompt in prompts:
        out(f"--- {safe.terminal(prompt.place)} ({prompt.question}, version {prompt.version})\n\n")
        out("".join(f"{safe.terminal(line)}\n" for line in prompt.text.split("\n")))
    note(f"model: {count(len(prompts), 'prompt')}; nobody was asked")
    raise typer.Exit(ExitCode.CLEAN)


def _answers_file(call: Call, path: Path) -> Path | Refusal:
    """Where the answers about a file lie: beside its calibration log; or why they lie nowhere."""
    from mdtally.ask.model.kept import NAME
    from mdtally.project import files

    log = files.find_log(path, call.find_settings(path)[0])
    return log if isinstance(log, files.Refusal) else log.parent / NAME
