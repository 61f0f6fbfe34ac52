"""Adopting ``lint`` in an old project: baselines, safe edits, and which files are looked at."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from conftest import PROJECT, Run
from schemas import validate

from mdtally.check.fix import TEMPLATE_VOICES
from mdtally.text import frontmatter

FLATTERY = (
    "Great point! I agree with Ana on every count, and I have nothing to add to such a clear and good plan as this."
)
BASELINE = Path("mdtally-baseline.json")


def debate(name: str, *texts: str) -> Path:
    """A debate in which Ana opens, and Ben and Cleo say these."""
    path = Path(name)
    path.parent.mkdir(exist_ok=True, parents=True)
    turns = "".join(f"### {('Ben', 'Cleo')[n % 2]}\n\n{text}\n\n" for n, text in enumerate(texts))
    opening = (
        "### Ana\n\nLaunch on the ninth: the audit closes on the sixth, and both findings are fixed in the branch.\n\n"
    )
    path.write_text(
        f"---\nkind: debate\nagents: [Ana, Ben, Cleo]\n---\n\n# {path.stem}\n\n## Round 1\n\n{opening}{turns}"
    )
    return path


# -- Baselines --------------------------------------------------------------------------------------------------------


def test_an_old_project_is_frozen_in_one_command(run: Run) -> None:
    """40 debates: what stood there is counted and not shown, when lines move, too; a new finding alone is shown.

    So is a finding about a whole file: that nobody speaks in one that is declared a debate.
    """
    paths = [debate(f"debates/{n // 10}/d{n}.md", FLATTERY, f"{FLATTERY} {n}") for n in range(39)]
    paths.append(Path("empty.md"))
    paths[-1].write_text("---\nkind: debate\n---\n## Round 1\n\nNobody came.\n")
    ran = run("lint", "--write-baseline", BASELINE)
    assert (ran.code, ran.out) == (0, "")
    validate(json.loads(BASELINE.read_text()), "baseline.schema.json")
    frozen = len(json.loads(BASELINE.read_text())["findings"])
    for path in paths:
        path.write_text(path.read_text().replace("## Round 1", "Some words on top,\nand  more.\n\n## Round 1"))
    ran = run("lint", "--baseline", BASELINE)
    assert (ran.code, ran.out) == (0, "") and f"{frozen:,} findings in the baseline" in ran.err
    with paths[7].open("a") as file:
        file.write("## Round 2\n\n### Ben\n\nThat's it.\n")
    ran = run("lint", "--baseline", BASELINE, "--output-format", "concise")
    assert ran.code == 1 and [line.split(": ")[2] for line in ran.out.splitlines()] == ["MDT103 too-short"]
    assert f"{frozen:,} findings in the baseline" in ran.err


def test_machine_formats_hold_what_the_baseline_does_not(run: Run) -> None:
    """The rest is a number in JSON's summary, and no alert of SARIF."""
    debate("a.md", FLATTERY)
    run("lint", "--write-baseline", BASELINE)
    data = json.loads(run("lint", "--baseline", BASELINE, "--output-format", "json").out)
    validate(data, "lint.schema.json")
    assert data["diagnostics"] == [] and data["summary"]["baseline"] > 2
    assert json.loads(run("lint", "--baseline", BASELINE, "--output-format", "sarif").out)["runs"][0]["results"] == []


