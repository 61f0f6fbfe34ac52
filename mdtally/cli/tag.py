"""``mdtally tag``: the turns that may hold an event, likeliest first, and a tag for each at a keystroke."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mdtally.cli import options as shared
from mdtally.cli.common import Call, ExitCode, fail, granted, out

Logs = Annotated[
    list[Path],
    typer.Argument(
        metavar="FILES...",
        help="A session log; with --list also folders, globs, and - for standard input.",
        readable=False,
    ),
]
List = Annotated[
    bool, typer.Option("--list", help="Print every turn that answers a person, with its score; only read.")
]
Labeler = Annotated[
    str | None,
    typer.Option(
        "--as",
        metavar="NAME",
        help="Tag a copy without tags, LOG.labels-NAME, for mdtally compare; not the log itself.",
    ),
]

app = shared.new_app()


@app.command()
def tag(
    paths: Logs,
    list_: List = False,
    in_order: shared.InOrder = False,
    start: shared.Start = 1,
    labeler: Labeler = None,
    output_format: shared.TextOrJson = "text",
    stdin_filename: shared.StdinFilename = None,
    config: shared.Config = None,
    isolated: shared.Isolated = False,
    allow_outside: shared.AllowOutside = False,
    color: shared.Color = None,
) -> ExitCode:
    """Walk through the likely events of a log and tag them.

    At each turn one key says whether the agent agreed or held its position, one what came before, one whether there was
    evidence; a facts tag is then written at the end of the reply's first paragraph, and nothing else is touched. Turns
    with a tag are left out, so a walk can be ended and begun again at any time. If nothing tells who the person is,
    that is asked first and kept in the frontmatter.
    """
    call = Call(
        paths, stdin_filename=stdin_filename, config=config, isolated=isolated, allow_outside=allow_outside, color=color
    )
    if list_:
        if labeler is not None:
            fail("--as is for the walk; to list what somebody tagged, name the copy: LOG.labels-NAME")
        return _list(call, output_format)
    if len(paths) != 1 or output_format != "text" or stdin_filename:
        fail("the walk takes one file; --list takes several, --output-format and --stdin-filename")
    _walk(call, paths[0], labeler, in_order=in_order, start=start)
    return ExitCode.CLEAN


def _walk(call: Call, path: Path, labeler: str | None, *, in_order: bool, start: int) -> None:
    """Ask about the turns of a log, or of a labeler's copy of it, at a terminal."""
    from mdtally.cli.keys import is_terminal

    if not is_terminal():
        fail("tag asks at a terminal, and there is none here; --list prints the turns without asking")
    from mdtally.cli.asking import Terminal, go_on
    from mdtally.output.style import count
    from mdtally.render import events_output
    from mdtally.review import EventWalk, WhoSpeaks, open_offer
    from mdtally.tagging import candidates

    target = _copy(call, path, labeler) if labeler is not None else path
    terminal = Terminal(target, call)
    # A copy is compared line by line, so nothing is written into its frontmatter.
    if labeler is None and open_offer(terminal.document, None) and terminal.answer(WhoSpeaks().run()) != "done":
        return
    found = candidates(terminal.document)
    if not found.ranked:
        from mdtally.transcript import advice

        why = advice(terminal.document) or "`mdtally turns` shows what is seen"
        fail(f"{target}: no agent's turn answers a person's; {why}")
    if start > len(found.ranked):
        fail(f"--from is {start}, and the log has {count(len(found.ranked), 'turn')} to ask about")
    if not found.sure:
        out(f"{events_output.UNSURE}\n")
    walk = EventWalk(in_order=in_order, start=start - 1)
    flags = [*(["--as", labeler] if labeler else []), *(["--in-order"] if in_order else [])]
    try:
        terminal.answer(walk.alone())
    finally:
        then = ["compare", path, target] if labeler is not None else ["verdict", path]
        out(go_on(walk, terminal.document, ["tag", path, *flags], then))


def _list(call: Call, output_format: str) -> ExitCode:
    from mdtally.render import events_output
    from mdtally.reports import CandidatesReport
    from mdtally.tagging import candidates, exchanges
    from mdtally.transcript import advice

    found = [(file, candidates(file.document)) for file in call.files()]
    # Of a folder's files only those in which an agent answers somebody are shown.
    shown = [(file, ranking) for file, ranking in found if ranking.ranked or file.is_named]
    return call.show(
        events_output.CANDIDATES_FORMATS[output_format],
        [
            CandidatesReport(str(file.path), ranking, exchanges(file.document), why)
            for file, ranking in shown
            for why in ["" if ranking.ranked else advice(file.document)]
        ],
    )


def _copy(call: Call, path: Path, labeler: str) -> Path:
    """The copy of a log that a labeler tags, made without the tags of others where there is none yet."""
    import re

    from mdtally import files
    from mdtally.output import safe
    from mdtally.tagging.copy import without_tags

    if not re.fullmatch(r"[\w-]{1,40}", labeler):
        fail(f"--as is {labeler!r}; it has to be a name of letters, digits, - and _")
    copy = path.with_name(f"{path.name}.labels-{labeler}")
    if files.status(copy) is None:
        log = next(call.files([path]), None)
        if log is None:
            raise typer.Exit(call.end())
        data = without_tags(log.document)
        granted(files.write_atomically(copy, data, was=None, allow_outside=log.settings.allow_outside), copy)
    out(f"tags go to {safe.path(str(copy))}; {safe.path(str(path))} is not touched\n")
    return copy
