"""The formats of ``lint`` for people, ``full``, ``concise`` and ``notice``, and what goes to stderr beside them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from mdtally.check.reports import FileReport, Report
from mdtally.show.findings import Finding, by_turn, findings, flagged_responses
from mdtally.show.style import Options, table
from mdtally.text import safe
from mdtally.text.model import SEVERITIES, FileError, Severity, Turn
from mdtally.text.percent import count

NOT_GATED = {
    "single-expert": "not gated: no panel",
    "no-language-pack": "gated by length, not by words, at least in part: no language pack",
}
"""What the summary says of files in which the gate did not do all its work, by the rule that reports it in detail."""


def concise(report: Report, options: Options) -> str:
    """``path:line:col: warning: MDT102 no-disagreement-signal: message``, for every finding."""
    return "".join(f"{finding_line(finding, options)}\n" for finding in findings(report))


def notice(report: Report, options: Options) -> str:
    """One line for each flagged response, whatever failed in it; where several files have some, below their names."""
    groups = [(file, found) for file in report.files if (found := flagged_responses(file))]
    lines: list[str] = []
    for file, found in groups:
        lines += [options.paint(f"{safe.path(file.filename)}:", "strong")] * (len(groups) > 1)
        for turn, kinds in found:
            lines += [_notice(turn, kinds, options), *_ask_again(file, turn, options)]
    return "".join(f"{line}\n" for line in lines)


def full(report: Report, options: Options) -> str:
    """What a person reads who wants to mend the text: a block a turn, and once at the end what holds for many turns.

    A block has the notice of a response that the gate flags, with its line and round, its findings, and one line on
    how to mend them.
    """
    blocks: list[list[str]] = []
    for file in report.files:
        kinds = {turn.index: kinds for turn, kinds in flagged_responses(file)}
        for found in by_turn(file):
            lines = finding_lines(found, options)
            if turn := found[0].turn:
                where = f"line {turn.line}" + ("" if turn.round is None else f", round {turn.round}")
                is_flagged = turn.index in kinds
                name = _notice(turn, kinds[turn.index], options) if is_flagged else safe.opening(turn.speaker)
                lines = [f"{name}: {where}", *lines, *(_ask_again(file, turn, options) if is_flagged else ())]
            blocks.append(lines)
        if options.verbose and file.skipped and file.reading != "unsure":
            blocks.append([f"{safe.path(file.filename)}: skipped: not a transcript"])
        if options.verbose:
            blocks.append([*_unsure_lines(file)])
    silent = (file for file in report.files if any(one.rule == "no-disagreement-signal" for one in file.problems))
    advice = filter(None, dict.fromkeys(file.advice for file in silent))
    blocks += [[f"{options.paint('help:', 'strong')} {safe.terminal(one)}"] for one in advice]
    return "\n".join("".join(f"{shown}\n" for shown in lines) for lines in blocks if lines)


def _unsure_lines(file: FileReport) -> Iterator[str]:
    for turn in file.turns:
        issue = file.issues.get(turn.index)
        if issue and issue.answer == "unsure":
            who = f"{safe.path(file.filename)}:{turn.line}: unsure: {safe.terminal(turn.speaker)}"
            yield f"{who} may or may not question somebody's claim (score {issue.score:+.2f})"


def finding_line(finding: Finding, options: Options) -> str:
    """The line of one finding; with ``options.verbose``, what it rests on stands behind the message."""
    paint, problem = options.paint, finding.problem
    place = f"{paint(safe.path(finding.filename), 'strong')}:{problem.region.line}:{problem.region.column}"
    severity = paint(problem.severity, problem.severity)
    detail = f" [{problem.detail}]" if options.verbose and problem.detail else ""
    message = safe.terminal(problem.message + detail)
    return f"{place}: {severity}: {paint(safe.terminal(finding.label), 'strong')}: {message}"


def finding_lines(findings: Sequence[Finding], options: Options) -> list[str]:
    """The lines of findings that belong together: one each, and one with all their hints."""
    hints = dict.fromkeys(finding.problem.hint for finding in findings if finding.problem.hint)
    lines = [finding_line(finding, options) for finding in findings]
    if hints:
        lines.append(f"  {options.paint('help:', 'strong')} {safe.terminal(' '.join(hints))}")
    return lines


def _notice(turn: Turn, kinds: Sequence[str], options: Options) -> str:
    """``⚠ quality gate: aria response flagged (no_disagreement_signal)``."""
    sign, speaker = options.paint("⚠", "warning"), safe.terminal(turn.speaker)
    return f"{sign} quality gate: {speaker} response flagged ({', '.join(kinds)})"


def _ask_again(file: FileReport, turn: Turn, options: Options) -> list[str]:
    """The corrective sentence below a notice, where the run asked for it."""
    word, sentence = options.paint("ask again:", "strong"), file.corrections.get(turn.index)
    return [f"  {word} {safe.terminal(sentence)}"] if sentence else []


def _others(report: Report, skipped: int) -> list[tuple[int, str, str]]:
    """What else was counted: how many, of what, and in what state."""
    by_rule = [
        (sum(any(problem.rule == rule for problem in file.problems) for file in report.files), "file", words)
        for rule, words in NOT_GATED.items()
    ]
    mendable = sum(problem.edit is not None for file in report.files for problem in file.problems)
    # Session logs with turns, which the gate is not for.
    sessions = sum(file.kind == "session" and file.reading not in ("unsure", "none") for file in report.files)
    notices = Counter(words for file in report.files for words in file.notices)
    return [
        (report.sum_of("baselined"), "finding", "in the baseline"),
        (report.sum_of("suppressed"), "finding", "suppressed"),
        (report.sum_of("fixed"), "finding", "mended"),
        (mendable, "finding", "can be mended by --fix"),
        (report.unsure_turns, "turn", "unsure (words don't tell dissent from assent; -v shows where)"),
        *by_rule,
        (sessions, "session", "not gated"),
        *((number, "file", words) for words, number in notices.items()),
        (skipped, "file", f"skipped: {'not a transcript' if skipped == 1 else 'not transcripts'}"),
        (report.unread_count, "file", "could not be read"),
        (sum(one.files for one in report.errors) - report.unread_count, "file", "could not be written"),
    ]


def _judged_first(report: Report, ordinary: int) -> str:
    """``4 debates checked, 2 flagged; 24 files unsure, not checked; 32 ordinary``."""
    debates = [file for file in report.files if file.turns_checked]
    flagged = sum(any(problem.severity != "info" for problem in file.problems) for file in debates)
    parts = [f"{count(len(debates), 'debate')} checked, {flagged} flagged"] if debates else []
    parts.append(f"{count(report.unsure_files, 'file')} unsure, not checked")
    return "; ".join([*parts, *([f"{ordinary} ordinary"] if ordinary else [])])


def statistics(report: Report, options: Options) -> str:
    """How many findings each rule has, and each file, those with most first."""
    by_rule = Counter(finding.label for finding in findings(report))
    by_file = Counter({safe.path(file.filename): len(file.problems) for file in report.files if file.problems})
    shown = [
        table(("findings:", name), [(str(n), what) for what, n in often.most_common()], options)
        for name, often in (("rule", by_rule), ("file", by_file))
    ]
    return "\n".join("".join(f"{line}\n" for line in lines) for lines in shown) if by_rule else ""


# -- Beside the findings ----------------------------------------------------------------------------------------------


def remarks(report: Report, options: Options, level: Severity = "info") -> str:
    """Everything for stderr after a run: files that can't be read, and the summary; each line with its end."""
    return "".join(f"{line}\n" for line in (*error_lines(report.errors, options), *summary(report, level)))


