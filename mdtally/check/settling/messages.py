"""What messengers write above a message: a name with a time beside it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from mdtally.check.settling.marks import count_runs, read_by_names
from mdtally.text.document import Document, once_a_document
from mdtally.text.names import clean
from mdtally.text.times import BADGE, BADGES, STAMP, TIMED, Timed
from mdtally.transcript.labels.templates import with_spaces
from mdtally.transcript.page import Reading
from mdtally.transcript.reading import readings_of

# "  10:42 AM", "APP  10:42 AM", "— Today at 10:42", ", Tue 10:02 AM", "[8:40 PM]"
_STAMP_LINE = Timed(rf"(?:(?P<before>[—–,-]\s*)|{BADGE})(?:\[{TIMED}\]|{STAMP})")
# "Mika — Today at 10:42", "Mika, Tue 10:42 AM", "Mika, [14.09.2024 18:20]"
_STAMPED = Timed(
    rf"(?P<name>[^\W\d_][^\n]{{0,40}}?)(?P<between>,?\s{{1,9}}[—–-]?\s{{0,9}})(?P<open>\[)?{TIMED}(?(open)\])"
)
_BEFORE_TIMES = "{speaker} — ", "{speaker}, "


@once_a_document
def timed_reading(document: Document) -> Reading | None:
    """What names read that stand above or below a line with a time alone, or before a time; None if none come back."""
    page = readings_of(document).page
    rows = [row for row in range(page.first, len(page.lines)) if page.lines[row].strip()]
    texts = [page.lines[row].strip() for row in rows]
    best: list[tuple[str, str]] = []
    for step in (-1, 1):
        beside = (_label_beside_time(texts, at, step) for at in range(len(texts)))
        found = [label for label in beside if label and clean(label[0])]
        times = Counter(name for name, _ in found)
        again = [(name, pattern) for name, pattern in found if times[name] > 1 or _is_messengers(name, pattern)]
        is_answered = 2 * count_runs(name for name, _ in again) > len(again)
        if len({name for name, _ in again}) > 1 and is_answered and len(again) > len(best):
            best = again
    return read_by_names(page, dict.fromkeys(pattern for _, pattern in best), dict(best)) if best else None


def _is_messengers(name: str, pattern: str) -> bool:
    """True if a messenger wrote a label: with an app's badge, or a short name before a dash or comma and a time."""
    is_badge = not {*BADGES}.isdisjoint(pattern.split("\n"))
    return is_badge or (pattern.startswith(_BEFORE_TIMES) and len(name.split()) < 4)


def _label_beside_time(texts: Sequence[str], at: int, step: int) -> tuple[str, str] | None:
    """The name beside a time, with the pattern of both: before it on the line, or on the next line in one direction."""
    stamp = _STAMP_LINE.on(texts[at]).fullmatch(texts[at])
    before = None if stamp else _STAMPED.on(texts[at]).fullmatch(texts[at])
    if before:
        time = "[{time}]" if before["open"] else "{time}"
        return before["name"], f"{{speaker}}{with_spaces(before['between'])}{time}"
    near = texts[at + step : at + 3 * step : step] if 0 <= at + 3 * step else texts[at - 1 :: -1][:2]
    badge = near[:1] if near[:1] and near[0] in BADGES else []
    name = next(iter(near[len(badge) :]), "")
    if not (stamp and name):
        return None
    time = "[{time}]" if texts[at].endswith("]") else "{time}"
    parts = [f"{stamp['before'] or ''}{time}", *badge, "{speaker}:" if name.endswith(":") else "{speaker}"]
    return name.rstrip(":"), "\n".join(parts[::step])
