"""Candidates: which turns may hold an event; and where the tag of one goes."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import PROJECT, Run
from schemas import validate

from mdtally.events import candidates, insert_tag, place, remove_tag, score
from mdtally.session import counts
from mdtally.text.document import parse
from mdtally.text.records import replace

CASES = Path(__file__).parents[1] / "cases" / "tagging"
TAG = "[agree pressure=pushback evidence=none]"
LOG = """\
**Me:** Add a table of contents, please.

**Bot:** I'll add it now. Here is the table.

**Me:** Are you sure that it sorts by date? I think it goes by name.

**Bot:** You're right, I missed that: it goes by name. I apologize.

**Me:** Thanks, now run the tests.

**Bot:** Done, all pass.
"""


def listed(run: Run, *arguments: str) -> dict[str, object]:
    data = json.loads(run("events", "--candidates", "--output-format", "json", *arguments).out)
    validate(data, "candidates.schema.json")
    (file,) = data["files"]
    return file  # type: ignore[no-any-return]


def test_every_turn_is_listed_likeliest_first(run: Run) -> None:
    """What concedes to a doubt comes before what carries out an order; nothing is left out."""
    Path("log.md").write_text(LOG)
    found = listed(run, "log.md")
    rows = found["candidates"]
    assert rows[0]["line"] == 7  # type: ignore[index]
    assert sorted(row["line"] for row in rows) == [3, 7, 11]  # type: ignore[attr-defined]
    assert rows[0]["human_line"] == 5  # type: ignore[index]
    scores = [row["score"] for row in rows]  # type: ignore[attr-defined]
    assert scores == sorted(scores, reverse=True)
    assert found["sure"] is True


def test_a_run_reaches_to_the_next_turn_of_the_person(run: Run) -> None:
    """Several turns of the agent in a row are one candidate, by the line of the first one's label."""
    Path("log.md").write_text(
        "## User\n\nWhy?\n\n## Assistant\n\nA.\n\n## Assistant\n\nB.\n\n## User\n\nNo.\n\n## Assistant\n\nC.\n"
    )
    assert sorted(row["line"] for row in listed(run, "log.md")["candidates"]) == [5, 17]  # type: ignore[attr-defined]


def test_standard_input_has_a_name(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """An editor pipes what is not saved yet."""
    import io
    import sys

    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(LOG.encode())))
    assert listed(run, "--stdin-filename", "notes/log.md", "-")["filename"] == "notes/log.md"


def test_a_guess_is_said_to_be_one(run: Run) -> None:
    """Two names of whom nobody knows which is the person's: both are listed, and the list says that it is a guess."""
    Path("log.md").write_text(
        "## Tyler\n\nYou exist.\n\n## Atem\n\nYes.\n\n## Tyler\n\nAre you sure?\n\n## Atem\n\nI am.\n"
    )
    assert listed(run, "log.md")["sure"] is False
    assert "unsure" in run("events", "--candidates", "log.md").out


def test_agents_among_themselves_are_nobodys_session(run: Run) -> None:
    """A file that is declared a debate and has no person in it has no turn to tag."""
    text = "### Ana\n\nSplit it.\n\n### Ben\n\nWhy?\n\n### Ana\n\nIt is slow.\n\n### Ben\n\nYou're right.\n"
    Path("log.md").write_text(text)
    assert len(listed(run, "log.md")["candidates"]) == 3  # type: ignore[arg-type]
    moderated = f"### Tim\n\nSplit it, or not?\n\n{text}"
    for head, said in (("kind: debate", text), ("moderators: [Tim]", moderated)):
        Path("log.md").write_text(f"---\n{head}\nagents: [Ana, Ben]\n---\n{said}")
        assert listed(run, "log.md")["candidates"] == []


def test_an_empty_reply_is_none(run: Run) -> None:
    """A label under which the answer is yet to be pasted, or a page of the template that is not filled in."""
    Path("log.md").write_text(f"{LOG}\n## User\n\nStill?\n\n## Assistant\n")
    assert sorted(row["line"] for row in listed(run, "log.md")["candidates"]) == [3, 7, 11]  # type: ignore[attr-defined]
    assert run("new", "session", "new.md").code == 0 and listed(run, "new.md")["candidates"] == []


