"""``report`` for people: the sentence, the tables, and the transcript with each finding where its words stand.

Nothing in a transcript becomes markup: a page shows its lines as text, Markdown as an escaped quotation.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise, zip_longest

from mdtally.debate import ANSWERS, Answer, Debate, Round, State, TurnAnswer, Voice
from mdtally.model import SEVERITIES, TextLine, Turn
from mdtally.records import record
from mdtally.regex import regex
from mdtally.render import page as pages
from mdtally.render.findings import Finding, findings, flagged
from mdtally.render.page import Page, Section, Table
from mdtally.render.safe import markdown as inline
from mdtally.render.style import Options, count
from mdtally.rules import Rule
from mdtally.rules import page as rule_page

MOST_VOICES, MOST_IN_MATRIX, MOST_FLAGGED = 40, 12, 12
"""Voices in a table, those with most turns; in the matrix, those who object, or are objected to, most; links on top."""
WRAPPED = 60
"""From this length on, a line that prose follows was wrapped by hand."""
LEGEND: Mapping[Answer, str] = {
    "argues": "it takes issue with what somebody said before it in the round",
    "stands_down": "it says that it has tested an argument and found no material weakness",
    "unsure": "the words do not tell; reading it does, or a second opinion (mdtally lint --second-opinion)",
    "silent": "no claim of anybody who spoke before it in the round is questioned",
}
"""What each answer means."""
_SAYS: Mapping[Answer, tuple[str, str]] = {
    "argues": ("argues", "argue"),
    "stands_down": ("stands down", "stand down"),
    "unsure": ("may or may not", "may or may not"),
    "silent": ("answers nobody", "answer nobody"),
}
_WHY_NOT: Mapping[State, str] = {
    "no_turns": "No turns were recognised, so there is nothing to show",
    "session": "This is the log of a session, not of a panel, so nothing is judged",
    "no_language": "No language pack fits this debate, so only the length of its turns was judged",
    "off": "The gate, or each of its rules, is switched off here, so nothing is judged",
}
_NUMBERS = "no one two three four five six seven eight nine ten eleven twelve".split()
_HEADINGS = tuple(f"{answer.replace('_', ' ')}:" for answer in ANSWERS)
_PROSE = regex(r"[^\W\d_]|[\"'“‘(]")
_OPENS = regex(r"^(\d*)([-+.)])")
_LINK = regex(r"\[([^\]]*)\]\([^)\s]*\)")


# -- The formats ------------------------------------------------------------------------------------------------------


def text(debates: Sequence[Debate], *_: object) -> str:
    """The sentence, the tables, and a row a turn, of each debate."""
    return "\n".join(map(_text, debates))


def _text(debate: Debate) -> str:
    codes: dict[int, dict[str, None]] = defaultdict(dict)
    for finding in findings(debate.file):
        codes[finding.turn.index if finding.turn else 0][finding.code or finding.problem.rule] = None
    rows = tuple(
        (
            str(one.turn.line),
            "" if one.turn.round is None else str(one.turn.round),
            one.turn.speaker,
            answer(one),
            " ".join(codes[one.turn.index]),
        )
        for one in debate.turns
    )
    table = Table(("line:", "round:", "voice", "", "findings"), rows)
    sections = [Section("Turn by turn", tables=(table,))] if rows else []
    lead = f"mdtally report: {debate.file.filename}", f"{headline(debate)}."
    return pages.text(page(debate, lead, sections), Options())


def markdown(debates: Sequence[Debate], *_: object) -> str:
    """The one debate that there is as a note: findings are bold, and link to their rule's page."""
    (debate,) = debates
    lines = (
        [f"\n## The transcript\n{_notes(placed(debate)[1].get(0, ()))}"] if debate.turns or debate.file.problems else []
    )
    lines += map(_quoted, transcript(debate))
    return "".join(("<!-- mdtally report -->\n", *pages.markdown(page(debate, (debate.file.filename,))), *lines))


