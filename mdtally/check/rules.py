"""The rules: their table, and what those do that look at a whole file.

To add a rule: a row in ``rules.txt``, which holds every fact of it, and its page ``docs/rules/CODE-name.md`` with a
summary in its frontmatter. What finds it is one of three things:

- the room that reads the head, the turns or the counters makes a ``Problem`` with the rule's name: the row says no
  more;
- the gate makes a ``Failure`` of that kind (``too_short`` for ``too-short``): the row has the message;
- a function of this file looks at all that was read of a file: ``CHECKS`` names it.

`tests/check/test_rules.py` holds table, pages and their examples together.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, cast

from mdtally.text import datafiles, frontmatter
from mdtally.text.document import Document
from mdtally.text.model import Counts, Problem, Region, Severity, Transcript, Turn
from mdtally.text.records import record
from mdtally.text.regex import regex

if TYPE_CHECKING:
    from mdtally.gate.result import Failure, GateResult


@record
class Response:
    """An agent's turn in a panel, with what the gate says of it.

    Attributes:
        result: None where the turn was not gated (a placeholder).
        earlier: the other agents who had spoken before it in its group, so that it could answer them.
        repeats: the earlier turn that it echoes; None where it echoes none.
        copied: it is that turn's text, word for word.
    """

    turn: Turn
    result: GateResult | None
    earlier: tuple[str, ...] = ()
    repeats: Turn | None = None
    copied: bool = False


@record
class Checked:
    """All that a rule may look at in one file; computed once, whatever rules run.

    Attributes:
        problems: what reading the head, the transcript and the counters brought up.
        responses: the gated turns; empty where the gate does not apply.
        language: the language the gate read them in; "" where no pack fits, None where nothing was gated.
        stale: why the verdict in the frontmatter is out of date, or None.
    """

    document: Document
    transcript: Transcript
    counts: Counts
    problems: tuple[Problem, ...] = ()
    responses: tuple[Response, ...] = ()
    language: str | None = None
    stale: str | None = None


@record
class Rule:
    """A row of the table.

    Attributes:
        code, name: such as "MDT102" and "no-disagreement-signal"; both are accepted everywhere.
        severity: the gravest severity its findings have; a finding may be milder.
        says: the message for a failure of the gate, with places for its words; "" for every other rule.
        layer: the published layer of the gate it is, 1 to 3; 0 for every other rule.
    """

    code: str
    name: str
    severity: Severity
    says: str = ""
    layer: int = 0

    @property
    def gates(self) -> bool:
        """True for a rule that judges a response: it sends the response back, or says something of it."""
        return self.code.startswith("MDT1")

    @property
    def url(self) -> str | None:
        """Where its page can be read on the web; None while the project is not published."""
        from mdtally.text.about import REPOSITORY

        return f"{REPOSITORY}/blob/main/docs/rules/{self.code}-{self.name}.md" if REPOSITORY else None

    @property
    def page(self) -> RulePage:
        """Its page, read only where it is shown."""
        return _page(f"{self.code}-{self.name}")


Complaint = tuple[Turn | Region, str, str]
"""What a check finds: the turn or place, the message, and a hint or ""."""
Finder = Callable[["Checked"], Iterator[Complaint]]

SHORTEST_STREAK = 3
"""Turns after somebody else's in which a speaker stands down, and in no other, from which on it is reported."""


def no_turns(checked: Checked) -> Iterator[Complaint]:
    """A declared transcript without turns; a log with counters needs none."""
    transcript = checked.transcript
    is_log = transcript.kind != "debate" and checked.counts.decided_by
    if transcript.declared and not transcript.turns and not is_log:
        how = "name the speakers in the head as their labels do, or point at labels (`mdtally turns FILE --like LINE`)"
        message = f"declared a {transcript.kind or 'transcript'}, but no turn was recognised; {how}"
        yield _at_top(checked.document, message)


def _at_top(document: Document, message: str) -> Complaint:
    """What is said where the body begins; its hint: what looks most like labels, "seen were line 5 `Me:`"."""
    from mdtally.check.settling import likely_labels

    line = min(document.body_line, max(1, len(document.lines)))
    shown = ", ".join(f"line {line} `{text[:40]}`" for line, text in likely_labels(document)[:3])
    return Region(line, 1, line, 1), message, f"seen were {shown}" if shown else ""


