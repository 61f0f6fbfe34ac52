"""Every reading is a set of patterns: what is printed reads the same turns again; offers and pointing."""

import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from mdtally import transcript
from mdtally.ask import open_questions
from mdtally.ask.model import offer_proposed, second_look
from mdtally.check import settling
from mdtally.check.reports import File
from mdtally.check.verdicts import first_report, judge
from mdtally.project.settings import Settings
from mdtally.text import document, frontmatter
from mdtally.text.document import Document
from mdtally.text.model import Refusal, Source, Turn
from mdtally.text.source import encode
from mdtally.transcript.reading import labels_of, read_guess

TESTS = Path(__file__).parents[1]
CASES = sorted((TESTS / "cases").rglob("*.md"))
EXAMPLES = sorted((TESTS.parent / "examples").rglob("*.md"))
SHARED = sorted(path for kind in ("samples", "events") for path in (TESTS / "../../shared" / kind).glob("*/*.md"))
PAGES = [*CASES, *EXAMPLES, *SHARED]


def facts(turns: Sequence[Turn], shift: int = 0) -> list[tuple[object, ...]]:
    return [(t.line - shift, t.end_line - shift, t.speaker, t.kind, t.round, t.text) for t in turns]


def kept(parsed: Document, offer: settling.Offer) -> Document:
    """The file with an offer kept in its frontmatter."""
    changed = frontmatter.edit(parsed.source, parsed.head, settling.values_of(offer))
    assert isinstance(changed, Source)
    return document.parse(encode(changed))


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_what_is_offered_for_a_page_and_printed_reads_the_same_turns(path: Path) -> None:
    """At most three readings are offered, each of two voices or more, and none twice; a review that a verdict names
    offers one, asks for the person or about replies, or says what to do.

    Every reading, whatever way found it, and every offer, written to the frontmatter, gives the same turns again: their
    lines, last lines, voices, kinds, rounds and words.
    """
    parsed = document.parse(path.read_bytes())
    found, offers = transcript.read(parsed), settling.offers(parsed)
    assert len(offers) <= 3
    assert all(len(offer.voices) > 1 for offer in offers)
    assert len({offer.lines for offer in offers}) == len(offers)
    forms = [(settling.reading_again(parsed), found.turns)] * bool(found.turns)
    if path in CASES:
        offers = settling.every_offer(parsed)
    file = File(path, parsed, Settings())
    if not parsed.is_survey and "mdtally review" in first_report(file, judge(file), is_check=False)[0].written:
        asked = open_questions(parsed)
        assert asked.unreadable or asked.reading or asked.person or asked.events or asked.left_out
    for offer, turns in [*forms, *((one, one.turns) for one in offers)]:
        assert offer
        again = kept(parsed, offer)
        read = transcript.read(again)
        assert read.reading == "pattern"
        assert facts(read.turns, again.body_line - parsed.body_line) == facts(turns)
        assert read.kind == offer.kind


def test_some_pages_are_offered_readings() -> None:
    """The property above has something to hold for: pages with one offer, and with several."""
    pages = [path for path in CASES if path.parent.name == "lookalikes"]
    number = [len(settling.offers(document.parse(path.read_bytes()))) for path in pages]
    assert sum(map(bool, number)) > 10 and max(number) > 1


def test_a_name_that_comes_back_is_not_left_out_of_an_offer() -> None:
    """Of two names in one shape no offer shows one alone and leaves the other's labels to its turns."""
    page = "# Debate\n\n" + "".join(f"**{who}:** point {n}\n\n" for n in range(3) for who in ("Zork", "Quux", "Brill"))
    for offer in settling.offers(document.parse(page.encode())):
        assert set(offer.voices) == {"Zork", "Quux", "Brill"}


def test_whose_turns_begin_with_headings_is_not_left_out_of_an_offer() -> None:
    """What is a document's by that comes back as often as the other voice; words of the answers stand behind both."""
    words = {3: "## The Steelman\n\nI say so.\n\n", 9: "## The Steelman (Again)\n\nI say so.\n\n"}
    answer = "## Oxal\n\n### What {n} is\n\nIt holds.\n\n## A Frame for {n}7 of All Rows\n\nIt stands.\n\n"
    turns = [f"## Nadir\n\nI ask for {n}?\n\n{answer.format(n=n)}{words.get(n % 12, '')}" for n in range(20)]
    voices = [offer.voices for offer in settling.offers(document.parse(("# A talk\n\n" + "".join(turns)).encode()))]
    assert voices[0] == {"Nadir": 20, "Oxal": 20} and all("Oxal" in one for one in voices)


