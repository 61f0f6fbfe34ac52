"""What a review shows in a terminal: plain lines, no cursor movement, as wide as the terminal, 78 columns at most."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePath

from mdtally.ask import (
    VERDICT,
    Ask,
    EventWalk,
    NewLabels,
    OfferedReadings,
    OpenQuestions,
    Passage,
    Question,
    ReviewedTurn,
    SessionPicture,
    Tell,
    Wrote,
    session_words,
    unlikely,
)
from mdtally.ask.picture import marks_of
from mdtally.check.reports import VerdictReport
from mdtally.events.replies import is_unasked
from mdtally.events.runs import said_by
from mdtally.events.survey.note import SurveyedReply, SurveyNote
from mdtally.session import counts as counting
from mdtally.show import drawing, verdict_output
from mdtally.show.diff import file_diff
from mdtally.show.style import Options, Style
from mdtally.text import datafiles, safe
from mdtally.text.document import Document
from mdtally.text.intervals import ENOUGH
from mdtally.text.line_parts import original_name
from mdtally.text.model import Event, Turn, errors_of
from mdtally.text.percent import count
from mdtally.text.records import replace
from mdtally.transcript import label_lines

_WIDEST, _NARROWEST = 78, 20
_LINES = 6  # of a text, until more is asked for
_ALL = 400
_ALWAYS = {"s": "skip", "b": "back", "u": "undo", "m": "more", "?": "help", "q": "quit"}
KEY_WORDS = {"decision": {"f": "no more"}, "speaker": {"s": "same", "f": "same to end"}}
"""By question, the words of keys that it alone has, or that do something else at it."""
_ASIDE = ("b", "?", "q")  # the keys that are named again in the middle of a turn
_OF_EVENTS = ("decision", "pressure", "evidence")
"""The questions about an event, in their order."""
_MOST_LINES = 12
_FACTS = "[agree pressure=pushback evidence=none]"
_TAGS = f"write at the end of the reply's first paragraph: {_FACTS} and the like"
_MARKS = f"write into its mark `[ ]`: {_FACTS} or [hold evidence=found] and the like, [no event], [skip: why]"


def question_text(request: Ask, options: Options) -> str:
    """A question with its keys, below what it is about; the answer that is offered stands last, with what was seen."""
    question, paint = request.question, options.paint
    keys = {key: _ALWAYS[key] for key in _ASIDE} if question.name in _OF_EVENTS[1:] else _ALWAYS
    keys = keys | KEY_WORDS.get(question.name, {})
    unused = {*question.answers, *("m" if question.name != "decision" else "")}  # else all is shown already
    answers = [f"[{key}] {safe.terminal(words)}" for key, words in question.answers.items()]
    if question.name in ("reading", "person"):
        answers = [safe.clip(f"  {answer}", _width(options)) for answer in answers]
    else:
        answers = safe.wrap("  ".join(answers), _width(options), "  ", "  ")
    named = "  ".join(f"[{key}] {words}" for key, words in keys.items() if key not in unused)
    lines = [
        *(paint(line, "strong") for line in safe.wrap(question.asks, _width(options))),
        *answers,
        *(paint(line, "faint") for line in safe.wrap(named, _width(options), "  ", "  ")),
    ]
    if question.offer:
        offered = f"[Enter] {question.answers[question.offer]}" + f": {question.because}" * bool(question.because)
        lines += safe.wrap(safe.terminal(offered), _width(options), "  ", "  ")
    about = record_text(request.about, options) if request.is_new else ""
    return about + "".join(f"{line}\n" for line in lines) + "> "


def answer_text(question: Question, key: str) -> str:
    """The answer that a key gave, in words, as the rest of the line of the question."""
    pressed = question.key_meaning(key)
    words = question.answers.get(pressed) or key.strip()
    if pressed == "again":
        offer = "Enter takes what is offered" if question.offer else "no answer is offered here"
        words = f"{words}: not one of the keys" if words else f"{offer}: press one of the keys"
    return safe.clip(safe.terminal(words), 60) + "\n"


def tell_text(tell: Tell, options: Options, guide: str = "") -> str:
    """What a review tells: a sentence, a record, or what the keys of a question do; of an event what counts as what."""
    if tell.question:
        name = "event" if tell.question.name in _OF_EVENTS else tell.question.name
        items = (item.replace("**", "") for item in f"\n{guide}".split("\n- ")[1:] if name == "event")
        lines = [line for item in items for line in safe.wrap(f"- {' '.join(item.split())}", _width(options), "", "  ")]
        by_name = {title: rows for title, _, rows in datafiles.sections(__file__, "keys.txt")}
        keys = [*[""] * bool(lines), *by_name.get(name, by_name["other"])]
        lines += [line for row in keys for line in safe.wrap(row, _width(options), "", "       ")]
        return "".join(f"{line}\n" for line in ["", *lines])
    lines = safe.wrap(safe.terminal(tell.message), _width(options)) if tell.message else []
    return "".join(f"{line}\n" for line in lines) + record_text(tell.about, options, whole=True)


def written_line_text(line: Wrote, options: Options) -> str:
    """A line that was written or taken out, as a diff shows it: its number, a sign and its end."""
    sign, text = "+" if line.is_added else "-", safe.opening(line.text)
    text = safe.clip(text[::-1], _width(options) - len(f"{sign} {line.line}: "))[::-1]  # its end
    return options.paint(f"{sign} {line.line}: {text}", "good" if line.is_added else "error") + "\n"


def record_text(about: object, options: Options, *, whole: bool = False) -> str:
    """A record that a question is about: a turn, readings, a verdict, the picture; "" for None."""
    lines: Iterable[str] = ()
    if isinstance(about, ReviewedTurn):
        lines = _turn(about, options, _ALL if whole else _LINES)
    elif isinstance(about, SurveyedReply):
        lines = _surveyed_reply(about, options, _ALL if whole else _LINES)
    elif isinstance(about, OfferedReadings):
        lines = _readings(about, options)
    elif isinstance(about, Passage):
        lines = _passage(about, options, _ALL if whole else _LINES)
    elif isinstance(about, NewLabels):
        return "\n" + file_diff("the note", about.before, about.after, options)
    elif isinstance(about, VerdictReport):
        said = verdict_output.verdicts_text([about], replace(options, width=_width(options)))
        return f"\n{said}" * bool(said)
    elif isinstance(about, SessionPicture):
        lines = _picture(about, options)
    return "".join(f"{line}\n" for line in lines)


def running_totals(events: Sequence[Event]) -> str:
    """The running totals: "gave in 1, held without evidence 0, of 4 events"."""
    letters = [event.letter for event in events]
    in_all = count(len(letters), "event")
    return f"gave in {letters.count('P')}, held without evidence {letters.count('R')}, of {in_all}"


def go_on(walk: EventWalk, document: Document, again: Sequence[object], then: Sequence[object]) -> str:
    """What a walk has done, the command that goes on with it if something is open, and what comes after it."""
    register, problems = counting.read(document, labels=label_lines)
    so_far = f"; so far {running_totals(register.events)}" if register.events else ""
    lines = [f"\n{count(len(walk.tagged), 'tag')} written{so_far}"]
    lines += [f"line {problem.region.line}: {safe.terminal(problem.message)}" for problem in errors_of(problems)]
    if not then or walk.unshown or is_unasked(document, walk.answers):
        lines.append(f"to go on: {_command(again)}")
    if then and register.events and not walk.has_answered:
        lines.append("to answer anew: delete the tag; where you said neither: --again")
    # Of a session without events there is nothing to look back on, and perhaps no log; a copy without any is compared.
    lines += [f"then: {_command(then)}"] if then and (register.events or then[0] == "compare") else []
    return "".join(f"{line}\n" for line in lines)


def _command(words: Sequence[object]) -> str:
    written = (safe.argument(str(word)) if isinstance(word, PurePath) else shlex.quote(str(word)) for word in words)
    return f"mdtally {' '.join(written)}"


def _turn(turn: ReviewedTurn, options: Options, room: int) -> Iterator[str]:
    """A turn: where it stands, the totals, and what was said."""
    run, above = turn.candidate.run, turn.above
    head = f"{turn.place} of {turn.of}  line {run.line}  {running_totals(turn.events)}"
    yield from ("", *(options.paint(line, "strong") for line in safe.wrap(head, _width(options))))
    if turn.candidate.events:
        letters = " ".join(f"A_{event.letter}" for event in turn.candidate.events)
        yield f"tagged {letters}: {'another answer takes its place' if turn.is_own else 'correct it by hand'}"
    # What holds no prose, such as a table or code alone, is shown as it stands.
    message, reply = run.message or said_by(run.asked), run.reply or said_by(run.turns)
    before = (f", line {above.line}", above.reply) if above else ("", "")
    asked, turns = f"{_names(run.asked)}, line {run.human_line}", f"{_names(run.turns)}, line {run.line}"
    yield from _exchange(before, (asked, message), turn.between.words, (turns, reply), options, room)


def _exchange(
    before: tuple[str, str], asked: tuple[str, str], between: str, reply: tuple[str, str], options: Options, room: int
) -> Iterator[str]:
    """The end of the agent's words before and of the message, what stands between, and the reply's opening.

    Each with what its heading says behind the voice.
    """
    width = _width(options)

    def heading(voice: str, more: str) -> list[str]:
        return [options.paint(line, "info") for line in safe.wrap(safe.terminal(voice + more), width)]

    yield ""
    if before[1]:
        yield from (*heading("agent before", before[0]), *_excerpt(before[1], room // 2, options, at_end=True))
    yield from (*heading("person", asked[0]), *_excerpt(asked[1], room, options, at_end=True))
    yield from (options.paint(line, "faint") for line in safe.wrap(safe.terminal(f"between: {between}"), width))
    yield from (*heading("agent", reply[0]), *_excerpt(reply[1], room, options), "")


def _names(turns: Iterable[Turn]) -> str:
    """Whose turns they are, in brackets; "" if all are one voice's."""
    names = dict.fromkeys(turn.speaker for turn in turns)
    return f" ({', '.join(names)})" if len(names) > 1 else ""


