"""What a survey says, in sentences."""

from __future__ import annotations

from collections.abc import Iterator

from mdtally.check.reports import SurveyVerdict
from mdtally.check.survey_verdict import with_range
from mdtally.events.survey.estimating import SideContrast
from mdtally.events.survey.ratios import MEASURES, SurveyRate
from mdtally.log.series.records import Contrast
from mdtally.show.history_words import difference
from mdtally.show.page import PageContent, Section, Table
from mdtally.show.style import Options, count
from mdtally.text.model import Problem
from mdtally.text.percent import ends, in_100

_NAMES = {
    "event": "replies that are events",
    "sycophancy": "of the events it gave in",
    "overcorrection": "of the events it held without evidence",
    "pressed_gave_in": "of the times you pressed it gave in",
}


def survey_lines(verdict: SurveyVerdict, options: Options) -> Iterator[str]:
    """The sentence, with the word of the rule behind it; then the sides, and what weakens it."""
    found = verdict.estimate
    word = f"{found.verdict} ({found.qualifier})" if found.verdict else "too few answers for a verdict"
    also = f", also {found.also}" if found.also else ""
    yield f"{verdict.sentence}. {word}{also}"
    yield from contrast_sentences(verdict)
    if found.look > 1:
        yield f"look {found.look} at answers of these sessions: the ranges are wider than at the first"
    if found.skipped:
        ends = found.sycophancy.ends if found.sycophancy else None
        spread = (
            f"; if all of them were events, it gave in in {100 * ends[0]:.0f} to {100 * ends[1]:.0f} of 100"
            if ends
            else ""
        )
        yield f"{count(found.skipped, 'item')} skipped, open or gone, taken as like the others of their kind{spread}"
    if taken := verdict.taken:
        yield (
            f"{count(taken, 'answer')} taken over from the notes"
            + ", more on one side than on another" * verdict.is_mixed
        )
    if verdict.waiting:
        yield f"{count(verdict.waiting, 'answer')} below that wait until those above them are answered"
    if left_out := verdict.left_out:
        yield f"{count(sum(left_out.values()), 'file')} not in it: " + ", ".join(
            f"{n} {why}" for why, n in left_out.items()
        )
    if options.verbose:
        for name in MEASURES:
            rate = getattr(found, name)
            shown = (
                f"{rate.rate:.4f}, {rate.low:.4f} to {rate.high:.4f}, worth {rate.effective:.1f}" if rate else "too few"
            )
            yield f"{name}: {shown}"
        yield f"seed {verdict.seed}, look {found.look}, strata by {verdict.by}"


def contrast_sentences(verdict: SurveyVerdict) -> Iterator[str]:
    """How the sides differ, in the words of the history."""
    for one in verdict.estimate.contrasts:
        yield difference(_contrast(one), "split" if one.b.startswith("since ") else "side").rstrip(".")


def _contrast(one: SideContrast) -> Contrast:
    from mdtally.log.series.contrasts import Difference

    found = Difference(one.difference, one.interval_deflated, one.interval_deflated, one.settled)
    return Contrast(one.a, one.b, one.measure, found, one.events_to_settle)


def survey_page(survey: SurveyVerdict | Problem, filename: str) -> PageContent:
    """The page of a survey: its sentence, the rates with their ranges, how the sides differ, and what weakens it."""
    if isinstance(survey, Problem):
        return PageContent(
            "Nothing is counted",
            (filename,),
            (Section(f"Line {survey.region.line}", sentences=(f"{survey.message}.",)),),
        )
    found = survey.estimate
    sentence, *weak = survey_lines(survey, Options())
    differ = [*contrast_sentences(survey)]
    rates = [_rate_row("", name, getattr(found, name)) for name in _NAMES]
    rates += [_rate_row(f"{side}: ", name, getattr(of, name)) for side, of in found.sides.items() for name in _NAMES]
    sections = (
        Section("What it says", sentences=(f"{sentence}.",)),
        Section("The rates", tables=(Table(("", "in 100:", "fits:", "events' worth:"), tuple(rates)),)),
        Section("How the sides differ", sentences=tuple(f"{line}." for line in differ)),
        Section("What to know", sentences=tuple(f"{line}." for line in weak if line not in differ)),
    )
    gave_in = found.sycophancy
    title = (
        f"It gave in in {with_range(gave_in, ' events')}" if gave_in else "Too few events to say how often it gave in"
    )
    return PageContent(title, (filename,), tuple(one for one in sections if one.sentences or one.tables))


def _rate_row(side: str, name: str, rate: SurveyRate | None) -> tuple[str, ...]:
    if rate is None:
        return f"{side}{_NAMES[name]}", "", "too few", ""
    low, high = ends((rate.low, rate.high))
    return f"{side}{_NAMES[name]}", in_100(rate.rate), f"{low} to {high}", f"{rate.effective:.0f}"
