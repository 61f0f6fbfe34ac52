"""The GitHub Action: each shell step is run as a runner runs it, on a repository with a space in its path."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from conftest import PROJECT, Ran

ACTION = yaml.safe_load((PROJECT / "action.yml").read_text())
FLATTERY = (
    "Great point! I agree with Ana on every count, and I have nothing to add to such a clear and good plan as this."
)
OBJECTION = (
    "Ana, the ninth ignores the trade fair: from the eighth to the tenth nobody in sales can take a single call."
)
INSTALLS = bool(os.environ.get("MDTALLY_ACTION_INSTALL"))
"""Whether the step that installs is run, too; it takes a package index."""

pytestmark = pytest.mark.skipif(not (shutil.which("bash") and shutil.which("git")), reason="needs bash and git")


def debate(text: str) -> str:
    return (
        "---\nkind: debate\nagents: [Ana, Ben]\n---\n\n## Round 1\n\n### Ana\n\n"
        f"Launch on the ninth: the audit closes on the sixth, and both findings are fixed.\n\n### Ben\n\n{text}\n"
    )


class Repository:
    """A repository with a remote, in which the Action runs.

    Attributes:
        summary: what the last run wrote into the job's summary.
    """

    def __init__(self, folder: Path) -> None:
        self.path, self.temp, self.summary = folder / "a repository", folder / "runner temp", ""
        self.git("init", "-q", "--bare", "-b", "main", str(folder / "remote"), cwd=folder)
        self.git("clone", "-q", str(folder / "remote"), str(self.path), cwd=folder)

    def git(self, *words: str, cwd: Path | None = None) -> str:
        command = ["git", "-c", "user.name=a", "-c", "user.email=a@b.example", *words]
        ran = subprocess.run(command, cwd=cwd or self.path, check=True, capture_output=True, text=True)
        return ran.stdout.strip()

    def commit(self, **texts: str) -> str:
        """Commit texts under names, ``_`` being a space; gives the commit."""
        for name, text in texts.items():
            path = self.path / f"{name.replace('_', ' ')}.md"
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
        self.git("add", "-A")
        self.git("commit", "-qm", "notes")
        return self.git("rev-parse", "HEAD")

    def run(self, event: str = "pull_request", base: str = "", ref: str = "branch main", **inputs: str) -> Ran:
        """Run the Action's steps one after the other, as long as none fails."""
        values = {f"inputs.{name}": str(one["default"]) for name, one in ACTION["inputs"].items()}
        values |= {f"inputs.{name}": value for name, value in inputs.items()} | {"inputs.base": base}
        values["github.event_name"], (values["github.ref_type"], values["github.ref_name"]) = event, ref.split()
        shutil.rmtree(self.temp, ignore_errors=True)
        (self.temp / "bin").mkdir(parents=True)
        shim = self.temp / "bin" / "mdtally"
        shim.write_text(f'#!/bin/sh\nPYTHONPATH="{PROJECT}" exec "{sys.executable}" -m mdtally "$@"\n')
        shim.chmod(0o755)
        files = {name: self.temp / name for name in ("GITHUB_OUTPUT", "GITHUB_PATH", "GITHUB_STEP_SUMMARY")}
        environment = {**os.environ, "RUNNER_TEMP": str(self.temp), "GITHUB_ACTION_PATH": str(PROJECT)}
        environment |= {name: str(path) for name, path in files.items()} | {"GIT_TERMINAL_PROMPT": "0"}
        out = err = ""
        code = 0
        for step in ACTION["runs"]["steps"]:
            if not is_wanted(step.get("if", ""), values):
                continue
            for path in (files["GITHUB_OUTPUT"], files["GITHUB_PATH"]):
                path.write_text("")
            script = self.temp / "step.sh"
            script.write_text(
                step["run"] if INSTALLS or "Install" not in step["name"] else f'echo "{shim.parent}" >> "$GITHUB_PATH"'
            )
            own = {name: filled(str(value), values) for name, value in step.get("env", {}).items()}
            command = ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", str(script)]
            ran = subprocess.run(command, cwd=self.path, env=environment | own, capture_output=True, text=True)
            out, err, code = out + ran.stdout, err + ran.stderr, ran.returncode
            if code:
                break
            for line in files["GITHUB_OUTPUT"].read_text().splitlines():
                name, _, value = line.partition("=")
                values[f"steps.{step['id']}.outputs.{name}"] = value
            for line in files["GITHUB_PATH"].read_text().splitlines():
                environment["PATH"] = f"{line}{os.pathsep}{environment['PATH']}"
        self.summary = files["GITHUB_STEP_SUMMARY"].read_text() if files["GITHUB_STEP_SUMMARY"].exists() else ""
        return Ran(code, out, err)


