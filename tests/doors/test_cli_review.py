"""``mdtally review`` at a real terminal: a chat of each shape, from nothing to a verdict, with every key counted."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import signal
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from zipfile import ZipFile

import pytest
from conftest import PROJECT, Run
from terminal import Step, converse, drive, leave, reviewed

from mdtally.ask import Ask, EventWalk, Look
from mdtally.doors.cli import main
from mdtally.doors.cli.common import Call
from mdtally.doors.cli.keys import Keys
from mdtally.doors.cli.review import open_page
from mdtally.text.document import parse
from mdtally.text.system import interruptible

if sys.platform == "win32":
    pytest.skip("there is no pseudo-terminal in Python's library here", allow_module_level=True)

CASES = sorted((PROJECT / "tests" / "cases" / "review").glob("*.md"))
# "... it twice in June. <!-- hpy -->": the keys that tell the truth of the turn in which the line stands
TRUTH = re.compile(r" <!-- (\w+) -->$", re.MULTILINE)
CHAT = TRUTH.sub("", (PROJECT / "tests" / "cases" / "review" / "bold-labels.md").read_text())
NAMES = TRUTH.sub("", (PROJECT / "tests" / "cases" / "review" / "two-names.md").read_text())
DASHES = TRUTH.sub("", (PROJECT / "tests" / "cases" / "review" / "names-and-dashes.md").read_text())
TAG = "[agree pressure=pushback evidence=none]"


class Person:
    """Somebody who knows the truth of a chat, and answers what the screen asks.

    Attributes:
        keys: how many keys were pressed, by what was asked.
    """

    def __init__(self, chat: str, voice: str = "") -> None:
        self.keys: Counter[str] = Counter()
        self._voice, self._left = voice, {}
        for line in chat.split("\n"):
            if found := TRUTH.search(line):
                self._left[" ".join(TRUTH.sub("", line).split()[-4:])] = found[1]
        self._pending = ""

    def __call__(self, screen: str) -> str:
        """The key for the last question on the screen."""
        if self._pending:
            key, self._pending = self._pending[0], self._pending[1:]
            self.keys["event"] += 1
        elif "What did the agent do?" in screen:
            key = self._decide(" ".join(screen.rpartition("\nagent, line")[2].split()))
        elif "Which line has" in screen:
            key = re.findall(rf"\[(\d)\] {'Rosa' if 'your name or mark?' in screen else 'Nile'}", screen)[0]
            self.keys["who"] += 1
        elif "Which reading" in screen:
            key = "1"
            self.keys["who"] += 1
        elif "Which voice" in screen:
            key = re.findall(rf"\[(\d)\] {self._voice}$", screen, re.MULTILINE)[-1]
            self.keys["who"] += 1
        else:
            assert "Write this verdict" in screen, screen
            key = "y"
            self.keys["verdict"] += 1
        return key

    def _decide(self, reply: str) -> str:
        end = next((end for end in self._left if end in reply), None)
        if end is None:
            self.keys["no event"] += 1
            return "n" if self._left else "f"
        keys = self._left.pop(end)
        self._pending = keys[1:]
        self.keys["event"] += 1
        return keys[0]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.stem)
def test_from_a_chat_to_a_verdict(tmp_path: Path, case: Path) -> None:
    """Each event of the truth is tagged where it stands; a key an event and facet, and three besides."""
    chat = case.read_text()
    (tmp_path / "chat.md").write_text(TRUTH.sub("", chat))
    person = Person(chat, voice="Rosa")
    shown, code = converse(tmp_path, ["review", "chat.md"], person)
    assert code == 0, shown
    truth = TRUTH.findall(chat)
    after = (tmp_path / "chat.md").read_text()
    tags = re.findall(r"\[(agree|hold) pressure=(\w)\w* evidence=(\w)", after)
    wanted = [(key[0].replace("a", "agree").replace("h", "hold"), key[1], key[2]) for key in truth]
    evidence = {"agree": {"y": "n", "n": "n"}, "hold": {"y": "f", "n": "n"}}
    assert [(what, before) for what, before, _ in tags] == [(what, before) for what, before, _ in wanted]
    assert [kind for *_, kind in tags] == [evidence[what][key] for what, _, key in wanted]
    assert person.keys["event"] == 3 * len(truth)
    assert person.keys["who"] + person.keys["verdict"] <= 3
    assert "verdict: " in after
    assert main(["verdict", "--check", str(tmp_path / "chat.md")]) == 0
    assert "calibration-log.jsonl" in shown
    assert "You pressed" in shown
    assert "of the 10 that it takes" in " ".join(shown[shown.rindex("You pressed") :].split())


def test_the_recorded_session_is_what_happens(tmp_path: Path) -> None:
    """From 15 turns without a tag to a verdict in 20 keys; UPDATE_GOLDEN=1 records it, and what pages show of it."""
    shutil.copy(PROJECT / "examples" / "session-untagged.md", tmp_path / "chat.md")
    keys = [*"\r\ry", *"\r\ry", *"h\ry", *"\r\rn", *"ann", *"hny", *"n", *"y"]
    assert len(keys) == 20
    shown, code = drive(tmp_path, ["review", "chat.md"], keys)
    assert code == 0
    golden = PROJECT / "tests" / "golden" / "review.txt"
    if os.environ.get("UPDATE_GOLDEN"):
        golden.write_text(shown, encoding="utf-8")
    assert golden.read_text(encoding="utf-8") == shown
    for page, start, recorded in (
        ("docs/review.md", "```text\n", f"1 of 7{shown.partition('1 of 7')[2].partition('2 of 7')[0].rstrip()}\n"),
    ):
        above, _, rest = (PROJECT / page).read_text(encoding="utf-8").partition(start)
        if os.environ.get("UPDATE_GOLDEN"):
            (PROJECT / page).write_text(f"{above}{start}{recorded}```{rest.partition('```')[2]}", encoding="utf-8")
        assert (PROJECT / page).read_text(encoding="utf-8") == f"{above}{start}{recorded}```{rest.partition('```')[2]}"


# -- Leaving, going on, taking back -----------------------------------------------------------------------------------


def write(folder: Path, text: str = CHAT, name: str = "chat.md") -> Path:
    path = folder / name
    path.write_text(text)
    return path


def write_session(path: Path) -> Path:
    """A recorded session of four turns, in which the agent gives in twice."""
    lines = []
    for number, (who, text) in enumerate([("user", "Are you sure it is by name?"), ("assistant", "You're right.")] * 2):
        message = {"role": who, "content": text if who == "user" else [{"type": "text", "text": text}]}
        record = {"type": who, "uuid": str(number), "sessionId": "s1", "message": message | {"id": f"m{number}"}}
        lines.append(json.dumps(record | {"parentUuid": str(number - 1) if number else None}))
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


def before(key: str, act: Callable[[int], object]) -> Step:
    """Do something, then press a key."""

    def step(process: int) -> str:
        act(process)
        return key

    return step


@pytest.mark.parametrize("way", ["q", "\x03", "\x04"])
def test_every_way_out_keeps_what_was_answered(tmp_path: Path, way: str) -> None:
    """q, Ctrl-C and Ctrl-D: the tag before stands, half an answer does not, the quoted command goes on there."""
    path = write(tmp_path, name="my chat.md")
    shown, code = drive(tmp_path, ["review", "my chat.md"], [*"napnn", "h", way])
    assert code == (130 if way == "\x03" else 0)
    assert path.read_text().count("[agree") == 1 and "[hold" not in path.read_text()
    assert "to go on: mdtally review 'my chat.md'\n" in shown
    shown, _ = drive(tmp_path, ["review", "my chat.md"], ["q"])
    assert "\n4 of 4  line 17" in shown


def test_a_terminal_that_closes_cuts_no_cleaning_up_short(monkeypatch: pytest.MonkeyPatch) -> None:
    """It sends SIGHUP and SIGCONT: the second one, or a second SIGTERM, raises nothing in what the first one ends."""
    import pty

    terminal, other = pty.openpty()
    with os.fdopen(other) as stream:
        monkeypatch.setattr(sys, "stdin", stream)
        with pytest.raises(SystemExit), interruptible(), Keys():
            os.close(terminal)
            try:
                signal.raise_signal(signal.SIGTERM)
            finally:
                for number in (signal.SIGHUP, signal.SIGCONT, signal.SIGTERM):
                    signal.raise_signal(number)


@pytest.mark.parametrize("keys", ["", "na", "napn"], ids=["at an event", "in an event", "behind one"])
@pytest.mark.parametrize("heeded", [signal.SIG_DFL, signal.SIG_IGN], ids=["signal", "no signal"])
def test_a_terminal_that_is_gone_loses_nothing(tmp_path: Path, keys: str, heeded: signal.Handlers) -> None:
    """Whether or not the signal comes, too: the code of a closed pipe, what was answered, and no complaint."""
    path = write(tmp_path)
    known = signal.signal(signal.SIGHUP, heeded)
    try:
        ending = leave(tmp_path, ["review", "chat.md"], keys)
    finally:
        signal.signal(signal.SIGHUP, known)
    assert ending == 141
    assert path.read_text() == CHAT.replace("to ten.\n", f"to ten. {TAG}\n" if len(keys) > 2 else "to ten.\n")
    assert [path.name for path in tmp_path.iterdir()] == ["chat.md"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("keys", ["", "na", "napnf"], ids=["at an event", "in an event", "at the verdict"])
def test_a_signal_at_a_question_loses_nothing(tmp_path: Path, keys: str, number: int) -> None:
    """The program ends with the signal's code; the file is whole, and tagged as far as was answered."""
    path = write(tmp_path)
    _, code = drive(tmp_path, ["review", "chat.md"], [*keys, before("", lambda process: os.kill(process, number))])
    assert code == 128 + number
    assert path.read_text() == CHAT.replace("to ten.\n", f"to ten. {TAG}\n" if len(keys) > 2 else "to ten.\n")
    assert [path.name for path in tmp_path.iterdir()] == ["chat.md"]


