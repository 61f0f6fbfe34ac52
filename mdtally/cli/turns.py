"""``mdtally turns``: what mdtally sees in a file, and how a pattern reads it."""

from __future__ import annotations

import itertools
import shlex
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Option

from mdtally.cli import options as shared
from mdtally.cli.common import Call, ExitCode, fail, granted, note
from mdtally.model import Document, Letter, Problem, Refusal, Transcript
from mdtally.records import replace
from mdtally.reports import File, TurnsReport

if TYPE_CHECKING:
    from mdtally.transcript import Offer

Turn = Annotated[list[str] | None, Option(metavar="PATTERN", help='Try this for turns: "### {speaker} ({role})".')]
Round = Annotated[list[str] | None, Option("--round", metavar="PATTERN", help='For rounds: "## Round {round}: {any}".')]
End = Annotated[list[str] | None, Option(metavar="PATTERN", help='For what ends a turn and opens none: "## {any}".')]
Save = Annotated[str | None, Option(metavar="GLOB", help='Keep the reading in mdtally.toml for "debates/**".')]
Accept = Annotated[int | None, Option(metavar="N", help="Keep an offered reading in the frontmatter; 1 is the first.")]
Like = Annotated[
    list[int] | None, Option(metavar="LINE", help="A label line; once for each voice. It becomes the offer.")
]
Human = Annotated[str | None, Option(metavar="NAME", help="Which voice is the person.")]

app = shared.new_app()


@app.command()
def turns(
    paths: shared.MarkdownFiles,
    accept: Accept = None,
    like: Like = None,
    human: Human = None,
    turn: Turn = None,
    round_: Round = None,
    end: End = None,
    save: Save = None,
    output_format: shared.TextOrJson = "text",
    stdin_filename: shared.StdinFilename = None,
    config: shared.Config = None,
    isolated: shared.Isolated = False,
    allow_outside: shared.AllowOutside = False,
    color: shared.Color = None,
) -> ExitCode:
    """Show every turn: its line, round, speaker, kind and tags.

    That is what the other commands will see. Of a file that is unsure, up to three readings are offered; keep one with
    --accept, or point at label lines with --like. A pattern says how a form is written that mdtally does not know:
    {speaker} stands for the name, {role}, {model}, {to}, {round}, {stage}, {time} and {number} for what else a label
    says, {any} for anything, {text} for a turn that begins on its label's line; {? ... ?} may be absent, and /.../ is a
    regular expression with those group names.
    """
    from mdtally.render import turns_output

    tried = {key: given for key, given in (("turn", turn), ("round", round_), ("end", end)) if given}
    _refuse_wrong(tried)
    if save and tried and not turn:
        fail('--save keeps patterns: say with --turn what a label looks like, such as --turn "### {speaker}"')
    settling = accept is not None or bool(like) or human is not None or (save is not None and not tried)
    call = Call(
        paths, stdin_filename=stdin_filename, config=config, isolated=isolated, allow_outside=allow_outside, color=color
    )
    files = list(call.files())
    if settling and call.errors and not files:
        return call.end()
    if settling and len(files) != 1:
        fail("--accept, --like, --human and --save without --turn are about one file; name one")
    if tried:
        files = [_trying(file, tried) for file in files]
    reports = [_report(file, like or ()) for file in files]
    if human is not None:
        reports = [_with_human(report, human) for report in reports]
    code = ExitCode.FINDINGS if any(map(_has_failed, reports)) else ExitCode.CLEAN
    if settling and (accept is not None or save is not None):
        _settle(files[0], _chosen(reports[0], accept), save, call)
        return call.end()
    if save and not (code or call.errors):
        kept = {key: given[0] if len(given) == 1 else list(given) for key, given in tried.items()}
        _save(save, kept, call, [Path(report.filename) for report in reports])
    elif save:
        note("the patterns are not kept: not every file was read by them")
    shown = reports if output_format == "json" else _without_prose(files, reports)
    return call.show(turns_output.FORMATS[output_format], shown, code)


def _refuse_wrong(tried: Mapping[str, Sequence[str]]) -> None:
    """End the call if a pattern that is tried cannot be used."""
    from mdtally.transcript.patterns import PatternError, compile_pattern

    try:
        for key, patterns in tried.items():
            for pattern in patterns:
                compile_pattern(pattern, turn=key == "turn")
    except PatternError as error:
        fail(str(error))


def _trying(file: File, patterns: Mapping[str, Sequence[str]]) -> File:
    """A file as if its frontmatter had these patterns."""
    from mdtally.transcript.declared import with_patterns

    return replace(file, document=replace(file.document, head=with_patterns(file.document.head, patterns)))


def _without_prose(files: Sequence[File], reports: Sequence[TurnsReport]) -> list[TurnsReport]:
    """The reports without those of a folder's files that hold no conversation, which are counted."""
    shown = [
        report
        for file, report in zip(files, reports, strict=True)
        if file.is_named or report.transcript.reading != "none" or report.transcript.problems or report.offers
    ]
    if left_out := len(reports) - len(shown):
        note(f"{left_out} {'file is no transcript' if left_out == 1 else 'files are no transcripts'}: left out")
    return shown


def _has_failed(report: TurnsReport) -> bool:
    """True if a file is read with an error, or is declared a transcript and shows no turns."""
    found = report.transcript
    return any(problem.severity == "error" for problem in found.problems) or (found.declared and not found.turns)


