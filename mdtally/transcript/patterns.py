"""Patterns: the form of a transcript's labels, given once by a person, and then exact.

    turn: "### {speaker}{? ({role})?}"      ### Ana (CTO)
    turn: "**{speaker}:** {text}"           **Ana:** We cannot pay for both.
    round: "## Round {round}: {any}"        ## Round 2: Rebuttals
    end: "## {any}"                         ## Synthesis
    line: "> {text}"                        each line of a body stands behind "> ", which is no text
    start: "## Transcript"                  nobody speaks above the first such line
    turn: "/\\[(?P<time>[\\d:]+)\\] (?P<speaker>\\w+) > (?P<text>.*)/"

A field stands for as little text as fits, `{any}` and `{text}` for nothing at all if need be; `{? ... ?}` may be
absent; a run of white space stands for any other; an emoji before a name does not matter. A line is tried as a turn,
then as a round, then as an end; what matches nothing is body, or nobody's. A template fits the whole line, a regular
expression from the line's start. A line break in a pattern goes on in the next line that is not blank.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Final

from mdtally.text import rounds
from mdtally.text.line_parts import EMOJI, LABEL_TAIL
from mdtally.text.model import RoundNumber
from mdtally.text.names import Name, plain
from mdtally.text.records import record
from mdtally.text.regex import regex
from mdtally.text.times import BADGE, STAMP, UNTIL
from mdtally.text.voices import KINDS

FIELDS: Final[Mapping[str, str]] = {
    "speaker": r".+?", "role": r".+?", "model": r".+?", "to": r".+?", "stage": r".+?",
    "time": rf"{BADGE}{STAMP}{UNTIL}|\S*\d\S*",
    "round": r"\d+(?:\.\d+)?|[A-Z]|[一二两兩三四五六七八九十]{1,3}", "number": r"\d+(?:\.\d+)*",
    "any": r".*?", "text": r".*?",
}  # fmt: skip
"""The fields that a template may have, with what each of them matches."""

_TOKEN = regex(r"\{\?|\?\}|\{(?P<field>[A-Za-z_ ]*)\}|(?P<space>\s+)|(?P<literal>[^\s{}?]+|[{}?])")
# Between the lines of a label, also as it is printed: "## {speaker}\n{time}". In an expression "\n" may mean something.
_BREAK = regex(r"[ \t]*(?:\n|\\n)\s*")
_BREAK_OF_EXPRESSIONS = regex(r"[ \t]*\n\s*|(?<=/)\\n|\\n(?=/)")
ANYBODY: Final = "speaker"
"""Among patterns that fix voices, the key of those that do not."""
_LONGEST: Final = 500
_GAP: Final = r"(?<!\s)"
"""Where white space begins: without it a run of blanks would be tried from each of them, which costs its square."""
_FACE: Final = rf"(?:\d?[{EMOJI}]+\s*)?"
_HAS_FACE = regex(f"[{EMOJI}]")
_NARROW: Final = frozenset({"round", "number", "time"})
_SIGNS: Final = frozenset(":：-–—|>")
"""Signs that part a name from the text, with or without white space behind them."""
_BESIDE: Final = 3
"""Each further field side by side multiplies the time that a line takes which does not fit."""


class PatternError(ValueError):
    """A pattern that cannot be used; the message says why, for a person."""


@record
class Pattern:
    """A compiled pattern.

    Attributes:
        source: as the person wrote it.
        regex: what lines are matched with, their leading white space aside.
        needs: the words and signs of a template outside of its fields; a line without one of them is not searched.
        faced: the expression for lines with an emoji before their label, or before one of the names: few need it.
        whole: True for a template, which has to fit the whole line.
        voice: who speaks where it matches, for labels that carry no name; "" if the line says it.
        steps: a template's parts, as (shown, regex) pairs: how far a line fits is told by them.
        below: what the next line that is not blank has to match as well; None for a label of one line.
    """

    source: str
    regex: re.Pattern[str]
    needs: tuple[str, ...]
    faced: str
    whole: bool
    steps: tuple[tuple[str, str], ...] = ()
    voice: str = ""
    below: Pattern | None = None

    def match(self, line: str) -> re.Match[str] | None:
        """The match on a line, from its first character that is not white space; a template's up to the last such."""
        if not all(need in line for need in self.needs):
            return None
        start, end = len(line) - len(line.lstrip()), len(line.rstrip())
        found = self.regex.fullmatch(line, start, end) if self.whole else self.regex.match(line, start)
        is_faced = self.whole and not found and not line.isascii() and _HAS_FACE.search(line)
        return re.compile(self.faced).fullmatch(line, start, end) if is_faced else found


