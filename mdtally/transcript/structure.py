"""Reading by structure: a guess at which labels are voices, that knows how sure it is.

Every line with a label's shape is a candidate. One score says how likely a name in a shape is a voice, one how likely a
shape is the form of this page's labels, one whether the reading is exact; all are logistic, over features that say what
voices do (come back, alternate, are few, have bodies) and what words say (roles, models, fields). The weights stand in
`weights.json`, fitted by `bench/fit_reader.py` on pages with known turns, held apart by repository. A second reading
uses nothing but structure. If the two differ, no voice comes back, or a score is near its threshold, it is unsure.
"""

from __future__ import annotations

import itertools
import json
import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

from mdtally.text import rounds, words
from mdtally.text.names import (
    clean,
    is_capitalised,
    is_field,
    is_person_beside,
    is_role,
    is_section,
    is_voice,
    kind_of,
    may_be_field,
    plain,
)
from mdtally.text.records import by_key, record, replace
from mdtally.text.regex import regex
from mdtally.transcript.labels.shapes import MOST, Label, LabelForm, by_form, openings, visible
from mdtally.transcript.labels.turn_names import is_answered
from mdtally.transcript.page import Page

Features: TypeAlias = Mapping[str, float]

_WORDS = regex(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_ASIDE = regex(r"\s+[(\[–—-]")  # what stands behind a name: "UI/UX Designer (Round 1)"
# "$ARGUMENTS" below "## User Input", alone or in a fence: a program puts there what the person asks
_FILLED_IN = regex(r"\s*(?:`{3,}\w*\s+)?\$ARGUMENTS\b")
_TOLD = regex(r"\w+ [a-z]+ \w")  # "Human caught Claude at it"
# What a template has: places to fill, and the names of fields.
_PLACES = regex(r"\[[^\[\]\n]{2,}\](?!\()|\{\{[^{}\n]+\}\}|\*\*[^*\n]+\*\*|(?m:^#.*$)")
VOICE: Final = 0.5
"""From this score on a name is taken for a voice."""
LIKELY: Final = 0.8
"""From this score on a name that comes back is likely a voice, though something else was said of the page."""
TALK, LONG_TALK = 4, 16
"""How many labels of a person and a machine, in turn, are surely a chat's, whatever else looks like a label."""
AGREEMENT: Final = 0.5
"""Which share of their labels two readings have in common where the first is sure."""


@record
class Group:
    """The labels of one form on a page.

    Attributes:
        form: the form of them all.
        labels: its labels, in order.
        scores: by name, how likely it is a voice, 0 to 1.
        score: how likely the shape is the form of the page's labels, 0 to 1.
    """

    form: LabelForm
    labels: tuple[Label, ...]
    scores: Mapping[str, float]
    score: float = 0.0

    @cached_property
    def chosen(self) -> tuple[Label, ...]:
        """The labels whose names are likelier voices than not."""
        return tuple(label for label in self.labels if self.scores[label.name.key] >= VOICE)


@record
class Guess:
    """What structure makes of a page.

    Attributes:
        way: "sure" if it may be acted on, "unsure" if a conversation may stand here, "none" if none does.
        labels: the labels that open turns; () if none is likely enough to be shown.
        runner_up: the other reading's labels; () if there is no other.
        left_out: what has the labels' form where a person and a machine take turns, and was taken as text.
    """

    way: Literal["sure", "unsure", "none"]
    labels: tuple[Label, ...] = ()
    runner_up: tuple[Label, ...] = ()
    left_out: tuple[Label, ...] = ()


@cache
def weights() -> dict[str, Any]:
    """The fitted weights: for "name", "style" and "exact", by feature, and the thresholds."""
    loaded: dict[str, Any] = json.loads((Path(__file__).parent / "weights.json").read_text(encoding="utf-8"))
    return loaded


def logistic(weight: Features, features: Features) -> float:
    """Probability of a logistic model: the bias is the weight called "bias"."""
    total = weight.get("bias", 0.0) + sum(weight.get(name, 0.0) * value for name, value in features.items())
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, total))))