def test_who_has_the_name_of_a_role_is_not_left_out_of_an_offer() -> None:
    """Though some say neither "I" nor "you", and each speaks once."""
    page = (
        "# Review\n\n## 1. legal-counsel (GDPR)\n\nI read it: it binds us to erase every copy within a month.\n\n"
        "## 2. security-engineer\n\n- the backups hold a copy for ninety days\n\n"
        "## 3. data-architect\n\nWe can encrypt the rows of each person, and I would throw the key away.\n\n"
        "## 4. accountability-advisor\n\n- somebody has to sign that this was done\n\n"
        "## Deadlines that follow\n\nNext month.\n"
    )
    first, *_ = settling.offers(document.parse(page.encode()))
    assert [*first.voices] == ["legal-counsel", "security-engineer", "data-architect", "accountability-advisor"]


def test_who_has_as_many_labels_as_another_is_not_left_out_of_an_offer() -> None:
    """Whatever the name's word says of it: "purpose" is a field's elsewhere."""
    lines = [f"[10:{n}] @{who}: done" for who in ("planner", "bevy-dev", "purpose", "critic") for n in range(10, 13)]
    first, *_ = settling.offers(document.parse("\n".join(["# Team chat", "", *lines, ""]).encode()))
    assert first.voices == {"planner": 3, "bevy-dev": 3, "purpose": 3, "critic": 3}


def test_whoever_sums_up_is_offered_with_the_voices() -> None:
    """The heading stands a level higher than theirs."""
    turns = "".join(f"### {who}\n\nI would wait.\n\n" for who in ("Claude", "Gemini", "GPT-4"))
    page = f"# Panel: now or later?\n\n{turns}## Moderator Synthesis\n\nWe wait.\n"
    first, *_ = settling.offers(document.parse(page.encode()))
    assert first.voices == {"Claude": 1, "Gemini": 1, "GPT-4": 1, "Moderator": 1}


def test_names_with_the_same_noun_behind_them_are_offered() -> None:
    """ "## Noor's Perspective": nobody comes back, and no word is a voice's."""
    body = "### 1. Verdict\n\nHold it.\n\n### 2. Risks\n\nNone.\n\n"
    page = "".join(f"## {who}'s Perspective\n\n{body}" for who in ("Buffet", "Lynx", "Sorell"))
    first, *_ = settling.offers(document.parse(page.encode()))
    assert first.voices == {"Buffet": 1, "Lynx": 1, "Sorell": 1}


def test_numbered_questions_and_their_answers_are_offered() -> None:
    """ "Q1" asks and "A1" answers; without numbers or an answer's label they may be a document's."""
    pairs = "".join(f"**Q{n}:** Why is it {n}?\n\n**A{n}:** Because of {n}.\n\n" for n in range(1, 4))
    (offer,) = settling.offers(document.parse(pairs.encode()))
    assert (offer.voices, offer.kinds) == ({"Q": 3, "A": 3}, {"Q": "human", "A": "agent"})


def test_the_person_and_the_machine_alone_are_an_offer_too() -> None:
    """A word of the answers may come back in the labels' shape: the offer with it stands behind the one without."""
    turns = "Me: Why?\n\nClaude: Because I say so.\n\n"
    page = (turns + "Starting: the build\n\n") * 3 + turns * 2 + (turns + "Want me: to go on?\n\n") * 2
    page = f"Me: Hm.\n\n{page}"  # else it is sure
    narrow, wide = settling.offers(document.parse(page.encode()))[:2]
    assert wide.voices == {"Me": 8, "Claude": 7, "Starting": 3, "Want me": 2}
    assert narrow.voices == {"Me": 8, "Claude": 7}


def test_who_answers_the_person_is_offered_before_headings_of_the_answers() -> None:
    """The person and the machine take turns, but for two slips; a heading of the answers comes back."""
    title = "## 使用说明"
    turns = [f"## User\n\nis it {n}?\n\n## Assistant\n\nNo.\n\n{title * (n % 2)}\n\nNone.\n\n" for n in range(8)]
    first, *_ = settling.offers(
        document.parse("".join([*turns, "## User\n\nwhy?\n\n" * 2, "## User\n\nWell?\n"]).encode())
    )
    assert [*first.voices] == ["User", "Assistant"]


def test_who_speaks_once_beside_a_time_is_offered_with_the_others() -> None:
    """A log of entries names one often and others once; titles beside a day name each once."""
    entries = ["09:10 - Qodo", "10:20 - Gemini", "11:05 - Gemini", "12:40 - Zork", "13:15 - Ona", "14:30 - Gemini"]
    page = "# Log\n\n" + "".join(f"## 2026-09-08 {entry}\n\n**Done:** the gate.\n\n" for entry in entries)
    offers = settling.every_offer(document.parse(page.encode()))
    assert offers[0].voices == {"Qodo": 1, "Gemini": 3, "Zork": 1, "Ona": 1}


