"""``mdtally tag``: the turns that may hold an event, likeliest first, and a tag for each at a keystroke."""

from __future__ import annotations

from pathlib import Path
from typing import NoReturn

from mdtally.cli.common import Call, granted, out
from mdtally.cli.options import Argument, Command, Option, fail, shared


def tag(call: Call, list_: bool, from_tags: bool, in_order: bool, start: int, labeler: str | None) -> None:
    """Walk through the turns of a log that may hold an event, likeliest first, and tag them at a keystroke.

    At each turn one key says whether the agent agreed or held its position, one what came before, one whether there was
    evidence; a facts tag is then written at the end of the reply's first paragraph, and nothing else is touched. Turns
    with a tag are left out, so a walk can be ended and begun again at any time.
    """
    if list_ or from_tags:
        if labeler is not None:
            fail("--as is for the walk; to list what somebody tagged, name the copy: LOG.labels-NAME")
        _list(call, only_tagged=from_tags)
    if len(call.paths) != 1 or call.output_format != "text" or call.stdin_filename:
        fail("the walk takes one file; --list takes several, --output-format and --stdin-filename")
    from mdtally.cli.keys import Keys, is_terminal

    if not is_terminal():
        fail("tag asks at a terminal, and there is none here; --list prints the turns without asking")
    from mdtally.cli.tag_walk import Tagger
    from mdtally.files import interruptible
    from mdtally.render import texts
    from mdtally.render.style import count

    path = call.paths[0]
    target = _copy(call, path, labeler) if labeler is not None else path
    then = f"mdtally compare {path} {target}" if labeler is not None else f"mdtally verdict {path}"
    again = f"mdtally tag {path}{f' --as {labeler}' if labeler else ''}{' --in-order' if in_order else ''}"
    tagger = Tagger(target, call)
    if not tagger.by_key:
        fail(f"{target}: no agent's turn answers a person's; `mdtally turns` shows what is seen")
    if start > len(tagger.by_key):
        fail(f"--from is {start}, and the log has {count(len(tagger.by_key), 'turn')} to ask about")
    if not tagger.is_sure:
        out(f"{texts.UNSURE}\n")
    try:
        with interruptible(), Keys() as terminal:
            tagger.walk(terminal.next, in_order=in_order, start=start - 1)
    finally:
        out(tagger.summary(again, then))


def _list(call: Call, *, only_tagged: bool) -> NoReturn:
    from mdtally import render
    from mdtally.reports import CandidatesReport
    from mdtally.tagging import candidates

    found = [(file, candidates(file.document)) for file in call.files()]
    # Of a folder's files only those in which an agent answers somebody are shown.
    shown = [(file, ranking) for file, ranking in found if ranking.ranked or file.is_named]
    call.show(render.TAG_FORMATS, [CandidatesReport(str(file.path), ranking, only_tagged) for file, ranking in shown])


def _copy(call: Call, path: Path, labeler: str) -> Path:
    """The copy of a log that a labeler tags, made without the tags of others where there is none yet."""
    import re

    from mdtally import files
    from mdtally.render import safe
    from mdtally.tagging.copy import without_tags

    if not re.fullmatch(r"[\w-]{1,40}", labeler):
        fail(f"--as is {labeler!r}; it has to be a name of letters, digits, - and _")
    copy = path.with_name(f"{path.name}.labels-{labeler}")
    if files.status(copy) is None:
        log = next(call.files([path]), None)
        if log is None:
            call.end()
        data = without_tags(log.document)
        granted(files.write_atomically(copy, data, was=None, allow_outside=log.settings.allow_outside), copy)
    out(f"tags go to {safe.path(str(copy))}; {safe.path(str(path))} is not touched\n")
    return copy


COMMAND = Command(
    tag,
    "Walk through the likely events of a log and tag them.",
    Argument("paths", "A session log; with --list also folders, globs, and - for standard input.", [Path]),
    Option(
        "--list",
        "Print every turn of an agent that answers a person, with its score; write nothing.",
        bool,
        into="list_",
    ),
    Option("--from-tags", "Print only what is tagged already.", bool),
    Option("--in-order", "Walk in the order of the log, not likeliest first.", bool),
    Option("--from", "Begin at the turn that was shown as N of all.", int, 1, into="start", metavar="N", min=1),
    Option(
        "--as",
        "Tag a copy without tags, LOG.labels-NAME, for mdtally compare; the log itself is not touched.",
        into="labeler",
        metavar="NAME",
        shows=False,
    ),
    Option("--output-format", "With --list: text or json.", ("text", "json"), "text"),
    *shared("stdin-filename config isolated allow-outside color"),
)
