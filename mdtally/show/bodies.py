"""Words of a transcript for a page: Markdown rendered by mistune, and each finding marked at its words.

Nothing in a transcript is markup of ours: raw HTML is shown as text, a link or an image as its words and its address.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import pairwise
from typing import Any

from markupsafe import Markup

from mdtally.show.findings import Finding
from mdtally.text import safe
from mdtally.text.model import SEVERITIES, TextLine
from mdtally.text.regex import regex

WRAPPED = 60
"""From this length on, a line that prose follows was wrapped by hand."""
BEGIN, END = "\ufdd0", "\ufdd1"
"""Stand where a finding's words begin and end: noncharacters, which no text holds, and Markdown takes for letters."""

_SIGNS = regex(f"[{BEGIN}{END}]")
# A line of prose: it begins with a letter or a quote mark.
_PROSE = regex(r"[^\W\d_]|[\"'“‘(]")
# "  - > **" before the words of a line, and "**" behind them: marks of Markdown that a finding's words stand within.
_BEFORE = regex(r"\A(?:\s|[-+>|#*_~`=]|\d+[.)](?=\s))*")
_BEHIND = regex(r"[\s|*_~`=]*$")
# [text](address) in a rule's page.
_LINK = regex(r"\[([^\]]*)\]\([^)\s]*\)")


def mark_findings(lines: Sequence[TextLine], findings: Sequence[Finding]) -> tuple[str, list[Finding]]:
    """Lines as one harmless text, with BEGIN and END where the words of each finding do; and the finding of each mark.

    Args:
        lines: the lines of a turn.
        findings: what was found in them.
    """
    marks: list[tuple[int, int, int, Finding]] = []  # line, offset, what comes first at one offset, finding
    for finding in findings:
        region = finding.problem.region
        covered = [n for n, line in enumerate(lines) if region.line <= line.line <= region.end_line]
        first, last = lines[covered[0]], lines[covered[-1]]
        start = max(0, region.column - first.column) if region.line == first.line else 0
        end = max(0, region.end_column - last.column) if region.end_line == last.line else len(last.text)
        start += len(first.text[start:]) - len(_BEFORE.sub("", first.text[start:]))
        end = len(_BEHIND.sub("", last.text[:end]))
        if (covered[0], start) >= (covered[-1], end):
            end = start
        marks += [(covered[0], start, 1, finding), (covered[-1], end, 2 if end == start else 0, finding)]
    marks.sort(key=lambda mark: mark[:3])
    shown = []
    for number, line in enumerate(lines):
        here = [mark for mark in marks if mark[0] == number]
        cuts = [0, *(min(mark[1], len(line.text)) for mark in here), len(line.text)]
        parts = [_harmless(line.text[start:end]) for start, end in pairwise(cuts)]
        signs = [*(BEGIN if mark[2] == 1 else END for mark in here), ""]
        shown.append("".join(part + sign for part, sign in zip(parts, signs, strict=True)))
    return "\n".join(shown), [mark[3] for mark in marks]


def _harmless(text: str) -> str:
    return safe.terminal(text.replace(BEGIN, "\ufffd").replace(END, "\ufffd").expandtabs(4))


def flows_on(lines: Sequence[TextLine], number: int) -> bool:
    """True if a line was wrapped by hand, so that its end means nothing."""
    following = lines[number + 1].text if number + 1 < len(lines) else ""
    return len(lines[number].text) >= WRAPPED and bool(_PROSE.match(following))


def pieces(text: str, between: str, marks: Iterable[Finding]) -> Iterator[tuple[str, str, Finding | None]]:
    """A marked text cut where findings begin and end: a piece, the gravest severity there or "", what ends behind it.

    Args:
        text: it holds the marks in their order.
        between: a regular expression of what is never marked, a tag or a line end.
        marks: the finding that each stands for.
    """
    waiting, active = iter(marks), list[Finding]()
    for piece in re.split(f"({between}|[{BEGIN}{END}])", text):
        if piece == BEGIN:
            active.append(next(waiting))
        elif piece == END:
            finished = next(waiting)
            active.remove(finished)
            yield "", "", finished
        elif piece:
            is_marked = active and piece.strip() and not re.fullmatch(between, piece)
            gravest = max((one.problem.severity for one in active), key=SEVERITIES.index) if is_marked else ""
            yield piece, gravest, None


# -- As HTML ----------------------------------------------------------------------------------------------------------


def turn_html(lines: Sequence[TextLine], findings: Sequence[Finding] = ()) -> Markup:
    """The lines of a turn as HTML, with each finding underlined and linked to its rule on the page."""
    from markupsafe import Markup

    marked, marks = mark_findings(lines, findings)
    numbered = enumerate(marked.split("\n"))
    text = "\n".join(f"{line}  " if line.strip() and not flows_on(lines, n) else line for n, line in numbered)
    try:
        rendered = _markdown()(text)
    except RecursionError:  # what quotes lists in quotes, a hundred deep
        rendered = ""
    is_whole = _SIGNS.findall(rendered) == _SIGNS.findall(marked)
    if text.strip() and not (is_whole and rendered.strip()):
        # Where Markdown shows nothing (the address of a reference), a finding would be lost.
        rendered = "".join(f"{safe.markup(line)}<br>\n" for line in marked.split("\n"))
    shown = []
    for piece, severity, finished in pieces(rendered, "<[^>]*>", marks):
        shown.append(f'<mark class="{severity}">{piece}</mark>' if severity else piece)
        shown.append(f"<sup>{rule_link(finished)}</sup>" if finished else "")
    return Markup("".join(shown))


def rule_link(finding: Finding) -> str:
    """A link to the text of the finding's rule on the same page."""
    code, title = finding.rule.code, safe.markup(finding.problem.message)
    return f'<a class="rule-link" href="#{code}" title="{title}">{code}</a>'


def rule_html(text: str) -> Markup:
    """The text of a rule's page as HTML: our own words, without links to other pages."""
    from markupsafe import Markup

    text = _LINK.sub(r"\1", text).replace("\n## ", "\n# ")
    return Markup(_markdown()(f"# {text.removeprefix('## ')}"))


@cache
def _markdown() -> Any:
    """What renders Markdown, without any attribute that comes from the text."""
    from urllib.parse import quote

    import mistune

    class Renderer(mistune.HTMLRenderer):
        def heading(self, text: str, level: int, **attrs: Any) -> str:
            """A heading below those of the page."""
            return super().heading(text, min(level + 3, 6))

        def link(self, text: str, url: str, title: str | None = None) -> str:
            """The words and the address."""
            for mark in (BEGIN, END):
                url = url.replace(quote(mark), mark)
            address = self.text(f"{url} {title}" if title else url)
            return text if text == self.text(url) else f"{text} ({address})"

        def image(self, text: str, url: str, title: str | None = None) -> str:
            """As a link: nothing is loaded."""
            return self.link(f"[{text}]", url, title)

        def block_code(self, code: str, info: str | None = None) -> str:
            """Code, without the spaces that break lines of prose."""
            return super().block_code(code.replace("  \n", "\n"))

    return mistune.create_markdown(renderer=Renderer(escape=True), plugins=["table", "strikethrough"])
