"""What an editor shows of a text: diagnostics and hovers."""

from __future__ import annotations

from lsprotocol import types

from mdtally import events as tagging
from mdtally.check import rules
from mdtally.doors.server.text import EditorText
from mdtally.text import safe
from mdtally.text.model import Problem, Severity

WRITE = "mdtally.writeVerdict"
"""The server's command, which takes the address of a text."""

_SEVERITIES: dict[Severity, types.DiagnosticSeverity] = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "info": types.DiagnosticSeverity.Information,
}


def diagnostics(opened: EditorText) -> list[types.Diagnostic]:
    """Every finding as a diagnostic; what stands in the way of finding any comes first, at the first line."""
    refused = () if opened.is_excluded else opened.check_report[1]
    return [*map(trouble, (*opened.errors, *refused)), *(of_problem(opened, one) for one in opened.problems)]


def of_problem(opened: EditorText, problem: Problem) -> types.Diagnostic:
    """A finding as a diagnostic."""
    rule = rules.RULES[problem.rule]
    hint = f"\n{safe.terminal(problem.hint)}" if problem.hint else ""
    return types.Diagnostic(
        opened.range(problem.region),
        f"{safe.terminal(problem.message)}{hint}",
        severity=_SEVERITIES[problem.severity],
        code=rule.code,
        code_description=types.CodeDescription(rule.url) if rule.url else None,
        source="mdtally",
        data=rule.name,
    )


def trouble(message: str) -> types.Diagnostic:
    """What stands in the way of reading or judging a text, as a diagnostic at its beginning."""
    place, severity = types.Range(types.Position(0, 0), types.Position(0, 0)), types.DiagnosticSeverity.Error
    return types.Diagnostic(place, safe.terminal(message), severity=severity, source="mdtally")


def hover(opened: EditorText, position: types.Position) -> types.Hover | None:
    """The findings at a place, each with its rule's page; without one, on the label of a reply, what stands between it
    and the person's message.

    What a finding says may be words of the text, which are not the page's: they are inert.
    """
    line, column = opened.place(position)
    found = opened.at(line, column)
    if not found:
        exchange = None if opened.is_excluded else tagging.exchange_at(opened.document, line)
        if exchange is None or exchange.run.line != line:
            return None
        words = f"between the message and this reply: {safe.markdown(exchange.between.words)}"
        return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, words))
    parts = []
    for problem in found:
        rule = rules.RULES[problem.rule]
        hint = f"  \n{safe.markdown(problem.hint)}" if problem.hint else ""
        parts.append(f"**{rule.code}** {safe.markdown(problem.message)}{hint}")
    pages = [rules.page_markdown(rules.RULES[name]) for name in dict.fromkeys(problem.rule for problem in found)]
    text = "\n\n---\n\n".join(["\n\n".join(parts), *pages])
    return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, text), opened.range(found[0].region))
