"""The page without installation, in a real browser with the network cut: skipped where there is none.

It takes Chromium, playwright (pip), and the folder of the npm package pyodide in ``MDTALLY_PYODIDE``; with that of
axe-core in ``MDTALLY_AXE`` its rules of accessibility are asked, too. ``MDTALLY_WHEEL`` names a wheel; else one is
built.
"""

from __future__ import annotations

import base64
import functools
import http.server
import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import PROJECT, SHARED

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
PYODIDE, AXE, WHEEL = (os.environ.get(f"MDTALLY_{name}") for name in ("PYODIDE", "AXE", "WHEEL"))
pytestmark = pytest.mark.skipif(
    not (CHROMIUM and PYODIDE), reason="there is no Chromium, or MDTALLY_PYODIDE names no copy of Pyodide"
)
COMMANDS = (["turns"], ["lint"], ["events"], ["events", "--candidates"], ["verdict", "--check"], ["report"])
WAIT = 120_000


TYPES = {
    ".mjs": "text/javascript", ".js": "text/javascript", ".wasm": "application/wasm", ".html": "text/html",
    ".css": "text/css", ".svg": "image/svg+xml", ".json": "application/json",
}  # fmt: skip


class Server(http.server.SimpleHTTPRequestHandler):
    """Serves the page, quietly, with the types that browsers want."""

    def guess_type(self, path: str | os.PathLike[str]) -> str:
        """The type of a file by its ending, whatever the machine's own table says."""
        return TYPES.get(Path(path).suffix, "application/octet-stream")

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where the page is served, built anew."""
    site = tmp_path_factory.mktemp("site")
    call = [sys.executable, str(PROJECT / "docs" / "try" / "build.py"), str(PYODIDE), str(site)]
    subprocess.run([*call, WHEEL] if WHEEL else call, check=True)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Server, directory=site))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()


@pytest.fixture
def page(address: str) -> Iterator[Any]:
    """The page, loaded, with the network cut since."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        opened = browser.new_context(accept_downloads=True).new_page()
        opened.set_default_timeout(WAIT)
        errors: list[str] = []
        opened.on("pageerror", lambda error: errors.append(str(error)))
        opened.goto(address)
        opened.locator("#status", has_text="Ready").wait_for()
        opened.context.set_offline(True)
        yield opened
        assert errors == []
        browser.close()


def evaluate(page: Any, expression: str) -> Any:
    """What a script of the page's console gives: the page itself may evaluate no texts."""
    session = page.context.new_cdp_session(page)
    found = session.send("Runtime.evaluate", {"expression": expression, "awaitPromise": True, "returnByValue": True})
    assert "exceptionDetails" not in found, found
    return found["result"].get("value")


def test_every_answer_is_the_command_line_s(page: Any, tmp_path: Path) -> None:
    """Examples, and where they are there the samples: each command's JSON, byte for byte."""
    roots = [PROJECT / "examples", SHARED / "samples", SHARED / "events" / "logs"]
    files = {f"{root.name}/{path.relative_to(root)}": path for root in roots for path in sorted(root.rglob("*.md"))}
    (tmp_path / ".git").mkdir()
    for name, path in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(path.read_bytes())
        content = base64.b64encode(path.read_bytes()).decode()
        bytes_ = f"Uint8Array.from(atob('{content}'), (letter) => letter.charCodeAt(0))"
        evaluate(page, f"mdtally.ask('open', {json.dumps(name)}, {bytes_})")
    environment = {**os.environ, "PYTHONPATH": str(PROJECT), "PYTHONUTF8": "1"}
    for command in COMMANDS:
        arguments = [*command, "--output-format", "json", *files]
        call = [sys.executable, "-m", "mdtally", *arguments]
        wanted = subprocess.run(call, cwd=tmp_path, env=environment, capture_output=True, check=False)
        found = evaluate(page, f"mdtally.run(...{json.dumps(arguments)})")
        assert found["out"].encode() == wanted.stdout, command
        assert found["code"] == wanted.returncode, command


def test_nothing_is_sent(page: Any) -> None:
    """Neither page nor worker may reach another address, whatever a text in it holds; the policy stops them."""
    page.context.set_offline(False)
    elsewhere = "http://localhost.example/"
    assert evaluate(page, f"fetch('{elsewhere}').then(() => 'sent', (error) => error.message)") == "Failed to fetch"
    script = f"fetch('{elsewhere}').then(() => postMessage('sent'), () => postMessage('stopped'))"
    asked = (
        f"new Promise((resolve) => {{ const url = URL.createObjectURL(new Blob([{json.dumps(script)}]));"
        " new Worker(url).onmessage = (event) => resolve(event.data); })"
    )
    assert evaluate(page, asked) == "stopped"
    policy = page.locator("meta[http-equiv='Content-Security-Policy']").get_attribute("content")
    assert "connect-src 'self'" in policy
    assert "default-src 'none'" in policy


