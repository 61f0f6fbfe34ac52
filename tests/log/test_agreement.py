"""Two labelers: which events are compared with which, and what the measures say."""

from __future__ import annotations

import re
from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from series_logs import record

from mdtally.log.agreement import (
    FACTS,
    Agreement,
    Comparison,
    Dispute,
    Marked,
    Words,
    align,
    compare,
    compare_records,
    kappa,
    measure,
    pair_events,
    pool,
    to_rows,
)
from mdtally.text.model import Counts, Event, Fact, Letter, Region
from mdtally.text.records import replace

# A bare "[A_T]" beside another tag adds no event, as in the counting room: here only the last tag of a line counts.
TAG = re.compile(r"\[A_([PRT])(?: x(\d+))?\](?!.*\[A_)")


def label(text: str) -> tuple[list[str], Counts]:
    """A labelled log as the counting room hands it over; only the plain tags are read here."""
    lines = text.splitlines()
    events: list[Event] = []
    for number, line in enumerate(lines, start=1):
        for tag in TAG.finditer(line):
            letter: Letter = tag[1]  # type: ignore[assignment]
            region = Region(number, tag.start() + 1, number, tag.end() + 1)
            events += [Event(letter, region)] * int(tag[2] or 1)
    return lines, Counts(events=tuple(events), decided_by="tags")


def marked(letters: list[Letter]) -> list[Marked]:
    """Events of one line, each told from the others."""
    return [Marked(letter, number) for number, letter in enumerate(letters)]


def compared(a: str, b: str) -> Comparison:
    return compare(to_rows(*label(a)), to_rows(*label(b)))


Table = Mapping[Words, int]


def words_of(table: Table) -> list[Words]:
    return [both for both, times in table.items() for _ in range(times)]


def statistics(table: Table) -> Agreement:
    return measure([words_of(table)], of_letters=True)


LOG = """# Session
The user asks for a cache.
The agent says no. {0}
The user asks again.
The agent agrees. {1}
The agent holds on the name. {2}
"""


def test_the_same_labels_agree_on_everything() -> None:
    """Every measure is 1 and nothing is disputed."""
    text = LOG.format("[A_T]", "[A_P]", "[A_R]")
    found = compared(text, text)
    letters = found.letters
    assert (letters.events, letters.agreement, letters.kappa) == (3, 1.0, 1.0)
    assert (letters.positive_agreement, letters.negative_agreement, found.disputed) == (1.0, 1.0, ())
    assert found.lines_matched == 1.0


def test_a_dispute_is_named_by_line_in_either_file() -> None:
    """Line numbers are those of each file, though one labeler wrote more lines."""
    a = LOG.format("[A_T]", "[A_P]", "[A_R]")
    b = LOG.format("[A_T]", "\n[A_T]\n", "[A_R]")
    found = compared(a, b)
    assert found.disputed == (Dispute(line_a=5, line_b=6, a="P", b="T"),)
    assert found.letters.agreement == pytest.approx(2 / 3)


def test_an_event_only_one_of_them_saw_is_disputed() -> None:
    """The other file's line is named all the same, with no letter."""
    found = compared(LOG.format("[A_T]", "[A_P]", ""), LOG.format("[A_T]", "", ""))
    assert found.disputed == (Dispute(line_a=5, line_b=5, a="P", b=None),)
    assert found.letters.events == 2


def test_a_neighbouring_line_is_another_line() -> None:
    """One tags the question, the other the answer: whether they mean one event nobody can tell, so both are shown."""
    found = compared(
        "The user pushes.[A_P]\nThe agent agrees.\nMore.\n", "The user pushes.\nThe agent agrees. [A_P]\nMore.\n"
    )
    assert found.disputed == (Dispute(1, 1, "P", None), Dispute(2, 2, None, "P"))


def test_one_annotation_may_stand_for_several_events() -> None:
    """Two plain events against three: one is left over."""
    found = compared("The agent holds. [A_T x3]\n", "The agent holds. [A_T x2]\n")
    assert (found.letters.events, found.disputed) == (3, (Dispute(1, 1, "T", None),))


