"""``mdtally lint``: the gate over debates, and the rules over tallies."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from mdtally.cli import common
from mdtally.cli.exits import ExitCode
from mdtally.cli.opinions import Opinions
from mdtally.cli.options import Command, Exit, Option, echo
from mdtally.model import SEVERITIES, Matching
from mdtally.records import replace
from mdtally.reports import FileReport, Report

if TYPE_CHECKING:
    from mdtally.settings import Settings

Words = tuple[str, ...]
MODES: tuple[Literal["off", "warn", "regenerate"], ...] = ("off", "warn", "regenerate")
MATCHINGS: tuple[Matching, ...] = ("prose", "literal")


def lint(
    paths: common.MarkdownFilesArgument,
    output_format: Annotated[
        str | None,
        Option(
            "--output-format",
            help="full, concise, notice, json, json-lines, github, sarif, rdjson or junit.",
            show_default="full",
        ),
    ] = None,
    select: Annotated[
        list[str] | None,
        Option("--select", help="Only these rules: codes, names or beginnings of codes, comma-separated."),
    ] = None,
    extend_select: Annotated[list[str] | None, Option("--extend-select", help="These rules too.")] = None,
    ignore: Annotated[list[str] | None, Option("--ignore", help="Not these rules.")] = None,
    fail_level: Annotated[
        str | None,
        Option("--fail-level", help="Exit 1 from this severity on: info, warning or error.", show_default="warning"),
    ] = None,
    mode: Annotated[
        str | None,
        Option("--mode", help="What the gate does: off, warn or regenerate.", show_default="warn"),
    ] = None,
    min_level: Annotated[
        str | None,
        Option(
            "--min-level",
            help="Show findings from this severity on: info, warning or error.",
            show_default="warning; info with -v and in formats for programs",
        ),
    ] = None,
    verbose: Annotated[bool, Option("-v", "--verbose", help="Show information, and what findings rest on.")] = False,
    quiet: Annotated[bool, Option("-q", "--quiet", help="Show the summary only.")] = False,
    matching: Annotated[
        str | None,
        Option("--matching", help="prose, or literal: the published rules to the letter.", show_default="prose"),
    ] = None,
    second_opinion: Annotated[
        str | None,
        Option(
            "--second-opinion",
            metavar="COMMAND",
            help="Ask this command about the turns that words do not settle: prompt on its stdin, JSON on its stdout; "
            "or cached: take its kept answers, and call nobody.",
            show_default=False,
        ),
    ] = None,
    max_opinions: Annotated[
        int | None,
        Option("--max-opinions", help="Calls for second opinions.", min=0, show_default="no limit"),
    ] = None,
    timeout: common.TimeoutOption = None,
    inline_config: Annotated[
        bool, Option("--inline-config/--no-inline-config", help="Whether comments can excuse findings.")
    ] = True,
    stdin_filename: common.StdinFilenameOption = None,
    force_exclude: common.ForceExcludeOption = False,
    exit_zero: common.ExitZeroOption = False,
    config: common.ConfigOption = None,
    isolated: common.IsolatedOption = False,
    allow_outside: common.AllowOutsideOption = False,
    color: common.ColourOption = None,
) -> None:
    """Check debates for flattery, and logs for tallies that can't be right. Reads only; made for pre-commit.

    Ordinary Markdown is left alone and counted in the summary. A second opinion can cost money: the number of calls is
    printed before and after, and each answer is kept in state/opinions.jsonl, so that it is asked for once.
    """
    from mdtally import lint as linter
    from mdtally import render
    from mdtally.render import summary

    configurations = common.Configurations(config, isolated, allow_outside)
    named_files, errors = common.named(paths, configurations, force_exclude=force_exclude)
    reports: list[FileReport] = []
    levels: list[int] = []
    base = configurations.for_path(Path.cwd())
    shown = common.one_of("--output-format", output_format or base.output_format, tuple(render.LINT_FORMATS))
    asked = base.second_opinion if second_opinion is None else second_opinion
    opinions = Opinions(asked, base.timeout if timeout is None else timeout, max_opinions) if asked else None
    for _, path, document, found in common.documents(named_files, configurations, errors, stdin_filename):
        settings = replace(
            found,
            mode=common.one_of("--mode", mode or found.mode, MODES),
            matching=common.one_of("--matching", matching or found.matching, MATCHINGS),
        )
        selection = selected(settings, _words(select), _words(extend_select), _words(ignore))
        check = partial(linter.lint, document, str(path), settings, selection, inline_config=inline_config)
        reports.append(opinions.look(len(reports), path, settings, check) if opinions else check())
        levels.append(SEVERITIES.index(common.one_of("--fail-level", fail_level or settings.fail_level, SEVERITIES)))
    if opinions:
        opinions.settle(reports)
    failed = any(
        SEVERITIES.index(problem.severity) >= level
        for report, level in zip(reports, levels, strict=True)
        for problem in report.problems
    )
    whole = Report(tuple(reports), tuple(errors))
    people = shown in render.FOR_PEOPLE
    least = common.one_of("--min-level", min_level or ("info" if verbose or not people else "warning"), SEVERITIES)
    options = common.render_options(color, fail_level=fail_level or base.fail_level, verbose=verbose)
    if not (quiet and people):
        common.out(render.LINT_FORMATS[shown](whole.at_least(least), options))
    echo(summary.remarks(whole, options, least), nl=False, err=True)
    code = ExitCode.FINDINGS if failed and not exit_zero else ExitCode.CLEAN
    raise Exit(ExitCode.ERROR if errors else code)


def selected(settings: Settings, select: Words = (), extend: Words = (), ignore: Words = ()) -> frozenset[str]:
    """The rules to ask, by the options and the configuration; a word that is no rule ends the call."""
    from mdtally import rules

    chosen, unknown = rules.select(
        select or settings.select, (*settings.extend_select, *extend), (*settings.ignore, *ignore)
    )
    for word in (*unknown, *(word for word in settings.severity if rules.find(word) is None)):
        common.fail(f"there is no rule {word}; the nearest is {rules.nearest(word)} (`mdtally rule` lists them all)")
    return chosen


def _words(lists: list[str] | None) -> Words:
    return tuple(word.strip() for entry in lists or () for word in entry.split(",") if word.strip())


COMMAND = Command(lint, "Check debates for flattery, and logs for wrong tallies.")