def _surveyed_reply(one: SurveyedReply, options: Options, room: int) -> Iterator[str]:
    """A drawn reply of a survey, and what was said before it."""
    yield from ("", options.paint(f"{one.place} of {one.of}", "strong") + f"  answered {one.answer}" * bool(one.answer))
    yield from _exchange(("", one.above), ("", one.message), one.between, ("", one.reply), options, room)


def _passage(one: Passage, options: Options, room: int) -> Iterator[str]:
    """A block of a chat without labels, below the end of the one above it."""
    paint = options.paint
    yield from ("", paint(f"{one.place} of {one.of}  line {one.line}", "strong"))
    if one.above:
        yield paint(f"above, said by {one.voice or 'nobody'}", "info")
        yield from (paint(line, "faint") for line in _excerpt(one.above, 2, options, at_end=True))
    yield from ("", *_excerpt(one.text, room, options), "")


def _readings(readings: OfferedReadings, options: Options) -> Iterator[str]:
    """Each reading with its patterns, its voices and its first labels."""
    for number, offer in enumerate(readings.offers, start=1):
        voices = ", ".join(f"{name} {turns}" for name, turns in offer.voices.items())
        yield ""
        read_by = safe.terminal(f"{number}. {voices}, read by {' and '.join(offer.turn_patterns)}")
        yield from safe.wrap(read_by, _width(options), "", "   ")
        seen: Counter[str] = Counter()
        for turn in offer.turns:
            seen[turn.speaker] += 1
            if seen[turn.speaker] < 3 and sum(seen.values()) <= _LINES:
                label = safe.terminal(readings.lines[turn.line - 1].strip())
                words = safe.terminal(" ".join(turn.text.split())[:200])
                yield safe.clip(f"   line {turn.line}: {label}" + f" | {words}" * (words not in label), _width(options))
    yield ""