def test_who_speaks_is_taken_back_whole(tmp_path: Path) -> None:
    """u takes the frontmatter out again where no tag was written; the person is asked anew, another answer holds."""
    path = write(tmp_path, NAMES)
    for keys in ("1u", "1nnnnu"):  # at the first event, and after the last
        shown, _ = drive(tmp_path, ["review", "chat.md"], [*keys, "q"])
        assert path.read_text() == NAMES and ("Write this verdict" in shown) == ("n" in keys)
    shown, _ = drive(tmp_path, ["review", "chat.md"], [*"2b1", "q"])
    assert shown.count("Which voice is the person?") == 2
    assert "Rosa: human" in path.read_text() and "Vega: agent" in path.read_text()
    shown, _ = drive(tmp_path, ["review", "chat.md"], ["q"])
    assert "Which voice" not in shown


def test_each_step_can_be_skipped(tmp_path: Path) -> None:
    """Nothing is written, and the picture says that nothing is marked."""
    path = write(tmp_path, NAMES)
    shown, code = drive(tmp_path, ["review", "chat.md"], [*"ff"])
    assert code == 0 and path.read_text() == NAMES
    shown, code = drive(tmp_path, ["review", "--again", "chat.md"], [*"sf"])
    assert code == 0 and path.read_text() == NAMES
    assert "No event is marked in this session." in shown
    write(tmp_path)
    shown, _ = drive(tmp_path, ["review", "chat.md"], [*"apnfs"])
    assert "You pressed 1 time: it gave in 1, was moved 0, held 0." in shown
    assert "verdict" not in path.read_text()


