"""Chats exported from a browser by ChatGPT Exporter and its siblings for other models.

    # Renaming a module

    **Created:** 1/5/2026 10:12:00
    **Exported:** 1/5/2026 10:20:00
    **Link:** [https://chat.example/c/41c0](https://chat.example/c/41c0)

    ## Prompt:
    1/5/2026, 10:12:00

    Rename the module.

    ## Response:

    Done; two imports changed.

    ---
    Powered by [ChatGPT Exporter](https://www.chatgptexporter.com)

Answers hold headings of any level, set off by underlines, so only the two exact labels count.
"""

from __future__ import annotations

import re

from mdtally.dialects import fences, names
from mdtally.dialects.page import Dialect, Page, Reading, Start

_LABEL = re.compile(r"## (?P<who>Prompt|Response):\s*$")
_VOUCHER = re.compile(r"\*\*Exported:\*\*\s|Powered by \[\w+ Exporter\]")


def matches(page: Page) -> bool:
    """True where the exporter's header or footer and one of its labels stand."""
    lines = page.lines[page.first :]
    return any(_VOUCHER.match(line) for line in lines) and any(_LABEL.match(line) for line in lines)


def read(page: Page) -> Reading | None:
    """A turn for each label, up to the footer."""
    labels, code = page.labelled(_LABEL)
    starts = tuple(
        Start(
            index,
            0,
            None,
            names.Name(match["who"], kind="human" if match["who"] == "Prompt" else "agent"),
            form="web-export",
        )
        for index, match in labels.items()
    )
    footer = [index for index in range(page.first, len(page.lines)) if page.lines[index].startswith("Powered by [")]
    ends = [index - 1 if fences.is_rule(page.lines[index - 1]) else index for index in footer]
    return Reading(starts, tuple(ends), code=code, kind="session") if starts else None


DIALECT = Dialect("web-export", matches, read)
