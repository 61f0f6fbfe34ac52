"""``mdtally new``: start from a template."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, Annotated, Literal

from typer import Argument, Option

from mdtally.doors.cli import options as shared
from mdtally.doors.cli.common import Call, fail, is_stdin, note, or_end, out

if TYPE_CHECKING:
    from mdtally.project.settings import Settings

Template = Literal["session", "sheet", "debate", "protocol", "expert", "agent"]
_TARGET = "Where to write, else standard output; of `agent` the folder, else mdtally-plugin."
Target = Annotated[Path | None, Argument(metavar="[PATH]", readable=False, help=_TARGET)]

AGENT = (".claude-plugin/plugin.json", "hooks/hooks.json", "skills/mdtally/SKILL.md")
"""The files of the plugin for a coding agent; the template of each has its name, in the folder "agent"."""


@shared.with_call()
def new(
    call: Call,
    kind: Annotated[Template, Argument(help="What to start or print.")],
    path: Target = None,
    title: Annotated[str, Option(metavar="WORDS", help="Title of the log or debate.")] = "",
    single: Annotated[bool, Option("--single", help="The protocol for one expert alone, without a panel.")] = False,
    force: Annotated[bool, Option("--force", help="Replace a file that exists.")] = False,
) -> None:
    """Start a log or a debate; print a protocol or prompt.

    `agent` writes a plugin for a coding agent into a folder; `sheet` is a page for adding sessions up with a
    pencil. A folder of your own templates (`templates` in the configuration) comes before the built-in ones.
    Phrases, minimum length and thresholds are those of the effective configuration, so prompt and gate can't drift
    apart.
    """
    from mdtally.ask import prompts
    from mdtally.project import files
    from mdtally.session import counts
    from mdtally.text import safe
    from mdtally.text.document import parse
    from mdtally.text.line_parts import leading_day

    if single and kind != "protocol":
        fail("--single goes with `protocol`")
    if path is not None and is_stdin(path):
        fail("- is no file to write; leave PATH out for standard output, or write ./-")
    settings = call.settings(path or Path())
    if kind == "agent":
        _agent(path or Path("mdtally-plugin"), settings, force=force)
        return
    template = or_end(files.read_template("single" if single else kind, settings))
    stem = path.stem if path else ""
    today = leading_day(stem) or date.today().isoformat()
    # On one line, or the rest would be text of the page.
    by_path = re.sub(r"[-_]+", " ", stem.removeprefix(today)).strip().capitalize()
    shown = " ".join(title.split()) or by_path or f"A {kind}"
    stated, wrong = counts.read(parse(f"# {shown}\n".encode(errors="replace")), declared=True)
    if stated.decided_by or wrong:
        fail(f"the title {shown!r} would count as an event or total, or nearly; give another one with --title")
    words = re.sub(r"[^\w]+", "-", shown.lower()).strip("-")
    slug = f"{today}-{words or kind}"
    values = {
        "title": shown,
        "date": today,
        "slug": slug,
        # Also a second one of this title and day is a session of its own.
        "session": f"{slug}-{token_hex(3)}",
        **prompts.values(settings),
    }
    protocol = or_end(files.read_template("protocol", settings))
    values["protocol"] = re.sub(r"\A#+ .*\n+", "", prompts.fill(protocol, values)).strip()
    values["guide"] = or_end(files.read_template("guide", settings)).strip()
    text = prompts.fill(template, values)
    if path is None:
        out(safe.prompt(text))
    else:
        _write_new(path, text, settings, force=force)
        note(f"{path}: {'an' if kind == 'expert' else 'a'} {kind}{'' if kind == 'protocol' else ' to fill in'}")


def _write_new(path: Path, text: str, settings: Settings, *, force: bool) -> None:
    """Write a new file, or with force one that takes the place of another."""
    from mdtally.project import files

    was = files.read(path) if force else files.MISSING
    before = None if was == files.MISSING else or_end(was, path)
    refusal = files.write_atomically(path, text.encode(), was=before, allow_outside=settings.allow_outside)
    if refusal == files.EXISTS:
        fail(f"{path} exists; --force replaces it")
    or_end(refusal, path)


def _agent(folder: Path, settings: Settings, *, force: bool) -> None:
    """Write the plugin for a coding agent: its manifest, the hook after a session, the skill."""
    from mdtally.ask import prompts
    from mdtally.project import files
    from mdtally.text import safe
    from mdtally.text.about import __version__

    values = {"version": __version__, "guide": or_end(files.read_template("guide", settings)).strip()}
    templates = {name: or_end(files.read_template(f"agent/{Path(name).name}", settings)) for name in AGENT}
    for name, template in templates.items():
        _write_new(folder / name, prompts.fill(template, values), settings, force=force)
    note(f"{folder}: a plugin for Claude Code; try it with: claude --plugin-dir {safe.argument(str(folder))}")
    skills = safe.argument(str(folder / "skills"))
    note(f"its skill for Codex and others that read skills: mkdir -p .agents && cp -r {skills} .agents/")
