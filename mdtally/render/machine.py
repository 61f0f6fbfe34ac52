"""The formats of ``lint`` that other programs fix: ``github``, ``junit``, ``rdjson`` and ``sarif``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from mdtally import REPOSITORY
from mdtally.model import SEVERITIES, Region, Severity
from mdtally.render import safe
from mdtally.render.findings import COLUMN_UNIT, Finding, by_turn, findings, joined
from mdtally.render.json_reports import fields, to_json, tool
from mdtally.render.style import Options
from mdtally.reports import FileReport, Report
from mdtally.rules import TABLE, Rule, page

Object = dict[str, object]
_LEVELS: Mapping[Severity, str] = {"error": "error", "warning": "warning", "info": "note"}


# -- GitHub's workflow commands ---------------------------------------------------------------------------------------


def github(report: Report, _: Options) -> str:
    """``::warning file=a.md,line=3::message``, which GitHub shows as an annotation beside the lines of a change.

    It shows few annotations a step, so all that is found in a turn is one of them.
    """
    lines = [_command("error", {"title": "mdtally", "file": one.filename}, [one.message]) for one in report.errors]
    lines += [_annotation(found) for file in report.files for found in by_turn(file)]
    return "".join(f"{line}\n" for line in lines)


def _annotation(found: Sequence[Finding]) -> str:
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
    gravest = max((one.problem.severity for one in found), key=SEVERITIES.index)
    properties = {"title": title, "file": found[0].filename} | {name: str(n) for name, n in places.items()}
    return _command(gravest.replace("info", "notice"), properties, messages)


def _command(name: str, properties: Mapping[str, str], message: Sequence[str]) -> str:
    pairs = ",".join(f"{key}={safe.workflow_property(value)}" for key, value in properties.items())
    # The runner decodes escapes, so that a message may have several lines.
    return f"::{name} {pairs}::{'%0A'.join(map(safe.workflow_data, message))}"


# -- JUnit ------------------------------------------------------------------------------------------------------------


def junit(report: Report, options: Options) -> str:
    """XML that build servers show as tests: a suite a file, a test case a finding.

    Below the fail level a finding is a case that passed and has something to say. A file without findings is a passed
    case, ordinary Markdown a skipped one, a file that can't be read an error: nothing that was looked at is missing.
    """
    from xml.etree import ElementTree

    root = ElementTree.Element("testsuites", name="mdtally")

    def case(suite: ElementTree.Element, name: str, kind: str = "", details: Sequence[str] = (), **said: str) -> None:
        names = {"classname": suite.get("name", ""), "name": safe.terminal(name)}
        made = ElementTree.SubElement(suite, "testcase", names)
        if kind:
            attributes = {key: safe.terminal(value) for key, value in said.items()}
            ElementTree.SubElement(made, kind, attributes).text = "\n".join(map(safe.terminal, details))

    suites = [ElementTree.SubElement(root, "testsuite", name=safe.terminal(one.filename)) for one in report.errors]
    for suite, error in zip(suites, report.errors, strict=True):
        case(suite, "readable", "error", message=error.message)
    for file in report.files:
        suite = ElementTree.SubElement(root, "testsuite", name=safe.terminal(file.filename))
        if file.skipped:
            case(suite, "transcript", "skipped", message="ordinary Markdown: no transcript, no session log")
        elif not file.problems:
            case(suite, "no findings")
        for one in findings(file):
            problem, place = one.problem, f"{one.problem.region.line}:{one.problem.region.column}"
            details = [f"{one.filename}:{place}: {problem.severity}: {problem.message}"]
            details += [f"turn {one.turn.index}: {one.turn.speaker}"] if one.turn else []
            details += [f"help: {problem.hint}"] if problem.hint else []
            if SEVERITIES.index(problem.severity) >= SEVERITIES.index(options.fail_level):
                case(suite, f"{one.label} ({place})", "failure", details, type=one.code, message=problem.message)
            else:
                case(suite, f"{one.label} ({place})", "system-out", details)
    for counted in (root, *root):
        for name, kind in (("tests", "testcase"), ("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            counted.set(name, str(len(counted.findall(f".//{kind}"))))
    ElementTree.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ElementTree.tostring(root, "unicode")}\n'


# -- reviewdog --------------------------------------------------------------------------------------------------------


def rdjson(report: Report, _: Options) -> str:
    """Reviewdog's DiagnosticResult; a file that can't be read is a diagnostic without a range."""
    diagnostics: list[Object] = [
        {"message": error.message, "location": {"path": error.filename}, "severity": "ERROR"} for error in report.errors
    ]
    for file in report.files:
        for finding in findings(file):
            problem, region = finding.problem, finding.problem.region
            start = _in_bytes(file.lines, region.line, region.column)
            end = _in_bytes(file.lines, region.end_line, region.end_column)
            diagnostics.append(
                {
                    "message": f"{problem.message}\nhelp: {problem.hint}" if problem.hint else problem.message,
                    "location": {"path": file.filename, "range": {"start": start, "end": end}},
                    "severity": problem.severity.upper(),
                    "code": {"value": finding.label, **({"url": finding.rule.url} if finding.rule else {})},
                }
            )
    return to_json({"source": {"name": "mdtally"}, "diagnostics": diagnostics})


def _in_bytes(lines: Sequence[str], line: int, column: int) -> dict[str, int]:
    """A place with its column in UTF-8 bytes, as reviewdog.proto has it; without one where the line is not at hand."""
    if column > 1 and not 1 <= line <= len(lines):
        return {"line": line}
    before = lines[line - 1][: column - 1] if column > 1 else ""
    return {"line": line, "column": column + len(before.encode("utf-8", "surrogatepass")) - len(before)}


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
    driver = {**tool(), "informationUri": REPOSITORY, "rules": [_rule(rule) for rule in TABLE]}
    # The standard wants suppressions on every result of a run or on none.
    silenced = any(file.suppressed for file in report.files)
    run = {
        "tool": {"driver": driver},
        "invocations": [
            {"executionSuccessful": not report.errors, "toolExecutionNotifications": notifications},
        ],
        "columnKind": COLUMN_UNIT,
        "results": [result for file in report.files for result in _results(file, silenced)],
    }
    schema = "https://json.schemastore.org/sarif-2.1.0.json"
    return to_json({"$schema": schema, "version": "2.1.0", "runs": [run]})


def _rule(rule: Rule) -> Object:
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
        place["region"] = fields(region, "startLine=line startColumn=column endLine=end_line endColumn=end_column")
    return {"physicalLocation": place}


def _digest(text: str) -> str:
    from hashlib import sha256

    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
