"""Chats as people paste them: read at once, by one key, by pointing or by the walk over paragraphs, never wrongly.

The first line of a case says what gives such a chat and how it is read; `<!-- h -->` and `<!-- a -->` end the first
lines of the person's turns and of the agent's, `<!-- b -->` of another agent's; "no walk" where a block is never cut,
a table, or where not two voices speak.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from conftest import Run

from mdtally import transcript
from mdtally.ask.paragraphs import ParagraphWalk
from mdtally.ask.port import Ask, Rewrite
from mdtally.check import settling
from mdtally.check.settling import Offer
from mdtally.events.replies import Answers
from mdtally.text import document
from mdtally.text.document import Document
from mdtally.text.model import Refusal, Turn

TESTS = Path(__file__).parents[1]
CASES = sorted((TESTS / "cases" / "chats").glob("*.md"))
PAGES = sorted(path for folder in ("docs", "templates") for path in (TESTS.parent / folder).rglob("*.md"))
TURN = re.compile(r" <!-- ([hab]) -->$", re.MULTILINE)


def chat(path: Path) -> tuple[Document, str, dict[int, str]]:
    """The chat of a case, how it is read, and by line who begins to speak there."""
    first, text = path.read_text().split("\n", 1)
    truth = {number: found[1] for number, line in enumerate(text.split("\n"), 1) if (found := TURN.search(line))}
    way = re.search(r"read: (\w+)", first)
    assert way
    return document.parse(TURN.sub("", text).encode()), way[1], truth


def is_true(turns: Sequence[Turn], truth: Mapping[int, str]) -> bool:
    """True if turns begin where they do, and each voice is one side's."""
    sides = {(truth.get(turn.line), turn.speaker) for turn in turns}
    is_one = len(sides) == len({*truth.values()}) == len({speaker for _, speaker in sides}) > 1
    return is_one and [turn.line for turn in turns] == [*truth]


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_a_pasted_chat_is_read_as_it_says(path: Path) -> None:
    """Surely, or by the key of an offer, or by pointing at the first line of each voice; and never in a wrong way."""
    parsed, way, truth = chat(path)
    found = transcript.read(parsed)
    is_sure = found.reading not in ("unsure", "none")
    assert is_sure == (way == "once") and (not is_sure or is_true(found.turns, truth))
    offers = [offer for offer in settling.every_offer(parsed) if is_true(offer.turns, truth)]
    assert bool(offers) == (way == "key")
    first = {side: line for line, side in reversed([*truth.items()])}
    pointed = settling.like(parsed, sorted(first.values()))
    assert is_true(pointed.turns, truth) if isinstance(pointed, Offer) else way in ("walk", "key")


@pytest.mark.parametrize(
    "path", [path for path in CASES if "no walk" not in path.read_text().split("\n")[0]], ids=lambda path: path.stem
)
def test_the_walk_over_paragraphs_gives_the_true_turns(path: Path) -> None:
    """A key a paragraph and one to write; with the labels taken out again the text is what it was."""
    parsed, _, truth = chat(path)
    paragraphs = len(re.findall(r"\n\s*\n|$", parsed.source.body.strip())) if "\n\n" in parsed.source.body else 99
    walk = ParagraphWalk(parsed, Answers())
    steps, answer, keys, after = walk.run(), None, 0, parsed
    voice = "n"
    while True:
        try:
            request = steps.send(answer)
        except StopIteration as end:
            assert end.value == "done"
            break
        if isinstance(request, Rewrite):
            made = request.make(parsed)
            assert not isinstance(made, Refusal), made.reason
            after = answer = document.parse(made)
        elif isinstance(request, Ask):
            keys += 1
            assert keys <= paragraphs + 6
            if request.question.name == "speaker":
                side = truth.get(request.about.line, "")
                voice = {"h": "m", "a": "a"}.get(side, voice)
                is_list = request.about.text.startswith("- ") and request.about.line + 1 in truth
                answer = "l" if is_list and "l" in request.question.answers else voice
            else:
                answer = "y"
        else:
            answer = None
    read = transcript.read(after)
    said = {line: {"h": "Me", "a": "Agent"}[side] for line, side in truth.items()}
    assert read.reading == "pattern" and [turn.speaker for turn in read.turns] == [*said.values()]
    body = re.sub(r"\*\*(?:Me|Agent):\*\*(?: |\n\n)", "", after.source.body)
    assert body == parsed.source.body


