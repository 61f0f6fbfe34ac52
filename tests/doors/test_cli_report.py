"""``mdtally report``: what it says of a debate, in every format, and that nothing in a transcript acts on a page."""

from __future__ import annotations

import json
import re
import shutil
from html.parser import HTMLParser
from pathlib import Path

import pytest
from conftest import PROJECT, Run
from schemas import validate
from terminal import drive
from test_render_safe import harmful

FORMATS = ("html", "markdown", "json")
HEAD = "---\nkind: debate\nagents: [Ana, Ben, Cleo]\n---\n\n## Round 1\n\n"
ANA = (
    "### Ana\n\nThe badge office moves to the lobby in May, because the lift is closed from the third to the ninth.\n\n"
)
OBJECTS = "I disagree with Ana: the lobby has no power outlet, so the printer can't run there on any day of that week."
NODS = "Great point! I agree with Ana on every count, and I have nothing to add to such a clear and convincing plan."
OPEN = "We had the very same question at the school, and there the answer did not last a year."
POLISH = "Biuro przenosi się do holu w maju, ponieważ winda jest zamknięta i nie można wejść na górę w tym tygodniu."
STANDS = "I've stress-tested Ana's argument and cannot find a material weakness."


def debate(*texts: str, name: str = "debate.md") -> Path:
    """A file in which Ana opens, and Ben and Cleo take turns at saying these."""
    turns = "".join(f"### {('Ben', 'Cleo')[n % 2]}\n\n{text}\n\n" for n, text in enumerate(texts))
    path = Path(name)
    path.parent.mkdir(exist_ok=True)
    path.write_text(HEAD + ANA + turns, encoding="utf-8")
    return path


def told(run: Run, *words: object) -> dict[str, object]:
    """What the JSON says of the only file."""
    data = json.loads(run("report", "--output-format", "json", *words).out)
    validate(data, "report.schema.json")
    (file,) = data["files"]
    return file  # type: ignore[no-any-return]


class Page(HTMLParser):
    """The tags of a page, its words, its ids and where its links lead."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.words = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.ids += [value or "" for name, value in attrs if name == "id"]
        # The page's own card is no place that a link leads to: it is kept as a file.
        found = [value or "" for name, value in attrs if name in ("href", "src")]
        self.links += [link for link in found if not (tag == "a" and link.startswith("data:image/svg+xml;base64,"))]
        if tag not in ("meta", "br", "hr"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words += data


# -- What it says -----------------------------------------------------------------------------------------------------


def test_the_worst_round_stands_first_and_everything_is_counted(run: Run) -> None:
    """The sentence, the voices, the rounds and the matrix; a stand-down is no argument, and no silence."""
    path = debate(OBJECTS, NODS, STANDS, OPEN)
    with path.open("a") as file:
        file.write(f"## Round 2\n\n{ANA}### Ben\n\n{NODS}\n\n### Cleo\n\n{NODS.replace('count', 'score')}\n")
    found = told(run, path)
    assert found["headline"] == "Round 2: both later turns answer nobody"
    assert found["against"] == [{"speaker": "Ben", "whom": "Ana", "turns": 1}]
    answers = [turn["answer"] for turn in found["turns"]]  # type: ignore[attr-defined]
    assert answers == [None, "argues", "silent", "stands_down", "unsure", None, "silent", "silent"]
    ben = found["voices"][1]  # type: ignore[index]
    assert ben["answers"] == {"argues": 1, "stands_down": 1, "unsure": 0, "silent": 1}
    assert (ben["turns"], ben["padding"]) == (3, 3)
    # Phrases are counted, not turns, beside columns that count turns.
    assert "| silent | flattering phrases | repeats |" in run("report", path, "--output-format", "markdown").out
    first = found["rounds"][0]  # type: ignore[index]
    assert list(first["answers"].values()) == [1, 1, 1, 1]


@pytest.mark.parametrize(
    ("texts", "headline"),
    [
        (
            (OBJECTS, OPEN, NODS),
            "Of the 3 turns that could answer somebody, 1 argues, 1 may or may not argue, 1 answers nobody",
        ),
        ((NODS,), "The only turn that could answer somebody answers nobody"),
        ((OBJECTS, OBJECTS + " So it fails."), "All 2 turns that could answer somebody argue"),
        (
            (NODS, NODS + " Yes.", NODS + " Sure.", OPEN),
            "Of the turns that could answer somebody, three of four answer",
        ),
        ((), "this is no panel"),
    ],
)
def test_one_sentence_says_what_the_debate_comes_to(run: Run, texts: tuple[str, ...], headline: str) -> None:
    assert headline in str(told(run, debate(*texts))["headline"])


def test_an_unsure_turn_counts_in_no_share(run: Run) -> None:
    """It may argue or not: the page, the card and the voices' shares are of the turns that are sure."""
    path = debate(OBJECTS, OPEN)
    note, card = (run("report", path, "--output-format", kind).out for kind in ("markdown", "svg"))
    assert "| 1 of 1 | 1 | 0 | 1 | 0 |" in note
    assert "1 of 1 turn that could answer somebody argues (100 in 100; 21 to 100 fit); 1 that" in card
    assert ">1 of 1 (21-100%)<" in card and ">1 unsure<" in card
    voices = json.loads(run("report", path, "--output-format", "json").out)["voices"]
    assert {one["speaker"]: one["argues"] and one["argues"]["share"] for one in voices}["Cleo"] is None
    unsure = run("report", debate(OPEN), "--output-format", "svg").out
    assert "in 100" not in unsure and ">1 unsure<" in unsure