@pytest.mark.parametrize(
    "line",
    [
        "[A_T] {0} It holds.",
        "It holds. {0} #A_T",
        "It holds. {0} A\\_T: 4",
        "It holds. <!-- {0} -->",
        "A_T = 3 {0} It holds.",
    ],
)
def test_what_is_left_of_annotations_is_nobodys_text(line: str) -> None:
    """A second tag of the same event, a total, the shell of a comment: the line still matches."""
    found = compared(f"Before.\n{line.format('[A_P]')}\n", "Before.\nIt holds. [A_T]\n")
    assert found.lines_matched == 1.0
    assert found.disputed[0].a == "P"


def test_two_different_files_say_so() -> None:
    """Hardly a line matches; the share tells."""
    found = compared("One thing. [A_P]\nAnother.\n", "Nothing alike. [A_P]\nAt all.\n")
    assert found.lines_matched == 0.0
    assert (found.disputed, found.left_out) == ((), 2)


def test_the_frontmatter_is_not_part_of_the_log() -> None:
    """A verdict written into one file's head does not make the logs differ."""
    lines_a, counts_a = label("---\nverdict: CALIBRATED\n---\nThe agent holds. [A_T]\n")
    lines_b, counts_b = label("The agent holds. [A_R]\n")
    found = compare(to_rows(lines_a, counts_a, 4), to_rows(lines_b, counts_b))
    assert found.lines_matched == 1.0
    assert found.disputed == (Dispute(4, 1, "T", "R"),)


def test_without_events_nothing_is_measured() -> None:
    """No number is made up."""
    found = compared("Text.\n", "Text.\n")
    assert found.letters == Agreement(0)


def test_kappa_is_undefined_where_both_used_one_letter() -> None:
    """All plain, on both sides: chance alone agrees, so kappa says nothing."""
    found = statistics({("T", "T"): 10})
    assert (found.kappa, found.positive_agreement, found.negative_agreement) == (None, None, 1.0)


def test_no_agreement_beyond_chance_is_nothing() -> None:
    """And nothing is not shown as -0.00, whatever the weights."""
    value, _ = kappa([(("P", "P"), "a", 4.7)] * 3 + [(("no event", "P"), "a", 9.3)] * 4)
    assert value is not None and f"{value:.2f}" == "0.00"


def test_the_kappa_paradox() -> None:
    """118 of 125 agree, nearly all on one side (Gwet's example): kappa is about 0 for all that."""
    found = statistics({("P", "P"): 118, ("P", "T"): 5, ("T", "P"): 2})
    assert found.kappa == pytest.approx(-0.0234, abs=1e-4)
    assert found.agreement == pytest.approx(0.944)
    assert found.positive_agreement is not None and found.positive_agreement > 0.97


@settings(deadline=None)
@given(st.lists(st.sampled_from("PRT"), max_size=9), st.lists(st.sampled_from("PRT"), max_size=9))
def test_pairing_keeps_order_and_loses_nothing(a: list[Letter], b: list[Letter]) -> None:
    """Every event of either side occurs once, in order."""
    of_a, of_b = marked(a), marked(b)
    pairs = pair_events(of_a, of_b)
    assert [one for one, _ in pairs if one] == of_a
    assert [other for _, other in pairs if other] == of_b


def test_the_left_over_event_is_the_odd_one() -> None:
    """P T T against T T: the P is left over, the plain ones pair."""
    odd, *plain = marked(["P", "T", "T"])
    assert pair_events([odd, *plain], plain) == [(odd, None), *zip(plain, plain, strict=True)]


@settings(deadline=None)
@given(st.lists(st.sampled_from("abcde"), max_size=30), st.lists(st.sampled_from("abcde"), max_size=30))
def test_aligned_lines_are_equal_and_nothing_is_left_out(a: list[str], b: list[str]) -> None:
    """A match is a match, and the stretches are the whole of both."""
    stretches = align(a, b)
    assert all(a[i:i_end] == b[j:j_end] for kind, i, i_end, j, j_end in stretches if kind == "equal")
    assert sum(i_end - i for _, i, i_end, _, _ in stretches) == len(a)
    assert sum(j_end - j for *_, j, j_end in stretches) == len(b)