def test_no_heading_of_an_answer_is_ignored() -> None:
    """Labels that were not chosen, because code may hold them, stand below one: they are labels, too."""
    page = "## User\n\nis it so?\n\n## Assistant\n\nNo.\n\n### What you need to do\n\nWait.\n\n" * 5
    found, labels = labels_of(document.parse(page.encode()))
    reading = read_guess(found, [one for one in labels if one.name.key in ("user", "assistant")][:-2])
    assert reading and (len(reading.starts), reading.form.ignored) == (10, ())


def test_a_role_that_comes_back_in_another_shape_is_a_doubt() -> None:
    """The person's messages may be quoted between the machine's headings."""
    page = (
        "# Demo\n\n" + "> **User:** Why is it slow?\n\n### Assistant\n\nI see no index.\n\n### Alfred\n\nI do.\n\n" * 3
    )
    assert transcript.read(document.parse(page.encode())).reading == "unsure"
    assert transcript.read(document.parse(page.replace("**User:**", "User").encode())).reading == "sure"


@pytest.mark.parametrize(
    ("labels", "voices"),
    [
        (["## User request {}", "## Assistant reply {}"], {"User request": "human", "Assistant reply": "agent"}),
        (["## PROMPT {}", "## RESPONSE {}"], {"PROMPT": "human", "RESPONSE": "agent"}),
        (["### 用戶請求 {}", "### AI 回應"], {"用戶請求": "human", "AI 回應": "agent"}),
        (["### Question {}:", "### Answer {}:"], {"Question": "human", "Answer": "agent"}),
        (["## Ticket {}", "## Claude"], {"Ticket": "human", "Claude": "agent"}),
        (["## Step {}", "## Outcome"], None),
        (["## Prompt {}", "## Response {}", "## Cost"], {"Prompt": "human", "Response": "agent"}),
        (["**Prompt**:", "**AI Suggestion**:", "**What I Used**:"], {"Prompt": "human", "AI Suggestion": "agent"}),
        (["## Zork {}", "## Response {}", "## Cost"], None),
    ],
)
def test_roles_with_a_second_word_or_a_number_are_offered(labels: list[str], voices: dict[str, str] | None) -> None:
    """Numbers aside they come back; a label that takes turns with a voice is one. What else has the shape is text."""
    page = "# Log\n\n" + "".join(f"{label.format(n)}\n\nWhat is it?\n\n" for n in range(1, 4) for label in labels)
    offers = settling.offers(document.parse(page.encode()))
    assert (voices in [dict(offer.kinds) for offer in offers]) if voices else not offers


def like(text: str, *lines: int) -> settling.Offer:
    found = settling.like(document.parse(text.encode()), lines)
    assert not isinstance(found, Refusal), found.reason
    return found


def test_pointing_takes_only_the_voices_pointed_at() -> None:
    """Other labels of the shape are what is said, unless the person points at one of them, too."""
    text = "".join(f"### {who} ({n}:00)\n\nwords\n\n" for n, who in enumerate(["Ana", "Ben", "Sum", "Ana", "Ben"]))
    assert like(text, 1, 5).voices == {"Ana": 2, "Ben": 2}
    assert like(text, 1, 5, 9).voices == {"Ana": 2, "Ben": 2, "Sum": 1}


def test_pointing_takes_labels_with_the_same_word_behind_the_name() -> None:
    """A label of one voice is not every line that begins with its name: "You said:" is not "You could say:"."""
    turns = "You said:\nWhy?\n\nChatGPT said:\nYou could say:\nBecause.\n\n"
    assert like(turns * 3, 1, 4).lines == (1, 4, 8, 11, 15, 18)


def test_pointing_at_numbered_labels_takes_every_number() -> None:
    """A label such as "Prompt 1" beside "RESULT" is a voice that is counted; "Agent 1" and "Agent 2" are two voices."""
    asked = "".join(f"## Prompt {n} (mode {n}):\n\nwords\n\nRESULT: words\n\n" for n in (1, 2, 3))
    assert like(asked, 1, 5).voices == {"Prompt": 3, "RESULT": 3}
    agents = "## Agent 1\n\nwords\n\n## Agent 2\n\nwords\n\n" * 2
    assert like(agents, 1, 5).voices == {"Agent 1": 2, "Agent 2": 2}
    panel = "Noor: I ask.\n\nSpeaker 1: One.\n\nSpeaker 2: Two.\n\n" * 2
    assert like(panel, 1, 3).voices == {"Noor": 2, "Speaker 1": 2}
    assert isinstance(settling.like(document.parse(panel.encode()), [3]), Refusal)  # the others are no rest