def test_a_survey_that_is_named_is_told_elsewhere(run: Run) -> None:
    """It is no debate to leave out: another command tells it, which is named; of a folder it is left out."""
    debate(OBJECTS, name="a/d.md")
    Path("a/my survey.md").write_text("---\nkind: survey\n---\n")
    ran = run("report", "a/my survey.md", "-o", "s.svg")
    assert (
        ran.code == 2
        and "a survey, which has no page: `mdtally verdict 'a/my survey.md'` says" in ran.err
        and not Path("s.svg").exists()
    )
    assert run("report", "a").code == 0


def test_who_is_agreed_with_is_not_taken_issue_with(run: Run) -> None:
    """A name counts where its sentence objects without praise; where nobody is named, the only one who spoke before."""
    agrees = "I agree with Ana that it is late, but this fails at night. The estimate omits the power for the printer."
    found = told(run, debate(agrees, OBJECTS.replace("disagree with Ana", "reject Ben's view")))
    assert [(one["speaker"], one["whom"]) for one in found["against"]] == [("Ben", "Ana"), ("Cleo", "Ben")]  # type: ignore[attr-defined]


def test_a_word_that_two_voices_share_names_neither(run: Run) -> None:
    """ "Lee" may be either; the whole name, or a word of one alone, is one."""
    turns = (
        (
            "Ana Lee",
            "The badge office moves to the lobby in May, because the lift is closed from the third to the ninth.",
        ),
        ("Tom Lee", "The badge office stays on the fourth floor, because the lobby has no desk for it before July."),
        (
            "Cleo",
            "I disagree with Lee: the lobby has no power outlet, so the printer can't run there on any day of it.",
        ),
        ("Dora", "I disagree with Ana and Tom Lee: the lobby has no door, so nobody can lock the printer in at night."),
    )
    Path("a.md").write_text(
        "---\nkind: debate\ntranscript:\n  turn: '### {speaker}'\n---\n\n"
        + "".join(f"### {a}\n\n{b}\n\n" for a, b in turns)
    )
    found = {(one["speaker"], one["whom"]) for one in told(run, "a.md")["against"]}  # type: ignore[attr-defined]
    assert {one for one in found if one[0] in ("Cleo", "Dora")} == {
        ("Cleo", None),
        ("Dora", "Ana Lee"),
        ("Dora", "Tom Lee"),
    }


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ("# Notes\n\nNothing here.\n", "no_turns"),
        ("", "no_turns"),
        ("# Queue\n\n- **Ana:** One queue will do.\n- **Ben:** Two queues.\n- **Ana:** No.\n", "unsure"),
        (f"---\nkind: debate\nagents: [Ana]\nhumans: [Me]\n---\n\n{ANA}### Me\n\nYes.\n", "one_voice"),
        (
            HEAD.replace("kind", "language: pl\nkind") + f"### Ana\n\n{POLISH}\n\n### Ben\n\n{POLISH} Nie.\n",
            "no_language",
        ),
    ],
)
def test_what_was_not_judged_says_why(run: Run, text: str, state: str) -> None:
    """In every format; no number of a judgement stands there, and an unsure reading looks unsure."""
    Path("a.md").write_text(text)
    found = told(run, "a.md")
    assert found["state"] == state
    for wanted in FORMATS:
        out = run("report", "a.md", "--output-format", wanted).out
        assert "silent" not in re.sub(r'<style>.*?</style>|"silent": 0', "", out, flags=re.S)
        assert str(found["headline"])[:20] in out.replace("\\", "")
        if state == "unsure" and wanted != "json":
            assert "mdtally turns a.md --accept 1" in out
    assert ('class="doubt"' in run("report", "a.md").out) == (state in ("unsure", "no_turns"))


