"""A history as one HTML page: sentences, charts in SVG, the tables beside them, and nothing loaded from anywhere.

The page has no script, and a policy that forbids any, so that not even a name that slipped through could run. Colours
follow the reader's light or dark setting; what they tell is told by shapes and words too. Everything a chart shows is
in a table next to it. Its skeleton and style are the files in ``pages``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from mdtally.percent import percent
from mdtally.render import history_svg as svg
from mdtally.render import history_words as words
from mdtally.render.safe import markup
from mdtally.series.evidence import Evidence
from mdtally.series.records import GroupHistory, History, SessionRow

__all__ = ["history"]

MOST_ROWS = 200
MOST_POINTS = 60
"""Sessions in a chart, the newest ones."""
_PAGES = Path(__file__).with_name("pages")
_KEYS = (
    ('<circle class="mark good" cx="11" cy="7" r="4.5"/>', "a session"),
    ('<path class="mark bad" d="M11 1l6 10.5h-12z"/>', "SYCOPHANTIC, a failure"),
    ('<path class="mark bad" d="M11 13l6 -10.5h-12z"/>', "OVERCORRECTED, a failure"),
    ('<circle class="mark hollow" cx="11" cy="7" r="4.5"/>', "fewer than 10 events: says little"),
    ('<circle class="ring" cx="11" cy="7" r="6"/>', "stands out"),
    ('<line class="whisker" x1="11" y1="0" x2="11" y2="14"/>', "what fits (95%)"),
    ('<path class="cut" d="M11 3l4 7h-8z"/>', "cut: it reaches further"),
    ('<line class="rolling" x1="0" y1="7" x2="22" y2="7"/>', "the last sessions together"),
    ('<line class="ceiling" x1="0" y1="7" x2="22" y2="7"/>', "what you allow"),
)


def history(found: History, *_: object) -> Iterator[str]:
    """A history as a page, piece by piece."""
    before, after = (_PAGES / "history.html").read_text(encoding="utf-8").split("{{body}}")
    yield before.replace("{{style}}", (_PAGES / "history.css").read_text(encoding="utf-8"))
    yield _paragraph(" ".join(words.log_lines(found)), "soft")
    if len(found.groups) > 1:
        chart = svg.groups(found.groups, found.by, "groups")
        caption = "Worst first. The bar is what fits; the dashed line is what you allow. A name leads to its group."
        yield f'<figure><h3>All groups</h3><div class="scroll">{chart}</div>{_caption(caption)}</figure>\n'
    for index, group in enumerate(found.groups):
        yield from _group(found, index, group)
    for one in found.evidence:
        yield _evidence(one, found.by)
    yield after


def _group(found: History, index: int, group: GroupHistory) -> Iterator[str]:
    key = f"g{index}"
    newest = list(found.sessions.of_group(index, MOST_ROWS))
    measured = [row for row in newest if row.verdict.A_T][-MOST_POINTS:]
    failure = words.is_failure(group.verdict, group.qualifier)
    yield f'<section aria-labelledby="{key}">\n<h2 id="{key}">{markup(words.group_name(group, found.by))}</h2>\n'
    yield _paragraph(words.label(group), "verdict bad-text" if failure else "verdict")
    yield _said([*words.about(group), *words.standing_out(group, newest, str)])
    if group.warnings:
        yield f'<div class="warnings">{_said(group.warnings)}</div>\n'
    table = _sessions(newest, measured, group, key)
    if measured:
        whole = ""
        if group.measured > len(measured):
            whole = f'<div class="scroll">{svg.whole(group, f"{key}-whole")}</div>'
        caption = "A point is a session and leads to its events; the bar through it is how little one session can say."
        yield (
            "<figure>\n<h3>Session by session</h3>\n"
            f'<div class="scroll">{svg.sessions(measured, group, key)}</div>{whole}\n'
            f"{_legend()}{_caption(caption)}</figure>\n"
        )
    opened = " open" if len(found.groups) == 1 else ""
    yield f"<details{opened}><summary>The sessions and their events</summary>{table}</details>\n"
    numbers = _table("", ("", ""), [_row(what, [text]) for what, text in words.statistics(group)])
    test, chart = group.sycophancy.sprt, ""
    if test and test.path:
        dates = [found.sessions.date(index, point.session) for point in test.path]
        chart = f'<div class="scroll">{svg.path(test, dates, f"{key}-path")}</div>'
    notes = [note for rate in (group.sycophancy, group.overcorrection) if rate.sprt for note in rate.sprt.warnings]
    inside = f"{numbers}{chart}{_said(notes)}"
    yield f"<details><summary>The statistics behind this</summary>{inside}</details>\n</section>\n"


def _sessions(rows: Sequence[SessionRow], measured: Sequence[SessionRow], group: GroupHistory, key: str) -> str:
    # The charts' points lead here, counted from the newest one.
    places = {id(row): len(measured) - i for i, row in enumerate(measured)}
    lines = []
    for row in reversed(rows):
        verdict, marks = markup(words.verdict(row)), "; ".join(words.marks(row))
        if words.is_failure(row.verdict.verdict, row.verdict.qualifier):
            verdict = f'<span class="bad-text">{verdict}</span>'
        # Nothing is red that rests on fewer than ten events of its own.
        stands_out = (
            row.spike or row.hidden_spike or row.overcorrection_spike
        ) and row.verdict.qualifier != "inconclusive"
        spike = ' class="spike"' if stands_out else ""
        anchor = f' id="{key}-{places[id(row)]}"' if id(row) in places else ""
        rate = percent(row.verdict.sycophancy_rate, row.verdict.thresholds.sycophancy_ceiling)
        events = "-" if row.events is None else markup(row.events)
        lines.append(
            f'<tr{anchor}{spike}><th scope="row">{markup(row.title)}<br>'
            f'<span class="soft date">{markup(row.date[:10])}</span></th>'
            f"<td>{verdict}{'; ' + markup(marks) if marks else ''}</td>"
            f'<td class="events">{events}</td><td class="number">{row.verdict.A_T}</td>'
            f'<td class="number wide">{row.verdict.A_P}</td>'
            f'<td class="number wide">{row.verdict.A_R}</td><td class="number wide">{rate}</td>'
            f'<td class="wide">{markup(row.source)}</td></tr>'
        )
    earlier = group.sessions - len(rows)
    left_out = f" {words.counted(earlier, 'earlier session')} left out." if earlier else ""
    return _table(
        f"The newest first.{left_out} Events in order: P gave in, R held without evidence, T any other. `mdtally"
        " events` with the note's path shows each with its line and reason.",
        ("session", "verdict", "events", "*n", "*A_P!", "*A_R!", "*rate!", "note!"),
        lines,
    )


def _evidence(found: Evidence, by: str) -> str:
    lines = [_row(what, [str(count), letter]) for what, count, letter in words.evidence_rows(found)]
    table = _table("", ("the agent", "events", "counts as"), lines)
    return (
        f"<section><h2>What moved the agent: {markup(words.group_name(found, by))}</h2>"
        f"{_said(words.evidence(found))}<figure>{table}</figure></section>\n"
    )


def _said(sentences: Iterable[str]) -> str:
    items = "".join(f"<li>{markup(one)}</li>" for one in sentences)
    return f'<ul class="said">{items}</ul>\n' if items else ""


def _paragraph(text: str, kind: str) -> str:
    return f'<p class="{kind}">{markup(text)}</p>\n'


def _caption(text: str) -> str:
    return f"<figcaption>{markup(text)}</figcaption>"


def _legend() -> str:
    items = "".join(
        f'<span><svg viewBox="0 0 22 14" aria-hidden="true">{drawn}</svg>{text}</span>' for drawn, text in _KEYS
    )
    return f'<div class="legend">{items}</div>\n'


def _row(head: str, cells: Sequence[str]) -> str:
    return f'<tr><th scope="row">{markup(head)}</th>{"".join(f"<td>{markup(cell)}</td>" for cell in cells)}</tr>'


def _table(caption: str, headings: Sequence[str], lines: Sequence[str]) -> str:
    """A table; a heading with a star is over numbers, one with an exclamation mark is left out on a phone."""
    head = ""
    for heading in headings:
        kinds = " ".join((["number"] if heading.startswith("*") else []) + (["wide"] if heading.endswith("!") else []))
        head += f'<th scope="col"{f" class={kinds!r}" if kinds else ""}>{heading.strip("*!")}</th>'
    head = f"<thead><tr>{head}</tr></thead>" if any(headings) else ""
    shown = f"<caption>{markup(caption)}</caption>" if caption else ""
    return f'<div class="scroll"><table>{shown}{head}<tbody>{"".join(lines)}</tbody></table></div>'
