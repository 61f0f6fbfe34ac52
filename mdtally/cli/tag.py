"""``mdtally tag``: the turns that may hold an event, likeliest first, and a tag for each at a keystroke."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from mdtally.cli import common
from mdtally.cli.exits import ExitCode
from mdtally.cli.options import Argument, Command, Exit, Option

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mdtally.render.style import Options
    from mdtally.settings import Settings


def tag(
    files: Annotated[
        list[Path],
        Argument(metavar="FILES...", help="A session log; with --list also folders, globs, and - for standard input."),
    ],
    list_: Annotated[
        bool,
        Option("--list", help="Print every turn of an agent that answers a person, with its score; write nothing."),
    ] = False,
    from_tags: Annotated[bool, Option("--from-tags", help="Print only what is tagged already.")] = False,
    in_order: Annotated[bool, Option("--in-order", help="Walk in the order of the log, not likeliest first.")] = False,
    start: Annotated[
        int, Option("--from", metavar="N", min=1, help="Begin at the turn that was shown as N of all.")
    ] = 1,
    labeler: Annotated[
        str | None,
        Option(
            "--as",
            metavar="NAME",
            help="Tag a copy without tags, LOG.labels-NAME, for mdtally compare; the log itself is not touched.",
            show_default=False,
        ),
    ] = None,
    output_format: Annotated[str, Option("--output-format", help="With --list: text or json.")] = "text",
    stdin_filename: common.StdinFilenameOption = None,
    config: common.ConfigOption = None,
    isolated: common.IsolatedOption = False,
    allow_outside: common.AllowOutsideOption = False,
    color: common.ColourOption = None,
) -> None:
    """Walk through the turns of a log that may hold an event, likeliest first, and tag them at a keystroke.

    At each turn one key says whether the agent agreed or held its position, one what came before, one whether there was
    evidence; a facts tag is then written at the end of the reply's first paragraph, and nothing else is touched. Turns
    with a tag are left out, so a walk can be ended and begun again at any time.
    """
    from mdtally import render

    common.one_of("--output-format", output_format, tuple(render.TAG_FORMATS))
    configurations = common.Configurations(config, isolated, allow_outside)
    options = common.render_options(color)
    if list_ or from_tags:
        if labeler is not None:
            common.fail("--as is for the walk; to list what somebody tagged, name the copy: LOG.labels-NAME")
        _list(files, output_format, stdin_filename, configurations, options, only_tagged=from_tags)
    if len(files) != 1 or output_format != "text" or stdin_filename:
        common.fail("the walk takes one file; --list takes several, --output-format and --stdin-filename")
    path = files[0]
    settings = configurations.for_path(path)
    from mdtally.cli.keys import is_terminal

    if not is_terminal():
        common.fail("tag asks at a terminal, and there is none here; --list prints the turns without asking")
    from mdtally.cli.tag_walk import LostError

    try:
        target = _copy(path, labeler, settings) if labeler is not None else path
        then = f"mdtally compare {path} {target}" if labeler is not None else f"mdtally verdict {path}"
        again = f"mdtally tag {path}{f' --as {labeler}' if labeler else ''}{' --in-order' if in_order else ''}"
        _walk(target, settings, options, (again, then), in_order=in_order, start=start)
    except LostError as error:
        common.fail(str(error))


def _list(
    files: Sequence[Path],
    output_format: str,
    stdin_filename: Path | None,
    configurations: common.Configurations,
    options: Options,
    *,
    only_tagged: bool,
) -> None:
    from mdtally import render
    from mdtally.files import is_folder
    from mdtally.reports import CandidatesReport
    from mdtally.tagging import candidates

    paths, errors = common.named(files, configurations)
    searched = any(is_folder(path) for path in files)
    reports: list[CandidatesReport] = []
    for _, path, document, _ in common.documents(paths, configurations, errors, stdin_filename):
        found = candidates(document)
        # Of a folder's files only those in which an agent answers somebody are shown.
        if found.ranked or path in files or not searched:
            reports.append(CandidatesReport(str(path), found, only_tagged))
    common.out(render.TAG_FORMATS[output_format](reports, options, errors))
    common.say_errors(errors, options)
    raise Exit(ExitCode.ERROR if errors else ExitCode.CLEAN)


def _copy(path: Path, labeler: str, settings: Settings) -> Path:
    """The copy of a log that a labeler tags, made without the tags of others where there is none yet."""
    import re

    from mdtally import files
    from mdtally.cli.tag_walk import Log, LostError
    from mdtally.render import safe
    from mdtally.tagging.copy import without_tags

    if not re.fullmatch(r"[\w-]{1,40}", labeler):
        common.fail(f"--as is {labeler!r}; it has to be a name of letters, digits, - and _")
    copy = path.with_name(f"{path.name}.labels-{labeler}")
    if files.status(copy) is None:
        data = without_tags(Log(path, settings).document)
        refusal = files.write_atomically(copy, data, was=None, allow_outside=settings.allow_outside)
        if refusal is not None:
            raise LostError(f"{copy}: {refusal.reason}")
    common.out(f"tags go to {safe.path(str(copy))}; {safe.path(str(path))} is not touched\n")
    return copy


def _walk(
    path: Path, settings: Settings, options: Options, commands: tuple[str, str], *, in_order: bool, start: int
) -> None:
    """Ask about each turn that has no tag, and write the tags, until all are done or the person leaves.

    The commands are those that go on with this walk, and that come after it.
    """
    from mdtally.cli.keys import Keys
    from mdtally.cli.tag_walk import Asker, Log
    from mdtally.files import interruptible
    from mdtally.render import tag_text
    from mdtally.render.summary import count

    log = Log(path, settings)
    if not log.ranked:
        common.fail(f"{path}: no agent's turn answers a person's; `mdtally turns` shows what is seen")
    if start > len(log.ranked):
        common.fail(f"--from is {start}, and the log has {count(len(log.ranked), 'turn')} to ask about")
    if not log.sure:
        common.out(f"{tag_text.UNSURE}\n")
    keys = sorted(log.ranked, key=lambda key: log.by_key[key].run.line) if in_order else list(log.ranked)
    asker = Asker(log, keys, start - 1, options)
    try:
        with interruptible(), Keys() as terminal:
            asker.ask(terminal.next)
    finally:
        common.out(asker.summary(*commands))


COMMAND = Command(tag, "Walk through the likely events of a log and tag them.")
