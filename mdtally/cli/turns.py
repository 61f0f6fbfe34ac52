"""``mdtally turns``: what mdtally sees in a file, and how a pattern reads it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

from typer import Option

from mdtally.cli import options as shared
from mdtally.cli.common import Call, ExitCode, fail, note
from mdtally.model import Document, Letter, Transcript
from mdtally.records import replace
from mdtally.reports import TurnsReport

Turn = Annotated[list[str] | None, Option(help='Try a pattern for turns, such as "### {speaker} ({role})".')]
Round = Annotated[list[str] | None, Option("--round", help='The same for rounds: "## Round {round}: {any}".')]
End = Annotated[list[str] | None, Option(help='The same for what ends a turn and opens none: "## {any}".')]
Save = Annotated[str | None, Option(metavar="GLOB", help='Keep the patterns in mdtally.toml for "debates/**".')]

app = shared.new_app()


@app.command()
def turns(
    paths: shared.MarkdownFiles,
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

    That is what the other commands will see. A pattern says how a form is written that mdtally does not know: {speaker}
    stands for the name, {role}, {model}, {to}, {round}, {stage}, {time} and {number} for what else a label says, {any}
    for anything, {text} for a turn that begins on its label's line; {? ... ?} may be absent, and /.../ is a regular
    expression with those group names.
    """
    from mdtally import render
    from mdtally import transcript as transcripts
    from mdtally.transcript.declared import with_patterns
    from mdtally.transcript.patterns import PatternError, compile_pattern

    tried = {key: given for key, given in (("turn", turn), ("round", round_), ("end", end)) if given}
    try:
        for key, patterns in tried.items():
            for pattern in patterns:
                compile_pattern(pattern, turn=key == "turn")
    except PatternError as error:
        fail(str(error))
    if save and not turn:
        fail('--save keeps patterns: say with --turn what a label looks like, such as --turn "### {speaker}"')
    call = Call(
        paths, stdin_filename=stdin_filename, config=config, isolated=isolated, allow_outside=allow_outside, color=color
    )
    reports: list[TurnsReport] = []
    code = ExitCode.CLEAN
    for file in call.files():
        document = file.document
        if tried:
            document = replace(document, head=with_patterns(document.head, tried))
        transcript = transcripts.read(document)
        if document.head.problem and transcript.turns:  # what it declares is not heeded
            transcript = replace(transcript, problems=(document.head.problem, *transcript.problems))
        reports.append(TurnsReport(str(file.path), transcript, _tags(document, transcript), document.lines))
        failed = any(problem.severity == "error" for problem in transcript.problems)
        if failed or (transcript.declared and not transcript.turns):
            code = ExitCode.FINDINGS
    if save and not (code or call.errors):
        _save(save, tried, call, [Path(report.filename) for report in reports])
    elif save:
        note("the patterns are not kept: not every file was read by them")
    return call.show(render.TURNS_FORMATS[output_format], reports, code)


def _save(glob: str, tried: Mapping[str, Sequence[str]], call: Call, paths: Sequence[Path]) -> None:
    """Add the patterns to the nearest configuration, or to a new ``mdtally.toml`` in this folder.

    Says which of the files that were tried the glob does not mean, or an earlier form takes.
    """
    from mdtally.cli.config import change
    from mdtally.settings.write import add_transcript

    values: dict[str, object] = {"files": glob}
    values |= {key: given[0] if len(given) == 1 else list(given) for key, given in tried.items()}
    target, _ = change(lambda text, path: add_transcript(text, values, path=path), call.config)
    note(f"kept in {target} for {glob}")
    after = Call(config=call.config, allow_outside=call.allow_outside)
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
