"""What a survey says, in sentences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import ceil

from mdtally.check.reports import SurveyVerdict
from mdtally.events.survey.ratios import MEASURES
from mdtally.log.series.sentences import difference
from mdtally.show.style import Options
from mdtally.text import safe
from mdtally.text.intervals import ENOUGH
from mdtally.text.percent import count, ends, in_100

# What has to be done before a difference of two sides can be settled, by what stands against it.
_BARS: Mapping[str, str] = {
    "skipped": "over a tenth of the items on a side are skipped, open or gone; answer those, or draw `--more`",
    "taken": "over a tenth of the answers on one side, not on the other, were taken over from notes; give those anew",
}


def survey_lines(verdict: SurveyVerdict, path: str, options: Options) -> Iterator[str]:
    """The sentence, with the word of the rule behind it; then the sides, and what weakens it."""
    found, note = verdict.estimate, verdict.note
    word = f"{found.verdict} ({found.qualifier})" if found.verdict else "too few answers for a verdict"
    also = f", also {found.also}" if found.also else ""
    yield f"{verdict.sentence}. {word}{also}"
    for one in found.contrasts:
        bar = _BARS[one.barred_by] if one.barred_by else ""
        yield difference(one, "split" if (one.b or "").startswith("since ") else "side", bar).rstrip(".")
        if one.measure == "sycophancy" and one.events_to_settle and found.event:
            answers = ceil(one.events_to_settle / found.event.rate / 10) * 10
            left = found.replies - found.answered - found.skipped
            draw = f"`mdtally survey {safe.argument(path)} --more {answers}`"
            few = f"{left:,} replies are left here, so it takes more sessions"
            yield f"so many events are some {answers:,} more answers: {draw if answers <= left else few}"
    if found.too_few_sides:
        worth = "; ".join(f"{side}: worth {int(events)} of {ENOUGH}" for side, events in found.too_few_sides.items())
        yield f"too few events on a side to compare it ({worth})"
    models = {side: ", ".join(of_side) for side, of_side in note.frame.models.items()}
    if len(set(models.values())) > 1:
        named = "; ".join(f"{side}: {of_side or 'none named'}" for side, of_side in models.items())
        yield f"the sides have different models, so what differs may be theirs ({named})"
    if found.look > 1 and found.answered:
        wider = "the ranges are wider than at the first, and what was settled then still is"
        yield f"look {found.look} at answers of these sessions: {wider}"
    if found.skipped:
        spread = ""
        if found.sycophancy and found.sycophancy.ends:
            low, high = ends(found.sycophancy.ends, found.thresholds.sycophancy_ceiling)
            spread = f"; if all of them were events, it gave in in {low} to {high} of 100"
        yield f"{count(found.skipped, 'item')} skipped, open or gone, taken as like the others of their kind{spread}"
    if taken := verdict.taken:
        mixed = ", more on one side than on another" * verdict.is_mixed
        yield f"{count(taken, 'answer')} taken over from the notes{mixed}"
    if waiting := (note.answers.keys() & note.lines.keys()) - note.counting_answers.keys():
        yield f"{count(len(waiting), 'answer')} below that wait until those above them are answered"
    if left_out := note.frame.left_out:
        reasons = ", ".join(f"{n} {why}" for why, n in left_out.items())
        yield f"{count(sum(left_out.values()), 'file')} not in it: {reasons}"
    if (model := verdict.with_model) and model.events:
        shown = "no kappa" if model.kappa is None else f"kappa {model.kappa:.2f}"
        if model.kappa_interval:
            shown += " ({:.2f} to {:.2f} fit)".format(*model.kappa_interval)
        few = f"fewer than {ENOUGH}, so these numbers mean little; " * (model.events < ENOUGH)
        agree = f"you and the model agree on {in_100(round(model.agreement or 0, 6))} of 100 replies"
        rest = f"weighted by the draw; {few}the figures above rest on your answers alone"
        yield f"{agree}, {shown}, n={model.events}, {rest}"
    if options.verbose:
        for name in MEASURES:
            rate = getattr(found, name)
            fits = rate and f"{rate.rate:.4f}, {rate.low:.4f} to {rate.high:.4f}, worth {rate.effective:.1f}"
            yield f"{name}: {fits or 'too few'}"
        yield f"seed {note.draw.seed}, look {found.look}, strata by {note.draw.by}"
