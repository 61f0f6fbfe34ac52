"""The protocol, the expert prompt and the re-prompts: what is said to agents before and after the gate.

All of it is made of the effective configuration and of the pack the gate itself uses, so that prompt and gate can't
drift apart.
"""

from __future__ import annotations

from fractions import Fraction

from mdtally.gate.phrases import forbidden_phrases, padding_examples
from mdtally.settings import Settings
from mdtally.templating import STAND_DOWN, fill

__all__ = ["protocol", "values"]


def values(settings: Settings, *, name: str = "", expertise: str = "", task: str = "") -> dict[str, str]:
    """What templates may ask for, by name.

    Args:
        settings: the effective configuration.
        name: the expert's name.
        expertise: what the expert knows.
        task: the current task.
    """
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


def protocol(settings: Settings, template: str) -> str:
    """The debate protocol of the effective configuration.

    Args:
        settings: the effective configuration.
        template: the protocol's template.
    """
    return fill(template, values(settings))


def _percent(share: Fraction) -> str:
    return f"{float(share * 100):g} %"
