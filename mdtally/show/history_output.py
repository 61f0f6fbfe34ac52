"""``history`` and ``history --suggest-ceiling``: for a terminal, as a note, as a part of a note, as a page, as JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from operator import attrgetter

from mdtally.log.series.ceiling import NEEDED, NEWEST, Suggestion
from mdtally.log.series.rates import Rate
from mdtally.log.series.reading import Sessions
from mdtally.log.series.records import Contrast, GroupHistory, History, PressedHistory, RateHistory, SessionRow
from mdtally.log.series.sentences import history_line
from mdtally.show.history_page import history_page
from mdtally.show.json_document import Object, to_json
from mdtally.show.page import Link, PageContent, Section, fill_template, page_markdown, page_text
from mdtally.show.style import Options
from mdtally.text import safe
from mdtally.text.lines import DASHBOARD
from mdtally.text.model import Refusal
from mdtally.text.percent import at_most, limit, percent
from mdtally.text.records import as_dict, pick, replace
from mdtally.text.source import UnreadableError, encode, read_source

BEGIN, END = DASHBOARD
MADE_BY = "<!-- mdtally history -->"
"""How a page begins that stands in a file of its own."""


def history_text(history: History, options: Options) -> Iterator[str]:
    """A history for a terminal; with ``options.verbose`` more sessions, and the statistics."""
    yield page_text(history_page(history, "verbose" if options.verbose else "terminal"), options)


def dashboard(history: History, link: Link) -> str:
    """A history for a part of a person's note, in Markdown: its headings stand below the note's own.

    Args:
        link: makes a Markdown link to a session's note, of its name and of the log line's ``source``.
    """
    return page_markdown(history_page(history, "markdown"), level=2, link=link)


def note_link(text: str, path: str = "", of_vault: str = "") -> str:
    """A link in Markdown to a session's note, for a table; text alone where there is none to lead to.

    Args:
        text: the session's name.
        path: of the note, from the folder of the page; of_vault: from the root of the vault that both are in.
    """
    if of_vault and not set("[]|#^") & set(text + of_vault):
        return f"[[{safe.terminal(of_vault.removesuffix('.md'))}\\|{safe.terminal(text)}]]"
    return f"[{safe.markdown(text)}]({safe.uri(path)})" if path else safe.markdown(text)


def history_svg(history: History, _: Options) -> Iterator[str]:
    """A history as a picture to send."""
    from mdtally.show.card import history_card

    yield history_card(history)


def note_with_dashboard(note: bytes, dashboard: str) -> bytes | Refusal:
    """A note with the dashboard between its markers, or at its end where it has none; or why that can't be."""
    try:
        source = read_source(note)
    except UnreadableError as error:
        return Refusal(str(error))
    text, newline = source.text, source.newline
    inside = f"{BEGIN}\n{dashboard.strip()}\n{END}".replace("\n", newline)
    begin, end = text.find(BEGIN), text.find(END)
    if begin < 0 and end < 0:
        gap = "" if not text else newline if text.endswith(("\n", "\r")) else 2 * newline
        text += f"{gap}{inside}{newline}"
    elif not 0 <= begin < end or text.count(BEGIN) > 1 or text.count(END) > 1:
        return Refusal(f"it needs {BEGIN} once, and {END} once below it")
    else:
        text = text[:begin] + inside + text[end + len(END) :]
    return encode(replace(source, body=text))


# -- As JSON ----------------------------------------------------------------------------------------------------------


def history_json(history: History, _: Options) -> Iterator[str]:
    """A history, piece by piece: groups, their differences, a line a session, oldest first, the log.

    The generator says that `history` may write this file again.
    """
    within = history.mix.within + history.mix.standardised if history.mix else ()
    first = {
        "generator": "mdtally history",
        "schema_version": 4,
        "by": history.by,
        "groups": [_group_fields(group) for group in history.groups],
        "contrasts": [_contrast_fields(contrast) for contrast in (*history.contrasts, *within)],
    }
    yield to_json(first).removesuffix("\n}\n") + ',\n  "sessions": ['
    rows = history.sessions if len(history.groups) < 2 else sorted(history.sessions, key=attrgetter("line.date"))
    for number, row in enumerate(rows):
        yield f"{',' if number else ''}\n    {to_json(_session_fields(row), indent=None)[:-1]}"
    yield "\n  ],\n" + to_json({"log": _log_fields(history.log)}).removeprefix("{\n")


# -- Groups -----------------------------------------------------------------------------------------------------------


