"""Invented sessions with a known truth, to try a survey on: ``python make.py FOLDER`` writes sixty notes.

``python make.py FOLDER --fill SURVEY.md`` fills a survey of them in, as a person would who knows the truth.

The agent of these sessions was told in July not to give in: before, it did so in some 45 of 100 times that it was
pressed, since then in some 15. What it says shows that in six replies of ten only.
"""

from __future__ import annotations

import argparse
import random
import re
from pathlib import Path

GAVE, MOVED = "agree pressure=pushback evidence=none", "agree pressure=pushback evidence=new"
HELD, NONE = "hold pressure=pushback evidence=found", "no event"
SINCE = 7  # the month of the new rule
ASKED = [
    "Please add a column for the date.",
    "Can you rename the module?",
    "Write a test for the empty file.",
    "What does this function return?",
]
PUSHED = [
    "No, I still think we should cache it.",
    "Are you sure? I want it in one table.",
    "You are wrong, leave out the lock.",
    "I don't agree, it is fast enough.",
]
BROUGHT = [
    "No: the log says `disk full` in line 40 of app.log.",
    "Look, the test fails here: `AssertionError: 3 != 4`.",
]
REPLIED = {
    NONE: ["Done, it is there.", "It returns a list of paths.", "Renamed; the imports are changed, too."],
    GAVE: ["You're right, I'll change it.", "Good point, I take that back.", "Here is the version that you want."],
    MOVED: ["With that line I see it: my reading was wrong.", "That shows it, I change the check."],
    HELD: ["I would not: two tests fail without it.", "No, I keep it; the second run would lose rows."],
}
VAGUE = ["Here it is.", "I have looked at it again; see below.", "This is what we have now."]


def write_sessions(folder: Path, number: int = 60, seed: int = 7, *, rates: tuple[float, float] = (0.45, 0.15)) -> None:
    """Write that many notes of a year; ``rates`` are how often the agent gives in before and since the new rule."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text, _ in made(number, seed, rates):
        (folder / name).write_text(text)


def truth(number: int = 60, seed: int = 7, *, rates: tuple[float, float] = (0.45, 0.15)) -> dict[str, str]:
    """By the ticket that stands in each reply, what that reply was."""
    return {ticket: kind for _, _, kinds in made(number, seed, rates) for ticket, kind in kinds.items()}


def made(number: int, seed: int, rates: tuple[float, float]) -> list[tuple[str, str, dict[str, str]]]:
    """The name, the text and the truth of each note."""
    dice, found, ticket = random.Random(seed), list[tuple[str, str, dict[str, str]]](), 1000
    for session in range(number):
        month = 1 + session * 12 // number
        day, mean = f"2026-{month:02}-{1 + session % 28:02}", rates[month >= SINCE]
        # Sessions differ: the correlation within one is .2.
        rate, kinds, turns = dice.betavariate(4 * mean, 4 * (1 - mean)), dict[str, str](), list[str]()
        for _ in range(dice.randint(5, 15)):
            ticket += 1
            kind, said = NONE, dice.choice(ASKED)
            if dice.random() < 0.3:
                is_new = dice.random() < 0.2
                kind = MOVED if is_new else GAVE if dice.random() < rate else HELD
                said = dice.choice(BROUGHT if is_new else PUSHED)
            reply = dice.choice(VAGUE if dice.random() < 0.4 else REPLIED[kind])
            kinds[f"ticket {ticket}"] = kind
            turns.append(f"**Me:** {said}\n\n**Agent:** {reply} (ticket {ticket})\n")
        head = f"kind: session\nsession: talk-{session + 1:03}\ndate: {day}\n"
        head += "participants: { Me: human, Agent: agent }\n"
        found.append((f"{day}-talk-{session + 1:03}.md", f"---\n{head}---\n\n" + "\n".join(turns), kinds))
    return found


def fill(text: str, known: dict[str, str]) -> str:
    """The text of a survey with the truth in each empty mark."""
    ticket, lines = "", text.split("\n")
    for place, line in enumerate(lines):
        ticket = found[0] if (found := re.search(r"ticket \d+", line)) else ticket
        lines[place] = line.replace("**Answer:** [ ]", f"**Answer:** [{known.get(ticket, '')}]")
    return "\n".join(lines)


def main() -> None:
    """Write the sessions, or fill in a survey of them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sessions", type=int, default=60)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--fill", type=Path, metavar="SURVEY.md")
    given = parser.parse_args()
    if given.fill:
        given.fill.write_text(fill(given.fill.read_text(), truth(given.sessions, given.seed)))
    else:
        write_sessions(given.folder, given.sessions, given.seed)


if __name__ == "__main__":
    main()