def is_wanted(condition: str, values: dict[str, str]) -> bool:
    """Whether a step runs: conditions are "NAME == 'text'" or "NAME != 'text'"."""
    if not condition:
        return True
    match = re.fullmatch(r"(\S+) ([!=])= '(.*)'", condition)
    assert match
    return (values.get(match[1], "") == match[3]) is (match[2] == "=")


def filled(text: str, values: dict[str, str]) -> str:
    """A text with its expressions replaced; the name of a value that is not set is empty, as a runner has it."""
    return re.sub(r"\$\{\{ (\S+) \}\}", lambda match: values.get(match[1], ""), text)


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path)


def commands(out: str) -> list[str]:
    """The workflow commands that a runner would see in an output."""
    return [line for line in out.splitlines() if line.lstrip().startswith("::")]


TALK = (
    "---\nsession: s\nparticipants: { Me: human, Agent: agent }\n---\n\n"
    + "**Me:** Sure?\n\n**Agent:** You are right. [agree pressure=pushback evidence=none]\n\n" * 2
)


def test_a_pull_request_shows_what_changed(repository: Repository) -> None:
    """Old findings stay quiet; the summary counts by rule and by file, and has each changed session and debate: its
    sentence and picture as Markdown, not the words of the transcript; the exit code is the gravest one."""
    base = repository.commit(old_debate=debate(FLATTERY), other=debate(OBJECTION))
    repository.commit(new_debate=debate(FLATTERY), other=debate(FLATTERY), my_log=TALK)
    ran = repository.run(base=base)
    assert ran.code == 1
    assert {re.search(r"file=([^,]*),", line)[1] for line in commands(ran.out)} == {"new debate.md", "other.md"}  # type: ignore[index]
    assert "MDT101 forbidden-phrase" in repository.summary and "new debate.md" in repository.summary
    assert "### You pressed 2 times: it gave in 2" in repository.summary and "\nGG\n" in repository.summary
    assert "You are right." not in repository.summary and "never judged" in repository.summary
    assert "old debate.md" not in repository.summary and not (repository.path / "state").exists()
    repository.commit(new_debate=debate(OBJECTION), other=debate(OBJECTION))
    (repository.path / "my log.md").unlink()
    assert repository.run(base=base).code == 0
    assert "#### Who takes issue with whom" in repository.summary and "trade fair" not in repository.summary


@pytest.mark.parametrize("base", ["0" * 40, "--help"])
def test_without_a_commit_to_compare_with_all_is_looked_at(repository: Repository, base: str) -> None:
    """The first push of a branch has none."""
    repository.commit(old_debate=debate(FLATTERY))
    ran = repository.run(base=base, verdict="no")
    assert ran.code == 1 and "file=old debate.md" in ran.out and "verdict" not in repository.summary
    assert "all files are looked at" in ran.out


def test_a_shallow_clone_gets_the_commit_to_compare_with(repository: Repository, tmp_path: Path) -> None:
    """As a checkout has it: one commit deep."""
    base = repository.commit(old_debate=debate(FLATTERY))
    repository.commit(new_debate=debate(FLATTERY))
    repository.git("push", "-q", "origin", "HEAD:main")
    shutil.rmtree(repository.path)
    repository.git("clone", "-q", "--depth=1", (tmp_path / "remote").as_uri(), str(repository.path), cwd=tmp_path)
    ran = repository.run(base=base, verdict="no")
    assert "file=new debate.md" in ran.out and "old debate" not in ran.out


SESSION = "# Monday\n\n- it gave in [agree pressure=pushback evidence=none]\n- it held [hold evidence=found]\n"