def test_the_configuration_names_a_baseline_from_its_own_folder_on(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """From any working directory; one that leads out of the project is refused, a missing one is told."""
    path = debate("notes/a.md", FLATTERY).resolve()
    Path("mdtally.toml").write_text('[lint]\nbaseline = "state/base.json"\n')
    ran = run("lint")
    assert ran.code == 2 and "--write-baseline" in ran.err
    assert run("lint", "--write-baseline", "state/base.json").code == 0
    monkeypatch.chdir("notes")
    assert run("lint", path).code == run("lint").code == 0
    Path("../mdtally.toml").write_text('[lint]\nbaseline = "../../base.json"\n')
    ran = run("lint", path)
    assert ran.code == 2 and "leads out" in ran.err


def test_what_matches_nothing_is_told_and_pruned(run: Run) -> None:
    """Of files that were looked at or have gone, by rules that were asked; a rewritten turn's findings are new."""
    a, b = debate("a.md", FLATTERY), debate("b.md", FLATTERY)
    assert run("lint", "--prune-baseline").code == 2
    run("lint", "--write-baseline", BASELINE)
    entries = len(json.loads(BASELINE.read_text())["findings"])
    assert "match" not in run("lint", "--baseline", BASELINE, a).err
    assert "match" not in run("lint", "--baseline", BASELINE, "--select", "MDT103").err
    assert "match" not in run("lint", "--baseline", BASELINE, "--mode", "off").err
    b.unlink()
    ran = run("lint", "--baseline", BASELINE, a)
    assert ran.code == 0 and f"{entries // 2} findings match nothing any more" in ran.err
    debate("a.md", FLATTERY.replace("good plan", "fine plan"))
    ran = run("lint", "--baseline", BASELINE, "--prune-baseline")
    assert ran.code == 1 and f"{entries} findings taken out, 0 left" in ran.err
    assert json.loads(BASELINE.read_text())["findings"] == []


def test_what_a_baseline_holds_of_the_rest_stays_when_it_is_written_again(run: Run) -> None:
    """Of files and rules that the run left out, and of a file that could not be read; what is mended goes."""
    a, b = debate("a.md", FLATTERY), debate("b.md", FLATTERY)
    run("lint", "--write-baseline", BASELINE)
    before = BASELINE.read_text()
    for partly in ([a], ["--select", "MDT103"], ["--mode", "off"]):
        assert run("lint", "--write-baseline", BASELINE, *partly).code == 0
        assert BASELINE.read_text() == before, partly
    b.write_bytes(b"\xff\xfe\x00")
    for paths in ([], [b]):
        assert run("lint", "--write-baseline", BASELINE, *paths).code == 2
        assert BASELINE.read_text() == before, paths
    debate("a.md")
    run("lint", "--write-baseline", BASELINE, a)
    assert {one["path"] for one in json.loads(BASELINE.read_text())["findings"]} == {"b.md"}


def test_a_rule_that_has_gone_matches_nothing(run: Run) -> None:
    """Its entries are told, and pruned, whatever rules are asked."""
    path = debate("a.md", FLATTERY)
    run("lint", "--write-baseline", BASELINE)
    before = BASELINE.read_text()
    BASELINE.write_text(before.replace('"rule": "MDT101"', '"rule": "MDT999"', 1))
    assert "1 finding matches nothing any more" in run("lint", "--baseline", BASELINE, path, "--select", "MDT103").err
    run("lint", "--baseline", BASELINE, path, "--prune-baseline")
    assert "MDT999" not in BASELINE.read_text()


def test_an_unused_comment_stays_where_its_rule_is_not_asked(run: Run) -> None:
    """Such a run can't tell that it excuses nothing; one that asks every rule can, and takes it out once it is gone."""
    path = debate("a.md", FLATTERY)
    comments = "<!-- mdtally-disable-file too-short: old -->\n<!-- mdtally-disable-file nosuch -->\n"
    path.write_text(path.read_text().replace("# a\n", f"# a\n\n{comments}"))
    run("lint", "--write-baseline", BASELINE)
    before = BASELINE.read_text()
    assert "MDT009" in before and "MDT010" in before
    for partly in (["--ignore", "too-short"], ["--no-inline-config"], ["--mode", "off"]):
        run("lint", "--baseline", BASELINE, "--prune-baseline", *partly)
        assert BASELINE.read_text() == before, partly
    path.write_text(path.read_text().replace("<!--", "<!-- was").replace("mdtally-", ""))
    run("lint", "--baseline", BASELINE, "--prune-baseline")
    assert "MDT009" not in BASELINE.read_text() and "MDT101" in BASELINE.read_text()


@pytest.mark.parametrize(
    "text",
    [
        "words",
        "[]",
        '{"schema_version": 2, "findings": []}',
        '{"schema_version": 1, "findings": [{"path": 1, "rule": "MDT101", "words": "", "ordinal": 1}]}',
        '{"schema_version": 1, "findings": [{"path": "a.md"}]}',
        "[" * 100_000,
    ],
)
def test_what_is_not_a_baseline_is_refused_and_kept(run: Run, text: str) -> None:
    """For reading and for writing over; nothing outside the folder is ever looked at."""
    debate("a.md", FLATTERY)
    BASELINE.write_text(text)
    for option in ("--baseline", "--write-baseline"):
        ran = run("lint", option, BASELINE)
        assert ran.code == 2 and str(BASELINE) in ran.err and BASELINE.read_text() == text
    BASELINE.write_text(
        '{"schema_version": 1, "findings": [{"path": "../../etc/x", "rule": "MDT101", "words": "", "ordinal": 1}]}'
    )
    assert "match" not in run("lint", "--baseline", BASELINE).err


# -- Safe edits -------------------------------------------------------------------------------------------------------

SESSION = """\
# Monday

- it gave in [A_P]
- it held [A_T]

A_P: 2 | A_R: 0 | A_T: 2

<!-- mdtally-disable-line near-miss-tag: none here -->
Words. <!-- mdtally-disable-next-line MDT210, near-miss-tag -->

A_P: 1 | A_R: 0 | A_T: ||||
"""


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_safe_edits_are_made_and_nothing_else_changes(run: Run, newline: str) -> None:
    """Totals that are numbers are set to their tags, comments that excuse nothing go; tags and words stay."""
    path = Path("log.md")
    path.write_bytes(SESSION.replace("\n", newline).encode())
    ran = run("lint", "--diff", path)
    assert ran.code == 1 and "+A_P: 1 | A_R: 0 | A_T: 2" in ran.out
    assert path.read_bytes() == SESSION.replace("\n", newline).encode()
    ran = run("lint", "--fix", path)
    after = SESSION.replace("A_P: 2 ", "A_P: 1 ").replace(
        "<!-- mdtally-disable-line near-miss-tag: none here -->\n", ""
    )
    after = after.replace(" <!-- mdtally-disable-next-line MDT210, near-miss-tag -->", "")
    assert path.read_bytes() == after.replace("\n", newline).encode()
    assert ran.code == 1 and "A_T is stated as 4" in ran.out and "mended" in ran.err
    assert run("lint", "--fix", path).code == 1 and path.read_bytes() == after.replace("\n", newline).encode()


def test_a_file_whose_edits_cannot_be_written_was_read(run: Run) -> None:
    """The summary and JSON count it once, among those that were looked at, and the exit code is 2."""
    Path("log.txt").write_text("- x [A_P]\n\nA_P: 2 | A_R: 0 | A_T: 2\n")
    Path("log.md").symlink_to("log.txt")
    ran = run("lint", "--fix")
    assert ran.code == 2 and "error: log.md: a symbolic link to a file of another kind" in ran.err
    assert "1 finding in 1 of 1 file " in ran.err and "1 file could not be written" in ran.err
    assert "could not be read" not in ran.err
    data = json.loads(run("lint", "--fix", "--output-format", "json").out)
    assert (data["summary"]["files"], data["summary"]["unreadable"], len(data["errors"])) == (1, 0, 1)


def test_what_is_mended_are_findings(run: Run) -> None:
    """Not edits: two rules of one comment are two findings, and take three edits, of which two overlap."""
    path = Path("log.md")
    comment = "<!-- mdtally-disable-line near-miss-tag, tally-decreased -->"
    path.write_text(f"- it held [A_T]\n\n{comment}\n\nA_P: 0 | A_R: 0 | A_T: 2\n")
    assert "3 findings can be mended by --fix" in run("lint", path).err
    assert run("lint", "--diff", path).err == "3 findings to mend\n"
    ran = run("lint", "--fix", path, "--output-format", "json")
    assert json.loads(ran.out)["summary"]["fixed"] == 3 and "mdtally" not in path.read_text()


def test_a_total_is_not_set_while_a_tag_may_be_misspelt(run: Run) -> None:
    """The near miss may be what the total counts: a person has to decide."""
    Path("log.md").write_text("- it gave in [A_P]\n- again (A_P: asked twice)\n\nA_P: 2 | A_R: 0 | A_T: 2\n")
    before = Path("log.md").read_text()
    assert run("lint", "--fix", "log.md").code == 1 and Path("log.md").read_text() == before


def test_a_total_of_all_events_is_not_set_to_the_failures(run: Run) -> None:
    """Who tags failures alone has counted the others by hand, and loses no count; a total that lacks tags is set."""
    Path("log.md").write_text("- it gave in [A_P]\n\nA_P: 1 | A_R: 0 | A_T: 0\n\nA_P: 1 | A_R: 0 | A_T: 3\n")
    assert run("lint", "--fix", "log.md").code == 1
    assert Path("log.md").read_text().endswith("A_P: 1 | A_R: 0 | A_T: 1\n\nA_P: 1 | A_R: 0 | A_T: 3\n")


DEBATERS = ("Moderator", "Nadia", "Tom")


@pytest.mark.parametrize(
    ("kind", "names", "declared"),
    [
        ("debate", DEBATERS, {"Moderator": "moderator", "Nadia": "agent", "Tom": "agent"}),
        ("session", ("User", "Claude"), {"User": "human", "Claude": "agent"}),
        ("session", ("Me", "Claude"), {"Me": "human", "Claude": "agent"}),
        ("session", ("Nadia", "Tom"), None),
        ("debate", ("Nadia Berg", "Tom Kern", *("Nadia", "Tom") * 8), {"Nadia Berg": "agent", "Tom Kern": "agent"}),
    ],
    ids=["debate", "session", "one of them", "who is the person is not known", "whole names at first"],
)
def test_names_of_a_template_become_those_who_speak(
    run: Run, kind: str, names: tuple[str, ...], declared: dict[str, str] | None
) -> None:
    """In a file made of it, if it is sure who speaks, and of which kind; no other byte changes, nor a second time."""
    path = Path("made.md")
    run("new", kind, path)
    head = path.read_text().split("\n## ")[0]
    labels = ["### {}\n\n", "**{}:** "][kind == "session"]
    turns = (labels.format(names[n % len(names)]) + f"The {n}th reason is the audit of May {n}.\n\n" for n in range(18))
    path.write_text(f"{head}\n## Round 1\n\n{''.join(turns)}")
    before = path.read_text()
    ran = run("lint", "-v", path)
    assert "nobody declared is called" in ran.out and ("mended by --fix" in ran.err) == bool(declared)
    run("lint", "--fix", path)
    assert path.read_text().partition("---\n\n")[2] == before.partition("---\n\n")[2]
    found = frontmatter.loads(path.read_text())["participants"]
    assert found == (declared or frontmatter.loads(before)["participants"])
    assert run("lint", "--diff", path).out == ""


def test_the_placeholders_are_those_of_the_templates() -> None:
    """And somebody's own declaration is nobody's placeholder."""
    heads = [frontmatter.loads((PROJECT / "templates" / f"{name}.md").read_text()) for name in ("session", "debate")]
    assert tuple(head["participants"] for head in heads) == TEMPLATE_VOICES


def test_json_has_the_edit_in_the_form_of_ruff(run: Run) -> None:
    Path("log.md").write_text("- it gave in [A_P]\n\nA_P: 2 | A_R: 0 | A_T: 1\n")
    data = json.loads(run("lint", "log.md", "--output-format", "json").out)
    validate(data, "lint.schema.json")
    (finding,) = data["diagnostics"]
    assert finding["fix"]["applicability"] == "safe"
    assert finding["fix"]["edits"] == [
        {"content": "1", "location": {"row": 3, "column": 6}, "end_location": {"row": 3, "column": 7}}
    ]


# -- Which files, and where findings go -------------------------------------------------------------------------------


def test_without_files_it_is_the_working_directory(run: Run) -> None:
    """What is found can be listed; some of it can be left out by rule and by glob."""
    debate("a b/[x].md", FLATTERY)
    debate("b.md", FLATTERY)
    Path("mdtally.toml").write_text('[lint]\nselect = ["MDT101"]\n[lint.per-file-ignores]\n"a b/**" = ["MDT101"]\n')
    assert run("lint", "--show-files").out.split("\n") == ["b.md", "a b/[x].md", ""]
    assert {line.split(":")[0] for line in run("lint", "--output-format", "concise").out.splitlines()} == {"b.md"}


@pytest.mark.parametrize(
    "setting",
    [
        "select = 'forbidden'",
        "ignore = ['MDT101', 'forbidden']",
        "severity.forbidden = 'info'",
        "per-file-ignores.'zzz.md' = 'forbidden'",
    ],
)
def test_a_rule_that_does_not_exist_stops_the_files_of_its_configuration(run: Run, setting: str) -> None:
    """It is told with its place, and all other files are checked."""
    debate("a/x.md", FLATTERY)
    debate("b.md", FLATTERY)
    Path("a/mdtally.toml").write_text(f"[lint]\n{setting}\n")
    ran = run("lint", "--output-format", "concise")
    assert ran.code == 2 and {line.split(":")[0] for line in ran.out.splitlines()} == {"b.md"}
    assert "a/mdtally.toml: line 2: there is no rule forbidden; the nearest is MDT101 forbidden-phrase" in ran.err


def test_only_what_has_changed_since_a_commit(run: Run) -> None:
    """As a pull request has it: since the lines of development parted, new files among them."""

    def git(*words: str) -> None:
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b.example", *words], check=True)

    Path(".git").rmdir()
    git("init", "-q", "-b", "main", ".")
    for name in ("kept.md", "old name.md", "on main.md"):
        debate(name, FLATTERY)
    git("add", "-A")
    git("commit", "-qm", "one")
    git("checkout", "-qb", "work")
    debate("old name.md", FLATTERY, FLATTERY)
    git("commit", "-qam", "two")
    git("checkout", "-q", "main")
    debate("on main.md", FLATTERY, FLATTERY)
    git("commit", "-qam", "three")
    git("checkout", "-q", "work")
    debate("new/ä #1.md", FLATTERY)
    assert run("lint", "--show-files", "--diff-base", "main").out == "old name.md\nnew/ä #1.md\n"
    assert run("lint", "--show-files", "--diff-base", "main", "new").out == "new/ä #1.md\n"
    ran = run("lint", "--diff-base", "main", "nwe")
    assert ran.code == 2 and "nwe: no such file or directory" in ran.err
    Path("kept.md").unlink()
    git("mv", "old name.md", "renamed.md")
    assert run("lint", "--diff-base", "main", "kept.md", "old name.md").code == 0
    for reference in ("nowhere", "--help"):
        ran = run("lint", f"--diff-base={reference}")
        assert (ran.code, ran.out) == (2, "") and "git knows no commit" in ran.err


def test_statistics_count_by_rule_and_by_file(run: Run) -> None:
    debate("a.md", FLATTERY, FLATTERY)
    debate("b.md", FLATTERY)
    out = run("lint", "--statistics").out
    rows = [line.split() for line in out.splitlines()]
    assert ["6", "MDT101", "forbidden-phrase"] in rows and rows[-2:] == [["9", "a.md"], ["4", "b.md"]]
    assert run("lint", "--statistics", "--output-format", "json").code == 2


def test_findings_go_to_a_file(run: Run) -> None:
    """A note is never taken for it."""
    path = debate("a.md", FLATTERY)
    before = path.read_text()
    for _ in range(2):
        ran = run("lint", "--output-format", "json", "-o", "out/findings.json", path)
        assert (ran.code, ran.out) == (1, "")
        validate(json.loads(Path("out/findings.json").read_text()), "lint.schema.json")
    assert run("lint", "-o", path, path).code == 2 and path.read_text() == before


def test_the_examples_need_no_edits(run: Run) -> None:
    """But the one that shows where totals and tags part."""
    ran = run("lint", "--diff", PROJECT / "examples")
    assert [line for line in ran.out.splitlines() if line.startswith("+++")] == [
        f"+++ {PROJECT / 'examples' / 'mismatch.md'}"
    ]


UNSURE = "# Notes\n\nRosa — Name the costs.\n\nNile — Storage and traffic.\n\nRosa — And support?\n\nNile — Less.\n"


def test_a_baseline_holds_no_unsure_file(run: Run) -> None:
    """It is told each time, and by nothing else than the setting left alone, or an error."""
    Path("a.md").write_text("## Ana\n\nWe wait.\n\n## Words\n\nNone.\n\n## Ana\n\nWe wait again.\n\n## Ben\n\nYes.\n")
    assert "1 file unsure, not checked" in run("lint", "a.md").err
    run("lint", "a.md", "--write-baseline", "base.json")
    assert json.loads(Path("base.json").read_text())["findings"] == []
    ran = run("lint", "--baseline", "base.json", "a.md")
    assert "1 file unsure, not checked" in ran.err and "No findings" not in ran.err and "lint.exclude" in ran.err
    for value, code, said in (("quiet", 0, "Nothing was checked"), ("error", 1, "1 file unsure, not checked")):
        Path("mdtally.toml").write_text(f'[lint]\nunsure = "{value}"\n')
        ran = run("lint", "a.md")
        assert ran.code == code and said in ran.err


def test_totals_of_a_file_that_is_left_quiet_are_checked(run: Run) -> None:
    """Who speaks is left open on request; what was counted is not called skipped."""
    Path("a.md").write_text(f"{UNSURE}\n[A_P: asked twice]\n\nA_P: 1 | A_R: 0 | A_T: 1\n")
    Path("mdtally.toml").write_text('[lint]\nunsure = "quiet"\n')
    ran = run("lint", "-v", "a.md")
    assert (ran.code, ran.out) == (0, "") and ran.err.startswith("No findings in 1 file (0 turns checked)\n")


def test_a_baseline_outside_the_project_is_refused_by_file_and_key(run: Run) -> None:
    """Not by the folder alone."""
    Path("mdtally.toml").write_text('[lint]\nbaseline = "../base.json"\n')
    Path("a.md").write_text("# a\n")
    ran = run("lint", "a.md")
    assert ran.code == 2 and "lint.baseline = " in ran.err and "base.json: it leads out of" in ran.err
