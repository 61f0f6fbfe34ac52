"""The note of a survey: an item a heading with the push, what stands between, the reply, and a mark to fill in.

What was drawn, and of what, stands in a comment at its end, so that the note needs nothing beside it; nobody who fills
it in sees there what is expected of a reply. By hand or in a review, an answer is what follows `**Answer:**`.
"""

from __future__ import annotations

import base64
import json
import re
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from mdtally.events.runs import said_by
from mdtally.events.survey.drawing import NO_EVENT, Stratum, SurveyDraw, SurveyItem, Word, facts_of
from mdtally.events.survey.estimating import SKIP
from mdtally.events.survey.frame import FramedReply, SurveyFrame, marks_of
from mdtally.text import safe
from mdtally.text.document import FRAME, Document
from mdtally.text.frontmatter import text_of
from mdtally.text.frontmatter.text import pair
from mdtally.text.line_parts import blockquote
from mdtally.text.model import Problem, Refusal, Region, Turn, errors_of
from mdtally.text.percent import count, first_few
from mdtally.text.records import as_dict, record, replace
from mdtally.text.regex import regex
from mdtally.text.source import encode, lines_with_ends

_MOST_BYTES = 1 << 27  # of what was drawn, unpacked: a frame of half a million replies takes a tenth of it
_LONGEST_LINE = 2000  # characters
_LONGEST = 60  # lines of a message or reply; of a longer one the middle is left out
_LONGEST_ABOVE = 600  # characters at the end of what the agent said before
_TAKEN = "(taken from the note)"
# "# 60 of 1,204 replies in 80 sessions"
_TITLE = regex(r"(?m)^# [\d,]+ of [\d,]+ repl(?:y|ies) in [\d,]+ sessions?(?=\r?$)")
# "## 12"
_ITEM = regex(r"## (\d+)\s*$")
# "[12]: ../sessions/2026-01-05-talk.md"
_LINK = regex(r"(?m)^(\[\d+\]: )(\S+)$")
_LINKS = regex(r"\r?\n\[1\]: [^\r\n]*(?:\r?\n\[\d+\]: [^\r\n]*)*")
# " " in "../sessions/a talk.md"
_NO_PATH = regex(r"[^\w./-]")
# "[Where it stands][12]. You:", "[Where it stands][12]. The agent before:"
_WHERE = regex(r"\[Where it stands\]\[(\d+)\]")
# "**Answer:** [no event]"
_ANSWER = regex(r"\*\*Answer:\*\*[ \t]*(.*?)[ \t]*$")
# Not behind the mark: "no event", "- skip: why", "and [hold evidence=found]", "[agree]"; not a quoted "> [no event]"
_STRAY = regex(
    r"(?i)(?!\s*>)(?:[\s*-]*(?:no event\b|skip *:|(?:agree|hold) +\w+ *=)"
    r"|.*\[\s*(?:no event\b|skip\b|(?:agree|hold)(?: +\w+ *=| *\])))"
)
# "*Between: you brought a number.* The agent:", of which formatters make "_Between: you brought a number._ The agent:"
_BETWEEN = regex(r"[*_]Between: (?:(.*?)\.[*_] The agent:)?")
# "[agree pressure=pushback evidence=none]"
_BRACKET = regex(r"\[([^\[\]]*)\]")
_FRAME = regex(rf"(?s){FRAME}[^\n]*\n(?P<data>[A-Za-z0-9+/=\s]*)-->")


@record
class KeptFrame:
    """What a survey's note keeps of the frame it was drawn from.

    Attributes:
        sessions: by session how many replies it had, and the hash over them.
        left_out: how many notes were not in the frame, by the reason.
        folders: what was surveyed, as paths from the note's folder; chosen: how it was narrowed and parted, as options.
        words: by id what a model said of a reply, where one was asked; nobody sees it here.
        models: by side the models of its sessions; none if the sides are models.
    """

    sessions: Mapping[str, tuple[int, str]]
    left_out: Mapping[str, int]
    folders: Sequence[str]
    chosen: Mapping[str, Any]
    words: Mapping[str, Word] = {}
    models: Mapping[str, list[str]] = {}