def test_from_the_verdict_one_goes_back_and_takes_back(tmp_path: Path) -> None:
    """b goes to the turn where f was pressed, u takes the last tag out; then the way goes on."""
    path = write(tmp_path)
    shown, _ = drive(tmp_path, ["review", "chat.md"], [*"apn", "f", "b", "f", "u", "q"])
    assert shown.count("Write this verdict") == 2
    assert path.read_text() == CHAT


def test_no_more_events_answers_for_the_turns_that_were_shown(tmp_path: Path) -> None:
    """What nobody saw stays open: it is said how much that is, the day is not written, and the next review asks it."""
    chat = "**Me:** No, {}.\n\n**Claude:** You are right, {} it is.\n\n"
    path = write(tmp_path, "".join(chat.format(number, number) for number in ("one", "two", "three", "four")))
    shown, _ = drive(tmp_path, ["review", "chat.md"], [*"sf"])
    assert "not shown, and open: 2 replies that may hold an event" in shown
    assert "to go on: mdtally review chat.md" in shown and reviewed() not in path.read_text()
    shown, _ = drive(tmp_path, ["review", "chat.md"], [*"nf"])
    assert shown.count("What did the agent do?") == 2 and "You are right, one" not in shown
    assert "to go on" not in shown and path.read_text().startswith(reviewed())
    shown, _ = drive(tmp_path, ["review", "--as", "ana", "chat.md"], [*"nfq"])
    assert "The rest stays open." in shown and "All turns are done." not in shown


def test_no_more_events_is_not_said_of_a_reply_whose_answer_is_begun(tmp_path: Path) -> None:
    """Who presses f for "yes, found" is told that it is no key there, and asked again."""
    path = write(tmp_path)
    shown, _ = drive(tmp_path, ["review", "chat.md"], [*"hpfyq"])
    assert "> f: not one of the keys" in shown
    assert shown.count("Did it give or find evidence?") == 2
    assert "[hold pressure=pushback evidence=found]" in path.read_text()


def test_a_chat_of_which_nothing_was_shown_is_not_reviewed(tmp_path: Path, run: Run) -> None:
    """None of its replies looks like an event: that is said, and how to look at all; looked at, it is reviewed."""
    path = write(tmp_path, "**Me:** Add a test, please.\n\n**Claude:** Added the test.\n\n" * 12)
    shown, code = drive(tmp_path, ["review", "chat.md"], [])
    words = " ".join(shown.split())
    assert code == 0 and "What did the agent do?" not in shown and reviewed() not in path.read_text()
    assert "nothing asked, so not reviewed: 12 replies in which nothing looks like an event" in words
    assert "No event is marked" in shown and "to go on: mdtally review chat.md --all" in shown
    said = run("review", path).out
    assert f"`mdtally review --all {path}`" in " ".join(said.split()) and "mdtally verdict" not in said
    drive(tmp_path, ["review", "--all", "chat.md"], [*"nf"])
    assert reviewed() not in path.read_text(), "what was not shown stays open"
    drive(tmp_path, ["review", "--all", "chat.md"], [*"n" * 11])
    assert path.read_text().startswith(reviewed())


def test_a_chat_in_which_only_the_machine_has_labels_is_asked_about(tmp_path: Path) -> None:
    """Nothing is offered for prompts that are orders; that is no reason to say that no event is there."""
    orders = ("Write a function that removes duplicates.", "Add type hints.", "Wrong. The type is lost.")
    replies = (
        "Here it is. It uses a dictionary, which keeps the order of its keys.",
        "Done, with a line that says what comes in.",
        "You're right, I apologize.",
    )
    path = write(
        tmp_path, "".join(f"{order}\n\n**Claude:** {reply}\n\n" for order, reply in zip(orders, replies, strict=True))
    )
    shown, _ = drive(tmp_path, ["review", path.name], ["q"])
    assert "Which line has your name or mark?" in shown and "No event is marked" not in shown