def test_a_callout_without_a_title_may_be_a_label() -> None:
    """It is the whole line, and not each line of a quotation; who speaks is fixed."""
    text = "> [!NOTE]\n> Why?\n\n##### ChatGPT said:\n\nBecause.\n\n" * 2
    assert like(text, 1, 4).turn_patterns == ("User: > [!NOTE]", "##### {speaker} said:")


def test_pointing_at_tags_of_a_vault_and_of_html() -> None:
    """What both lines begin with is no name, and a tag is one of a sign's marks."""
    assert like("<u>Me</u>: Why?\n\n<u>Claude</u>: Because.\n\n" * 3, 1, 3).voices == {"Me": 3, "Claude": 3}
    assert like("#me Why?\n\n#claude Because.\n\n" * 3, 1, 3).voices == {"Me": 3, "Agent": 3}


def test_text_may_stand_right_behind_a_labels_sign() -> None:
    """As behind a full-width colon: the printed pattern has no space there."""
    text = "**開發者**：要求安裝。\n**Agent**：已安裝，請重新啟動。\n\n" * 3
    assert like(text, 1, 2).turn_patterns == ("**{speaker}**：{text}",)


SENDERS = [
    ("## MSG {n} · {a} → {b} · TASK", "## {{any}} · {{speaker}} → {{any}}"),
    ("## {a} → {b} | 2026-03-0{n} | the gate", "## {{speaker}} → {{any}}"),
    ("### 2026-03-0{n} FIX — From: {a} (QA) → To: all", "### {{any}} — From: {{speaker}}{{? ({{any}})?}} → {{any}}"),
]


@pytest.mark.parametrize(("heading", "pattern"), SENDERS, ids=("message", "bar", "from"))
def test_pointing_at_headings_from_whom_to_whom(heading: str, pattern: str) -> None:
    """The sender is the voice; a heading of the level that names one in another form makes it no offer."""
    pairs = [("Ana", "Ben"), ("Ben", "Ana"), ("Ana", "Cleo"), ("Cleo", "Ana")]
    titles = [heading.format(n=n, a=a, b=b) for n, (a, b) in enumerate(pairs, start=1)]
    text = "\n".join(f"{title}\n\nThe gate of lane {n} is done.\n" for n, title in enumerate(titles))
    offer = settling.like(document.parse(text.encode()), [1, 5, 13])
    assert isinstance(offer, settling.Offer), offer.reason
    assert offer.turn_patterns == (pattern.format(),)
    assert [turn.speaker for turn in offer.turns] == ["Ana", "Ben", "Ana", "Cleo"]
    more = f"{text}\n{titles[0].split()[0]} Ana, once more\n\nNot yet.\n"
    refused = settling.like(document.parse(more.encode()), [1, 5, 13])
    assert (
        isinstance(refused, Refusal)
        and "1 more line has these names in another form, the first in line 17" in refused.reason
    )


def test_pointing_is_refused_where_the_same_label_would_open_no_turn() -> None:
    """A page that was copied with and without blank lines between its parts: half of it would be lost."""
    apart = "".join(f"MS\n\nWhy {n}?\n\nSo it is {n}.\n\nRetry\n\n" for n in range(4))
    assert isinstance(settling.like(document.parse(apart.encode()), [1]), settling.Offer)
    close = f"{apart}So it is.\n\nRetry\nMS\nWhy then?\n"
    refused = settling.like(document.parse(close.encode()), [1])
    assert isinstance(refused, Refusal) and "line 36, too, is such a label, and would open no turn" in refused.reason


def test_pointing_at_counted_labels_takes_every_count() -> None:
    """The voice is what stands behind the count; two labels that differ in both are of one form."""
    heading = "## Message {n} — {name}"
    names = ["Ana", "Ben", "Ben", "Ana", "Ben"]
    text = "\n".join(f"{heading.format(n=n, name=name)}\n\nIt is {n}.\n" for n, name in enumerate(names, start=1))
    offer = settling.like(document.parse(text.encode()), [1, 5])
    assert isinstance(offer, settling.Offer), offer.reason
    assert [turn.speaker for turn in offer.turns] == names


ORDERS = ["Write a function that drops duplicates", "Add type hints", "Explain the last version", "Rename it to unique"]