@record
class Patterns:
    """The patterns of one transcript, each tried in its order; without `turns` none are given.

    Attributes:
        turns, rounds, ends: of the lines that open turns and rounds, and that end a turn without opening one.
        line: of each line of a body, if something stands before its text; None if nothing does.
        first: of the line above which nobody speaks; None for the whole text.
    """

    turns: tuple[Pattern, ...] = ()
    rounds: tuple[Pattern, ...] = ()
    ends: tuple[Pattern, ...] = ()
    line: Pattern | None = None
    first: Pattern | None = None


@record
class Start:
    """Where a turn starts: what a turn's pattern reads on a label.

    Attributes:
        row, column: index of the label's line, and offset of the label there.
        last: index of the label's last line.
        body, end: offsets in that line between which text stands; None for no text, and for the line's end.
        name: who speaks, with what the label says besides.
        pattern: what the label matched.
    """

    row: int
    column: int
    last: int
    body: int | None
    end: int | None
    name: Name
    pattern: Pattern


def compile_pattern(source: str, *, turn: bool = False, voice: str = "", names: Collection[str] = ()) -> Pattern:
    """A template, or a regular expression between slashes, compiled.

    Args:
        source: as the person wrote it.
        turn: it is to find turns, and so needs `{speaker}`, or a voice.
        voice: who speaks where it matches, if the line does not say it.
        names: all that `{speaker}` may stand for, case-folded; () for anything.

    Raises:
        PatternError: it cannot be used.
    """
    text = source.strip()
    if not text:
        raise PatternError("the pattern is empty")
    if len(text) > _LONGEST:
        raise PatternError(f"the pattern has {len(text)} characters, and {_LONGEST} are the most")
    first, *others = (_BREAK_OF_EXPRESSIONS if text[0] == "/" else _BREAK).split(text, maxsplit=1)
    steps: tuple[tuple[str, str], ...] = ()
    whole = not (len(first) > 1 and first[0] == first[-1] == "/")
    if whole:
        steps = _steps(first, names)
        tail = "" if first.endswith("{text}") else rf"(?:{_GAP}\s*{LABEL_TAIL})?"
        hashes = r"(?:(?<![\s#])\s*#*)?" if first.startswith("#") else ""
        expression = f"{_FACE}{''.join(step for _, step in steps)}{tail}{hashes}"
    else:
        expression = first[1:-1]
    try:
        compiled = re.compile(expression.replace(_FACE, "") if whole else expression)
    except re.error as error:
        raise PatternError(f"the pattern {source!r} is no regular expression: {error}") from error
    below = compile_pattern(others[0], names=names) if others else None
    fields, line = {*compiled.groupindex}, below
    while line:
        fields, line = fields | {*line.regex.groupindex}, line.below
    if turn and not voice and "speaker" not in fields:
        wanted = "{speaker}" if whole else "(?P<speaker>…)"
        why = "" if whole or "{speaker}" not in text else " (what stands between slashes is a regular expression)"
        raise PatternError(f"the pattern {source!r} does not say where the name stands: put {wanted} there{why}")
    needs = tuple(dict.fromkeys(shown for shown, step in steps if step == re.escape(shown)))
    return Pattern(text, compiled, needs, expression, whole, steps, voice, below)