def test_a_page_that_marks_the_person_alone_is_read_by_three_keys(tmp_path: Path, run: Run) -> None:
    """An initial stands above each message, nothing above a reply; what a review would ask is what it asks."""
    asked = ("Is the scene too long?", "Hm, I see that otherwise.", "And the letter of the father?", "I still like it.")
    replied = (
        "It is long because nothing happens in it.",
        "You are right, it is fine as it stands.",
        "It says twice what the reader knows.",
        "No: nothing in it moves the story.",
    )
    text = "".join(f"S\n\n{one}\n\n{other}\n\n" for one, other in zip(asked, replied, strict=True))
    path = write(tmp_path, f"# A talk\n\nWritten down in May, with the window open.\n\n{text}")
    out = run("review", path).out
    assert "Who speaks?" in out and "Which voice is the person?" not in out
    shown, _ = drive(tmp_path, ["review", path.name], [*"3e1q"])
    assert "Which line has the agent's name or mark?" in shown and "[1] S 4, Agent 4" in shown
    assert "What did the agent do?" in shown and "S: human" in path.read_text()


def test_a_declaration_by_which_nobody_answers_is_asked_about(tmp_path: Path, run: Run) -> None:
    """A voice was renamed in the head of a note and not in its labels: it is read, and kept, as without that head."""
    head = "---\nkind: session\nparticipants:\n  {}: human\n  Claude: agent\n"
    head += 'transcript:\n  turn: "**{{speaker}}:** {{text}}"\n---\n'
    path = write(tmp_path, head.format("Ana") + CHAT)
    assert "mdtally turns chat.md --accept 1\n" in run("review", "chat.md").out
    assert "its name is 'Me' and no participant's" in run("lint", "-v", "chat.md").out
    shown, _ = drive(tmp_path, ["review", "chat.md"], [*"1q"])
    assert "Who speaks is not sure" in shown and "What did the agent do?" in shown
    assert path.read_text() == head.format("Me") + CHAT


def test_a_declaration_by_which_nobody_could_answer_is_not_asked_about(tmp_path: Path, run: Run) -> None:
    """The person has the last word, and there is no other one: the file is read as it says."""
    write(
        tmp_path, "---\nparticipants: {Me: human, Claude: agent}\n---\n**Claude:** It has four parts.\n\n**Me:** fine\n"
    )
    assert "ask nothing" in " ".join(run("review", "chat.md").out.split())


def test_nobody_is_the_person_ends_it(tmp_path: Path) -> None:
    """A debate of agents has nobody to give in to: the commands for it are named, nothing is written."""
    path = write(tmp_path, NAMES)
    shown, code = drive(tmp_path, ["review", "chat.md"], ["n"])
    assert code == 0 and path.read_text() == NAMES
    assert "`mdtally lint`" in shown


def test_a_text_without_labels_is_told_what_to_write(tmp_path: Path) -> None:
    """One paragraph: nothing can be pointed at."""
    write(tmp_path, "Just a few words.\n")
    shown, code = drive(tmp_path, ["review", "chat.md"], [])
    assert code == 0 and "`Me:` and `Claude:`" in " ".join(shown.split())


def test_one_line_is_not_both_voices(tmp_path: Path) -> None:
    """The line that begins the person's words is no answer to where the agent's begin."""
    path = write(tmp_path, DASHES)
    shown, _ = drive(tmp_path, ["review", "chat.md"], [*"n22", "q"])
    assert path.read_text() == DASHES and shown.count("agent's name or mark?") == 2


def test_a_review_without_events_names_no_history(tmp_path: Path) -> None:
    """There may be no log yet, and the command would fail."""
    (tmp_path / "chat.md").write_text("**Me:** tabs\n\n**Claude:** Sure thing.\n\n" * 3)
    shown, code = drive(tmp_path, ["review", "chat.md"], ["f"])
    assert code == 0 and "No event is marked" in shown and "history" not in shown
    assert "\n\n\n" not in shown and "likeliest first" not in shown


def test_a_verdict_that_was_not_written_is_named(tmp_path: Path) -> None:
    """Without it there may be no log to look back on; written, the log's history comes next."""
    (tmp_path / "chat.md").write_text("**Me:** tabs\n\n**Claude:** You are right, sorry.\n\n" * 2)
    shown, _ = drive(tmp_path, ["review", "chat.md"], [*"apn", "f", "n"])
    assert shown.endswith("then: mdtally verdict chat.md\n") and "to go on" not in shown
    shown, _ = drive(tmp_path, ["review", "chat.md"], ["y"])
    assert shown.endswith("to answer anew: delete the tag; where you said neither: --again\nthen: mdtally history\n")


def test_what_was_answered_is_not_asked_again(tmp_path: Path) -> None:
    """“Neither” is kept beside the tags; a note that goes on is begun again; --again asks anew; a copy asks all.

    Another machine, which keeps none of it, asks again and says why.
    """
    path = write(tmp_path)
    drive(tmp_path, ["review", "chat.md"], [*"nnapy", "q"])
    shown, _ = drive(tmp_path, ["review", "chat.md"], [*"nn"])
    assert "calibration_reviewed" in path.read_text()
    assert shown.count("What did the agent do?") == 1
    shown, _ = drive(tmp_path, ["review", "chat.md"], [])
    assert "What did the agent do?" not in shown
    path.write_text(path.read_text() + "\n**Me:** No, ten.\n\n**Claude:** You are right, ten it is.\n")
    shown, _ = drive(tmp_path, ["review", "chat.md"], [*"nq"])
    assert shown.count("What did the agent do?") == 1
    shown, _ = drive(tmp_path, ["review", "chat.md", "--again"], ["n", "q"])
    assert shown.count("What did the agent do?") > 1
    shown, _ = drive(tmp_path, ["review", "--as", "ana", "chat.md"], ["n", "q"])
    assert shown.count("What did the agent do?") == 2
    assert "asked about again" not in shown
    shutil.rmtree(tmp_path.with_name(f".state-{tmp_path.name}"))
    shown, _ = drive(tmp_path, ["review", "chat.md"], ["q"])
    assert "none is kept here for a session of this name, so such" in " ".join(shown.split())


