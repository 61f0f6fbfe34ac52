"""Reading by structure: a guess at which labels are voices, that knows how sure it is.

Every line with a label's shape is a candidate. One score says how likely a name in a shape is a voice, one how likely a
shape is the form of this page's labels; both are logistic, over features that name what voices do (come back,
alternate, are few, have bodies) and what words say (roles, models, fields). The weights stand in `weights.json`, fitted
by `bench/fit_reader.py` on pages with known turns, held apart by repository. A second reading uses nothing but
structure. If the two differ, if no voice comes back, or if a score is near its threshold, the reading is unsure.
"""

from __future__ import annotations

import itertools
import json
import math
import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

from mdtally.regex import regex
from mdtally.transcript import rounds, words
from mdtally.transcript.labels import MOST, Label
from mdtally.transcript.names import CLOCK, DATE, is_capitalised, is_field, is_role, is_section, kind_of
from mdtally.transcript.page import Page

_WORDS = regex(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_PLAIN_FORM: Final = 0.15
"""By how much another shape has to beat headings and bold labels, which most transcripts have."""
VOICE: Final = 0.5
"""From this score on a name is taken for a voice."""
# ">>> [10:12] USER: continue", "QUESTION:", "### 3. Prompt", however they are written otherwise
_ROLE = r"\W{0,8}(?:\d{1,3}\W{1,3})?(?:\[[^\]]{1,40}\]\s*)?\W{0,4}"
_ASKS = regex(rf"{_ROLE}(?:user|human|question|prompt|you|me|my prompt|user prompt)(?: \d+)?\W{{0,4}}(?:[:：]|$)", re.I)
_ANSWERS = regex(
    rf"{_ROLE}(?:assistant|ai|answer|response|agent|model|claude|chatgpt|gemini|codex|copilot)\b[^:]{{0,12}}\W{{0,4}}(?:[:：]|$)",
    re.I,
)
# "**Participants:** Ana, Ben"
_FIELD = regex(r"\W{0,6}(?P<name>[^\W\d_]+)\W{0,4}[:：][^,，、]{2,60}[,，、]")
# "[12:01] <ana> ...", "**[Ana - 12:01]:**", "12:01 - Ana: ...", "**Ana** (12:01)", "<ana> ..."
_STAMP: Final = rf"[\[(]?(?:(?:{DATE})(?:[T ,]+{CLOCK})?|{CLOCK})[\])]?"
_CHAT = regex(
    rf"\s*(?:[*\[<@]*{_STAMP}[\s,|*–—-]*[*<\[@]*(?P<behind>[^\W\d][\w .'-]{{0,30}}?)(?:\*\*)?[>\]:]"
    r"|<(?P<angle>[\w.-]{1,20})>\s"
    rf"|[*<\[@]*(?P<before>[^\W\d][\w .'-]{{0,30}}?)\**[\s·|,(\[–—-]+{_STAMP}:?\**(?:\s|$))"
)
_READ: Final = 60
"""How many words of a body are looked at for pronouns."""


class Group(NamedTuple):
    """The labels of one shape on a page.

    Attributes:
        style: the shape.
        labels: its labels, in order.
        scores: by name, how likely it is a voice, 0 to 1.
        score: how likely the shape is the form of the page's labels, 0 to 1.
    """

    style: str
    labels: tuple[Label, ...]
    scores: Mapping[str, float]
    score: float

    @property
    def chosen(self) -> tuple[Label, ...]:
        """The labels whose names are likelier voices than not."""
        return tuple(label for label in self.labels if self.scores[label.name.key] >= VOICE)


class Guess(NamedTuple):
    """What structure makes of a page.

    Attributes:
        labels: the labels that open turns, best reading first.
        runner_up: the other reading's labels; () if there is no other.
        sure: True if it may be acted on.
    """

    labels: tuple[Label, ...]
    runner_up: tuple[Label, ...]
    sure: bool


@cache
def weights() -> dict[str, Any]:
    """The fitted weights: for "name" and "style", by feature, and the thresholds."""
    loaded: dict[str, Any] = json.loads((Path(__file__).parent / "weights.json").read_text(encoding="utf-8"))
    return loaded


def logistic(weight: Mapping[str, float], features: Mapping[str, float]) -> float:
    """Probability of a logistic model: the bias is the weight called "bias"."""
    total = weight.get("bias", 0.0) + sum(weight.get(name, 0.0) * value for name, value in features.items())
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, total))))