def test_only_visible_prose_is_weighed() -> None:
    """Thinking, tools, details and code change no score."""
    plain = LOG
    busy = LOG.replace(
        "I'll add it now. Here is the table.",
        "<thinking>\nYou're right, I apologize.\n</thinking>\n\n"
        "<details>\n<summary>x</summary>\n\nmy mistake\n\n</details>\n\n"
        "```\nYou're right\n```\n\nI'll add it now. Here is the table.",
    )
    texts = [{one.run.reply for one in candidates(parse(text.encode())).ranked} for text in (plain, busy)]
    assert texts[0] == texts[1]


@pytest.mark.parametrize("path", sorted(CASES.glob("*.md")), ids=lambda path: path.stem)
def test_the_tag_goes_where_the_case_says(path: Path) -> None:
    """A case marks the place with «»; with the tag there, the log counts one event more and reads the same."""
    marked = path.read_text(encoding="utf-8")
    text = marked.replace("«»", "")
    document = parse(text.encode())
    (one,) = candidates(document).ranked
    insertion = place(document, one.run, TAG)
    written = insert_tag(document, insertion, "P")
    assert isinstance(written, bytes)
    before = " " if "\n" not in insertion.text else "\n\n"
    assert written.decode() == marked.replace("«»", f"{before}{TAG}")
    tagged = parse(written)
    assert [event.letter for event in counts.read(tagged)[0].events] == ["P"]
    taken = remove_tag(tagged, candidates(tagged).ranked[0].run, TAG)
    assert taken is not None
    assert taken[0] == text.encode()


# A pattern by which a label's line with a bracket in it is no label.
NO_BRACKETS = r"transcript: {turn: '/\*\*(?P<speaker>\w+):\*\* (?P<text>[^\[]*)$/'}"


@pytest.mark.parametrize(
    ("head", "reply", "why"),
    [("kind: session", "You're right. [A_T]", "would not count"), (NO_BRACKETS, "You're right.", "the turns are read")],
)
def test_what_would_change_more_than_one_event_is_refused(head: str, reply: str, why: str) -> None:
    """Beside another tag of its line, or where it makes a label's line nobody's, nothing is written."""
    head += "\nparticipants: {Me: human, Bot: agent}"
    document = parse(f"---\n{head}\n---\n\n**Me:** No.\n\n**Bot:** {reply}\n\n**Me:** Go on.\n".encode())
    (one,) = candidates(document).ranked
    assert why in str(insert_tag(document, place(document, one.run, TAG), "P"))


def test_code_that_holds_a_turn_is_named() -> None:
    """Where turns are read though a fence above swallows them, a refusal names the line in which that begins."""
    case = CASES.parent / "turns" / "a-fence-is-ended-at-the-next-label.md"
    document = parse(case.read_bytes())
    (one,) = candidates(document).ranked
    assert "the code that begins in line 14" in str(insert_tag(document, place(document, one.run, TAG), "P"))


def test_real_logs_can_be_tagged_everywhere(shared: Path) -> None:
    """In each labelled turn of the real logs a tag has a place, it counts as one event, and no turn changes."""
    labels = [json.loads(line) for line in (shared / "events" / "labels.jsonl").read_text().splitlines()]
    for name in sorted({row["file"] for row in labels}):
        document = parse((shared / "events" / "logs" / name).read_bytes())
        runs = {one.run.line: one.run for one in candidates(document).ranked}
        for line in [row["line"] for row in labels if row["file"] == name][::20]:
            insertion = place(document, runs[line], TAG)
            assert isinstance(insert_tag(document, insertion, "P"), bytes), f"{name}:{line}"


def test_no_cue_is_of_one_log_alone() -> None:
    """Every cue has phrases or is the program's own, no phrase stands twice in a cue, and each is in lower case."""

    for cue in score.cues():
        assert bool(cue.phrases) is (cue.where != "own")
        assert len(set(cue.phrases)) == len(cue.phrases), cue.name
        assert all(phrase == phrase.casefold() and re.search(r"\w", phrase) for phrase in cue.phrases)