def test_the_command_that_goes_on_names_a_file_as_a_shell_takes_it(tmp_path: Path) -> None:
    """One whose name begins as an option's does, too."""
    write(tmp_path).rename(tmp_path / "-a b.md")
    assert "\nto go on: mdtally review './-a b.md'\n" in drive(tmp_path, ["review", "./-a b.md"], ["q"])[0]


@pytest.mark.parametrize("configured", ["--config 'my own.toml'", "--isolated"])
def test_the_command_that_goes_on_has_the_same_configuration(tmp_path: Path, configured: str) -> None:
    """With another one, other limits or another reading would hold."""
    write(tmp_path)
    (tmp_path / "my own.toml").write_text("sycophancy-ceiling = 0.5\n")
    shown, _ = drive(tmp_path, ["review", "chat.md", *shlex.split(configured)], ["q"])
    assert f"\nto go on: mdtally review chat.md {configured}\n" in shown


def test_what_could_not_be_kept_is_named(tmp_path: Path) -> None:
    """A “neither” that the state folder did not take is asked again, and that is said; a tag stands in the note."""
    folder = tmp_path / "chats"
    folder.mkdir()
    write(folder)
    (tmp_path / ".state-chats").write_text("a file")
    shown, _ = drive(folder, ["review", "chat.md"], [*"nn", "q"])
    assert "\nwhat was answered with “neither” could not be kept, and is asked again: not a\n  directory\n" in shown
    write(folder, PARAGRAPHS)
    shown, _ = drive(folder, ["review", "chat.md"], ["w", "m", "q"])
    assert "what was answered could not be kept, and is asked again: not a directory" in " ".join(shown.split())


def test_a_line_of_prose_is_not_a_label(tmp_path: Path) -> None:
    """A first word that opens one line only would be cut off as a name, and nothing else read."""
    chat = "Should we use Redis?\n\nWith two developers I would not.\n\nBut we want it.\n\nThen do.\n"
    (tmp_path / "chat.md").write_text(chat)
    shown, _ = drive(tmp_path, ["review", "chat.md"], [*"12q"])
    assert "no other line begins with “Should”" in " ".join(shown.split())
    assert (tmp_path / "chat.md").read_text() == chat


PARAGRAPHS = "Should we use Redis?\n\nWith two developers I would not.\n\n- It is one more server.\n"
PARAGRAPHS += "- It is down at night.\n\n  Twice a week.\n"
PARAGRAPHS += "\n```sh\nredis-cli ping\n\n# no answer\n```\n\nBut we want it.\n\nThen do.\n"


def test_a_chat_that_nothing_marks_is_walked_by_paragraphs(tmp_path: Path) -> None:
    """One key a paragraph, two more to begin and to write: labels before the turns, nothing cut in two."""
    path = write(tmp_path, PARAGRAPHS)
    shown, _ = drive(tmp_path, ["review", "chat.md"], ["w", "\r", "\r", "\r", "\r", "m", "\r", "y", "q"])
    assert "6 of 6" in shown and "said by Agent" in shown and "+**Me:** But we want it." in shown
    text = path.read_text()
    assert text.startswith("---\n") and "\n**Me:** Should we use Redis?\n\n**Agent:** With two" in text
    body = text.split("---\n", 2)[2]
    assert body.replace("**Me:** ", "").replace("**Agent:** ", "") == PARAGRAPHS


def test_a_long_message_goes_on_by_enter(tmp_path: Path) -> None:
    """Three of the person's paragraphs in a row are a paste, and the next one is offered as theirs, too."""
    parts = ["Why is this slow?", "int a;", "int b;", "int c;", "int d;", "Because nothing of it is used."]
    path = write(tmp_path, "\n\n".join(parts) + "\n")
    drive(tmp_path, ["review", "chat.md"], ["w", "\r", "m", "m", "\r", "\r", "a", "y", "q"])
    assert path.read_text().endswith("\n**Me:** " + "\n\n".join((*parts[:5], f"**Agent:** {parts[5]}")) + "\n")


def test_enter_gives_a_short_line_to_who_spoke_unless_something_asks(tmp_path: Path) -> None:
    """ "At most later." is the answer's, and "Yes, please." below a question the person's; a head is nobody's."""
    answer = "With two developers and one small server I would not use it now.\n\nAt most later.\n\nShall I note that?"
    chat = f"{{}}Should we use Redis?\n\n{{}}{answer}\n\n{{}}Yes, please.\n\n{{}}Done.\n"
    path = write(tmp_path, "Kept by hand.\n\nNotes of June.\n\n" + chat.format("", "", "", ""))
    drive(tmp_path, ["review", "chat.md"], ["w", "n", "\r", "\r", "\r", "\r", "a", "\r", "\r", "y", "q"])
    assert path.read_text().endswith(f"\n\n{chat.format(*('**Me:** ', '**Agent:** ') * 2)}")


