"""The Python functions say what the commands say; a file and its text say the same."""

from __future__ import annotations

import json
import re
from pathlib import Path

import frontmatter
import pytest
from conftest import PROJECT, Run

import mdtally

EXAMPLES = PROJECT / "examples"


def test_every_public_name_is_there_and_explained() -> None:
    """Each can be imported, and its first line says what it is."""
    for name in mdtally.__all__:
        value = getattr(mdtally, name)
        assert name.startswith("__") or (value.__doc__ or "").strip()
    assert dir(mdtally) == sorted(mdtally.__all__)


def test_the_page_has_every_public_name_once() -> None:
    """In its table, which holds nothing else."""
    page = (PROJECT / "docs" / "python.md").read_text("utf-8")
    names = re.findall(r"^\| `(\w+)", page, re.M)
    assert sorted(names) == [name for name in sorted(mdtally.__all__) if not name.startswith("__")]


def test_a_session_as_the_command_has_it(run: Run) -> None:
    """The same seven fields; and the thresholds of the file's configuration."""
    path = Path("s.md")
    path.write_text("---\nsession: s1\n---\nA_P: 3 | A_R: 1 | A_T: 12\n")
    Path("mdtally.toml").write_text('sycophancy-ceiling = "30%"\n')
    session = mdtally.read_session(path)
    shown = json.loads(run("verdict", "--diff", "--output-format", "json", path).out)["files"][0]
    assert session.verdict is not None and session.verdict.as_dict() == shown["verdict"]
    assert (session.judgement.name, session.verdict["verdict"]) == ("s1", "CALIBRATED")
    assert mdtally.read_session(text=path.read_text()).verdict != session.verdict
    assert mdtally.read_session(path, config="").verdict == mdtally.read_session(text=path.read_text()).verdict
    assert mdtally.read_session(text=path.read_text(), config='sycophancy-ceiling = "30%"\n').verdict == session.verdict


def test_a_note_is_a_post_too() -> None:
    """python-frontmatter's own, that gives the file back with what was changed, and nothing else changed."""
    path = EXAMPLES / "session.md"
    session = mdtally.read_session(path)
    assert isinstance(session.post, frontmatter.Post)
    assert frontmatter.dumps(session.post) == path.read_text()
    session.post["model"] = "another"
    assert frontmatter.dumps(session.post) == path.read_text().replace("claude-sonnet", "another")
    debate = mdtally.read_transcript(text="---\nkind: debate # mine\n---\n\nWords.\n")
    assert (debate.post["kind"], debate.post.content, debate.turns) == ("debate", "\nWords.\n", ())


def test_what_does_not_reconcile_has_no_verdict() -> None:
    """The problem says where and why."""
    session = mdtally.read_session(EXAMPLES / "mismatch.md")
    assert session.verdict is None
    assert [(problem.rule, problem.severity) for problem in session.problems] == [("tally-mismatch", "error")]


def test_turns_and_findings_as_the_commands_have_them(run: Run) -> None:
    """From the file, and from its text."""
    path = EXAMPLES / "debate-flagged.md"
    transcript = mdtally.read_transcript(path).transcript
    assert transcript == mdtally.read_transcript(text=path.read_text()).transcript
    shown = json.loads(run("turns", "--output-format", "json", path).out)["files"][0]["turns"]
    assert [turn["speaker"] for turn in shown] == [turn.speaker for turn in transcript.turns]
    findings = mdtally.lint_markdown(path)
    assert findings == mdtally.lint_markdown(text=path.read_text()) != ()
    shown = json.loads(run("lint", "--output-format", "json", path).out)["diagnostics"]
    assert [(one["name"], one["location"]["row"]) for one in shown] == [(p.rule, p.region.line) for p in findings]
    assert mdtally.lint_markdown(text="# Words\n\nNothing else.\n") == ()


