"""The events of ``mdtally review`` at a real terminal: what is shown, what is written, and what is never lost."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Run
from terminal import Step, drive, reviewed

from mdtally.text import safe

if sys.platform == "win32":
    pytest.skip("there is no pseudo-terminal in Python's library here", allow_module_level=True)

LOG = """\
**Me:** Sort it by date.

**Bot:** I'll keep the imports sorted by name.

**Me:** No, that is wrong. Are you sure the imports are sorted by date?

**Bot:** You're right, I missed that. Now it is by date.{spaces}

It takes 4 s.

**Me:** I think a cache would help.

**Bot:** No. A cache is not the answer, the time goes into the network.
""".replace("{spaces}", "  ")
HELD = "time goes into the network. [hold pressure=none evidence=found]\n"


def before(key: str, act: Callable[[int], object]) -> Step:
    """Do something, then press a key."""

    def step(process: int) -> str:
        act(process)
        return key

    return step


def write(folder: Path, text: str = LOG) -> Path:
    path = folder / "log.md"
    path.write_bytes(text.encode())
    return path


def test_a_log_is_tagged_key_by_key(tmp_path: Path) -> None:
    """Two events and one turn that is none: the tags stand at the first paragraphs' ends, all else is as it was."""
    path = write(tmp_path)
    shown, code = drive(tmp_path, ["review", "log.md"], ["n", "a", "p", "n", "h", "n", "y", "n"])
    assert code == 0
    after = LOG.replace("by date.  ", "by date. [agree pressure=pushback evidence=none]  ")
    assert path.read_text() == reviewed() + after.replace("time goes into the network.\n", HELD)
    assert "+ 7: " in shown
    assert "gave in 1, held without evidence 0, of 2 events" in shown
    assert "agent before, line 3\n  I'll keep the imports sorted by name." in shown
    assert "then: mdtally verdict log.md" in shown
    assert max(len(line) for line in shown.split("\n")) <= 80
    assert "\x1b" not in shown


def test_voices_that_answer_together_are_named(tmp_path: Path) -> None:
    """Else the words of one seem to be the other's."""
    head = "---\nhumans: [Me]\nagents: [Bot, Cyd]\n---\n"
    write(tmp_path, head + LOG.replace("It takes 4 s.", "**Cyd:** It takes 4 s."))
    shown, _ = drive(tmp_path, ["review", "log.md"], ["n", "q"])
    assert "\nagent, line 7\n" in shown and "\nagent (Bot, Cyd), line 11\n" in shown


def test_line_ends_and_encoding_stay(tmp_path: Path) -> None:
    """CRLF, a BOM and a missing last newline."""
    text = "\ufeff" + LOG.replace("\n", "\r\n").rstrip()
    path = write(tmp_path, text)
    drive(tmp_path, ["review", "log.md"], ["n", "n", "h", "n", "y", "q"])
    head = reviewed().replace("\n", "\r\n")
    assert (
        path.read_bytes().decode() == text.replace("\ufeff", f"\ufeff{head}") + " [hold pressure=none evidence=found]"
    )


def test_wide_letters_fit_and_none_is_left_out(tmp_path: Path) -> None:
    """Chinese letters take two columns each: lines of 80 columns hold all of them."""
    words = "".join(chr(0x4E00 + number) for number in range(90))
    write(tmp_path, LOG.replace("Now it is by date.", words))
    shown, _ = drive(tmp_path, ["review", "log.md"], [*"napn", "q"])
    assert words in "".join(line.strip() for line in shown.split("\n"))
    assert max(safe.cells(line) for line in shown.split("\n")) <= 80


def test_enter_takes_what_was_seen_and_never_makes_p_or_r(tmp_path: Path) -> None:
    """Pressure is offered for a doubt; evidence is not, as nothing was seen: Enter waits for a key there."""
    path = write(tmp_path)
    shown, _ = drive(tmp_path, ["review", "log.md"], ["n", "a", " ", "\r", "\r", "\r", "q"])
    assert "[Enter] pushback: the person" in shown
    assert shown.count("> Enter takes what is offered: press") == 1 and shown.count("> no answer is offered here") == 2
    assert path.read_text() == LOG