def test_verdicts_are_written_committed_and_pushed(repository: Repository) -> None:
    """The note and the log's line in one commit; a second run has nothing to commit; a pull request and a pushed tag
    only check."""
    before = repository.commit(my_log=SESSION, words="# Words\n")
    for event, ref in (("pull_request", "branch 1/merge"), ("push", "tag v1")):
        ran = repository.run(event, ref=ref, verdict="write", lint="no")
        assert ran.code == 1 and "here they are checked" in ran.out and "never judged" in repository.summary
        assert repository.git("rev-parse", "HEAD") == before
    ran = repository.run("push", verdict="write", lint="no")
    assert ran.code == 0, ran
    changed = repository.git("show", "--name-only", "--format=%s", "origin/main").split("\n")
    assert changed == ["mdtally: verdicts", "", "my log.md", "state/calibration-log.jsonl"]
    assert "## mdtally verdict" in repository.summary and "Calibration log" in repository.summary
    after = repository.git("rev-parse", "HEAD")
    assert repository.run("push", verdict="write", lint="no").code == 0
    assert repository.git("rev-parse", "HEAD") == after and repository.git("status", "--porcelain") == ""


def test_a_push_that_another_one_overtook_keeps_its_verdicts(repository: Repository) -> None:
    """Run after the run of the later one, on the commit before that: both notes have a verdict and a line in the log,
    also that of a note which the later push changed. Where git refuses for another reason, the Action says so."""
    base = repository.commit(words="# Words\n")
    first = repository.commit(my_log=SESSION, both=SESSION.replace("Monday", "Sunday"))
    repository.commit(other=SESSION.replace("Monday", "Tuesday"), both=SESSION.replace("Monday", "Saturday"))
    repository.git("push", "-q", "origin", "HEAD:main")
    assert repository.run("push", base=first, verdict="write", lint="no").code == 0
    repository.git("reset", "-q", "--hard", first)
    ran = repository.run("push", base=base, verdict="write", lint="no")
    assert ran.code == 0, ran
    judged = repository.git("grep", "-l", "^verdict:", "origin/main").split("\n")
    assert judged == ["origin/main:both.md", "origin/main:my log.md", "origin/main:other.md"]
    assert "Saturday" in repository.git("show", "origin/main:both.md")
    assert len(repository.git("show", "origin/main:state/calibration-log.jsonl").split("\n")) == 3
    repository.commit(my_log=SESSION + "- again [A_P]\n")
    repository.git("push", "-q", "origin", "HEAD:main")
    hook = repository.path.parent / "remote" / "hooks" / "pre-receive"
    hook.write_text("#!/bin/sh\necho no entry >&2; exit 1\n")
    hook.chmod(0o755)
    ran = repository.run("push", verdict="write", lint="no")
    assert ran.code == 1 and "no entry" in ran.err and "::error title=mdtally::the verdicts could not be" in ran.out


def test_a_copy_of_mdtally_in_the_repository_is_not_judged(repository: Repository) -> None:
    """Its examples and test cases are nobody's sessions and debates: no annotation, no verdict, no line in the log."""
    copy = repository.path / "tools" / "mdtally"
    for name in ("examples", "tests/cases", "tests/golden"):
        shutil.copytree(PROJECT / name, copy / name)
    shutil.copy(PROJECT / "pyproject.toml", copy)
    repository.commit(my_log=SESSION)
    ran = repository.run("push", verdict="write")
    assert ran.code == 0 and not commands(ran.out), ran
    changed = repository.git("show", "--name-only", "--format=%s", "origin/main").split("\n")
    assert changed == ["mdtally: verdicts", "", "my log.md", "state/calibration-log.jsonl"]


