"""``mdtally rule``: explain a rule, or list them all."""

from __future__ import annotations

from mdtally.cli.common import Call
from mdtally.cli.options import Argument, Command, echo, fail, output_format


def rule(call: Call, name: str) -> None:
    """Explain a rule: what it checks, why, bad and good, and where it errs."""
    from mdtally import rules

    if mode := rules.failure_mode(name):
        echo(mode, nl=False)
        return
    found = rules.find(name) if name else None
    if name and found is None:
        fail(f"there is no rule {name}; the nearest is {rules.nearest(name)} (`mdtally rule` lists them all)")
    chosen = [found] if found else list(rules.TABLE)
    if call.output_format == "json":
        from mdtally.render.json_reports import to_json

        fields = ("code", "name", "severity", "default", "layer", "url")
        rows = [
            {field: getattr(one, field) for field in fields}
            | {"summary": rules.page(one).summary, "docs": rules.page(one).text}
            for one in chosen
        ]
        echo(to_json({"schema_version": 1, "rules": rows}), nl=False)
    elif found:
        echo(rules.shown(found), nl=False)
    else:
        for one in chosen:
            off = "" if one.default else " (off by default)"
            echo(f"{one.code}  {one.name:<24} {one.severity:<8} {rules.page(one).summary}{off}")


COMMAND = Command(
    rule,
    "Explain a rule.",
    Argument("name", "Code or name, such as MDT102, too-short or F01; empty lists all.", str, "", needed=False),
    output_format("text", "json"),
)
