"""What each format promises beyond its golden output: schemas, counts, columns, and what it leaves out."""

import json
from pathlib import Path
from typing import Any

import pytest
from conftest import Run
from render_sample import REPORT, TURNS, VERDICTS, turn
from schemas import validate

from mdtally.check.reports import FileReport, Report, TurnsReport
from mdtally.check.rules import TABLE
from mdtally.gate.result import Issue
from mdtally.show import turns_output, verdict_output
from mdtally.show.findings import flagged_responses
from mdtally.show.lint_formats import FORMATS
from mdtally.show.lint_text import summary
from mdtally.show.style import Options, wants_colour
from mdtally.text import about
from mdtally.text.model import VERDICT_FIELDS, FileError, Problem, Region, Transcript
from mdtally.text.records import replace

PLAIN = Options()


# -- JSON Schemas -----------------------------------------------------------------------------------------------------


def test_lint_json_is_as_its_schema_says() -> None:
    """Every field of the object is described, and none is of another type."""
    validate(json.loads(FORMATS["json"](REPORT, PLAIN)), "lint.schema.json")
    validate(json.loads(FORMATS["json"](Report(), PLAIN)), "lint.schema.json")


def test_turns_json_is_as_its_schema_says() -> None:
    """The same for ``turns``."""
    validate(json.loads(turns_output.FORMATS["json"](TURNS, PLAIN, REPORT.errors)), "turns.schema.json")


def test_verdict_json_is_as_its_schema_says() -> None:
    """The same for ``verdict``, with and without a verdict."""
    validate(json.loads(verdict_output.FORMATS["json"](VERDICTS, PLAIN, REPORT.errors)), "verdict.schema.json")


def test_verdict_fields_keep_their_order() -> None:
    """The seven fields come as the decision rule gives them, and the contract's fields first."""
    first = json.loads(verdict_output.FORMATS["json"](VERDICTS, PLAIN, ()))["files"][0]
    fields = ["filename", "verdict", "interval", "qualifier", "id", "appended", "problems"]
    assert list(first)[: len(fields)] == fields
    assert list(first["verdict"]) == list(VERDICT_FIELDS)


# -- Every format -----------------------------------------------------------------------------------------------------


def test_what_is_unsure_is_counted_at_every_level() -> None:
    """Files that may be read wrongly, and turns whose words do not tell: in the summary, and in JSON."""
    unsure = Issue("unsure", 0.1)
    file = FileReport("a.md", kind="debate", turns=TURNS[0].transcript.turns, turns_checked=1, issues={2: unsure})
    report = Report((file, FileReport("b.md", kind="debate", reading="unsure")))
    assert summary(report, "error")[1:] == [
        "  1 turn unsure (words don't tell dissent from assent; -v shows where)",
        "  of the unsure ones: `mdtally turns b.md` settles who speaks; what is no conversation is left alone by "
        "lint.exclude, or by a `kind:` of its own",
    ]
    assert FORMATS["full"](report, PLAIN) == ""
    assert "a.md:7: unsure: ben may" in FORMATS["full"](report, Options(verbose=True))
    data = json.loads(FORMATS["json"](report, PLAIN))
    validate(data, "lint.schema.json")
    assert data["summary"]["unsure"] == {"files": 1, "turns": 1}
    assert data["turns"][1]["issue"] == {"answer": "unsure", "score": 0.1, "decided_by": "words"}


def test_nothing_found_prints_nothing() -> None:
    """Without findings the text formats are silent; the others are whole, empty documents."""
    report = Report(files=(FileReport("a.md", kind="debate", turns_checked=2),))
    for name in ("full", "concise", "notice", "github"):
        assert FORMATS[name](report, PLAIN) == ""
    for name in ("json", "sarif"):
        json.loads(FORMATS[name](report, PLAIN))


# -- Notices ----------------------------------------------------------------------------------------------------------


def _gate(*problems: tuple[str, str, int | None]) -> FileReport:
    return FileReport(
        "d.md",
        kind="debate",
        turns=(turn(1, 1, "aria", "x"), turn(2, 3, "ben", "y")),
        problems=tuple(
            Problem(rule, "m", Region(1, 1, 1, 1), severity=severity, turn=index)  # type: ignore[arg-type]
            for rule, severity, index in problems
        ),
    )


def test_notice_is_one_line_a_response_with_each_kind_once() -> None:
    """Two uses of a phrase are one kind; kinds come in the order of the layers, responses in that of the turns."""
    file = _gate(
        ("no-disagreement-signal", "warning", 2),
        ("forbidden-phrase", "warning", 2),
        ("forbidden-phrase", "warning", 2),
        ("too-short", "warning", 1),
    )
    assert FORMATS["notice"](Report(files=(file,)), PLAIN).split("\n") == [
        "⚠ quality gate: aria response flagged (too_short)",
        "⚠ quality gate: ben response flagged (forbidden_phrase, no_disagreement_signal)",
        "",
    ]