@pytest.mark.parametrize("mark", ["### {}", "# {}", "**{}**", "*{}*", "> {}", "❯ {}", "Prompt: {}", "Q: {}", "1. {}"])
def test_who_points_at_a_mark_need_not_prove_that_it_is_a_chats(mark: str) -> None:
    """Orders neither ask nor say "you"; alone or with a line of the other voice, a prompt's line is enough."""
    prompts = [mark.replace("1", str(n)).format(order) for n, order in enumerate(ORDERS, start=1)]
    parsed = document.parse("".join(f"{one}\n\n{'It does this. ' * 9}\n\n" for one in prompts).encode())
    for lines in ([1], [1, 3]):
        offer = settling.like(parsed, lines)
        assert isinstance(offer, settling.Offer), offer.reason
        assert offer.lines == (1, 3, 5, 7, 9, 11, 13, 15) and sum(offer.voices.values()) == 8
    is_structure = mark[0] in "#1Q" or mark.startswith("**")  # of documents, too
    assert [offer.lines == (1, 3, 5, 7, 9, 11, 13, 15) for offer in settling.every_offer(parsed)] == [True] * (
        not is_structure
    )


def test_headings_without_a_letter_are_two_voices() -> None:
    """What comes back is the heading, not what marks it."""
    text = "".join(f"## 🧑\n\nWrite part {n}.\n\n## 🤖\n\nIt is written.\n\n" for n in range(3))
    assert like(text, 1, 5).lines == (1, 5, 9, 13, 17, 21)


def test_why_marks_make_no_reading_is_told() -> None:
    """Two prompts; a heading that stands there once; other names in labels of the same form; prose first."""
    one = "It is written here. You find it there, where you said that it should be."
    page = f"Text.\n\n### Write it\n\n{one}\n\n### Add hints\n\nThey are in there, too.\n\n# Once\n\nSo.\n"
    panel = "Noor: I ask.\n\nZed: One.\n\nYan: Two.\n\n" * 2
    for text, lines, why in (
        (page, [3, 7], "lines 3 and 7 are marked alike, as `### {text}`"),
        (page, [3, 7], "if a name stands there, use --turn '### {speaker}'"),
        (page, [11], "only line 11 is marked by `# {text}`"),
        (page, [5, 7], "line 5 is not marked"),
        (panel, [3], "stands in such labels, too"),
    ):
        found = settling.like(document.parse(text.encode()), lines)
        assert isinstance(found, Refusal) and why in found.reason, found


@pytest.mark.parametrize("label", ["**{}:** ", "### {}\n\n", "- {}: ", "- **{}** (keeps): ", "> {}: "])
def test_who_points_at_each_label_of_one_round_gets_it(label: str) -> None:
    """Nobody comes back, no word is a voice's, and other lists hold colons; that all are pointed at says it."""
    each = "".join(f"{label.format(name)}I say so.\n\n" for name in ("Steward", "Household", "Outlier"))
    text = f"# Grid\n\n- Read in the code: nothing is cached.\n\n## Each\n\n{each}## Settled\n\n- Clash D: open.\n"
    rows = [text[: text.index(name)].count("\n") + 1 for name in ("Steward", "Household", "Outlier")]
    assert list(like(text, *rows).lines) == rows


def test_two_labels_of_a_round_are_not_enough() -> None:
    """Which of the other items are voices only the person knows, and is told that pointing says it."""
    text = "## Each\n\n- Steward: No.\n- Household: Yes.\n- Outlier: No.\n\n## Settled\n\n- Clash D: open.\n"
    found = settling.like(document.parse(text.encode()), [3, 4])
    assert isinstance(found, Refusal) and "point at each label" in found.reason
    assert list(like(text, 3, 4, 5).lines) == [3, 4, 5]


def test_pointing_into_code_says_that_it_is_code() -> None:
    """A label in a fence that is closed stays text, and the answer says so."""
    found = settling.like(document.parse(b"Ana: x\n\n```\nBen: y\n```\n\nAna: z\n"), [4])
    assert isinstance(found, Refusal)
    assert "line 4 is in code" in found.reason


def test_pointing_at_what_is_no_line_is_refused() -> None:
    """A blank line, one of the frontmatter, and one that is not there."""
    parsed = document.parse(b"---\na: 1\n---\nAna: x\n\nBen: y\n")
    for line in (2, 5, 99):
        assert isinstance(settling.like(parsed, [line]), Refusal)


def test_who_is_the_person_is_asked_where_no_word_tells() -> None:
    """Names alone tell nothing; a role does, and then nobody is asked."""
    text = "## {}\n\nOne.\n\n## Ben\n\nTwo.\n\n"
    for name, unknown in (("Ana", ("Ana", "Ben")), ("User", ())):
        (offer,) = settling.offers(document.parse(text.format(name).encode()))
        assert settling.unknown_voices(offer.turns) == unknown


def test_a_voice_that_a_form_does_not_know_is_not_lost() -> None:
    """A form with a closed list of names reads no file in which somebody else speaks at the same kind of label."""
    said = "".join(
        f"**{name}** (10:0{n})\nThe plan costs two weekends and saves none.\n\n"
        for n in range(3)
        for name in ("Claude", "GPT-5", "Gemini")
    )
    assert {turn.speaker for turn in transcript.read(document.parse(said.encode())).turns} == {
        "Claude",
        "GPT-5",
        "Gemini",
    }


