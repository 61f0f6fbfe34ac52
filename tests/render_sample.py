"""One small run of everything, written by hand, that the golden outputs and the format tests render.

The records are made here and not read from a file by the program, so that these tests prove the renderers alone.
"""

from mdtally.check.reports import FileReport, Report, TurnsReport, VerdictReport
from mdtally.log.calibration import calibrate_counts
from mdtally.text.model import FileError, Problem, Region, TextLine, Transcript, Turn

__all__ = ["DEBATE", "REPORT", "TURNS", "VERDICTS", "turn"]

DEBATE = (
    "# Cache",
    "",
    "## Round 1",
    "",
    "**aria:** We cache whole pages for an hour, because nine reads in ten hit the same forty pages.",
    "",
    "**ben:** キャッシュ: Great point, and I would cache them too.",
    "",
    "**aria:** Fine.",
    "",
    "**cleo:** "
    + "The pages change when a price changes, and prices change at night, in one batch; " * 2
    + "so an hour is right, well said, and a purge after the batch is not needed at all, as far as I can see it now.",
)


def turn(index: int, line: int, speaker: str, text: str, **more: object) -> Turn:
    """A turn whose body stands on its label's line."""
    column = len(speaker) + 8
    lines = (TextLine(text, line, column),) if text else ()
    fields: dict[str, object] = {"round": 1, "group": 1, "kind": "agent", "words": len(text.split())}
    return Turn(index=index, line=line, end_line=line, column=1, speaker=speaker, lines=lines, **{**fields, **more})  # type: ignore[arg-type]


_VOICES = ("aria", "ben", "aria", "cleo")
_TURNS = tuple(
    turn(index, line, speaker, DEBATE[line - 1].split(":** ", 1)[1])
    for index, (line, speaker) in enumerate(zip((5, 7, 9, 11), _VOICES, strict=True), 1)
)


def _at(line: int, words: str) -> Region:
    column = DEBATE[line - 1].index(words) + 1
    return Region(line, column, line, column + len(words))


REPORT = Report(
    files=(
        FileReport(
            filename="debates/cache.md",
            kind="debate",
            turns=_TURNS,
            turns_checked=4,
            lines=DEBATE,
            problems=(
                Problem(
                    rule="forbidden-phrase",
                    message="“Great point” is praise, not an argument",
                    region=_at(7, "Great point"),
                    severity="warning",
                    turn=2,
                    evidence="Great point",
                    hint="say what you would change, or stand down",
                ),
                Problem(
                    rule="no-disagreement-signal",
                    message="the turn takes no issue with aria and does not stand down",
                    region=Region(7, 1, 7, 1),
                    severity="warning",
                    turn=2,
                ),
                Problem(
                    rule="too-short",
                    message="1 word; at least 12 are wanted",
                    region=Region(9, 1, 9, 1),
                    severity="warning",
                    turn=3,
                ),
                Problem(
                    rule="stalled-turn",
                    message="“as far as I can see” says nothing",
                    region=_at(11, "as far as I can see"),
                    severity="info",
                    turn=4,
                    evidence="as far as I can see",
                ),
            ),
            suppressed=1,
            corrections={2: "Find a weakness in aria's argument, or say that you cannot find one."},
        ),
        FileReport(
            filename="session.md",
            kind="session",
            lines=("# Monday", "", "[A_P] he asked twice", "", "A_P: 2 | A_R: 0", "A_T: 4"),
            problems=(
                Problem(
                    rule="tally-mismatch",
                    message="A_P is stated as 2, but the tags above count 1 (difference 1)",
                    region=Region(5, 1, 6, 7),
                    severity="error",
                    hint="correct the tally, or run with --trust tags",
                ),
            ),
            notices=("not gated: the gate is off (lint.mode)",),
        ),
        FileReport(filename="README.md", lines=("# Read me",), skipped=True),
        FileReport(filename="clean.md", kind="debate", turns_checked=6),
    ),
    errors=(FileError("missing.md", "no such file"),),
)

TURNS = (
    TurnsReport(
        filename="debates/cache.md",
        transcript=Transcript(
            kind="debate",
            exporter="cursor",
            turns=(
                *_TURNS[:3],
                turn(4, 13, "司会", "", kind="moderator", round=2, group=2, placeholder=True, addressee="ben"),
                turn(5, 15, "cleo", "I disagree.", round=2.5, group=3, model="model-x"),
            ),
            reading="unsure",
            problems=(
                Problem(
                    rule="unclosed-block",
                    message="the fence opened here is never closed; read on as if it were",
                    region=Region(12, 1, 12, 4),
                    severity="warning",
                ),
            ),
        ),
        tags={1: ("T",), 2: ("P", "T")},
        lines=DEBATE,
    ),
    TurnsReport(filename="README.md", transcript=Transcript()),
)


VERDICTS = (
    VerdictReport(filename="session.md", verdict=calibrate_counts(3, 1, 12), id="4f1d2c", appended=True),
    VerdictReport(filename="stubborn.md", verdict=calibrate_counts(0, 40, 40), id="77aa01"),
    VerdictReport(filename="quiet.md", verdict=calibrate_counts(0, 0, 3), id="0c9d11"),
    VerdictReport(filename="empty.md", verdict=calibrate_counts(0, 0, 0), id="e0e0e0"),
    VerdictReport(filename="bot.md", written="headless: no human took part"),
    VerdictReport(filename="broken.md", problems=REPORT.files[1].problems),
)