def compile_all(
    turn: Sequence[str] | Mapping[str, Sequence[str]],
    round_: Sequence[str] = (),
    end: Sequence[str] = (),
    line: str = "",
    first: str = "",
    names: Mapping[str, str] = {},
) -> Patterns:
    """The patterns of one transcript, compiled; of turns a list, or by voice those that fix it.

    Args:
        turn, round_, end, line, first: as the person wrote them.
        names: by spelling, case-folded, the voices that alone open turns; none for any.

    Raises:
        PatternError: one of them cannot be used, or none finds turns.
    """
    if not turn:
        raise PatternError('there is no pattern for turns; give at least one, such as "### {speaker}"')
    by_voice = turn if isinstance(turn, Mapping) else {ANYBODY: turn}
    if all(one.strip() == "{text}" for found in by_voice.values() for one in found):
        raise PatternError("`{text}` alone is what stands between the turns of somebody else: give a pattern for those")
    turns: list[Pattern] = []
    for is_strict in (True, False) if names else (False,):
        for voice, found in by_voice.items():
            own = [spelling for spelling, name in names.items() if voice in (ANYBODY, name)] if is_strict else ()
            fixed = "" if voice == ANYBODY else voice
            turns += [compile_pattern(source, turn=True, voice=fixed, names=own) for source in found]
    opening, ending = (tuple(map(compile_pattern, sources)) for sources in (round_, end))
    prefix, begin = (compile_pattern(source) if source else None for source in (line, first))
    return Patterns(tuple(turns), opening, ending, prefix, begin)


def match_lines(pattern: Pattern, lines: Sequence[str], row: int) -> list[tuple[int, re.Match[str]]]:
    """The rows and matches of a pattern's lines from a row on, those aside that are blank; [] if one does not match."""
    match, below = pattern.match(lines[row]), pattern.below
    if match is None or below is None:
        return [(row, match)] if match else []
    others = match_lines(below, lines, next((at for at in range(row + 1, len(lines)) if lines[at].strip()), row))
    return [(row, match), *others] if others else []


def read_turn(pattern: Pattern, lines: Sequence[str], row: int) -> Start | None:
    """What a turn's pattern reads on the line of a row; None if it does not match, or the name is empty."""
    found = match_lines(pattern, lines, row)
    if not found:
        return None
    last, match = found[-1]
    groups = {field: value for _, one in found for field, value in one.groupdict().items()}
    said = {field: (value or "").strip() for field, value in groups.items()}
    speaker = plain(said.get("speaker", "")) or said.get("speaker", "")
    speaker = speaker[1:-1].strip() if speaker[:1] == "[" and speaker[-1] == "]" else speaker
    speaker = speaker or pattern.voice
    if not speaker:
        return None
    role, model, addressee = (plain(said.get(field, "")) for field in ("role", "model", "to"))
    note = ", ".join(said[field] for field in ("stage", "time") if said.get(field))
    number = rounds.number_of(said["round"]) if said.get("round") else None
    kind = KINDS.get(said.get("role", "").casefold())  # "Ana (user)"
    name = Name(speaker, role, model, addressee, note, number, kind)
    text = match.groupdict().get("text") or ""
    body = match.end("text") - len(text.lstrip()) if text.strip() else None
    column, end = len(lines[row]) - len(lines[row].lstrip()), match.end("text") if body is not None else None
    return Start(row, column, last, body, end, name, pattern)


def round_of(match: re.Match[str]) -> RoundNumber | None:
    """The number that a line states that a round's pattern matches, if it states one."""
    token = match.groupdict().get("round")
    if token is None:
        stage = plain(match.groupdict().get("stage") or "")
        parsed = rounds.parse(stage)
        return parsed.number if parsed else rounds.stage(stage)
    return rounds.number_of(token)


def nearest(pattern: Pattern, lines: Sequence[str]) -> tuple[int, str] | None:
    """The line that comes nearest to a pattern that matched none: its index, and where it departs; None if none does.

    A template's parts are tried one after the other; the line that fits most of them is nearest, and among those that
    fit none the one that looks most like the template.
    """
    import difflib  # 5 ms, and only for a pattern that failed

    sizes = range(1, len(pattern.steps) + 1)
    known = [regex(_FACE + "".join(step for _, step in pattern.steps[:size])) for size in sizes]
    texts = {index: line.strip() for index, line in enumerate(lines) if 0 < len(line.strip()) <= _LONGEST}
    fits = {index: sum(bool(prefix.match(text)) for prefix in known) for index, text in texts.items()}
    best = max(fits, key=lambda index: fits[index], default=None)
    if best is None or fits[best] < 2:
        beginnings = [text[: 2 * len(pattern.source)] for text in texts.values()]
        near = difflib.get_close_matches(pattern.source, beginnings, 1, 0.5)
        best = next((index for index, text in texts.items() if near and text.startswith(near[0])), None)
    if best is None:
        return None
    missing = next((shown for shown, _ in pattern.steps[fits[best] :] if shown.strip()), "")
    if missing or not pattern.steps:
        return best, f"it has no {missing!r} there" if missing else ""
    if pattern.below and pattern.match(lines[best]):
        return best, f"what stands below it does not fit {pattern.below.source!r}"
    return best, "more text stands behind it: end the pattern with {text} or {any}"


