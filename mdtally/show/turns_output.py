"""``turns`` for a person, and as JSON."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from glob import escape
from pathlib import PurePath

from mdtally.check.reports import TurnsReport
from mdtally.check.settling import Offer, unknown_voices
from mdtally.show.files_output import Formats, each_file, each_file_json
from mdtally.show.findings import diagnostic_fields, to_findings
from mdtally.show.json_document import Object
from mdtally.show.lint_text import finding_lines
from mdtally.show.page import Section, Table, section_lines
from mdtally.show.style import Options
from mdtally.text import safe
from mdtally.text.model import Letter, Transcript, Turn
from mdtally.text.percent import count
from mdtally.text.records import by_key, pick

_DOUBTS = {"unsure": " (unsure)", "pattern": " (as its pattern says)", "declared": " (as declared)"}
_FIRST = 3
_LONGEST = 60
"""How many characters of an offer's ends, or what it ignores, are shown; of more their number."""


@each_file
def turns_text(report: TurnsReport, options: Options) -> Iterator[str]:
    """What each file was read as, who speaks, and every turn in a table."""
    transcript = report.transcript
    words = by_key(((turn.speaker, turn.kind), turn.words) for turn in transcript.turns)
    voices = tuple((*who, str(len(of_turns)), str(sum(of_turns))) for who, of_turns in words.items())
    rows = tuple(_turn(turn, report) for turn in transcript.turns)
    tables = (
        Table(("speaker", "kind", "turns:", "words:"), voices),
        Table(("#:", "line:", "round:", "speaker", "kind", "words:", "tags", ""), rows),
    )
    told = _reading(transcript) + ", unless it is read so:" * bool(report.offers and not transcript.turns)
    yield from section_lines(Section(safe.path(report.filename), told, tables=tables), options)
    for finding in to_findings(report.filename, transcript.problems, transcript.turns):
        yield from finding_lines([finding], options)
    if report.form and transcript.reading != "unsure":
        yield from ("", f"read as {_patterns(report.form)}: {_voices(report.form)}")
    yield from _offers(report, options)


def _turn(turn: Turn, report: TurnsReport) -> tuple[str, ...]:
    """A row: at its end what was cut from the label, and whether the turn is a placeholder."""
    parts = "placeholder" * turn.placeholder, f"to {turn.addressee}" * bool(turn.addressee), turn.model
    place = str(turn.index), str(turn.line), "" if turn.round is None else str(turn.round)
    tags = " ".join(report.tags.get(turn.index, ()))
    return (*place, turn.speaker, turn.kind, str(turn.words), tags, "; ".join(filter(None, parts)))


def _reading(transcript: Transcript) -> str:
    if transcript.reading == "unsure" and not transcript.turns:
        return "unsure: it may hold a conversation, but no turn was recognised"
    if transcript.kind is None and not transcript.turns:
        return "no transcript"
    form = f", read as {transcript.exporter}" if transcript.exporter else ""
    rounds = len({turn.group for turn in transcript.turns})
    stated = any(turn.round is not None for turn in transcript.turns)
    within = f" in {count(rounds, 'round' if stated else 'group')}" if rounds else ""
    doubt = _DOUBTS.get(transcript.reading, "")
    return f"{transcript.kind or 'transcript'}{form}{doubt}: {count(len(transcript.turns), 'turn')}{within}"


def _patterns(offer: Offer, longest: int = 0) -> str:
    """The patterns of a reading: "`### {speaker}`; ends `---`"; those of ends over the longest are only counted."""
    shown = _in_backticks(offer.turn_patterns)
    for key, word in (("round", "rounds"), ("end", "ends"), ("ignore", "ignores")):
        if isinstance(found := offer.patterns.get(key), Sequence):
            one = _in_backticks(dict.fromkeys(found))
            shown += f"; {word} " + (f"({len(found)} patterns)" if 0 < longest < len(one) else one)
    return shown


def _in_backticks(patterns: Iterable[str]) -> str:
    return ", ".join(f"`{safe.terminal(one)}`" for one in patterns)


