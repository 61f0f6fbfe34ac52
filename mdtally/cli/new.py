"""``mdtally new``: start from a template."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path
from secrets import token_hex

from mdtally.cli.common import Call, granted, is_stdin, note, out
from mdtally.cli.options import Argument, Command, Option, fail, shared
from mdtally.prompts import KINDS


def new(call: Call, kind: str, path: Path | None, title: str, single: bool, force: bool, **told: str) -> None:
    """Start a session log or a debate, or print the debate protocol or an expert's prompt.

    A folder of your own templates (`templates` in the configuration) comes before the built-in ones. Phrases, minimum
    length and thresholds are those of the effective configuration, so prompt and gate can't drift apart.
    """
    from mdtally import files, prompts

    if single and kind != "protocol":
        fail("--single goes with `protocol`")
    if path is not None and is_stdin(path):
        fail("- is no file to write; leave PATH out for standard output, or write ./-")
    settings = call.settings(path or Path())
    template = granted(files.read_template("single" if single else kind, settings))
    shown = title or (re.sub(r"[-_]+", " ", path.stem).strip().capitalize() if path else "") or f"A {kind}"
    today = date.today().isoformat()
    words = re.sub(r"[^\w]+", "-", shown.lower()).strip("-")
    slug = f"{today}-{words or kind}"
    values = {
        "title": shown,
        "date": today,
        "slug": slug,
        # Also a second one of this title and day is a session of its own.
        "session": f"{slug}-{token_hex(3)}",
        **prompts.values(settings, **told),
    }
    protocol = granted(files.read_template("protocol", settings))
    values["protocol"] = re.sub(r"\A#+ .*\n+", "", prompts.fill(protocol, values)).strip()
    text = prompts.fill(template, values)
    if path is None:
        out(text)
        return
    was = files.read(path) if force else files.MISSING
    before = None if was == files.MISSING else granted(was, path)
    refusal = files.write_atomically(path, text.encode(), was=before, allow_outside=settings.allow_outside)
    if refusal == files.EXISTS:
        fail(f"{path} exists; --force replaces it")
    granted(refusal, path)
    note(f"{path}: a {kind} to fill in")


COMMAND = Command(
    new,
    "Start a log or a debate; print a protocol or prompt.",
    Argument("kind", "session, debate, protocol or expert.", KINDS),
    Argument("path", "Where to write it; if not given, standard output.", needed=False),
    Option("--title", "Title of the log or debate.", default=""),
    Option("--name", "The expert's name.", default=""),
    Option("--expertise", "What the expert knows.", default=""),
    Option("--task", "The expert's current task.", default=""),
    Option("--single", "The protocol for one expert alone, without a panel.", bool),
    Option("--force", "Replace a file that exists.", bool),
    *shared("config isolated allow-outside"),
)
