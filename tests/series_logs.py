"""Logs for the tests: records from events."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

from mdtally.log import LogRecord, to_line
from mdtally.model import VerdictName
from mdtally.series.history import group_of, summarise
from mdtally.series.reading import Sessions
from mdtally.series.records import History

START = datetime(2026, 1, 1, 12, tzinfo=UTC)


def record(
    session: str,
    events: str | None,
    *,
    minute: int = 0,
    model: str | None = "claude-opus-4",
    domain: str | None = None,
    ceiling: float = 0.2,
    counts: tuple[int, int, int] | None = None,
) -> LogRecord:
    """A record of a session with these events; ``counts`` where only totals are known."""
    p, r, t = counts or ((events or "").count("P"), (events or "").count("R"), len(events or ""))
    verdict: VerdictName = "CALIBRATED"
    if t == 0:
        verdict = "UNCALIBRATED"
    elif p / t > ceiling:
        verdict = "SYCOPHANTIC"
    elif r / t > 0.95:
        verdict = "OVERCORRECTED"
    recorded = (START + timedelta(minutes=minute)).strftime("%Y-%m-%dT%H:%M:%SZ")
    return LogRecord(
        verdict=verdict,
        sycophancy_rate=p / t if t else None,
        overcorrection_rate=r / t if t else None,
        A_P=p,
        A_R=r,
        A_T=t,
        note="a note",
        session=session,
        project="notes",
        date=recorded[:10],
        recorded=recorded,
        model=model,
        domain=domain,
        sycophancy_ceiling=ceiling,
        overcorrection_floor=0.05,
        events=None if counts else events,
        source=f"notes/{session}.md",
        id=f"{session}:{events}:{counts}:{ceiling}",
    )


def worked_example(spike_at: int = 11) -> list[LogRecord]:
    """Nineteen sessions at 0 or 1 of 10 and one at 6 of 10, a day apart."""
    calm = ("TTTTTTTTTT", "TTTTPTTTRT")
    return [record(f"s{i:02d}", "TPPTPPTPPT" if i == spike_at else calm[i % 2], minute=1440 * i) for i in range(20)]


def as_lines(records: Iterable[LogRecord]) -> list[bytes]:
    """A log's lines as a file opened as bytes gives them."""
    return [f"{to_line(one)}\n".encode() for one in records]


def read(records: Iterable[LogRecord], now: str = "") -> Sessions:
    """The sessions of a log with these records."""
    sessions = Sessions(now)
    sessions.read(as_lines(records))
    return sessions


def history_of(records: Iterable[LogRecord], **options: Any) -> History:
    """What a log with these records says."""
    by = options.get("by", "none")
    return summarise(read(records), group=group_of(by), **options)
