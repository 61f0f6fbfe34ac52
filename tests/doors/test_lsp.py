"""The language server, asked by a real client over its streams."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

pytest.importorskip("pygls.lsp.server", reason="the language server needs pygls 2, which `.[test]` brings")

import test_rules as rule_examples
from conftest import PROJECT
from lsp_client import Editor, Server
from lsprotocol import types
from pygls.workspace import PositionCodec

from mdtally.check import rules
from mdtally.check.fix import apply_edits
from mdtally.doors.cli import main
from mdtally.doors.server import shown
from mdtally.doors.server.actions import edits_between
from mdtally.doors.server.text import EditorText, Host
from mdtally.project.settings import Settings
from mdtally.text.model import Edit, Problem, Region

EXAMPLES = PROJECT / "examples"
MISMATCH = (EXAMPLES / "mismatch.md").read_text()
SESSION = (EXAMPLES / "session.md").read_text()
GOLDEN = PROJECT / "tests" / "golden" / "lsp-conversation.txt"
UPDATE = bool(os.environ.get("UPDATE_GOLDEN"))
NEVER = Host(lambda path: (Settings(), ()), lambda: pytest.fail("it has no file"))
"""The command line for a text that was never saved."""
Talk = Callable[[Editor, str], Awaitable[None]]
TalkAbout = Callable[..., None]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An empty project."""
    (tmp_path / ".git").mkdir()
    return tmp_path


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One server for all talks of which none ends it; nothing is agreed on the unit of columns."""
    with Server(tmp_path_factory.mktemp("editor")) as server:
        yield server


@pytest.fixture
def talk_about(server: Server, folder: Path) -> TalkAbout:
    """Have a talk about one file of a project."""
    return lambda talk, name="session.md": server.talk(lambda editor: talk(editor, (folder / name).as_uri()))


# -- Findings ---------------------------------------------------------------------------------------------------------


def test_findings_are_shown_while_typing(folder: Path, talk_about: TalkAbout) -> None:
    """Of the text as it stands in the editor, whatever is on the disk; none are left when it is mended or closed."""

    async def talk(editor: Editor, uri: str) -> None:
        [found] = await editor.open(uri, MISMATCH)
        assert (found.code, found.severity, found.source) == ("MDT201", types.DiagnosticSeverity.Error, "mdtally")
        assert found.range == types.Range(types.Position(13, 0), types.Position(13, 6))
        assert await editor.type(uri, MISMATCH.replace("A_P: 3", "A_P: 2")) == []
        await editor.type(uri, MISMATCH)
        assert await editor.close(uri) == []

    talk_about(talk)


def test_two_notes_that_are_one_session(folder: Path, talk_about: TalkAbout) -> None:
    """What only `verdict --check` finds is shown as well: it looks at the log and at the other note."""
    (folder / "a.md").write_text(SESSION)
    assert main(["verdict", str(folder / "a.md")]) == 0

    async def talk(editor: Editor, uri: str) -> None:
        assert "MDT212" in [found.code for found in await editor.open(uri, (folder / "a.md").read_text())]

    talk_about(talk, "b.md")


def test_what_is_wrong_with_the_answers_of_a_survey(folder: Path, talk_about: TalkAbout) -> None:
    """Whoever fills one in by hand sees it where `verdict` would stop; an open one has no finding."""
    (folder / "talk.md").write_text(SESSION)
    assert main(["survey", str(folder), "--fresh", "-o", str(folder / "survey.md")]) == 0

    async def talk(editor: Editor, uri: str) -> None:
        text = (folder / "survey.md").read_text()
        assert await editor.open(uri, text) == []
        [found] = await editor.type(uri, text.replace("**Answer:** [ ]", "**Answer:** [agree]", 1))
        assert found.code == "MDT207" and "item 1" in found.message
        [found] = await editor.type(uri, text.replace("<!--", "<!-"))
        assert "has lost the comment at its end" in found.message

    talk_about(talk, "survey.md")


def test_the_configuration_is_that_of_the_command_line(folder: Path, talk_about: TalkAbout) -> None:
    """The nearest one holds, also after it has changed; one that can't be used is said; excluded files are silent."""
    config = folder / "mdtally.toml"
    config.write_text('[lint]\nignore = ["MDT201"]\n')

    async def talk(editor: Editor, uri: str) -> None:
        assert await editor.open(uri, MISMATCH) == []
        config.write_text('[lint]\nseverity = { MDT201 = "warning" }\n')
        [found] = await editor.save(uri)
        assert found.severity == types.DiagnosticSeverity.Warning
        config.write_text("[lint]\nexclude = ['*.md']\n")
        assert await editor.save(uri) == []
        config.write_text("nonsense = 1\n")
        wrong, found = await editor.save(uri)
        assert "nonsense" in wrong.message
        assert found.code == "MDT201"
        config.write_text('[lint]\nselect = ["MDT999"]\n')
        assert "MDT999" in (await editor.save(uri))[0].message
        config.write_text('sycophancy-ceiling = "abc"\n')
        await editor.save(uri)
        await editor.type(uri, SESSION)
        assert await editor.commands(uri) == []
        config.write_text('log = "../outside.jsonl"\n')
        await editor.save(uri)
        assert "leads out of" in (await editor.type(uri, SESSION))[0].message

    talk_about(talk)


