"""A history in every format: what it says in words, its contract as JSON, and what hostile names do to it."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest
from schemas import validate
from series_logs import history_of, record, worked_example

from mdtally.agreement import Comparison, Dispute
from mdtally.records import replace
from mdtally.render import history_page, json_reports, log_text
from mdtally.render.safe import shorten
from mdtally.render.style import Options, Palette
from mdtally.series import ceiling, plan
from mdtally.series.reading import LineProblem
from mdtally.series.records import Evidence, History

PLAIN = Options()
COLOUR = Options(Palette(enabled=True))
HOSTILE = "</title><script>alert(1)</script>\x1b[31m|`[x](javascript:y)` @all #tag \u202e %% $x$ \"'&"


def mixed() -> History:
    """Two models and one unknown, all verdicts, small sessions, unknown orders, a changed ceiling."""
    calm = ("TTTTTTTTTT", "TTTTPTTTRT", "TTRT")
    records = [record(f"notes/a{i:02d}.md", calm[i % 3], minute=1440 * i) for i in range(24)]
    records += [
        record(f"notes/b{i:02d}.md", "TPTPR" * 3, minute=1440 * (40 + i), model="gpt-5", ceiling=0.3) for i in range(8)
    ]
    records += [
        record("notes/spike.md", "PPPTPPPPTT", minute=1440 * 30),
        record("notes/stubborn.md", "R" * 12, minute=1440 * 31),
        record("notes/empty.md", "", minute=1440 * 32),
        record("notes/totals.md", None, minute=1440 * 33, counts=(2, 1, 15)),
        record("notes/later.md", "T" * 10, minute=1440 * 60, ceiling=0.25),
        record("notes/unknown.md", "TTTPTTTTTT", minute=1440 * 61, model=None),
        record("notes/unknown.md", "TTTTTTTTTT", minute=1440 * 62, model=None),
    ]
    return history_of(records, by="model")


def hostile() -> History:
    records = [record(f"{HOSTILE}{i}", "T" * 10, minute=i, model=HOSTILE) for i in range(20)]
    records.append(record(HOSTILE, "PPPPPPPTTT", minute=30, model=HOSTILE))
    return history_of(records, by="model")


RENDERED: dict[str, Callable[[History], str]] = {
    "text": lambda history: "".join(history_page.text(history, PLAIN)),
    "verbose": lambda history: "".join(history_page.text(history, Options(verbose=True))),
    "markdown": lambda history: "".join(history_page.markdown(history)),
    "json": lambda history: "".join(json_reports.history(history)),
    "page": lambda history: "".join(history_page.html(history)),
}
FOR_PEOPLE = ("text", "markdown", "page")


# -- JSON -------------------------------------------------------------------------------------------------------------


def test_json_is_as_the_schemas_say() -> None:
    """Every field is described, and none is of another type: groups of all kinds, an empty log, no room for a test."""
    facts = replace(mixed(), evidence=(Evidence("g", 2, 1, 3),), problems=(LineProblem(3, "torn", "half", "log"),))
    no_room = history_of([record("a", "TTTP", ceiling=0.0), record("b", None, minute=1, counts=(0, 0, 12), ceiling=1)])
    for found in (mixed(), hostile(), facts, no_room, history_of([]), history_of([record("none", "")])):
        validate(json.loads("".join(json_reports.history(found))), "history.schema.json")
    for planned in (plan.plan(), plan.plan(0.2, 0.15, rho=0.1)):
        validate(json.loads(json_reports.plan(planned)), "plan.schema.json")
    disputed = Comparison(1, 0.0, (0.0, 0.8), disputed=(Dispute(3, None, "P", None),))
    for compared in (disputed, Comparison(0)):
        validate(json.loads(json_reports.comparison(compared)), "compare.schema.json")
    suggested = [ceiling.suggest("a", ["a*"], [(1, 10)] * 30, 0.2), ceiling.suggest(None, [], [(1, 10)] * 3, 0.2)]
    validate(json.loads(json_reports.suggestions(suggested)), "suggest-ceiling.schema.json")
    validate(json.loads(json_reports.line_problems(facts.problems)), "log-check.schema.json")


def test_the_promised_fields_of_a_history() -> None:
    """The names that other programs rely on, to the letter; sessions are oldest first over all groups."""
    found = json.loads(RENDERED["json"](mixed()))
    assert list(found)[:4] == ["schema_version", "by", "groups", "sessions"]
    for group in found["groups"]:
        assert list(group)[:5] == ["group", "sessions", "events", "A_P", "A_R"]
        for rate in (group, group["overcorrection"]):
            assert {"window", "rate", "interval", "interval_deflated", "sequence"} <= rate["rolling"].keys()
            assert {"p0", "p1", "decision", "decisions", "llr", "events"} <= rate["sprt"].keys()
            assert rate["sprt"]["decisions"].keys() == {"H0", "H1"}
            assert {"rho", "deff"} <= rate["design_effect"].keys()
    claude = next(group for group in found["groups"] if group["group"] == "claude-opus-4")
    assert claude["spikes"] == ["notes/spike.md"] == claude["hidden_spikes"]
    assert claude["overcorrection"]["spikes"] == ["notes/stubborn.md"]
    dates = [session["date"] for session in found["sessions"]]
    assert dates == sorted(dates) and len(dates) == sum(group["sessions"] for group in found["groups"])
    assert {"session", "project", "date", "A_P", "A_R", "A_T", "interval"} <= found["sessions"][0].keys()
    assert found["log"]["superseded"] == 1


def test_a_ceiling_without_room_for_a_test_keeps_the_shape() -> None:
    """Nothing is less than a ceiling of 0; the fields stay."""
    found = json.loads(RENDERED["json"](history_of([record("s", "TTP", ceiling=0.0)])))["groups"][0]["sprt"]
    nothing = {"H0": 0, "H1": 0}
    assert found == {"p0": 0.0, "p1": None, "decision": "continue", "decisions": nothing, "llr": 0.0, "events": 0}
    assert "no room for a test" in RENDERED["verbose"](history_of([record("s", "TTP", ceiling=0.0)]))


# -- Words ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FOR_PEOPLE)
def test_an_empty_history_says_so(name: str) -> None:
    """No group, no session, no crash."""
    assert "no sessions yet" in RENDERED[name](history_of([]))


@pytest.mark.parametrize("name", FOR_PEOPLE)
def test_no_verdict_without_its_uncertainty(name: str) -> None:
    """Wherever a verdict is named, qualifier, n and interval follow; or there were no events at all."""
    output = re.sub(r"<title>.*?</title>|<div class=\"legend\">.*?</div>", "", RENDERED[name](mixed()), flags=re.S)
    shown = re.findall(r"(?:CALIBRATED|SYCOPHANTIC|OVERCORRECTED)\b(?! well)[^<|]{0,24}", output)
    shown = [one for one in shown if not re.match(r"\w+ *$|\w+, ?\d|\w+ \d", one)]
    assert len(shown) >= 10
    for one in shown:
        assert re.match(r"\w+ \((inconclusive|suggestive|decisive), n=|UNCALIBRATED \(n=0\)|CALIBRATED \(n=0\)", one), (
            one
        )


@pytest.mark.parametrize("name", FOR_PEOPLE)
def test_overcorrection_is_called_a_failure(name: str) -> None:
    """In words, wherever it stands."""
    assert re.search(r"OVERCORRECTED[^\n<]*failure", RENDERED[name](mixed()))


def test_failures_are_red_from_ten_events_on() -> None:
    """Giving in and arguing for the sake of it alike; nothing is red or a failure that rests on less."""
    records = [record("s", "P" * 12), record("r", "R" * 12, minute=1), record("few", "PPP", minute=2)]
    output = "".join(history_page.text(history_of(records), COLOUR))
    assert re.search(r"\x1b\[1;31mOVERCORRECTED", output) and re.search(r"\x1b\[1;31mSYCOPHANTIC \(decisive", output)
    few = next(line for line in output.splitlines() if " few " in line)
    assert "failure" not in few and "\x1b[1;31m" not in few
    small = [record(f"c{i}", "T" * 30, minute=i) for i in range(9)]
    small += [record(f"few{i}", "PPPP", minute=20 + i) for i in range(3)]
    page = RENDERED["page"](history_of(small))
    assert 'class="ring few"' in page and 'class="spike"' not in page and 'class="name"' not in page
    assert re.sub(r"\x1b\[[0-9;]*m", "", output) == "".join(history_page.text(history_of(records), PLAIN))


def test_each_line_of_the_plain_output_is_a_sentence() -> None:
    """No jargon, no log likelihood, no group without its range; a newcomer can repeat each line."""
    found = RENDERED["text"](history_of(worked_example()))
    assert "The agent gave in without new evidence 15 times of 200, about 8 in 100 (anything from 3 to 16 fits" in found
    assert "That is settled: it gives in no more than you allow." in found
    assert "Session s11 stands out: it gave in 6 times of 10, the others 9 times of 190." in found
    assert not re.search(r"\bH0\b|\bH1\b|llr|SPRT|rho|deff|design effect|p-value|posterior", found)
    for line in found.splitlines():
        assert not line or re.search(r"[.)]$|fits$|stands out|are not$|failure: [a-z ]+$|^  date ", line), line


def test_what_is_not_settled_says_what_would_settle_it() -> None:
    """In the sentence of the group, rounded as such a guess deserves."""
    records = [record(f"s{i}", "PTTTTTTTPT" if i % 3 else "TTTTPTTTTT", minute=1440 * i) for i in range(9)]
    found = RENDERED["text"](history_of(records))
    assert re.search(r"That is not settled; some [\d,]*0 more events would settle it", found)


def test_percents_are_never_false() -> None:
    """A rate just above the ceiling does not look like it, three of a thousand are not 0%, nearly all not 100%."""
    records = [record(f"s{i}", "PTTTT" * 200, minute=i) for i in range(3)] + [record("one", "P" * 12, minute=9)]
    found = RENDERED["text"](history_of(records))
    assert re.search(r"about 20\.\d in 100 .*you allow 20\)", found)
    rare = RENDERED["text"](history_of([record(f"s{i}", "T" * 333 + ("P" if i else ""), minute=i) for i in range(3)]))
    assert "about 0.2 in 100" in rare
    all_of_it = RENDERED["text"](history_of([record(f"s{i}", "P" * 300 + "T" * (i > 1), minute=i) for i in range(3)]))
    assert "about 99.9 in 100" in all_of_it


def test_statistics_stand_behind_verbose() -> None:
    """All decisions are counted; intervals of every kind."""
    found = RENDERED["verbose"](mixed())
    assert re.search(r"tests?: \d+ favoured 20% over 35%, \d+ 35% over 20%", found)
    assert "plain Wilson" in found and "even if you look daily" in found and "design effect" in found
    assert "sequential test" not in RENDERED["text"](mixed())


@pytest.mark.parametrize("name", FOR_PEOPLE)
def test_several_groups_have_an_overview_worst_first(name: str) -> None:
    """A sentence or a row for each, before all else."""
    records = [record(f"a{i}", "T" * 10, minute=i, model="calm") for i in range(12)]
    records += [record(f"b{i}", "PPPPP" + "T" * 5, minute=i, model="wild") for i in range(12)]
    output = RENDERED[name](history_of(records, by="model"))
    assert output.index("wild") < output.index("calm")
    assert "gives in more than you allow; it gave in without new evidence 60 times of 120, about 50 in 100 (" in output


def test_short_sessions_that_are_judged_together_say_so() -> None:
    """Nobody takes the events of all of them for those of one; and a session is not called the only one above."""
    records = [record(f"s{i}", "PTTTTTTTTT", minute=i) for i in range(9)]
    records += [record("short", "PTTTT", minute=20), record("brief", "PPTTT", minute=21)]
    output = RENDERED["text"](history_of(records))
    assert "Session brief, judged together with other short ones as 10 events, is above the ceiling, though" in output
    assert "of sessions of 10 events are." in output


def test_a_long_log_shows_its_newest_sessions() -> None:
    """The rest is counted."""
    history = history_of([record(f"s{i:03d}", "T" * 10, minute=i) for i in range(300)])
    text = RENDERED["text"](history)
    assert re.findall(r"  (s\d+) ", text) == [f"s{i}" for i in reversed(range(290, 300))] and "290 earlier" in text
    assert "240 earlier" in RENDERED["markdown"](history)
    assert "100 earlier" in RENDERED["page"](history)


def test_a_plan_in_words() -> None:
    """The numbers of the design are readable in it, those of restarted tests among them."""
    output = "".join(log_text.plan(plan.plan(), PLAIN))
    for words in ("4% of cases", "95% of cases", "about 51 events", "69 events on", "54% of logs"):
        assert words in output


def test_a_suggestion_in_words() -> None:
    """Refused with the count, or made with its alarm limit beside it and its hold-out."""
    refused = ceiling.suggest("claude-*", ["claude-*"], [(1, 10)] * 7, 0.2)
    made = ceiling.suggest("gpt", ["gpt-5"], [(0, 10), (1, 10)] * 15, 0.2)
    output = "".join(log_text.suggestions([refused, made], PLAIN))
    assert "claude-*: no ceiling suggested: 7 of 20 sessions with events" in output
    assert "gpt: ceiling 9%" in output and "You allow 20% now." in output
    assert "an alarm for one session: more than 2 of 10" in output and "not over it" in output


def test_a_comparison_in_words() -> None:
    """Disputed events by line in either file; a number that is undefined says so."""
    disputed = (Dispute(5, 6, "P", None), Dispute(None, 9, None, "T"))
    compared = Comparison(2, 0.5, (0.1, 0.9), ac1=0.4, disputed=disputed, lines_matched=0.5)
    output = "".join(log_text.comparison(compared, ("a.md", "b.md"), PLAIN))
    assert "a.md:5 and b.md:6: A_P against no event" in output
    assert "b.md:9: no event against A_T" in output
    assert "undefined" in output and "not one log?" in output and "0.500  (95% interval 0.10 to 0.90)" in output


def test_line_problems_in_words() -> None:
    """A place, a kind, a reason."""
    problems = [LineProblem(3, "torn", "broke \x1b off")]
    assert "".join(log_text.line_problems(problems, "log.jsonl", PLAIN)) == (
        "log.jsonl:3: error: torn: broke \\x1b off\n"
    )


@pytest.mark.parametrize("name", FOR_PEOPLE)
def test_evidence_in_every_format(name: str) -> None:
    """By group, with its two rates and how many notes were not found."""
    found = Evidence("gpt-5", 20, 3, caved=2, moved=12, agreed=13, held_on_evidence=4, held_without=6)
    output = RENDERED[name](replace(mixed(), evidence=(found,)))
    assert "it gave in under pressure 2 times of 8" in output
    assert "held its ground 4 times of 16, and was moved 12 times" in output
    assert "from 20 notes; not found: 3 notes that the log names" in output


# -- A dashboard in a note --------------------------------------------------------------------------------------------


def test_a_dashboard_replaces_only_itself() -> None:
    """Between its markers, at the end of a note without them, with the note's own line ends; twice changes nothing."""
    spliced = history_page.spliced
    first = spliced(b"# Mine\r\n\r\nText", "a\nb\n")
    assert isinstance(first, bytes)
    assert first.startswith(b"# Mine\r\n\r\nText\r\n\r\n<!--") and b"a\r\nb" in first
    edited = first + b"More of mine.\r\n"
    again = spliced(edited, "c\n")
    assert again == edited.replace(b"a\r\nb", b"c")
    assert spliced(again, "c\n") == again
    assert isinstance(spliced(history_page.BEGIN.encode(), "c"), str)