def html(debates: Sequence[Debate], *_: object) -> str:
    """The page of the one debate that there is."""
    (debate,) = debates
    rules = {finding.code: rule for finding in findings(debate.file) if (rule := finding.rule)}
    return pages.html(
        "report.html",
        page=page(debate, (debate.file.filename,)),
        debate=debate,
        answer=answer,
        round_name=round_name,
        legend=LEGEND,
        flagged=flagged(debate.file),
        most_flagged=MOST_FLAGGED,
        notes=placed(debate)[1].get(0, ()),
        shown=transcript(debate),
        rules=[(rule, _rule_page(rule)) for _, rule in sorted(rules.items())],
    )


def _rule_page(rule: Rule) -> str:
    """A rule's page as markup: our own text, without its links to other pages."""
    import mistune
    from markupsafe import Markup

    text = _LINK.sub(r"\1", rule_page(rule).text).replace("\n## ", "\n#### ")
    return Markup(mistune.create_markdown(escape=True)(f"#### {text.removeprefix('## ')}"))


# -- What it says -----------------------------------------------------------------------------------------------------


def page(debate: Debate, lead: tuple[str, ...], more: Iterable[Section] = ()) -> Page:
    """The voices, the rounds and who takes issue with whom, and more; of an unsure reading only the voices."""
    sections = [_voices(debate)] if debate.voices else []
    if debate.state == "judged":
        sections += [_rounds(debate)] if any(debate.answers.values()) else []
        sections += [_matrix(debate)] if debate.against else []
    settles = ""
    if debate.state in ("unsure", "no_turns"):
        settles = 'Say what a label looks like: mdtally turns --turn "### {speaker}" FILE'
        if debate.file.suggestion:
            settles = "If the turns below are right, say so in the file's frontmatter, and correct names and kinds:"
    doubt = settles, debate.file.suggestion if settles else ""
    return Page(headline(debate), lead, (*sections, *more), doubt)


def headline(debate: Debate) -> str:
    """The one sentence that stands first."""
    if debate.state == "unsure":
        voices = ", ".join(voice.name for voice in debate.voices[:3]) + (", …" if len(debate.voices) > 3 else "")
        what = f"{count(len(debate.turns), 'turn')} of {voices}" if debate.turns else "no turn was recognised"
        return f"How to read this file is not sure ({what}), so nothing is judged"
    if debate.state == "one_voice":
        agents = [voice.name for voice in debate.voices if voice.kind == "agent"]
        who = f"Only {agents[0]} speaks" if agents else "Nobody speaks"
        return f"{who} as an agent: this is no panel, so nothing is judged"
    if debate.state != "judged":
        return _WHY_NOT[debate.state]
    asked = sum(debate.answers.values())
    if not asked:
        return "No agent speaks after another one in the same round, so nobody could answer"
    rounds = [(one.answers["silent"] / one.asked, one.answers["silent"], one) for one in debate.rounds if one.asked]
    share, silent, worst = max(rounds, key=lambda row: row[:2])
    if share >= 0.5 and worst.asked > 1:
        unsure = f", {_number(n)} may or may not" if (n := worst.answers["unsure"]) else ""
        where = f"{round_name(worst)}: " if len(debate.rounds) > 1 else "Of the turns that could answer somebody, "
        return f"{where}{_of(silent, worst.asked)} {_SAYS['silent'][silent != 1]}{unsure}"
    found = [f"{n:,} {_SAYS[kind][n != 1]}" for kind, n in debate.answers.items() if n]
    if len(found) == 1 and asked > 1:
        return f"All {found[0].replace(' ', ' turns that could answer somebody ', 1)}"
    return f"Of the {count(asked, 'turn')} that could answer somebody, {', '.join(found)}"


def answer(one: TurnAnswer) -> str:
    """What a turn does, in words: "argues with Ana"; "" where nothing is said of it."""
    if one.answer is None:
        return "no response" if one.turn.placeholder else ""
    whom = f" with {', '.join(one.against)}" if one.against else ""
    return f"{one.answer.replace('_', ' ')}{whom}{' (second opinion)' if one.decided_by == 'opinion' else ''}"


