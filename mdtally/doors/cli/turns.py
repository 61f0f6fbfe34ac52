"""``mdtally turns``: what mdtally sees in a file, and how a pattern reads it."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from glob import escape
from pathlib import Path
from posixpath import join, normpath
from typing import TYPE_CHECKING, Annotated

from typer import Option

from mdtally.check.reports import File, FileToRead, TurnsReport
from mdtally.doors.cli import options as shared
from mdtally.doors.cli.common import Call, ExitCode, fail, fail_if_refused, note, or_end
from mdtally.doors.cli.model import asks
from mdtally.text.records import by_key
from mdtally.text.regex import regex

if TYPE_CHECKING:
    from mdtally.ask.model import Model
    from mdtally.check.settling import Offer
    from mdtally.text.model import Refusal


Read = Callable[[File], "TurnsReport | Refusal"]
# What is tried, by key: patterns, or patterns by the voice that they fix.
Tried = Mapping[str, Sequence[str] | Mapping[str, Sequence[str]]]
# "Me=> {text}", but not "<p class=me>{text}" or "### {speaker} = {any}"
_VOICE = regex(r"\s*(?P<voice>[^\W_][\w .'’-]*?)\s*=")


@shared.with_call("files", "stdin_filename", "color", "ask", "jobs")
def turns(
    call: Call,
    accept: Annotated[int | None, Option(metavar="N", help="Keep an offered reading; 1 is the first.")] = None,
    like: Annotated[list[int] | None, Option(metavar="LINE", help="A label line; once for each voice.")] = None,
    human: Annotated[list[str] | None, Option(metavar="NAME", help="A voice that is a person.")] = None,
    turn: Annotated[list[str] | None, Option(metavar="PATTERN", help='Try this for turns: "### {speaker}".')] = None,
    round_: Annotated[list[str] | None, Option("--round", metavar="PATTERN", help='For rounds: "## {round}".')] = None,
    end: Annotated[list[str] | None, Option(metavar="PATTERN", help='For what ends a turn: "## {any}".')] = None,
    save: Annotated[str | None, Option(metavar="GLOB", help='Keep it in mdtally.toml for "debates/**".')] = None,
    output_format: shared.TextOrJson = "text",
) -> ExitCode:
    """Show every turn: its line, round, speaker, kind and tags.

    That is what the other commands will see. Of a file that is unsure, up to three readings are offered; keep one with
    --accept, or point at label lines with --like. A pattern says how a form is written that mdtally does not know:
    {speaker} stands for the name, {role}, {model}, {to}, {round}, {stage}, {time} and {number} for what else a label
    says, {any} for anything, {text} for a turn that begins on its label's line; {? ... ?} may be absent, and /.../ is a
    regular expression with those group names. Where a label holds no name, say whose it is: --turn 'Me=> {text}'
    takes the whole block that is so marked, and --turn 'Agent={text}' all that stands between.
    With --ask a model proposes one more reading of what is unsure; --accept N keeps it like any other.
    """
    from mdtally.check import readings
    from mdtally.check.settling import written_patterns
    from mdtally.show import turns_output

    tried = _patterns_to_try(turn or (), round_ or (), end or (), is_saved=save is not None)
    settling = accept is not None or bool(like) or bool(human) or (save is not None and not tried)
    is_asked, read = not (tried or like) and asks(call), partial(_turns_report, tried, like or (), settling)
    files: list[File] = []
    if settling or is_asked:
        files = [*call.files()]
        made = _with_proposals(call, files, read) if is_asked else map(read, files)
        found: list[tuple[File | FileToRead, TurnsReport | Refusal]] = [*zip(files, made, strict=True)]
    else:
        found = [*call.each(read)]
    if settling and call.errors and not found:
        return call.end()
    if settling and len(found) != 1:
        fail("--accept, --like, --human and --save without --turn are about one file; name one")
    reports = [or_end(report, file.path) for file, report in found]
    if human:
        reports = [or_end(readings.with_humans(report, human)) for report in reports]
    has_failed = any(map(readings.has_failed, reports))
    if settling and (accept is not None or save is not None) and not (tried and has_failed):
        _settle(files[0], or_end(readings.choice(reports[0], accept), files[0].path), save, call)
        return call.end()
    if save and not (has_failed or call.errors):
        _save(save, written_patterns(tried), call, [Path(report.filename) for report in reports])
    elif save or accept is not None:
        note("the patterns are not kept: not every file was read by them")
    shown = reports if output_format == "json" else _without_prose([file for file, _ in found], reports)
    return call.show(turns_output.FORMATS[output_format], shown, has_findings=has_failed)


def _patterns_to_try(turn: Sequence[str], rounds: Sequence[str], ends: Sequence[str], *, is_saved: bool) -> Tried:
    """The patterns that are given; what is to be saved has none for rounds and ends if none are given."""
    from mdtally.transcript.patterns import compile_all

    by_voice = _split_voices(turn)
    with fail_if_refused():
        compile_all(by_voice or ["{speaker}"], rounds, ends)
    if is_saved and (rounds or ends) and not turn:
        fail('--save keeps patterns: say with --turn what a label looks like, such as --turn "### {speaker}"')
    given = (("turn", by_voice), ("round", rounds), ("end", ends))
    return {key: patterns for key, patterns in given if patterns or (is_saved and turn)}


def _turns_report(tried: Tried, like: Sequence[int], settling: bool, file: File) -> TurnsReport | Refusal:
    """What a file is read as."""
    from mdtally.check import readings
    from mdtally.text.model import Refusal, Transcript

    if file.document.is_survey:
        refused = Refusal("a survey quotes transcripts and is none; `mdtally review` asks about its items")
        return refused if settling else TurnsReport(str(file.path), Transcript())
    return readings.turns_report(readings.by_patterns(file, tried) if tried else file, like)


def _with_proposals(call: Call, files: list[File], read: Read) -> list[TurnsReport | Refusal]:
    """What each file is read as, with the readings that a model proposes for those that are unsure."""
    from mdtally.check import readings
    from mdtally.doors.cli.model import proposal, with_model
    from mdtally.text.model import Refusal

    def make(file: File, model: Model) -> TurnsReport | Refusal:
        report = read(file)
        if isinstance(report, Refusal) or file.document.is_survey or not readings.is_unsettled(file, report.transcript):
            return report
        offer = proposal(call, file.path, file.document, model)
        return readings.with_proposal(report, offer) if offer else report

    return with_model(call, files, make)


def _without_prose(files: Sequence[File | FileToRead], reports: Sequence[TurnsReport]) -> list[TurnsReport]:
    """The reports without those of a folder's files that hold no conversation, which are counted."""
    shown = [
        report
        for file, report in zip(files, reports, strict=True)
        if file.is_named or report.transcript.reading != "none" or report.transcript.problems or report.offers
    ]
    if left_out := len(reports) - len(shown):
        note(f"{left_out} {'file is no transcript' if left_out == 1 else 'files are no transcripts'}: left out")
    return shown


