"""``mdtally config``: the effective settings with their origins, and setting one of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from mdtally.cli.common import Call, granted, note, out
from mdtally.cli.options import Argument, Command, fail, output_format, shared

if TYPE_CHECKING:
    from mdtally.model import Problem


def show(call: Call, path: Path) -> None:
    """Show the effective settings for a file, and where each value comes from."""
    from mdtally import settings
    from mdtally.render import safe

    rows = settings.rows(call.settings(path))
    if call.output_format == "json":
        from mdtally.render.json_reports import to_json

        entries = [{"key": key, "value": value, "origin": origin} for key, value, origin in rows]
        out(to_json({"schema_version": 1, "settings": entries}))
        return
    width = max(len(f"{key} = {value}") for key, value, _ in rows)
    for key, value, origin in rows:
        shown = f"{key} = {value}"
        out(safe.terminal(f"{shown:<{min(width, 60)}}  # {origin}") + "\n")


def set_(call: Call, key: str, value: str) -> None:
    """Set a value in the nearest configuration file, or in a new mdtally.toml; comments stay."""
    set_values({key: value}, call.config)


def set_values(values: Mapping[str, str], config: Path | None) -> None:
    """Set values in one write and say so; what is not allowed ends the call with exit code 2."""
    from mdtally.settings import write

    target, changed = change(lambda text, path: write.set_values(text, values, path=path), config)
    for key, value in values.items():
        note(f"{target}: {key} = {value}" + ("" if changed else " (it was so already)"))


def change(edit: Callable[[str, str], str | Problem], config: Path | None) -> tuple[Path, bool]:
    """Change the nearest configuration file, or make a mdtally.toml; gives its path and whether anything changed.

    Args:
        edit: makes the new text of the old one and of the file's path, or says why not, which ends the call.
        config: the file to change instead of the nearest one.
    """
    import codecs

    from mdtally import files

    found = [text for text in files.find_config(Path()) if text.role != "ignored"] if config is None else []
    target = config or (Path(found[0].path) if found else Path("mdtally.toml"))
    is_changed = False

    def changed(data: bytes) -> bytes | str:
        nonlocal is_changed
        bom = codecs.BOM_UTF8 if data.startswith(codecs.BOM_UTF8) else b""
        text = files.attempt(data.removeprefix(bom).decode)
        if isinstance(text, files.Refusal):
            return "not UTF-8; save it as UTF-8"
        edited = edit(text, str(target))
        if not isinstance(edited, str):
            fail(edited.message)
        is_changed = edited != text
        return bom + edited.encode()

    with files.locked(target) as refusal:
        granted(refusal, target)
        granted(files.edit(target, changed, may_be_new=True), target)
    return target, is_changed


HELP = "Show and set the configuration."
COMMAND = {
    "show": Command(
        show,
        None,
        Argument("path", "A file or folder; the settings that hold for it are shown.", Path, Path(), needed=False),
        output_format("text", "json"),
        *shared("config isolated allow-outside"),
    ),
    "set": Command(
        set_,
        None,
        Argument("key", "A dotted key, such as lint.mode or model.claude-*.sycophancy-ceiling.", str),
        Argument("value", "The value: a number, a word, true, or a comma-separated list.", str),
        *shared("config"),
    ),
}
