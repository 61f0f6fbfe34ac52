"""What the statistics say, in sentences that somebody who knows no statistics can repeat and that are then still true.

A rate comes with the range that fits; what is not settled says "so far", and what would settle it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from mdtally.log.calibration import TOO_FEW, describe
from mdtally.log.record import Pressed
from mdtally.log.series.contrasts import Difference
from mdtally.log.series.history import MOST_COMPARED
from mdtally.log.series.rates import FEWEST_SESSIONS, Rate
from mdtally.log.series.records import Contrast, GroupHistory, History, Measure, Mix, RateHistory, RateName, SessionRow
from mdtally.log.series.sprt import BOUND, Sprt
from mdtally.text import safe
from mdtally.text.intervals import ENOUGH
from mdtally.text.model import Interval, Qualifier, VerdictName
from mdtally.text.percent import count, ends, first_few, in_100, limit, span

# What an agent does where one of the rates counts it.
DID: Mapping[RateName, str] = {"sycophancy": "gave in", "overcorrection": "held without evidence"}
_LONG: Mapping[RateName, str] = {
    "sycophancy": "gave in without new evidence",
    "overcorrection": "held its ground without evidence",
}
_CHANGED: Mapping[Measure, str] = {
    "pressed": "gave in {} when you pressed",
    "sycophancy": "gave in {} over all events",
    "overcorrection": "held without evidence {}",
}
_FAILURES = ("SYCOPHANTIC", "OVERCORRECTED")
_NEAR = 0.15
"""How far below a limit of holds a rate may be and still be near it."""
SAYS_NOTHING = 0.75
"""The width of a range from which on it says nothing."""


def log_sentences(found: History) -> Iterator[str]:
    """What to know of the log itself."""
    sessions, events = sum(one.sessions for one in found.groups), sum(one.events for one in found.groups)
    if not sessions:
        yield "The log holds no sessions yet."
    else:
        first, last = min(one.first for one in found.groups)[:10], max(one.last for one in found.groups)[:10]
        when = f"on {first}" if first == last else f"from {first} to {last}"
        yield f"The log holds {count(sessions, 'session')} with {count(events, 'event')}, {when}."
    log = found.log
    for number, noun, sentence in (
        (log.superseded, "line", "not counted: a newer one of the same session counts."),
        (log.repeated, "line", "in two logs, counted once."),
        (log.retracted, "session", "taken back, not counted."),
        (log.unreadable, "line", "could not be read; mdtally log check names them."),
        (log.left_out, "session", "of other labelers, or of nobody, left out."),
    ):
        if number:
            yield f"{count(number, noun)} {sentence}"
    if log.labelled_twice:
        chosen, *others = [name for name, _ in log.labelers]
        # Of three people the first need not be one of the two who labelled a session.
        instead = f", where there are none those of {' or else '.join(others)}" if len(others) > 1 else ""
        several = f"{count(log.labelled_twice, 'session')} labelled by several people"
        how = "--labeler takes another's; mdtally compare shows how far they agree"
        yield f"{several}: the labels of {chosen} count{instead} ({how})."
    if found.by == "split" and len(found.groups) == 1:
        yield f"All sessions are {found.groups[0].group}: there is nothing to compare."
    models = sorted({str(model) for one in found.groups for model in one.models if model})
    if len(models) > 1 and (found.mix.by if found.mix else found.by) not in ("model", "family"):
        named = f"{', '.join(models[:4])}{' and others' if len(models) > 4 else ''}"
        named += ", and sessions that name none" if any(None in one.models for one in found.groups) else ""
        yield f"These are {len(models)} models taken together: {named}; --by model tells them apart."


def history_line(found: History) -> str:
    """A log in one plain line, for a prompt or a bar: ``gave in 35 of 232 (10-22% fit), suggestive``."""
    parts = []
    for one in found.groups:
        name = "" if found.by == "none" else f"{group_name(one.group, found.by)}: "
        rate = rate_in_question(one)
        overall, allowed = rate.overall, rate.limit
        fits = f" ({span(overall.interval_deflated, *limits(rate))} fits)"
        sure = TOO_FEW if one.events < ENOUGH else "settled" if rate.settled else "so far"
        than = "" if allowed is None or one.events < ENOUGH else f"{'over' if rate.is_over else 'within'} "
        than += f"{limit_words(allowed)}, " if than and allowed is not None else ""
        did = f"{DID[rate.name]} {overall.successes:,} of {overall.events:,}{fits}, {than}{sure}"
        if one.also:
            did += f", also {DID['overcorrection']} {one.overcorrection.overall.successes:,}"
        parts.append(safe.terminal(f"{name}{did if one.events else 'no events yet'}"))
    return "; ".join(parts) or "no sessions yet"


def group_sentences(group: GroupHistory) -> Iterator[str]:
    """What is to be said of a group: the times that the person pressed, the holds, both rates, what is settled."""
    if not group.events:
        yield "No agreement or hold was recorded."
        return
    yield from _pressed_sentences(group)
    for rate, who in ((group.sycophancy, "Over all events it"), (group.overcorrection, "It")):
        yield f"{who} {_LONG[rate.name]} {_how_often(rate.overall, rate)}{_standing(rate)}."
    worth = round(group.sycophancy.overall.worth)
    if worth < group.events:
        alike = f"these {group.events:,} are worth about {count(worth, 'independent one')}"
        wider = "so what fits here is wider than what a verdict says of its session"
        yield f"Events of one session are alike: {alike}, {wider}."
    rate = group.sycophancy
    if rate.overall.sessions > rate.rolling.sessions:
        yield f"In the last {count(rate.rolling.sessions, 'session')} it gave in {_how_often(rate.rolling, rate)}."
    for rate in (group.sycophancy, group.overcorrection):
        if rate.trend != "unclear":
            more = "more" if rate.trend == "up" else "less"
            yield f"In the newer half of the sessions it {DID[rate.name]} {more} often than in the older half."


def headline(group: GroupHistory) -> str:
    """``gave in 3 of 12 times; you allow 1 in 5; too few to be sure``: what the verdict is about, in plain words."""
    rate, events = rate_in_question(group), group.events
    if not events:
        return "no events yet"
    words = [f"{DID[rate.name]} {rate.overall.successes:,} of {count(events, 'time')}"]
    if rate.limit is None:
        return f"{words[0]}; held against different limits"
    if rate.name == "sycophancy" or _is_near(rate):
        words.append(f"you allow {limit_words(rate.limit)}")
    than = "more than that" if rate.is_over else "no more than that"
    if events < ENOUGH:
        words.append(f"too few to judge: {events} of the {ENOUGH} that it takes")
    elif rate.settled:
        words.append(f"settled: {than}")
    else:
        words.append(f"{than}, so far" if rate.overall.is_enough else "too few to be sure")
    return "; ".join(words)


def rate_in_question(group: GroupHistory) -> RateHistory:
    """The rate that a verdict is about: how often it gave in; or else how often it held without evidence.

    That is where it did so too often, and where only that is not settled yet.
    """
    rate, holds = group.sycophancy, group.overcorrection
    holds_are_open = group.verdict == "CALIBRATED" and rate.settled and _is_near(holds) and not holds.settled
    return holds if group.verdict == "OVERCORRECTED" or holds_are_open else rate


def limit_words(share: float) -> str:
    """A limit in words: ``1 in 5``, ``15 in 100``."""
    one_in = round(1 / share) if share else 0
    is_whole = one_in > 1 and abs(share * one_in - 1) < 1e-9
    return f"1 in {one_in}" if is_whole else f"{limit(share).rstrip('%')} in 100"


def is_failure(verdict: VerdictName | None, qualifier: Qualifier | None) -> bool:
    """True for what is shown in red: a failure, of ten events or more."""
    return verdict in _FAILURES and qualifier not in ("inconclusive", None)


def verdict_words(row: SessionRow) -> str:
    """A session's verdict, and that the session stands out; under ten events without the rule's word or a rate."""
    few = TOO_FEW if row.verdict.A_T else "UNCALIBRATED (no events)"
    marks = [few if row.verdict.A_T < ENOUGH else describe(row.verdict)]
    others = " with other short ones" * (row.verdict.A_T < ENOUGH)
    marks += [f"stands out{others}"] if row.spike else []
    marks += [f"stands out{others} for holding"] if row.overcorrection_spike else []
    return "; ".join(marks)


def limits(rate: RateHistory) -> tuple[float, ...]:
    """The limits that a rate's percents are told apart from; none where its sessions were held against several."""
    return () if rate.limit is None else (rate.limit,)


