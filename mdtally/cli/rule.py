"""``mdtally rule``: explain a rule, or list them all."""

from __future__ import annotations

from typing import Annotated

from mdtally.cli import common
from mdtally.cli.options import Argument, Command, echo


def rule(
    name: Annotated[str, Argument(help="Code or name, such as MDT102, too-short or F01; empty lists all.")] = "",
    output_format: common.TextOption = "text",
) -> None:
    """Explain a rule: what it checks, why, bad and good, and where it errs."""
    from mdtally import rules

    if output_format not in ("text", "json"):
        common.fail(f"--output-format is {output_format!r}; there are text and json")
    if mode := rules.failure_mode(name):
        echo(mode, nl=False)
        return
    found = rules.find(name) if name else None
    if name and found is None:
        common.fail(f"there is no rule {name}; the nearest is {rules.nearest(name)} (`mdtally rule` lists them all)")
    chosen = [found] if found else list(rules.TABLE)
    if output_format == "json":
        import json

        fields = ("code", "name", "severity", "default", "layer", "url")
        rows = [
            {field: getattr(one, field) for field in fields}
            | {"summary": rules.page(one).summary, "docs": rules.page(one).text}
            for one in chosen
        ]
        echo(json.dumps({"schema_version": 1, "rules": rows}, ensure_ascii=False, indent=2))
    elif found:
        echo(rules.shown(found), nl=False)
    else:
        for one in chosen:
            off = "" if one.default else " (off by default)"
            echo(f"{one.code}  {one.name:<24} {one.severity:<8} {rules.page(one).summary}{off}")


COMMAND = Command(rule, "Explain a rule.")