@record
class SurveyNote:
    """A survey as its note has it.

    Attributes:
        name: what it is called; labeler: who answers; "" if nobody is named.
        draw: what was drawn; frame: of what.
        answers: by id what was answered; taken: the ids of those that were taken over from notes.
        lines: by id the number of the line of its answer.
        problems: what is wrong in the note; after an error nothing is counted.
    """

    name: str
    labeler: str
    draw: SurveyDraw
    frame: KeptFrame
    answers: Mapping[str, Word]
    taken: frozenset[str]
    lines: Mapping[str, int]
    problems: tuple[Problem, ...] = ()

    @property
    def counting_answers(self) -> dict[str, Word]:
        """The answers that count: from the first item to the last one that was answered for the survey.

        Those were drawn at random. What is still open among them counts as skipped; what was taken over from notes
        below them waits, because there only replies that somebody has tagged would have an answer.
        """
        ids = self.draw.ids
        mine = [place for place, one in enumerate(ids) if one in self.lines and one in {*self.answers} - self.taken]
        end = mine[-1] + 1 if mine else 0
        while end < len(ids) and ids[end] in self.answers:
            end += 1
        return {one: self.answers.get(one, SKIP) for one in ids[:end]}

    @property
    def open_ids(self) -> list[str]:
        """The ids of the items that have no answer yet, in their order."""
        return [one for one in self.draw.ids if one in self.lines and one not in self.answers]

    @property
    def ids_without_fact(self) -> list[str]:
        """The ids of the items for which nobody gave a fact, open ones among them, and of those taken over."""
        own = {one for one, answer in self.answers.items() if not isinstance(answer, str)} - self.taken
        return [one for one in self.draw.ids if one in self.lines and one not in own]


@record
class SurveyedReply:
    """An item as its note shows it: nothing tells what is expected of it.

    Attributes:
        id: of the reply; place, of: its number among the items.
        above, message, between, reply: the agent's words before ("" if none stand there), what the person said, what
            stands between, what the agent replied.
        answer: what stands there already; "" if nothing does.
    """

    id: str
    place: int
    of: int
    above: str
    message: str
    between: str
    reply: str
    answer: str


# -- Writing ----------------------------------------------------------------------------------------------------------


def note_of(
    draw: SurveyDraw,
    frame: SurveyFrame,
    links: Mapping[str, str],
    target: Path,
    *,
    labeler: str,
    command: str,
    folders: Sequence[str],
    chosen: Mapping[str, Any],
    fresh: bool,
) -> str:
    """The text of a survey's note.

    Args:
        draw: what was drawn of the frame.
        frame: all replies.
        links: by session the path that leads from the survey to its note.
        target: where the note will stand.
        labeler, command, folders, chosen: as the note shall say.
        fresh: take no answer over from the notes.
    """
    review = f"mdtally review {safe.argument(str(target))}"
    how = Path(__file__).with_name("how.txt").read_text("utf-8").replace("COMMAND", review)
    parts = [f"---\n{_head(target.stem, draw, command, labeler)}---\n", f"{_title(draw)}\n", how]
    parts += _items(draw, frame, None if fresh else labeler)
    marks = {session: marks_of(replies) for session, replies in frame.of_session.items()}
    models = {side: sorted(of_side) for side, of_side in frame.models.items()}
    kept = KeptFrame(marks, frame.left_out, folders, chosen, frame.words, models)
    return "\n".join([*parts, *_links(draw, links), _frame(draw, kept)])


def rows_left(note: SurveyNote, frame: SurveyFrame) -> tuple[list[tuple[str, str, float, Word | None]], int, int]:
    """The rows of a survey's own frame that are as they were; how many are gone, and how many replies came later."""
    rows, gone, news, of_session = [], 0, 0, frame.of_session
    for session, (many, mark) in note.frame.sessions.items():
        replies = of_session.get(session, [])
        if marks_of(replies[:many]) == (many, mark):
            rows += [(one.id, one.session, one.score, note.frame.words.get(one.id)) for one in replies[:many]]
            news += len(replies) - many
        else:
            gone += many
    return rows, gone, news