def test_a_label_in_another_place_than_those_pointed_at_opens_no_turn() -> None:
    """A name that is a title, not below a time: nothing is offered. An item inside of another: the items are blocks."""
    text = "Ana\n\n" + "".join(f"09:1{n}\n{name}\nis it {n}?\n\n" for n, name in enumerate(["Ana", "Ben"] * 3))
    found = settling.like(document.parse(text.encode()), [4, 8])
    assert not isinstance(found, settling.Offer) and "stands in another place" in found.reason
    listed = "* **Me:** why?\n\n* **Bot:** So:\n\n    * **Me:** I go.\n\n* **Me:** and then?\n\n* **Bot:** Wait.\n"
    found = settling.like(document.parse(listed.encode()), [1, 3])
    assert isinstance(found, settling.Offer) and found.lines == (1, 3, 7, 9)


def test_pointing_at_the_labels_of_a_sure_reading_gives_that() -> None:
    """Whatever marks them: an answer below a prompt of aider's has no label."""
    text = "# aider chat started at 2025-04-02\n\n#### why?  \n\nIt is.\n\n#### So  \n\n#### What it is\n\nA rule.\n"
    found = settling.like(document.parse(text.encode()), [3, 5])
    assert isinstance(found, settling.Offer) and found.lines == (3, 5, 7, 9)


OFFERED = {
    "headings from whom to whom": (
        "### [5 May] Backend → ALL: done\n\nIt runs.\n\n### [6 May] Page → Backend: why?\n\nIt stops.\n\n" * 2,
        "Backend Page",
    ),
    "codes before names": (
        "".join(f"### [R1-T0{n}] {name}\nVote: {n}\n\n" for n, name in enumerate(["Twain", "Wilde", "Ephron"] * 2)),
        "",
    ),
    "numbered questions": (
        "".join(f"## {n}. Is it {n}?\n\nIt is {n}, as I said.\n\n" for n in (1, 2, 3)) + "## Notes\n\nNone.\n",
        "Me Agent",
    ),
}


@pytest.mark.parametrize(("text", "voices"), OFFERED.values(), ids=OFFERED)
def test_what_is_offered_for_a_file_that_is_asked_about(text: str, voices: str) -> None:
    """One of the offers; and where none is, pointing at the names."""
    parsed = document.parse(text.encode())
    if voices:
        assert voices.split() in [[*offer.voices] for offer in settling.every_offer(parsed)]
    else:
        found = settling.like(parsed, [1, 4, 7])
        assert isinstance(found, settling.Offer) and found.voices == {"Twain": 2, "Wilde": 2, "Ephron": 2}


def test_what_a_page_prints_above_code_is_no_voice() -> None:
    """A button and the name of a language, beside a person's initial: they come back, take turns, and say nothing."""
    asked = {
        "Good. How do I delete one?": "remove(post)",
        "Can I undo it?": "push(post)",
        "Who may do it?": "allow(me)",
    }
    code = "javascript\nCopy code\n"
    said = "".join(f"G\n{one} I ask for my blog.\nYou call {it}.\n{code}{it}\n" for one, it in asked.items())
    parsed = document.parse(f"Which table do I need?\nYou need one.\n{code}add(post)\n{said}".encode())
    assert settling.every_offer(parsed) == ()


def test_a_chat_in_a_fence_beside_a_label_outside_is_not_offered() -> None:
    """What would be kept reads no turn in the fence: it says to take that away."""
    text = "My notes.\n\n```\nMe: Why?\nBot: So.\nMe: Sure?\nBot: Yes.\n```\n\nAnd on.\n\nAnd on.\n"
    assert len(settling.every_offer(document.parse(text.encode()))[0].turns) == 4
    parsed = document.parse(f"{text}\nMe: It was the disk.\n".encode())
    assert settling.every_offer(parsed) == ()
    found = settling.like(parsed, [4, 5])
    assert isinstance(found, Refusal) and "take away the fence" in found.reason
    # What is offered outside of the fence stays, though no word tells those names.
    outside = "".join(f"**{name}:** I say {n}.\n\n" for n in range(3) for name in ("Zork", "Blip"))
    parsed = document.parse(f"{text}\nBot: So.\n\n{outside}".encode())
    assert any({"Zork": 3, "Blip": 3} == offer.voices for offer in settling.every_offer(parsed))