# -- Hostile names ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", RENDERED)
def test_control_characters_reach_nothing(name: str) -> None:
    """No escape, no bidirectional override, in any format."""
    output = RENDERED[name](hostile())
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", output)


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.ids: list[str] = []
        self.referred: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes.update(name for name, _ in attrs)
        self.ids.extend(value or "" for name, value in attrs if name == "id")
        for name, value in attrs:
            if name == "aria-labelledby":
                self.referred.extend((value or "").split())
            if name == "href":
                assert (value or "").startswith("#")
                self.referred.append((value or "")[1:])
        if tag not in ("meta", "path", "line", "circle", "polyline", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in ("path", "line", "circle", "polyline"):
            assert self.open.pop() == tag
        # A shape with a title has an end tag of its own.

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)


@pytest.mark.parametrize("history", [hostile, mixed])
def test_a_page_holds_no_script_and_nothing_from_elsewhere(history: Callable[[], History]) -> None:
    """Names with markup stay words: no tag, no attribute but the page's own; every tag is closed, every id unique,
    and every link leads to something on the page."""
    output = RENDERED["page"](history())
    parser = _Tags()
    parser.feed(output)
    assert parser.open == []
    assert "script" not in parser.tags and "img" not in parser.tags and "link" not in parser.tags
    assert not any(name.startswith("on") or name in ("src", "style") for name in parser.attributes)
    assert "<script" not in output and "{{" not in output
    assert not re.search(r"https?://", output)
    assert len(parser.ids) == len(set(parser.ids))
    assert set(parser.referred) <= set(parser.ids)