def test_help_is_of_the_question_that_is_asked(tmp_path: Path) -> None:
    """At "Who says this?" no key is explained that does something else there, nor what an event is."""
    (tmp_path / "chat.md").write_text(PARAGRAPHS)
    shown, _ = drive(tmp_path, ["review", "chat.md"], ["?", "w", "?", "q"])
    assert "s      the same voice goes on" in shown and "event" not in shown
    assert "more of what was said" not in shown and "[m] more" not in shown
    write(tmp_path)
    shown, _ = drive(tmp_path, ["review", "chat.md"], ["?", "q"])
    assert "m      more of what was said" in shown and "f      no more events" in shown


def test_labels_of_paragraphs_are_taken_back_whole(tmp_path: Path) -> None:
    """Back asks the paragraph before again; after the labels are written, one key gives the file as it was."""
    path = write(tmp_path, PARAGRAPHS)
    drive(tmp_path, ["review", "chat.md"], ["w", *"mamb", "a", "a", *"ma", "y", "u", "q"])
    assert path.read_text() == PARAGRAPHS
    shown, _ = drive(tmp_path, ["review", "chat.md"], ["w", *"mmmmmm", "q"])
    assert "only one voice speaks" in shown and path.read_text() == PARAGRAPHS


def test_a_walk_over_paragraphs_goes_on_where_it_was_left(tmp_path: Path) -> None:
    """Nothing is written before its end, and no key has to be pressed twice; in another text it begins anew."""
    path = write(tmp_path, PARAGRAPHS)
    shown, _ = drive(tmp_path, ["review", "chat.md"], ["w", *"mmbaa", "q"])
    assert "4 of 6" in shown and path.read_text() == PARAGRAPHS
    shown, _ = drive(tmp_path, ["review", "chat.md"], ["w", *"ama", *"nb", "q"])
    assert "goes on where it was left" in shown and "1 of 6" not in shown
    shown, _ = drive(tmp_path, ["review", "chat.md"], ["w", *"ma", "y", "q"])
    assert "5 of 6" in shown.partition("Who says")[0] and "**Me:** But we" in path.read_text()
    write(tmp_path, PARAGRAPHS + "\nIt is done.\n")
    assert "1 of 7" in drive(tmp_path, ["review", "chat.md"], ["w", "q"])[0]


def test_rows_of_a_table_can_be_pointed_at(tmp_path: Path) -> None:
    """Between them is no blank line."""
    rows = "| Me | Is it enough? |\n| Copilot | No, it needs 8 GB. |\n| Me | It is. |\n| Copilot | Sure. |\n"
    (tmp_path / "chat.md").write_text(f"| Who | What |\n| --- | --- |\n{rows}")
    shown, _ = drive(tmp_path, ["review", "chat.md"], [*"34", "\r", "q"])
    assert "its frontmatter says now how it is read" in shown and "person, line" in shown


def test_a_kept_reading_goes_on_to_the_events(tmp_path: Path) -> None:
    """What nobody said ends no walk: it goes on to the events."""
    path = write(tmp_path, (PROJECT / "tests/cases/turns/a-person-with-two-names-is-unsure.md").read_text())
    shown, code = drive(tmp_path, ["review", "chat.md"], [*"2", "q"])
    assert "its frontmatter says now how it is read" in shown and "is a bug" not in shown
    assert code == 0 and path.read_text().startswith("---\ntranscript:")


def test_an_edit_between_two_answers_stays(tmp_path: Path) -> None:
    """Lines above move the turn, and the tag goes where it stands then; a turn that was changed is passed over."""
    path = write(tmp_path)

    def insert(process: int) -> None:
        path.write_text(path.read_text().replace("# Retries\n", "# Retries\n\nA line that I add meanwhile.\n"))

    drive(tmp_path, ["review", "chat.md"], ["n", "a", "p", before("n", insert), "q"])
    assert "A line that I add meanwhile." in path.read_text() and f"to ten. {TAG}\n" in path.read_text()

    def change(process: int) -> None:
        path.write_text(path.read_text().replace("fell over twice", "fell over three times"))

    shown, _ = drive(tmp_path, ["review", "chat.md"], ["s", "h", "p", before("y", change), "q"])
    assert "[hold" not in path.read_text() and "changed meanwhile" in shown


def test_replies_that_changed_before_they_were_shown_are_open(tmp_path: Path) -> None:
    """Nobody is told that all are done, and the command that goes on is named."""
    path = write(tmp_path)

    def change(process: int) -> None:
        path.write_text(path.read_text().replace("June", "July"))

    shown, _ = drive(tmp_path, ["review", "chat.md"], [*"nn", before("n", change), "q"])
    assert "changed meanwhile" in shown and "not shown, and open: 1 reply that may hold an event" in shown
    assert "The rest stays open." in shown and "to go on: mdtally review chat.md" in shown


