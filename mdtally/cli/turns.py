"""``mdtally turns``: what mdtally sees in a file, and how a pattern reads it."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from mdtally.cli import common
from mdtally.cli.exits import ExitCode
from mdtally.cli.options import Command, Exit, Option
from mdtally.model import Document, Letter, Transcript
from mdtally.records import replace
from mdtally.reports import TurnsReport

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def turns(
    paths: common.MarkdownFilesArgument,
    turn: Annotated[
        list[str] | None,
        Option("--turn", help='Try a pattern for the lines that open turns, such as "### {speaker} ({role})".'),
    ] = None,
    round_: Annotated[
        list[str] | None,
        Option("--round", help='The same for lines that open rounds, such as "## Round {round}: {any}".'),
    ] = None,
    end: Annotated[
        list[str] | None, Option("--end", help='The same for lines that end a turn and open none, such as "## {any}".')
    ] = None,
    save: Annotated[
        str | None,
        Option("--save", metavar="GLOB", help='Keep the patterns in mdtally.toml for such files: "debates/**".'),
    ] = None,
    output_format: common.TextOption = "text",
    stdin_filename: common.StdinFilenameOption = None,
    config: common.ConfigOption = None,
    isolated: common.IsolatedOption = False,
    allow_outside: common.AllowOutsideOption = False,
    color: common.ColourOption = None,
) -> None:
    """Show every turn, its line, round, speaker, kind and tags: what the other commands will see.

    A pattern says how a form is written that mdtally does not know: {speaker} stands for the name, {role}, {model},
    {to}, {round}, {stage}, {time} and {number} for what else a label says, {any} for anything, {text} for a turn that
    begins on its label's line; {? ... ?} may be absent, and /.../ is a regular expression with those group names.
    """
    from mdtally import render
    from mdtally import transcript as transcripts
    from mdtally.transcript.declared import with_patterns
    from mdtally.transcript.patterns import PatternError, compile_pattern

    common.one_of("--output-format", output_format, tuple(render.TURNS_FORMATS))
    tried = {key: given for key, given in (("turn", turn), ("round", round_), ("end", end)) if given}
    try:
        for key, patterns in tried.items():
            for pattern in patterns:
                compile_pattern(pattern, turn=key == "turn")
    except PatternError as error:
        common.fail(str(error))
    if save and not turn:
        common.fail('--save keeps patterns: say with --turn what a label looks like, such as --turn "### {speaker}"')
    configurations = common.Configurations(config, isolated, allow_outside)
    reports: list[TurnsReport] = []
    inside, errors = common.named(paths, configurations)
    code = ExitCode.CLEAN
    for _, path, document, _ in common.documents(inside, configurations, errors, stdin_filename):
        if tried:
            document = replace(document, head=with_patterns(document.head, tried))
        transcript = transcripts.read(document)
        if document.head.problem and transcript.turns:  # what it declares is not heeded
            transcript = replace(transcript, problems=(document.head.problem, *transcript.problems))
        reports.append(TurnsReport(str(path), transcript, _tags(document, transcript), document.lines))
        failed = any(problem.severity == "error" for problem in transcript.problems)
        if failed or (transcript.declared and not transcript.turns):
            code = ExitCode.FINDINGS
    options = common.render_options(color)
    common.out(render.TURNS_FORMATS[output_format](reports, options, errors))
    common.say_errors(errors, options)
    code = ExitCode.ERROR if errors else code
    if save and code == ExitCode.CLEAN:
        _save(save, tried, config, [Path(report.filename) for report in reports], allow_outside)
    elif save:
        common.note("the patterns are not kept: not every file was read by them")
    raise Exit(code)


def _save(
    glob: str, tried: Mapping[str, Sequence[str]], config: Path | None, paths: Sequence[Path], allow_outside: bool
) -> None:
    """Add the patterns to the nearest configuration, or to a new ``mdtally.toml`` in this folder.

    Says which of the files that were tried the glob does not mean, or an earlier form takes.
    """
    from mdtally.cli.config import change
    from mdtally.settings.write import add_transcript

    values: dict[str, object] = {"files": glob}
    values |= {key: given[0] if len(given) == 1 else list(given) for key, given in tried.items()}
    target, _ = change(lambda text, path: add_transcript(text, values, path=path), config)
    common.note(f"kept in {target} for {glob}")
    configurations = common.Configurations(config, allow_outside=allow_outside)
    for path in paths:
        settings = configurations.find(path)
        form = None if isinstance(settings, tuple) else settings.transcript_for(path.absolute())
        if form is None or glob not in form.files:
            common.note(f"warning: {path} is not read by it: the glob counts from the folder of {target}")


def _tags(document: Document, transcript: Transcript) -> dict[int, tuple[Letter, ...]]:
    """By turn, the letters of the events marked between its label and its end."""
    from mdtally import counts
    from mdtally.session import is_relevant

    if not is_relevant(document):
        return {}
    found, _ = counts.read(document)
    tags: dict[int, list[Letter]] = defaultdict(list)
    for event in found.events:
        if turn := transcript.turn_at(event.region.line):
            tags[turn.index].append(event.letter)
    return {index: tuple(letters) for index, letters in tags.items()}


COMMAND = Command(turns, "Show every turn that mdtally sees.")
