"""``mdtally review``: from a chat without tags to a verdict and a picture, by questions that one key answers."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Argument, Option

from mdtally.doors.cli import options as shared
from mdtally.doors.cli.common import Call, ExitCode, fail, fail_at_conflict, note, or_end, out

if TYPE_CHECKING:
    from mdtally.doors.cli.asking import Terminal


@shared.with_call("color", "ask")
def review(
    call: Call,
    chat: Annotated[str, Argument(metavar="[FILE|SESSION]", help="A chat, or a recorded session, else the last.")] = "",
    all_: Annotated[bool, Option("--all", help="Ask about every reply, also where nothing looks so.")] = False,
    in_order: Annotated[bool, Option("--in-order", help="Walk in the order of the file, not likeliest first.")] = False,
    labeler: Annotated[str | None, Option("--as", metavar="NAME", help="Tag a copy without tags, to compare.")] = None,
    again: Annotated[bool, Option("--again", help="Ask anew where you said “neither”, or a survey took over.")] = False,
    open_: Annotated[bool, Option("--open", help="Show the session's page in the browser at the end.")] = False,
) -> ExitCode:
    """Go from a chat to a verdict and a picture.

    It asks who speaks and which turns count, and shows the verdict and the session as a line; each step is left
    out if there is nothing to ask. All is written at once, so a review can be ended at any question and gone on
    with: what was answered is not asked again. Without a terminal it says what it would ask, and writes nothing. Where
    nothing is sure and a model is at hand (--ask), a key asks it for one more reading.
    """
    from mdtally.doors.cli.keys import is_terminal
    from mdtally.doors.cli.model import name_of, propose

    if labeler is not None and open_:
        fail("--open shows a session's page, and the copy of --as is no session")
    is_recorded = _is_recorded(chat)
    if call.ask_dry_run and not is_recorded:
        for file in call.files([Path(chat)]):
            propose(call, file.path, file.document)
    if not is_terminal():
        if labeler is not None:
            fail("--as asks at a terminal, and there is none here")
        return _outlook(call, chat, is_recorded=is_recorded, again=again, is_all=all_)
    from mdtally.ask import EventWalk, Review
    from mdtally.doors.cli.asking import Terminal
    from mdtally.events.replies import is_unasked
    from mdtally.show.review_screen import go_on

    path = _path(call, chat, is_recorded=is_recorded)
    terminal = Terminal(path, call)
    if terminal.document.is_survey:
        return _survey(terminal, path, labeler, again=again, is_open=open_)
    copy = None if labeler is None else _copy(call, path, labeler)
    terminal = Terminal(copy, call) if copy else terminal
    terminal.check_writable()
    day, answers = date.today().isoformat(), terminal.answers()
    walk = EventWalk(in_order=in_order, likely_only=not all_, answers=answers, again=again)
    steps = Review(walk, is_copy=bool(copy), day=day, model=name_of(call))
    flags = {"--all": all_, "--in-order": in_order, "--open": open_}
    given = [*(["--as", labeler] if labeler else ()), *(flag for flag, is_given in flags.items() if is_given)]
    configured = ["--config", call.config] if call.config else ["--isolated"] * call.isolated
    ending, to_go_on = "", ["review", path, *given, *configured]
    try:
        ending = terminal.answer_all(steps.run())
    finally:
        if answers.refusal:
            note(f"what was answered with “neither” could not be kept, and is asked again: {answers.refusal.reason}")
        then = ["history", *terminal.log()] if steps.is_judged else ["verdict", path, *configured]
        then = ["compare", path, copy] if copy else then
        to_go_on += ["--all"] * (is_unasked(terminal.document, answers) and not all_)
        out(go_on(steps.walk, terminal.document, to_go_on, then if ending == "done" else []))
    if open_ and ending == "done":
        open_page(call, path)
    return ExitCode.CLEAN


def _is_recorded(chat: str) -> bool:
    """True if a recorded session is meant: none is named, an id is, or the file that is named is a recording."""
    from mdtally.project import files

    if not chat or files.status(Path(chat)) is None:
        return not Path(chat).suffix
    if files.is_folder(Path(chat)):
        fail(f"{chat}: a folder; name a note in it, or give none for the newest session")
    if chat.lower().endswith((".md", ".markdown")):
        return False
    from mdtally.sources import RECORDED

    data = files.read(Path(chat))
    return isinstance(data, bytes) and data.lstrip().startswith(RECORDED)


def _path(call: Call, chat: str, *, is_recorded: bool) -> Path:
    """The note that is meant: the one that is named, that of a recording, or the newest session that is not done."""
    from mdtally.doors.cli.note import next_note, relative, stored_session, write_and_say

    if not is_recorded:
        return Path(chat)
    return Path(relative(write_and_say(call, stored_session(chat)) if chat else next_note(call)))


def _survey(terminal: Terminal, path: Path, labeler: str | None, *, again: bool, is_open: bool) -> ExitCode:
    """Ask about the items of a survey; each of two people has one of their own."""
    import shlex

    from mdtally.ask import SurveyWalk
    from mdtally.events.survey.note import SurveyNote, read_survey
    from mdtally.text import safe

    name = safe.argument(str(path))
    if labeler is not None:
        made_by = f"mdtally survey {name} --again --labeler {shlex.quote(labeler)}"
        fail(f"{path}: --as is for a session; the same survey for somebody else is made by {made_by}")
    if is_open:
        fail(f"{path}: --open shows a session's page, and a survey has none")
    terminal.check_writable()
    walk = SurveyWalk(again=again)
    try:
        terminal.answer_all(walk.run())
    finally:
        now = read_survey(terminal.document)
        left = len(now.open_ids) if isinstance(now, SurveyNote) else 0
        command = f"mdtally {'review' if left else 'verdict'} {name}"
        so_far = f"what it says so far: mdtally verdict {name} (each look widens the ranges)\n" * (left > 0)
        out(f"\n{len(walk.done)} answered now, {left} left\n{'to go on' if left else 'then'}: {command}\n{so_far}")
    return ExitCode.CLEAN


def _outlook(call: Call, chat: str, *, is_recorded: bool, again: bool, is_all: bool) -> ExitCode:
    """Say what a review would ask."""
    from mdtally.ask import open_questions, picture_of
    from mdtally.doors.cli.asking import Terminal
    from mdtally.doors.cli.note import ONLY_NOTES, next_note, relative, stored_session
    from mdtally.doors.cli.survey import survey_of
    from mdtally.show.review_screen import outlook_text, survey_outlook_text
    from mdtally.text import safe

    if is_recorded and chat:
        stored_session(chat)  # ends the call if there is none, or several
        fail(f"{ONLY_NOTES}; first: mdtally note {safe.argument(chat)}")
    path = Path(chat or relative(next_note(call, is_there=True)))
    for file in call.files([path]):
        fail_at_conflict(file.path, file.document)
        if file.document.is_survey:
            out(survey_outlook_text(survey_of(file), str(file.path), call.options(), again=again))
        else:
            terminal = Terminal(file.path, call)
            asked = open_questions(file.document, None if again else terminal.answers(), is_all=is_all)
            verdict = terminal.judge(write=False)
            picture = picture_of(file.document, verdict.verdict, verdict.problems)
            out(outlook_text(asked, verdict, picture, call.options()))
    return call.end()


def _copy(call: Call, path: Path, labeler: str) -> Path:
    """The copy of a note that a labeler tags, made without the tags of others where there is none yet."""
    import re

    from mdtally.ask import open_questions
    from mdtally.events import NOBODY_ANSWERS, candidates
    from mdtally.events.copy import without_tags
    from mdtally.project import files
    from mdtally.text import safe
    from mdtally.text.line_parts import labels_name

    if not re.fullmatch(r"[\w-]{1,40}", labeler):
        fail(f"--as is {labeler!r}; it has to be a name of letters, digits, - and _")
    copy = path.with_name(labels_name(path.name, labeler))
    if files.status(copy) is None:
        file = next(call.files([path]), None)
        if file is None:
            raise typer.Exit(call.end())
        asked = open_questions(file.document)
        if asked.unreadable or asked.reading or asked.person:
            fail(f"{path}: who speaks has to be settled first, by mdtally review {safe.argument(str(path))}")
        if not candidates(file.document).ranked:
            fail(f"{path}: {safe.with_file_name(NOBODY_ANSWERS, str(path))}")
        data = without_tags(file.document)
        or_end(files.write_atomically(copy, data, was=None, allow_outside=file.settings.allow_outside), copy)
    out(f"tags go to {safe.path(str(copy))}; {safe.path(str(path))} is not touched\n")
    return copy


def open_page(call: Call, path: Path) -> None:
    """Show the page of a session in a browser, a file among the temporary ones, and say where it is."""
    import tempfile
    import webbrowser

    from mdtally.ask import report_on
    from mdtally.doors.cli.lint import check
    from mdtally.project import files
    from mdtally.show.report_output import report_html
    from mdtally.text import safe
    from mdtally.text.records import replace

    page = Path(tempfile.mkdtemp(prefix="mdtally-")) / f"{path.stem}.html"
    reports = (report_on(replace(file, is_named=True), check(file)) for file in call.files([path]))
    text = "".join(report_html(report) for report in reports if report)
    or_end(files.write_atomically(page, text.encode(), was=None), page)
    # Without what opens files on a desktop, there may still be a browser (WSL, or $BROWSER).
    is_shown = typer.launch(str(page)) == 0 or webbrowser.open(page.as_uri())
    out(f"{'its page' if is_shown else 'no browser was found; its page'}: {safe.path(str(page))}\n")