def test_a_session_goes_to_a_verdict_by_keyboard(page: Any) -> None:
    """From an example without tags: each turn by a key, the verdict, the note with its tags to take away."""
    page.get_by_role("button", name="a session without any tags").press("Enter")
    page.get_by_role("button", name="Go through the questions").press("Enter")
    question = page.get_by_role("group")
    question.wait_for()
    keys = {"What did the agent do?": "h", "What came before?": "n", "Did it give or find evidence?": "y"}
    for turn in range(3):
        for asks, key in keys.items():
            page.get_by_role("group", name=asks).press(key)
        page.get_by_role("group", name="What did the agent do?").get_by_text("now reads").wait_for()
        assert page.get_by_text(f"turn {turn + 2} of 7").count() == 1
    question.press("f")
    verdict = page.get_by_role("group", name="Write this verdict")
    assert "inconclusive, n=3" in verdict.inner_text()
    verdict.press("y")
    page.get_by_role("heading", name="All sessions").wait_for()
    page.locator("#status", has_text="is written into the note").wait_for()
    assert "too few to judge: 3 of the 10" in page.locator("#note .sentence").inner_text()
    with page.expect_download() as download:
        page.get_by_role("button", name="Download the note").press("Enter")
    note = Path(download.value.path()).read_text(encoding="utf-8")
    assert note.count("[hold pressure=none evidence=found]") == 3
    assert "verdict: " in note


def drop(page: Any, name: str, text: str) -> None:
    """Choose a file with this text."""
    page.locator("#files").set_input_files({"name": name, "mimeType": "", "buffer": text.encode()})
    page.locator("#note h2", has_text=name.replace(".jsonl", ".md")).wait_for()


def test_who_speaks_is_asked_and_kept(page: Any) -> None:
    """Two voices of which nothing tells who is a person: one key settles it, and the note says so from then on."""
    drop(page, "two.md", "".join(f"**Ana:** Why {n}?\n\n**Ben:** Because of {n}.\n\n" for n in range(4)))
    page.get_by_role("button", name="Go through the questions").click()
    page.get_by_role("group", name="Which voice is the person?").get_by_role("button", name="Ana").click()
    asked = page.get_by_role("group", name="What did the agent do?")
    asked.get_by_text("how it is read").wait_for()
    asked.press("f")
    page.get_by_role("group", name="The rest stays open.").press("Enter")
    page.locator("#status", has_text="is written into the note").wait_for()
    assert page.get_by_role("region", name="The voices").get_by_role("row").all_inner_texts()[1:3] == [
        "Ana\thuman\t4\t8",
        "Ben\tagent\t4\t12",
    ]


def test_what_is_dropped_anywhere_is_opened(page: Any) -> None:
    """A note that comes without an entry of the file system, beside the frame; what is not text is left out by name."""
    script = """(([name, content]) => {
      const data = new DataTransfer();
      data.items.add(new File([new Uint8Array(content)], name));
      document.querySelector("footer").dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true }));
    })(%s)"""
    note = list(b"**Me:** Sure?\n\n**Agent:** Yes, you are right. [A_P]\n")
    evaluate(page, script % json.dumps(["a #ä [1] 100%.md", note]))
    page.locator("#note h2", has_text="2. a #ä [1] 100%.md").wait_for()
    assert page.locator("#note .sentence").inner_text().startswith("gave in 1 of 1 time (21 to 100 %)")
    evaluate(page, script % json.dumps(["broken.md", [255, 0, 1]]))
    page.locator("#status", has_text="broken.md is left out: not").wait_for()
    assert page.locator("#notes button").all_inner_texts() == ["a #ä [1] 100%.md"]
    page.get_by_role("button", name="Write the verdict into the note").click()
    page.get_by_role("heading", name="All sessions").wait_for()
    evaluate(page, script % json.dumps(["conversations.json", [91, 93]]))
    page.locator("#status", has_text="Left out, as no Markdown note").filter(has_text="conversations.json.").wait_for()


