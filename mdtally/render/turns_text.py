"""``turns`` for a person: what the file was read as, who speaks, and every turn in a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from mdtally.model import SpeakerKind, Transcript, Turn
from mdtally.render import safe
from mdtally.render.concise import line
from mdtally.render.findings import joined
from mdtally.render.style import Options
from mdtally.render.summary import count
from mdtally.render.table import table
from mdtally.reports import FileError, TurnsReport

_HEADINGS = ("#", "line", "round", "speaker", "kind", "words", "tags", "")
_NAME_WIDTH = 32
_NOTE_WIDTH = 48
_SHOWN = 12
_DOUBTS = {"unsure": " (unsure)", "pattern": " (as its pattern says)", "declared": " (as declared)"}


def render(files: Sequence[TurnsReport], options: Options, errors: Sequence[FileError] = ()) -> str:
    """Every file's reading, with a blank line between two; errors are for stderr, and not shown here."""
    return "\n".join("".join(f"{line}\n" for line in _file(file, options)) for file in files)


def _file(report: TurnsReport, options: Options) -> list[str]:
    transcript, paint = report.transcript, options.palette.paint
    lines = [f"{paint(safe.path(report.filename), 'strong')}: {_reading(transcript)}"]
    if transcript.turns:
        lines += ["", *_speakers(transcript, options), "", *_turns(report, options)]
    for finding in joined(report.filename, transcript.problems, transcript.turns):
        lines.append(line(finding, options))
        lines += [f"  {paint('help:', 'strong')} {safe.terminal(finding.problem.hint)}"] if finding.problem.hint else []
    lines += _doubts(report, options)
    return lines


def _doubts(report: TurnsReport, options: Options) -> list[str]:
    """Of an unsure or empty reading: the labels that were seen, the other reading, and what to declare."""
    transcript = report.transcript
    if transcript.reading not in ("unsure", "none"):
        return []
    shapes = ", ".join(f"{number} × `{safe.terminal(shape)}`" for shape, number in transcript.seen[:6])
    lines = [f"seen: {shapes}"] if shapes else []
    if transcript.runner_up:
        voices = Counter(turn.speaker for turn in transcript.runner_up)
        who = ", ".join(f"{_name(name)} ({number})" for name, number in voices.most_common(8))
        first = [(str(turn.line), _name(turn.speaker)) for turn in transcript.runner_up[:_SHOWN]]
        lines.append(f"or else: {count(len(transcript.runner_up), 'turn')} of {who}")
        lines += _table(("line", "speaker"), first, options)
        lines += [f"  ... and {len(transcript.runner_up) - _SHOWN} more"] if len(transcript.runner_up) > _SHOWN else []
    how = 'say what a label looks like: mdtally turns --turn "### {speaker}" FILE'
    if transcript.suggestion:
        mark = next((line.strip() for line in report.lines if line.strip()), "")
        has_head = mark[:3] in ("---", "+++") or mark[:1] == "{"
        fence = [] if has_head else ["  ---"]
        where = (
            "put this into the frontmatter, for what it says there" if has_head else "paste this at the top of the file"
        )
        lines += ["", f"If the turns above are right, {where}; correct names and kinds:", ""]
        lines += [*fence, *(f"  {safe.terminal(line)}" for line in transcript.suggestion.split("\n")), *fence]
        lines += ["", f"If they are not, {how}"]
    elif transcript.turns:
        lines += ["", f"No list of names reads these turns; {how}"]
    elif transcript.declared:
        lines += ["", f"No label names who is declared; correct the names, or {how}"]
    elif transcript.reading == "unsure":
        lines += ["", f"If it is one, declare who speaks (agents: [Ana, Ben]), or {how}"]
    return lines


def _reading(transcript: Transcript) -> str:
    if transcript.reading == "unsure" and not transcript.turns:
        return "unsure: it may hold a conversation, but no turn was recognised"
    if transcript.kind is None and not transcript.turns:
        return "no transcript"
    kind = transcript.kind or "transcript"
    form = f", read as {safe.terminal(transcript.dialect)}" if transcript.dialect not in ("", "pattern") else ""
    doubt = _DOUBTS.get(transcript.reading, "")
    rounds = len({turn.group for turn in transcript.turns})
    stated = any(turn.round is not None for turn in transcript.turns)
    within = f" in {count(rounds, 'round' if stated else 'group')}" if rounds else ""
    return f"{kind}{form}{doubt}: {count(len(transcript.turns), 'turn')}{within}"


def _speakers(transcript: Transcript, options: Options) -> list[str]:
    """A row for each voice, in the order in which they first speak."""
    turns: Counter[tuple[str, SpeakerKind]] = Counter()
    words: Counter[tuple[str, SpeakerKind]] = Counter()
    for turn in transcript.turns:
        voice = (turn.speaker, turn.kind)
        turns[voice] += 1
        words[voice] += turn.words
    rows = [(_name(name), kind, str(turns[name, kind]), str(words[name, kind])) for name, kind in turns]
    return _table(("speaker", "kind", "turns", "words"), rows, options)


def _turns(report: TurnsReport, options: Options) -> list[str]:
    rows = [
        (
            str(turn.index),
            str(turn.line),
            "" if turn.round is None else str(turn.round),
            _name(turn.speaker),
            turn.kind,
            str(turn.words),
            " ".join(report.tags.get(turn.index, ())),
            _note(turn),
        )
        for turn in report.transcript.turns
    ]
    return _table(_HEADINGS, rows, options)


def _name(speaker: str) -> str:
    return safe.clip(safe.opening(speaker), _NAME_WIDTH)


def _note(turn: Turn) -> str:
    """What was cut from the label, and whether the turn is a placeholder."""
    parts = [
        "placeholder" if turn.placeholder else "",
        f"to {turn.addressee}" if turn.addressee else "",
        turn.role,
        turn.model,
        turn.note,
    ]
    return safe.clip(safe.terminal("; ".join(part for part in parts if part)), _NOTE_WIDTH)


def _table(headings: Sequence[str], rows: Sequence[Sequence[str]], options: Options) -> list[str]:
    first, *others = table(headings, rows)
    return [options.palette.paint(first, "faint"), *others]
