"""What goes to stderr beside the findings: files that can't be read, notices, and the summary.

The summary says what was looked at, not only what was found: a run over files in which nothing was recognised must not
read like a clean one.
"""

from __future__ import annotations

from collections.abc import Sequence

from mdtally.model import SEVERITIES, Severity
from mdtally.render import safe
from mdtally.render.style import Options
from mdtally.reports import FileError, Report

NOT_GATED = {
    "single-expert": "not gated: no panel",
    "no-language-pack": "gated by length only: no language pack",
}
"""What the summary says of files in which the gate did not do all its work, by the rule that reports it in detail."""


def remarks(report: Report, options: Options, level: Severity = "info") -> str:
    """Everything for stderr after a lint run: errors, notices, summary; every line with its line end."""
    lines = [*error_lines(report.errors, options), *notice_lines(report, options), summary(report, level)]
    return "".join(f"{line}\n" for line in lines)


def error_lines(errors: Sequence[FileError], options: Options) -> list[str]:
    """``error: path: message``, for every file that could not be read."""
    word = options.palette.paint("error:", "error")
    return [f"{word} {safe.terminal(error.filename)}: {safe.terminal(error.message)}" for error in errors]


def notice_lines(report: Report, options: Options) -> list[str]:
    """``note: path: sentence``, for everything that a reader must know beside the findings."""
    word = options.palette.paint("note:", "info")
    return [
        f"{word} {safe.terminal(file.filename)}: {safe.terminal(notice)}"
        for file in report.files
        for notice in file.notices
    ]


def summary(report: Report, level: Severity = "info") -> str:
    """One line: ``3 findings in 1 of 4 files (12 turns checked; 2 files are no transcripts: skipped)``.

    Args:
        report: the run, with all that was found.
        level: the mildest severity that was shown.
    """
    total = len(report.files) + len(report.errors)
    found = sum(report.findings.values())
    affected = sum(1 for file in report.files if file.problems)
    silenced = sum(len(file.suppressed) for file in report.files)
    details = []
    if found:
        head = f"{count(found, 'finding')} in {affected} of {count(total, 'file')}"
        shown = {name: "" if SEVERITIES.index(name) >= SEVERITIES.index(level) else " not shown" for name in SEVERITIES}
        if level == "warning":
            shown["info"] += " without -v"
        details.append(", ".join(count(n, name) + shown[name] for name, n in report.findings.items() if n))
    elif report.checked:
        head = f"No findings in {count(report.checked, 'file')}"
    else:
        head = "Nothing was checked"
    if report.checked:
        details.append(f"{count(report.turns_checked, 'turn')} checked")
    elif not total:
        details.append("no files")
    for rule, words in NOT_GATED.items():
        if number := sum(any(problem.rule == rule for problem in file.problems) for file in report.files):
            details.append(f"{count(number, 'file')} {words}")
    if report.sessions:
        details.append(f"{count(report.sessions, 'session')} not gated")
    if report.unsure_files:
        details.append(f"{count(report.unsure_files, 'file')} not gated: unsure how to read")
    if report.unsure_turns:
        details.append(f"{count(report.unsure_turns, 'turn')} unsure")
    if silenced:
        details.append(f"{count(silenced, 'finding')} suppressed")
    if report.skipped:
        what = "is no transcript" if report.skipped == 1 else "are no transcripts"
        details.append(f"{count(report.skipped, 'file')} {what}: skipped")
    if report.errors:
        details.append(f"{count(len(report.errors), 'file')} could not be read")
    return f"{head} ({'; '.join(details)})"


def count(number: int, noun: str) -> str:
    """A number of things in words: ``1 file``, ``2 files``."""
    # "info" is the one severity that is no countable noun.
    return f"{number} {noun}" if number == 1 or noun == "info" else f"{number} {noun}s"
