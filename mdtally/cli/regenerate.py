"""``mdtally regenerate``: re-prompts for flagged responses, asked and written back with --with."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from mdtally.cli.common import Call, granted, is_stdin, note, out
from mdtally.cli.options import TIMEOUT, Argument, Command, Exit, ExitCode, Option, fail, shared
from mdtally.records import replace

if TYPE_CHECKING:
    from mdtally.model import Turn
    from mdtally.regeneration import Debate


def regenerate(
    call: Call,
    file: Path,
    command: str,
    prompts: Path | None,
    timeout: float | None,
    max_regenerations: int | None,
    diff: bool,
    keep: Literal["last", "original"] | None,
) -> None:
    """Ask again for each response that the gate flags.

    Without --with it prints the prompts, ready to paste. With it, the first answer that passes the gate replaces the
    response; where none passes the last one is kept, still flagged (exit 1), or with --keep original the response. An
    answer can cost money: the number of calls is printed before and after, and one that can't be put into the file,
    because somebody changed it meanwhile, is kept beside it.
    """
    from mdtally import files
    from mdtally import prompts as texts
    from mdtally.command import split
    from mdtally.regeneration import Debate
    from mdtally.render.diff import unified

    if diff and not command:
        fail("--diff shows what --with COMMAND would change; give a command, or use --prompts DIR")
    if prompts and command:
        fail("--prompts writes the prompts for pasting, --with asks for the answers; choose one")
    if command and not diff and is_stdin(file):
        fail("--with writes the answers into the debate, and standard input is no file; save it, or use --diff")
    found = next(call.files([file]), None)
    if found is None:
        call.end()
    settings = found.settings
    if max_regenerations is not None:
        settings = replace(settings, max_regenerations=max_regenerations)
    settings = replace(settings, keep=keep or settings.keep)
    protocol = texts.fill(granted(files.read_template("protocol", settings)), texts.values(settings))
    debate = Debate(found.document, settings)
    if debate.transcript.declared and not debate.transcript.turns:
        fail(f"{file}: declared a debate, but no turn was recognised; `mdtally turns` shows what to declare")
    if debate.panel is None:
        why = "the gate is off (lint.mode)" if settings.mode == "off" else "no panel of two agents or more"
        note(f"{file}: {why}, so nothing is flagged")
        call.end()
    if not command:
        raise Exit(_print(file, debate, protocol, prompts))
    words = split(command)
    if isinstance(words, str):
        fail(f"--with: {words}")
    run = _Run(file, debate, write=not diff)
    code = run.ask(words, protocol, settings.timeout if timeout is None else timeout)
    if diff:
        shown = unified(str(file), found.document.source.text, run.debate.document.source.text, call.options())
        out(shown)
        code = max(code, ExitCode.FINDINGS) if shown else code
    raise Exit(code if code == ExitCode.ERROR else call.code(code))


def _print(path: Path, debate: Debate, protocol: str, folder: Path | None) -> ExitCode:
    """Print the prompts, or write each to a file of its own; one that exists stays."""
    from mdtally import files
    from mdtally.render.style import count

    code, waiting = ExitCode.CLEAN, debate.flagged()
    for number, flagged in enumerate(waiting):
        text = debate.prompt(flagged, protocol)
        if folder is None:
            name = path.name.replace("-->", "")
            rule = "---\n\n" if number else ""
            out(f"{rule}<!-- {name}, line {flagged.turn.line} -->\n\n{text}\n")
            continue
        target = folder / f"{_stem(path, flagged.turn)}.md"
        refusal = files.write_atomically(target, text.encode(), was=None)
        if refusal and files.read(target) != text.encode():
            code = ExitCode.ERROR
            note(f"error: {target}: {refusal.reason}")
        else:
            note(f"{target}")
    note(f"{path}: {count(len(waiting), 'flagged response')}{'' if waiting else '; nothing to ask'}")
    return code


def _stem(path: Path, turn: Turn) -> str:
    """How the names of a turn's files begin."""
    name = re.sub(r"[^\w-]+", "-", turn.speaker.lower()).strip("-")[:40] or "turn"
    return f"{path.stem}-{turn.index:03}-{name}"