def round_name(found: Round) -> str:
    """``Round 2``, or where none is stated ``Turns from line 40``."""
    return f"Turns from line {found.line}" if found.number is None else f"Round {found.number}"


def _voices(debate: Debate) -> Section:
    judged = debate.state == "judged"
    busiest = {voice.name for voice in sorted(debate.voices, key=lambda voice: -voice.turns)[:MOST_VOICES]}
    rows = tuple(_voice(voice, judged) for voice in debate.voices if voice.name in busiest)
    left = len(debate.voices) - len(rows)
    sentences = ["Argues to silent count the turns before which another agent spoke in the round."] if judged else []
    sentences += [f"The {len(rows)} voices with most turns; {left} more are left out."] if left else []
    headings = ("voice", "turns:", "words:", *((*_HEADINGS, "padding:", "repeats") if judged else ()))
    return Section("Voices", sentences=tuple(sentences), tables=(Table(headings, rows),))


def _voice(voice: Voice, judged: bool) -> tuple[str, ...]:
    is_agent, size = voice.kind == "agent", (str(voice.turns), f"{voice.words:,}")
    repeats = ", ".join(f"{name}{f' ×{n}' if n > 1 else ''}" for name, n in voice.repeats.items())
    done = (*map(str, voice.answers.values()), str(voice.padding), repeats) if is_agent else ("",) * 6
    return (voice.name if is_agent else f"{voice.name} ({voice.kind})", *size, *(done if judged else ()))


def _rounds(debate: Debate) -> Section:
    asked = [one for one in debate.rounds if one.asked]
    rows = [
        (round_name(one), f"{one.answers['argues']} of {one.asked}", *map(str, one.answers.values())) for one in asked
    ]
    table = Table(("", "share:", *_HEADINGS), tuple(rows), bars=tuple(one.answers for one in asked))
    sentence = "How many of the turns that could answer somebody argue."
    return Section("Round by round", sentences=(sentence,), tables=(table,))


def _matrix(debate: Debate) -> Section:
    weight: Counter[str] = Counter()
    for (who, whom), n in debate.against.items():
        weight.update({name: n for name in (who, whom) if name})
    most = {name for name, _ in weight.most_common(MOST_IN_MATRIX)}
    names = [voice.name for voice in debate.voices if voice.name in most]
    rows = tuple((who, *(str(debate.against.get((who, whom), 0) or "") for whom in (*names, ""))) for who in names)
    sentences = [
        "Turns of the voice in the row that argue and name the one above in a sentence that objects without praise, or"
        " on the label; of two voices it is the other one. The last column: it argues, and names nobody so."
    ]
    sentences += [f"{count(left, 'more voice')} left out."] if (left := len(weight) - len(most)) else []
    table = Table(("", *(f"{name}:" for name in names), "nobody named:"), rows)
    return Section("Who takes issue with whom", sentences=tuple(sentences), tables=(table,))


def _of(part: int, whole: int) -> str:
    every = "both later turns" if whole == 2 else f"all {_number(whole)}"
    return every if part == whole else f"{_number(part)} of {_number(whole)}"


def _number(number: int) -> str:
    return _NUMBERS[number] if number < len(_NUMBERS) else f"{number:,}"


# -- The transcript ---------------------------------------------------------------------------------------------------


@record
class Piece:
    """A stretch of a line: its text, the severity of what is found there or "", and the findings that end with it."""

    text: str
    severity: str = ""
    ends: tuple[Finding, ...] = ()


@record
class Shown:
    """A turn, the round that it opens, findings about the whole of it, and its lines in pieces, with their ends."""

    one: TurnAnswer
    opens: Round | None
    notes: tuple[Finding, ...]
    lines: tuple[tuple[Piece, ...], ...]


def transcript(debate: Debate) -> Iterator[Shown]:
    """Every turn with its findings."""
    within, notes = placed(debate)
    opens = {one.line: one for one in debate.rounds} if len(debate.rounds) > 1 else {}
    for one in debate.turns:
        lines = tuple(_lines(one.turn, within))
        yield Shown(one, opens.get(one.turn.line), tuple(notes.get(one.turn.index, ())), lines)