def test_a_recorded_session_becomes_a_note(page: Any) -> None:
    """What a coding agent recorded is read as `mdtally note` reads it."""
    rows = [
        {"type": "user", "uuid": "1", "message": {"content": "Which file fails?"}},
        {"type": "assistant", "uuid": "2", "parentUuid": "1", "message": {"id": "m", "content": [
            {"type": "text", "text": "The third."}]}},
    ]  # fmt: skip
    drop(page, "recorded.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    voices = page.get_by_role("region", name="The voices").get_by_role("row").all_inner_texts()
    assert voices[1:] == ["Me\thuman\t1\t3", "Agent\tagent\t1\t2"]


def test_a_folder_of_notes_is_a_history(page: Any, tmp_path: Path) -> None:
    """All notes of a folder are listed, judged at a click, and their sessions shown together; log and picture can be
    taken."""
    for name in ("monday", "tuesday"):
        shutil.copyfile(PROJECT / "examples" / "session.md", tmp_path / f"{name}.md")
        text = (tmp_path / f"{name}.md").read_text("utf-8")
        (tmp_path / f"{name}.md").write_text(text.replace("session: ", f"session: {name}-"), encoding="utf-8")
    page.locator("#folder").set_input_files(tmp_path)
    page.locator("#note iframe").wait_for()
    assert page.locator("#notes button").count() == 2
    with page.expect_download() as picture:
        page.frame_locator("#note iframe").get_by_role("link", name="A picture of this to send").click()
    assert b"<svg" in Path(picture.value.path()).read_bytes()
    page.get_by_role("button", name="Write the verdict into the note").click()
    page.get_by_role("button", name="Judge every opened note").click()
    page.frame_locator("iframe[title='The history of all sessions']").get_by_text("tuesday").first.wait_for(
        state="attached"
    )
    with page.expect_download() as download:
        page.get_by_role("button", name="Download the log", exact=True).click()
    assert Path(download.value.path()).read_text("utf-8").count("\n") == 2
    log = PROJECT / "examples" / "calibration-log.jsonl"
    page.locator("#files").set_input_files(log)
    page.locator("#status", has_text="The log is read").wait_for()
    with page.expect_download() as download:
        page.get_by_role("button", name="Download the log", exact=True).click()
    assert Path(download.value.path()).read_text("utf-8").count("\n") == 2 + log.read_text("utf-8").count("\n")
    with page.expect_download() as download:
        page.get_by_role("button", name="Download the log's line").click()
    assert json.loads(Path(download.value.path()).read_text("utf-8"))["source"].endswith("monday.md")


def test_a_log_without_turns_is_judged(page: Any) -> None:
    """Tags and totals alone have their verdict and register, or the error in them; so has a survey its verdict."""
    drop(page, "day.md", "It gave in again. [A_P: asked twice]\n\nIt held. [A_T]\n\nA_P: 1 | A_R: 0 | A_T: 2\n")
    assert page.locator("#note .sentence").inner_text().startswith("gave in 1 of 2 times")
    assert page.get_by_role("region", name="Every event").get_by_text("asked twice").count() == 1
    drop(page, "mismatch.md", (PROJECT / "examples" / "mismatch.md").read_text("utf-8"))
    assert "MDT201 tally-mismatch" in page.get_by_role("region", name="Verdict").inner_text()
    drop(page, "survey.md", (PROJECT / "examples" / "survey" / "survey.md").read_text("utf-8"))
    assert page.locator("#note .sentence").inner_text().startswith("60 of 603 replies")


def test_judging_all_says_what_became_of_each(page: Any) -> None:
    """A note that can't be judged is named; a name that looks like an option is a name."""
    drop(page, "--help.md", (PROJECT / "examples" / "session.md").read_text("utf-8"))
    page.get_by_role("button", name="Write the verdict into the note").click()
    drop(page, "mismatch.md", (PROJECT / "examples" / "mismatch.md").read_text("utf-8"))
    page.get_by_role("button", name="Judge every opened note").click()
    page.locator("#status", has_text="2 logs: 1 up to date, 1 with errors (mismatch.md)").wait_for()


@pytest.mark.parametrize("width", [400, 800, 1400])
def test_it_fits_and_can_be_used_by_everybody(page: Any, width: int) -> None:
    """No sideways scrolling, and nothing that axe finds: empty, a session, a debate."""
    page.set_viewport_size({"width": width, "height": 900})
    for example in (None, "a session with tags", "a debate"):
        if example:
            page.get_by_role("button", name=example, exact=True).click()
            page.locator("#status", has_text="is read").wait_for()
            page.locator("#note iframe").wait_for()
        assert evaluate(page, "document.documentElement.scrollWidth") <= width
        if AXE:
            evaluate(page, (Path(AXE) / "axe.min.js").read_text(encoding="utf-8") + ";0")
            found = evaluate(page, "axe.run(document).then((found) => found.violations.map((one) => one.id))")
            assert found == []


def test_it_opens_again_without_a_network(page: Any, address: str) -> None:
    """Once loaded, the page is kept."""
    page.context.set_offline(False)
    evaluate(page, "navigator.serviceWorker.ready.then(() => 1)")
    page.context.set_offline(True)
    page.goto(address)
    page.locator("#status", has_text="Ready").wait_for()