class _Run:
    """Asks about one debate.

    Attributes:
        debate: as it stands after the answers that have landed so far.
    """

    def __init__(self, path: Path, debate: Debate, *, write: bool) -> None:
        self.debate, self._path, self._write, self._calls = debate, path, write, 0

    def ask(self, words: list[str], protocol: str, timeout: float) -> ExitCode:
        """Ask for each flagged response in transcript order."""
        from mdtally.render.style import count

        most = self.debate.settings.max_regenerations
        waiting = [flagged.turn for flagged in self.debate.flagged()]
        limit = count(len(waiting) * most, "call")
        note(f"{self._path}: {count(len(waiting), 'flagged response')}; at most {limit} of {words[0]}")
        code, replaced = ExitCode.CLEAN, 0
        # An answer that landed can make a later turn an echo of it. That one waits for the next run: no more calls are
        # made than were announced.
        for done, turn in enumerate(waiting, 1):
            flagged = self.debate.still_flagged(turn)
            if flagged is None:
                continue
            say = partial(_say, f"[{done}/{len(waiting)}] line {flagged.turn.line}, {flagged.turn.speaker}")
            ask = partial(self._call, say, words, self.debate.prompt(flagged, protocol), timeout)
            chosen = self.debate.answer(flagged, ask, say)
            if chosen is None:
                say("the turn stays as it was")
            elif error := self._land(flagged.turn, chosen.text):
                say(f"error: {error}")
                code = ExitCode.ERROR
            else:
                replaced += 1
                say(f"{'replaced' if self._write else 'would be replaced'}{', still flagged' if chosen.fault else ''}")
        left = len(self.debate.flagged())
        note(f"{self._path}: {count(self._calls, 'call')} made, {replaced} replaced, {left} still flagged")
        return max(code, ExitCode.FINDINGS) if left else code

    def _call(
        self, say: Callable[[str], None], words: list[str], prompt: str, timeout: float, attempt: int
    ) -> tuple[str, str]:
        from mdtally import command

        self._calls += 1
        say(f"call {attempt} of {self.debate.settings.max_regenerations} ...")
        return command.ask(words, prompt, timeout)

    def _land(self, turn: Turn, text: str) -> str:
        """Put an answer into the file as it stands now; gives why it did not land, or ""."""
        from mdtally import files
        from mdtally.source import UnreadableError, encode

        def change(data: bytes) -> bytes | str:
            try:
                self.debate = self.debate.reread(data)
            except UnreadableError as error:
                return str(error)
            return self.debate.put(turn, text)

        edited: bytes | str | files.Refusal
        if self._write:
            edited = files.edit(self._path, change, allow_outside=self.debate.settings.allow_outside)
        else:
            edited = change(encode(self.debate.document.source))
        if isinstance(edited, bytes):
            self.debate = self.debate.reread(edited)
            return ""
        if isinstance(edited, str):
            return edited
        # It may have cost money.
        for number in range(1, 100):
            target = self._path.with_name(f"{_stem(self._path, turn)}-answer-{number}.md")
            refusal = files.write_atomically(target, f"{text}\n".encode(), was=None)
            if refusal != files.EXISTS:
                break
        kept = f"its answer is in {target}" if refusal is None else f"its answer is lost: {refusal.reason}"
        return f"{edited.reason}; {kept}"


def _say(where: str, what: str) -> None:
    note(f"{where}: {what}")


COMMAND = Command(
    regenerate,
    "Ask again for each response that the gate flags.",
    Argument("file", "A debate."),
    Option(
        "--with",
        "Ask this command: prompt on its stdin, answer on its stdout. Split into words as a shell does, run"
        " without one.",
        default="",
        into="command",
        metavar="COMMAND",
        shows=False,
    ),
    Option("--prompts", "Write the prompts here, a file each.", Path, metavar="DIR", shows=False),
    TIMEOUT,
    Option("--max-regenerations", "Calls for one response, 0 to 3.", int, min=0, max=3, shows="1"),
    Option("--diff", "With --with: show the change instead of writing it, and exit 1 if there is one.", bool),
    Option("--keep", "Where no answer passes: last or original.", ("last", "original"), shows="last"),
    *shared("exit-zero config isolated allow-outside"),
)