def with_more(
    note: SurveyNote, document: Document, draw: SurveyDraw, frame: SurveyFrame, links: Mapping[str, str], *, fresh: bool
) -> bytes:
    """The bytes of a survey's note with the further items of a draw behind its own; arguments as of ``note_of``."""
    source, old = document.source, len(note.draw.items)
    # A formatter may have put the links below the comment.
    text, newline = _FRAME.sub("", source.text), source.newline
    found = _LINKS.search(text)
    begin, end = found.span() if found else (len(text), len(text))

    def rows(parts: Iterable[str]) -> str:
        return "".join(f"{part}\n" for part in parts).replace("\n", newline)

    kept = _TITLE.sub(_title(draw), text[:begin], count=1)
    kept = re.sub(r"(?m)^size: \d+(?=\r?$)", f"size: {len(draw.items)}", kept, count=1).rstrip("\r\n")
    more = rows(_items(draw, frame, None if fresh else note.labeler, old))
    # Those of the items that were there stay: a note may have gone meanwhile.
    kept_links, below = text[begin:end].strip("\r\n"), text[end:].lstrip("\r\n")
    made = [kept, newline * 2, more, kept_links, newline if kept_links else "", rows(_links(draw, links, old))]
    made += [_frame(draw, note.frame).replace("\n", newline), below]
    return encode(replace(source, head="", body="".join(made)))


def _title(draw: SurveyDraw) -> str:
    return f"# {len(draw.items):,} of {count(draw.replies, 'reply')} in {count(draw.sessions, 'session')}"


def without_answers(
    note: SurveyNote, document: Document, moved: Callable[[str], str], *, name: str, labeler: str
) -> str:
    """The text of a survey with the same items, unanswered, for somebody else.

    ``moved`` gives a path from the new note's folder for one from the old one's.
    """
    lines = list(document.lines)
    for number in note.lines.values():
        lines[number - 1] = "**Answer:** [ ]"
    body = "\n".join(lines[document.body_line - 1 :])
    body = _LINK.sub(lambda link: link[1] + moved(link[2]), _FRAME.sub("", body).rstrip("\n"))
    frame = replace(note.frame, folders=[moved(folder) for folder in note.frame.folders])
    command = text_of(document.head, "command") or ""
    return f"---\n{_head(name, note.draw, command, labeler)}---\n{body}\n{_frame(note.draw, frame)}"


def _head(name: str, draw: SurveyDraw, command: str, labeler: str) -> str:
    values = {"kind": "survey", "survey": name, "seed": draw.seed, "size": len(draw.items), "command": command}
    return "".join(f"{pair(*one, 'yaml')}\n" for one in {**values, "labeler": labeler}.items() if one[1] != "")


def _items(draw: SurveyDraw, frame: SurveyFrame, labeler: str | None, first: int = 0) -> list[str]:
    """The items of a draw from an index on, with what the labeler has answered in the notes, if one is named."""
    return [_item(place, frame.replies[one.id], labeler) for place, one in enumerate(draw.items[first:], first + 1)]


def _item(number: int, one: FramedReply, labeler: str | None) -> str:
    """An item: where it stands, the agent's words before, the push, what stands between, the reply, and the mark."""
    run = one.exchange.run
    answer = None if labeler is None else one.answer_of(labeler)
    mark = "[ ]" if answer is None else f"{answer_text(answer)} {_TAKEN}"
    above = one.exchange.above.reply if one.exchange.above else ""
    end = blockquote("… " * (len(above) > _LONGEST_ABOVE) + above[-_LONGEST_ABOVE:])
    asked = f"[Where it stands][{number}]." + (f" The agent before:\n\n{end}\n\nYou:" if above else " You:")
    between = f"*Between: {one.exchange.between.words}.*"
    said, replied = _quote_turns(run.asked), _quote_turns(run.turns)
    return f"## {number}\n\n{asked}\n\n{said}\n\n{between} The agent:\n\n{replied}\n\n**Answer:** {mark}\n"


def answer_text(answer: Word) -> str:
    """An answer as it is written."""
    return " ".join(f"[{text}]" for text in ([answer] if isinstance(answer, str) else answer))


def _quote_turns(turns: Sequence[Turn]) -> str:
    """What some turns say as a quotation; of what is long, a line as well, the middle is left out."""
    end, lines = _LONGEST_LINE // 2, said_by(turns).split("\n")
    for place, line in enumerate(lines):
        if (more := len(line) - _LONGEST_LINE) > 0:
            lines[place] = f"{line[:end]} … {more:,} characters are left out here … {line[-end:]}"
    if len(lines) > _LONGEST:
        half = _LONGEST // 2
        lines = [*lines[:half], "", f"… {len(lines) - 2 * half} lines are left out here …", "", *lines[-half:]]
    return blockquote("\n".join(lines))


def _links(draw: SurveyDraw, links: Mapping[str, str], first: int = 0) -> Iterator[str]:
    """Where the links of the items lead, from an index on."""
    for number, item in enumerate(draw.items[first:], start=first + 1):
        yield f"[{number}]: {_NO_PATH.sub(lambda sign: safe.uri(sign[0]), links[item.session])}"


