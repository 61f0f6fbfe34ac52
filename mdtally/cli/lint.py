"""``mdtally lint``: the gate over debates, and the rules over tallies."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from mdtally.cli.common import Call, out
from mdtally.cli.opinions import with_opinions
from mdtally.cli.options import (
    MARKDOWN_FILES,
    TIMEOUT,
    Command,
    Exit,
    ExitCode,
    Option,
    echo,
    fail,
    output_format,
    shared,
)
from mdtally.model import SEVERITIES, Matching, Severity
from mdtally.records import replace
from mdtally.render import FOR_PEOPLE, LINT_FORMATS
from mdtally.reports import File, FileReport, Report

if TYPE_CHECKING:
    from mdtally.settings import Settings

Words = tuple[str, ...]


def lint(
    call: Call,
    select: list[str] | None,
    extend_select: list[str] | None,
    ignore: list[str] | None,
    fail_level: Severity | None,
    mode: Literal["off", "warn", "regenerate"] | None,
    min_level: Severity | None,
    quiet: bool,
    matching: Matching | None,
    second_opinion: str | None,
    max_opinions: int | None,
    timeout: float | None,
    inline_config: bool,
) -> None:
    """Check debates for flattery, and logs for tallies that can't be right. Reads only; made for pre-commit.

    Ordinary Markdown is left alone and counted in the summary. A second opinion can cost money: the number of calls is
    printed before and after, and each answer is kept in state/opinions.jsonl, so that it is asked for once.
    """
    from mdtally import lint as linter
    from mdtally.render import lint_text

    base = call.settings(Path.cwd())
    shown = call.output_format or base.output_format
    asked = base.second_opinion if second_opinion is None else second_opinion
    levels: dict[str, int] = {}

    def check(file: File, **more: Any) -> FileReport:
        found = file.settings
        levels[str(file.path)] = SEVERITIES.index(fail_level or found.fail_level)
        settings = replace(found, mode=mode or found.mode, matching=matching or found.matching)
        selection = selected(settings, _words(select), _words(extend_select), _words(ignore))
        return linter.lint(file.document, str(file.path), settings, selection, inline_config=inline_config, **more)

    reports = (
        with_opinions(call.files(), check, asked, base.timeout if timeout is None else timeout, max_opinions)
        if asked
        else [check(file) for file in call.files()]
    )
    failed = any(
        SEVERITIES.index(problem.severity) >= levels[report.filename]
        for report in reports
        for problem in report.problems
    )
    whole = Report(tuple(reports), tuple(call.errors))
    people = shown in FOR_PEOPLE
    least = min_level or ("info" if call.verbose or not people else "warning")
    options = call.options(fail_level=fail_level or base.fail_level)
    if not (quiet and people):
        out(LINT_FORMATS[shown](whole.at_least(least), options))
    echo(lint_text.remarks(whole, options, least), nl=False, err=True)
    raise Exit(call.code(ExitCode.FINDINGS if failed else ExitCode.CLEAN))


def selected(settings: Settings, select: Words = (), extend: Words = (), ignore: Words = ()) -> frozenset[str]:
    """The rules to ask, by the options and the configuration; a word that is no rule ends the call."""
    from mdtally import rules

    chosen, unknown = rules.select(
        select or settings.select, (*settings.extend_select, *extend), (*settings.ignore, *ignore)
    )
    for word in (*unknown, *(word for word in settings.severity if rules.find(word) is None)):
        fail(f"there is no rule {word}; the nearest is {rules.nearest(word)} (`mdtally rule` lists them all)")
    return chosen


def _words(lists: list[str] | None) -> Words:
    return tuple(word.strip() for entry in lists or () for word in entry.split(",") if word.strip())


COMMAND = Command(
    lint,
    "Check debates for flattery, and logs for wrong tallies.",
    MARKDOWN_FILES,
    output_format(*LINT_FORMATS, shows="full"),
    Option("--select", "Only these rules: codes, names or beginnings of codes, comma-separated.", [str]),
    Option("--extend-select", "These rules too.", [str]),
    Option("--ignore", "Not these rules.", [str]),
    Option("--fail-level", "Exit 1 from this severity on: info, warning or error.", SEVERITIES, shows="warning"),
    Option("--mode", "What the gate does: off, warn or regenerate.", ("off", "warn", "regenerate"), shows="warn"),
    Option(
        "--min-level",
        "Show findings from this severity on: info, warning or error.",
        SEVERITIES,
        shows="warning; info with -v and in formats for programs",
    ),
    Option("-v --verbose", "Show information, and what findings rest on.", bool),
    Option("-q --quiet", "Show the summary only.", bool),
    Option("--matching", "prose, or literal: the published rules to the letter.", ("prose", "literal"), shows="prose"),
    Option(
        "--second-opinion",
        "Ask this command about the turns that words do not settle: prompt on its stdin, JSON on its stdout; "
        "or cached: take its kept answers, and call nobody.",
        metavar="COMMAND",
        shows=False,
    ),
    Option("--max-opinions", "Calls for second opinions.", int, min=0, shows="no limit"),
    TIMEOUT,
    Option("--inline-config/--no-inline-config", "Whether comments can excuse findings.", bool, True),
    *shared("stdin-filename force-exclude exit-zero config isolated allow-outside color"),
)