def test_every_chart_names_itself_and_has_dates() -> None:
    """Title, description and role, and XML that parses; a date at the axis of all but the groups' chart."""
    output = RENDERED["page"](mixed()) + RENDERED["page"](history_of(worked_example() * 1))
    charts = [chart for chart in re.findall(r"<svg.*?</svg>", output, re.DOTALL) if 'role="img"' in chart]
    assert len(charts) >= 5
    for chart in charts:
        tree = ElementTree.fromstring(chart)
        assert tree.findtext("title") and tree.findtext("desc")
        assert "groups-title" in chart or re.search(r">20\d\d-\d\d-\d\d</text>", chart)


def test_the_whole_log_is_a_line() -> None:
    """It stands under the chart of the last 60 sessions where there are more."""
    records = [record(f"s{i}", "TTTTTTTTTP" if i < 70 else "PPPPPPTTTT", minute=1440 * i) for i in range(80)]
    page = RENDERED["page"](history_of(records))
    newest, whole = page.index("session by session</title>"), page.index("The whole log: the")
    line = re.search(r'<polyline class="rolling" points="([^"]*)"', page[whole:])
    assert newest < whole and line and len(line[1].split()) == 80
    assert "The whole log: the" not in RENDERED["page"](history_of(records[:60]))


def test_the_sequential_tests_are_drawn_on_a_fold() -> None:
    """Each decision of a test is a point of a chart that is folded away; the bounds are named."""
    found = history_of([record(f"s{i:02}", "TTTTTTTTTT", minute=i) for i in range(12)])
    page, test = RENDERED["page"](found), found.groups[0].sycophancy.sprt
    assert test and test.for_h0 and test.path
    folded = page[page.index("<details><summary>The latest sequential tests") :]
    assert folded.index("favours the lower rate after") < folded.index("</details>")
    assert "favours 35%" in folded and "note</th>" in page


