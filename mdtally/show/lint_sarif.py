"""``lint --output-format sarif``: SARIF 2.1.0, which code scanning services read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mdtally.check.reports import FileReport, Report
from mdtally.check.rules import TABLE, Rule
from mdtally.show.findings import COLUMN_UNIT, findings
from mdtally.show.json_document import Object, to_json, tool_fields
from mdtally.show.style import Options
from mdtally.text import safe
from mdtally.text.model import Region, Severity
from mdtally.text.records import pick

_LEVELS: Mapping[Severity, str] = {"error": "error", "warning": "warning", "info": "note"}


def sarif(report: Report, _: Options) -> str:
    """SARIF 2.1.0, which code scanning services take in (a standard of OASIS), with the whole rule table."""
    notifications = [_message_fields("error", error.message, _location(error.filename)) for error in report.errors]
    from mdtally.text.about import REPOSITORY

    published = {"informationUri": REPOSITORY} if REPOSITORY else {}
    driver = {**tool_fields(), **published, "rules": [_rule_object(rule) for rule in TABLE]}
    run = {
        "tool": {"driver": driver},
        # The category of the results: with it they replace those of the run before, and no other tool's.
        "automationDetails": {"id": "mdtally/"},
        "invocations": [{"executionSuccessful": not report.errors, "toolExecutionNotifications": notifications}],
        "columnKind": COLUMN_UNIT,
        "results": [result for file in report.files for result in _results(file)],
    }
    schema = "https://json.schemastore.org/sarif-2.1.0.json"
    return to_json({"$schema": schema, "version": "2.1.0", "runs": [run]})


def _rule_object(rule: Rule) -> Object:
    text = rule.page.text
    what = text.split("\n\n", 1)[1].split("\n\n## ", 1)[0]
    # What weighs words errs now and then.
    precision = "medium" if rule.gates and rule.layer != 3 else "very-high"
    return {
        "id": rule.code,
        "name": rule.name,
        "shortDescription": {"text": f"{rule.page.summary}."},
        "fullDescription": {"text": " ".join(what.split())},
        "help": {"text": text, "markdown": text},
        **({"helpUri": rule.url} if rule.url else {}),
        "defaultConfiguration": {"enabled": True, "level": _LEVELS[rule.severity]},
        "properties": {"precision": precision, "tags": ["debate" if rule.gates else "log"]},
    }


def _results(file: FileReport) -> Iterator[Object]:
    """The results of a file, in its order."""
    for finding in findings(file):
        problem = finding.problem
        text = f"{problem.message}\n{problem.hint}" if problem.hint else problem.message
        rule = {"ruleId": finding.rule.code, "ruleIndex": TABLE.index(finding.rule)}
        yield rule | _message_fields(_LEVELS[problem.severity], text, _location(file.filename, problem.region))


def _message_fields(level: str, text: str, location: Object) -> Object:
    """What a result and a notification of an error have in common."""
    return {"level": level, "message": {"text": safe.sarif_message(text)}, "locations": [location]}


def _location(filename: str, region: Region | None = None) -> Object:
    uri = safe.uri(filename)
    base = {} if uri.startswith("file:") else {"uriBaseId": "%SRCROOT%"}
    place: Object = {"artifactLocation": {"uri": uri, **base}}
    if region:
        place["region"] = pick(region, "startLine=line startColumn=column endLine=end_line endColumn=end_column")
    return {"physicalLocation": place}
