"""``mdtally compare``: two people's labels of one log."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

from mdtally.cli import common
from mdtally.cli.exits import ExitCode
from mdtally.cli.options import Argument, Command, Exit


def compare(
    a: Annotated[Path, Argument(help="The log as the one labeled it.")],
    b: Annotated[Path, Argument(help="The same log as the other did.")],
    output_format: common.TableOption = "table",
    color: common.ColourOption = None,
) -> None:
    """Agreement of two labelers of one log: raw, kappa, AC1, positive, negative; and the disputed events by line."""
    from mdtally import agreement, counts, render, transcript
    from mdtally.reports import FileError

    common.one_of("--output-format", output_format, tuple(render.COMPARISON_FORMATS))
    documents, found = [], []
    errors: list[FileError] = []
    for path, _, document, _ in common.documents((a, b), common.Configurations(), errors):
        # Tallies may be wrong here: it is the events that are compared.
        counted, problems = counts.read(document, trust="tags", labels=partial(transcript.label_lines, document))
        for problem in problems:
            if problem.severity == "error":
                common.note(f"{path}:{problem.region.line}:{problem.region.column}: {problem.message}")
        if not counted.events:
            common.fail(f"{path}: no tags or facts to compare; tallies alone say nothing of single events")
        documents.append(document)
        found.append(counted)
    for error in errors:
        common.fail(f"{error.filename}: {error.message}")
    compared = agreement.compare(
        documents[0].lines,
        found[0],
        documents[1].lines,
        found[1],
        body_a=documents[0].body_line,
        body_b=documents[1].body_line,
    )
    common.out(
        "".join(render.COMPARISON_FORMATS[output_format](compared, (str(a), str(b)), common.render_options(color)))
    )
    raise Exit(ExitCode.CLEAN)


COMMAND = Command(compare, "Compare two people's labels of one log.")
