"""``mdtally new``: start from a template."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path
from secrets import token_hex
from typing import Annotated

from mdtally.cli import common
from mdtally.cli.options import Argument, Command, Option
from mdtally.prompts import KINDS


def new(
    kind: Annotated[str, Argument(help="session, debate, protocol or expert.")],
    path: Annotated[Path | None, Argument(help="Where to write it; if not given, standard output.")] = None,
    title: Annotated[str, Option("--title", help="Title of the log or debate.")] = "",
    name: Annotated[str, Option("--name", help="The expert's name.")] = "",
    expertise: Annotated[str, Option("--expertise", help="What the expert knows.")] = "",
    task: Annotated[str, Option("--task", help="The expert's current task.")] = "",
    single: Annotated[bool, Option("--single", help="The protocol for one expert alone, without a panel.")] = False,
    force: Annotated[bool, Option("--force", help="Replace a file that exists.")] = False,
    config: common.ConfigOption = None,
    isolated: common.IsolatedOption = False,
    allow_outside: common.AllowOutsideOption = False,
) -> None:
    """Start a session log or a debate, or print the debate protocol or an expert's prompt.

    A folder of your own templates (`templates` in the configuration) comes before the built-in ones. Phrases, minimum
    length and thresholds are those of the effective configuration, so prompt and gate can't drift apart.
    """
    from mdtally import files, prompts

    common.one_of("KIND", kind, KINDS)
    if single and kind != "protocol":
        common.fail("--single goes with `protocol`")
    if path is not None and common.is_stdin(path):
        common.fail("- is no file to write; leave PATH out for standard output, or write ./-")
    settings = common.Configurations(config, isolated, allow_outside).for_path(path or Path())
    template = common.granted(files.read_template("single" if single else kind, settings))
    shown = title or (re.sub(r"[-_]+", " ", path.stem).strip().capitalize() if path else "") or f"A {kind}"
    values = {
        "title": shown,
        "date": date.today().isoformat(),
        "slug": _slug(shown, kind),
        "session": _session(_slug(shown, kind), path, named=bool(title or path)),
        **prompts.values(settings, name=name, expertise=expertise, task=task),
    }
    protocol = common.granted(files.read_template("protocol", settings))
    values["protocol"] = re.sub(r"\A#+ .*\n+", "", prompts.fill(protocol, values)).strip()
    text = prompts.fill(template, values)
    if path is None:
        common.out(text)
        return
    was = files.read(path) if force else files.MISSING
    before = None if was == files.MISSING else common.granted(was, path)
    refusal = files.write_atomically(path, text.encode(), was=before, allow_outside=settings.allow_outside)
    if refusal == files.EXISTS:
        common.fail(f"{path} exists; --force replaces it")
    common.granted(refusal, path)
    common.note(f"{path}: a {kind} to fill in")


def _slug(title: str, kind: str) -> str:
    words = re.sub(r"[^\w]+", "-", title.lower()).strip("-")
    return f"{date.today().isoformat()}-{words or kind}"


def _session(slug: str, path: Path | None, *, named: bool) -> str:
    """A name for a session: date and title, and a random end where that is not a name of its own."""
    from mdtally import files

    folder = files.absolute(path).parent if path else None
    beside = files.find_markdown([folder], files.is_folder).files if folder and files.is_folder(folder) else []
    notes = map(files.read, beside)
    is_taken = any(isinstance(note, bytes) and slug.encode() in note[:4096] for note in notes)
    return slug if named and not is_taken else f"{slug}-{token_hex(3)}"


COMMAND = Command(new, "Start a log or a debate; print a protocol or prompt.")