LONG = f"I would keep the second table, {'which has a column for the day of each lorry, ' * 3}and that is needed."
OFFERED = {
    "a line of the program above each answer": (
        f"{LONG}\n\nThought for {{n}} s\n\nIt is kept.\n\n{LONG}\n\n" * 4,
        "maaa" * 4,
    ),
    "quotations": (f"> {LONG}\n\nIt is kept.\n\n{LONG}\n\n" * 4, "maa" * 4),
    "a line with a time above each message": (f"*me, 14:{{n}}*\n{LONG}\n\nIt is kept.\n\n{LONG}\n\n" * 4, "maa" * 4),
    "a title, and answers that announce a list": (f"# Lorries\n\nWhy?\n\n{LONG}\n\nSo:\n\n- it is\n\n" * 1, "nmaaa"),
    "rules between turns, and an answer of two paragraphs": (
        f"Why?\n\n---\n\n{LONG}\n\nDo it.\n\n---\n\n" * 3,
        "maa" * 3,
    ),
    "rules between turns, a message of two paragraphs, and an answer that ends with a question": (
        f"Why?\n\n---\n\n{LONG}\n\nIs it clear?\n\n---\n\nNo.\n\nTell me.\n\n---\n\n{LONG}\n\n",
        "maamma",
    ),
    "a list whose first item is empty": (f"Why?\n\n{LONG}\n\n1.\n2. Do it.\n\n", "maa"),
    "lines of signs between turns, and one at the top of a paragraph": (
        f"Why?\n\n=====\n\n{LONG}\n\nIs it clear?\n\n=====\n\nNo.\n\n=====\nTell me.\n\n=====\n\n{LONG}\n\n",
        "maamma",
    ),
    "rules within answers": (f"Why?\n\n{LONG}\n\n---\n\n{LONG}\n\n---\n\nDo it.\n\n" * 3, "maaa" * 3),
    "code below a question, and a quotation": (f"What is this?\n\n```\nx\n```\n\n> y\n\n{LONG}\n\n", "mmm"),
    "a line of the program in the midst of a paragraph": (
        f"Why?\n\nThought for {{n}} s\n\n{LONG}\n\nWhen?\nThought for {{n}} s\n{LONG}\n\n",
        "maalmaa",
    ),
    "Japanese": ("どの表を残しますか。\n\n" + "二番目の表には日付の列があるので、それを残します。" * 4 + "\n\n", "ma"),
    "a list of all turns": ("".join(f"{n}. Why {n}?\n" for n in range(1, 9)), "l"),
}


@pytest.mark.parametrize(("chat", "wanted"), OFFERED.values(), ids=OFFERED)
def test_what_the_walk_offers(chat: str, wanted: str) -> None:
    """Enter alone gives the true voices: what began a turn once is offered again, whatever messages look like."""
    number = itertools.count(10)
    text = re.sub(r"\{n\}", lambda _: str(next(number)), chat)
    steps, key, offers = ParagraphWalk(document.parse(text.encode()), Answers()).run(), None, []
    while len(offers) < len(wanted):
        request = steps.send(key)
        assert isinstance(request, Ask)
        offers.append(key := request.question.offer)
    assert "".join(offers) == wanted


def test_the_walk_offers_what_was_said_of_a_programs_buttons() -> None:
    """Of the first message's that it is the person's, of the first answer's that it is the agent's: then Enter does."""
    text = "".join(f"Why is it so late in year {n}, again?\n\nEdit\n\n{LONG}\n\nCopy\n\n" for n in range(3))
    steps, key, offers = ParagraphWalk(document.parse(text.encode()), Answers()).run(), None, ""
    for wanted in "mmaa" * 3:
        request = steps.send(key)
        assert isinstance(request, Ask)
        key, offers = wanted, offers + request.question.offer
    assert offers[4:] == "mmaa" * 2


