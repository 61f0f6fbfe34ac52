"""``mdtally survey``: few answers that speak for all replies of many sessions."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Option

from mdtally.doors.cli import common
from mdtally.doors.cli import options as shared
from mdtally.doors.cli.common import Call, ExitCode, fail, fail_at_idle, fail_if_refused, is_stdin, note, or_end, out
from mdtally.doors.cli.model import CACHED, asks, with_model
from mdtally.project import files
from mdtally.text import safe

if TYPE_CHECKING:
    from mdtally.ask.model import Model as Asked
    from mdtally.ask.survey_frame import Chosen
    from mdtally.check.reports import File
    from mdtally.events.survey.drawing import SurveyItem, Word
    from mdtally.events.survey.frame import SurveyFrame
    from mdtally.events.survey.note import SurveyNote

SIZE = 120
"""Replies that are drawn if nobody says how many."""
ASKED = 200
"""Replies that a model is asked about if nobody says how many."""
SPOILED = "a look that stood there is not counted, and ranges would be too narrow; mend it, or take out what is no look"


@shared.with_call("files_or_here", "force_exclude", "ask", "jobs")
def survey(
    call: Call,
    size: Annotated[int, Option(metavar="N", min=1, help="How many replies to draw.")] = SIZE,
    seed: Annotated[str, Option(metavar="TEXT", show_default="of the frame", help="The same gives the same.")] = "",
    more: Annotated[int, Option("--more", metavar="N", min=0, show_default=False, help="Add N items to a survey.")] = 0,
    again: Annotated[bool, Option("--again", help="The same items, unanswered, for somebody else.")] = False,
    split: Annotated[str, Option(metavar="DATE", help="Two sides, before and since a day, to compare.")] = "",
    by: Annotated[str, Option(metavar="KEY", help="A side for each value of a key, or each family of models.")] = "",
    where: shared.Where = None,
    since: Annotated[str, Option(metavar="DATE", help="Only sessions since a day.")] = "",
    until: Annotated[str, Option(metavar="DATE", help="Only sessions up to a day.")] = "",
    model: Annotated[str, Option(metavar="GLOB", help="Only sessions with such a model.")] = "",
    labeler: Annotated[str, Option(metavar="NAME", show_default="the configuration's", help="Who answers.")] = "",
    fresh: Annotated[bool, Option("--fresh", help="Take no answer over from tags in the notes.")] = False,
    output: Annotated[Path | None, Option("--output", "-o", metavar="FILE", help="Write the note there.")] = None,
) -> ExitCode:
    """Draw a few replies at random that speak for many sessions.

    It writes a note with the drawn replies, surveys/DATE.md. `mdtally review NOTE` asks about them by keys, or they
    are filled in by hand; `mdtally verdict NOTE` says how often the agent gave in, and within which range. With --ask
    a model says of a random part of the replies (200, or --max-asked) what they are: the draw goes by it, and no
    figure does.
    """
    from mdtally.ask.survey_frame import Chosen

    if output and is_stdin(output):
        fail("- is no file to write; a survey is a note to fill in")
    if more or again:
        option = "--again" if again else f"--more {more}"
        idle = {"size": size != SIZE, "seed": seed, "split": split, "by": by, "where": where}
        idle |= {"since": since, "until": until, "model": model, "ask": call.ask, "ask-dry-run": call.ask_dry_run}
        idle |= {"fresh": fresh} if again else {"labeler": labeler, "output": output}
        fail_at_idle(idle, f"is for a new draw; `mdtally survey surveys/DATE.md {option}` for one there is")
        return _go_on(call, more, labeler, output, again=again, fresh=fresh)
    pairs = tuple(common.pair("--where", text) for text in (*(where or ()), *[f"model={model}"] * bool(model)))
    since, until, split = common.day("--since", since), common.day("--until", until), common.day("--split", split)
    chosen = Chosen(since=since, until=until, where=pairs, split=split, by=by)
    if split and by:
        fail("--split and --by: a survey compares one kind of sides")
    return _draw(call, chosen, size, seed, labeler, output, fresh=fresh)


def _draw(
    call: Call, chosen: Chosen, size: int, seed: str, labeler: str, output: Path | None, *, fresh: bool
) -> ExitCode:
    """Draw, say what to expect and what was left out, and write the note."""
    from mdtally.ask.survey_frame import A_SURVEY, UNSURE, frame_of, look_at
    from mdtally.events.survey import draw_survey, expectation, seed_of
    from mdtally.events.survey.note import note_of
    from mdtally.text.percent import count
    from mdtally.text.records import as_dict

    looked = [(file.path, one) for file, one in call.each(partial(look_at, chosen))]
    frame = frame_of((one for _, one in looked), chosen)
    _tell_left_out(frame.left_out, [safe.argument(str(path)) for path, one in looked if one.why_not == UNSURE])
    if call.errors and not frame.replies:
        return call.end()
    if not frame.replies and frame.left_out.keys() == {A_SURVEY}:
        fail("a survey is no session: --more N draws more for it, --again makes the same items for somebody else")
    if not frame.replies and frame.left_out and (chosen.since or chosen.until or chosen.where):
        fail("these options leave no session with a reply of an agent")
    if not frame.replies:
        fail("no session with a reply of an agent is meant: `mdtally note --all` writes notes of recorded sessions")
    _end_at_one_side(chosen, {*(frame.sides or {}).values()})
    root = files.find_project_root(call.paths[0], call.settings(call.paths[0]).log)
    folder = Path(files.relative(root / "surveys", Path.cwd()))
    target = output or _free(folder, date.today().isoformat())
    frame = _with_words(call, frame) if asks(call) else frame
    rows = [(one.id, one.session, one.score, frame.words.get(one.id)) for one in frame.replies.values()]
    seed = seed or seed_of(rows, size, len(files.matching(folder, "*")))
    with fail_if_refused():
        note(expectation(rows, size, sides=frame.sides))
        draw = draw_survey(rows, size, seed=seed, sides=frame.sides)
    who = labeler or call.settings(target).labeler or ""
    links, folders = _links(draw.items, frame, target), [_way(target, path) for path in call.paths]
    command = _command(call, chosen, size, seed) + " --fresh" * fresh
    told = {"labeler": who, "command": command, "folders": folders, "chosen": as_dict(chosen)}
    text = note_of(draw, frame, links, target, **told, fresh=fresh)
    or_end(files.write_atomically(target, text.encode(), was=None, allow_outside=call.allow_outside), target)
    many = f"{count(draw.replies, 'reply')} in {count(draw.sessions, 'session')}"
    out(f"{safe.path(str(target))}: {len(draw.items):,} of {many} drawn\n")
    if not fresh and (taken := sum(frame.replies[one.id].answer_of(who) is not None for one in draw.items)):
        note(f"{count(taken, 'answer')} taken over from tags in the notes; --fresh asks about all")
    _tell_models(frame)
    out(f"  to answer: mdtally review {safe.argument(str(target))}\n")
    out(f"  then: mdtally verdict {safe.argument(str(target))}\n")
    return call.end()


def _command(call: Call, chosen: Chosen, size: int, seed: str) -> str:
    """The command that draws the same replies of the same notes."""
    given = {"since": chosen.since, "until": chosen.until, "split": chosen.split, "by": chosen.by}
    pairs = [*given.items(), *(("where", f"{key}={glob}") for key, glob in chosen.where)]
    pairs += [("ask", CACHED if asks(call) else ""), ("max-asked", str(call.max_asked or ""))]
    pairs += [("config", str(call.config or "")), ("size", str(size)), ("seed", seed)]
    options = shlex.join([word for key, value in pairs if value for word in (f"--{key}", value)])
    return f"mdtally survey {' '.join(safe.argument(str(path)) for path in call.paths)} {options}"


def _end_at_one_side(chosen: Chosen, sides: set[str]) -> None:
    """End the call where sides were asked for and all sessions are of one."""
    from difflib import get_close_matches

    from mdtally.log.series.history import KEYS

    if len(sides) != 1 or not (chosen.split or chosen.by):
        return
    (only,) = sides
    if chosen.split:
        missing = "before" if only.startswith("since") else "since"
        fail(f"no session {missing} {chosen.split}, so there is nothing to compare")
    if only == f"(no {chosen.by})":
        near = "".join(f"; did you mean {key}?" for key in get_close_matches(chosen.by, KEYS, n=1))
        fail(f"--by: no session has a key {chosen.by!r}{near}")
    fail(f"all sessions are of one {chosen.by}, {only}, so there is nothing to compare")


def _with_words(call: Call, frame: SurveyFrame) -> SurveyFrame:
    """The frame with what a model says of a random part of its replies.

    It is the same part whatever is drawn, and a larger one holds a smaller one: answers that are kept serve again.
    """
    from hashlib import sha256

    from mdtally.ask.model import read_word, reply_prompt
    from mdtally.text.records import replace

    most = ASKED if call.max_asked is None else call.max_asked
    part = sorted(frame.replies, key=lambda one: sha256(one.encode(errors="replace")).digest())[:most]
    guide = or_end(files.read_template("guide", call.settings(Path.cwd())))

    def make(ids: list[str], model: Asked) -> dict[str, Word]:
        words = {one: model(reply_prompt(frame.replies[one], guide, read_word)) for one in ids}
        return {one: word for one, word in words.items() if word is not None}

    (words,) = with_model(call, [part], make)
    if len(part) < len(frame.replies):
        is_cached = call.settings(Path.cwd()).ask_command == CACHED
        what = "is looked up among the kept answers" if is_cached else "is asked about"
        note(f"model: a random part, {len(part):,} of {len(frame.replies):,} replies, {what} (--max-asked)")
    return replace(frame, words=words)


def _go_on(call: Call, more: int, labeler: str, output: Path | None, *, again: bool, fresh: bool) -> ExitCode:
    """Draw more for a survey, or make one with the same items for somebody else."""
    from mdtally.events.survey.note import without_answers
    from mdtally.text.source import encode

    files_named = [*call.files(call.paths)]
    if len(files_named) != 1:
        call.end()
        option = "--again" if again else "--more"
        fail(f"{option} goes with one survey: mdtally survey SURVEY.md {option}{'' if again else ' N'}")
    if more and again:
        fail("--more and --again: one after the other")
    file = files_named[0]
    found = survey_of(file, is_sound=True)
    if again:
        named = re.sub(r"[^\w-]+", "-", labeler).strip("-") or "again"
        target = output or file.path.with_stem(f"{file.path.stem}-{named}")
        names = {"name": target.stem, "labeler": labeler}
        text = without_answers(found, file.document, lambda way: _way(target, file.path.parent / way), **names)
        data, was, done = text.encode(), None, f"the same {len(found.draw.items)} items, unanswered"
    else:
        data, many = _with_more(call, file, found, more, fresh=fresh)
        target, was = file.path, encode(file.document.source)
        done = f"{many} replies drawn, {many - len(found.draw.items)} of them now"
    or_end(files.write_atomically(target, data, was=was, allow_outside=call.allow_outside), target)
    out(f"{safe.path(str(target))}: {done}\n  to answer: mdtally review {safe.argument(str(target))}\n")
    return ExitCode.CLEAN


def _with_more(call: Call, file: File, found: SurveyNote, more: int, *, fresh: bool) -> tuple[bytes, int]:
    """The bytes of a survey with further items, and how many it has then; the frame is what is left of its own."""
    from mdtally.ask.survey_frame import Chosen, frame_of, look_at
    from mdtally.events.survey import draw_more
    from mdtally.events.survey.note import rows_left, with_more

    places = [files.find_project_root(file.path, file.settings.log), Path.cwd()]
    call.paths = [Path(files.relative(file.path.parent / folder, places[1])) for folder in found.frame.folders]
    for path in call.paths:
        if not (call.allow_outside or any(files.is_within(path, place) for place in places)):
            fail(f"{file.path}: it was drawn of {path}, outside of its project; --allow-outside reads there")
    chosen = Chosen(**found.frame.chosen)
    frame = frame_of((one for _, one in call.each(partial(look_at, chosen))), chosen)
    rows, gone, news = rows_left(found, frame)
    if 10 * gone > found.draw.replies:
        call.end()
        why = "not found: move back what was moved" if call.errors else "edited or are gone: draw a new survey"
        fail(f"{gone:,} of {found.draw.replies:,} replies of the frame were {why}")
    if gone or news:
        note(f"left out: {gone:,} replies that were edited or are gone, {news} that came later")
    with fail_if_refused():
        draw = draw_more(found.draw, rows, more, sides=frame.sides)
    links = _links(draw.items[len(found.draw.items) :], frame, file.path)
    return with_more(found, file.document, draw, frame, links, fresh=fresh), len(draw.items)


def survey_of(file: File, *, is_sound: bool = False) -> SurveyNote:
    """The survey that a file is; another file ends the call, and one with an error if it has to be sound."""
    from mdtally.events.survey.note import read_sound_survey, read_survey
    from mdtally.text.model import Problem

    if not file.document.is_survey:
        fail(f"{file.path}: no survey; `mdtally survey` draws one")
    found = read_sound_survey(file.document) if is_sound else read_survey(file.document)
    if isinstance(found, Problem):
        fail(f"{file.path}:{found.region.line}: {found.message}")
    return found


def tell_spoiled(log: Path) -> None:
    """Say which lines of a log of surveys can't be read."""
    from mdtally.check.survey_verdict import spoiled_lines

    if lines := spoiled_lines(log):
        shown = f"line{'s' * (len(lines) > 1)} {', '.join(map(str, lines[:10]))}{', …' * (len(lines) > 10)}"
        note(f"{files.display_path(log)}: {shown} can't be read: {SPOILED}")