def test_a_summary_of_many_logs_is_cut(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where its parts are longer than their limits, here lower ones, verdicts are written all the same."""
    (judge,) = (step for step in ACTION["runs"]["steps"] if step["name"] == "Judge")
    monkeypatch.setitem(judge, "run", judge["run"].replace("00000", "00"))
    repository.commit(**{f"log{n}": SESSION.replace("Monday", f"Day {n}") for n in range(20)})
    ran = repository.run("push", verdict="write", lint="no")
    assert ran.code == 0, ran
    assert "verdict:" in repository.git("show", "origin/main:log19.md")
    verdict = repository.summary.partition("~~~~text\n")[2].partition("\n~~~~")[0]
    assert "log19.md" in ran.out and 0 < len(verdict) <= 101


@pytest.mark.parametrize(("name", "value"), [("lint", "true"), ("verdict", "false")])
def test_an_input_that_is_not_understood_ends_the_run(repository: Repository, name: str, value: str) -> None:
    """It is named before anything is installed, and never taken for "no"."""
    repository.commit(clean=debate(OBJECTION))
    ran = repository.run(**{name: value})
    assert (ran.code, repository.summary) == (2, "")
    assert [f"the input {name} is " in line for line in commands(ran.out)] == [True]


def test_no_paths_are_all(repository: Repository) -> None:
    """For both steps; that there is no commit to compare with is not told where none is named."""
    repository.commit(my_log=SESSION, old_debate=debate(FLATTERY))
    ran = repository.run(paths="")
    assert ran.code == 1 and "file=old debate.md" in ran.out and "never judged" in repository.summary
    assert "looked at" not in ran.out


def test_no_step_follows_a_link_out_of_the_repository(repository: Repository) -> None:
    """What a pull request links to on the runner is not in the summary."""
    (repository.path.parent / "private.md").write_text(TALK)
    repository.commit(old_debate=debate(OBJECTION))
    (repository.path / "new.md").symlink_to("../private.md")
    ran = repository.run()
    assert ran.code == 2 and "new.md: a symbolic link: it leads out of" in ran.err
    assert "You pressed" not in repository.summary


def test_what_another_step_left_is_not_committed(repository: Repository) -> None:
    repository.commit(my_log=SESSION)
    (repository.path / "build.txt").write_text("x")
    ran = repository.run("push", verdict="write", lint="no")
    assert ran.code == 2 and "changes of another step" in ran.out
    assert "verdict:" not in (repository.path / "my log.md").read_text()


def test_names_and_words_are_no_commands(repository: Repository) -> None:
    """Of a file, a speaker, a path that is asked for: nothing but our own workflow commands, and nothing is run."""
    hostile = debate(FLATTERY).replace("Ben", "::set-output name=x::y $(touch ran)")
    repository.commit(**{"::error file=a::b": hostile, "$(touch ran) `touch ran`": debate(FLATTERY)})
    ran = repository.run(paths='.\n"; touch ran; "\n$(touch ran)\n', lint="yes")
    assert ran.code == 2
    for line in commands(ran.out + ran.err):
        assert re.match(r"::(error|warning|notice) title=mdtally", line)
    assert not list(repository.path.rglob("ran")) and "~~~~~~~~~~~~text" in repository.summary


def test_the_recipes_of_the_documentation_run(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    """GitLab's script and the plain one, on a branch with one new debate; both hooks, of which one tells an error."""
    page = (PROJECT / "docs" / "adopting.md").read_text()
    blocks = re.findall(r"```(?:yaml|bash|toml)\n(.*?)```", page, re.DOTALL)
    repository.commit(old_debate=debate(FLATTERY))
    repository.git("push", "-q", "origin", "HEAD:main")
    repository.git("checkout", "-qb", "work")
    repository.commit(new_debate=debate(FLATTERY), my_log="- it gave in [A_P]\n\nA_P: 2 | A_R: 0 | A_T: 2\n")
    # Neither part is wanted: it only puts mdtally where the scripts find it.
    assert repository.run(lint="no", verdict="no").code == 0 and repository.summary == ""
    environment = {**os.environ, "PATH": f"{repository.temp / 'bin'}{os.pathsep}{os.environ['PATH']}"}
    environment["CI_DEFAULT_BRANCH"] = "main"

    def script(text: str) -> Ran:
        command = ["bash", "-c", text]
        ran = subprocess.run(command, cwd=repository.path, env=environment, capture_output=True, text=True)
        return Ran(ran.returncode, ran.stdout, ran.stderr)

    gitlab = yaml.safe_load(next(block for block in blocks if "CI_DEFAULT_BRANCH" in block))["mdtally"]
    ran = script("\n".join(["set -e", *(line for line in gitlab["script"] if not line.startswith("pip "))]))
    assert ran.code == 1 and "new debate.md:" in ran.out and "old debate" not in ran.out
    lint, verdict = next(block for block in blocks if "--diff-base origin/main" in block).strip().split("\n")
    assert (script(lint).code, script(verdict).code) == (1, 1)
    hooks = yaml.safe_load(next(block for block in blocks if "repo: local" in block))["repos"][0]["hooks"]
    told = [script(f"{hook['entry']} 'my log.md'") for hook in hooks]
    assert [ran.code for ran in told] == [1, 1]
    assert ["A_P is stated as 2" in ran.out + ran.err for ran in told] == [True, False]
    assert "my log.md" in told[1].err
    published = yaml.safe_load((PROJECT / ".pre-commit-hooks.yaml").read_text())
    assert [hook["entry"].replace("-q", "--quiet") for hook in hooks] == [hook["entry"] for hook in published]
    listed = script("; ".join(["mdtally lint --statistics", "mdtally lint --show-files"]))
    assert listed.out.endswith("my log.md\nnew debate.md\nold debate.md\n")