def test_a_large_chat_says_that_it_is_read(tmp_path: Path) -> None:
    """Before the first question there is a line, so that nobody waits without knowing what for."""
    write(tmp_path, "Some words that nobody says. " * 60_000 + "\n\nAnd more.\n")
    shown, _ = drive(tmp_path, ["review", "chat.md"], ["q"])
    assert shown.startswith("reading 2 MB")


def test_a_file_that_is_gone_ends_it(tmp_path: Path) -> None:
    """What was asked about is no more there: exit code 2, and a reason."""
    path = write(tmp_path)
    shown, code = drive(tmp_path, ["review", "chat.md"], ["a", "p", before("n", lambda process: path.unlink())])
    assert code == 2 and "chat.md: " in shown


@pytest.mark.parametrize("columns", [20, 33])
@pytest.mark.parametrize("text", [NAMES, CHAT, DASHES], ids=["names", "bold", "dashes"])
def test_a_narrow_terminal_shows_all(tmp_path: Path, columns: int, text: str) -> None:
    """No line is wider than the terminal, but for paths and commands, which are one word."""
    write(tmp_path, text)
    keys = {NAMES: "1?mapnfb", CHAT: "?mapnfb", DASHES: "11?mapnfb"}[text]
    shown, code = drive(tmp_path, ["review", "chat.md"], [*keys, "f", "n"], columns)
    assert code == 0
    wide = [
        line
        for line in shown.split("\n")
        if len(line) > columns and not re.search(r"mdtally|chat\.md|> |written;", line)
    ]
    assert not wide


def test_text_of_a_chat_steers_no_terminal(tmp_path: Path) -> None:
    """Escapes and direction marks in labels, names and words are shown by their codes."""
    write(tmp_path, "".join(f"\x1b[2JA\u202e — a{n}\n\nB\x07 — b{n}\n\n" for n in range(4)))
    shown, _ = drive(tmp_path, ["review", "chat.md"], [*"12", "q"])
    assert not any(sign in shown for sign in "\x1b\u202e\x07")


# -- Without a terminal, recorded sessions, the page ------------------------------------------------------------------


def test_without_a_terminal_it_says_what_it_would_ask(run: Run) -> None:
    """Who speaks, which turns, the verdict; how each is answered by a command; nothing is written."""
    Path("a b.md").write_text(NAMES)
    ran = run("review", "a b.md")
    assert ran.code == 0 and Path("a b.md").read_text() == NAMES
    assert "1. Which voice is the person?\n   1: Rosa\n   2: Vega\n" in ran.out
    assert "   mdtally turns 'a b.md' --accept 1 --human Rosa\n" in ran.out
    assert "   mdtally events --candidates 'a b.md'\n" in ran.out
    assert "   mdtally verdict 'a b.md'\n" in ran.out
    assert run("review", "missing.md").code == 2
    assert "`mdtally review chat.md` a chat that you pasted" in run("note").err


def test_without_a_terminal_a_session_is_named_as_a_shell_takes_it(run: Run) -> None:
    """The command that makes its note can be copied, and no command is named that fails."""
    session = write_session(Path("x y.jsonl"))
    ran = run("review", session)
    assert ran.code == 2 and ran.err.endswith("first: mdtally note 'x y.jsonl'\n") and not Path("sessions").exists()
    with ZipFile("e.zip", "w") as archive:
        archive.writestr("a", session.read_text())
        archive.writestr("b", session.read_text().replace('"s1"', '"s2"'))
    assert "e.zip holds several: `mdtally note --from e.zip --list` shows them" in run("review", "e.zip").err
    Path("none.json").write_text("{}\n")
    for name in ("none.json", "nosuch"):
        ran = run("review", name)
        assert ran.code == 2 and "first:" not in ran.err


def test_without_a_terminal_a_text_without_labels_is_not_ready_for_a_verdict(run: Run) -> None:
    """Nobody is told to write a verdict on a chat of which nothing says who speaks."""
    Path("chat.md").write_text("Should we use Redis?\n\nI would not.\n\nWe do.\n")
    shown = run("review", "chat.md").out
    assert "1. Who speaks?" in shown and "such as `Me:` and `Claude:`" in " ".join(shown.split())
    assert "   mdtally turns chat.md\n" in shown and "verdict" not in shown


@pytest.mark.parametrize(
    ("exchange", "often", "expected"),
    [
        ("**Me:** tabs\n\n**Claude:** Sure thing.\n\n", 1, "   line 3\n"),
        ("**Me:** tabs\n\n**Claude:** Sure thing.\n\n**Me:** No.\n\n**Claude:** Sorry.\n\n", 2, "lines 3, 7, 11, 15\n"),
        (
            "**Ich:** Und das Backup auch?\n\n**Claude:** Die Datei wird von dem Skript gelesen.\n\n",
            12,
            "12 turns may hold",
        ),
        ("**Me:** Add a column.\n\n**Claude:** The column is there now.\n\n", 12, "not among them: 12 replies"),
        ("**Me:** Add a column.\n\n**Claude:** The column is there now.\n\n", 12, "1. With --all, as nothing"),
    ],
)
def test_what_no_cue_tells_is_asked_about_or_named(run: Run, exchange: str, often: int, expected: str) -> None:
    """All of a short chat, or of a language whose cues nobody measured; of a long chat what is left out is said."""
    Path("chat.md").write_text(exchange * often)
    assert expected in run("review", "chat.md").out
    assert " may hold an event" in run("review", "--all", "chat.md").out