def test_a_transcript_is_read_by_the_configured_form(run: Run) -> None:
    """As `turns` reads it: by the pattern that the configuration has for such files."""
    Path("d.md").write_text("== Ana ==\n\nThe ninth is too early.\n\n== Ben ==\n\nNo, it is not.\n")
    Path("mdtally.toml").write_text('[[transcript]]\nfiles = "*.md"\nturn = "== {speaker} =="\n')
    assert [turn.speaker for turn in mdtally.read_transcript("d.md").turns] == ["Ana", "Ben"]


def test_what_holds_for_the_commands_holds_here(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """The user's own configuration, also where the project has one, and the baseline; not with `config=`."""
    own = Path("own/mdtally/mdtally.toml")
    own.parent.mkdir(parents=True)
    own.write_text('sycophancy-ceiling = 0.9\nlint.exclude = "own"\n')
    monkeypatch.setenv("XDG_CONFIG_HOME", str(Path("own").resolve()))
    Path("s.md").write_text("A_P: 3 | A_R: 0 | A_T: 12\n")
    for _ in range(2):
        found = mdtally.read_session("s.md").verdict, mdtally.read_session("s.md", config="").verdict
        assert [verdict and verdict.verdict for verdict in found] == ["CALIBRATED", "SYCOPHANTIC"]
        Path("mdtally.toml").write_text('lint.baseline = "base.json"\n')
    Path("d.md").write_text((EXAMPLES / "debate-flagged.md").read_text())
    with pytest.raises(OSError, match="no such baseline"):
        mdtally.lint_markdown("d.md")
    run("lint", "--write-baseline", "base.json", "d.md")
    assert all(one.severity == "info" for one in mdtally.lint_markdown("d.md"))
    assert mdtally.lint_markdown("d.md", config="") == mdtally.lint_markdown(text=Path("d.md").read_text()) != ()


def test_a_log_and_its_torn_line(run: Run) -> None:
    """Records in order, the newest of a session, and what is no record."""
    path, log = Path("s.md"), Path("state/calibration-log.jsonl")
    path.write_text("---\nsession: s1\n---\nA_P: 3 | A_R: 1 | A_T: 12\n")
    run("verdict", path)
    path.write_text(path.read_text().replace("A_P: 3 |", "A_P: 1 |"))
    run("verdict", path)
    log.write_text(log.read_text() + '{"verdict": "CAL')
    found = mdtally.read_log(log)
    assert [record.A_P for record in found.records] == [3, 1]
    assert {name: record.A_P for name, record in found.newest.items()} == {"s1": 1}
    assert {line: bad.kind for line, bad in found.bad.items()} == {3: "torn"}


def test_what_can_not_be_read_is_an_exception(tmp_path: Path) -> None:
    """Missing files, no text, and a broken configuration."""
    for read in (mdtally.read_session, mdtally.read_transcript, mdtally.lint_markdown, mdtally.read_log):
        with pytest.raises(OSError, match="no such file"):
            read(tmp_path / "missing")
    (tmp_path / "x.md").write_bytes(b"\x89PNG\0\0")
    with pytest.raises(ValueError, match="not a text file"):
        mdtally.read_session(tmp_path / "x.md")
    with pytest.raises(ValueError, match="ceilng"):
        mdtally.read_session(text="", config="ceilng = 1\n")
    with pytest.raises(TypeError, match="not both"):
        mdtally.read_session("s.md", text="")
    with pytest.raises(ValueError, match="not text: character 2 is half a surrogate pair"):
        mdtally.read_session(text="a\ud800")
    records = mdtally.read_log(EXAMPLES / "calibration-log.jsonl").records
    for ceiling in (20, -1, float("nan")):
        with pytest.raises(ValueError, match=r"the ceiling is .*; it must lie between 0 and 1"):
            mdtally.history(records, ceiling=ceiling)
    with pytest.raises(ValueError, match=r"a whole number, not 1\.5"):
        mdtally.history(records, window=1.5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="A_P is True; a count is a whole number"):
        mdtally.calibrate_counts(True, 0, 3)
    with pytest.raises(AttributeError, match="no attribute"):
        mdtally.nothing  # noqa: B018