def test_a_changed_configuration_reaches_all_open_texts(folder: Path, talk_about: TalkAbout) -> None:
    """Where the editor watches the file, and where it is saved in the editor; nobody types in a note."""
    config = folder / "mdtally.toml"
    uris = [(folder / name).as_uri() for name in ("a #1.md", "b.md")]

    async def talk(editor: Editor, _: str) -> None:
        for uri in uris:
            assert await editor.open(uri, MISMATCH)
        assert set(editor.watched) == {"**/.mdtally.toml", "**/mdtally.toml", "**/pyproject.toml"}
        assert await editor.change_file(config, "lint.exclude = '*.md'\n", uris) == [[], []]
        config.write_text("")
        for uri in uris:
            editor.published.pop(uri)
        saved = types.TextDocumentIdentifier(config.as_uri())
        editor.client.text_document_did_save(types.DidSaveTextDocumentParams(saved))
        assert all([await editor.diagnostics(uri) for uri in uris])

    talk_about(talk)


def test_texts_without_a_file(folder: Path, talk_about: TalkAbout) -> None:
    """One that was never saved is checked, and its verdict can't be written."""

    async def talk(editor: Editor, uri: str) -> None:
        uri = "untitled:Untitled-1"
        assert [found.code for found in await editor.open(uri, MISMATCH)] == ["MDT201"]
        await editor.type(uri, SESSION)
        await editor.run("mdtally.writeVerdict", uri)
        assert "save the text first" in editor.messages[-1]

    talk_about(talk)


def test_documents_are_found_under_any_encoded_address(folder: Path, server: Server) -> None:
    """As Python encodes an address, as VS Code does, and bare; the configuration is that of the file's folder."""
    place = folder / "Ordner #1 (ä)"
    place.mkdir()
    (place / "mdtally.toml").write_text('[lint]\nseverity = { MDT201 = "warning" }\n')
    names = ("a b.md", "übung.md", "a#b?.md", "[a] {b}.md", "100%.md", "c%20d.md")
    addresses = [
        (name, uri)
        for name in names
        for uri in (
            (place / name).as_uri(),
            f"file://{quote(str(place / name), safe='/')}",
            *([] if "%" in name else [f"file://{place / name}"]),
        )
    ]

    async def talk(editor: Editor) -> None:
        for name, uri in addresses:
            [found] = await editor.open(uri, MISMATCH)
            assert (found.code, found.severity) == ("MDT201", types.DiagnosticSeverity.Warning)
            assert "MDT201" in await editor.hover(uri, 13, 2)
            assert next(action.title for action in await editor.actions(uri, 13)).startswith("Set A_P to 2")
            assert await editor.close(uri) == []
            (place / name).write_text(SESSION)
            await editor.open(uri, SESSION)
            await editor.run("mdtally.writeVerdict", uri)
            assert "SYCOPHANTIC" in editor.messages[-1] and "verdict: SYCOPHANTIC" in (place / name).read_text()
            assert await editor.close(uri) == []
            (place / name).unlink()  # two notes of one session are an error

    server.talk(talk)


def test_odd_texts(folder: Path, talk_about: TalkAbout) -> None:
    """Whatever is in the buffer, the server answers, and goes on."""

    async def talk(editor: Editor, uri: str) -> None:
        for text in ("", "\0", "---\n", "\ufeff", "\r", "[A_P]\ud83d", "> " * 5000 + "a\n"):
            await editor.open(uri, text)
            await editor.everything(uri)
            await editor.close(uri)
            assert [found.code for found in await editor.open(uri, MISMATCH)] == ["MDT201"], text
            await editor.close(uri)

    talk_about(talk)


