"""``report`` in its formats: a page of HTML, a note in Markdown, JSON; and the transcript with findings at their words.

A page shows the turns as the Markdown that they are, a note as an escaped quotation; see ``bodies``.
"""

from __future__ import annotations

from base64 import b64encode
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path

from mdtally.ask import session_words
from mdtally.ask.picture import PicturedEvent, Reported
from mdtally.check.debate import Debate, TurnAnswer
from mdtally.check.panel import panel_voices
from mdtally.show import bodies, session_page
from mdtally.show.card import report_card
from mdtally.show.debate_page import answer_words, debate_page, headline, round_name, voices_section
from mdtally.show.findings import Finding, diagnostic_fields, findings, flagged_responses
from mdtally.show.json_document import Object, to_json
from mdtally.show.page import PageContent, fill_template
from mdtally.text import safe
from mdtally.text.intervals import ENOUGH
from mdtally.text.model import FileError, Turn
from mdtally.text.percent import count
from mdtally.text.records import pick, replace
from mdtally.text.regex import regex

_WIDTHS = (704, 320)
"""Points across of a session's picture, on a desk and on a phone."""
MOST_FLAGGED = 12
"""Links to flagged responses on top of a page."""
# "- a", "3. a", which would open a list.
_OPENS = regex(r"^(\d*)([-+.)])")


def report_html(file: Reported) -> str:
    """The page of a file."""
    from markupsafe import Markup

    debate, picture, page, verdict = file.debate, file.picture, _page(file), ""
    if picture and picture.events:
        # What proves the sentence stands right below it, above the picture.
        first, *others = page.sections
        *more, verdict = first.sentences
        page = replace(page, sections=(*([replace(first, sentences=tuple(more))] if more else []), *others))
    card_name = f"{Path(debate.file.filename).stem}.svg"
    has_card = bool(picture.events if picture else debate.state == "judged")
    outcomes = session_page.outcomes_by_turn(picture)
    rules = {finding.rule.code: finding.rule for finding in findings(debate.file)}
    return fill_template(
        "report.html",
        kind=lambda answer: "event" if answer.turn.index in outcomes else answer.answer or "open",
        drawn=[session_page.drawn_session(picture, width) for width in _WIDTHS] if picture and picture.events else [],
        few=bool(picture and len(picture.events) < ENOUGH),
        heights=session_words.HEIGHTS,
        line_legend=[*session_words.legend(picture)] if picture else [],
        body=bodies.turn_html,
        rule_link=lambda finding: Markup(bodies.rule_link(finding)),
        flagged=flagged_responses(debate.file),
        most_flagged=MOST_FLAGGED,
        rules=[(rule, bodies.rule_html(rule.page.text)) for _, rule in sorted(rules.items())],
        page=page,
        verdict=verdict,
        card=f"data:image/svg+xml;base64,{b64encode(report_card(file).encode()).decode()}" if has_card else "",
        card_name=card_name,
        card_command=f"mdtally report {safe.argument(debate.file.filename)} -o {safe.argument(card_name)}",
        **_transcript_values(file),
    )


def report_markdown(file: Reported) -> str:
    """A file as a note: findings are bold, and link to their rule's page."""
    page = _page(file)
    drawn = session_page.line_section(file.picture) if file.picture else []
    page = replace(page, sections=(*drawn, *page.sections))
    values = _transcript_values(file)
    return fill_template("report.md", page=page, marks="#", link=None, quotation=_quotation, rule=_rule_link, **values)


PAGES: Mapping[str, Callable[[Reported], str]] = {"html": report_html, "markdown": report_markdown, "svg": report_card}
"""The formats of which each file is a page of its own."""


def report_index(files: Sequence[Reported], names: Sequence[str], suffix: str) -> str:
    """The page that leads to the pages of several files, each with its sentence.

    Args:
        files: debates and sessions.
        names: the names of their pages, which stand beside this one.
        suffix: ".html" or ".md".
    """
    from markupsafe import Markup

    rows = sorted(zip(files, names, strict=True), key=lambda row: row[0].date)
    pages = [(_page(file), file.date, Markup(safe.uri(name))) for file, name in rows]
    entries = [(page.lead[0], date, address, page.title) for page, date, address in pages]
    voices = voices_section(panel_voices([(file.debate, file.models) for file in files]))
    page = PageContent(count(len(files), "page"), (), voices)
    return fill_template(f"index{suffix}", page=page, entries=entries, marks="#", link=None)


def _page(file: Reported) -> PageContent:
    """What stands above the transcript: of a session its events, of a debate who argues."""
    if file.picture is None:
        return debate_page(file.debate)
    return session_page.session_page(file.picture, file.debate.file.filename)