def _steps(text: str, names: Collection[str] = ()) -> tuple[tuple[str, str], ...]:
    """A template as regexes part by part; an optional stretch is one part."""
    tokens = list(_TOKEN.finditer(text))
    steps: list[tuple[str, str]] = []
    opened: int | None = None
    seen: set[str] = set()
    beside = 0  # fields that take any text, one after another with at most white space between them
    for place, token in enumerate(tokens):
        shown = token.group()
        before = tokens[place - 1].group() if place else ""
        after = tokens[place + 1].group() if place + 1 < len(tokens) else ""
        if shown == "{?":
            if opened is not None:
                raise PatternError(f"in {text!r} an optional part opens inside another")
            opened = len(steps)
        elif shown == "?}":
            if opened is None:
                raise PatternError(f"in {text!r} an optional part ends that never began")
            inner, expression = ("".join(step[part] for step in steps[opened:]) for part in (0, 1))
            steps[opened:] = [("{?" + inner + "?}", f"(?:{expression})?")]
            opened = None
        elif token["field"] is not None:
            field = token["field"].strip().casefold()
            if field not in FIELDS:
                import difflib  # only for a field that is none

                near = difflib.get_close_matches(field, FIELDS, 1)
                hint = f"; did you mean {{{near[0]}}}?" if near else f"; there are {', '.join(sorted(FIELDS))}"
                raise PatternError(f"there is no field {{{field}}}{hint}")
            if (is_more := field in seen) and field not in ("any", "number"):
                raise PatternError(f"{{{field}}} stands twice in {text!r}")
            seen.add(field)
            beside = beside + 1 if field not in _NARROW else 0
            if beside > _BESIDE:
                many = f"more than {_BESIDE} fields stand side by side"
                raise PatternError(f"in {text!r} {many}; put a sign between them")
            stands_for = _one_of(names) if names and field == "speaker" else FIELDS[field]
            expression = f"(?:{stands_for})" if is_more or field == "any" else f"(?P<{field}>{stands_for})"
            if field in ("any", "text") and before.isspace() and steps and opened != len(steps):
                steps.pop()  # with nothing behind it the white space is gone, too
                # "Ana:No." of a voice that is known is no address, and no time
                sign = steps[-1][0].rstrip("*_`")[-1:] if steps else ""
                is_parted = bool(names) and field == "text" and sign in _SIGNS
                expression = rf"(?:\s{'*' if is_parted else '+'}{expression})??"
            elif field == "speaker":
                expression = _FACE + expression
            steps.append((shown, expression))
        elif token["space"]:
            # At the edge of what may be absent or empty, so may be the white space.
            loose = before in ("{?", "?}", "{any}", "{text}") or after in ("{?", "?}")
            steps.append((" ", r"\s*" if loose else rf"{_GAP}\s++"))
        else:
            beside = 0
            steps.append((shown, re.escape(shown)))
    if opened is not None:
        raise PatternError(f"in {text!r} an optional part opens with {{? and never ends with ?}}")
    return tuple(steps)


def _one_of(names: Collection[str]) -> str:
    """A regex for one of some names, whatever emphasis and case it is written in, the longest first."""
    # A name of nothing but signs is folded to nothing.
    longest = sorted(filter(None, names), key=len, reverse=True)
    written = (re.escape(name).replace("'", "['’]").replace(r"\ ", r"[\s_]+") for name in longest)
    ends = [text + r"(?![^\W_])" * text[-1].isascii() for text in written]
    return rf"[*_`@]{{0,6}}(?i:{'|'.join(ends) or '(?!)'})(?![*_`]+[^\W\d_])[*_`]*"  # no "**Q**uestion"