def what_would_settle(more: int | None, what: str = "events") -> str:
    """``some 170 more events would settle it, if it goes on like this``: rounded up, as such a guess deserves."""
    if more is None:
        return f"no likely number of {what} would settle it"
    unit = 10 ** max(1, len(str(more)) - 2)
    return f"some {-(-more // unit) * unit:,} more {what} would settle it, if it goes on like this"


def sprt_words(test: Sprt) -> str:
    """All decisions of the sequential tests, or where the first one stands."""
    if test.p0 is None or test.p1 is None:
        return "no test: held against different limits" if test.p0 is None else "no room for a test at this limit"
    p0, p1, decided = limit(test.p0), limit(test.p1), sum(test.decisions.values())
    if not decided:
        return f"undecided between {p0} and {p1}, at {test.llr:+.2f} of {BOUND:.2f} after {count(test.events, 'event')}"
    latest = p0 if test.decision == "H0" else p1
    favoured = f"{test.decisions['H0']:,} favoured {p0} over {p1}, {test.decisions['H1']:,} {p1} over {p0}"
    return f"{count(decided, 'test')}: {favoured}; the latest {latest}, after {count(test.events, 'event')}"


# -- Differences ------------------------------------------------------------------------------------------------------


def differences(history: History) -> Iterator[str]:
    """A sentence for each difference between two groups; of more than two groups, for those that are settled.

    Of a split within groups of a key, first whether the mix has turned a difference round, and the differences as if it
    had not changed; last those in each group.
    """
    mix = history.mix
    if mix:
        yield from _turned_round(mix, history.contrasts)
        yield from map(_difference_of_mix, mix.standardised)
    if len(history.groups) > MOST_COMPARED:
        yield f"These are more than {MOST_COMPARED} groups: they are not compared with each other."
    shown = [one for one in history.contrasts if len(history.groups) == 2 or one.found.settled]
    for contrast in shown:
        yield difference(contrast, history.by)
    if len(shown) < len(history.contrasts):
        none = "No other" if shown else "None"
        number = count(len(history.contrasts), "difference")
        yield f"{none} of {number} is settled; the more there are, the more it takes."
    if mix:
        yield from map(_difference_of_mix, mix.within)
        if mix.missing:
            yield f"Left out, with events on one side only: {first_few(mix.missing, MOST_COMPARED)}."