def test_a_warning_flags_a_response() -> None:
    """Informational findings alone flag nothing; beside a warning they are named with it."""
    assert flagged_responses(_gate(("no-disagreement-signal", "info", 1))) == []
    both = _gate(("no-disagreement-signal", "info", 1), ("forbidden-phrase", "warning", 1))
    assert [kinds for _, kinds in flagged_responses(both)] == [("forbidden_phrase", "no_disagreement_signal")]
    assert flagged_responses(_gate(("stalled-turn", "info", 1))) == []
    assert [kinds for _, kinds in flagged_responses(_gate(("stalled-turn", "warning", 1)))] == [("stalled_turn",)]


def test_levels_trim_what_is_shown_and_the_summary_says_so() -> None:
    """Findings below the level are gone from the report; the summary counts them as not shown."""
    shown = REPORT.at_least("warning")
    assert [problem.severity for file in shown.files for problem in file.problems] == [*["warning"] * 3, "error"]
    assert "1 error, 3 warnings, 1 info not shown without -v" in summary(REPORT, "warning")[0]
    assert "not shown" not in summary(REPORT, "info")[0]


def test_only_gate_findings_make_notices() -> None:
    """A tally that does not hold is no flagged response, nor is a gate finding without a turn."""
    assert flagged_responses(_gate(("tally-mismatch", "error", 1), ("too-short", "warning", None))) == []


def test_notices_of_several_files_stand_under_their_names() -> None:
    """With two files flagged, a name stands above each group; with one, the notices stand alone."""
    file = _gate(("too-short", "warning", 1))
    other = replace(file, filename="e.md")
    output = FORMATS["notice"](Report(files=(file, other, FileReport("f.md"))), PLAIN)
    notice = "⚠ quality gate: aria response flagged (too_short)"
    assert output.split("\n") == ["d.md:", notice, "e.md:", notice, ""]


# -- Formats for other programs ---------------------------------------------------------------------------------------


# The shape of SARIF 2.1.0 as far as results are concerned, from the standard's sections 3.13 to 3.49.
_SARIF = {
    "type": "object",
    "required": ["version", "runs"],
    "properties": {
        "version": {"const": "2.1.0"},
        "$schema": {"type": "string"},
        "runs": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["tool", "results"],
                "additionalProperties": False,
                "properties": {
                    "tool": {
                        "type": "object",
                        "required": ["driver"],
                        "properties": {
                            "driver": {
                                "type": "object",
                                "required": ["name", "rules"],
                                "additionalProperties": False,
                                "properties": {
                                    "name": {"type": "string"},
                                    "version": {"type": "string"},
                                    "informationUri": {"type": "string", "format": "uri"},
                                    "rules": {"type": "array", "items": {"$ref": "#/$defs/rule"}},
                                },
                            }
                        },
                    },
                    "invocations": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "required": ["executionSuccessful"],
                            "properties": {"executionSuccessful": {"type": "boolean"}},
                        },
                    },
                    "automationDetails": {"type": "object", "properties": {"id": {"type": "string"}}},
                    "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
                    "results": {"type": "array", "items": {"$ref": "#/$defs/result"}},
                },
            },
        },
    },
    "$defs": {
        "message": {"type": "object", "required": ["text"], "properties": {"text": {"type": "string", "minLength": 1}}},
        "level": {"enum": ["none", "note", "warning", "error"]},
        "rule": {
            "type": "object",
            "required": ["id"],
            "additionalProperties": False,
            "properties": {
                "id": {"type": "string"},
                "name": {"type": "string"},
                "shortDescription": {"$ref": "#/$defs/message"},
                "fullDescription": {"$ref": "#/$defs/message"},
                "properties": {
                    "type": "object",
                    "properties": {"precision": {"enum": ["very-high", "high", "medium", "low"]}},
                },
                "help": {"$ref": "#/$defs/message"},
                "helpUri": {"type": "string", "format": "uri"},
                "defaultConfiguration": {
                    "type": "object",
                    "properties": {"enabled": {"type": "boolean"}, "level": {"$ref": "#/$defs/level"}},
                },
            },
        },
        "result": {
            "type": "object",
            "required": ["message"],
            "additionalProperties": False,
            "properties": {
                "ruleId": {"type": "string"},
                "ruleIndex": {"type": "integer", "minimum": 0},
                "level": {"$ref": "#/$defs/level"},
                "message": {"$ref": "#/$defs/message"},
                "locations": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "required": ["physicalLocation"],
                        "properties": {
                            "physicalLocation": {
                                "type": "object",
                                "required": ["artifactLocation", "region"],
                                "properties": {
                                    "artifactLocation": {
                                        "type": "object",
                                        "required": ["uri"],
                                        "properties": {"uri": {"type": "string", "format": "uri-reference"}},
                                    },
                                    "region": {
                                        "type": "object",
                                        "required": ["startLine"],
                                        "additionalProperties": {"type": "integer", "minimum": 1},
                                    },
                                },
                            }
                        },
                    },
                },
            },
        },
    },
}


