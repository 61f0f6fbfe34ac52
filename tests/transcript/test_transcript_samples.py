"""Real transcripts with hand-made truth: what is read right, printed and held.

The truth of a file lists each turn's label line, round and speaker; ``optional`` turns may be reported or not. Found
means a turn on the label's line; precision counts turns on lines that are no label. Nothing of the samples is in this
repository: where they are missing, these tests skip.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from mdtally import transcript
from mdtally.text import document
from mdtally.text.document import Document
from mdtally.text.model import Head, Transcript
from mdtally.text.records import replace


@dataclass(frozen=True)
class Score:
    """What was read of one file or of all: required turns, found ones, false ones, and facts right among the found."""

    required: int = 0
    found: int = 0
    false: int = 0
    rounds: int = 0
    speakers: int = 0
    ends: int = 0

    def __add__(self, other: "Score") -> "Score":
        return Score(
            self.required + other.required,
            self.found + other.found,
            self.false + other.false,
            self.rounds + other.rounds,
            self.speakers + other.speakers,
            self.ends + other.ends,
        )

    def __str__(self) -> str:
        facts = {"recall": (self.found, self.required), "precision": (self.found, self.found + self.false)}
        for what in ("rounds", "speakers", "ends"):
            facts[what] = (getattr(self, what), self.found)
        shares = ", ".join(f"{what} {part / max(1, whole):.3f}" for what, (part, whole) in facts.items())
        return f"{shares} ({self.found} of {self.required} turns, {self.false} false)"


def truths(shared: Path) -> Iterator[tuple[Path, list[dict[str, object]]]]:
    for path in sorted((shared / "samples").glob("*/*.truth.json")):
        yield Path(str(path).replace(".truth.json", ".md")), json.loads(path.read_text())["turns"]


def declare(parsed: Document, turns: list[dict[str, object]]) -> Document:
    """The document with the truth's speakers as declared participants."""
    kinds = {str(turn["speaker"]): "agent" if turn["kind"] == "expert" else turn["kind"] for turn in reversed(turns)}
    head = Head(values={**parsed.head.values, "participants": kinds}, lines={"participants": 2}, last_line=1)
    return replace(parsed, head=head)


def score(result: Transcript, turns: list[dict[str, object]]) -> Score:
    got = {turn.line: turn for turn in result.turns}
    labels = {turn["line"]: turn for turn in turns}
    found = [line for line, turn in labels.items() if not turn.get("optional") and line in got]
    return Score(
        required=sum(1 for turn in turns if not turn.get("optional")),
        found=len(found),
        false=sum(1 for line in got if line not in labels),
        rounds=sum(1 for line in found if got[line].round == labels[line]["round"]),
        speakers=sum(1 for line in found if got[line].speaker == labels[line]["speaker"]),
        ends=sum(1 for line in found if got[line].end_line == labels[line].get("end_line", got[line].end_line)),
    )


def total(shared: Path, *, declared: bool) -> Score:
    result = Score()
    for path, turns in truths(shared):
        parsed = document.parse(path.read_bytes())
        result += score(transcript.read(declare(parsed, turns) if declared and turns else parsed), turns)
    return result


def test_the_figures_hold(shared: Path) -> None:
    """Automatic: recall .97, precision .98, round and speaker .98; declared: recall .99, precision 1."""
    automatic, declared = total(shared, declared=False), total(shared, declared=True)
    assert automatic.found >= 0.97 * automatic.required
    assert automatic.found >= 0.98 * (automatic.found + automatic.false)
    assert automatic.rounds >= 0.98 * automatic.found
    assert automatic.speakers >= 0.98 * automatic.found
    assert declared.found >= 0.99 * declared.required
    assert declared.false == 0


def test_files_without_turns_show_none(shared: Path) -> None:
    """Vote tables, rosters and a transcript inside a README's code fence are no turns."""
    negative = [path for path, turns in truths(shared) if not turns]
    assert negative
    for path in negative:
        result = transcript.read(document.parse(path.read_bytes()))
        assert (result.kind, result.turns, result.problems) == (None, (), ()), path.name


@pytest.mark.parametrize("change", ["crlf", "deeper", "renamed", "untitled", "headed"])
def test_reading_does_not_hang_on_names_titles_levels_or_line_ends(shared: Path, change: str) -> None:
    """The same transcript with CRLF, deeper headings, other names, another title or a foreign head reads as well."""
    result = Score()
    for path, turns in truths(shared):
        if path.parent.name == "generated":
            continue  # an exporter's form is exact
        text = path.read_bytes().decode("utf-8-sig").replace("\r\n", "\n")
        changed, wanted = altered(text, turns, change)
        result += score(transcript.read(document.parse(changed.encode())), wanted)
    assert result.found >= 0.97 * result.required
    assert result.found >= 0.98 * (result.found + result.false)
    assert result.rounds >= 0.98 * result.found
    assert result.speakers >= 0.98 * result.found


def altered(text: str, turns: list[dict[str, object]], change: str) -> tuple[str, list[dict[str, object]]]:
    lines = text.split("\n")
    if change == "crlf":
        return text.replace("\n", "\r\n"), turns
    if change == "deeper":
        return "\n".join(f"#{line}" if line.startswith("#") and "# " in line[:6] else line for line in lines), turns
    if change == "untitled":
        lines = ["# Notes" if line.startswith("# ") and number < 5 else line for number, line in enumerate(lines)]
        return "\n".join(lines), turns
    if change == "headed" and not text.startswith("---"):
        head = "---\ntitle: x\ntags: [a, b]\nkind: note\n---\n"
        return head + text, [
            {**turn, **{key: turn[key] + 5 for key in ("line", "end_line") if key in turn}}  # type: ignore[operator]
            for turn in turns
        ]
    if change == "headed":
        return text, turns
    # Other people's names, for those who are called by one.
    new = iter(["Nadia", "Quentin", "Freya", "Oskar", "Priska", "Zeynep", "Ludo", "Berit"])
    names = {
        str(turn["speaker"]): next(new, str(turn["speaker"]))
        for turn in {turn["speaker"]: turn for turn in turns}.values()
        if str(turn["speaker"]).istitle() and " " not in str(turn["speaker"]) and turn["kind"] == "expert"
    }
    for old, name in names.items():
        text = text.replace(old, name).replace(old.upper(), name.upper())
    return text, [{**turn, "speaker": names.get(str(turn["speaker"]), turn["speaker"])} for turn in turns]


def test_ordinary_markdown_is_left_alone() -> None:
    """No Markdown file of this project's papers, or of the packages that are installed, is taken for a transcript."""
    import sysconfig

    project = Path(__file__).resolve().parents[2]
    papers = [path for folder in (project, project / "docs") for path in folder.glob("*.md")]
    installed = list(Path(sysconfig.get_path("purelib")).rglob("*.md"))
    assert len(papers) > 20
    for path in papers + installed:
        result = transcript.read(document.parse(path.read_bytes()))
        assert (result.kind, result.turns, result.problems) == (None, (), ()), path