def groups(labels: Sequence[Label], *, every: bool = False) -> dict[str, list[Label]]:
    """The labels by shape, without table rows, which only a person can tell, and shapes in which nobody can speak.

    Args:
        labels: a page's labels.
        every: keep the shapes in which nobody can speak, as the fit of the weights needs them.
    """
    found: dict[str, list[Label]] = defaultdict(list)
    for label in labels:
        if label.style != "row":
            found[label.style].append(label)
    return {style: members for style, members in found.items() if every or _may_speak(members)}


def _may_speak(members: Sequence[Label]) -> bool:
    """True if a name comes back, or if one of two labels or more is a voice's by its words."""
    if len({label.name.key for label in members}) < len(members):
        return True
    given = words.table("given-names")
    return len(members) > 1 and any(
        kind_of(label.name) or is_role(label.name.key) or label.name.key.split()[0] in given for label in members
    )


def name_features(
    page: Page, labels: Sequence[Label], everywhere: Mapping[str, set[str]]
) -> dict[str, dict[str, float]]:
    """Features of each name among the labels of one shape, by name.

    Args:
        page: the document.
        labels: the labels of the shape, in order.
        everywhere: by name, the shapes it occurs in on the page.
    """
    by_name: dict[str, list[int]] = defaultdict(list)
    for place, label in enumerate(labels):
        by_name[label.name.key].append(place)
    most = max(len(places) for places in by_name.values())
    known = {key for key, places in by_name.items() if kind_of(labels[places[0]].name) in ("agent", "human")}
    of_known = sum(len(by_name[key]) for key in known)
    returning = sum(1 for places in by_name.values() if len(places) > 1) / len(by_name)
    found: dict[str, dict[str, float]] = {}
    given = words.table("given-names")
    for key, places in by_name.items():
        name = labels[places[0]].name
        cut = frozenset().union(*(labels[place].name.cut for place in places))
        kind = kind_of(name)
        parts = key.split()
        sizes, personal, headed = _bodies(page, labels, places)
        found[key] = {
            "recurs_at_all": float(len(places) > 1),
            "share_of_most": len(places) / most,
            "others_known": (of_known - (len(places) if key in known else 0)) / max(1, len(labels) - len(places)),
            "others_return": returning,
            "names": math.log(len(by_name)),
            "known_returns": float(kind in ("agent", "human", "moderator") and len(places) > 1),
            "field_returns": float(is_field(key) and len(places) > 1),
            "once_among_many": float(len(places) == 1 and most > 2),
            "field_once": float(is_field(key) and len(places) == 1),
            "agent_words": float(kind == "agent"),
            "human_words": float(kind == "human"),
            "moderator_words": float(kind == "moderator"),
            "other_words": float(kind == "other"),
            "role_noun": float(is_role(key)),
            "given_name": float(bool(parts) and parts[0] in given),
            "field": float(is_field(key)),
            "opens_as_field": float(
                len(parts) > 1 and parts[0] in words.table("fields", "sections") - words.table("roles")
            ),
            "section": float(is_section(name.speaker)),
            "role_beside": float("role" in cut and bool(name.role)),
            "model_beside": float("model" in cut),
            "topic_beside": float("topic" in cut),
            "emoji": float("emoji" in cut),
            "verb": float("verb" in cut),
            "noun": float("noun" in cut),
            "addressee": float("addressee" in cut),
            "stage_or_round": float(bool(cut & {"stage", "round", "turn"})),
            "time": float("time" in cut),
            "numbered": float("number" in cut),
            "brackets": float("brackets" in cut),
            "verdict": float("verdict" in cut),
            "capitalised": float(is_capitalised(name.speaker)),
            "upper": float(name.speaker.isupper() and len(name.speaker) > 2),
            "one_word": float(len(parts) == 1),
            "many_words": float(len(parts) > 2),
            "elsewhere": float(len(everywhere[key]) > 1),
            "body_words": math.log1p(sizes),
            "no_body": float(sizes < 2),
            "first_person": personal,
            "headed_body": headed,
        }
    return found