@settings(deadline=None)
@given(st.lists(st.sampled_from(["one", "two", "three", "", "- "]), max_size=40), st.data())
def test_labels_alone_never_break_the_alignment(lines: list[str], data: st.DataObject) -> None:
    """Two copies with any tags at all match in every line of text."""

    def tagged() -> str:
        tags = data.draw(
            st.lists(st.sampled_from(["", " [A_P]", "[A_T x2] "]), min_size=len(lines), max_size=len(lines))
        )
        return "\n".join(line + tag for line, tag in zip(lines, tags, strict=True))

    a, b = tagged(), tagged()
    assert compared(a, b).lines_matched == 1.0
    assert [row.text for row in to_rows(*label(a))] == [row.text for row in to_rows(*label(b))]


def test_many_events_on_a_line_take_linear_time() -> None:
    """A hundred thousand events of either side: each finds a partner."""
    found = compared("One. [A_T x100000]\nTwo.\n", "One. [A_T x99999]\nTwo.\n")
    assert (found.letters.events, len(found.disputed)) == (100_000, 1)


@pytest.mark.oracle
@pytest.mark.filterwarnings("ignore")  # degenerate tables have no z value there
@settings(deadline=None)  # the first call imports statsmodels
@given(
    st.dictionaries(
        st.tuples(st.sampled_from("PRT-"), st.sampled_from("PRT-")).filter(lambda pair: pair != ("-", "-")),
        st.integers(1, 40),
        min_size=1,
    )
)
def test_kappa_agrees_with_statsmodels(table: dict[tuple[str, str], int]) -> None:
    """Cohen's kappa of any table and its standard error, against statsmodels, to 1e-9."""
    rater = pytest.importorskip("statsmodels.stats.inter_rater")
    ours = statistics(table)
    square = [[table.get((a, b), 0) for b in "PRT-"] for a in "PRT-"]
    if ours.kappa is not None and ours.kappa_interval is not None:
        theirs = rater.cohens_kappa(square)
        assert ours.kappa == pytest.approx(theirs.kappa, abs=1e-9)
        sample = (ours.events / (ours.events - 1)) ** 0.5
        low = max(-1.0, theirs.kappa - 1.959963984540054 * sample * theirs.std_kappa)
        assert ours.kappa_interval[0] == pytest.approx(low, abs=1e-7)


def test_weights_are_how_often_an_event_stands_for_others() -> None:
    """Kappa of weighted events is that of as many events; the interval knows that they are not so many."""
    letters, weights = ("PP", "PT", "TT", "TP", "TT"), (1.0, 2.0, 3.0, 1.0, 1.0)
    words = [((a, b), "s", weight) for (a, b), weight in zip(letters, weights, strict=True)] * 4
    often = [(both, "s", 1.0) for both, _, weight in words for _ in range(int(weight))]
    (value, interval), (same, narrow) = kappa(words), kappa(often)
    assert value == pytest.approx(same)
    assert interval and narrow and interval[1] - interval[0] > 1.1 * (narrow[1] - narrow[0])
    heavy, plain = (kappa([(both, "s", weight) for both, *_ in words]) for weight in (7.0, 1.0))
    assert heavy[0] == pytest.approx(plain[0]) and heavy[1] == pytest.approx(plain[1])


def test_full_agreement_of_few_events_claims_no_certainty() -> None:
    """Twelve of twelve: no interval rather than one of no width."""
    found = statistics({("P", "P"): 3, ("T", "T"): 9})
    assert (found.agreement, found.kappa, found.kappa_interval) == (1.0, 1.0, None)


# -- Several sessions, and facts --------------------------------------------------------------------------------------


def alike(session: str, table: Table) -> Comparison:
    """A session whose letters make a table."""
    nothing = {name: Agreement(0) for name in FACTS}
    words = {"letter": words_of(table), **{name: [] for name in FACTS}}
    return Comparison(session, "a", "b", statistics(table), nothing, (), 1.0, words)