def _free(folder: Path, name: str) -> Path:
    """A path of a note that is not there yet."""

    paths = (folder / f"{name}{f'-{number}' if number > 1 else ''}.md" for number in range(1, 1000))
    return next(path for path in paths if files.status(path) is None)


def _links(items: Iterable[SurveyItem], frame: SurveyFrame, target: Path) -> dict[str, str]:
    """By session of some items the path that leads from the survey to its note."""
    paths = {one.session: frame.replies[one.id].path for one in items}
    return {session: _way(target, path) for session, path in paths.items()}


def _way(target: Path, path: Path) -> str:
    """The path that leads from a note to a file or folder, wherever the project lies."""
    return os.path.relpath(files.absolute(path), files.absolute(target).parent).replace(os.sep, "/")


def _tell_left_out(left_out: Mapping[str, int], unsure: Sequence[str]) -> None:
    """Say how many files are not in the frame, and of which of them a review can ask who speaks."""
    from mdtally.text.percent import count

    if left_out:
        words = ", ".join(f"{number} {why}" for why, number in sorted(left_out.items(), key=lambda one: -one[1]))
        note(f"left out: {count(sum(left_out.values()), 'file')} ({words})")
    for path in unsure[:5]:
        note(f"  to say who speaks: mdtally review {path}")


def _tell_models(frame: SurveyFrame) -> None:
    named = {side: ", ".join(sorted(models)) for side, models in frame.models.items() if models}
    if frame.sides is not None and len(set(named.values())) > 1:
        note("the sides have other models: " + "; ".join(f"{side}: {models}" for side, models in named.items()))