def test_a_kept_key_that_means_nothing_is_passed_over() -> None:
    """Two walks over one text at once may leave such: the walk goes on, and does not end."""
    answers = Answers()
    for key in ("back", "m", "quit"):
        answers.add(key)
    told, asked = itertools.islice(ParagraphWalk(document.parse(b"Why?\n\nSo.\n\nSo?\n"), answers).run(), 2)
    assert "goes on" in told.message and asked.about.place == 2


def test_pointing_at_real_labels_gives_the_true_turns_or_none(shared: Path) -> None:
    """For every sample with truth, at the first label of each voice; all but one give them."""
    import json

    refused = 0
    for truth in sorted((shared / "samples").glob("*/*.truth.json")):
        turns = json.loads(truth.read_text())["turns"]
        stated = {turn["line"] for turn in turns if not turn.get("optional")}
        first = {turn["speaker"]: turn["line"] for turn in reversed(turns)}
        if len(first) < 2 or not stated:
            continue
        path = truth.with_name(truth.name.replace(".truth.json", ".md"))
        offer = settling.like(document.parse(path.read_bytes()), sorted(first.values()))
        refused += isinstance(offer, Refusal)
        if isinstance(offer, Offer):
            assert stated <= {*offer.lines} <= {turn["line"] for turn in turns}, path.name
    assert refused <= 1


def test_pointing_at_lines_of_ordinary_pages_gives_no_offer() -> None:
    """In 98 of 100, whatever two lines of a page are pointed at: the others are a heading and what stands below one."""
    tried = offered = 0
    for path in PAGES:
        parsed = document.parse(path.read_bytes())
        lines = [number for number, line in enumerate(parsed.lines, 1) if line.strip() and number >= parsed.body_line]
        for place in range(0, len(lines) - 9, 9):
            tried += 1
            offered += isinstance(settling.like(parsed, [lines[place], lines[place + 5 + place % 4]]), Offer)
    assert tried > 150 and 50 * offered <= tried


def test_a_label_that_says_more_than_the_others_makes_a_reading_unsure() -> None:
    """A time with words is none that labels are known by: the turn would be lost without a word."""
    turns = "".join(f"Ana (14:0{n}) – Is it so?\n\nClaude (14:0{n}) – It is.\n\n" for n in range(4))
    assert transcript.read(document.parse(turns.encode())).reading == "sure"
    more = f"{turns}Ana (next day, 8:02) – I did it.\n"
    assert transcript.read(document.parse(more.encode())).reading == "unsure"


def test_names_before_a_time_and_behind_one_are_labels_of_two_forms() -> None:
    """The second form right below a label is the head of a quotation; apart from labels it may open a turn."""
    turns = "".join(f"[14:0{n}] Ana\nIs it so?\n\n[14:0{n}] Ben\nI think it is.\n\n" for n in range(4))
    found = transcript.read(document.parse(f"{turns}[14:09] Ana\nBen 14:03\nYou did.\n".encode()))
    assert found.reading == "sure" and len(found.turns) == 9
    assert transcript.read(document.parse(f"{turns}Ana 14:09\nI did.\n".encode())).reading == "unsure"


def test_a_chat_that_stands_whole_in_code_counts_once_somebody_said_who_speaks(run: Run) -> None:
    """What is code is one decision: no turn is shown without its words, and no tag in it is passed over."""
    parsed, _, _ = chat(CASES[0].with_name("names-in-code.md"))
    note = Path("chat.md")
    note.write_text(parsed.source.text.replace("at low water.", "at low water. [A_P]"))
    assert "no events" in run("events", "chat.md").out
    run("turns", "chat.md", "--accept", "1")
    assert "A_P 1, A_R 0, A_T 1" in run("events", "chat.md").out
