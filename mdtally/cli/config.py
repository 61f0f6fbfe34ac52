"""``mdtally config``: the effective settings with their origins, and setting one of them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mdtally.cli.common import ConfigOption, Configurations, IsolatedOption, fail, note, one_of, out


def register(app: typer.Typer) -> None:
    """Add the group of commands to the application."""
    group = typer.Typer(
        name="config", help="Show and set the configuration.", no_args_is_help=True, rich_markup_mode=None
    )
    group.command("show")(show)
    group.command("set")(set_)
    app.add_typer(group)


def show(
    path: Annotated[
        Path, typer.Argument(help="A file or folder; the settings that hold for it are shown.", readable=False)
    ] = Path(),
    output_format: Annotated[str, typer.Option("--output-format", help="text or json.")] = "text",
    config: ConfigOption = None,
    isolated: IsolatedOption = False,
) -> None:
    """Show the effective settings for a file, and where each value comes from."""
    from mdtally import settings
    from mdtally.render import safe

    one_of("--output-format", output_format, ("text", "json"))
    rows = settings.rows(Configurations(config, isolated).for_path(path))
    if output_format == "json":
        from mdtally.render.findings import to_json

        entries = [{"key": key, "value": value, "origin": origin} for key, value, origin in rows]
        out(to_json({"schema_version": 1, "settings": entries}))
        return
    width = max(len(f"{key} = {value}") for key, value, _ in rows)
    for key, value, origin in rows:
        shown = f"{key} = {value}"
        out(safe.terminal(f"{shown:<{min(width, 60)}}  # {origin}") + "\n")


def set_(
    key: Annotated[str, typer.Argument(help="A dotted key, such as lint.mode or model.claude-*.sycophancy-ceiling.")],
    value: Annotated[str, typer.Argument(help="The value: a number, a word, true, or a comma-separated list.")],
    config: ConfigOption = None,
) -> None:
    """Set a value in the nearest configuration file, or in a new mdtally.toml; comments stay."""
    set_value(key, value, config)


def set_value(key: str, value: str, config: Path | None) -> None:
    """Set a value and say so; what is not allowed ends the call with exit code 2."""
    from mdtally import files
    from mdtally.model import Problem
    from mdtally.settings import schema, write

    found = files.find_config(Path.cwd()) if config is None else files.read_config(config)
    target, text = (Path(found[0].path), found[0].text) if found else (config or Path("mdtally.toml"), "")
    if found and found[0].error and target.exists():
        fail(f"{target}: {found[0].error}")
    key = schema.full_key(key)
    edited = write.set_value(text, key, value, path=str(target))
    if isinstance(edited, Problem):
        fail(edited.message)
    refusal = files.write_atomically(target, edited.encode())
    if refusal:
        fail(f"{target}: {refusal.reason}")
    note(f"{target}: {key} = {value}" + ("" if edited != text else " (it was so already)"))
