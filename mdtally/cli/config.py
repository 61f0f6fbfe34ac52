"""``mdtally config``: the effective settings with their origins, and setting one of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from mdtally.cli import common
from mdtally.cli.options import Argument, Command

if TYPE_CHECKING:
    from mdtally.model import Problem


def show(
    path: Annotated[Path, Argument(help="A file or folder; the settings that hold for it are shown.")] = Path(),
    output_format: common.TextOption = "text",
    config: common.ConfigOption = None,
    isolated: common.IsolatedOption = False,
    allow_outside: common.AllowOutsideOption = False,
) -> None:
    """Show the effective settings for a file, and where each value comes from."""
    from mdtally import settings
    from mdtally.render import safe

    common.one_of("--output-format", output_format, ("text", "json"))
    rows = settings.rows(common.Configurations(config, isolated, allow_outside).for_path(path))
    if output_format == "json":
        from mdtally.render.findings import to_json

        entries = [{"key": key, "value": value, "origin": origin} for key, value, origin in rows]
        common.out(to_json({"schema_version": 1, "settings": entries}))
        return
    width = max(len(f"{key} = {value}") for key, value, _ in rows)
    for key, value, origin in rows:
        shown = f"{key} = {value}"
        common.out(safe.terminal(f"{shown:<{min(width, 60)}}  # {origin}") + "\n")


def set_(
    key: Annotated[str, Argument(help="A dotted key, such as lint.mode or model.claude-*.sycophancy-ceiling.")],
    value: Annotated[str, Argument(help="The value: a number, a word, true, or a comma-separated list.")],
    config: common.ConfigOption = None,
) -> None:
    """Set a value in the nearest configuration file, or in a new mdtally.toml; comments stay."""
    set_values({key: value}, config)


def set_values(values: Mapping[str, str], config: Path | None) -> None:
    """Set values in one write and say so; what is not allowed ends the call with exit code 2."""
    from mdtally.settings import write

    target, changed = change(lambda text, path: write.set_values(text, values, path=path), config)
    for key, value in values.items():
        common.note(f"{target}: {key} = {value}" + ("" if changed else " (it was so already)"))


def change(edit: Callable[[str, str], str | Problem], config: Path | None) -> tuple[Path, bool]:
    """Change the nearest configuration file, or make a mdtally.toml; gives its path and whether anything changed.

    Args:
        edit: makes the new text of the old one and of the file's path, or says why not, which ends the call.
        config: the file to change instead of the nearest one.
    """
    import codecs

    from mdtally import files
    from mdtally.model import Problem

    found = [text for text in files.find_config(Path()) if text.role != "ignored"] if config is None else []
    target = config or (Path(found[0].path) if found else Path("mdtally.toml"))
    with files.locked(target) as refusal:
        common.granted(refusal, target)
        was = files.read(target)
        data = b"" if was == files.MISSING else common.granted(was, target)
        bom = codecs.BOM_UTF8 if data.startswith(codecs.BOM_UTF8) else b""
        text = files.attempt(data.removeprefix(bom).decode)
        if isinstance(text, files.Refusal):
            common.fail(f"{target}: not UTF-8; save it as UTF-8")
        edited = edit(text, str(target))
        if isinstance(edited, Problem):
            common.fail(edited.message)
        if edited == text:
            return target, False
        refusal = files.write_atomically(target, bom + edited.encode(), was=was if isinstance(was, bytes) else None)
        common.granted(refusal, target)
    return target, True


HELP = "Show and set the configuration."
COMMAND = {"show": Command(show), "set": Command(set_)}