def unsure_reading(checked: Checked) -> Iterator[Complaint]:
    """A file that looks like a transcript and may be read wrongly: nothing in it is gated."""
    transcript = checked.transcript
    if transcript.unsure and not transcript.turns:
        message = "may hold a conversation, but no turn was recognised, so nothing is checked; see `mdtally turns FILE`"
        yield _at_top(checked.document, message)
    elif transcript.unsure:
        voices = _join_names(list(dict.fromkeys(turn.speaker for turn in transcript.turns)), "and")
        what, turns = transcript.kind or "transcript", len(transcript.turns)
        told = f"looks like a {what} of {voices} ({turns} turn{'s' * (turns != 1)})"
        message = f"{told}; declare it, so that it is checked"
        hint = "`mdtally turns FILE` offers readings, and `--accept 1` keeps the first"
        yield transcript.turns[0].region(), message, hint


def placeholder_turn(checked: Checked) -> Iterator[Complaint]:
    """Every turn of an agent that is empty or says that there was no response."""
    for turn in () if checked.transcript.unsure else checked.transcript.turns:
        if turn.placeholder and turn.kind == "agent":
            yield turn, f"{turn.speaker} gave no response here; not gated", ""


def no_language_pack(checked: Checked) -> Iterator[Complaint]:
    """Only the length was checked: once a file, or, of a debate with a pack, each turn in another language."""
    from mdtally.gate.pack import languages

    # An empty turn is in no language: a template that waits to be filled in needs no pack.
    turn = next((response.turn for response in checked.responses if not response.turn.placeholder), None)
    if checked.language == "" and turn:
        stated = str(checked.document.head.values.get("language") or "")
        why = f"`language:` {stated!r:.40} names no language pack" if stated else "no language pack fits this debate"
        done = "forbidden phrases and disagreement signals were looked for only in turns plainly in another language"
        advice = "" if stated else ": if it is in one of these, name that with `language:` in the frontmatter"
        yield turn, f"{why}: {done}; there is a pack for {', '.join(languages())}{advice}", ""
    for response in checked.responses if checked.language else ():
        if response.result is not None and not response.result.language:
            message = "no language pack fits this turn: neither forbidden phrases nor disagreement were looked for"
            yield response.turn, message + "; a model says whether it takes issue" * bool(response.result.issue), ""


def single_expert(checked: Checked) -> Iterator[Complaint]:
    """Once a debate: there was no panel to gate. That a session is not gated, the summary says."""
    turns = checked.transcript.turns
    agents = {turn.speaker for turn in turns if turn.kind == "agent"}
    if turns and checked.transcript.kind != "session" and len(agents) < 2 and not checked.transcript.unsure:
        who = f"only {next(iter(agents))} speaks as an agent" if agents else "no agent speaks"
        yield turns[0].region(), f"{who} here: no panel, so the gate was not applied", ""


def stand_down_streak(checked: Checked) -> Iterator[Complaint]:
    """A speaker who stands down in every turn that answers somebody: once, at the last of them."""
    first_speaker: dict[int, str] = {}
    later: dict[str, list[tuple[Turn, bool]]] = defaultdict(list)
    for response in checked.responses:
        turn, result = response.turn, response.result
        opener = first_speaker.setdefault(turn.group, turn.speaker)
        if result is not None and (turn.speaker != opener or result.stand_down):
            later[turn.speaker].append((turn, result.stand_down))
    for speaker, turns in later.items():
        if len(turns) >= SHORTEST_STREAK and all(stood_down for _, stood_down in turns):
            message = f"{speaker} stands down in all {len(turns)} turns that answer somebody"
            hint = "Attack the strongest claim of an earlier speaker: name a case in which it fails."
            yield turns[-1][0], message, hint


def stale_verdict(checked: Checked) -> Iterator[Complaint]:
    """A verdict in the frontmatter that the log no longer bears out."""
    if checked.stale is not None:
        line = checked.document.head.lines.get("verdict", 1)
        yield Region(line, 1, line, 1), f"{checked.stale}; run `mdtally verdict FILE`", ""


