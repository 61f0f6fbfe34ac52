"""The protocol, the expert prompt and the re-prompts: what is said to agents before and after the gate.

All of it is made of the effective configuration and of the pack the gate itself uses, so that prompt and gate can't
drift apart. Templates are plain Markdown with ``{{names}}`` in them, without conditions and loops: whoever wants
another one copies it and edits it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from mdtally.model import Turn
from mdtally.regex import regex
from mdtally.settings import Settings

KINDS = ("session", "debate", "protocol", "expert")
"""What can be started from a template; a file ``KIND.md`` each. ``single.md`` is the protocol for one expert."""

STAND_DOWN = "I've stress-tested [expert]'s argument and cannot find a material weakness."
"""The one accepted form of agreement, as the protocol teaches it."""

CONTEXT = 64 * 1024
"""Characters of earlier turns in a prompt, and of the response that was rejected."""

_PLACE = regex(r"\{\{\s*(\w+)\s*\}\}")
# What a name or a text may not carry into a prompt: control characters, and those that turn the direction of writing.
_UNSEEN = regex(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u2028-\u202e\u2066-\u2069\ufeff]")


def fill(template: str, values: Mapping[str, str]) -> str:
    """Put values into a template; a value over several lines takes the place of a whole line.

    Args:
        template: Markdown with ``{{name}}`` where a value belongs.
        values: by name; a name that is not among them stays as it is, so that a slip shows.
    """
    return _PLACE.sub(lambda place: values.get(place[1], place[0]), template)


def values(settings: Settings, *, name: str = "", expertise: str = "", task: str = "") -> dict[str, str]:
    """What templates may ask for, by name.

    Args:
        settings: the effective configuration.
        name: the expert's name.
        expertise: what the expert knows.
        task: the current task.
    """
    from mdtally.gate.pack import forbidden_phrases, padding_examples

    language = settings.language or "en"
    phrases = (*forbidden_phrases(language), *settings.forbidden_phrases)
    return {
        "stand_down": STAND_DOWN,
        "forbidden_phrases": "\n".join(f"- {phrase}" for phrase in phrases),
        "padding_examples": ", ".join(f"“{example}”" for example in padding_examples(language)[:6]),
        "min_words": str(settings.min_words),
        "sycophancy_ceiling": _percent(settings.sycophancy_ceiling),
        "overcorrection_floor": _percent(settings.overcorrection_floor),
        "overcorrection_limit": _percent(1 - settings.overcorrection_floor),
        "name": name or "[the expert's name]",
        "expertise": expertise or "[What you know that the others don't: field, years, the cases you have seen.]",
        "memory": "[The debate so far.]",
        "task": task or "[The question of this round.]",
    }


def re_prompt(protocol: str, earlier: Sequence[Turn], turn: Turn, hint: str, *, topic: str = "") -> str:
    """A re-prompt for a flagged response, ready to paste.

    Args:
        protocol: the debate protocol of the effective configuration.
        earlier: the turns of the same round before this one; the latest are quoted, as far as ``CONTEXT`` reaches.
        turn: the flagged response.
        hint: what the gate asks for.
        topic: the debate's title.

    Returns:
        Markdown: protocol, earlier turns, the rejected text, and what to do about it.
    """
    parts = [f"## Your response, {_name(turn.speaker)}, which was rejected\n\n{_quoted(turn.text[-CONTEXT:])}"]
    room, left_out = CONTEXT, 0
    for other in reversed(earlier):
        room -= len(other.text)
        if room < 0:
            left_out += 1
            continue
        parts.insert(0, f"### {_name(other.speaker)}\n\n{_quoted(other.text)}")
    if left_out:
        parts.insert(0, f"({left_out} of {len(earlier)} earlier turns of this round are left out: they are too long.)")
    if not earlier:
        parts.insert(0, "Nobody has spoken before you in this round.")
    heading = f"## The debate so far: {_name(topic)}" if topic else "## The debate so far"
    todo = f"## What to do\n\n{hint}\n\nAnswer with the new response only, without a heading or your name."
    return "\n\n".join([protocol.strip(), heading, *parts, todo]) + "\n"


def _name(text: str) -> str:
    return _UNSEEN.sub("", text)[:200]


def _quoted(text: str) -> str:
    return "\n".join(f"> {_UNSEEN.sub('', line)}".rstrip() for line in text.split("\n"))


def _percent(share: Fraction) -> str:
    return f"{float(share * 100):g} %"