# -- The page ---------------------------------------------------------------------------------------------------------


def test_each_finding_stands_at_its_words_with_its_rule_on_the_page(run: Run) -> None:
    """One click away: the rule's own text is in the file. Wrapped prose flows on."""
    page = run("report", debate(NODS.replace(" to such", "\nto such"), OPEN)).out
    read = Page(page)
    assert read.open == [] and len(read.ids) == len(set(read.ids))
    assert {link[1:] for link in read.links} <= set(read.ids)
    assert re.search(r'<mark class="warning">Great point</mark><sup><a [^>]*href="#MDT101"', page)
    assert "Known false positives" in read.words
    assert "nothing to addMDT104\nto such a clear" in read.words
    assert '<article id="t3" class="unsure" ' in page


def bodies_of(page: str) -> list[str]:
    """The markup of each turn's words."""
    return re.findall(r'<div class="said">\n(.*?)\n</div>\n</article>', page, re.DOTALL)


def test_turns_are_shown_as_the_markdown_that_they_are(run: Run) -> None:
    """Tables, code, lists, quotes; raw HTML, links and images are text; headings stand below those of the page."""
    text = (
        "#### The plan\n\n1. **first**, `x < y`\n2. see [the page](https://example.org/a) and ![a plan](plan.png)\n\n"
        "| who | cost |\n|---|---:|\n| Ben | 3 |\n\n```python\nprint('<b>')\n```\n\n> a quote\n\n<b>bold</b>\n\n"
        "yes\nand no\n"
    )
    page = run("report", debate(text)).out
    assert ":is(p, li, h4, h5, h6, th, td) { unicode-bidi: plaintext; }" in page, "Hebrew runs from the right"
    body = bodies_of(page)[1]
    for shown in (
        "<h6>The plan</h6>",
        "<li><strong>first</strong>, <code>x &lt; y</code></li>",
        "see the page (https://example.org/a) and [a plan] (plan.png)",
        '<td style="text-align:right">3</td>',
        "<pre><code>print('&lt;b&gt;')\n</code></pre>",
        "<blockquote>\n<p>a quote</p>",
        "&lt;b&gt;bold&lt;/b&gt;",
        "yes<br />\nand no",
    ):
        assert shown in body


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("- {}: it is so", '<li><mark class="warning">Great point</mark><sup>{}</sup>: it is so</li>'),
        ("**{}** it is", '<strong><mark class="warning">Great point</mark><sup>{}</sup></strong> it is'),
        ("*Yes. {}, so* it is", '<em>Yes. <mark class="warning">Great point</mark><sup>{}</sup>, so</em> it is'),
        ("| {} | b |\n|---|---|\n| c | d |", '<th><mark class="warning">Great point</mark><sup>{}</sup></th>'),
        ("#### {}", '<h6><mark class="warning">Great point</mark><sup>{}</sup></h6>'),
        ("[{} it is](https://a.example)", '<mark class="warning">Great point</mark><sup>{}</sup> it is (https://a.example)'),
        ("Great\n**point**", '<mark class="warning">Great</mark><br />\n<strong><mark class="warning">point</mark>'),
    ],
)  # fmt: skip
def test_findings_stay_at_their_words_within_markdown(run: Run, line: str, shown: str) -> None:
    """In an item, emphasis, a table's cell, a heading, a link, over two lines: no tag is ever torn."""
    text = (
        line.format("Great point") + "\n\nThe badge office needs a desk, a lamp and a chair, and there is none of it."
    )
    page = run("report", debate(text)).out
    assert Page(page).open == []
    body = re.sub(r"<a [^>]*>(\w+)</a>", r"\1", bodies_of(page)[1])
    assert shown.format("MDT101") in body