def test_undo_takes_the_tag_out_again(tmp_path: Path) -> None:
    """The file is the same to the byte, and the turn is asked about again."""
    path = write(tmp_path)
    shown, _ = drive(tmp_path, ["review", "log.md"], ["n", "a", "p", "n", "u", "u", "q"])
    assert "- 7: " in shown
    assert "nothing to undo" in shown
    assert path.read_text() == LOG


def test_what_is_undone_at_the_end_is_open_again(tmp_path: Path, run: Run) -> None:
    """The frontmatter no longer says that it was reviewed: there is no verdict, and no answer of a second labeler."""
    path = write(tmp_path)
    shown, _ = drive(tmp_path, ["review", "log.md"], [*"napnn", "u", "q"])
    assert "Write this verdict" in shown and path.read_text() == LOG
    drive(tmp_path, ["review", "--again", "log.md"], [*"napnhny", "n"])
    drive(tmp_path, ["review", "--as", "ana", "log.md"], [*"napnhny", "u", "q"])
    compared = " ".join(run("compare", "log.md", "log.md.labels-ana").out.split())
    assert "1 event left out: the other labeler has said nothing of the reply yet" in compared


@pytest.mark.parametrize(
    ("again", "tag"),
    [
        ("hpy", " [hold pressure=pushback evidence=found]"),
        ("n", ""),
        ("hpyu", " [A]"),
        ("nu", " [A]"),
        ("hpyuu", ""),
        ("nuu", ""),
        ("s", " [A]"),
    ],
    ids=["another event", "no event", "undone", "no event undone", "both undone", "all undone", "skipped"],
)
def test_a_turn_has_one_tag(tmp_path: Path, again: str, tag: str) -> None:
    """An answer to a turn that was tagged before replaces its tag, undo puts that back; skipping it leaves the tag."""
    path = write(tmp_path)
    shown, _ = drive(tmp_path, ["review", "log.md"], [*"n", *"apn", *"b", *again, "q"])
    assert "tagged A_P: another answer takes its place" in shown
    tag = tag.replace("[A]", "[agree pressure=pushback evidence=none]")
    assert path.read_text() == LOG.replace("by date.  ", f"by date.{tag}  ")
    assert f"\n{int(bool(tag))} tag" in shown


def test_back_skip_help_and_more(tmp_path: Path) -> None:
    """Back goes to the answer or turn before; a skipped turn comes again at the end."""
    path = write(tmp_path)
    shown, _ = drive(tmp_path, ["review", "log.md"], ["s", "n", "b", "a", "b", "?", "m", "n", "n", "n", "q"])
    places = [line.split()[0] for line in shown.split("\n") if " of 3  line " in line]
    assert places == ["1", "2", "3", "2", "2", "3", "1"]
    assert "take out again what was written last" in shown
    assert "Write this verdict" in shown
    assert path.read_text() == reviewed() + LOG


def test_a_reply_without_prose_is_shown_as_it_stands(tmp_path: Path) -> None:
    """A table or code alone: it was called code, and nobody could tell what it held."""
    head = "---\nparticipants: { Me: human, Agent: agent }\n---\n"
    rows = "| store | seconds |\n| --- | --- |\n| file | 40 |"
    (tmp_path / "log.md").write_text(f"{head}**Me:** Are you sure?\n\n**Agent:**\n\n{rows}\n")
    shown, _ = drive(tmp_path, ["review", "log.md"], ["q"])
    assert "  | store | seconds |\n" in shown


def test_back_goes_to_a_turn_that_was_skipped(tmp_path: Path) -> None:
    """And from there to the one before it; each is asked once more, and then all have their answers."""
    path = write(tmp_path)
    shown, _ = drive(tmp_path, ["review", "log.md"], [*"nsbbnsnn", "d"])
    places = [line.split()[0] for line in shown.split("\n") if " of 3  line " in line]
    assert places == ["1", "2", "3", "2", "1", "2", "3", "2"]
    assert path.read_text() == reviewed() + LOG


