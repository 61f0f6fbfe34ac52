"""How often a voice is named that nods no more than its panel, and how often one is that does.

    python bench/panel_simulations.py [PANELS]

A panel is 40 debates of four voices, who speak one to five turns each that could answer somebody. Debates differ in how
much is answered, and the turns of a voice in one debate are alike (a beta distribution, correlation .2).
"""

from __future__ import annotations

import random
import sys

from mdtally.check.panel import Asked, nods_more

VOICES = [("Ana", "a"), ("Ben", "b"), ("Cleo", "c"), ("Dan", "d")]
DEBATES, CORRELATION = 40, 0.2


def panel(chance: random.Random, more: float, turns: tuple[int, int], correlation: float = CORRELATION) -> list[Asked]:
    """The counts of one panel, in which Dan answers nobody so much more often."""
    debates: list[Asked] = []
    for _ in range(DEBATES):
        base = chance.uniform(0.1, 0.5)
        counts = {}
        for key in VOICES:
            share = min(0.95, base + more * (key[0] == "Dan"))
            spread = 1 / correlation - 1 if correlation else 0.0
            p = chance.betavariate(share * spread, (1 - share) * spread) if spread else share
            n = chance.randint(*turns)
            counts[key] = sum(chance.random() < p for _ in range(n)), n
        debates.append(counts)
    return debates


def main(panels: int) -> None:
    """Print how many panels name somebody."""
    chance = random.Random(7)
    for turns in ((1, 5), (2, 2), (1, 12)):
        for correlation in (0.0, 0.2, 0.5):
            named = [nods_more(panel(chance, 0.0, turns, correlation)) for _ in range(panels)]
            print(f"{turns[0]} to {turns[1]} turns, correlation {correlation}: nobody nods more; named in "
                  f"{sum(map(bool, named))} of {panels}")  # fmt: skip
    for more in (0.1, 0.2, 0.3):
        named = [nods_more(panel(chance, more, (1, 5))) for _ in range(panels)]
        right, wrong = (sum(test(one) for one in named) for test in (
            lambda one: VOICES[3] in one, lambda one: bool(one - {VOICES[3]})))  # fmt: skip
        print(f"one nods more by {more:.0%}: named in {right} of {panels}, another one in {wrong}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200)