def test_a_body_that_markdown_does_not_show_whole_is_shown_as_lines(run: Run) -> None:
    """A hundred quotes in lists, and an address that only a reference would show: nothing is lost."""
    deep = "> a\n- b\n" * 130
    reference = f"See [1].\n\n[1]: zebra 'Great point! I agree with Ana'\n\n{OPEN}"
    Path("mdtally.toml").write_text('[lint]\nforbidden-phrases = ["zebra"]\n')
    page = run("report", debate(deep + OPEN, reference)).out
    assert Page(page).open == []
    first, second = bodies_of(page)[1:]
    assert first.count("&gt; a<br>") == 130
    assert "Great point" in second and "MDT101" in second


HOSTILE = (
    "</article><script>alert(1)</script><img src=x onerror=alert(1)> <style>*{x:y}</style> {{ 7*7 }} {% raw %} "
    "[x](javascript:alert(1)) `<b>` \x1b[31m \u202e \u2066 <!-- x --> &lt; @all #tag https://example.org"
)


@pytest.mark.parametrize("wanted", ["html", "markdown"])
def test_a_hostile_transcript_is_inert(run: Run, wanted: str) -> None:
    """No tag, attribute or link of its own, no character that steers: what it holds is shown."""
    name = "<script>alert(2)</script>\u202eBen"
    text = f"---\nkind: debate\ntranscript:\n  turn: '### {{speaker}}'\n---\n\n{ANA}### {name}\n\n{HOSTILE}\n\n"
    text += f"    - indented\n\n---\n\n1. # list\n\n{NODS} {HOSTILE}\n"
    Path("a.md").write_text(text, encoding="utf-8")
    out = run("report", "a.md", "--output-format", wanted).out
    assert not list(harmful(out))
    if wanted == "html":
        read = Page(out)
        assert read.open == []
        assert not read.tags & {"script", "img", "iframe", "link"} and out.count("<style") == 1
        assert not any(name.startswith("on") or name == "src" for name in read.attributes)
        assert all(link.startswith("#") for link in read.links)
        assert "alert(2)" in read.words and "{{ 7*7 }} {% raw %}" in read.words
    if wanted == "markdown":
        markdown_it = pytest.importorskip("markdown_it")
        page = markdown_it.MarkdownIt("commonmark", {"html": True}).render(out.replace("<!-- mdtally report -->", ""))
        assert not Page(page).tags & {"script", "img", "style", "ol", "hr", "pre"}
        assert "javascript:" not in "".join(Page(page).links)


def test_a_thousand_voices_are_a_page_that_can_be_read(run: Run) -> None:
    """The tables hold those with most turns and say how many they leave out; the transcript holds all."""
    head = "---\nkind: debate\ntranscript:\n  turn: '### {speaker}'\n---\n\n"
    Path("a.md").write_text(
        head + "".join(f"### V{n:04d}\n\n{OBJECTS.replace('Ana', f'V{n // 2:04d}')}\n\n" for n in range(300))
    )
    page = run("report", "a.md").out
    assert "without 260 others" in page and "more voices left out" in page
    assert page.count("<article") == 300
    assert page.count('scope="row"') < 60


# -- Files ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("wanted", FORMATS)
def test_only_its_own_files_are_written_again(run: Run, wanted: str) -> None:
    """Written, left as it is, written again; anything else that stands there stays, and is said."""
    path, target = debate(NODS, OPEN), Path("out/page")
    command = ("report", path, "-o", target, "--output-format", wanted)
    assert [run(*command).err.split(": ")[-1] for _ in range(2)] == ["written\n", "up to date\n"]
    debate(OBJECTS)
    assert run(*command).err.endswith("written again\n")
    target.write_text("my own")
    ran = run(*command)
    assert (ran.code, target.read_text()) == (2, "my own")
    assert "no report of mdtally's" in ran.err
    assert run("report", path, "-o", path).code == 2 and path.read_text().startswith("---")