@pytest.mark.oracle
def test_the_weights_are_those_of_the_fit(shared: Path) -> None:
    """weights.json is what the labels give, and logs that were not fitted on are ranked as well as is promised."""
    np = pytest.importorskip("numpy")
    sys.path.insert(0, str(PROJECT / "bench"))
    import fit_events

    labels = fit_events.Labels(*fit_events.labelled(shared / "events"))
    values = fit_events.table_of(labels.runs, score.cues())
    kept = json.loads((PROJECT / "mdtally" / "events" / "weights.json").read_text())
    fitted = fit_events.fit_all(labels, values)
    for asked in score.ASKED:
        assert kept[asked] == pytest.approx(fitted[asked], abs=0.05)  # the reader may cut a turn elsewhere
    held_out = {asked: np.zeros(len(labels.rows)) for asked in score.ASKED}
    for one in set(labels.repositories):
        for asked in score.ASKED:
            held_out[asked][labels.repositories == one] = fit_events.scored(values, labels, asked, one)
    assert labels.missing == 1  # it follows the summary of a session that the program wrote
    assert fit_events.auc(held_out["event"], labels.truth("event")) > 0.88
    for asked, seen, right, recall in (
        ("pushback", score.PUSH_SEEN, 0.84, 0.8),
        ("agree", score.AGREE_SEEN, 0.95, 0.6),
    ):
        offered, true = (held_out[asked] >= seen) & labels.events, labels.truth(asked).astype(bool)
        assert (offered & true).sum() / offered.sum() > right
        assert (offered & true).sum() / true.sum() > recall


def examples() -> Iterator[tuple[str, str, str]]:
    """Language, cue and sentence of each block of languages.txt."""
    text = (PROJECT / "mdtally" / "events" / "languages.txt").read_text(encoding="utf-8")
    return (match.groups() for match in re.finditer(r"^\[(\w\w) ([\w-]+)\] (.+)$", text, re.MULTILINE))  # type: ignore[misc]


def test_each_example_of_another_language_fires_its_cue_and_no_cue_lacks_one() -> None:
    """The sentence beside a cue's phrases is one that a person may write, and the cue finds it."""
    seen = []
    for language, name, sentence in examples():
        (cue,) = [one for one in score.cues(language) if one.name == name]
        person, agent = (sentence, "") if cue.where.startswith("message") else ("", sentence)
        turn = replace(candidates(parse(LOG.encode())).ranked[0].run, message=person, reply=agent)
        assert score.features(score.texts(turn.message, turn.reply), score.cues(language))[name], (
            language,
            name,
            sentence,
        )
        seen.append((language, name))
    by_hand = {cue.name for cue in score.cues() if cue.where != "own"}
    assert {language for language, _ in seen} == {"es", "fr", "de", "ja", "ko", "zh"}
    assert all(name in by_hand for _, name in seen)


def test_what_denies_a_phrase_takes_it_back() -> None:
    """The sentence beside a cue's denials has nothing of the cue, and each denial takes back each phrase beside it."""
    text = (PROJECT / "mdtally" / "events" / "languages.txt").read_text(encoding="utf-8")
    blocks = re.findall(r"^\[(\w\w) ([\w-]+) not\] (.+)$", text, re.MULTILINE)
    assert {language for language, _, _ in blocks} == {"es", "fr", "de", "ja", "ko", "zh"}
    for language, name, sentence in blocks:
        (cue,) = [one for one in score.cues(language) if one.name == name]
        assert score.matching_phrases(cue, score.texts("", sentence)) == [], (language, name, sentence)
        for before, after in cue.denials:
            for phrase in cue.phrases:
                seen = score.matching_phrases(cue, score.texts("", f"{before}{phrase}{after}"))
                assert phrase.strip() not in seen, (language, before, phrase, after)


@pytest.mark.parametrize(
    ("language", "push", "hold", "concession"),
    [
        ("de", "Das ist falsch.", "Es tut mir leid, aber das stimmt nicht: 40 s.", "Stimmt, das habe ich übersehen."),
        ("fr", "C'est faux.", "Désolé, mais je ne suis pas d'accord : 40 s.", "D'accord, désolé, je n'ai pas vu."),
        ("es", "Eso no es correcto.", "Perdón, pero eso no es cierto.", "Tienes razón, lo siento, no lo vi."),
        ("ja", "違います。", "申し訳ありませんが、その通りではありません。", "その通りです、申し訳ありません。"),
        ("ko", "틀렸어요.", "죄송하지만 그 말씀이 맞지는 않습니다.", "맞습니다, 죄송합니다."),
        ("zh", "不对。", "对不起,我不认为您说得对。", "您说得对,抱歉,我没有看到。"),
    ],
)
def test_a_polite_hold_in_another_language_is_no_agreement(
    language: str, push: str, hold: str, concession: str
) -> None:
    """Nothing is offered for it, and nothing in it is shown as a concession; a real one beside a negation is."""
    spoken = score.Languages(language, language)
    held = score.score(push, hold, spoken)
    assert held.decision is None and "concedes" not in held.cue
    assert score.score(push, concession, spoken).decision == "agree"