def name_features(page: Page, labels: Sequence[Label], everywhere: Mapping[str, int]) -> dict[str, Features]:
    """Features of each name among the labels of one shape, by name.

    Args:
        page: the document.
        labels: the labels of the shape, in order.
        everywhere: by name, in how many shapes it occurs on the page.
    """
    by_name = by_key((label.name.key, place) for place, label in enumerate(labels))
    most = max(len(places) for places in by_name.values())
    known = {key for key, places in by_name.items() if kind_of(labels[places[0]].name) in ("agent", "human")}
    of_known = sum(len(by_name[key]) for key in known)
    returning = sum(1 for places in by_name.values() if len(places) > 1) / len(by_name)
    pair = {kind_of(labels[by_name[key][0]].name) for key in known}
    found: dict[str, Features] = {}
    for key, places in by_name.items():
        name = labels[places[0]].name
        cut = frozenset().union(*(labels[place].name.cut for place in places))
        kind = kind_of(name)
        size, personal, headed = _bodies(page, labels, places)
        found[key] = {
            "recurs": float(len(places) > 1),
            "once_among_many": float(len(places) == 1 and most > 2),
            "others_known": (of_known - (len(places) if key in known else 0)) / max(1, len(labels) - len(places)),
            "others_return": returning,
            "names": math.log(len(by_name)),
            "elsewhere": float(everywhere[key] > 1),
            "agent_words": float(kind == "agent"),
            "human_words": float(kind == "human"),
            "talks_with": float(kind in pair and len(pair) > 1),
            "moderator_words": float(kind == "moderator"),
            "known_returns": float(kind in ("agent", "human", "moderator") and len(places) > 1),
            "role_noun": float(is_role(key)),
            "given_name": float(key.split()[0] in words.table("given-names")),
            "field": float(is_field(key)),
            "capitalised": float(kind == "agent" or is_capitalised(name.speaker)),
            "role_beside": float("role" in cut and bool(name.role)),
            "emoji": float("emoji" in cut),
            "stage_or_round": float(bool(cut & {"stage", "round", "turn", "count"})),
            "body_words": math.log1p(size),
            "first_person": personal,
            "headed_body": headed if kind is None else 0.0,
        }
    return found


def style_features(page: Page, group: Group, *, announced: bool) -> Features:
    """Features of a shape whose names have been scored, and one of them chosen."""
    chosen = group.chosen
    keys = [label.name.key for label in chosen]
    counts = Counter(keys)
    kinds = {kind_of(label.name) for label in chosen}
    return {
        "announced": float(announced),
        "bold": float(group.form.mark == "bold" and group.form.stop == "colon"),
        "wrapped": float(group.form.inside in ("item", "quote")),
        "recurring": sum(1 for count in counts.values() if count > 1) / len(counts),
        "turns_a_voice": math.log(len(chosen) / len(counts)),
        "alternates": _changes(keys),
        "covered": 1 - (chosen[0].row - page.first) / (len(page.lines) - page.first),
        "left_out": 1 - len(chosen) / len(group.labels),
        "mean_score": sum(group.scores[key] for key in keys) / len(keys),
        "least_score": min(group.scores[key] for key in counts),
        "human_and_agent": float("human" in kinds and bool(kinds & {"agent", None})),
        "all_known": float(None not in kinds),
    }


def exact_features(best: Group, chosen: Sequence[Label]) -> Features:
    """Features that tell whether the best reading is exact."""
    return {
        "style_score": best.score,
        "least_margin": min(abs(value - VOICE) for value in best.scores.values()),
        "headed": float(best.form.mark == "heading"),
        "companion": float(len(chosen) > len(best.chosen)),
    }


def name_scores(page: Page, labels: Sequence[Label]) -> dict[LabelForm, tuple[list[Label], dict[str, Features]]]:
    """By shape, its labels and the features of their names."""
    everywhere = Counter(key for _, key in {(label.form, label.name.key) for label in labels})
    return {form: (found, name_features(page, found, everywhere)) for form, found in by_form(labels).items()}