def _transcript_values(file: Reported) -> dict[str, object]:
    """What both kinds of page show of the transcript: by turn what was found in it, by line the round it opens."""
    outcomes, debate = session_page.outcomes_by_turn(file.picture), file.debate
    within, notes = findings_by_turn(debate)
    opens = {one.line: one for one in debate.rounds} if len(debate.rounds) > 1 and debate.state != "session" else {}
    return {
        "debate": debate,
        "answer": lambda answer: outcomes.get(answer.turn.index, answer_words(answer)),
        "round_name": round_name,
        "opens": opens,
        "notes": notes,
        "within": within,
    }


# -- The transcript ---------------------------------------------------------------------------------------------------


def findings_by_turn(debate: Debate) -> tuple[defaultdict[int, list[Finding]], defaultdict[int, list[Finding]]]:
    """By turn, the findings at words of its body, and the others, about the whole of it; 0 for those of no turn."""
    turn_of = {line.line: one.turn.index for one in debate.turns for line in one.turn.lines}
    within = defaultdict[int, list[Finding]](list)
    notes = defaultdict[int, list[Finding]](list)
    for finding in findings(debate.file):
        region = finding.problem.region
        turns = {turn_of[n]: None for n in range(region.line, region.end_line + 1) if n in turn_of}
        if turns and (finding.problem.evidence or not finding.turn):
            for index in turns:
                within[index].append(finding)
        else:
            notes[finding.turn.index if finding.turn else 0].append(finding)
    return within, notes


# -- The transcript as Markdown ---------------------------------------------------------------------------------------


def _quotation(turn: Turn, found: Sequence[Finding]) -> str:
    """A turn's words as a quotation in Markdown."""
    marked, marks = bodies.mark_findings(turn.lines, found)
    words = ""
    for piece, severity, finished in bodies.pieces(marked, "\n", marks):
        text = piece if piece == "\n" else safe.markdown(piece)
        words += f"**{text}**" if severity and text.strip() == text else text
        words += f" ({_rule_link(finished)})" if finished else ""
    lines = [_plain_line(line) for line in words.split("\n")]
    # A backslash breaks a line, where another one follows; prose that was wrapped by hand flows on.
    ends = [
        "\\" if line and following and not bodies.flows_on(turn.lines, n) else ""
        for n, (line, following) in enumerate(pairwise([*lines, ""]))
    ]
    return "\n".join(f"> {line}{end}".rstrip() for line, end in zip(lines, ends, strict=True))


def _plain_line(line: str) -> str:
    """A line of a turn, such that it opens no list and no code."""
    bare = line.lstrip(" ")
    return "&nbsp;" * (len(line) - len(bare)) + _OPENS.sub(r"\1\\\2", bare.rstrip()) if bare else ""


def _rule_link(finding: Finding) -> str:
    rule = finding.rule
    return f"[{rule.code}]({rule.url})" if rule.url else rule.code


# -- As JSON ----------------------------------------------------------------------------------------------------------


def report_json(files: Sequence[Reported], errors: Sequence[FileError] = ()) -> str:
    """Debates and sessions as JSON, and what each voice does over all debates."""
    judged = [file for file in sorted(files, key=lambda file: file.date) if file.debate.state == "judged"]
    report = {
        "generator": "mdtally report",
        "schema_version": 3,
        "voices": panel_voices([(file.debate, file.models) for file in files]),
        "debates": [_debate_fields(file.debate, file.date) for file in judged],
        "files": [_file_fields(file) for file in files],
        "errors": errors,
    }
    return to_json(report)


def _debate_fields(debate: Debate, date: str) -> Object:
    turns = len(debate.turns)
    return {"filename": debate.file.filename, "date": date or None, "turns": turns, "answers": debate.answers}


def _file_fields(file: Reported) -> Object:
    debate, picture, session = file.debate, file.picture, None
    if picture:
        events = [_event_fields(event) for event in picture.events]
        session = {**pick(picture, "replies pressed without_facts"), "events": events}
    against = [{"speaker": who, "whom": whom or None, "turns": turns} for (who, whom), turns in debate.against.items()]
    return {
        **pick(debate.file, "filename kind reading"),
        **pick(debate, "state voices rounds"),
        "against": against,
        "turns": [_answer_fields(answer) for answer in debate.turns],
        "diagnostics": [diagnostic_fields(finding) for finding in findings(debate.file)],
        "headline": " ".join(session_words.session_sentences(picture)) if picture else headline(debate),
        "session": session,
    }


def _answer_fields(answer: TurnAnswer) -> Object:
    return {
        **pick(answer.turn, "index line group round speaker kind words"),
        **pick(answer, "answer score decided_by? against"),
        "repeats_line": answer.repeats and answer.repeats.line,
    }


def _event_fields(event: PicturedEvent) -> Object:
    return {
        **pick(event, "line outcome event=entry.event.letter reason=entry.reason"),
        **pick(event.exchange, "human_line=run.human_line message=run.message reply_line=run.line reply=run.reply"),
        **pick(event.exchange, "brought=between.brought looked=between.looked"),
    }
