"""``mdtally regenerate``: re-prompts for flagged responses, asked and written back with --with."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from mdtally.cli import common
from mdtally.cli.common import Call
from mdtally.cli.options import TIMEOUT, Argument, Command, Exit, ExitCode, Option, fail, shared
from mdtally.records import replace

if TYPE_CHECKING:
    from mdtally.command import Answer
    from mdtally.model import Turn
    from mdtally.regeneration import Candidate, Flagged
    from mdtally.settings import Settings

KEEPS: tuple[Literal["last", "original"], ...] = ("last", "original")


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
    if diff and not command:
        fail("--diff shows what --with COMMAND would change; give a command, or use --prompts DIR")
    if prompts and command:
        fail("--prompts writes the prompts for pasting, --with asks for the answers; choose one")
    if command and not diff and common.is_stdin(file):
        fail("--with writes the answers into the debate, and standard input is no file; save it, or use --diff")
    settings = call.settings(file)
    if max_regenerations is not None:
        settings = replace(settings, max_regenerations=max_regenerations)
    if keep is not None:
        settings = replace(settings, keep=keep)
    run = _Run(file, settings, write=not diff)
    if settings.mode == "off" or run.debate.panel is None:
        why = "the gate is off (lint.mode)" if settings.mode == "off" else "no panel of two agents or more"
        common.note(f"{file}: {why}, so nothing is flagged")
        raise Exit(ExitCode.CLEAN)
    if not command:
        raise Exit(run.print_prompts(prompts))
    code = run.ask(command, settings.timeout if timeout is None else timeout)
    shown = run.diff() if diff else ""
    common.out(shown)
    code = max(code, ExitCode.FINDINGS) if shown else code
    raise Exit(max(code, call.code(code)) if code == ExitCode.ERROR else call.code(code))


class _Run:
    """One debate, as it stands after the answers that have landed so far."""

    def __init__(self, path: Path, settings: Settings, *, write: bool) -> None:
        from mdtally import files, prompts
        from mdtally.regeneration import Debate
        from mdtally.reports import FileError

        template = common.granted(files.read_template("protocol", settings))
        found = common.read(path)
        if isinstance(found, FileError):
            fail(f"{path}: {found.message}")
        self.path, self.settings, self.write = path, settings, write
        self.protocol = prompts.fill(template, prompts.values(settings))
        self.original = found.source
        self.debate = Debate(replace(found, form=settings.transcript_for(path.absolute())), settings)
        if self.debate.transcript.declared and not self.debate.transcript.turns:
            fail(f"{path}: declared a debate, but no turn was recognised; `mdtally turns` shows what to declare")

    def print_prompts(self, folder: Path | None) -> ExitCode:
        """Print the prompts, or write each to a file of its own; one that exists stays."""
        from mdtally import files
        from mdtally.render.style import count as counted

        code, waiting = ExitCode.CLEAN, self.debate.flagged()
        for number, flagged in enumerate(waiting):
            text = self.debate.prompt(flagged, self.protocol)
            if folder is None:
                name = self.path.name.replace("-->", "")
                rule = "---\n\n" if number else ""
                common.out(f"{rule}<!-- {name}, line {flagged.turn.line} -->\n\n{text}\n")
                continue
            target = folder / f"{self._stem(flagged.turn)}.md"
            refusal = files.write_atomically(target, text.encode(), was=None)
            if refusal and files.read(target) != text.encode():
                code = ExitCode.ERROR
                common.note(f"error: {target}: {refusal.reason}")
            else:
                common.note(f"{target}")
        nothing = "" if waiting else "; nothing to ask"
        common.note(f"{self.path}: {counted(len(waiting), 'flagged response')}{nothing}")
        return code

    def ask(self, command: str, timeout: float) -> ExitCode:
        """Ask for each flagged response in transcript order."""
        from mdtally import command as commands
        from mdtally.render.style import count as counted

        words = commands.split(command)
        if isinstance(words, str):
            fail(f"--with: {words}")
        calls = replaced = 0

        def call(prompt: str) -> Answer:
            nonlocal calls
            calls += 1
            return commands.ask(words, prompt, timeout)

        waiting = [flagged.turn for flagged in self.debate.flagged()]
        limit = counted(len(waiting) * self.settings.max_regenerations, "call")
        common.note(f"{self.path}: {counted(len(waiting), 'flagged response')}; at most {limit} of {words[0]}")
        code = ExitCode.CLEAN
        # An answer that landed can make a later turn an echo of it. That one waits for the next run: no more calls are
        # made than were announced.
        for done, turn in enumerate(waiting, 1):
            flagged = self.debate.still_flagged(turn)
            if flagged is None:
                continue
            where = f"[{done}/{len(waiting)}] line {flagged.turn.line}, {flagged.turn.speaker}"
            chosen = self._answer(where, flagged, call)
            if chosen is None:
                common.note(f"{where}: the turn stays as it was")
                continue
            error = self._land(flagged.turn, chosen.text)
            still = ", still flagged" if chosen.fault else ""
            common.note(f"{where}: {error or ('replaced' if self.write else 'would be replaced') + still}")
            replaced += not error
            if error.startswith("error"):
                code = ExitCode.ERROR
        left = len(self.debate.flagged())
        common.note(f"{self.path}: {counted(calls, 'call')} made, {replaced} replaced, {left} still flagged")
        return max(code, ExitCode.FINDINGS) if left else code

    def _answer(self, where: str, flagged: Flagged, call: Callable[[str], Answer]) -> Candidate | None:
        """The answer to put in the response's place; None where none is fit for it."""
        from mdtally import regeneration

        most = self.settings.max_regenerations
        candidates: list[Candidate] = []
        for attempt in range(1, most + 1):
            common.note(f"{where}: call {attempt} of {most} ...")
            answer = call(self.debate.prompt(flagged, self.protocol))
            if not answer.error:
                candidates.append(self.debate.try_out(flagged, answer.text))
                if not candidates[-1].fault:
                    break
            common.note(f"{where}: {answer.error or candidates[-1].fault}")
        return regeneration.choice(candidates, self.settings.keep)

    def _land(self, turn: Turn, text: str) -> str:
        """Put an answer into the file as it stands now; gives why it did not land, or ""."""
        from mdtally import files
        from mdtally.model import Problem
        from mdtally.source import UnreadableError, encode

        for _ in range(3):
            was = encode(self.debate.document.source)
            data = files.read(self.path) if self.write else was
            if isinstance(data, files.Refusal):
                return self._keep(turn, text, data.reason)
            if data != was:
                try:
                    self.debate = self.debate.reread(data)
                except UnreadableError as error:
                    return self._keep(turn, text, str(error))
            edited = self.debate.put(turn, text)
            if edited is None:
                return self._keep(turn, text, "this turn changed while its answer was made")
            if isinstance(edited, Problem):
                return edited.message
            outside = self.settings.allow_outside
            refusal = files.write_atomically(self.path, edited, was=data, allow_outside=outside) if self.write else None
            if refusal == files.CHANGED:
                continue
            if refusal:
                return self._keep(turn, text, refusal.reason)
            self.debate = self.debate.reread(edited)
            return ""
        return self._keep(turn, text, "the file keeps changing")

    def _keep(self, turn: Turn, text: str, reason: str) -> str:
        """Keep an answer that was paid for beside the file; gives what to say."""
        from mdtally import files

        for number in range(1, 100):
            target = self.path.with_name(f"{self._stem(turn)}-answer-{number}.md")
            refusal = files.write_atomically(target, f"{text}\n".encode(), was=None)
            if refusal != files.EXISTS:
                break
        kept = f"its answer is in {target}" if refusal is None else f"its answer is lost: {refusal.reason}"
        return f"error: {reason}; {kept}"

    def _stem(self, turn: Turn) -> str:
        name = re.sub(r"[^\w-]+", "-", turn.speaker.lower()).strip("-")[:40] or "turn"
        return f"{self.path.stem}-{turn.index:03}-{name}"

    def diff(self) -> str:
        """What changed, as a unified diff."""
        from mdtally.render.diff import unified

        after = self.debate.document.source.text
        return unified(str(self.path), self.original.text, after, Call().options())


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
    Option("--keep", "Where no answer passes: last or original.", KEEPS, shows="last"),
    *shared("exit-zero config isolated allow-outside"),
)