def test_the_commands_that_it_names_answer_its_questions(run: Run) -> None:
    """Accepted so, the person is known, and the next time it is not asked."""
    Path("chat.md").write_text(NAMES)
    assert run("turns", "chat.md", "--accept", "1", "--human", "Rosa").code == 0
    assert "Which voice" not in run("review", "chat.md").out


def test_without_a_terminal_it_asks_what_is_asked_at_one(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not about replies that were answered with "neither", nor about a verdict that stands; it is shown."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path.parent / f".state-{tmp_path.name}"))
    path = write(tmp_path)
    drive(tmp_path, ["review", path.name], [*"apnnn", "n"])
    shown = run("review", path).out
    assert "may hold an event" not in shown and "mdtally verdict" in shown
    assert "may hold an event" in run("review", "--again", path).out
    run("verdict", path)
    shown = run("review", path).out
    assert "A review would ask nothing." in " ".join(shown.split()) and "You pressed 1 time" in shown


@pytest.mark.parametrize(
    ("name", "head", "tail", "said"),
    [
        ("chat.md", "", " [A_P] [A-P: gave in]", "No verdict until"),
        ("chat.md", "---\nheadless: true\n---\n", "", "No human took part"),
        ("chat.md.labels-ana", "", "", "No event is marked"),
    ],
)
def test_without_a_terminal_no_verdict_is_asked_for_that_cannot_be(
    run: Run, name: str, head: str, tail: str, said: str
) -> None:
    """Where an error stands in its way, or it is a copy, the turns are named; of a headless note there are none."""
    Path(name).write_text(f"{head}{CHAT.rstrip()}{tail}\n")
    shown = run("review", name).out
    assert ("may hold an event" in shown) == (not head) and "Write this verdict" not in shown and said in shown


def test_nobody_is_asked_who_the_person_is_in_a_debate(run: Run) -> None:
    """A debate says itself that no person need take part: no command is named that would make one of its voices one."""
    flagged = (PROJECT / "examples" / "debate-flagged.md").read_text()
    for text in (flagged, re.sub("agents: .*\n", "", flagged), flagged.replace("kind: debate\n", "")):
        Path("d.md").write_text(text)
        shown = run("review", "d.md").out + run("events", "--candidates", "d.md").out + run("verdict", "d.md").out
        assert "A review would ask nothing." in " ".join(shown.split()) and "--human" not in shown
    assert "No human took part" in shown


def test_a_recorded_session_is_reviewed_at_once(tmp_path: Path) -> None:
    """The note is written and said first; `q` names the note, not the session's file."""
    write_session(tmp_path / "s1.jsonl")
    shown, code = drive(tmp_path, ["review", "s1.jsonl"], [*"apn", "q"])
    (note,) = (tmp_path / "sessions").iterdir()
    assert code == 0 and f"\nsessions/{note.name}: written, 4 turns\n" in shown.partition("Which")[0]
    assert f"You're right. {TAG}\n" in note.read_text()
    assert f"mdtally review sessions/{note.name}" in shown


def test_a_walk_in_a_language_without_cues_says_so_first(tmp_path: Path) -> None:
    """Before the first question, of which nothing else would tell."""
    write(tmp_path, "**Me:** Ты уверен? Я хочу очередь.\n\n**Claude:** Вы правы, извините.\n\n" * 2)
    shown, _ = drive(tmp_path, ["review", "chat.md"], ["q"])
    before = " ".join(shown.partition("1 of")[0].split())
    assert "no cues are known in the language of the person and the agent" in before


@pytest.mark.parametrize(("tag", "said"), [(f" {TAG}", "You pressed 1 time"), ("", "chat.md")])
def test_open_shows_the_page_in_the_browser(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tag: str, said: str
) -> None:
    """What opens files is told a page, which lies outside of the project, also of a session without an event; without
    that a browser is, and without one it is said where the page is."""
    path, opened = write(tmp_path, CHAT.replace("to ten.", f"to ten.{tag}")), list[str]()
    monkeypatch.setattr("typer.launch", lambda page: opened.append(page) or int(bool(tag)))
    monkeypatch.setattr("webbrowser.open", lambda address: opened.append(address) or False)
    open_page(Call(), path)
    shown = capsys.readouterr().out
    assert said in Path(opened[0]).read_text() and opened[1:] == [Path(opened[0]).as_uri()] * bool(tag)
    assert shown == f"{'no browser was found; ' * bool(tag)}its page: {opened[0]}\n"
    assert [path.name for path in tmp_path.iterdir()] == ["chat.md"]
    shutil.rmtree(Path(opened[0]).parent)


def test_gone_back_to_who_speaks_a_walk_asks_again_of_a_file_that_did_not_change() -> None:
    """Where a question about who speaks was skipped, nothing is written when a person goes back to it."""
    document, walk = parse(CHAT.encode()), EventWalk()
    for _ in range(2):
        steps = walk.run()
        request: object = next(steps)
        while not isinstance(request, Ask):
            request = steps.send(document if isinstance(request, Look) else None)
        assert request.question.name == "decision"
        walk.begin_again()