def test_sessions_are_pooled_by_their_events() -> None:
    """The numbers are those of one table, however the events are spread over sessions."""
    tables: list[Table] = [
        {("P", "P"): 2, ("T", "T"): 5},
        {("P", "T"): 3, ("T", "T"): 4},
        {("R", "R"): 1, ("T", "P"): 1},
    ]
    together = pool("ana", "ben", [alike(str(i), table) for i, table in enumerate(tables)])
    assert (together.a, together.b, together.letters.events) == ("ana", "ben", 16)
    single = statistics(together_of(tables))
    assert replace(together.letters, kappa_interval=None) == replace(single, kappa_interval=None)
    assert together.letters.kappa_interval == pytest.approx(single.kappa_interval)


def together_of(tables: list[Table]) -> Table:
    """The sum of tables."""
    keys = {key for table in tables for key in table}
    return {key: sum(table.get(key, 0) for table in tables) for key in keys}


def test_from_five_sessions_on_the_interval_goes_by_how_they_differ() -> None:
    """Two people who agree in some sessions and not in others are less sure than as many single events would be: as a
    jackknife says that leaves out a session at a time."""
    good: list[Words] = [("P", "P")] * 5 + [("T", "T")] * 5
    bad: list[Words] = [("P", "T")] * 5 + [("T", "T")] * 5
    sessions = [good, bad, good, good, bad, good] * 4
    scattered, single = measure(sessions), measure([[both for one in sessions for both in one]])
    assert (scattered.agreement, scattered.kappa) == (single.agreement, single.kappa)
    wide, narrow = scattered.kappa_interval, single.kappa_interval
    assert wide and narrow and wide[1] - wide[0] > 1.3 * (narrow[1] - narrow[0])
    left_out = [measure([*sessions[:place], *sessions[place + 1 :]]).kappa or 0.0 for place in range(24)]
    error = (23 / 24 * sum((value - sum(left_out) / 24) ** 2 for value in left_out)) ** 0.5
    assert scattered.kappa is not None and scattered.kappa - wide[0] == pytest.approx(1.96 * error, rel=0.05)


def test_facts_are_compared_each_for_itself() -> None:
    """Two who agree on what the agent did may differ on whether anything new was there."""
    lines, counts = label("One. [A_P]\nTwo. [A_T]\nThree. [A_T]\n")
    facts_a = (Fact("agree", "pushback", "none"), Fact("hold", "pushback", "found"), None)
    facts_b = (Fact("agree", "pushback", "new"), Fact("hold", "none", "found"), Fact("hold", "none", "found"))

    def with_facts(facts: tuple[Fact | None, ...]) -> Counts:
        events = zip(counts.events, facts, strict=True)
        return Counts(events=tuple(Event(fact.letter if fact else "T", e.region, fact) for e, fact in events))

    found = compare(to_rows(lines, with_facts(facts_a)), to_rows(lines, with_facts(facts_b)))
    assert {name: (one.events, one.agreement) for name, one in found.facts.items()} == {
        "decision": (2, 1.0),
        "pressure": (2, 0.5),
        "evidence": (2, 0.5),
    }
    assert [(one.a, one.b) for one in found.disputed] == [("P", "T")]


def test_logs_alone_are_compared_by_the_order_of_events() -> None:
    """Where the numbers of events differ nobody can tell which is which: the session is named and left out."""
    ana = [record("s1", "PTTT", labeler="ana"), record("s2", "PT", labeler="ana"), record("s3", "P", labeler="ana")]
    ben = [record("s1", "PTTR", labeler="ben"), record("s2", "PTT", labeler="ben")]
    found = compare_records(ana, ben)
    assert (found.a, found.b, found.letters.events, found.letters.agreement) == ("ana", "ben", 4, 0.75)
    assert found.unmatched == ("s2", "s3")
    assert found.sessions[0].disputed == (Dispute(None, None, "T", "R"),)
