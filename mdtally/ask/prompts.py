"""The protocol, the expert prompt and the re-prompts: what is said to agents before and after the gate.

All of it is made of the effective configuration and of the pack the gate itself uses, so that prompt and gate can't
drift apart. Templates are plain Markdown with ``{{names}}`` in them, without conditions and loops: whoever wants
another one copies it and edits it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from fractions import Fraction

from mdtally.project.settings import Settings
from mdtally.text import frontmatter
from mdtally.text.chars import without_hidden
from mdtally.text.line_parts import blockquote
from mdtally.text.model import Turn
from mdtally.text.regex import regex

STAND_DOWN = "I've stress-tested [expert]'s argument and cannot find a material weakness."
"""The one accepted form of agreement, as the protocol teaches it in English."""

CONTEXT = 64 * 1024
"""Characters of earlier turns in a prompt, and of the response that was rejected."""

# {{ title }}
_PLACE = regex(r"\{\{\s*(\w+)\s*\}\}")


def fill(template: str, values: Mapping[str, str]) -> str:
    """A template with values put in, a value of the frontmatter quoted where it has to be.

    Args:
        template: Markdown with ``{{name}}`` where a value belongs; one over several lines takes the whole line's place.
        values: by name; a name that is not among them stays as it is, so that a slip shows.
    """

    def fill_places(text: str) -> str:
        return _PLACE.sub(lambda place: values.get(place[1], place[0]), text)

    post = frontmatter.loads(template)
    body, post.content = post.content, ""
    head = template.removesuffix(body)
    for key, value in post.metadata.items():
        post[key] = fill_places(value) if isinstance(value, str) else value
    # What stands in lists, and a head that can't be read or edited, is text like any other.
    with suppress(ValueError):
        head = frontmatter.dumps(post)
    return fill_places(head) + fill_places(body)


def values(settings: Settings, language: str | None = None) -> dict[str, str]:
    """What templates may ask of the effective configuration, by name.

    Phrases and stand-down are those of a debate's language where there is one, else of the configured language.
    """
    from mdtally.gate.pack import code_of, load_or_english

    pack = load_or_english(code_of(settings.language) if language is None else language)
    phrases = (*pack.phrases, *settings.forbidden_phrases)
    return {
        "stand_down": pack.hints.get("stand_down_sentence", STAND_DOWN),
        "forbidden_phrases": "\n".join(f"- {phrase}" for phrase in phrases),
        "padding_examples": ", ".join(f"“{example}”" for example in pack.padding_examples[:6]),
        "min_words": str(settings.min_words),
        "sycophancy_ceiling": _percent(settings.sycophancy_ceiling),
        "overcorrection_floor": _percent(settings.overcorrection_floor),
        "overcorrection_limit": _percent(1 - settings.overcorrection_floor),
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
    rejected = blockquote(without_hidden(turn.text[-CONTEXT:]))
    parts = [f"## Your response, {_name(turn.speaker)}, which was rejected\n\n{rejected}"]
    room, left_out = CONTEXT, 0
    for other in reversed(earlier):
        room -= len(other.text)
        if room < 0:
            left_out += 1
            continue
        parts.insert(0, f"### {_name(other.speaker)}\n\n{blockquote(without_hidden(other.text))}")
    if left_out:
        parts.insert(0, f"({left_out} of {len(earlier)} earlier turns of this round are left out: they are too long.)")
    if not earlier:
        parts.insert(0, "Nobody has spoken before you in this round.")
    heading = f"## The debate so far: {_name(topic)}" if topic else "## The debate so far"
    todo = f"## What to do\n\n{hint}\n\nAnswer with the new response only, without a heading or your name."
    return "\n\n".join([protocol.strip(), heading, *parts, todo]) + "\n"


def _name(text: str) -> str:
    return without_hidden(text)[:200]


def _percent(share: Fraction) -> str:
    return f"{float(share * 100):g} %"