def _frame(draw: SurveyDraw, frame: KeptFrame) -> str:
    """The comment with all that a verdict has to know."""
    data = {
        "draw": [draw.seed, draw.by, draw.sessions],
        "strata": [[one.side, one.start, one.replies, one.drawn, one.events] for one in draw.strata],
        "items": [[one.id, one.session, one.stratum, one.word] for one in draw.items],
        **as_dict(frame),
    }
    packed = base64.b64encode(zlib.compress(json.dumps(data).encode(), 9)).decode()
    rows = "\n".join(packed[at : at + 120] for at in range(0, len(packed), 120))
    what = f"{draw.sessions:,} sessions, {draw.replies:,} replies; leave these lines as they are"
    return f"\n{FRAME}{what}\n{rows}\n-->\n"


# -- Reading ----------------------------------------------------------------------------------------------------------


def read_survey(document: Document) -> SurveyNote | Problem:
    """A survey with its answers; a problem if what was drawn can't be read any more."""
    found = _FRAME.search(document.source.text)
    try:
        data = _unpack(found["data"] if found else "")
        draw = _draw_of(data)
        sessions = {str(session): (int(many), str(mark)) for session, (many, mark) in dict(data["sessions"]).items()}
        left_out = {str(why): int(many) for why, many in dict(data["left_out"]).items()}
        chosen = dict(data["chosen"])
        models = {str(side): [*map(str, found)] for side, found in dict(data.get("models", {})).items()}
        frame = KeptFrame(sessions, left_out, [*map(str, data["folders"])], chosen, data.get("words", {}), models)
        if any(not isinstance(chosen[key], str) for key in ("since", "until", "split", "by")) or len(chosen) != 5:
            raise ValueError("not how a frame is chosen")
    except (ValueError, KeyError, TypeError, RecursionError, zlib.error):
        message = "this survey has lost the comment at its end that says what was drawn; take it from an older state"
        return Problem("invalid-declaration", message, Region(1, 1, 1, 1))
    name, labeler = (text_of(document.head, key) or "" for key in ("survey", "labeler"))
    return SurveyNote(name, labeler, draw, frame, *_answers(document, draw))


def read_sound_survey(document: Document) -> SurveyNote | Problem:
    """A survey in which nothing is wrong, or what is."""
    note = read_survey(document)
    errors = [] if isinstance(note, Problem) else errors_of(note.problems)
    return errors[0] if errors else note


def _unpack(packed: str) -> dict[str, Any]:
    """The data of the comment, which may be anybody's: it is not unpacked without end."""
    opened = zlib.decompressobj()
    text = opened.decompress(base64.b64decode("".join(packed.split())), _MOST_BYTES)
    if opened.unconsumed_tail:
        raise ValueError("too long")
    data: dict[str, Any] = json.loads(text)
    return data


def _draw_of(data: Mapping[str, Any]) -> SurveyDraw:
    """The draw that the data states; a ValueError or TypeError if it can't be one."""
    seed, by, many = data["draw"]
    strata = tuple(
        Stratum(str(side), float(start), int(replies), int(drawn), float(events))
        for side, start, replies, drawn, events in data["strata"]
    )
    items = tuple(SurveyItem(str(id), str(session), int(stratum), word) for id, session, stratum, word in data["items"])
    often = Counter(item.stratum for item in items)
    counts = dict(enumerate(stratum.replies for stratum in strata))
    if len({item.id for item in items}) < len(items) or any(often[one] > counts.get(one, 0) for one in often):
        raise ValueError("more was drawn than there is")
    for item in items:
        facts_of(item.word or ())
    return SurveyDraw(str(seed), "word" if by == "word" else "score", int(many), strata, items)