def untagged_agreement(checked: Checked) -> Iterator[Complaint]:
    """Turns of a session that most likely hold an event and carry no tag; a reviewed log, or of totals, needs none."""
    from mdtally.session import reviewed_on

    transcript, is_reviewed = checked.transcript, reviewed_on(checked.document.head)
    if transcript.kind != "session" or transcript.unsure or is_reviewed or checked.counts.decided_by == "tallies":
        return
    from mdtally.events import LIKELY, candidates

    found = candidates(checked.document)
    first = min((one.run for one in found.ranked if not one.events), key=lambda run: run.line, default=None)
    if found.unread and first:
        yield first.turns[0], found.unread, "`mdtally review FILE` asks about every reply"
    for one in found.ranked:
        if one.weighed.score >= LIKELY and not one.events:
            turn = one.run.turns[0]
            message = f"{turn.speaker} most likely agreed or held its position here, and no tag says so"
            yield turn, f"{message} ({one.weighed.cue})", "`mdtally review FILE` asks about such turns"


# -- The table --------------------------------------------------------------------------------------------------------

_OF_FILES: tuple[Finder, ...] = (no_turns, unsure_reading, no_language_pack, single_expert, stale_verdict)
_OF_TURNS: tuple[Finder, ...] = (placeholder_turn, stand_down_streak, untagged_agreement)
CHECKS = {check.__name__.replace("_", "-"): check for check in (*_OF_FILES, *_OF_TURNS)}
"""What finds the problems of a rule in a file, by its name, where no other room does: a function that is called so."""


def _rule_of_row(row: str) -> Rule:
    """A row of rules.txt as a record."""
    facts, _, says = row.partition(": ")
    code, name, severity, *more = facts.split()
    layer = next((int(word[-1]) for word in more if word.startswith("layer-")), 0)
    return Rule(code, name, cast("Severity", severity), says, layer)


TABLE = tuple(map(_rule_of_row, datafiles.rows(__file__, "rules.txt")))

RULES = MappingProxyType({rule.name: rule for rule in TABLE})
"""Every rule by its name, in the order of the table."""

_BY_WORD = {**RULES, **{rule.code.lower(): rule for rule in TABLE}}


_CONCEDES = "concedes to {earlier}, for no reason that is new since its last turn"
"""The message of layer 2 where a stated stance decides it."""


def gate_problems(response: Response) -> list[tuple[Failure, Problem]]:
    """The gate's failures of a response, each with its problem at its place in the file."""
    found = []
    turn = response.turn
    issue = response.result.issue if response.result is not None else None
    for failure in response.result.failures if response.result is not None else ():
        rule = RULES[failure.kind.replace("_", "-")]
        seen = failure.span.one_line(turn.text).strip(",;:") if failure.span else ""
        says = {"detail": failure.detail, "seen": seen or failure.detail}
        concedes = failure.layer == 2 and issue and issue.decided_by == "stance"
        message = _CONCEDES if concedes else rule.says
        message = message.format(**says, earlier=_join_names(response.earlier), source=_source(response))
        detail = "" if failure.detail.casefold() in message.casefold() else failure.detail
        place = turn.region(failure.span)
        found.append((failure, Problem(rule.name, message, place, failure.severity, turn.index, seen, detail=detail)))
    return found


def find_problems(checked: Checked, selection: frozenset[str]) -> list[Problem]:
    """All that the selected rules find in a file, whoever finds it; in no order."""
    found = [*checked.problems, *(problem for one in checked.responses for _, problem in gate_problems(one))]
    for name, check in CHECKS.items():
        for at, message, hint in check(checked) if name in selection else ():
            index, place = (at.index, at.region()) if isinstance(at, Turn) else (None, at)
            found.append(Problem(name, message, place, RULES[name].severity, index, hint=hint))
    return [problem for problem in found if problem.rule in selection]


def _join_names(names: Sequence[str], word: str = "or") -> str:
    """``Ana``, ``Ana or Ben``, ``Ana, Ben or 4 others``: the latest of them."""
    if len(names) > 3:
        return f"{', '.join(names[-2:])} {word} {len(names) - 2} others"
    return f" {word} ".join(filter(None, (", ".join(names[:-1]), *names[-1:]))) or "anybody"