def _voices(offer: Offer) -> str:
    return ", ".join(f"{safe.terminal(name)} {number}" for name, number in offer.voices.items())


def _own_lines(offer: Offer, offers: Sequence[Offer]) -> Sequence[int]:
    """The first label lines of an offer, of those that not all offers share if it has some."""
    shared = set(offer.lines).intersection(*(other.lines for other in offers))
    return ([line for line in offer.lines if line not in shared] or offer.lines)[:_FIRST]


def _offers(report: TurnsReport, options: Options) -> Iterator[str]:
    """What an unsure file may be read as, and the one command that settles it."""

    def label_lines(labels: Iterable[tuple[int, str]]) -> Iterator[str]:
        return (safe.clip(f"   line {line}: {safe.opening(text)}", options.width) for line, text in labels)

    name = safe.argument(report.filename)
    pointing = f"point at one label line of each voice: mdtally turns {name} --like LINE --like LINE"
    for number, offer in enumerate(report.offers, start=1):
        by = f"proposed by {safe.terminal(offer.proposed_by)}: " if offer.proposed_by else ""
        yield from ("", f"{number}. {by}{_voices(offer)}: {_patterns(offer, _LONGEST)}")
        yield from label_lines((line, report.lines[line - 1].strip()) for line in _own_lines(offer, report.offers))
    if report.offers:
        first, last = report.offers[0], report.offers[-1]
        command = f"mdtally turns {name}" + "".join(f" {safe.terminal(option)}" for option in report.asked)
        if last.proposed_by:
            yield from ("", f"To keep the proposed one: {command} --ask cached --accept {len(report.offers)}")
        if not first.proposed_by:
            yield from ("", f"To keep the first one: {command} --accept 1")
        alike = safe.argument(f"{PurePath(escape(report.filename)).parent.as_posix()}/*.md")
        yield f"If all files of its folder are like it, add --save {alike}; any other file there is an error then."
        yield f"If none is right, {pointing}"
        if unknown := unknown_voices(first.turns):
            voice, *others = map(safe.terminal, unknown[:_FIRST])
            command += f"{' --ask cached' * bool(first.proposed_by)} --accept 1 --human {shlex.quote(voice)}"
            yield f"Is one of them a person? Say who: `{command}`{''.join(f', or {other}' for other in others)}"
    elif report.advice:
        yield report.advice
        yield f"If some lines do, {pointing}"
        voices = "--turn 'Me=> {text}' --turn 'Agent={text}'"
        yield f"If only your words are quoted, say so: mdtally turns {name} {voices}"
    elif report.likely:
        yield "These lines look most like labels:"
        yield from label_lines(report.likely)
        yield f"If some are, {pointing}"
    if report.advice or report.likely:
        yield f"If no line says who speaks, answer paragraph by paragraph: mdtally review {name}"


# -- As JSON ----------------------------------------------------------------------------------------------------------


def _file_fields(file: TurnsReport) -> Object:
    transcript = file.transcript
    found = to_findings(file.filename, transcript.problems, transcript.turns)
    return {
        **pick(file, "filename kind=transcript.kind exporter?=transcript.exporter"),
        "turns": [turn_fields(turn, file.tags) for turn in transcript.turns],
        **pick(transcript, "declared reading"),
        "form": _offer_fields(file.form) if file.form else None,
        "offers": [_offer_fields(offer) for offer in file.offers],
        "likely_labels": [{"line": line, "text": text} for line, text in file.likely],
        "advice": file.advice or None,
        "problems": [diagnostic_fields(finding) for finding in found],
    }


def _offer_fields(offer: Offer) -> Object:
    return {**pick(offer, "patterns participants kind"), "turns": len(offer.turns), **pick(offer, "lines proposed_by?")}


def turn_fields(turn: Turn, tags: Mapping[int, Sequence[Letter]]) -> Object:
    """A turn with its letters."""
    return {
        **pick(turn, "index line end_line round speaker kind words"),
        "tags": tags.get(turn.index, ()),
        **pick(turn, "group placeholder model? addressee?"),
    }


FORMATS: Formats[TurnsReport] = {"text": turns_text, "json": each_file_json(3, _file_fields)}