def _sarif(report: Report) -> Any:
    return json.loads(FORMATS["sarif"](report, PLAIN))["runs"][0]


def test_sarif_has_the_standard_s_shape() -> None:
    """Names, required fields and types of what code scanning reads."""
    jsonschema = pytest.importorskip("jsonschema")
    jsonschema.Draft202012Validator(_SARIF).validate(json.loads(FORMATS["sarif"](REPORT, PLAIN)))


def test_sarif_results_point_into_the_rule_table() -> None:
    """``ruleIndex`` is the place of the result's own rule, and the whole table is there."""
    run = _sarif(REPORT)
    rules = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == [rule.code for rule in TABLE]
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]


def test_sarif_explains_every_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    """A code scanning service shows what it means, how sure it is, and where to read on if the project is published."""
    assert "helpUri" not in json.dumps(_sarif(REPORT)) and "informationUri" not in json.dumps(_sarif(REPORT))
    monkeypatch.setattr(about, "REPOSITORY", "https://example.org/mdtally")
    for rule in _sarif(Report())["tool"]["driver"]["rules"]:
        assert rule["helpUri"].endswith(f"docs/rules/{rule['id']}-{rule['name']}.md")
        assert rule["fullDescription"]["text"] and "## " not in rule["fullDescription"]["text"]
        assert rule["help"]["markdown"].startswith("## What it checks")
        heuristic = rule["id"].startswith("MDT1") and rule["id"] != "MDT103"
        assert rule["properties"]["precision"] == ("medium" if heuristic else "very-high")


def test_sarif_says_that_a_file_could_not_be_read() -> None:
    """The run counts as failed and names the file."""
    invocation = _sarif(REPORT)["invocations"][0]
    assert invocation["executionSuccessful"] is False
    assert invocation["toolExecutionNotifications"][0]["message"]["text"] == "no such file"
    assert _sarif(Report())["invocations"][0]["executionSuccessful"] is True


def test_github_has_one_annotation_a_turn() -> None:
    """All of a turn's findings on its lines, with the gravest severity; columns only where one line is meant."""
    lines = FORMATS["github"](REPORT, PLAIN).splitlines()
    assert len(lines) == 5
    (ben,) = [line for line in lines if "title=mdtally%3A ben" in line]
    assert ben.startswith("::warning ") and "MDT101" in ben and "MDT102" in ben and ben.count("help: ") == 1
    (spanning,) = [line for line in lines if "line=5,endLine=6" in line]
    assert "col=" not in spanning and "endColumn" not in spanning
    (filler,) = [line for line in lines if line.startswith("::notice")]
    assert "line=11,col=255,endLine=11,endColumn=274" in filler


def test_full_is_a_block_a_turn() -> None:
    """The notice with line and round, the turn's findings, one line of help, what to ask again with; advice once."""
    files = tuple(replace(file, advice="Or stand down.") for file in REPORT.files)
    blocks = FORMATS["full"](replace(REPORT, files=files), PLAIN).split("\n\n")
    ben = blocks[0].splitlines()
    assert ben[0] == "⚠ quality gate: ben response flagged (forbidden_phrase, no_disagreement_signal): line 7, round 1"
    assert [line.split(": ")[2] for line in ben[1:3]] == [
        "MDT101 forbidden-phrase",
        "MDT102 no-disagreement-signal",
    ]
    assert ben[3:] == [
        "  help: say what you would change, or stand down",
        "  ask again: Find a weakness in aria's argument, or say that you cannot find one.",
    ]
    assert blocks[2].splitlines()[0] == "cleo: line 11, round 1"
    assert blocks[-1] == "help: Or stand down.\n"
    assert len(blocks) == 5


# -- Summary and colour -----------------------------------------------------------------------------------------------


def _file(name: str, findings: int = 0, turns: int = 0, *, skipped: bool = False, silenced: int = 0) -> FileReport:
    problem = Problem("too-short", "m", Region(1, 1, 1, 1), severity="warning")
    return FileReport(
        name,
        problems=(problem,) * findings,
        turns_checked=turns,
        skipped=skipped,
        suppressed=silenced,
    )