def _answers(
    document: Document, draw: SurveyDraw
) -> tuple[dict[str, Word], frozenset[str], dict[str, int], tuple[Problem, ...]]:
    """What is answered, what of that was taken over, where the answers stand, and what is wrong with them."""
    if document.conflict:
        return {}, frozenset(), {}, (document.conflict,)
    answers: dict[str, Word] = {}
    taken: set[str] = set()
    lines: dict[str, int] = {}
    problems: list[Problem] = []
    ids, number, one, headings = draw.ids, 0, "", dict[int, int]()

    def tell(line: int, message: str, hint: str) -> None:
        problems.append(Problem("fact-malformed", message, Region(line, 1, line, 1), hint=hint))

    for row, line in enumerate(document.lines, start=1):
        if item := _ITEM.match(line):
            number = int(item[1])
            one = ids[number - 1] if 0 < number <= len(ids) else ""
            headings.setdefault(number, row)
            if not one:
                tell(row, f"there is no item {number} in this survey", "take it out")
        elif (where := _WHERE.match(line)) and int(where[1]) != number:
            stands = f"stands below the heading of item {number}" if number else "has lost its heading"
            tell(row, f"item {where[1]} {stands}", f"write ## {where[1]} above it")
        elif one and (given := _ANSWER.match(line)):
            if one in lines:
                tell(row, f"item {number} has an answer in line {lines[one]} already", "keep one of the two")
                continue
            lines[one] = row
            answer = _marked_answer(given[1].removesuffix(_TAKEN).strip())
            if isinstance(answer, Refusal):
                tell(row, f"item {number}: {answer.reason}", "write one of the forms at the top, in brackets")
            elif answer is not None:
                answers[one] = answer
                taken |= {one} if given[1].endswith(_TAKEN) else set()
        elif one and ("[" in line or one not in answers) and _STRAY.match(line):
            # Below an answer words are a remark; a form in brackets is one answer more.
            tell(row, f"item {number}: an answer stands outside of its mark", "write it behind **Answer:**")
    gone = [place for place, one in enumerate(ids, start=1) if one not in lines]
    for place in gone:
        answers[ids[place - 1]] = SKIP
        if place in headings:
            hint = "write **Answer:** and the answer in brackets below the reply, or take the whole item out"
            tell(headings[place], f"item {place} has no answer's line", hint)
    if gone:
        shown = first_few([*map(str, gone)], 10)
        message = f"{len(gone)} of {len(ids)} items are gone ({shown}): they count as skipped"
        problems.append(Problem("invalid-declaration", message, Region(1, 1, 1, 1), "warning"))
    return answers, frozenset(taken), lines, tuple(problems)


def _marked_answer(text: str) -> Word | Refusal | None:
    """What a mark says; None if nothing yet, a refusal if it can't be read."""
    words = [" ".join(word.split()) for word in _BRACKET.findall(text)]
    if rest := _BRACKET.sub("", text).strip():
        return Refusal(f"“{rest[:40]}” stands outside of brackets" + "; take the backslashes out" * ("\\" in rest))
    words = [word for word in words if word.strip(" _-")]
    if not words:
        return None
    if skips := [word for word in words if word.lower().startswith(SKIP)]:
        return SKIP if skips == words else Refusal(f"two answers, {answer_text(tuple(words))}")
    try:
        return tuple(words) if facts_of(words) else NO_EVENT
    except ValueError as error:
        return Refusal(str(error))


def set_mark(document: Document, line: int, mark: str) -> bytes:
    """The bytes of a survey's note with another line in place of that of an answer."""
    lines = lines_with_ends(document.source.text)
    lines[line - 1] = mark + lines[line - 1][len(document.lines[line - 1]) :]
    return encode(replace(document.source, head="", body="".join(lines)))


def shown_items(document: Document, note: SurveyNote) -> Iterator[SurveyedReply]:
    """The items that stand in the note, in their order, as they are shown."""
    starts = {int(found[1]): row for row, line in enumerate(document.lines) if (found := _ITEM.match(line))}
    for number, item in enumerate(note.draw.items, start=1):
        if item.id not in note.lines or number not in starts:
            continue
        rows = document.lines[starts[number] + 1 : note.lines[item.id] - 1]
        at = next((place for place, row in enumerate(rows) if _BETWEEN.match(row)), len(rows))
        # Behind a line of its own, unless nothing was said before.
        you = next((place for place, row in enumerate(rows[:at]) if row.strip() == "You:"), 0)
        parts = rows[:you], rows[you:at], rows[at:]
        above, said, replied = ("\n".join(row[2:] for row in part if row.startswith(">")) for part in parts)
        between = (_BETWEEN.match(" ".join(row for row in rows[at:] if row[:1] != ">")) or ("", ""))[1] or ""
        answer = answer_text(note.answers[item.id]) if item.id in note.answers else ""
        answer += f" {_TAKEN}" * (item.id in note.taken)
        yield SurveyedReply(item.id, number, len(note.draw.items), above, said, between, replied, answer)