def test_several_debates_are_a_file_each_with_an_index(run: Run) -> None:
    """In a folder, by their names, or their whole paths where two share one; the suffix says the format.

    The index leads to each, with its sentence.
    """
    for name in ("a/x.md", "b/x.md", "b/y.md"):
        debate(NODS, name=name)
    Path("b/notes.md").write_text("# Notes\n\nWords.\n")
    ran = run("report", "a", "b", "-o", "pages")
    assert sorted(path.name for path in Path("pages").iterdir()) == ["a-x.html", "b-x.html", "index.html", "y.html"]
    index = Path("pages/index.html").read_text()
    assert '<a href="a-x.html">a/x.md</a>' in index and "could answer somebody answers nobody" in index
    assert "index.html: up to date" in run("report", "a", "b", "-o", "pages").err
    debate(NODS, name="c (1)/index.md")
    run("report", "a", "c (1)", "-o", "notes", "--output-format", "markdown")
    assert "- [c (1)/index.md](index-page.md): " in Path("notes/index.md").read_text()
    assert ran.code == 0 and "1 file holds no debate and no marked session: left out" in ran.err
    assert run("report", "a", "b").code == 2 and run("report", "a", "b", "-o", "b.html").code == 2
    Path("a/notes.md").write_text("# Notes\n\nWords.\n")
    assert run("report", "a", "-o", "b.html").code == 0 and Path("b.html").is_file()
    as_json = run("report", "a", "b", "--output-format", "json").out
    assert len(json.loads(as_json)["files"]) == 3
    assert run("report", "a", "b", "-o", "b.json").code == 0 and Path("b.json").read_text() == as_json
    assert run("report", "a/x.md", "-o", "new/").code == 0 and Path("new/x.html").exists()
    assert run("report", "a/x.md", "-o", "a.json").code == 0 and json.loads(Path("a.json").read_text())["files"]


def test_exit_codes(run: Run) -> None:
    """Findings of the gate are no failure, errors in the file are; what can't be read is 2, and the rest is done."""
    assert run("report", debate(NODS)).code == 0
    Path("empty.md").write_text("---\nkind: debate\n---\n\nNothing.\n")
    assert run("report", "empty.md").code == 1
    ran = run("report", "missing.md", "debate.md", "-o", "pages")
    assert ran.code == 2 and "missing.md" in ran.err and Path("pages/debate.html").exists()
    assert run("report", "debate.md", "--output-format", "pdf").code == 2
    assert run("report", "debate.md", "--ask", "llm").code == 2


def test_every_example_and_sample_has_a_report(run: Run, shared: Path) -> None:
    """On real files: each format for each, and JSON as the schema says."""
    shutil.copytree(PROJECT / "examples", "examples")
    samples = sorted((shared / "samples" / "debates").glob("*.md"))[::2]
    # examples/mismatch.md has a tally that fails.
    assert run("report", *samples, "examples", "-o", "html", "--output-format", "html").code == 1
    assert run("report", "examples", "-o", "markdown", "--output-format", "markdown").code == 1
    pages = [path.read_text() for path in Path("html").iterdir()]
    assert len(pages) > len(samples)
    for page in pages:
        assert Page(page).open == [] and not list(harmful(page))
    data = json.loads(run("report", *samples, "--output-format", "json").out)
    validate(data, "report.schema.json")
    for file in data["files"]:
        judged = sum(sum(one["answers"].values()) for one in file["rounds"])
        assert judged == sum(turn["answer"] is not None for turn in file["turns"])


def test_a_page_without_turns_or_events_names_a_command_that_goes_on(run: Run) -> None:
    """Without labels nothing could be accepted; without events there is a review to do."""
    Path("plain.md").write_text("Should we use Redis?\n\nI would not.\n\nWe do.\n")
    shown = run("report", "plain.md", "--output-format", "markdown").out
    assert "to see how: mdtally turns plain.md" in shown and "--accept" not in shown
    Path("my chat.md").write_text("**Me:** Use Redis.\n\n**Claude:** A table is enough.\n\n" * 2)
    assert "mdtally review 'my chat.md'" in run("report", "my chat.md", "--output-format", "markdown").out


