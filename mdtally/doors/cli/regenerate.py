"""``mdtally regenerate``: re-prompts for flagged responses, asked and written back with --with."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from mdtally.doors.cli import options as shared
from mdtally.doors.cli.common import Call, ExitCode, fail, fail_at_conflict, is_stdin, note, or_end, out
from mdtally.text import safe

if TYPE_CHECKING:
    from mdtally.ask.regeneration import Regeneration

With = Annotated[str, Option("--with", metavar="COMMAND", show_default=False, help="Ask this: prompt on its stdin.")]


@shared.with_call("exit_zero", "timeout")
def regenerate(
    call: Call,
    file: Annotated[Path, Argument(metavar="FILE", readable=False, help="A debate.")],
    command: With = "",
    diff: Annotated[bool, Option("--diff", help="With --with: show the change, write nothing; exit 1 if any.")] = False,
) -> ExitCode:
    """Ask again for each response that the gate flags.

    Without --with it prints the prompts, ready to paste. With it, each prompt goes to the command's stdin (split into
    words as a shell does, run without one), and the first answer on its stdout that passes the gate replaces the
    response; where none passes the last one is kept, still flagged (exit 1). An answer can cost money: the number of
    calls is printed before and after, and one that can't be put into the file, because somebody changed it meanwhile,
    is kept beside it, or else printed.
    """
    from mdtally.ask import prompts as templates
    from mdtally.ask.answers import Asking
    from mdtally.ask.regeneration import Regeneration
    from mdtally.project import files
    from mdtally.project.command import split
    from mdtally.show.diff import file_diff
    from mdtally.text.percent import count

    if diff and not command:
        fail("--diff shows what --with COMMAND would change; give a command")
    if command and not diff and is_stdin(file):
        fail("--with writes the answers into the debate, and standard input is no file; save it, or use --diff")
    found = next(call.files([file]), None)
    if found is None:
        return call.end()
    fail_at_conflict(file, found.document)
    settings, words = found.settings, split(command) if command else []
    debate = Regeneration(found.document, settings, files.absolute(found.path))
    if debate.transcript.declared and not debate.transcript.turns:
        shows = f"`mdtally turns {safe.argument(str(file))}` shows what to declare"
        fail(f"{file}: declared a debate, but no turn was recognised; {shows}")
    if debate.gate is None:
        note(f"{file}: {safe.with_file_name(debate.not_judged, str(file))}; so nothing is flagged")
        return call.end()
    text, pack = or_end(files.read_template("protocol", settings)), debate.gate.pack
    protocol = templates.fill(text, templates.values(settings, pack))
    if not command:
        return _print(file, debate, protocol)
    asking = Asking(file, debate, or_end(words, "--with"), protocol, write=not diff)
    or_end(asking.refusal, file)
    waiting, most = len(asking.waiting), len(asking.waiting) * settings.max_regenerations
    note(f"{file}: {count(waiting, 'flagged response')}; at most {count(most, 'call')} of {asking.words[0]}")
    asking.ask_all(note)
    left = len(asking.debate.sent_back())
    done = f"{asking.replaced} {'would be ' * diff}replaced"
    note(f"{file}: {count(asking.calls, 'call')} made, {done}, {left} still flagged")
    out(safe.prompt(asking.unkept))
    after = asking.debate.document.source.text
    change = file_diff(str(file), found.document.source.text, after, call.options()) if diff else ""
    out(change)
    return ExitCode.ERROR if asking.is_refused else call.code(has_findings=bool(left or change))


def _print(path: Path, debate: Regeneration, protocol: str) -> ExitCode:
    """Print the prompts."""
    from mdtally.text.percent import count

    waiting = debate.sent_back()
    for number, response in enumerate(waiting):
        name, rule = path.name.replace("-->", ""), "---\n\n" if number else ""
        text = f"{rule}<!-- {name}, line {response.turn.line} -->\n\n{debate.prompt(response, protocol)}\n"
        out(safe.prompt(text))
    note(f"{path}: {count(len(waiting), 'flagged response')}{'' if waiting else '; nothing to ask'}")
    return ExitCode.CLEAN