def style_features(page: Page, group: Group) -> dict[str, float]:
    """Features of a shape whose names have been scored."""
    chosen = group.chosen
    kind = group.style.partition(":")[0].rpartition("+")
    counts = Counter(label.name.key for label in chosen)
    turns = len(chosen)
    keys = [label.name.key for label in chosen]
    changes = sum(1 for one, other in itertools.pairwise(keys) if one != other)
    kinds = {kind_of(label.name) for label in chosen}
    text = sum(len(line) for line in page.lines[page.first :]) + 1
    covered = sum(len(line) for line in page.lines[chosen[0].row :]) if chosen else 0
    between = len(group.labels) - turns
    return {
        f"shape_{kind[2]}": 1.0,
        "wrapped": float(bool(kind[0])),
        "turns": math.log1p(turns),
        "voices": math.log1p(len(counts)),
        "recurring": sum(1 for count in counts.values() if count > 1) / max(1, len(counts)),
        "turns_a_voice": math.log(turns / len(counts)) if counts else 0.0,
        "one_voice": float(len(counts) == 1),
        "two_alternate": float(len(counts) == 2 and turns > 3 and changes >= 0.8 * (turns - 1)),
        "known": sum(1 for label in chosen if kind_of(label.name)) / max(1, turns),
        "alternates": changes / max(1, turns - 1),
        "covered": covered / text,
        "left_out": between / max(1, len(group.labels)),
        "mean_score": sum(group.scores[key] for key in keys) / turns if turns else 0.0,
        "least_score": min((group.scores[key] for key in counts), default=0.0),
        "human_and_agent": float("human" in kinds and bool(kinds & {"agent", None})),
        "some_known": float(bool(kinds - {None})),
        "all_known": float(None not in kinds and bool(kinds)),
        "titled": float(_is_titled(page)),
        "rounds": float(_has_rounds(page)),
        "body_words": math.log1p(_bodies(page, chosen, range(turns))[0]) if turns else 0.0,
    }


def score(page: Page, labels: Sequence[Label], *, every: bool = False) -> list[Group]:
    """Every shape of the page with its scores, the likeliest first."""
    model = weights()
    everywhere: dict[str, set[str]] = defaultdict(set)
    for label in labels:
        everywhere[label.name.key].add(label.style)
    found: list[Group] = []
    for style, members in groups(labels, every=every).items():
        features = name_features(page, members, everywhere)
        scores = {key: logistic(model["name"], values) for key, values in features.items()}
        group = Group(style, tuple(members), scores, 0.0)
        if group.chosen:
            found.append(group._replace(score=logistic(model["style"], style_features(page, group))))
    return sorted(
        found, key=lambda group: -group.score - (_PLAIN_FORM if group.style.startswith(("heading", "bold")) else 0)
    )


def guess(page: Page, labels: Sequence[Label]) -> Guess | None:
    """The best reading of a page's labels, the second one, and how sure the best is; None if it holds no turns."""
    scored = score(page, labels) if len(labels) < MOST else []
    best = scored[0] if scored and scored[0].score >= weights()["style_above"] else None
    if best is None or not best.chosen:
        return None
    chosen = with_companion(page, best, scored[1:])
    plain = by_structure(page, labels)
    confidence = logistic(weights()["exact"], exact_features(page, scored, chosen, plain))
    listed = any(label.style.startswith("item") for label in chosen)  # opinions are listed in reports, too
    recurs = not listed and len({label.name.key for label in chosen}) < len(chosen)
    lines = [label.row for label in chosen]
    same = lines == [label.row for label in plain]
    sure = recurs and confidence >= weights()["sure"] and _agreement(chosen, plain) >= 0.9
    other = plain if not same else scored[1].chosen if len(scored) > 1 and scored[1].score > 0.2 else ()
    return Guess(chosen, other if [label.row for label in other] != lines else (), sure)


