"""The format ``sarif``: SARIF 2.1.0, which code scanning services take in.

The whole rule table goes along, so that a service can show a rule's page. A finding's fingerprint rests on the rule and
the words of its line, not on the line's number: it stays the same finding when text is added above it. Silenced
findings are listed with the comment's reason. Source: the OASIS standard, "Static Analysis Results Interchange Format
(SARIF) Version 2.1.0".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache

from mdtally import REPOSITORY
from mdtally.model import Severity
from mdtally.render import safe
from mdtally.render.findings import COLUMN_UNIT, Finding, findings, joined, to_json, tool
from mdtally.render.style import Options
from mdtally.reports import FileError, FileReport, Report
from mdtally.rules import TABLE, Rule, page

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
# The name that GitHub compares results by.
_FINGERPRINT = "primaryLocationLineHash"
_LEVELS: Mapping[Severity, str] = {"error": "error", "warning": "warning", "info": "note"}


def render(report: Report, options: Options) -> str:
    """The run as a SARIF log."""
    # The standard wants suppressions on every result of a run or on none.
    silenced = any(file.suppressed for file in report.files)
    invocation = {
        "executionSuccessful": not report.errors,
        "toolExecutionNotifications": [_notification(error) for error in report.errors],
    }
    run = {
        "tool": {"driver": {**tool(), "informationUri": REPOSITORY, "rules": [_rule(rule) for rule in TABLE]}},
        "invocations": [invocation],
        "columnKind": COLUMN_UNIT,
        "results": [result for file in report.files for result in _results(file, silenced)],
    }
    return to_json({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]})


def _results(file: FileReport, silenced: bool) -> Iterator[dict[str, object]]:
    """The results of a file, the silenced ones among them, in the order of the file."""
    # A paragraph can be one long line with many findings: it is hashed once.
    digest = cache(lambda number: _digest(" ".join(file.lines[number - 1].split())))
    seen: Counter[str] = Counter()
    silent = [item.problem for item in file.suppressed]
    items = [(finding, list[dict[str, object]]()) for finding in findings(file)]
    for finding, item in zip(joined(file.filename, silent, file.turns), file.suppressed, strict=True):
        items.append((finding, [{"kind": "inSource", **({"justification": item.reason} if item.reason else {})}]))
    for finding, comments in sorted(items, key=lambda item: item[0].problem.region):
        number, speaker = finding.problem.region.line, finding.turn.speaker if finding.turn else ""
        words = digest(number) if 1 <= number <= len(file.lines) else finding.problem.message
        mark = _digest("\0".join((finding.problem.rule, speaker, words)))
        seen[mark] += 1
        suppressions = {"suppressions": comments} if silenced else {}
        yield {**_result(finding), "partialFingerprints": {_FINGERPRINT: f"{mark}:{seen[mark]}"}, **suppressions}


def _digest(text: str) -> str:
    from hashlib import sha256

    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _rule(rule: Rule) -> dict[str, object]:
    summary, text = page(rule)
    what = text.split("\n\n", 1)[1].split("\n\n## ", 1)[0]
    return {
        "id": rule.code,
        "name": rule.name,
        "shortDescription": {"text": f"{summary}."},
        "fullDescription": {"text": " ".join(what.split())},
        "help": {"text": text, "markdown": text},
        "helpUri": rule.url,
        "defaultConfiguration": {"enabled": rule.default, "level": _LEVELS[rule.severity]},
        "properties": {"precision": rule.precision, "tags": ["debate" if rule.gates else "log"]},
    }


def _result(finding: Finding) -> dict[str, object]:
    problem, region, turn = finding.problem, finding.problem.region, finding.turn
    place = {
        "startLine": region.line,
        "startColumn": region.column,
        "endLine": region.end_line,
        "endColumn": region.end_column,
    }
    location: dict[str, object] = {
        "physicalLocation": {"artifactLocation": _artifact(finding.filename), "region": place}
    }
    if turn:
        location["logicalLocations"] = [{"name": turn.speaker, "fullyQualifiedName": f"turn {turn.index}"}]
    text = f"{problem.message}\n{problem.hint}" if problem.hint else problem.message
    return {
        "ruleId": finding.code or problem.rule,
        **({"ruleIndex": TABLE.index(finding.rule)} if finding.rule else {}),
        "level": _LEVELS[problem.severity],
        "message": {"text": safe.sarif_message(text)},
        "locations": [location],
    }


def _notification(error: FileError) -> dict[str, object]:
    return {
        "level": "error",
        "message": {"text": safe.sarif_message(error.message)},
        "locations": [{"physicalLocation": {"artifactLocation": _artifact(error.filename)}}],
    }


def _artifact(filename: str) -> dict[str, str]:
    uri = safe.uri(filename)
    return {"uri": uri} if uri.startswith("file://") else {"uri": uri, "uriBaseId": "%SRCROOT%"}