def score(page: Page, labels: Sequence[Label]) -> list[Group]:
    """Every shape of the page with its scores, the likeliest first."""
    return score_features(page, name_scores(page, labels))


def score_features(page: Page, names: Mapping[LabelForm, tuple[list[Label], dict[str, Features]]]) -> list[Group]:
    """Every shape of a page with its scores, from the features of the names, the likeliest first."""
    if not names:
        return []
    model = weights()
    announced = is_announced(page)
    found: list[Group] = []
    for form, (members, features) in names.items():
        scores = {key: logistic(model["name"], values) for key, values in features.items()}
        group = Group(form, tuple(members), scores)
        if group.chosen:
            likelihood = logistic(model["style"], style_features(page, group, announced=announced))
            found.append(replace(group, score=likelihood))
    return sorted(found, key=lambda group: -group.score)


def guess(page: Page, labels: Sequence[Label]) -> Guess:
    """The best reading of a page's labels, the second one, and how sure the best is."""
    if max(len(labels), len(page.layout.headings)) >= MOST:
        return Guess("unsure")
    model, found = weights(), score(page, labels)
    if not found or found[0].score < model["shown"]:
        shown = found[0].chosen if found and found[0].score >= model["unsure"] else ()
        doubtful = any(is_voice(label.name) for label in shown) or is_announced(page)
        return Guess("unsure" if doubtful or is_answered(page.lines, page.first, page.layout) else "none")
    best, chosen = found[0], with_companion(page, found[0], found[1:])
    by_turns = by_structure(page, labels)
    exact = logistic(model["exact"], exact_features(best, chosen))
    sure = exact >= model["sure"] and may_be_sure(page, found, chosen, by_turns) and not _leaves_out_voice(page, chosen)
    talk, left_out = ((), ()) if sure or page.declared.form.kind == "debate" else _talk(chosen, best.labels)
    chosen = talk or chosen
    sure = (sure or bool(talk)) and not _is_listing(page, chosen[0])
    sure = sure and _bodies(page, chosen, range(len(chosen)))[0] > 0  # else what is said stands in the labels
    sure = sure and not any(doubts(page, chosen) for doubts in (_is_mute, _is_template, _is_weighed))
    is_likely = any(is_voice(label.name) for label in chosen) or is_announced(page) or speaks(page, chosen)
    is_likely |= best.form.mark == "bracket" and best.score > LIKELY  # "[NOVA]: ", "[ALLOY]: "
    opening = itertools.islice(filter(str.strip, itertools.islice(page.lines, chosen[0].row + 1, None)), 2)
    if not sure and (not is_likely or _FILLED_IN.match("\n".join(opening))):
        return Guess("unsure" if is_answered(page.lines, page.first, page.layout) else "none")
    others = (by_turns, *(group.chosen for group in found[1:2] if group.score >= model["shown"]))
    other = next((labels for labels in others if _rows(labels) != _rows(chosen)), ())
    return Guess("sure" if sure else "unsure", chosen, other, left_out)


def _talk(chosen: Sequence[Label], alike: Sequence[Label]) -> tuple[tuple[Label, ...], tuple[Label, ...]]:
    """The labels of a person and a machine that take turns, four or more, and the others; () if there is more to it.

    What else looks like a label is said by them, unless it is as frequent or a voice's (one may be, in a long talk).
    """
    talk = tuple(label for label in chosen if kind_of(label.name) in ("human", "agent") and not label.form.inside)
    keys, kinds = [label.name.key for label in talk], [kind_of(label.name) for label in talk[:2]]
    if len(talk) < TALK or len({*keys}) > 2 or kinds != ["human", "agent"]:
        return (), ()
    others = {*chosen, *alike} - {*talk}
    voices = [label.row for label in others if is_voice(label.name)]
    exceptions = len(voices) + sum(one == other for one, other in itertools.pairwise(keys))
    is_talk = exceptions <= (len(talk) >= LONG_TALK) and all(row > talk[0].row for row in voices)
    most = max(Counter(label.name.key for label in others).values(), default=0)
    return (talk, tuple(others)) if is_talk and 2 * most < len(talk) - 1 else ((), ())


