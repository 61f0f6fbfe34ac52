"""A ceiling for a family of models, from its own sessions.

After enough sessions the log says what is usual for a model: its own rate. The upper end of that rate's interval,
deflated because events of one session are alike, is suggested as the ceiling. What is usual is not what is acceptable,
so the ceiling in force is never raised.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from glob import escape
from itertools import product
from math import ceil

from mdtally.log.record import LogRecord
from mdtally.log.series.rates import Clusters
from mdtally.project.settings import Settings, thresholds
from mdtally.project.settings.effective import LOW_CEILING
from mdtally.text import globs
from mdtally.text.intervals import wilson
from mdtally.text.percent import limit, percent
from mdtally.text.records import by_key, record
from mdtally.text.regex import regex

NEEDED = 20
"""Sessions with events before a ceiling is suggested."""
NEWEST = 200
"""Sessions, the newest ones, that a suggestion rests on: a model of three years ago says little."""
CARE = "needs careful hand labels: one wrong label in ten decides."
"""What is said of a low ceiling."""
CONFIDENCE = 0.95

# claude-3-5-sonnet-20241022, gpt-4o-2024-08-06, claude-3-5-sonnet@20240620
_DATE = regex(r"[-_@:.](?:20\d{2}(?:-\d\d-\d\d|\d{4}))$")


@record
class Suggestion:
    """A sycophancy ceiling for a family of models, from its own sessions; or why there is none yet.

    Attributes:
        family: its name; None for sessions that name no model.
        globs: the globs of models that the ceiling would be written for: those a person wrote for the family, else its
            name with a star, so that its next snapshot falls under it.
        sessions: measured sessions; events: of those used, the newest ones.
        rate: the family's own rate; None where there are too few sessions, as are the others.
        upper: the upper end of its deflated one-sided 95 % interval.
        policy: the lowest ceiling that holds for the family now, by model and domain.
        ceiling: the suggested one, in whole percents.
        warnings: what a reader has to know before using it, a sentence each.
    """

    family: str | None
    globs: tuple[str, ...]
    sessions: int
    events: int = 0
    rate: float | None = None
    upper: float | None = None
    policy: float | None = None
    ceiling: float | None = None
    warnings: tuple[str, ...] = ()


def family(model: str | None, families: Mapping[str, str]) -> str | None:
    """The family of a model: what the most specific glob says, else the model's name without a date behind it."""
    if model is None:
        return None
    meant = globs.most_specific(families, model) if families else []
    return families[meant[0]] if meant else _DATE.sub("", model)


def suggestions(lines: Iterable[LogRecord], settings: Settings) -> Iterator[Suggestion]:
    """A suggestion, or a refusal with the count, for each family in the log, in the order of their first session.

    ``lines`` are sessions by the line that counts, oldest first. The ceiling that holds for a family is the lowest of
    its models', in any domain: what is written for a model goes before what is written for a domain.
    """
    domains = {None, *(path[1] for path in settings.set_values if path[0] == "domain")}
    of_family = by_key((family(line.model, settings.families), line) for line in lines)
    for name, members in of_family.items():
        own_globs = [glob for glob, of in settings.families.items() if of == name]
        own_globs = own_globs or ([f"{escape(name)}*"] if name else [])
        pairs = product({line.model for line in members}, domains)
        limits = (thresholds(settings, model=model, domain=domain)[0] for model, domain in pairs)
        policies = sorted(float(one.sycophancy_ceiling) for one in limits)
        families = (other for other in of_family if other and other != name)
        others = sorted(other for other in families if globs.most_specific(own_globs, other))
        yield suggest(name, own_globs, [(line.A_P, line.A_T) for line in members], policies[0], others, policies[-1])


def config_values(suggested: Iterable[Suggestion]) -> dict[tuple[str, ...], str]:
    """By the parts of a configuration's key, the value of each suggested ceiling; none for one that stays."""
    lower = (one for one in suggested if one.ceiling and one.policy and one.ceiling < one.policy)
    return {("model", glob, "sycophancy-ceiling"): f"{one.ceiling:.2f}" for one in lower for glob in one.globs}


def suggest(
    name: str | None,
    own_globs: Sequence[str],
    sessions: Sequence[tuple[int, int]],
    policy: float,
    others: Sequence[str] = (),
    highest: float = 0.0,
) -> Suggestion:
    """A ceiling from (successes, events) of a family's sessions, oldest first; a refusal where there are too few.

    ``policy`` is the ceiling that holds for the family now, and is not raised, and ``highest`` the highest one of a
    model or domain of it; ``others`` are families that its globs mean, too.
    """
    sessions = [(k, n) for k, n in sessions if n]
    if len(sessions) < NEEDED:
        return Suggestion(name, tuple(own_globs), len(sessions))
    newest = sessions[-NEWEST:]
    successes, events, effect = *map(sum, zip(*newest, strict=True)), Clusters(newest).design_effect().deff
    # One-sided; never 0, however clean the sessions are.
    upper = wilson(successes / effect, events / effect, 2 * CONFIDENCE - 1)[1]
    own = max(1, ceil(100 * upper - 1e-9)) / 100
    warnings, ceiling = [], min(own, policy)
    if own > policy:
        above = f"which is above the {limit(policy)} that you allow now: the ceiling stays."
        warnings.append(f"The model's own sessions would allow {percent(own, policy)}, {above}")
    if ceiling < LOW_CEILING:
        warnings.append(f"A ceiling under {limit(LOW_CEILING)} {CARE}")
    if others:
        meant = ", ".join(others)
        warnings.append(f"{', '.join(own_globs)} means {meant}, too, unless a longer name is written for it.")
    if highest > policy:
        warnings.append(f"By model or domain you allow up to {limit(highest)}; the lowest ceiling is not raised.")
    rate, globs_of_family = successes / events, tuple(own_globs)
    return Suggestion(name, globs_of_family, len(sessions), events, rate, upper, policy, ceiling, tuple(warnings))