def _agreement(chosen: Sequence[Label], plain: Sequence[Label]) -> float:
    """Share of the labels of two readings that both have."""
    lines, others = {label.row for label in chosen}, {label.row for label in plain}
    return len(lines & others) / max(1, len(lines | others))


def is_session(chosen: Sequence[Label]) -> bool:
    """True if a person talks with one machine, or one voice is alone: any heading is part of an answer then."""
    kinds = {label.name.key: kind_of(label.name) for label in chosen}
    return len(kinds) == 1 or (len(kinds) == 2 and "human" in kinds.values())


def with_companion(page: Page, best: Group, others: Sequence[Group]) -> tuple[Label, ...]:
    """The best shape's labels, and those of another shape with the same names in sections where the best has none."""
    names = {label.name.key for label in best.chosen}
    chosen = list(best.chosen)
    if len(names) == 1:  # a machine in one shape, and the person in another
        kinds = {kind_of(best.chosen[0].name), "human"}
        for group in others:
            alone = {label.name.key for label in group.chosen}
            if (
                len(alone) == 1
                and len(group.chosen) > 1
                and {kind_of(group.chosen[0].name), *kinds} == {"human", "agent"}
            ):
                return tuple(sorted((*chosen, *group.chosen)))
    for group in others:
        if group.style.startswith(("row", "item")):
            continue
        same = [label for label in group.labels if label.name.key in names]
        if len({label.name.key for label in same}) * 2 < len(names) or len({label.name.key for label in same}) < 2:
            continue
        taken = {label.row for label in (*best.labels, *group.labels)}
        walls = [heading for heading in page.headings if heading.row not in taken]
        rows = [wall.row for wall in walls]
        used = {bisect_right(rows, label.row) for label in best.chosen}
        for label in same:
            at = bisect_right(rows, label.row)
            if at not in used and not (at and is_section(walls[at - 1].plain, strict=True)):
                chosen.append(label)
        break
    return tuple(sorted(chosen, key=lambda label: label.row))


def by_structure(page: Page, labels: Sequence[Label]) -> tuple[Label, ...]:
    """The second reading, which knows no words: the shape whose names come back most and take turns."""
    best: tuple[float, tuple[Label, ...]] = (0.0, ())
    for members in groups(labels).values():
        counts = Counter(label.name.key for label in members)
        taken = tuple(label for label in members if counts[label.name.key] > 1) or tuple(members)
        among = tuple(label for label in members if taken[0].row <= label.row <= taken[-1].row)
        if members[0].style.startswith("heading") and len(among) < 1.5 * len(taken):
            taken = among  # a sister of voices that come back is one herself
        keys = [label.name.key for label in taken]
        changes = sum(1 for one, other in itertools.pairwise(keys) if one != other) / max(1, len(keys) - 1)
        if len(set(keys)) < 2:
            changes = 0.3
        covered = (taken[-1].row - taken[0].row) / max(1, len(page.lines) - page.first)
        few = 1 / math.sqrt(len(set(keys)))
        value = len(taken) * changes * few * (0.2 + covered)
        if value > best[0]:
            best = (value, taken)
    return best[1]


def exact_features(
    page: Page, scored: Sequence[Group], chosen: Sequence[Label], plain: Sequence[Label]
) -> dict[str, float]:
    """Features that tell whether the best reading is exact."""
    best = scored[0]
    counts = Counter(label.name.key for label in chosen)
    margins = [abs(value - 0.5) for value in best.scores.values()]
    kinds = [kind_of(label.name) for label in chosen]
    return {
        "rounds": float(_has_rounds(page)),
        "under_rounds": float(_has_rounds(page) and best.style.startswith("heading")),
        "style_score": best.score,
        "runner_up": scored[1].score if len(scored) > 1 else 0.0,
        "least_margin": min(margins),
        "mean_margin": sum(margins) / len(margins),
        "agreement": _agreement(chosen, plain),
        "recurring": sum(1 for count in counts.values() if count > 1) / len(counts),
        "turns": math.log1p(len(chosen)),
        "voices": math.log1p(len(counts)),
        "known": sum(1 for kind in kinds if kind) / len(kinds),
        "left_out": 1 - len(best.chosen) / len(best.labels),
    }


