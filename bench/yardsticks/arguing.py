"""Who argues: the gate's layer 2 beside the rules that other people use, on turns of which it is known.

The rules: a list of phrases of dissent; the first word ("no", "but", "well" ...); the published rules to the letter
(``matching = "literal"``); and the gate with a second reader for what it leaves open. That reader is **simulated**: it
knows the labels, and is right nine times of ten.
"""

from __future__ import annotations

import hashlib
import json
import re
import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from common import FIRST_WORDS, OBJECTS, Dialogue, Laid, Table, lay_out, run, says, shown_auc, shown_rate

RIGHT = 0.9
"""How often the simulated reader is right."""
KNOWN_BY = 40
"""By how many words it knows a turn."""
_FIRST = re.compile(r"[\W_]*([^\W_]+)")


@dataclass(frozen=True)
class Truth:
    """A turn of which it is known whether it takes issue with somebody who spoke before it.

    Attributes:
        name, index: the dialogue, and which of its turns.
        argues: whether it does.
    """

    name: str
    index: int
    argues: bool


def table(
    name: str, title: str, dialogues: Sequence[Dialogue], truths: Sequence[Truth], work: Path, *, second: bool = True
) -> Table:
    """A row a rule: how many of the turns it decides, and of those what it notices of either sort.

    ``second`` is whether the simulated reader is asked: a call for every turn that the words leave open.
    """
    laid = lay_out(dialogues, work / name)
    texts = {(dialogue.name, index): text for dialogue in dialogues for index, (_, text) in enumerate(dialogue.turns)}
    published = laid.folder / "published.toml"
    published.write_text('[lint]\nmatching = "literal"\n', encoding="utf-8")
    prose, literal = answers(laid), answers(laid, "--config", str(published))
    known = {(one.name, one.index): one.argues for one in truths}
    rules = {
        "a list of phrases": {place: "argues" if says(texts[place], OBJECTS) else "silent" for place in known},
        "the first word": {place: "argues" if first_word(texts[place]) in FIRST_WORDS else "silent" for place in known},
        "the published rules, literally": {place: literal[place][0] for place in known if place in literal},
        "mdtally": {place: prose[place][0] for place in known if place in prose},
    }
    if second:
        helped = answers(laid, "--ask", simulated(work / f"{name}.json", known, texts))
        rules["mdtally, and a simulated reader"] = {place: helped[place][0] for place in known if place in helped}
    rows = [row(rule, known, said) for rule, said in rules.items()]
    ranking = shown_auc((place[0], prose[place][1], known[place]) for place in known if place in prose)
    rows.append(("mdtally's score ranks one that argues above one that does not", "", ranking, ""))
    return Table(name, title, ("", "decided", "argues: noticed", "does not: told"), tuple(rows))


def row(rule: str, known: dict[tuple[str, int], bool], said: dict[tuple[str, int], str]) -> tuple[str, ...]:
    """What a rule decides, and of what it decides, how much of either sort is right."""
    decided = [(place[0], said.get(place, "unsure") != "unsure") for place in known]
    noticed, told = (
        [(p[0], (answer == "argues") is sort) for p, answer in said.items() if answer != "unsure" and known[p] is sort]
        for sort in (True, False)
    )
    return (rule, shown_rate(decided), shown_rate(noticed), shown_rate(told))


def answers(laid: Laid, *options: str) -> dict[tuple[str, int], tuple[str, float]]:
    """By dialogue and turn the answer and its score, where layer 2 is asked."""
    found: dict[tuple[str, int], tuple[str, float]] = {}
    places = {(file, line): (file[:-3], n) for file, lines in laid.lines.items() for n, line in enumerate(lines)}
    if options[:1] == ("--config",):
        return literally(laid, places, options)
    for file, turns in run(laid, "lint", *options, per_file="turns").items():
        for turn in turns:
            if turn["issue"] and (file, turn["line"]) in places:
                found[places[file, turn["line"]]] = turn["issue"]["answer"], turn["issue"]["score"]
    return found


def literally(
    laid: Laid, places: dict[tuple[str, int], tuple[str, int]], options: Sequence[str]
) -> dict[tuple[str, int], tuple[str, float]]:
    """The same for the published rules, which know no "unsure": what is not found by them argues."""
    silent = {
        (file, finding["turn"]["line"])
        for file, findings in run(laid, "lint", *options, per_file="diagnostics").items()
        for finding in findings
        if finding["code"] == "MDT102" and finding["turn"]
    }
    return {place: ("silent", 0.0) if key in silent else ("argues", 1.0) for key, place in places.items()}


def first_word(text: str) -> str:
    """The first word of a text, in lower case."""
    match = _FIRST.match(text)
    return match[1].casefold() if match else ""


def simulated(path: Path, known: dict[tuple[str, int], bool], texts: dict[tuple[str, int], str]) -> str:
    """Write down what a simulated reader answers, and give its command."""
    kept = {}
    for (name, index), argues in known.items():
        text = texts[name, index]
        luck = int(hashlib.sha256(f"{name} {index}".encode()).hexdigest()[:8], 16) / 0xFFFFFFFF
        says_yes = argues if luck < RIGHT else not argues
        kept[key_of(text)] = ["yes" if says_yes else "no", " ".join(text.split()[:6])]
    path.write_text(json.dumps(kept), encoding="utf-8")
    return shlex.join([sys.executable, str(Path(__file__).resolve()), str(path)])


def key_of(text: str) -> str:
    """A turn's first words, folded, as a hash: the prompt shows its lines behind marks, and a turn may end early."""
    return hashlib.sha256(" ".join(re.findall(r"\w+", text.casefold())[:KNOWN_BY]).encode()).hexdigest()


def answer(path: Path) -> None:
    """Answer a prompt on standard input as the simulated reader."""
    prompt = sys.stdin.read().partition("The turn to judge:\n")[2]
    lines = [line.removeprefix("> ").removeprefix(">") for line in prompt.strip("\n").split("\n")]
    kept = json.loads(path.read_text(encoding="utf-8"))
    # The turn's label stands in its first line, alone or before its text.
    for text in ("\n".join(lines[1:]), "\n".join([lines[0].partition(":** ")[2], *lines[1:]])):
        if found := kept.get(key_of(text)):
            print(json.dumps({"takes_issue": found[0], "send_back": "no", "quote": found[1]}))
            return
    print(json.dumps({"takes_issue": "unsure", "send_back": "no", "quote": lines[-1]}))


if __name__ == "__main__":
    answer(Path(sys.argv[1]))