def _report(file: File, pointed: Sequence[int]) -> TurnsReport:
    """What a file is read as, with what may settle it if it is unsure."""
    from mdtally import transcript as transcripts

    document, filename = file.document, str(file.path)
    transcript = transcripts.read(document)
    offers: tuple[Offer, ...] = transcripts.offers(document)
    if pointed:
        offers = (granted(transcripts.like(document, pointed), filename),)
    is_open = transcript.reading in ("unsure", "none") and not offers
    is_open = is_open and (file.is_named or transcript.declared or transcript.reading == "unsure")
    likely = transcripts.likely_labels(document) if is_open else ()
    if document.head.problem and transcript.turns:  # what it declares is not heeded
        transcript = replace(transcript, problems=(document.head.problem, *transcript.problems))
    return TurnsReport(
        filename,
        transcript,
        _tags(document, transcript),
        document.lines,
        form=transcripts.reading_again(document) if transcript.turns else None,
        offers=offers,
        asked=tuple(f"--like {line}" for line in pointed),
        likely=likely,
        unknown=transcripts.unknown_voices(offers[0].turns) if offers else (),
        advice=transcripts.HOW_TO_LABEL if is_open and not likely else "",
    )


def _with_human(report: TurnsReport, human: str) -> TurnsReport:
    """The report with every offer in which somebody is called so, who is the person then."""
    from mdtally.transcript import naming

    every = report.offers or ((report.form,) if report.form else ())
    named = [naming(offer, human) for offer in every]
    offers = tuple(offer for offer in named if not isinstance(offer, Refusal))
    if not offers:
        fail(next((offer.reason for offer in named if isinstance(offer, Refusal)), f"nobody is called {human}"))
    return replace(report, offers=offers, unknown=(), asked=(*report.asked, f"--human {shlex.quote(human)}"))


def _chosen(report: TurnsReport, number: int | None) -> Offer:
    """The offer that is to be kept: of a sure reading what was read. The only one needs no number."""
    every = report.offers or ((report.form,) if report.form else ())
    if not every:
        fail(f"{report.filename}: nothing is offered; point at one label line of each voice with --like")
    if number is None and len(every) > 1:
        fail(f"{report.filename}: {len(every)} readings are offered; say which to save with --accept N")
    number = number or 1
    if not 0 < number <= len(every):
        fail(f"{report.filename}: there is no offer {number}, only 1{f' to {len(every)}' * (len(every) > 1)}")
    return every[number - 1]


def _settle(file: File, offer: Offer, glob: str | None, call: Call) -> None:
    """Keep an offer in the frontmatter, or in the configuration for a glob."""
    if glob is None:
        _accept(file, offer, call)
    else:
        _save(glob, _to_save(file.document, offer), call, [file.path])


def _accept(file: File, offer: Offer, call: Call) -> None:
    """Keep an offer in the frontmatter of its file."""
    from mdtally import files, frontmatter, transcript
    from mdtally.source import encode

    if file.is_piped:
        fail("standard input can't be written; name the file")
    document = file.document
    changed = frontmatter.edit(document.source, document.head, transcript.values_of(document, offer))
    if isinstance(changed, Problem):
        fail(f"{file.path}: {changed.message}")
    was = encode(document.source)
    refusal = files.write_atomically(file.path, encode(changed), was=was, allow_outside=call.allow_outside)
    if refusal:
        fail(f"{file.path}: {refusal.reason}")
    voices = ", ".join(f"{name} {number}" for name, number in offer.voices.items())
    note(f"{file.path}: its frontmatter says now how it is read: {voices}")


def _to_save(document: Document, offer: Offer) -> dict[str, object]:
    """What a configuration has to say for files like this one: patterns, and the voices only if these need them."""
    from mdtally.transcript import values_of
    from mdtally.transcript.reading import read_by

    patterns = values_of(document, offer)["transcript"]
    assert isinstance(patterns, dict)
    alone = read_by(document, {"transcript": patterns}).turns
    facts = [[(turn.line, turn.end_line, turn.speaker, turn.kind) for turn in found] for found in (alone, offer.turns)]
    return patterns if facts[0] == facts[1] else {**patterns, "participants": dict(offer.participants)}


def _save(glob: str, kept: Mapping[str, object], call: Call, paths: Sequence[Path]) -> None:
    """Add a form to the nearest configuration, or to a new ``mdtally.toml`` in this folder.

    Says which of the files that were tried the glob does not mean, or an earlier form takes, and how many of those that
    it means are not read by the form.
    """
    from mdtally.cli.config import change
    from mdtally.settings.write import add_transcript

    values: dict[str, object] = {"files": glob, **kept}
    target, _ = change(lambda text, path: add_transcript(text, values, path=path), call.config)
    note(f"kept in {target} for {glob}")
    fixed = itertools.takewhile(lambda part: not set(part) & set("*?["), Path(glob.lstrip("/")).parts[:-1])
    after = Call([target.parent.joinpath(*fixed)], config=call.config, allow_outside=call.allow_outside)
    meant = [file for file in after.files() if file.document.form and glob in file.document.form.files]
    unread = [file.path for file in meant if _has_failed(_report(file, ()))]
    if unread:
        note(f"warning: {len(unread)} of the {len(meant)} files it is for are not read by it, such as {unread[0]}")
    for path in paths:
        form = after.find_settings(path)[0].transcript_for(path.absolute())
        if form is None or glob not in form.files:
            note(f"warning: {path} is not read by it: the glob counts from the folder of {target}")


def _tags(document: Document, transcript: Transcript) -> dict[int, tuple[Letter, ...]]:
    """By turn, the letters of the events marked between its label and its end."""
    from mdtally import counts
    from mdtally.session import is_relevant

    tags: dict[int, tuple[Letter, ...]] = defaultdict(tuple)
    for event in counts.read(document)[0].events if is_relevant(document) else ():
        if turn := transcript.turn_at(event.region.line):
            tags[turn.index] += (event.letter,)
    return dict(tags)