def test_a_text_that_breaks_a_rule(folder: Path) -> None:
    """A bug of ours is said at the text, and does not end the server."""
    broken = (
        "import sys, mdtally.check.lint as lint; from mdtally.doors.cli import main; real = lint.lint\n"
        "def fails(document, *more): return 1 / 0 if 'boom' in document.lines else real(document, *more)\n"
        "lint.lint = fails; sys.exit(main(['lsp']))"
    )

    uri = (folder / "session.md").as_uri()

    async def talk(editor: Editor) -> None:
        [found] = await editor.open(uri, "boom\n")
        assert "mdtally failed on this text" in found.message
        await editor.everything(uri)
        assert [found.code for found in await editor.type(uri, MISMATCH)] == ["MDT201"]

    with Server(folder, program=("-c", broken)) as server:
        server.talk(talk)


# -- Places -----------------------------------------------------------------------------------------------------------


COLUMNS = "\ufeff😀 [A_P]\n\n😀\u2028\x0c😀 [A_T]\n\nA_P: 9 | A_R: 0 | A_T: 2\n"


@pytest.mark.parametrize(("encoding", "width"), [("utf-8", 4), ("utf-16", 2), ("utf-32", 1)])
def test_columns_are_counted_in_the_editors_unit(encoding: str, width: int) -> None:
    """An astral character is one column of ours, and up to four of an editor's."""
    opened = EditorText(COLUMNS, None, NEVER, PositionCodec(types.PositionEncodingKind(encoding)))
    bom = {"utf-8": 3}.get(encoding, 1)
    between = 4 if encoding == "utf-8" else 2  # U+2028, which is no line end for anybody, and a form feed
    ends = [opened.position(one.region.end_line, one.region.end_column) for one in opened.judgement.counts.events]
    assert ends == [types.Position(0, bom + width + 6), types.Position(2, 2 * width + between + 6)]
    for column in (bom, bom + width):
        assert shown.hover(opened, types.Position(0, column)) is None
    assert shown.hover(opened, types.Position(4, 3))


def test_the_unit_of_columns_is_agreed_on(folder: Path, server: Server) -> None:
    """UTF-16 as the protocol has it, unless the editor prefers another one, which then holds."""
    assert server.editor.encoding == "utf-16"
    uri = (folder / "session.md").as_uri()

    async def talk(editor: Editor) -> None:
        assert editor.encoding == "utf-8"
        found = await editor.open(uri, "😀 [A-P]: x\n\n- [A_P]\n")
        assert found[0].range.start == types.Position(0, 4 + 1)

    with Server(folder, ("utf-8", "utf-16")) as other:
        other.talk(talk)


# -- What can be done -------------------------------------------------------------------------------------------------


def test_the_verdict_is_written_as_the_command_does(folder: Path, talk_about: TalkAbout) -> None:
    """Into the note and its log, once the file is what the editor has, and never over what it has not saved."""
    note, log = folder / "session.md", folder / "state" / "calibration-log.jsonl"
    note.write_bytes(SESSION.replace("\n", "\r\n").encode())

    async def talk(editor: Editor, uri: str) -> None:
        await editor.open(uri, SESSION.replace("\n", "\r\n") + "[A_T]\r\n")
        await editor.run("mdtally.writeVerdict", uri)
        assert "save the text first" in editor.messages[-1]
        assert not log.exists()
        await editor.type(uri, SESSION.replace("\n", "\r\n"))
        [title] = await editor.commands(uri)
        assert title.endswith(": SYCOPHANTIC (suggestive, n=12, 9 to 53 %)")
        await editor.run("mdtally.writeVerdict", uri)
        assert editor.messages[-1].startswith("SYCOPHANTIC (suggestive, n=12, 9 to 53 %); written: its front")
        await editor.type(uri, note.read_bytes().decode())
        assert await editor.commands(uri) == []

    talk_about(talk)
    written = note.read_bytes()
    assert main(["verdict", "--check", str(note)]) == 0
    assert log.read_text().count("\n") == 1
    assert re.sub(rb"(verdict|calibration\w*): .*\r\n", b"", written) == SESSION.replace("\n", "\r\n").encode()


def test_a_verdict_is_taken_back_where_no_human_took_part(folder: Path, talk_about: TalkAbout) -> None:
    """The finding says to run `mdtally verdict`, and the editor offers it."""
    note = folder / "session.md"
    note.write_text(SESSION)
    main(["verdict", str(note)])
    note.write_text(note.read_text().replace("---\n", "---\nheadless: true\n", 1))

    async def talk(editor: Editor, uri: str) -> None:
        assert [found.code for found in await editor.open(uri, note.read_text())] == ["MDT206"]
        assert await editor.commands(uri) == ["Take the verdict out of the note and its log"]
        await editor.run("mdtally.writeVerdict", uri)
        assert "taken back" in editor.messages[-1]

    talk_about(talk)
    assert "\nverdict:" not in note.read_text()


