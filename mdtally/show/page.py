"""What a history or a report shows, as one record, and its three writers: for a terminal, as Markdown, as an HTML page.

A record holds words as they are; each writer makes them harmless for its place. The templates of the pages stand in the
folder ``pages``: one file without a script, a policy that forbids any, colours that follow the reader's light or dark
setting. Every value that a template prints goes through ``safe.markup``, so that nothing in a transcript is markup.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from mdtally.show.style import WIDEST, Options, Style, table
from mdtally.text import safe
from mdtally.text.records import record

Link = Callable[[str, str], str]
"""Makes a link in Markdown of a text and of the path that it shall lead to."""

AXIS, WIDE = 48, 704
"""Points of a chart that its axis takes, which a page keeps in sight where the rest is scrolled; and all of them."""


@record
class Shape:
    """A shape of a chart: its SVG element with attributes, its text, what it says when pointed at, where it leads, and
    the shapes in it."""

    tag: str
    attributes: Mapping[str, str]
    text: str = ""
    tip: str = ""
    href: str = ""
    parts: tuple[Shape, ...] = ()


@record
class Chart:
    """A chart.

    Attributes:
        key: an id that is unique on its page; title: what it shows; desc: the same in sentences.
        height, width: in points.
        shapes: all that is drawn, but for the axis; axis: the values at its left, in a column of ``AXIS`` points.
    """

    key: str
    title: str
    desc: str
    height: int
    shapes: Sequence[Shape]
    width: int = WIDE
    axis: Sequence[Shape] = ()

    @property
    def kinds(self) -> list[str]:
        """What is drawn in it, each kind once, by its class; ``pages/parts.html`` has the legend for them."""
        return list(dict.fromkeys(shape.attributes["class"].removeprefix("mark ") for shape in self.shapes))


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
        notes: for each row the path of the note that its second cell names; "" for none.
    """

    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    folded: str = ""
    rest: str = ""
    styles: tuple[Style | None, ...] = ()
    ids: tuple[str, ...] = ()
    bars: tuple[Mapping[Any, int], ...] = ()
    notes: tuple[str, ...] = ()

    def without_empty_columns(self) -> Table:
        """The headings and rows without the columns in which no row has anything."""
        kept = [place for place in range(len(self.headings)) if any(row[place] for row in self.rows)]
        rows = (tuple(row[place] for place in kept) for row in self.rows)
        return Table(tuple(self.headings[place] for place in kept), tuple(rows))


@record
class Section:
    """A part of a page: title, a label (in red where it is bad), sentences and so on; links lead to its key.

    Attributes:
        drawing: lines of letters, which Markdown shows as they are.
        link: a text and the id on the page that it leads to; HTML only.
    """

    title: str
    label: str = ""
    is_bad: bool = False
    sentences: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    charts: tuple[Chart, ...] = ()
    tables: tuple[Table, ...] = ()
    key: str = ""
    drawing: tuple[str, ...] = ()
    link: tuple[str, ...] = ()


@record
class PageContent:
    """A page: its title, the sentences that stand first, what would settle a doubt, and its sections.

    Attributes:
        title: what is said first.
        lead: sentences below it.
        doubt: what would settle that something is unsure; "" where nothing is.
        sections: the parts.
    """

    title: str
    lead: tuple[str, ...]
    sections: tuple[Section, ...]
    doubt: str = ""


def page_text(page: PageContent, options: Options) -> str:
    """The lead and the sections for a terminal, with a blank line between two."""
    lead = [line for words in (*page.lead, page.doubt) if words for line in sentence_lines(words, options, "")]
    blocks = [lead, *([*section_lines(one, options)] for one in page.sections)]
    return "\n".join("".join(f"{line}\n" for line in block) for block in blocks if block)


def section_lines(one: Section, options: Options) -> Iterator[str]:
    """The lines of a section for a terminal."""
    paint = options.paint
    first, *more = sentence_lines(f"{one.title}: {one.label}" if one.label else one.title, options, "")
    # A title that is too long for a line goes on in the next ones.
    title = safe.opening(one.title) if first.startswith(safe.opening(one.title)) else first
    parts = [first.removeprefix(title), *(f"  {part}" for part in more)]
    yield paint(title, "strong") + "\n".join(paint(part, "error") if one.is_bad else part for part in parts)
    for words in one.sentences:
        yield from sentence_lines(words, options)
    for note in one.notes:
        first, *more = sentence_lines(f"Note: {note}", options)
        yield from (first.replace("Note:", paint("Note:", "warning"), 1), *more)
    for found in one.tables:
        if found.rows and (options.verbose or not found.folded):
            headings = [_cell(heading) for heading in found.headings]
            rows = [[*map(_cell, row[:-1]), safe.terminal(row[-1])] for row in found.rows]
            yield ""
            yield from table(headings, rows, options, found.styles, options.width)[not any(headings) :]
            yield from [f"  {found.rest}"] if found.rest else []


def sentence_lines(words: str, options: Options, indent: str = "  ") -> list[str]:
    """A sentence as lines for a terminal, two columns in."""
    return safe.wrap(safe.terminal(words) if indent else safe.opening(words), options.width, indent, indent)


def _cell(words: str) -> str:
    return safe.clip(safe.opening(words), WIDEST)


def page_markdown(page: PageContent, *, level: int = 1, link: Link | None = None) -> str:
    """The page as Markdown; what Markdown or GitHub would act upon in its words is escaped.

    Args:
        page: the page.
        level: of its heading; those of the sections are one below.
        link: makes a link of the text in a row's second cell to the path in the table's ``notes``; None makes none.
    """
    return fill_template("page.md", page=page, marks="#" * level, link=link)


def fill_template(name: str, **values: object) -> str:
    """A template filled with values; a name that is none of them is an error of ours, ``jinja2.UndefinedError``.

    Args:
        name: the template's file name, such as "report.html"; what it prints is made harmless for what its suffix says.
        values: what it may print: ``page``, and what it shows besides.
    """
    text: str = _environment(Path(name).suffix).get_template(name).render(**values)
    return safe.prompt(text) if name.endswith(".md") else safe.page(text)


def chart_legend(chart: Chart) -> list[tuple[str, str]]:
    """For each kind of thing in a chart its symbol, as markup, and what it stands for."""
    from markupsafe import Markup

    legend = _environment(".html").get_template("parts.html").module.legend
    return [(Markup(legend[kind][0]), legend[kind][1]) for kind in chart.kinds if kind in legend]


@cache
def _environment(suffix: str) -> Any:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from markupsafe import Markup

    # Jinja's own escaping lets control and bidirectional characters through.
    escape = safe.markdown if suffix == ".md" else safe.markup
    return Environment(
        loader=FileSystemLoader(Path(__file__).with_name("pages")),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=lambda value: value if hasattr(value, "__html__") else Markup(escape(str(value))),
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
