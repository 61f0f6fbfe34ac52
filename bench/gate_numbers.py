"""The numbers that the gate reads in a turn (`mdtally.gate.features`): what each is, and the sign of its weight.

The sign is fixed where language leaves no doubt, so that no accident of a few debates can teach the gate that
"I disagree" means agreement.
"""

from __future__ import annotations

from collections.abc import Mapping

ISSUE: Mapping[str, tuple[int, str]] = {
    "seen": (1, "any sign of disagreement"),
    "outright disagreement": (1, "“I disagree”: how often this family of signals stands in it, and so on"),
    "agreement withheld": (1, "“I can't support this”"),
    "a claim called wrong": (1, "“the claim is false”"),
    "correction": (1, "“not speed but cost”"),
    "a concern raised": (1, "“I worry that”"),
    "concession before a turn": (1, "“granted, but”"),
    "musing": (-1, "“I wonder, perhaps”"),
    "a plan laid out": (-1, "“first we will”"),
    "the speaker's own state": (-1, "“I feel”"),
    "vague": (-1, "doubt without anything specific"),
    "praise share": (-1, "the share of sentences that praise or agree"),
    "first person": (-1, "how often it says I"),
    "negation": (1, "how often it says no or not"),
    "turns": (1, "sentences that open with a contrast"),
    "named": (1, "sentences that object beside an earlier speaker's name"),
    "retold": (1, "claims of others told again: “you say”, “Ana's argument”"),
    "met": (1, "sentences that object, address somebody and share words with an earlier turn"),
    "addressed": (1, "sentences that object beside a “you” or “my opponent”"),
    "vocabulary brought": (1, "content words that no earlier turn of the round has"),
}
"""What tells whether a turn takes issue: the sign that its weight may have, and what it is."""

HERE: Mapping[str, tuple[int, str]] = {
    "named": (1, "sentences that object beside an earlier speaker's name"),
    "addressed": (1, "… beside a “you”, “my opponent”, or a quotation of an earlier turn"),
    "met": (1, "… that share words with one earlier turn"),
    "retold": (1, "claims of others told again: “you say”, “Ana's argument”"),
    "asked": (1, "questions to somebody"),
    "quoted": (1, "quotations and ids that stand in an earlier turn"),
    "answers at once": (1, "“no”, “but” or “I disagree” at the very start"),
    "apart from them": (-1, "how surely it is about something else than the turns before it"),
    "addresses nobody": (-1, "how long a speech is in which nothing of the above stands: a case of its own"),
}
"""What tells whether it takes issue with somebody of this debate: the same."""

MANNER: Mapping[str, tuple[int, str]] = {
    "score": (-1, "what layer 2 makes of it"),
    "short": (1, "how far it stays under some sixty words"),
    "praise": (1, "phrases of praise and agreement, for its length"),
    "exclamations": (1, "exclamation marks, for its length"),
    "harmony": (1, "words of togetherness"),
    "vague": (1, "doubt without anything specific"),
    "second person": (1, "how often it says you"),
    "said before": (1, "pairs of words that stand in the debate so far"),
    "overlap": (1, "how much of it stands in the one earlier turn that it repeats most"),
    "apart": (-1, "no earlier turn shares a quarter of its words"),
    "new to the debate": (-1, "content words that are, for its length"),
    "proper names": (-1, "names of things and people, for its length"),
    "digits": (-1, "a figure"),
    "a failing case": (-1, "cases in which something fails"),
}
"""What tells whether a turn says anything else, and whether it only repeats: the same (for the latter either sign)."""
