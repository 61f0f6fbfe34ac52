"""``mdtally config``: the effective settings with their origins, and setting one of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mdtally.cli import options as shared
from mdtally.cli.common import Call, ExitCode, fail, granted, note, out, read

if TYPE_CHECKING:
    from mdtally.model import Refusal


app = shared.new_app("Show and set the configuration.")


def complete_keys(incomplete: str) -> list[tuple[str, str]]:
    """Keys of settings that begin so, each with what it does, for a shell's completion."""
    from mdtally.settings.schema import SCHEMA

    return [(one.key, one.help) for one in SCHEMA if one.key.startswith(incomplete)]


def complete_values(ctx: typer.Context, incomplete: str) -> list[str]:
    """Words that the value of the key before may be, for a shell's completion."""
    from mdtally.settings.schema import SCHEMA

    kind = next((one.kind for one in SCHEMA if one.key == ctx.params.get("key")), "")
    words = kind if isinstance(kind, tuple) else ("true", "false") if kind == "switch" else ()
    return [word for word in words if word.startswith(incomplete)]


ForPath = Annotated[Path, typer.Argument(readable=False, help="A file or folder; its settings are shown.")]
_KEY = "A dotted key, such as lint.mode or model.claude-*.sycophancy-ceiling."
_VALUE = "The value: a number, a word, true, or a comma-separated list."
Key = Annotated[str, typer.Argument(help=_KEY, autocompletion=complete_keys)]
Value = Annotated[str, typer.Argument(help=_VALUE, autocompletion=complete_values)]


@app.command()
def show(
    path: ForPath = Path(),
    output_format: shared.TextOrJson = "text",
    config: shared.Config = None,
    isolated: shared.Isolated = False,
    allow_outside: shared.AllowOutside = False,
) -> ExitCode:
    """Show the settings that hold for a file, with their origins.

    For a file that exists they are those with which it is judged: what its frontmatter says comes before the
    configuration, and its domain and model choose thresholds.
    """
    from mdtally import files, settings
    from mdtally.output import safe
    from mdtally.reports import FileError

    call = Call(config=config, isolated=isolated, allow_outside=allow_outside)
    found = call.settings(path)
    document = read(path) if isinstance(files.size(path), int) else None
    if isinstance(document, FileError):
        fail(f"{path}: {document.message}")
    rows = settings.effective_values(found, document.head if document else None)
    if output_format == "json":
        from mdtally.render.json_document import to_json

        out(to_json({"schema_version": 1, "settings": rows}))
        return ExitCode.CLEAN
    width = max(len(f"{row.key} = {row.value}") for row in rows)
    for row in rows:
        shown = f"{row.key} = {row.value}"
        out(safe.terminal(f"{shown:<{min(width, 60)}}  # {row.origin}") + "\n")
    return ExitCode.CLEAN


@app.command("set")
def set_(key: Key, value: Value, config: shared.Config = None) -> ExitCode:
    """Set a value in the nearest configuration file, or a new one.

    A new one is a mdtally.toml in this folder. Comments and layout stay as they are.
    """
    set_values({key: value}, config)
    return ExitCode.CLEAN


@app.command()
def unset(key: Key, config: shared.Config = None) -> ExitCode:
    """Take a value out of the nearest configuration file.

    Then the default holds again. A table's key, such as lint.severity, takes out all of it. Comments and layout
    stay as they are.
    """
    from mdtally.settings import write

    target, _ = change(lambda text, path: write.unset_value(text, key, path=path), config, may_be_new=False)
    note(f"{target}: {key} is not set any more")
    return ExitCode.CLEAN


def set_values(values: Mapping[str, str], config: Path | None) -> None:
    """Set values in one write and say so; what is not allowed ends the call with exit code 2."""
    from mdtally.settings import write

    target, changed = change(lambda text, path: write.set_values(text, values, path=path), config)
    for key, value in values.items():
        note(f"{target}: {key} = {value}" + ("" if changed else " (it was so already)"))


def change(
    edit: Callable[[str, str], str | Refusal], config: Path | None, *, may_be_new: bool = True
) -> tuple[Path, bool]:
    """Change the nearest configuration file, or make a mdtally.toml; gives its path and whether anything changed.

    Args:
        edit: makes the new text of the old one and of the file's path, or says why not, which ends the call.
        config: the file to change instead of the nearest one.
        may_be_new: False if there is nothing to change where there is no file.
    """
    import codecs

    from mdtally import files

    found = [text for text in files.find_config(Path()) if text.role != "ignored"] if config is None else []
    target = config or (Path(found[0].path) if found else Path("mdtally.toml"))
    is_changed = False

    def changed(data: bytes) -> bytes | files.Refusal:
        nonlocal is_changed
        bom = codecs.BOM_UTF8 if data.startswith(codecs.BOM_UTF8) else b""
        text = files.attempt(data.removeprefix(bom).decode)
        if isinstance(text, files.Refusal):
            return files.Refusal("not UTF-8; save it as UTF-8")
        edited = edit(text, str(target))
        if not isinstance(edited, str):
            fail(edited.reason)
        is_changed = edited != text
        return bom + edited.encode()

    with files.locked(target) as refusal:
        granted(refusal, target)
        granted(files.edit(target, changed, may_be_new=may_be_new), target)
    return target, is_changed