def _settle(file: File, offer: Offer, glob: str | None, call: Call) -> None:
    """Keep an offer in the frontmatter, or in the configuration for a glob."""
    from mdtally.check import readings
    from mdtally.check.settling import values_of
    from mdtally.project import files
    from mdtally.text.document import parse
    from mdtally.text.source import encode

    if glob is not None:
        _save(glob, readings.values_to_save(file.document, offer), call, [file.path])
        return
    if file.is_piped:
        fail("standard input can't be written; name the file")
    data = or_end(readings.with_values(file.document, values_of(offer)), file.path)
    was = encode(file.document.source)
    or_end(files.write_atomically(file.path, data, was=was, allow_outside=call.allow_outside), file.path)
    voices = ", ".join(f"{name} {number}" for name, number in offer.voices.items())
    note(f"{file.path}: its frontmatter says now how it is read: {voices}")
    for one in readings.left_over(parse(data)):
        note(one)


def _save(glob: str, kept: Mapping[str, object], call: Call, paths: Sequence[Path]) -> None:
    """Add a form to the configuration nearest to the files that were tried, or to a new one at the project's root.

    Says which of the files that were tried the glob does not mean, or an earlier form takes, and how many of those that
    it means are not read by the form; if that are most of them, it is taken out again.
    """
    from mdtally.check import readings
    from mdtally.project import files
    from mdtally.project.files.config import change_config
    from mdtally.project.settings.write import add_transcript

    before, is_new = "", False

    def change(text: str, path: str) -> str | Refusal:
        nonlocal before, is_new
        before, is_new = text, files.status(Path(path)) is None
        return add_transcript(text, {"files": _glob_from(Path(path).parent, glob), **kept}, path=path)

    target = or_end(change_config(change, call.config, paths[0].parent if paths else None))
    glob = _glob_from(target.parent, glob)
    fixed = itertools.takewhile(lambda part: not set(part) & set("*?["), Path(glob.lstrip("/")).parts[:-1])
    after = Call([target.parent.joinpath(*fixed)], config=call.config, allow_outside=call.allow_outside)
    meant = [file for file in after.files() if file.document.form and glob in file.document.form.files]
    unread = [file.path for file in meant if readings.has_failed(or_end(readings.turns_report(file), file.path))]
    if 2 * len(unread) > len(meant):
        if is_new:
            target.unlink()
        else:
            or_end(change_config(lambda *_: before, target))
        fail(f"not kept: an error in {len(unread)} of the {len(meant)} files of {glob}, such as {unread[0]}: narrow it")
    note(f"kept in {target} for {glob}")
    if unread:
        note(f"warning: an error now in {len(unread)} of its {len(meant)} files, such as {unread[0]}: narrow the glob")
    for path in paths:
        form = after.find_settings(path)[0].transcript_for(path.absolute())
        if form is None or glob not in form.files:
            note(f"warning: {path} is not read by it: the glob counts from the folder of {target}")


def _glob_from(folder: Path, glob: str) -> str:
    """A glob that counts from here, as it means the same files from another folder, above or below.

    One that begins with a slash counts from that folder, or is a whole path; without a slash it is a name at any depth.
    """
    here, folder = Path().absolute(), folder.absolute()
    if "/" not in glob and folder.is_relative_to(here):
        return glob
    whole = normpath(join(escape(here.as_posix()), "" if "/" in glob else "**", glob))
    from_folder = whole.removeprefix(join(escape(folder.as_posix()), ""))
    return glob if from_folder == whole else f"{'' if '/' in from_folder else '/'}{from_folder}"


def _split_voices(given: Sequence[str]) -> Sequence[str] | dict[str, list[str]]:
    """Patterns as they are given one after the other; by voice if one names a voice before an equals sign."""
    from mdtally.transcript.patterns import ANYBODY

    found = ((_VOICE.match(source), source) for source in given)
    by_voice = by_key((own["voice"], source[own.end() :]) if own else (ANYBODY, source) for own, source in found)
    return given if by_voice.keys() <= {ANYBODY} else by_voice