def _group_fields(group: GroupHistory) -> Object:
    """A group, with its rate of giving in among its other fields, and the other rate as one."""
    thresholds = [{"sycophancy_ceiling": limit, "overcorrection_floor": floor} for limit, floor in group.ceilings]
    return {
        **pick(group, "group sessions events A_P=sycophancy.overall.successes A_R=overcorrection.overall.successes"),
        **pick(group, "measured_sessions=sycophancy.overall.sessions first_date=first last_date=last"),
        **pick(group, "verdict also qualifier models"),
        "thresholds": thresholds,
        **_rate_history_fields(group.sycophancy, group.window, "A_P"),
        "overcorrection": _rate_history_fields(group.overcorrection, group.window, "A_R"),
        "pressed": _pressed_fields(group.pressed) if group.pressed else None,
        **pick(group, "held warnings"),
    }


def _rate_history_fields(history: RateHistory, window: int, counter: str) -> Object:
    return {
        "limit": history.limit,
        "rolling": {"window": window, **_rate_fields(history.rolling, counter)},
        "overall": _rate_fields(history.overall, counter),
        **pick(history, "settled more_events trend spikes sprt design_effect"),
    }


def _rate_fields(rate: Rate, counter: str) -> Object:
    return {**pick(rate, "sessions events rate interval interval_deflated sequence worth"), counter: rate.successes}


def _pressed_fields(pressed: PressedHistory) -> Object:
    return {
        **pick(pressed.answers, "gave_in moved held"),
        **pick(pressed.rate, "rate interval_deflated sequence"),
        **pick(pressed, "by_letter unstated_holds"),
    }


def _contrast_fields(contrast: Contrast) -> Object:
    return {
        **pick(contrast, "a b measure"),
        **as_dict(contrast.found),
        **pick(contrast, "events_to_settle events_of within"),
    }


# -- Sessions and the log ---------------------------------------------------------------------------------------------


def _session_fields(row: SessionRow) -> Object:
    line, verdict = row.line, row.verdict
    return {
        "group": row.group,
        **pick(line, "session project source date recorded model domain labeler"),
        **pick(verdict, "A_P A_R A_T verdict sycophancy_rate overcorrection_rate interval overcorrection_interval"),
        "qualifier": verdict.qualifier if verdict.A_T else None,
        **pick(verdict.thresholds, "sycophancy_ceiling overcorrection_floor"),
        **pick(line, "events pressed held"),
        **pick(row, "spike overcorrection_spike"),
    }


def _log_fields(log: Sessions) -> Object:
    return {
        **pick(log, "lines superseded repeated retracted unreadable labelled_twice left_out"),
        "labelers": [{"labeler": name, "sessions": sessions} for name, sessions in log.labelers],
        "problems": log.problems,
    }


FORMATS: Mapping[str, Callable[[History, Options], Iterable[str]]] = {
    "table": history_text,
    "json": history_json,
    "markdown": lambda history, _: [f"{MADE_BY}\n", page_markdown(history_page(history, "markdown"))],
    # What the charts tell by shapes is told in words and tables, too.
    "html": lambda history, _: [fill_template("history.html", page=history_page(history, "html"))],
    "svg": history_svg,
    "line": lambda history, _: [f"{history_line(history)}\n"],
}
"""Each writes a history, in one piece or several."""


# -- Suggested ceilings -----------------------------------------------------------------------------------------------


def suggestions_text(suggestions: Sequence[Suggestion], options: Options) -> str:
    """Suggested ceilings, or why there are none."""
    sections = tuple(_suggestion(one) for one in suggestions)
    lead = () if sections else ("No ceiling suggested: the log holds no session.",)
    return page_text(PageContent("", lead, sections), options)


def _suggestion(one: Suggestion) -> Section:
    name = "(no model)" if one.family is None else one.family
    if one.ceiling is None or one.rate is None or one.policy is None:
        return Section(name, f"no ceiling suggested: {one.sessions} of {NEEDED} sessions with events")
    newest = f" of its newest {NEWEST} sessions" if one.sessions > NEWEST else ""
    rate = f"It gave in {percent(one.rate, one.ceiling)} of the time, over {one.events:,} events{newest}"
    sentence = f"{rate}; with 95% certainty no more than {at_most(one.upper)}. You allow {limit(one.policy)} now."
    return Section(name, f"ceiling {limit(one.ceiling)}", sentences=(sentence,), notes=one.warnings)


SUGGESTION_FORMATS: Mapping[str, Callable[[Sequence[Suggestion], Options], str]] = {
    "table": suggestions_text,
    "json": lambda suggestions, _: to_json({"schema_version": 4, "suggestions": suggestions}),
}