def error_lines(errors: Sequence[FileError], options: Options) -> list[str]:
    """``error: path: message``, for every file that could not be read or written."""
    word = options.paint("error:", "error")
    return [f"{word} {safe.terminal(error.filename)}: {safe.terminal(error.message)}" for error in errors]


def summary(report: Report, level: Severity = "info") -> list[str]:
    """``3 findings in 1 of 4 files (3 warnings; 12 turns checked)``, and below it a line for all else that was counted.

    It says what was looked at, not only what was found: a run in which nothing was recognised, or of which nothing was
    asked, must not read like a clean one.

    Args:
        report: the run, with all that was found.
        level: the mildest severity that was shown.
    """
    found = sum(report.findings.values())
    # One that may hold a conversation is said to be unsure, not to be left out.
    skipped = sum(file.skipped and file.reading != "unsure" for file in report.files)
    turns = f"{count(report.sum_of('turns_checked'), 'turn')} checked"
    if found:
        affected = sum(1 for file in report.files if file.problems)
        hidden = SEVERITIES[: SEVERITIES.index(level)]
        how = dict.fromkeys(hidden, " not shown") | ({"info": " not shown without -v"} if "info" in hidden[-1:] else {})
        levels = ", ".join(count(n, name) + how.get(name, "") for name, n in report.findings.items() if n)
        head = f"{count(found, 'finding')} in {affected} of {count(report.total, 'file')} ({levels}; {turns})"
    elif judged := sum(not (file.skipped or file.notices or file.reading == "unsure") for file in report.files):
        head = f"No findings in {count(judged, 'file')} ({turns})"
    elif report.checked_count:
        head = "No turn was judged"
    else:
        head = "Nothing was checked" if report.total else "Nothing was checked: no files"
    others = _others(report, 0 if report.unsure_files else skipped)
    lines = [f"{count(number, noun)} {safe.terminal(words)}" for number, noun, words in others if number]
    if report.total == skipped == 1 and report.files[0].filename != "-":
        lines.append(safe.with_file_name("`mdtally turns FILE` shows what is seen in it", report.files[0].filename))
    if report.unsure_files:
        head = f"{_judged_first(report, skipped)}. {head}"
        unsure = next(file.filename for file in report.files if file.reading == "unsure")
        settling = safe.with_file_name("`mdtally turns FILE` settles who speaks", unsure)
        ordinary = "what is no conversation is left alone by lint.exclude, or by a `kind:` of its own"
        listed = "; `mdtally lint -v --select MDT012` lists them" * (report.unsure_files > 1)
        lines.append(f"of the unsure ones: {settling}; {ordinary}{listed}")
    return [head, *(f"  {line}" for line in lines)]