def test_what_stands_between_is_shown_on_a_replys_label(folder: Path, talk_about: TalkAbout) -> None:
    """What the person brought and which tools were called; on other lines nothing."""
    text = "**Me:** Look at src/app.py.\n\n**Agent:** So it is.\n\n> read src/app.py\n\nFine.\n"

    async def talk(editor: Editor, uri: str) -> None:
        await editor.open(uri, text)
        assert "you brought a path; it read 1 file" in await editor.hover(uri, 2, 4)
        assert not await editor.hover(uri, 6, 2)

    talk_about(talk)


def test_what_a_note_says_is_inert(folder: Path, talk_about: TalkAbout) -> None:
    """A finding shows words of the note; nothing of them is a link, an image, a tag or a control character."""
    text = "[A_P]\n\n(A_P: ![x](http://evil.example) <img src=x>\x1b[31m)\n"

    async def talk(editor: Editor, uri: str) -> None:
        [found] = await editor.open(uri, text)
        assert "\x1b" not in found.message
        said = (await editor.hover(uri, 2, 3)).partition("\n\n---\n\n")[0]
        assert not re.search(r"(?<!\\)[\[\]!<>\x1b]|://", said)

    talk_about(talk)


def offers(text: str) -> tuple[EditorText, list[tuple[Edit, Problem]]]:
    """What is offered at the findings of a text that was never saved."""
    reading = EditorText(text, None, NEVER, PositionCodec())
    places = dict.fromkeys((problem.region.line, problem.region.column) for problem in reading.problems)
    return reading, list(dict.fromkeys(one for place in places for one in edits_between(reading, place, place)))


@pytest.mark.parametrize(("end", "position"), [("\n", (2, 0)), ("\r\n", (2, 0)), ("", (1, 5))])
def test_a_mended_last_line_leaves_no_line_more(end: str, position: tuple[int, int]) -> None:
    """Its edit ends behind its line end, which the new text has as well, or at the text's end."""
    reading = EditorText(f"Words\nWords{end}", None, NEVER, PositionCodec())
    assert reading.range(Region(2, 1, 3, 1)) == types.Range(types.Position(1, 0), types.Position(*position))


EXCUSED = {
    f"{rule.name} {number}": bad
    for rule in rules.TABLE
    for number, bad in enumerate(rule_examples.examples(rule, "Bad"), start=1)
}
EXCUSED["a line that a comment behind it makes another one"] = "[A_P: x]\n\nA_P ✓\n"


@pytest.mark.parametrize("text", EXCUSED.values(), ids=EXCUSED)
def test_an_excuse_excuses(text: str) -> None:
    """Each one that is offered for a bad example of a rule's page: that finding goes, and no other one comes."""
    reading, edits = offers(text)
    for edit, excused in edits:
        if edit.title.startswith("Excuse"):
            after, _ = offers(apply_edits(reading.document, [edit]))
            left = Counter(problem.rule for problem in after.problems)
            before = Counter(problem.rule for problem in reading.problems)
            assert left[excused.rule] < before[excused.rule]
            assert not left - before


# -- The golden conversation ------------------------------------------------------------------------------------------


def test_the_golden_conversation(folder: Path, talk_about: TalkAbout) -> None:
    """All answers about one log with tags, near misses, a failed tally and an untagged agreement; UPDATE_GOLDEN=1."""
    told: list[str] = []
    text = (PROJECT / "tests" / "golden" / "lsp-session.md").read_text()

    async def talk(editor: Editor, uri: str) -> None:
        told.append("The editor opens tests/golden/lsp-session.md.\n")
        await editor.open(uri, text)
        told.append(await editor.everything(uri))
        for title in ("Excuse MDT210 near-miss-tag", "Set "):
            action = next(one for one in await editor.all_actions(uri) if one.title.startswith(title))
            told.append(f"\nThe person chooses: {action.title}\n")
            await editor.apply(uri, action)
            told.append(await editor.summary(uri))

    talk_about(talk)
    said = "".join(told).replace(f"{folder}/session.md", "session.md")
    if UPDATE:
        GOLDEN.write_text(said)
    assert said == GOLDEN.read_text()