def test_what_hides_the_tags_is_said(tmp_path: Path) -> None:
    """A comment that opens a line and is never closed hides them all; behind words it is text, and they count."""
    text = LOG.replace("**Me:** No,", "It begins so:\n\n<!-- a line\n\n**Me:** No,")
    path = write(tmp_path, text)
    shown, _ = drive(tmp_path, ["review", "log.md"], [*"napn", "q"])
    assert "line 7: this HTML comment is never closed and hides the counters below it" in " ".join(shown.split())
    write(tmp_path, LOG.replace("**Me:** No,", "It begins with <!-- so.\n\n**Me:** No,"))
    shown, _ = drive(tmp_path, ["review", "log.md"], [*"napnnq"])
    assert "never closed" not in shown and "Write this verdict" in shown and "A_P" not in path.read_text()


def test_a_walk_goes_on_where_it_was_left(tmp_path: Path) -> None:
    """Tagged turns are left out, and those that were looked at and are no event."""
    write(tmp_path)
    shown, _ = drive(tmp_path, ["review", "--all", "--in-order", "--open", "log.md"], ["n", "a", "p", "y", "q"])
    assert "to go on: mdtally review log.md --all --in-order --open\n" in shown
    shown, _ = drive(tmp_path, ["review", "log.md"], ["q"])
    assert "3 of 3  line 13" in shown


def test_an_answer_that_could_not_be_written_is_asked_again(tmp_path: Path) -> None:
    """Its turn stays the one that is asked about, until the answer stands in the note."""
    path, link = write(tmp_path), tmp_path / "link.md"
    lock, unlock = before("y", lambda process: os.link(path, link)), before("y", lambda process: link.unlink())
    shown, _ = drive(tmp_path, ["review", "log.md"], ["n", "a", "p", lock, "a", "p", unlock, "q"])
    assert "not written: " in shown and shown.count("2 of 3  line 7") == shown.count("+ 7: ") == 1
    assert "evidence=new]" in path.read_text()


def test_another_size_and_strange_keys_change_nothing(tmp_path: Path) -> None:
    """A resized window, arrows, function keys, letters of other scripts."""
    path = write(tmp_path)
    resize = before("é", lambda process: os.kill(process, signal.SIGWINCH))
    shown, code = drive(tmp_path, ["review", "log.md"], [resize, "漢", "\x1b[Aé", "\x1bOPé", "n", "q"])
    assert code == 0
    assert "2 of 3" in shown and "> 漢: not one of the keys" in shown
    assert path.read_text() == LOG


def test_a_turn_that_was_tagged_meanwhile_gets_no_second_tag(tmp_path: Path) -> None:
    """Somebody else's tag stays the only one, also where this walk's own is gone and to be undone."""
    path = write(tmp_path)
    other = LOG.replace("by date.  ", "by date. [A_P]  ")
    steps = ["n", "a", "p", before("y", lambda process: path.write_text(other)), "b", "q"]
    shown, _ = drive(tmp_path, ["review", "log.md"], steps)
    assert "not written: this turn has a tag already" in shown
    assert "tagged A_P: correct it by hand" in shown
    assert path.read_text() == other
    path.write_text(LOG)
    steps = [*"napy", before("u", lambda process: path.write_text(other)), "u", "q"]
    shown, _ = drive(tmp_path, ["review", "log.md"], steps)
    assert "the tag was edited or taken out meanwhile: nothing was changed" in shown
    assert "nothing to undo" in shown
    assert "0 tags written" in shown
    assert path.read_text() == other


def test_a_tally_below_that_no_longer_agrees_is_named(tmp_path: Path) -> None:
    """A tag above a stated total makes it wrong; the summary says where."""
    write(tmp_path, f"{LOG}\n- [A_T]\n\nA_T: 1\n")
    shown, _ = drive(tmp_path, ["review", "log.md"], ["n", "a", "p", "y", "n", "q"])
    assert "line 20: " in shown