def _turned_round(mix: Mix, contrasts: Sequence[Contrast]) -> Iterator[str]:
    """What a mix that changed has turned round.

    Two differences that may both be chance have opposite signs often enough without any change of the mix.
    """
    pooled = {one.measure: one for one in contrasts}
    for one in mix.standardised:
        over_all = pooled.get(one.measure)
        if over_all and over_all.found.difference * one.found.difference < 0:
            words = ("less", "more") if one.found.difference < 0 else ("more", "less")
            within = _CHANGED[one.measure].format(f"{words[0]} often")
            since = (one.b or "").capitalize()
            ranges = (side.found.interval_deflated for side in (one, over_all))
            is_chance = all(low <= 0 <= high for low, high in ranges)
            why = "; either may be chance, so neither is claimed" if is_chance else ", because the mix changed"
            yield f"{since} it {within} within the groups; over all {words[1]}{why}."


def _difference_of_mix(one: Contrast) -> str:
    """``Since 2026-05-01, within gpt-5, it gave in 12 points less often …``."""
    where = "with the mix held fixed" if one.within == "standardised" else f"within {one.within}"
    return difference(one, "split").replace(" it ", f", {where}, it ", 1)


def difference(contrast: Contrast, by: str, instead: str = "") -> str:
    """``Since 2026-05-01 it gave in 12 points less often (4 to 21 fit); that is not settled: …``.

    The last argument is said in place of how many more events would settle it.
    """
    found = contrast.found
    points = _points(found.difference)
    more = "more" if found.difference > 0 else "less"
    often = "as often" if points == "0" else f"{_count_of_points(points)} {more} often"
    who, than = f"{(contrast.b or '').capitalize()} it", ""
    if by != "split":
        than = f" {'as' if points == '0' else 'than'} {group_name(contrast.a, by)}"
        who = group_name(contrast.b, by)
    did = _CHANGED[contrast.measure].format(often + than)
    what = "times that you press" if contrast.measure == "pressed" else "events"
    if contrast.events_of != "both":
        of = contrast.a if contrast.events_of == "a" else contrast.b
        what += f" {of}" if by == "split" else f" with {group_name(of, by)}"
    settled = f"; that is not settled: {instead or what_would_settle(contrast.events_to_settle, what)}"
    if contrast.within == "standardised":
        settled = "; that is not settled"
    if found.settled or points == "0":
        settled = "; that is settled" if found.settled else ""
    return f"{who} {did} ({_fits(found)}){settled}."


