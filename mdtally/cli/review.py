"""``mdtally review``: from a chat without tags to a verdict and a picture, by questions that one key answers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mdtally.cli import options as shared
from mdtally.cli.common import Call, ExitCode, fail, out

Chat = Annotated[
    str,
    typer.Argument(
        metavar="[FILE|SESSION]",
        help="A chat as Markdown, or a recorded session; if not given, the last session of this folder's project.",
    ),
]
Open = Annotated[bool, typer.Option("--open", help="Show the session's page in the browser at the end.")]

app = shared.new_app(no_args_is_help=False)


@app.command()
def review(
    chat: Chat = "",
    open_: Open = False,
    in_order: shared.InOrder = False,
    start: shared.Start = 1,
    config: shared.Config = None,
    isolated: shared.Isolated = False,
    allow_outside: shared.AllowOutside = False,
    color: shared.Color = None,
) -> ExitCode:
    """Go from a chat to a verdict and a picture.

    It asks who speaks and which turns count, and shows the verdict and the session as a line; each step is left
    out if there is nothing to ask. All is written at once, so a review can be ended at any question and begun
    again. Without a terminal it says what it would ask, and writes nothing.
    """
    from mdtally import files
    from mdtally.cli.keys import is_terminal

    call = Call(config=config, isolated=isolated, allow_outside=allow_outside, color=color)
    is_recorded = not chat or chat.endswith(".jsonl") or not (Path(chat).suffix or files.status(Path(chat)))
    if not is_terminal():
        return _outlook(call, chat, is_recorded=is_recorded)
    from mdtally.cli.asking import Terminal, go_on
    from mdtally.cli.note import relative, stored_session, write
    from mdtally.review import EventWalk, Review

    path = Path(relative(write(call, stored_session(chat)))) if is_recorded else Path(chat)
    terminal = Terminal(path, call)
    steps = Review(EventWalk(in_order=in_order, start=start - 1, likely_only=True))
    ending, again = "", ["review", path, *(["--in-order"] if in_order else [])]
    try:
        ending = terminal.answer(steps.run())
    finally:
        then = ["history", path.parent] if steps.is_judged else ["verdict", path]
        out(go_on(steps.walk, terminal.document, again, then if ending == "done" else []))
    if open_ and ending == "done":
        open_page(call, path)
    return ExitCode.CLEAN


def _outlook(call: Call, chat: str, *, is_recorded: bool) -> ExitCode:
    """Say what a review would ask."""
    from mdtally.render.review_screen import outlook_text
    from mdtally.review import open_questions

    if is_recorded:
        fail(f"without a terminal only a note can be looked at; first: mdtally note {chat}".rstrip())
    for file in call.files([Path(chat)]):
        out(outlook_text(open_questions(file.document), str(file.path), call.options()))
    return call.end()


def open_page(call: Call, path: Path) -> None:
    """Show the page of a session in a browser: a file among the temporary ones."""
    import tempfile

    from mdtally.cli.report import report

    page = Path(tempfile.mkdtemp(prefix="mdtally-")) / f"{path.stem}.html"
    report([path], output=str(page), config=call.config, allow_outside=call.allow_outside)
    typer.launch(str(page))