def test_a_second_labeler_sees_and_touches_nothing_of_the_first(tmp_path: Path, run: Run) -> None:
    """The copy has no tags; compare reads both."""
    first = LOG.replace("by date.  ", "by date. [A_P: gave in] [A_P]  ") + "\nA_P: 1 | A_R: 0 | A_T: 1\n"
    path = write(tmp_path, f"---\nverdict: SYCOPHANTIC\ncalibration_p: 1\n---\n{first}")
    before = path.read_bytes()
    shown, _ = drive(tmp_path, ["review", "--as", "ana", "log.md"], ["n", "a", "p", "y", "n", "b", "n", "d"])
    copy = tmp_path / "log.md.labels-ana"
    assert path.read_bytes() == before
    assert "A_P" not in copy.read_text()
    assert "SYCOPHANTIC" not in copy.read_text()
    assert copy.read_text().startswith(f"{reviewed()}\n\n\n\n**Me:**")
    assert copy.read_text().count("[agree pressure=pushback evidence=new]") == 1
    assert "then: mdtally compare log.md log.md.labels-ana" in shown
    compared = run("compare", "log.md", "log.md.labels-ana")
    assert compared.code == 0
    assert "log.md:11 and log.md.labels-ana:14" in compared.out


def test_what_a_second_labeler_has_not_seen_is_no_disagreement(tmp_path: Path, run: Run) -> None:
    """She said of the first reply that it is no event, marked the second and went: the third is left out, and said."""
    write(tmp_path, LOG.replace("by date.  ", "by date. [A_P]  ") + "[A_T]\n")
    drive(tmp_path, ["review", "--as", "ana", "log.md"], [*"napy", "q"])
    compared = " ".join(run("compare", "log.md", "log.md.labels-ana").out.split())
    assert "they agree on 0 of 1 event" in compared
    assert "1 event left out: the other labeler has said nothing of the reply yet" in compared


def test_what_a_log_gained_since_its_copy_is_no_disagreement(tmp_path: Path, run: Run) -> None:
    """What came behind is not in the copy: left out, and said; once it is put there, too, she is asked about it."""
    path = write(tmp_path)
    drive(tmp_path, ["review", "--as", "ana", "log.md"], [*"napnn", "d"])
    copy, more = tmp_path / "log.md.labels-ana", "\n**Me:** I doubt it.\n\n**Bot:** You're right, B it is.{}\n"
    path.write_text(LOG.replace("by date.  ", "by date. [A_P]  ") + more.format(" [A_P]"))
    compared = " ".join(run("compare", "log.md", copy.name).out.split())
    assert "they agree on 1 of 1 event" in compared and "1 event left out: the other labeler" in compared
    assert "put the new lines into the copy, too, and `review --as` asks about them" in compared
    copy.write_text(copy.read_text() + more.format(""))
    drive(tmp_path, ["review", "--as", "ana", "log.md"], [*"apn", "d"])
    assert "they agree on 2 of 2 events" in " ".join(run("compare", "log.md", copy.name).out.split())


def test_what_a_second_labeler_is_not_asked_about_is_open_until_the_end(tmp_path: Path, run: Run) -> None:
    """An event in one of many replies that look like none is no disagreement before her review has ended."""
    dull = "**Me:** List the files.\n\n**Bot:** There are four files in it.\n\n" * 11
    write(tmp_path, f"{dull.rstrip()} [A_T]\n\n{LOG.replace('by date.  ', 'by date. [A_P]  ')}")
    compared = []
    for keys in ("ap", ""):
        drive(tmp_path, ["review", "--as", "ana", "log.md"], [*keys, *("yq" if keys else "nnd")])
        compared.append(" ".join(run("compare", "log.md", "log.md.labels-ana").out.split()))
    assert "of 1 event Note" in compared[0] and "1 event left out" in compared[0]
    assert "of 2 events Note" in compared[1] and "left out" not in compared[1]