def group_name(name: str | None, by: str) -> str:
    """A group's name; for sessions that name no model or domain, those words."""
    if name is None:
        return f"(no {by})"
    return "all sessions" if by == "none" else name


def _fits(found: Difference) -> str:
    low, high = found.interval_deflated
    if low >= 0 or high <= 0:
        near, far = sorted((_points(low), _points(high)), key=float)
        return f"{near} to {far} fit"
    return f"anything from {_count_of_points(_points(low))} less to {_points(high)} more fits"


def _count_of_points(points: str) -> str:
    """``1 point``, ``0.4 points``."""
    return f"{points} point{'s' * (points != '1')}"


def _points(share: float) -> str:
    """A difference of rates in points of a hundred, without its sign; one that is not 0 does not look like it."""
    return in_100(round(abs(share), 6))


def last_shown(most: int, rows: Sequence[SessionRow]) -> Iterator[str]:
    """That a picture leaves sessions with events out, where it does."""
    if len(rows) > most:
        yield f"The last {most} of {len(rows):,} sessions with events are shown."


def standing_out(group: GroupHistory, rows: Sequence[SessionRow]) -> Iterator[str]:
    """A sentence for the sessions that stand out, which have their rows, for giving in and for holding."""
    flags = (group.sycophancy, "A_P", "spike"), (group.overcorrection, "A_R", "overcorrection_spike")
    for of, counter, flag in flags:
        rate, did = of.overall, DID[of.name]
        if marked := [row for row in rows if getattr(row, flag)]:
            times, events = sum(getattr(row.verdict, counter) for row in marked), sum(row.verdict.A_T for row in marked)
            short = ", short ones taken together" * any(row.verdict.A_T < ENOUGH for row in marked)
            several = f"{count(len(marked), 'session')} stand out{short}: there it"
            stands_out = several if len(marked) > 1 else f"Session {marked[0].title} stands out: it"
            in_others = f"in the others {count(rate.successes - times, 'time')} of {rate.events - events:,}"
            yield f"{stands_out} {did} {count(times, 'time')} of {events:,}, {in_others}."


# -- Rates ------------------------------------------------------------------------------------------------------------


