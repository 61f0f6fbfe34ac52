"""``report --output-format html``: a debate as one page: the sentence, the tables, the transcript with its findings.

The transcript is shown as text, line by line; none of its Markdown becomes markup. Template and style are
``pages/report.html`` and ``pages/report.css``.
"""

from __future__ import annotations

from collections.abc import Sequence

from mdtally.debate import Debate
from mdtally.regex import regex
from mdtally.render import report_words as words
from mdtally.render.findings import findings, flagged
from mdtally.render.pages import page
from mdtally.render.report_transcript import placed, transcript
from mdtally.rules import Rule
from mdtally.rules import page as rule_page

MOST_FLAGGED = 12
"""Links to flagged turns at the top."""
_LINK = regex(r"\[([^\]]*)\]\([^)\s]*\)")


def render(debates: Sequence[Debate], *_: object) -> str:
    """The page of the one debate that there is."""
    (debate,) = debates
    rules = {finding.code: rule for finding in findings(debate.file) if (rule := finding.rule)}
    return "".join(
        page(
            "report.html",
            debate=debate,
            file=debate.file,
            words=words,
            tables=list(words.tables(debate)),
            flagged=flagged(debate.file),
            most_flagged=MOST_FLAGGED,
            notes=placed(debate).rest,
            shown=transcript(debate),
            rules=[(rule, _page(rule)) for _, rule in sorted(rules.items())],
        )
    )


def _page(rule: Rule) -> str:
    """A rule's page as markup: our own text, without its links to other pages."""
    import mistune
    from markupsafe import Markup

    text = _LINK.sub(r"\1", rule_page(rule).text).replace("\n## ", "\n#### ")
    return Markup(mistune.create_markdown(escape=True)(f"#### {text.removeprefix('## ')}"))