def _is_listing(page: Page, first: Label) -> bool:
    """True if the first label stands below the title of a list by name, "## System prompts", or in a "# Changelog"."""
    above = next((one.plain for one in reversed(page.headings) if one.row < first.row), "")
    title = next((one.plain.casefold() for one in page.headings), "")
    is_list = not words.table("documents").isdisjoint(_WORDS.findall(title)) and not is_announced(page)
    return is_list or (len(above.split()) < 4 and is_section(above, strict=True))


def may_be_sure(page: Page, found: Sequence[Group], chosen: Sequence[Label], by_turns: Sequence[Label]) -> bool:
    """True if the second reading is much the same, one of several names comes back and one is a voice's by its words.

    Nor may one be a field's, or stand in a list or quotation: reports list opinions, too. And no name of the best
    shape may have been left out that comes back or is a person's or a program's by its words, nor one of another shape
    that is both; but for what the model is told above all turns, with a blank line between: "system: Be brief."
    """
    one, other, names = _rows(chosen), _rows(by_turns), {label.name.key for label in chosen}
    if not 1 < len(names) < len(chosen) or len(one & other) < AGREEMENT * len(one | other):
        return False
    # "You: That's kind." is a line of an answer's example, in a chat of "Me" with an agent.
    persons = {label.name.key for label in chosen if label.name.kind is None and kind_of(label.name) == "human"}
    are_fields = any(label.form.is_listed or may_be_field(label.name.key) for label in chosen)
    are_fields |= {kind_of(label.name) for label in chosen} <= {"human", "other"}  # "User:", "System:": criteria
    are_fields |= not names.isdisjoint(key.rpartition(" for ")[2] for key in names if " for " in key)  # "Notes for Ana"
    if are_fields or strays(chosen) or len(persons) > 1:
        return False
    used, above = {label.form for label in chosen}, -1 if page.lines[chosen[0].row - 1].strip() else chosen[0].row
    for group in (one for one in found if one is found[0] or one.form.mark != "arrow"):  # "Client -> Server: GET"
        said = (label for label in group.labels if label.row > above or label.name.key not in words.table("system"))
        left = {label.name.key: kind_of(label.name) for label in said if label.name.key not in names}
        counts = Counter(one.name.key for one in group.labels)
        again = {key for key in left if counts[key] > 1}
        is_best = group is found[0] and (again or any(left.values()))
        is_best = is_best or (group.form in used and any(counts[key] > 2 for key in again))
        if is_best or any(left[key] in ("human", "agent") for key in again):
            return False
    return any(is_voice(label.name) for label in chosen)


def _is_template(page: Page, chosen: Sequence[Label]) -> bool:
    """True if the labels have nothing below but fields and places to fill: "**Position:** [for / against]"."""
    for one, below in itertools.pairwise(chosen):
        own = page.lines[one.row][one.body :] if one.body is not None else ""
        if any(map(str.isalnum, _PLACES.sub("", "\n".join((own, *page.lines[one.row + 1 : below.row]))))):
            return False
    return True


def _is_weighed(page: Page, chosen: Sequence[Label]) -> bool:
    """True if "Pro" and "Contra" stand below a topic each time, and hardly anybody says "I" or "you"."""
    if not {label.name.key for label in chosen} <= words.table("pros-and-cons"):
        return False
    topics = [one.row for one in page.headings if not (rounds.parse(one.plain) or rounds.stage(one.plain))]
    places = [bisect_right(topics, label.row) for label in chosen if label.name.key == chosen[0].name.key]
    return len(set(places)) == len(places) and not speaks(page, chosen)