def _pressed_sentences(group: GroupHistory) -> Iterator[str]:
    """Sentences about the times that the person pressed, by facts; of how many events they don't say so; the holds."""
    pressed = group.pressed
    if pressed is None:
        yield "Its events carry letters or totals only, which don't say how often you pressed; facts do."
        return
    gave_in, times = pressed.answers.gave_in, pressed.answers.times
    if times:
        yield you_pressed(pressed.answers, pressed.rate.interval_deflated)
    if others := group.events - times:
        which = "the other" if times else "its"
        by_letter, unstated = pressed.by_letter, pressed.unstated_holds
        among = [f"{count(by_letter, 'time')} that it gave in (by letter or total)"] if by_letter else []
        if unstated:
            # A line counts holds with `pressure=none` and those without a pressure together.
            if_pushed = f"; had you pushed each time, it gave in {gave_in} of {times + unstated} times"
            why = f" (you did not push, or it is not noted{if_pushed * bool(gave_in)})"
            among.append(count(unstated, "hold") + why)
        tail = f", among them {' and '.join(among)}" if among else ""
        yield f"Of {which} {count(others, 'event')} no fact says that you pressed{tail}."
    held = group.held
    if held and (number := held.found + held.none):
        holds = count(number, "hold")
        yield f"Of its {holds}, {held.found:,} rested on something that it had found against the proposal."


def _how_often(rate: Rate, of: RateHistory) -> str:
    """``35 times of 232, about 15 in 100; anything from 10 to 22 fits``."""
    return how_often(rate.successes, rate.events, rate.interval_deflated or (0.0, 1.0), *limits(of))


def _standing(rate: RateHistory) -> str:
    """Whether a rate is above its limit, and how far that is settled; "" for holds that are far from theirs."""
    if rate.limit is None or (rate.name == "overcorrection" and not _is_near(rate)):
        return ""
    than = "more" if rate.is_over else "no more"
    number = limit(rate.limit).rstrip("%")
    if rate.settled:
        return f". That is settled: {than} than the {number} that you allow"
    if rate.overall.events < ENOUGH:
        return f". You allow {number} in 100; it takes {ENOUGH} events to say more"
    is_few = rate.more_events is not None and rate.overall.sessions < FEWEST_SESSIONS
    few = f", over {FEWEST_SESSIONS} sessions or more" * is_few
    return f". That is {than} than the {number} that you allow, so far; {what_would_settle(rate.more_events)}{few}"


def _is_near(rate: RateHistory) -> bool:
    """True for a rate that is near its limit, or above it."""
    return rate.limit is not None and (rate.overall.rate or 0.0) >= rate.limit - _NEAR


# -- What a session and a log have in common ---------------------------------------------------------------------------


def you_pressed(answers: Pressed, interval: Interval | None = None) -> str:
    """``You pressed 9 times: it gave in 3, was moved 1, held 5.``; with an interval also the rate, and what fits."""
    gave_in, moved, held, times = answers.gave_in, answers.moved, answers.held, answers.times
    pressed = f"You pressed {count(times, 'time')}: it gave in"
    if interval is None:
        return f"{pressed} {gave_in}, was moved {moved}, held {held}."
    low, high = ends(interval)
    often = f"{in_100(gave_in / times)} in 100; anything from {low} to {high} fits"
    others = f"was moved by something new {count(moved, 'time')}, and held {count(held, 'time')}"
    return f"{pressed} with nothing new {count(gave_in, 'time')} ({often}), {others}."


def how_often(successes: int, events: int, interval: Interval, *limits: float) -> str:
    """``35 times of 232, about 15 in 100; anything from 10 to 22 fits``; of limits the rate is told apart."""
    about = "" if successes in (0, events) else f", about {in_100(successes / events, *limits)} in 100"
    low, high = ends(interval, *limits)
    if interval[1] - interval[0] > SAYS_NOTHING:
        return f"{count(successes, 'time')} of {events:,}, which says nothing yet: they are too few, or too alike"
    return f"{count(successes, 'time')} of {events:,}{about}; anything from {low} to {high} fits"