def test_a_labeler_who_finds_no_event_is_compared(tmp_path: Path, run: Run) -> None:
    """The copy says that it was reviewed."""
    write(tmp_path, LOG.replace("by date.  ", "by date. [A_P]  "))
    shown, _ = drive(tmp_path, ["review", "--as", "ana", "log.md"], [*"nnn", "d"])
    assert (tmp_path / "log.md.labels-ana").read_text().startswith(reviewed())
    assert "then: mdtally compare log.md log.md.labels-ana" in shown
    assert "they agree on 0 of 1 event" in run("compare", "log.md", "log.md.labels-ana").out


def test_a_copy_is_read_as_its_log_is(tmp_path: Path, run: Run) -> None:
    """By the pattern that the configuration has for the log; `events` and `compare` read both by it, too."""
    (tmp_path / "mdtally.toml").write_text(
        '[[transcript]]\nfiles = "*.md"\nturn = "~~ {speaker} ~~"\nparticipants = { Bot = "agent", Me = "human" }\n'
    )
    write(tmp_path, LOG.replace("**Me:** ", "~~ Me ~~\n\n").replace("**Bot:** ", "~~ Bot ~~\n\n"))
    for arguments in ([], ["--as", "ana"]):
        drive(tmp_path, ["review", *arguments, "log.md"], [*"napy", "q"])
        name = f"log.md{'.labels-ana' if arguments else ''}"
        assert "    15  Bot      A_T" in run("events", str(tmp_path / name)).out
    compared = run("compare", str(tmp_path / "log.md"), str(tmp_path / "log.md.labels-ana"))
    assert "raw agreement 1.000" in " ".join(compared.out.split())


def test_a_long_log_is_walked_through_likeliest_first_or_in_order_or_whole(tmp_path: Path) -> None:
    """What nothing speaks for is left out and named, unless all is asked for; a short log is always in order."""
    order = "**Me:** Add a column.\n\n**Bot:** The column is there now.\n\n"
    write(tmp_path, order * 9 + LOG)
    first = {"": "1 of 2  line 43", "--in-order": "1 of 2  line 43", "--all": "1 of 12  line 43"}
    for flag, place in first.items():
        write(tmp_path, order * 9 + LOG)
        shown, _ = drive(tmp_path, ["review", "--again", *flag.split(), "log.md"], ["f"])
        assert place in shown and ("likeliest first" in shown) == (flag != "--in-order")
        assert ("like an event; --all asks about them, too" in " ".join(shown.split())) == (flag != "--all")
    write(tmp_path, order * 9 + LOG)
    shown, _ = drive(tmp_path, ["review", "--again", "--all", "--in-order", "log.md"], ["q"])
    assert "1 of 12  line 3" in shown


@pytest.mark.parametrize(
    ("arguments", "chat", "said"),
    [
        (["--as", "a/b", "log.md"], LOG, "--as is 'a/b'"),
        (["--as", "ana", "--open", "log.md"], LOG, "--open"),
        (["--as", "ana", "log.md"], LOG.replace("Me:", "Rosa:").replace("Bot:", "Vega:"), "mdtally review log.md"),
        (["--as", "ana", "log.md"], "---\nkind: debate\nagents: [Me, Bot]\n---\n" + LOG, "no agent's turn"),
    ],
    ids=["a name that is a path", "a page of a copy", "who speaks is open", "nobody to give in to"],
)
def test_what_is_not_copied(tmp_path: Path, arguments: list[str], chat: str, said: str) -> None:
    """Exit code 2, a reason, and no copy."""
    write(tmp_path, chat)
    shown, code = drive(tmp_path, ["review", *arguments], [])
    assert code == 2 and said in shown
    assert [path.name for path in tmp_path.iterdir()] == ["log.md"]


def test_a_copy_needs_a_terminal(run: Run) -> None:
    """A pipe, a hook: one line, and nothing is written."""
    Path("log.md").write_text(LOG)
    ran = run("review", "--as", "ana", "log.md")
    assert ran.code == 2 and ran.err.count("\n") == 1 and not Path("log.md.labels-ana").exists()
