"""``mdtally regenerate``: re-prompts for flagged responses, asked and written back with --with."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from mdtally.cli import options as shared
from mdtally.cli.common import Call, ExitCode, fail, granted, is_stdin, note, out

if TYPE_CHECKING:
    from mdtally.model import Refusal, Turn
    from mdtally.regeneration import Regeneration

DebateFile = Annotated[Path, Argument(metavar="FILE", readable=False, help="A debate.")]
With = Annotated[str, Option("--with", metavar="COMMAND", show_default=False, help="Ask this: prompt on its stdin.")]
Diff = Annotated[bool, Option("--diff", help="With --with: show the change, don't write it; exit 1 if there is one.")]

app = shared.new_app()


@app.command()
@shared.with_call("exit_zero")
def regenerate(
    call: Call,
    file: DebateFile,
    command: With = "",
    timeout: shared.Timeout = None,
    diff: Diff = False,
) -> ExitCode:
    """Ask again for each response that the gate flags.

    Without --with it prints the prompts, ready to paste. With it, each prompt goes to the command's stdin (split into
    words as a shell does, run without one), and the first answer on its stdout that passes the gate replaces the
    response; where none passes the last one is kept, still flagged (exit 1). An answer can cost money: the number of
    calls is printed before and after, and one that can't be put into the file, because somebody changed it meanwhile,
    is kept beside it.
    """
    from mdtally import files
    from mdtally import prompts as templates
    from mdtally.command import split
    from mdtally.regeneration import Regeneration
    from mdtally.render.diff import unified

    if diff and not command:
        fail("--diff shows what --with COMMAND would change; give a command")
    if command and not diff and is_stdin(file):
        fail("--with writes the answers into the debate, and standard input is no file; save it, or use --diff")
    call.override(timeout=timeout)
    found = next(call.files([file]), None)
    if found is None:
        return call.end()
    settings, words = found.settings, split(command) if command else []
    protocol = templates.fill(granted(files.read_template("protocol", settings)), templates.values(settings))
    debate = Regeneration(found.document, settings)
    if debate.transcript.declared and not debate.transcript.turns:
        fail(f"{file}: declared a debate, but no turn was recognised; `mdtally turns` shows what to declare")
    if debate.panel is None:
        note(f"{file}: {_not_judged(debate)}; so nothing is flagged")
        return call.end()
    if not command:
        return _print(file, debate, protocol)
    run = _Run(file, debate, granted(words, "--with"), write=not diff)
    code = run.ask_all(protocol)
    if diff:
        change = unified(str(file), found.document.source.text, run.debate.document.source.text, call.options())
        out(change)
        code = max(code, ExitCode.FINDINGS) if change else code
    return code if code == ExitCode.ERROR else call.code(code)


def _not_judged(debate: Regeneration) -> str:
    """Why the gate judges nothing in a debate."""
    from mdtally.lint import not_gated
    from mdtally.transcript import advice

    unsure = advice(debate.document) if debate.transcript.unsure else ""
    return not_gated(debate.transcript, debate.settings) or unsure or "no panel of two agents or more"


def _print(path: Path, debate: Regeneration, protocol: str) -> ExitCode:
    """Print the prompts."""
    from mdtally.output.style import count

    waiting = debate.sent_back()
    for number, response in enumerate(waiting):
        name, rule = path.name.replace("-->", ""), "---\n\n" if number else ""
        out(f"{rule}<!-- {name}, line {response.turn.line} -->\n\n{debate.prompt(response, protocol)}\n")
    note(f"{path}: {count(len(waiting), 'flagged response')}{'' if waiting else '; nothing to ask'}")
    return ExitCode.CLEAN


def _stem(path: Path, turn: Turn) -> str:
    """How the name of a kept answer's file begins."""
    name = re.sub(r"[^\w-]+", "-", turn.speaker.lower()).strip("-")[:40] or "turn"
    return f"{path.stem}-{turn.index:03}-{name}"


class _Run:
    """Asks a program about one debate.

    Attributes:
        debate: as it stands after the answers that have landed so far.
    """

    def __init__(self, path: Path, debate: Regeneration, words: list[str], *, write: bool) -> None:
        self.debate, self._path, self._words, self._write, self._calls = debate, path, words, write, 0

    def ask_all(self, protocol: str) -> ExitCode:
        """Ask for each flagged response in transcript order."""
        from mdtally.output.style import count

        waiting = [response.turn for response in self.debate.sent_back()]
        limit = count(len(waiting) * self.debate.settings.max_regenerations, "call")
        note(f"{self._path}: {count(len(waiting), 'flagged response')}; at most {limit} of {self._words[0]}")
        code, replaced = ExitCode.CLEAN, 0
        # An answer that landed can make a later turn an echo of it. That one waits for the next run: no more calls are
        # made than were announced.
        for done, turn in enumerate(waiting, 1):
            response = self.debate.still_sent_back(turn)
            if response is None:
                continue
            say = partial(_say, f"[{done}/{len(waiting)}] line {response.turn.line}, {response.turn.speaker}")
            answer = self.debate.answer(response, partial(self._ask, say, self.debate.prompt(response, protocol)), say)
            if answer is None:
                say("the turn stays as it was")
            elif refusal := self._land(response.turn, answer.text):
                say(f"error: {refusal.reason}")
                code = ExitCode.ERROR
            else:
                replaced += 1
                say(f"{'replaced' if self._write else 'would be replaced'}{', still flagged' if answer.fault else ''}")
        left = len(self.debate.sent_back())
        note(f"{self._path}: {count(self._calls, 'call')} made, {replaced} replaced, {left} still flagged")
        return max(code, ExitCode.FINDINGS) if left else code

    def _ask(self, say: Callable[[str], None], prompt: str, call: int) -> str | Refusal:
        from mdtally import command

        self._calls += 1
        say(f"call {call} of {self.debate.settings.max_regenerations} ...")
        return command.ask(self._words, prompt, self.debate.settings.timeout)

    def _land(self, turn: Turn, text: str) -> Refusal | None:
        """Put an answer into the file as it stands now; gives why it did not land."""
        from mdtally import files
        from mdtally.source import UnreadableError, encode

        def change(data: bytes) -> bytes | Refusal:
            try:
                self.debate = self.debate.reread(data)
            except UnreadableError as error:
                return files.Refusal(str(error))
            return self.debate.put(turn, text)

        if not self._write:
            edited = change(encode(self.debate.document.source))
        else:
            edited = files.edit(self._path, change, allow_outside=self.debate.settings.allow_outside)
        if isinstance(edited, bytes):
            self.debate = self.debate.reread(edited)
            return None
        return self._keep(turn, text, edited) if self._write else edited

    def _keep(self, turn: Turn, text: str, why: Refusal) -> Refusal:
        """Keep an answer beside the file, as it may have cost money; says so behind why it did not land."""
        from mdtally import files

        for number in range(1, 100):
            target = self._path.with_name(f"{_stem(self._path, turn)}-answer-{number}.md")
            refusal = files.write_atomically(target, f"{text}\n".encode(), was=None)
            if refusal != files.EXISTS:
                break
        kept = f"its answer is in {target}" if refusal is None else f"its answer is lost: {refusal.reason}"
        return files.Refusal(f"{why.reason}; {kept}")


def _say(where: str, what: str) -> None:
    note(f"{where}: {what}")