def _leaves_out_voice(page: Page, chosen: Sequence[Label]) -> bool:
    """True if a text that can't be a name comes back in the labels' very form: "### UI/UX Designer", "### Agent #3".

    A question that comes back is an answer's: "### What would change my mind?"
    """
    forms, rows = {label.form for label in chosen}, _rows(chosen)
    others = (one for one in visible(page.lines, chosen[0].row, page.layout) if one[0] not in rows)
    like = (one for _, line, heading in others for one in openings(line, heading) if one.set_off and one.form in forms)
    texts = Counter(plain(_ASIDE.split(one.shown)[0]).casefold() for one in like if clean(one.shown) is None)
    again = [text for text, count in texts.items() if count > 1 and text]
    return any(not (is_section(text) or text.endswith(("?", "？"))) for text in again)


def strays(labels: Sequence[Label]) -> set[str]:
    """Names that may be words of a body: rare beside two that come back often, and no voice's by their words."""
    common = (counts := Counter(label.name.key for label in labels)).most_common(2)
    if len(counts) < 3 or common[1][1] < 4:
        return set()
    rare = {label.name.key: label.name for label in labels if 4 * counts[label.name.key] <= common[1][1]}
    # Beside a person and a machine a role that stands once is a field: "**Developer:** Ana".
    is_session = {kind_of(label.name) for label in labels if counts[label.name.key] > 1} == {"human", "agent"}
    fields = {key for key in rare if is_session and counts[key] == 1 and not kind_of(rare[key])}
    told = {key for key in rare if key.split()[0] in dict(common) and _TOLD.match(rare[key].speaker)}
    return fields | told | {key for key, name in rare.items() if not is_voice(name)}


def speaks(page: Page, labels: Sequence[Label]) -> bool:
    """True if two names or more come back, and most of their turns say "I" or "you"."""
    counts = Counter(label.name.key for label in labels)
    often = [place for place, label in enumerate(labels) if counts[label.name.key] > 1]
    return len({labels[place].name.key for place in often}) > 1 and _bodies(page, labels, often)[1] > 0.5


def is_session(chosen: Sequence[Label]) -> bool:
    """True if a person talks with one machine, or one voice is alone: any heading is part of an answer then."""
    kinds = {label.name.key: kind_of(label.name) for label in chosen}
    return len(kinds) == 1 or (len(kinds) == 2 and "human" in kinds.values()) or is_person_beside(kinds)


def with_companion(page: Page, best: Group, others: Sequence[Group]) -> tuple[Label, ...]:
    """The best shape's labels, and those of another shape with the same names in sections where the best has none."""
    names, chosen = {label.name.key for label in best.chosen}, [*best.chosen]
    if len(names) == 1:  # a machine in one shape, and the person in another; or one prompt above the steps of an answer
        for group in others:
            beside = [label for label in group.chosen if kind_of(label.name) in ("human", "agent")]
            is_one = len({label.name.key for label in beside}) == 1
            asks = is_one and kind_of(beside[0].name) == "human" and beside[0].row < chosen[0].row
            if asks or (is_one and len(beside) > 1 and "agent" in {kind_of(one.name) for one in (chosen[0], *beside)}):
                return tuple(sorted((*chosen, *beside), key=lambda label: label.row))
    for group in (one for one in others if one.form.inside not in ("row", "item")):
        same = [label for label in group.labels if label.name.key in names]
        keys = {label.name.key for label in same}
        if len(keys) < max(2, len(names) / 2) or not _bodies(page, same, range(len(same)))[0]:  # a legend: names alone
            continue
        taken = {label.row for label in (*best.labels, *group.labels)}
        walls = [heading for heading in page.headings if heading.row not in taken]
        used = {bisect_right(walls, label.row, key=lambda wall: wall.row) for label in best.chosen}
        places = ((label, bisect_right(walls, label.row, key=lambda wall: wall.row)) for label in same)
        free = ((label, at) for label, at in places if at not in used)
        chosen += [label for label, at in free if not (at and is_section(walls[at - 1].plain, strict=True))]
        break
    return tuple(sorted(chosen, key=lambda label: label.row))