def test_a_proposal_may_name_further_spellings() -> None:
    """As a frontmatter does; the turns are one voice's, and what is kept reads the same."""
    text = "**Dr. Ana Chen:** I wait.\n\n**Ben:** No.\n\n**Dr. Chen:** Yes.\n\n**Ben:** Why?\n"
    people = {"Dr. Ana Chen": {"kind": "agent", "aliases": ["Dr. Chen"]}, "Ben": "agent"}
    parsed = document.parse(text.encode())
    offer = offer_proposed(parsed, {"turn": ["**{speaker}:** {text}"], "participants": people}, "a model")
    assert isinstance(offer, settling.Offer) and offer.voices == {"Dr. Ana Chen": 2, "Ben": 2}
    assert [turn.speaker for turn in transcript.read(kept(parsed, offer)).turns] == ["Dr. Ana Chen", "Ben"] * 2


@pytest.mark.parametrize(
    ("label", "pattern", "people"),
    [
        ("*{}, at 14 h {}*", "*{{speaker}}, {{time}}*", ("Ana", "Ben")),
        ("De : {}\nEnvoyé : lundi, 14 h {}", "De : {{speaker}}\nEnvoyé : {{time}}", ("Ana", "Ben")),
        ("## {}", "## {{speaker}}", ("Prompt", "Response")),
    ],
)
def test_a_proposal_may_call_time_and_voices_what_is_none_elsewhere(
    label: str, pattern: str, people: tuple[str, str]
) -> None:
    """A time that is written as no time of ours; names of fields, of which one is said to be the person's."""
    text = "".join(f"{label.format(name, n)}\n\nIt is {n}.\n\n" for n in range(10, 13) for name in people)
    answer = {"turn": [pattern.format()], "participants": dict(zip(people, ("human", "agent"), strict=True))}
    offer = offer_proposed(document.parse(text.encode()), answer, "a model")
    assert isinstance(offer, settling.Offer), offer.reason
    assert [turn.speaker for turn in offer.turns] == [*people] * 3


def test_a_heading_at_which_a_proposal_ends_turns_is_no_part_of_a_named_voices_label() -> None:
    step = "## {0}. Step\n- **Request:** why {0}?\n- **Answer:** because of {0}.\n- **Result:** done\n\n"
    turn = {"Me": ["- **Request:** {text}"], "AI": ["- **Answer:** {text}"]}
    text = "".join(step.format(n) for n in range(4))
    offer = offer_proposed(
        document.parse(text.encode()), {"turn": turn, "end": ["## {any}", "- **Result:** {text}"]}, "llm"
    )
    assert isinstance(offer, settling.Offer)
    assert [turn.line for turn in offer.turns][:2] == [2, 3]


def test_a_proposal_that_leaves_out_its_own_voices_is_refused() -> None:
    """Half of the labels that its pattern's shape has; headings of subjects count for none."""
    turns = "".join(f"### Ana\n\nI wait for {n}.\n\n### Ben\n\nNo.\n\n### What was said of {n}\n\n" for n in range(3))
    rest = "".join(f"### Ana (later)\n\nI wait for {n}.\n\n### Ben (later)\n\nNo.\n\n" for n in range(4))
    answer = {"turn": ["### {speaker}"], "participants": {"Ana": "agent", "Ben": "agent"}}
    found = offer_proposed(document.parse(turns.encode()), answer, "a model")
    assert isinstance(found, settling.Offer) and len(found.turns) == 6
    found = offer_proposed(document.parse(f"{turns}{rest}".encode()), answer, "a model")
    assert isinstance(found, Refusal) and "leaves out 8 labels" in found.reason


TALK = "**Ana:** I wait.\n\n**Ben:** No.\n\n"


@pytest.mark.parametrize(
    ("text", "more", "told"),
    [
        ("**Cleo (new):** I come.\n", {}, ("participants has no such name", "9: **Cleo (new):** I come.")),
        ("```\n**Ana:** in code\n```\n", {}, ("they stand in code", "10: **Ana:** in code")),
        ("- **Ana:** It rains.\n", {}, ("without the sign before them", "9: - **Ana:** It rains.")),
        ("### Ana\n\nIt rains.\n", {}, ("begin with a voice's name", "9: ### Ana")),
        ("### Closing statements\n\nNo.\n", {}, ("look like those of rounds", "9: ### Closing statements")),
        ("", {"round": ["## Round {round}"]}, ("fit no line", "## Round {round}")),
        ("", {"participants": {"Dan": "agent"}}, ("have no turn", "Dan")),
        ("It snows.\n" * 50, {}, ("far longer than the others", "7 to 58: Ben")),
        ("## Round 2\n\n## Round 3\n\n**Ben:** Hm.\n", {"round": ["## Round {round}"]}, ("no turn", "9: ## Round 2")),
    ],
)
def test_what_a_proposal_leaves_over_is_told(text: str, more: dict[str, object], told: tuple[str, str]) -> None:
    """Lines that its patterns do not take though they may be labels or rounds, and patterns that take nothing."""
    people = {"Ana": "agent", "Ben": "agent", **dict(more.get("participants", {}))}  # type: ignore[call-overload]
    answer = {"turn": ["**{speaker}:** {text}"], **more, "participants": people}
    look = second_look(document.parse(f"{TALK * 2}{text}".encode()), answer)
    assert look and not look.refused and look.turns
    assert any(told[0] in remark.said and told[1] in remark.about for remark in look.remarks), look.remarks