def _source(response: Response) -> str:
    if response.repeats is None:
        return "what was said before"
    speaker = response.repeats.speaker
    whose = f"{speaker}'s own turn" if speaker == response.turn.speaker else speaker
    said = f"line {response.repeats.line} ({whose})"
    return f"{said}, word for word" if response.copied else said


# -- Names and pages --------------------------------------------------------------------------------------------------


def find(word: str) -> Rule | None:
    """The rule with this code or name, in any case, or the gate's word, such as too_short; None where there is none."""
    return _BY_WORD.get(word.strip().lower().replace("_", "-"))


def no_rule(word: str) -> str:
    """That a word is not a rule, with the rule whose code or name is most like it, if one is."""
    import difflib

    def nearness(one: str) -> tuple[float, int]:
        """How like it is; of codes that are equally near, MDT101 and MDT211 to MDT1O1, the longest piece counts."""
        likeness = difflib.SequenceMatcher(None, one, word.lower())
        return likeness.ratio(), likeness.find_longest_match().size

    close = difflib.get_close_matches(word.lower(), [max(_BY_WORD, key=nearness)])
    near = "".join(f"; the nearest is {rule.code} {rule.name}" for rule in map(_BY_WORD.__getitem__, close))
    return f"there is no rule {word}{near} (`mdtally rule` lists them all)"


def select(choose: Sequence[str], ignore: Sequence[str]) -> tuple[frozenset[str], list[str]]:
    """The names of the rules that run, and the words that are not rules.

    Args:
        choose: codes, names or beginnings of codes ("MDT1"); empty, as "ALL", for every rule.
        ignore: the same, taken away.
    """

    def rule_names(word: str) -> frozenset[str]:
        key, rule = word.strip().upper(), find(word)
        group = (r.name for r in TABLE if key == "ALL" or (len(key) >= 4 and r.code.startswith(key)))
        return frozenset([rule.name] if rule else group)

    chosen = frozenset().union(*map(rule_names, choose or ["ALL"]))
    unknown = [word.strip() for word in (*choose, *ignore) if not rule_names(word)]
    return chosen.difference(*map(rule_names, ignore)), unknown


@record
class RulePage:
    """What a rule's page says: the summary, one sentence without a stop, and the sections in Markdown."""

    summary: str
    text: str


# "[a model](../asking-a-model.md)", "[MDT210](MDT210-near-miss-tag.md)", "[the stand-down](../gate.md#what-it-asks)"
_LINK = regex(r"\[([^\]]*)\]\((?:\.\./([\w/-]+\.md)|([\w-]+\.md))[^)]*\)")


@cache
def _page(name: str) -> RulePage:
    """A page of the package, or of the checkout's documentation; a terminal and an editor follow no links from it."""
    package = Path(__file__).parents[1]
    for folder in (package / "rule_pages", package.parent / "docs" / "rules"):
        with suppress(FileNotFoundError):
            post = frontmatter.loads((folder / f"{name}.md").read_text("utf-8"))
            text = post.content[post.content.index("\n## ") + 1 :]
            text = _LINK.sub(lambda link: f"{link[1]} (docs/{link[2] or f'rules/{link[3]}'})", text)
            return RulePage(str(post["summary"]), text)
    raise FileNotFoundError(f"the page {name} is missing from this installation")


def page_markdown(rule: Rule) -> str:
    """A rule's page in Markdown, as ``mdtally rule`` prints it."""
    layer = f", layer {rule.layer} of the gate" if rule.layer else ""
    facts = f"`{rule.code}` `{rule.name}`: {rule.severity}{layer}."
    return f"# {rule.code} {rule.name}\n\n{rule.page.summary}.\n\n{facts}\n\n{rule.page.text}"


def failure_mode(word: str) -> str:
    """The page of the failure mode that verdicts name, as ``mdtally rule`` prints it; "" for any other word."""
    if word.strip().upper() != "F01":
        return ""
    one = _page("F01-sycophancy")
    return f"# F01 sycophancy\n\n{one.summary}.\n\n{one.text}"