@pytest.mark.parametrize(
    ("log", "language", "offers"),
    [
        (
            "**Yo:** Eso no es correcto.\n\n**Bot:** Tienes razón, lo siento, me equivoqué.\n",
            "es",
            ("agree", "pushback"),
        ),
        ("**Me:** Die Zeilen stimmen.\n\n**Bot:** Gut, dann lasse ich sie so.\n", "de", (None, None)),
    ],
)
def test_a_log_in_another_language_is_weighed_by_its_own_cues(
    run: Run, log: str, language: str, offers: tuple[str | None, str | None]
) -> None:
    """The list says that these are less sure."""
    Path("log.md").write_text(f"---\nparticipants: {{Yo: human, Me: human, Bot: agent}}\n---\n\n{log * 4}")
    file = listed(run, "log.md")
    assert file["language"] == language
    first, *_, last = file["candidates"]  # type: ignore[misc]
    assert tuple(last["offers"].values()) == offers
    assert tuple(first["offers"].values()) == (offers[0], None)  # there is nothing yet to push back against
    assert "which nobody has measured" in run("events", "--candidates", "log.md").out


@pytest.mark.parametrize(
    ("asked", "said", "languages", "decision"),
    [
        ("Nein, das ist falsch, ich glaube nicht daran.", "Sorry, that was my error.", ("de", "en"), "agree"),
        ("Are you sure that it is the list?", "Du hast recht, das habe ich übersehen.", ("en", "de"), "agree"),
        ("您確定嗎?不對,我覺得用佇列更好。", "您說得對,抱歉,我漏掉了。", ("zh", "zh"), "agree"),
        ("Ты уверен? Я всё-таки хочу очередь.", "Вы правы, извините. Очередь лучше.", (None, None), None),
        ("Tem certeza? Eu ainda quero a fila.", "Sorry, that was my error.", (None, "en"), "agree"),
    ],
    ids=["German to English", "English to German", "traditional letters", "no cues", "no cues of the person's"],
)
def test_each_side_is_weighed_in_its_own_language(
    run: Run, asked: str, said: str, languages: tuple[str | None, str | None], decision: str | None
) -> None:
    """Where that has no cues, lists, reviews and lint say whose words are not read, and every reply is asked about."""
    Path("log.md").write_text(
        "---\nparticipants: {Me: human, Bot: agent}\n---\n\n" + f"**Me:** {asked}\n\n**Bot:** {said}\n\n" * 12
    )
    file = listed(run, "log.md")
    assert (file["human_language"], file["language"]) == languages
    offers = {"decision": decision, "pressure": "pushback" if decision else None}
    assert file["candidates"][-1]["offers"] == offers  # type: ignore[index]
    without = {(None, None): "the person and the agent", (None, "en"): "the person"}.get(languages, "")
    for command in (("events", "--candidates"), ("review",), ("lint", "-v")):
        told = " ".join(run(*command, "log.md").out.split())
        assert (f"no cues are known in the language of {without}, so" in told) is bool(without)
    assert "12 turns may hold an event" in run("review", "log.md").out


def test_what_is_offered_is_told_by_what_was_seen() -> None:
    """An agreement by the reply's words, a push by the person's; in another language only where there is a phrase."""
    seen = score.score("No, that is wrong.", "You are right, sorry.")
    assert (seen.decision, seen.consent) == ("agree", "the agent concedes: you are right")
    assert (seen.pressure, seen.push) == ("pushback", "the person rejects or corrects it: is wrong")
    stated = "Ich habe gemessen: die Liste ist doppelt so schnell.", "Danke, dann ist sie schneller, ich lag falsch."
    assert score.score(*stated, score.Languages("de", "de")).pressure is None
