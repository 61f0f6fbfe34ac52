"""The formats of ``lint`` that other programs fix: ``github`` and ``sarif``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from mdtally.model import SEVERITIES, Region, Severity
from mdtally.output import safe
from mdtally.output.style import Options
from mdtally.render.findings import COLUMN_UNIT, Finding, by_turn, findings, joined
from mdtally.render.json_reports import to_form, to_json, tool
from mdtally.render.lint_text import line
from mdtally.reports import FileReport, Report
from mdtally.rules import TABLE, Rule

Object = dict[str, object]
MOST_ANNOTATIONS = 10
"""Annotations of a level that GitHub shows a step."""
_LEVELS: Mapping[Severity, str] = {"error": "error", "warning": "warning", "info": "note"}


# -- GitHub's workflow commands ---------------------------------------------------------------------------------------


def github(report: Report, _: Options) -> str:
    """``::warning file=a.md,line=3::message``, which GitHub shows as an annotation beside the lines of a change.

    It shows ten annotations of a level a step. So all that is found in a turn is one of them, and of more than ten the
    last one says how many are left, which are ordinary lines of the log.
    """
    lines = [_command("error", {"title": "mdtally", "file": one.filename}, [one.message]) for one in report.errors]
    groups = [(_level(found), found) for file in report.files for found in by_turn(file)]
    totals, shown, left = Counter(level for level, _ in groups), Counter[str](), dict[str, list[Finding]]()
    for level, found in groups:
        shown[level] += 1
        if shown[level] < MOST_ANNOTATIONS or totals[level] <= MOST_ANNOTATIONS:
            lines.append(_annotation(level, found))
        else:
            left.setdefault(level, []).extend(found)
    for level, rest in left.items():
        lines.append(_command(level, {"title": "mdtally"}, [f"and {len(rest)} more: see the log"]))
        lines += [line(one, Options()) for one in rest]
    return "".join(f"{one}\n" for one in lines)


def _level(found: Sequence[Finding]) -> str:
    """The level of an annotation: that of the gravest finding in it."""
    return max((one.problem.severity for one in found), key=SEVERITIES.index).replace("info", "notice")


def _annotation(level: str, found: Sequence[Finding]) -> str:
    turn, problem = found[0].turn, found[0].problem
    region, title = problem.region, f"mdtally ({found[0].label})"
    messages = [one.problem.message for one in found]
    if turn:
        title = f"mdtally: {turn.speaker}"
        messages = [f"{one.label}: {one.problem.message}" for one in found]
        if len(found) > 1 or not problem.evidence:
            # The whole turn, which is what a reviewer has to read, unless its one finding is about certain words.
            region = Region(turn.line, 1, max(turn.end_line, turn.line), 1)
    hints = dict.fromkeys(one.problem.hint for one in found if one.problem.hint)
    messages += [f"help: {' '.join(hints)}"] if hints else []
    places = {"line": region.line, "col": region.column, "endLine": region.end_line, "endColumn": region.end_column}
    if region.line < region.end_line or region.column >= region.end_column:
        # GitHub refuses columns on an annotation of several lines.
        del places["col"], places["endColumn"]
    properties = {"title": title, "file": found[0].filename} | {name: str(n) for name, n in places.items()}
    return _command(level, properties, messages)


def _command(name: str, properties: Mapping[str, str], message: Sequence[str]) -> str:
    pairs = ",".join(f"{key}={safe.workflow_property(value)}" for key, value in properties.items())
    # The runner decodes escapes, so that a message may have several lines.
    return f"::{name} {pairs}::{'%0A'.join(map(safe.workflow_data, message))}"


# -- SARIF ------------------------------------------------------------------------------------------------------------


def sarif(report: Report, _: Options) -> str:
    """SARIF 2.1.0, which code scanning services take in (the OASIS standard of that name), with the whole rule table.

    A finding's fingerprint rests on the rule and the words of its line, not on the line's number: it stays the same
    finding when text is added above it. Silenced findings are listed with the comment's reason.
    """
    notifications = [
        {
            "level": "error",
            "message": {"text": safe.sarif_message(error.message)},
            "locations": [_place(error.filename)],
        }
        for error in report.errors
    ]
    from mdtally import REPOSITORY

    published = {"informationUri": REPOSITORY} if REPOSITORY else {}
    driver = {**tool(), **published, "rules": [_rule(rule) for rule in TABLE]}
    # The standard wants suppressions on every result of a run or on none.
    silenced = any(file.suppressed for file in report.files)
    run = {
        "tool": {"driver": driver},
        # The category of the results: with it they replace those of the run before, and no other tool's.
        "automationDetails": {"id": "mdtally/"},
        "invocations": [
            {"executionSuccessful": not report.errors, "toolExecutionNotifications": notifications},
        ],
        "columnKind": COLUMN_UNIT,
        "results": [result for file in report.files for result in _results(file, silenced)],
    }
    schema = "https://json.schemastore.org/sarif-2.1.0.json"
    return to_json({"$schema": schema, "version": "2.1.0", "runs": [run]})


def _rule(rule: Rule) -> Object:
    text = rule.page.text
    what = text.split("\n\n", 1)[1].split("\n\n## ", 1)[0]
    return {
        "id": rule.code,
        "name": rule.name,
        "shortDescription": {"text": f"{rule.page.summary}."},
        "fullDescription": {"text": " ".join(what.split())},
        "help": {"text": text, "markdown": text},
        **({"helpUri": rule.url} if rule.url else {}),
        "defaultConfiguration": {"enabled": rule.default, "level": _LEVELS[rule.severity]},
        # What weighs words errs now and then.
        "properties": {
            "precision": "medium" if rule.gates and rule.layer != 3 else "very-high",
            "tags": ["debate" if rule.gates else "log"],
        },
    }


def _results(file: FileReport, silenced: bool) -> Iterator[Object]:
    """The results of a file, the silenced ones among them, in the order of the file."""
    # A paragraph can be one long line with many findings: it is hashed once.
    digest = cache(lambda number: _digest(" ".join(file.lines[number - 1].split())))
    seen: Counter[str] = Counter()
    silent = joined(file.filename, (one.problem for one in file.suppressed), file.turns)
    items = [(finding, list[Object]()) for finding in findings(file)]
    for finding, one in zip(silent, file.suppressed, strict=True):
        items.append((finding, [{"kind": "inSource", **({"justification": one.reason} if one.reason else {})}]))
    for finding, comments in sorted(items, key=lambda item: item[0].problem.region):
        problem, turn, line = finding.problem, finding.turn, finding.problem.region.line
        words = digest(line) if 1 <= line <= len(file.lines) else problem.message
        mark = _digest("\0".join((problem.rule, turn.speaker if turn else "", words)))
        seen[mark] += 1
        location = _place(file.filename, problem.region)
        if turn:
            location["logicalLocations"] = [{"name": turn.speaker, "fullyQualifiedName": f"turn {turn.index}"}]
        text = f"{problem.message}\n{problem.hint}" if problem.hint else problem.message
        yield {
            "ruleId": finding.code or problem.rule,
            **({"ruleIndex": TABLE.index(finding.rule)} if finding.rule else {}),
            "level": _LEVELS[problem.severity],
            "message": {"text": safe.sarif_message(text)},
            "locations": [location],
            # The name that GitHub compares results by.
            "partialFingerprints": {"primaryLocationLineHash": f"{mark}:{seen[mark]}"},
            **({"suppressions": comments} if silenced else {}),
        }


def _place(filename: str, region: Region | None = None) -> Object:
    uri = safe.uri(filename)
    place: Object = {
        "artifactLocation": {"uri": uri, **({} if uri.startswith("file:") else {"uriBaseId": "%SRCROOT%"})}
    }
    if region:
        place["region"] = to_form(region, "sarif-region")
    return {"physicalLocation": place}


def _digest(text: str) -> str:
    from hashlib import sha256

    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
