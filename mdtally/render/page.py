"""What a history or a report shows, as one record, and its three writers: for a terminal, as Markdown, as an HTML page.

A record holds words as they are; each writer makes them harmless for its place. The templates of the pages stand in the
folder ``pages``: one file without a script, a policy that forbids any, colours that follow the reader's light or dark
setting. Every value that a template prints goes through ``safe.markup``, so that nothing in a transcript is markup.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mdtally.records import record
from mdtally.render import safe
from mdtally.render.safe import markdown as inline
from mdtally.render.style import Options, Style, table

if TYPE_CHECKING:
    from jinja2 import Environment

    from mdtally.render.charts import Chart

_WIDTH = 60
"""Columns of a terminal that a cell may take; the last one of a row takes what it needs."""


@record
class Table:
    """A table.

    Attributes:
        headings: one a column; with a colon at its end it is over numbers.
        rows: the cells.
        folded: what stands on the fold that hides the table in Markdown and HTML; a terminal shows it with ``-v`` only.
        rest: what is left out, in one sentence.
        styles: for each row the style of its last cell.
        ids: for each row where links lead to it; a page only.
        bars: for each row the parts of a bar that a page draws beside it, by the class of their colour.
    """

    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    folded: str = ""
    rest: str = ""
    styles: tuple[Style | None, ...] = ()
    ids: tuple[str, ...] = ()
    bars: tuple[Mapping[Any, int], ...] = ()


@record
class Section:
    """A part of a page: title, a label (in red where it is bad), sentences and so on; links lead to its key."""

    title: str
    label: str = ""
    is_bad: bool = False
    sentences: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    charts: tuple[Chart, ...] = ()
    tables: tuple[Table, ...] = ()
    key: str = ""


@record
class Page:
    """A page: its title, the sentences that stand first, what would settle a doubt, and its sections.

    Attributes:
        title: what is said first.
        lead: sentences below it.
        doubt: what would settle that something is unsure, and lines to paste; both "" where nothing is.
        sections: the parts.
    """

    title: str
    lead: tuple[str, ...]
    sections: tuple[Section, ...]
    doubt: tuple[str, str] = ("", "")


def text(page: Page, options: Options) -> str:
    """The lead and the sections for a terminal, with a blank line between two."""
    settles, to_paste = page.doubt
    lead = [safe.opening(sentence) for sentence in (*page.lead, settles) if sentence]
    lead += [f"  {safe.terminal(line)}" for line in to_paste.split("\n") if line]
    blocks = [lead, *(lines(one, options) for one in page.sections)]
    return "\n".join("".join(f"{line}\n" for line in block) for block in blocks)


def lines(one: Section, options: Options) -> Iterator[str]:
    """The lines of a section for a terminal."""
    paint, label = options.palette.paint, safe.terminal(one.label)
    label = f": {paint(label, 'error') if one.is_bad else label}" if label else ""
    yield paint(safe.opening(one.title), "strong") + label
    yield from (f"  {safe.terminal(sentence)}" for sentence in one.sentences)
    yield from (f"  {paint('Note:', 'warning')} {safe.terminal(note)}" for note in one.notes)
    for found in one.tables:
        if found.rows and (options.verbose or not found.folded):
            headings = [_cell(heading) for heading in found.headings]
            rows = [[*map(_cell, row[:-1]), safe.terminal(row[-1])] for row in found.rows]
            yield ""
            yield from table(headings, rows, options.palette, found.styles)[not any(headings) :]
            yield from [f"  {found.rest}"] if found.rest else []


def _cell(words: str) -> str:
    return safe.clip(safe.opening(words), _WIDTH)


def markdown(page: Page) -> Iterator[str]:
    """The page as Markdown, piece by piece; what Markdown or GitHub would act upon in its words is escaped."""
    settles, lines = page.doubt
    yield f"# {inline(page.title)}\n\n{inline(' '.join(page.lead))}\n"
    yield f"\n{inline(settles)}\n" if settles else ""
    yield "".join(f"    {line}\n" for line in ("", *lines.split("\n"))) if lines else ""
    for one in page.sections:
        yield f"\n## {inline(f'{one.title}: {one.label}' if one.label else one.title)}\n"
        yield "".join(("\n", *(f"{inline(sentence)}\n" for sentence in one.sentences))) if one.sentences else ""
        yield "".join(("\n", *(f"- Note: {inline(note)}\n" for note in one.notes))) if one.notes else ""
        for found in one.tables:
            yield f"\n<details><summary>{inline(found.folded)}</summary>\n" if found.folded else ""
            yield from ("\n", *_markdown_rows(found))
            yield f"\n{found.rest}\n" if found.rest else ""
            yield "\n</details>\n" if found.folded else ""


def _markdown_rows(found: Table) -> Iterator[str]:
    marks = ["---:" if heading.endswith(":") else "---" for heading in found.headings]
    yield _markdown_row(heading.rstrip(":") for heading in found.headings)
    yield f"| {' | '.join(marks)} |\n"
    yield from map(_markdown_row, found.rows)


def _markdown_row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(map(inline, cells))} |\n"


def html(name: str, **values: object) -> str:
    """A template filled with values; a name that is none of them is an error of ours, ``jinja2.UndefinedError``.

    Args:
        name: the template's file name, such as "report.html".
        values: what it may print: ``page``, and what it shows besides.
    """
    return _environment().get_template(name).render(**values)


@cache
def _environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from markupsafe import Markup

    def escaped(value: object) -> object:
        # Jinja's own escaping lets control and bidirectional characters through.
        return value if hasattr(value, "__html__") else Markup(safe.markup(str(value)))

    return Environment(
        loader=FileSystemLoader(Path(__file__).with_name("pages")),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=escaped,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