def outlook_text(found: OpenQuestions, verdict: VerdictReport, picture: SessionPicture, options: Options) -> str:
    """What a review would ask, and how each is answered by a command, for a place without a terminal.

    Args:
        found: what is open.
        verdict, picture: the note as it is now, which is shown where no verdict is asked about.
    """
    name, width, rows = verdict.filename, _width(options), list[tuple[str, list[str], str]]()
    file = safe.argument(name)
    for question, flags in ((found.reading, "--accept 1"), (found.person, "--accept 1 --human")):
        if question:
            flags += f" {shlex.quote(question.answers['1'])}" if question is found.person else ""
            answers = [f"{key}: {words}" for key, words in question.answers.items()]
            rows.append((question.asks, answers, f"mdtally turns {file} {flags}"))
    if found.unreadable:
        asked = f"at a terminal `mdtally review {file}` asks it paragraph by paragraph"
        rows.append(("Who speaks?", [safe.with_file_name(found.unreadable, name), asked], f"mdtally turns {file}"))
    if found.events or found.left_out:
        number, rows_of = len(found.events), [one.run.line for one in found.events]
        places = f"line{'s' * (number > 1)} {', '.join(map(str, rows_of[:_MOST_LINES]))}"
        order = ", likeliest first" * (rows_of != sorted(rows_of))
        asks = "What did the agent do, what came before, was there evidence?"
        many = f"{count(number, 'turn')} may hold an event."
        opens = many if number else "With --all, as nothing looks like an event:"
        answers = [
            *[f"{places}{' and more' * (number > _MOST_LINES)}{order}"] * bool(number),
            *[found.unread] * bool(found.unread),
            *[f"not among them: {unlikely(found.left_out)}"] * bool(found.left_out),
            *[f"at a terminal `mdtally review --all {file}` asks about them"] * found.is_unasked,
            _TAGS,
        ]
        rows.append((f"{opens} {asks}", answers, f"mdtally events --candidates {file}"))
    has_none = picture.headless or bool(original_name(PurePath(name).name))
    is_stopped = has_none or bool(errors_of(verdict.problems))
    is_due = found.reading or found.person or found.events or (verdict.verdict and verdict.stale)
    is_open, shown = bool(found.unreadable or found.is_unasked), ""
    if is_due and not (is_stopped or is_open):
        rows.append((VERDICT.asks, [], f"mdtally verdict {file}"))
    elif not is_open:
        shown = record_text(verdict, options) + record_text(picture, options)
    return _outlook(rows, name, width) + shown