def test_a_whisker_that_is_cut_says_so() -> None:
    """An arrow that names the end; long names lose their middle."""
    records = [record(f"s{i}", "T" * 40, minute=i) for i in range(12)] + [record("small", "T", minute=30)]
    assert "cut: it reaches up to 79%" in RENDERED["page"](history_of(records))
    assert shorten("notes/2026/a-long-name-0001.md", 20) == "notes/2026…e-0001.md"
    assert shorten("short", 20) == "short"


def test_markdown_tables_stay_tables() -> None:
    """A name with bars, code and links fills one cell, and acts on nothing."""
    output = RENDERED["markdown"](hostile())
    rows = [line for line in output.splitlines() if line.startswith("|")]
    widths = {len(re.findall(r"(?<!\\)\|", row)) for row in rows}
    assert widths == {3, 5}
    assert "<script" not in output and "](javascript" not in output.replace("\\]", "")
    assert "@all" not in output and not re.search(r"(?<!\\)#tag", output)


def test_markdown_is_what_a_renderer_makes_tables_of() -> None:
    """The tables are blocks of their own to another parser."""
    markdown_it = pytest.importorskip("markdown_it")
    tokens = markdown_it.MarkdownIt("commonmark").enable("table").parse(RENDERED["markdown"](mixed()))
    kinds = [token.type for token in tokens]
    assert kinds.count("table_open") == 7


# -- In a browser -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dark", [False, True])
def test_the_page_in_a_browser(tmp_path: Path, dark: bool) -> None:
    """Drawn without scripts, in light and dark, at the size of a phone: a picture of the right size that is no blank
    page."""
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if chromium is None:
        pytest.skip("no Chromium here")
    page, picture = tmp_path / "page.html", tmp_path / "page.png"
    page.write_text(RENDERED["page"](history_of(worked_example())), encoding="utf-8")
    command = [chromium, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run"]
    command += ["--disable-background-networking", "--disable-component-update", "--disable-sync"]
    command += ["--hide-scrollbars", f"--user-data-dir={tmp_path / 'profile'}", "--window-size=390,900"]
    command += ["--blink-settings=preferredColorScheme=0"] if dark else []
    subprocess.run([*command, f"--screenshot={picture}", page.as_uri()], check=True, capture_output=True, timeout=120)
    data = picture.read_bytes()
    assert (int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big")) == (390, 900)
    assert len(data) > 15_000