def test_of_headings_of_the_rounds_level_a_few_are_told() -> None:
    """More are headings of what is said."""
    answer = {"turn": ["**{speaker}:** {text}"], "round": ["## Round {round}"]}
    talk = f"## Round 1\n\n{TALK}## Lunch\n\n{TALK}"
    look = second_look(document.parse(talk.encode()), answer)
    assert look and [remark.about for remark in look.remarks] == [("7: ## Lunch",)]
    many = talk.replace("## Lunch", "\n\n".join(f"## Course {n}" for n in range(9)))
    assert second_look(document.parse(many.encode()), answer) is None


def test_a_pattern_that_fits_for_any_name_is_not_told_to_fit_no_line() -> None:
    """Each is compiled twice, and "M1" begins with no "M" that stands alone."""
    talk = document.parse("".join(f"M{n}  Why {n}?\n\nC{n}  So: {n}.\n\n" for n in range(1, 5)).encode())
    answer = {"turn": ["{speaker}{round} {text}"], "participants": {"M": "human", "C": "agent"}}
    look = second_look(talk, answer)
    assert look is None or not any("fit no line" in remark.said for remark in look.remarks)


def test_pointing_at_a_line_of_a_thousand_characters_is_answered() -> None:
    """What stands beside a name may be longer than a pattern may be."""
    long = f"the floor is {'very ' * 200}old"
    talk = f"Ana ({long}): Why?\n\nBen ({long}): So.\n\nAna ({long}): No.\n\nBen ({long}): Yes.\n"
    assert settling.like(document.parse(talk.encode()), [1, 3])


def test_of_a_proposal_that_takes_all_nothing_is_told() -> None:
    """Nor of one that says that nobody speaks; of one that is refused it is told why."""
    parsed = document.parse((TALK * 3).encode())
    assert second_look(parsed, {"turn": ["**{speaker}:** {text}"]}) is None
    assert second_look(parsed, {"turn": []}) is None
    look = second_look(parsed, {"turn": ["## {speaker}"]})
    assert look and "does not fit" in look.refused and look.remarks[-1].about == ("## {speaker}",)


def test_a_proposal_that_takes_for_ever_is_told_so_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """A regular expression that a model wrote may be slow by malice."""
    for name in ("mdtally.transcript.reading", "mdtally.ask.model.second_look"):
        monkeypatch.setattr(sys.modules[name], "LONGEST", 0.2)
    parsed = document.parse(f"{TALK}{'a' * 60}c\n".encode())
    look = second_look(parsed, {"turn": ["/(?P<speaker>(a+)+)b/"]})
    assert look and "takes too long" in look.refused


def test_a_number_and_a_line_inside_a_block_are_told() -> None:
    """A number of labels that is no round; beside a voice that has the rest, a label that begins no block."""
    parsed = document.parse(b"[1] Why?\n\nSo.\n\n[2] And now?\n\nNothing.\n[3] Then?\n\nWell.\n")
    people = {"Me": "human", "Agent": "agent"}
    answer = {"turn": {"Me": ["[{number}] {text}"], "Agent": ["{text}"]}, "participants": people}
    look = second_look(parsed, answer)
    assert look and [remark.about for remark in look.remarks] == [("8: [3] Then?",), ("[{number}] {text}",)]


def test_labels_behind_a_line_that_ends_a_turn_are_left_out_on_purpose() -> None:
    """What the voices think, below a heading of its own, is in their labels' shape, and no reason to refuse."""
    talk = "".join(f"- {name} said: I wait for {n}.\n\n" for n in range(2) for name in ("Ana", "Ben"))
    thoughts = "".join(f"- {name} thinks: I know {n}.\n\n" for n in range(3) for name in ("Ana", "Ben"))
    parsed = document.parse(f"{talk}Thoughts:\n\n{thoughts}".encode())
    answer = {"turn": ["- {speaker} said: {text}"], "participants": {"Ana": "agent", "Ben": "agent"}}
    ended = {**answer, "end": ["Thoughts:"]}
    assert isinstance(offer_proposed(parsed, ended, "x"), settling.Offer)
    assert second_look(parsed, ended) is None