# -- Several debates --------------------------------------------------------------------------------------------------


def panels(nodder: str) -> None:
    """Forty debates of three voices, each opened by another one; one of them may nod in every debate."""
    Path("panel").mkdir()
    for number in range(40):
        first, *others = [("Ana", "Ben", "Cleo")[(number + place) % 3] for place in range(3)]
        head = "---\nkind: debate\ndate: 2026-01-{:02}\nparticipants:\n{}\n---\n\n".format(
            1 + number % 28,
            "\n".join(f"  - name: {name}\n    kind: agent\n    model: m-{name[0]}" for name in (first, *others)),
        )
        turns = [f"### {first}\n\n{ANA.partition(chr(10))[2].strip()}\n\n"]
        for name in others:
            nods = name == nodder or (number + len(name)) % 4 == 0
            turns.append(f"### {name}\n\n{(NODS if nods else OBJECTS).replace('Ana', first)}\n\n")
        Path(f"panel/d{number:02}.md").write_text(f"{head}## Round 1\n\n{''.join(turns)}")


@pytest.mark.parametrize("nodder", ["Cleo", ""])
def test_who_nods_more_over_many_debates_is_named(run: Run, nodder: str) -> None:
    """In a panel where nobody does, nobody is; in JSON and on the index, which is in the order of the days."""
    panels(nodder)
    data = json.loads(run("report", "panel", "--output-format", "json").out)
    validate(data, "report.schema.json")
    assert {(one["speaker"], one["model"], one["debates"]) for one in data["voices"]} == {
        (name, f"m-{name[0]}", 40) for name in ("Ana", "Ben", "Cleo")
    }
    assert [one["speaker"] for one in data["voices"] if one["nods_more"]] == [nodder] * bool(nodder)
    for voice in data["voices"]:
        for share in (voice["argues"], voice["pads"], voice["repeats"]):
            assert 0 <= share["low"] <= share["share"] <= share["high"] <= 1
    days = [one["date"] for one in data["debates"]]
    assert len(days) == 40 and days == sorted(days)
    run("report", "panel", "-o", "pages/")
    index = Page(Path("pages/index.html").read_text())
    assert ("Cleo (m-C) answers nobody more often" in index.words) is bool(nodder)
    assert ("No voice nods more than the others" in index.words) is not bool(nodder)
    assert "The voices over all debates" in index.words and not index.open


def test_on_a_terminal_a_page_is_markdown(tmp_path: Path) -> None:
    """HTML would scroll by as markup; where it is asked for by name, it is written."""
    (tmp_path / "a.md").write_text("**Me:** Really?\n\n**Agent:** Yes. [A_P]\n")
    shown, code = drive(tmp_path, ["report", "a.md"], [])
    assert code == 0 and "\n# " in shown and "<html" not in shown
    assert "<html" in drive(tmp_path, ["report", "a.md", "--output-format", "html"], [])[0]


@pytest.mark.parametrize(
    ("key", "name", "day"),
    [
        ("date: 2026-01-05T10:00", "2026-02-01-talk.md", "2026-01-05"),
        ("created: 2026-01-06", "talk.md", "2026-01-06"),
        ("session: 2026-01-07 talk", "2026-02-01-talk.md", "2026-01-07"),
        ("calibration_date: 2026-01-08", "talk.md", "2026-01-08"),
    ],
)
def test_a_file_has_the_day_that_its_verdict_would_have(run: Run, key: str, name: str, day: str) -> None:
    """As its head says, else its session's name, its file's name, or its first verdict."""
    path = debate(OBJECTS, NODS, name=name)
    path.write_text(path.read_text().replace("---\n", f"---\n{key}\n", 1))
    debate(OBJECTS, name="other.md")
    data = json.loads(run("report", path, "other.md", "--output-format", "json").out)
    assert [one["date"] for one in data["debates"] if one["date"]] == [day]
