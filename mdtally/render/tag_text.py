"""``tag --list`` and ``tag --from-tags`` for a person: a row for each turn."""

from __future__ import annotations

from collections.abc import Sequence

from mdtally.render import safe
from mdtally.render.style import Options
from mdtally.render.summary import count
from mdtally.render.table import table
from mdtally.reports import CandidatesReport, FileError

UNSURE = "unsure: who speaks here is a guess, and so is this list; `mdtally turns` shows it and what to declare"
_CUE = 60


def render(files: Sequence[CandidatesReport], options: Options, errors: Sequence[FileError] = ()) -> str:
    """Every file's candidates, with a blank line between two; errors are for stderr, and not shown here."""
    return "\n".join("".join(f"{line}\n" for line in _file(file, options)) for file in files)


def _file(report: CandidatesReport, options: Options) -> list[str]:
    found, paint = report.found, options.palette.paint
    tagged = sum(bool(one.events) for one in found.ranked)
    said = f"{count(len(found.ranked), 'turn')} of an agent that answers a person, likeliest first; {tagged} tagged"
    if not found.ranked:
        said = "no agent's turn answers a person's; `mdtally turns` shows what is seen"
    lines = [f"{paint(safe.path(report.filename), 'strong')}: {said}"]
    if found.ranked and not found.sure:
        lines.append(paint(UNSURE, "warning"))
    if report.shown:
        rows = [
            (
                str(one.run.line),
                f"{one.score:.2f}",
                " ".join(f"A_{event.letter}" for event in one.events),
                safe.clip(safe.terminal(one.cue), _CUE),
            )
            for one in report.shown
        ]
        first, *rest = table(("line", "score", "tagged", "cue"), rows)
        lines += ["", paint(first, "faint"), *rest]
    return lines
