"""``mdtally compare``: two people's labels of one log."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from mdtally.cli.common import Call, note, out
from mdtally.cli.options import Argument, Command, fail, output_format, shared


def compare(call: Call, a: Path, b: Path) -> None:
    """Agreement of two labelers of one log: raw, kappa, AC1, positive, negative; and the disputed events by line."""
    from mdtally import agreement, counts, render, transcript

    found = []
    for path, document, *_ in call.files((a, b)):
        # Tallies may be wrong here: it is the events that are compared.
        counted, problems = counts.read(document, trust="tags", labels=partial(transcript.label_lines, document))
        for problem in problems:
            if problem.severity == "error":
                note(f"{path}:{problem.region.line}:{problem.region.column}: {problem.message}")
        if not counted.events:
            fail(f"{path}: no tags or facts to compare; tallies alone say nothing of single events")
        found.append(agreement.rows(document.lines, counted, document.body_line))
    if call.errors:
        call.end()
    compared = agreement.compare(*found)
    out("".join(render.COMPARISON_FORMATS[call.output_format](compared, (str(a), str(b)), call.options())))


COMMAND = Command(
    compare,
    "Compare two people's labels of one log.",
    Argument("a", "The log as the one labeled it."),
    Argument("b", "The same log as the other did."),
    output_format("table", "json"),
    *shared("color"),
)