def placed(debate: Debate) -> tuple[Mapping[int, Sequence[Finding]], Mapping[int, Sequence[Finding]]]:
    """The findings by the line that they stand in, and the others by the turn that they are about, 0 for none."""
    lines = {line.line for one in debate.turns for line in one.turn.lines}
    within: dict[int, list[Finding]] = defaultdict(list)
    notes: dict[int, list[Finding]] = defaultdict(list)
    for finding in findings(debate.file):
        region = finding.problem.region
        places = [n for n in range(region.line, region.end_line + 1) if n in lines]
        if places and (finding.problem.evidence or not finding.turn):
            for number in places:
                within[number].append(finding)
        else:
            notes[finding.turn.index if finding.turn else 0].append(finding)
    return within, notes


def _lines(turn: Turn, within: Mapping[int, Sequence[Finding]]) -> Iterator[tuple[Piece, ...]]:
    """The lines of a turn; prose that was wrapped by hand flows on, so that a phone can wrap it anew."""
    in_code = False
    for line, following in zip_longest(turn.lines, turn.lines[1:]):
        in_code ^= line.text.lstrip().startswith(("```", "~~~"))
        flows = following and len(line.text) >= WRAPPED and not in_code and _PROSE.match(following.text)
        yield (*_pieces(line, within.get(line.line, ())), Piece(" " if flows else "\n"))


def _pieces(line: TextLine, found: Sequence[Finding]) -> Iterator[Piece]:
    """A line cut where findings begin and end."""
    length = len(line.text)
    spans = []
    for finding in found:
        region = finding.problem.region
        start = region.column - line.column if region.line == line.line else 0
        end = region.end_column - line.column if region.end_line == line.line else length
        spans.append((min(max(start, 0), length), min(max(end, 0), length), finding))
    cuts = sorted({0, length, *(at for start, end, _ in spans for at in (start, end))})
    for start, end in pairwise(cuts):
        here = [finding for a, b, finding in spans if a <= start and end <= b]
        severity = max((finding.problem.severity for finding in here), key=SEVERITIES.index, default="")
        ends = tuple(f for _, b, f in spans if b == end and f.problem.region.end_line == line.line)
        yield Piece(line.text[start:end].expandtabs(4), severity, ends)


# -- The transcript as Markdown ---------------------------------------------------------------------------------------


def _quoted(shown: Shown) -> str:
    turn, said = shown.one.turn, answer(shown.one)
    opens = f"\n### {round_name(shown.opens)}\n" if shown.opens else ""
    head = f"{opens}\n**{inline(turn.speaker)}**, line {turn.line}{f': {inline(said)}' if said else ''}\n"
    lines = [_line(line) for line in shown.lines]
    quoted = []
    for text, following in zip_longest(lines, lines[1:]):
        # A backslash breaks a line, where another one follows.
        end = "\\" if text and following and not text.endswith(" ") else ""
        quoted.append(f"> {text.rstrip()}{end}".rstrip() + "\n")
    return "".join((head, _notes(shown.notes), "\n", *quoted))


def _line(pieces: Iterable[Piece]) -> str:
    """A line of a turn, such that it opens no list and no code; one that flows on ends with a space."""
    line = ""
    for piece in pieces:
        text = inline(piece.text.strip("\n"))
        line += f"**{text}**" if piece.severity and text.strip() == text and text else text
        line += "".join(f" ({_rule(finding)})" for finding in piece.ends)
    bare = line.lstrip(" ")
    return "&nbsp;" * (len(line) - len(bare)) + _OPENS.sub(r"\1\\\2", bare) if bare else ""


def _notes(found: Iterable[Finding]) -> str:
    lines = [f"- {inline(finding.problem.message)} ({_rule(finding)})\n" for finding in found]
    return "".join(("\n", *lines)) if lines else ""


def _rule(finding: Finding) -> str:
    return f"[{finding.code}]({finding.rule.url})" if finding.rule else inline(finding.problem.rule)