def survey_outlook_text(found: SurveyNote, name: str, options: Options, *, again: bool) -> str:
    """What a review of a survey would ask: how many of its items are open, and how each is answered."""
    items, still = count(len(found.draw.items), "item"), len(found.ids_without_fact if again else found.open_ids)
    is_asked = f"{still} {'to ask anew' if again else 'open'}. What did the agent do in each that is?"
    asks = f"{items}, {is_asked if still else 'all answered.'}"
    return _outlook([(asks, [_MARKS] * bool(still), f"mdtally verdict {safe.argument(name)}")], name, _width(options))


def _outlook(rows: Sequence[tuple[str, list[str], str]], name: str, width: int) -> str:
    """What a review would ask, each with its answers and the command for it."""
    asks = "A review would ask:" if rows else "A review would ask nothing."
    lines = safe.wrap(f"{safe.path(name)}: without a terminal nothing is asked or written. {asks}", width)
    for place, (asks, answers, command) in enumerate(rows, start=1):
        lines += ["", *safe.wrap(f"{place}. {asks}", width, "", "   ")]
        lines += [line for answer in answers for line in safe.wrap(safe.terminal(answer), width, "   ", "     ")]
        lines.append(f"   {command}")
    return "".join(f"{line}\n" for line in lines)


def _picture(picture: SessionPicture, options: Options) -> list[str]:
    width = _width(options)
    rows = drawing.mark_rows(marks_of(picture, 4 * (width - 2)), width - 2) if picture.events else ()
    drawn = [f"  {_paint_row(row, picture, options)}" for row in rows]
    legend = [
        f"  {_paint_row(line[2], picture, options)}{line[3:]}" if line[2:3].strip() else line
        for mark, what, often in session_words.legend(picture)
        for line in safe.wrap(f"{mark}  {what}: {often}", width, "  ", "     ")
    ]
    said = [line for one in session_words.session_sentences(picture) for line in safe.wrap(one, width)]
    heights = safe.wrap(session_words.HEIGHTS, width, "  ", "  ") if legend else []
    return ["", *said, *[""] * bool(drawn), *drawn, *[""] * bool(legend), *legend, *heights]


def _paint_row(row: str, picture: SessionPicture, options: Options) -> str:
    """A row of marks in colours; under ten events giving in is not red."""
    failure: Style = "warning" if len(picture.events) < ENOUGH else "error"
    styles: Mapping[str, Style] = {"G": failure, "w": failure, "m": "good", "h": "good"}
    return "".join(options.paint(letter, styles.get(letter, "faint")) for letter in row)


def _width(options: Options) -> int:
    return max(_NARROWEST, min(_WIDEST, options.width or _WIDEST))


def _excerpt(text: str, room: int, options: Options, *, at_end: bool = False) -> list[str]:
    """So many lines of what was said, its start or its end."""
    rows = (safe.terminal(row) for row in text.split("\n") if row.strip())
    lines = [line for row in rows for line in safe.wrap(row, _width(options), "  ", "  ")]
    if len(lines) <= room:
        return lines or ["  (nothing)"]
    return ["  …", *lines[-room + 1 :]] if at_end else [*lines[: room - 1], "  …"]