@pytest.mark.parametrize(
    ("report", "expected"),
    [
        (
            Report(
                (_file("a", 3, 8), _file("b", 0, 4), _file("c", skipped=True), _file("d", skipped=True)),
            ),
            "3 findings in 1 of 4 files (3 warnings; 12 turns checked)\n  2 files skipped: not transcripts",
        ),
        (Report((_file("a", 1, 1),)), "1 finding in 1 of 1 file (1 warning; 1 turn checked)"),
        (Report((_file("a", 0, 5, silenced=1),)), "No findings in 1 file (5 turns checked)\n  1 finding suppressed"),
        (
            Report((_file("a", skipped=True),)),
            "Nothing was checked\n  1 file skipped: not a transcript\n  `mdtally turns a` shows what is seen in it",
        ),
        (Report(), "Nothing was checked: no files"),
        (Report(errors=(FileError("x", "y"),)), "Nothing was checked\n  1 file could not be read"),
    ],
)
def test_summary_says_what_was_looked_at(report: Report, expected: str) -> None:
    """A run never looks clean because nothing was recognised."""
    assert "\n".join(summary(report)) == expected


@pytest.mark.parametrize(
    ("flag", "environ", "isatty", "expected"),
    [
        (None, {}, True, True),
        (None, {}, False, False),
        (True, {"NO_COLOR": "1", "TERM": "dumb"}, False, True),
        (False, {"FORCE_COLOR": "1"}, True, False),
        (None, {"FORCE_COLOR": "1", "NO_COLOR": "1", "TERM": "dumb"}, False, True),
        (None, {"FORCE_COLOR": "0"}, False, False),
        (None, {"FORCE_COLOR": "", "NO_COLOR": "1"}, True, False),
        (None, {"NO_COLOR": ""}, True, True),
        (None, {"TERM": "dumb"}, True, False),
        (None, {"TERM": "xterm"}, True, True),
    ],
)
def test_colour_is_decided_by_the_first_that_speaks(
    flag: bool | None, environ: dict[str, str], isatty: bool, expected: bool
) -> None:
    """Flag, FORCE_COLOR, NO_COLOR, TERM=dumb, terminal, in this order."""
    assert wants_colour(flag, environ, isatty) is expected


# -- Turns and verdicts -----------------------------------------------------------------------------------------------


def test_turns_without_a_transcript_say_so() -> None:
    """Ordinary Markdown is named as such; a declared debate without turns is not."""
    for kind, expected in ((None, "a.md: no transcript"), ("debate", "a.md: debate: 0 turns")):
        report = TurnsReport("a.md", Transcript(kind=kind))  # type: ignore[arg-type]
        assert turns_output.FORMATS["text"]([report], PLAIN, ()) == f"{expected}\n"


def test_overcorrection_is_a_failure_in_words_and_colour() -> None:
    """OVERCORRECTED has SYCOPHANTIC's colour and the word "failure"; CALIBRATED has neither."""
    painted = Options(colour=True)
    shown = {
        str(report.verdict.verdict): verdict_output.FORMATS["text"]([report], painted, ())
        for report in VERDICTS
        if report.verdict
    }
    for name in ("SYCOPHANTIC", "OVERCORRECTED"):
        assert f"\x1b[1;31m{name}\x1b[0m" in shown[name]
        assert "failure:" in shown[name]
    assert "failure" not in shown["CALIBRATED"]
    assert "\x1b[1;31m" not in shown["CALIBRATED"]


def test_every_verdict_has_n_interval_and_qualifier() -> None:
    """The first line of each verdict holds all three, or says that there is no interval."""
    for report in VERDICTS:
        if report.verdict is None:
            continue
        first = verdict_output.FORMATS["text"]([report], PLAIN, ()).split("\n")[0]
        assert f"n={report.verdict.A_T}" in first
        assert report.verdict.qualifier in first
        assert "%)" in first or "% of overcorrection)" in first or "no interval" in first


COMMANDS = (
    "report a.md", "report --output-format markdown a.md", "report --output-format json a.md", "lint a.md",
    "regenerate a.md", "turns a.md", "lint --output-format json a.md", "events --candidates a.md",
)  # fmt: skip


@pytest.mark.parametrize("command", COMMANDS)
def test_no_output_is_a_workflow_command(run: Run, command: str) -> None:
    """What a transcript says never begins a line with :: and never holds ##[ in a job's log."""
    said = "::error file=x::gotcha\n\n##[error]gotcha\n\n```\n::add-mask::x\n##[group]y\n```\n"
    head = "---\nkind: debate\nparticipants: {Ana: agent, Ben: agent}\n---\n"
    argued = "The queue hides the overload, and callers wait for forty seconds until they are refused by it."
    Path("a.md").write_text(f"{head}**Ana:** {argued}\n\n{said}\n**Ben:** Great point. I agree with Ana.\n\n{said}")
    ran = run(*command.split())
    for line in (ran.out + ran.err).split("\n"):
        assert not line.lstrip().startswith("::") and "##[" not in line, line
    assert "gotcha" in ran.out or command not in (COMMANDS[0], COMMANDS[1])
