"""What ``tag`` shows at each turn of its walk: plain lines of at most 80 columns, no cursor movement."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from mdtally.model import Event
from mdtally.render import safe
from mdtally.render.style import Options, count
from mdtally.tagging import Candidate
from mdtally.tagging.walk import DECISION, KEYS, Question

WIDTH = 78
_LINES = 6  # of a text, until more is asked for
_ALL = 400


def turn(
    candidate: Candidate,
    place: tuple[int, int],
    events: Sequence[Event],
    claim: tuple[int, str] | None,
    options: Options,
    *,
    own: bool = False,
    whole: bool = False,
) -> str:
    """A candidate: where it stands, the totals, the end of the message, the earlier claim, the reply's opening.

    A tag that it holds is named; ``own`` says that this walk wrote it.
    """
    paint, run = options.palette.paint, candidate.run
    head = f"{place[0]} of {place[1]}  line {run.line}  score {candidate.score:.2f}"
    lines = ["", paint(safe.clip(f"{head}  {totals(events)}", WIDTH), "strong")]
    if candidate.cue:
        lines.append(paint(safe.clip(safe.terminal(candidate.cue), WIDTH), "faint"))
    if candidate.events:
        letters = " ".join(f"A_{event.letter}" for event in candidate.events)
        lines.append(f"tagged {letters}: {'another answer takes its place' if own else 'correct it by hand'}")
    room = _ALL if whole else _LINES
    lines += ["", paint(f"person, line {run.human_line}", "info"), *_wrapped(run.message, room, at_end=True)]
    if claim:
        lines += [paint(f"agent before, line {claim[0]}", "info"), *_wrapped(claim[1], 2)]
    lines += [paint(f"agent, line {run.line}", "info"), *_wrapped(run.reply, room), ""]
    return "".join(f"{line}\n" for line in lines)


def totals(events: Sequence[Event]) -> str:
    """The running totals: "A_P 1 | A_R 0 | A_T 4"."""
    letters = [event.letter for event in events]
    return f"A_P {letters.count('P')} | A_R {letters.count('R')} | A_T {len(letters)}"


def tagged_now(tags: int) -> str:
    """How many tags a walk has written, before the totals."""
    return f"{count(tags, 'tag')} written; the log's tags come to"


def question(asked: Question, offer: tuple[str, str], options: Options) -> str:
    """A question with its keys; the answer that is offered last, with what was seen."""
    keys = "  ".join(f"[{key}] {words}" for key, (_, words) in asked.answers.items())
    always = KEYS if asked is DECISION else {"b": KEYS["b"]}
    keys += "\n  " if asked is DECISION else "  "
    keys += options.palette.paint("  ".join(f"[{key}] {words}" for key, words in always.items()), "faint")
    text = f"{options.palette.paint(asked.asks, 'strong')}\n  {keys}\n"
    if offer[0]:
        text += f"  [Enter] {asked.answers[offer[0]][1]}: {safe.terminal(offer[1])}\n"
    return f"{text}> "


def help_text() -> str:
    """What the keys do."""
    return """
  Enter  the answer that is offered, because something was seen that speaks for it
  s      skip: the turn comes again at the end of this walk
  b      back: the answer before, or the turn before; another answer there replaces its tag
  u      undo: take the last tag out of the file again
  m      more of what was said
  q      quit; Ctrl-D and Ctrl-C do the same. Every tag is written at once: nothing is lost
  What counts as what is in docs/tagging.md.

"""


def written(line: int, text: str, options: Options, sign: str = "+") -> str:
    """The line that was written, as a diff shows it: its number, a sign and its end."""
    shown = safe.opening(text)
    room = WIDTH - len(f"{sign} {line}: ")
    if safe.cells(shown) > room:
        shown = shown[-(room - 1) :]
        while safe.cells(shown) > room - 1:
            shown = shown[1:]
        shown = f"…{shown}"
    return options.palette.paint(f"{sign} {line}: {shown}", "good" if sign == "+" else "error") + "\n"


def _wrapped(text: str, room: int, *, at_end: bool = False) -> list[str]:
    lines = []
    for paragraph in text.split("\n"):
        for line in textwrap.wrap(safe.terminal(paragraph), WIDTH - 2, break_on_hyphens=False):
            # Chinese letters take two columns each.
            halves = textwrap.wrap(line, WIDTH // 2 - 1) if safe.cells(line) > WIDTH - 2 else [line]
            lines += [f"  {half}" for half in halves]
    if len(lines) <= room:
        return lines or ["  (nothing but code)"]
    return ["  …", *lines[-room + 1 :]] if at_end else [*lines[: room - 1], "  …"]