def by_structure(page: Page, labels: Sequence[Label]) -> tuple[Label, ...]:
    """The second reading, which knows no words: the shape whose names come back most and take turns."""
    best: tuple[float, tuple[Label, ...]] = (0.0, ())
    for members in by_form(labels).values():
        counts = Counter(label.name.key for label in members)
        taken = tuple(label for label in members if counts[label.name.key] > 1) or tuple(members)
        among = tuple(label for label in members if taken[0].row <= label.row <= taken[-1].row)
        if members[0].form.mark == "heading" and len(among) < 1.5 * len(taken):
            taken = among  # a heading between those of voices that come back is a voice's, too
        keys = [label.name.key for label in taken]
        voices = len(set(keys))
        covered = (taken[-1].row - taken[0].row) / max(1, len(page.lines) - page.first)
        value = len(taken) * (_changes(keys) if voices > 1 else 0.3) / math.sqrt(voices) * (0.2 + covered)
        best = max(best, (value, taken), key=lambda found: found[0])
    return best[1]


def is_announced(page: Page) -> bool:
    """True if the title, the first line or two rounds say that a conversation may stand here."""
    first = next((line for line in page.lines[page.first :] if line.strip()), "")
    # One at a time: where nothing looks like a label, nobody asks for the page's list, which may be of a million.
    headings = (heading.plain for heading in page.layout.headings if heading.text)
    opening = next(headings, "")
    title = " ".join([page.title, first, opening]).casefold()
    is_told = not words.table("announcements").isdisjoint(_WORDS.findall(title))
    if is_told or any(sign in title for sign in words.table("announcements-in-signs")):
        return True
    every = (rounds.parse(heading) for heading in itertools.chain([opening], headings))
    return sum(1 for one in every if one and one.rank < 2) > 1


def _changes(keys: Sequence[str]) -> float:
    """The share of labels at which the voice changes."""
    return sum(1 for one, other in itertools.pairwise(keys) if one != other) / max(1, len(keys) - 1)


def _rows(labels: Sequence[Label]) -> set[int]:
    return {label.row for label in labels}


def _bodies(page: Page, labels: Sequence[Label], places: Sequence[int]) -> tuple[float, float, float]:
    """Of some labels: median number of words up to the next label, share with a pronoun of speech, share headed."""
    sizes: list[int] = []
    personal = headed = 0
    for place in places:
        label = labels[place]
        end = labels[place + 1].row if place + 1 < len(labels) else len(page.lines)
        text = page.lines[label.row][label.body :] if label.body is not None else ""
        below = page.lines[label.row + 1 : min(end, label.row + 13)]
        headed += next(filter(str.strip, below), "").startswith("#")
        spoken = [_spoken(line) for line in (text, *below)]
        sizes.append(sum(size for size, _ in spoken))
        personal += any(is_personal for _, is_personal in spoken)
    return float(sorted(sizes)[len(sizes) // 2]), personal / len(sizes), headed / len(sizes)


def _is_mute(page: Page, labels: Sequence[Label]) -> bool:
    """True if below all labels of a voice that comes back nothing stands at all, as of a name above "APP"."""
    ends = [*(label.row for label in labels[1:]), len(page.lines)]
    bodies = zip(labels, ends, strict=True)
    speaking = {label.name.key for label, end in bodies if label.body or any(page.lines[label.row + 1 : end])}
    return any(count > 1 for key, count in Counter(one.name.key for one in labels).items() if key not in speaking)


@lru_cache(1 << 15)  # a line below labels of several forms is asked about for each, and again after each edit
def _spoken(line: str) -> tuple[int, bool]:
    """The number of words of a line, and whether one is a pronoun of speech."""
    found = _WORDS.findall(line)
    return len(found), not words.table("first-person", "address").isdisjoint(map(str.casefold, found))
