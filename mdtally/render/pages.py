"""HTML pages from the templates in the folder ``pages``; the only importer of Jinja.

A template extends ``page.html``: one file without a script, a policy that forbids any, colours that follow the reader's
light or dark setting. Every value that it prints goes through ``safe.markup``, so nothing that a transcript holds is
markup, and no control character gets by; what is markup already (another template's output) stays.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from mdtally.render import safe


def page(name: str, **values: object) -> Iterator[str]:
    """A template filled with values, piece by piece.

    Args:
        name: the template's file name, such as "report.html".
        values: what it may print; a name that is none of them is an error of ours, ``jinja2.UndefinedError``.
    """
    return _environment().get_template(name).generate(**values)


@cache
def _environment() -> Environment:
    return Environment(
        loader=FileSystemLoader(Path(__file__).with_name("pages")),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_escaped,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def _escaped(value: object) -> object:
    # Jinja's own escaping lets control and bidirectional characters through.
    return value if hasattr(value, "__html__") else Markup(safe.markup(str(value)))