def _bodies(page: Page, labels: Sequence[Label], places: Sequence[int]) -> tuple[float, float, float]:
    """Of some labels: median number of words up to the next label, share with a pronoun of speech, share headed."""
    speech = words.table("first-person", "address")
    sizes: list[int] = []
    personal = headed = 0
    for place in places:
        label = labels[place]
        end = labels[place + 1].row if place + 1 < len(labels) else len(page.lines)
        text = page.lines[label.row][label.body :] if label.body is not None else ""
        below = page.lines[label.row + 1 : min(end, label.row + 13)]
        first = next((line for line in below if line.strip()), "")
        headed += first.startswith("#")
        found = [word.casefold() for word in _WORDS.findall(" ".join((text, *below)))]
        sizes.append(len(found))
        personal += any(word in speech for word in found[:_READ])
    sizes.sort()
    count = max(1, len(sizes))
    return float(sizes[len(sizes) // 2]) if sizes else 0.0, personal / count, headed / count


def is_announced(page: Page, labels: Sequence[Label]) -> bool:
    """True if something says that a conversation may stand here, though no labels are likely enough.

    That is the title, a heading or a list of participants; rounds; roles as headings; names that come back and speak
    of themselves; lines that a chat's time or name opens; fields for what was asked and answered.
    """
    if len(labels) == MOST:
        return True
    first = next((line for line in page.lines[page.first :] if line.strip()), "")
    title = " ".join([page.title, first, *(heading.plain for heading in page.headings[:1])]).casefold()
    said = words.table("announcements")
    if said & set(_WORDS.findall(title)) or any(sign in title for sign in words.table("announcements-in-signs")):
        return True
    if _has_rounds(page, 1) or any(heading.plain.casefold() in said for heading in page.headings):
        return True
    found: dict[str, list[bool]] = defaultdict(list)
    for label in labels:
        if label.style.startswith("heading"):
            found[label.style].append(is_role(label.name.key) or kind_of(label.name) is not None)
    if any(2 * sum(roles) >= len(roles) and sum(roles) > 1 for roles in found.values()):
        return True
    second = by_structure(page, labels)
    counts = Counter(label.name.key for label in second)
    if 1 < len(counts) < len(second) and 2 * sum(map(is_field, counts)) < len(counts):
        return _bodies(page, second, range(len(second)))[1] >= VOICE
    return _is_chat(page)


def _is_chat(page: Page) -> bool:
    """True if lines list participants, open with times or names of a chat, or name asking and answering."""
    asked = answered = 0
    chat: Counter[str] = Counter()
    for line in page.lines[page.first :]:
        field = _FIELD.match(line)
        if field and field["name"].casefold() in words.table("rosters"):
            return True
        asked, answered = asked + bool(_ASKS.match(line)), answered + bool(_ANSWERS.match(line))
        if match := _CHAT.match(line):
            chat[match[match.lastgroup or 0].strip().casefold()] += 1
    return min(asked, answered) > 1 or 1 < len(chat) < sum(chat.values())


def _is_titled(page: Page) -> bool:
    title = " ".join([page.title, *(heading.plain for heading in page.headings[:1])]).casefold()
    return any(phrase in title for phrase in words.table("conversation-titles"))


def _has_rounds(page: Page, rank: int = 0) -> bool:
    """True if two headings or more open rounds, by words that say so as plainly as this rank."""
    parsed = [rounds.parse(heading.plain) for heading in page.headings]
    return sum(1 for one in parsed if one is not None and not one.refused and one.rank <= rank) > 1
