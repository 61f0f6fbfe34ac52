"""``parse(bytes) -> Document``: the one way from a file's bytes to something that can be read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache, wraps
from typing import Any, TypeVar, cast

from mdtally.text import frontmatter
from mdtally.text.conflicts import CONFLICT, find_conflict
from mdtally.text.layout import FENCE, INDENTED, RAW, Fence, Layout
from mdtally.text.lines import scan
from mdtally.text.model import Head, Problem, Source, TranscriptForm
from mdtally.text.records import record, replace
from mdtally.text.source import count_lines, read_source, split_lines

FRAME = "<!-- survey-frame: "
"""How the comment at the end of a survey begins that says what was drawn."""


@record
class Document:
    """A Markdown file, read: its source, its frontmatter and its lines.

    Attributes:
        source: the lossless text.
        head: the frontmatter's values.
        lines: every line of the file without its line end, the head's included, so ``lines[n - 1]`` is line n.
        body_line: number of the first line after the head, 1-based.
        form: how the configuration says that its transcript is written; None if it says nothing.
    """

    source: Source
    head: Head
    lines: tuple[str, ...]
    body_line: int
    form: TranscriptForm | None = None

    @property
    def conflict(self) -> Problem | None:
        """The problem of a merge conflict in it: then nothing is counted, tagged or written."""
        problem = self.head.problem
        return problem if problem and problem.rule == CONFLICT else None

    @cached_property
    def is_survey(self) -> bool:
        """True for the note of a survey, which holds answers about many sessions, and is none.

        One whose head was lost, or says something else, ends in the comment about what was drawn.
        """
        text = self.source.text
        begin = text.rfind(f"\n{FRAME}")
        ends_so = begin >= 0 and text.find("-->", begin) == len(text.rstrip()) - 3
        return ends_so or self.head.values.get("kind") == "survey"

    @cached_property
    def layout(self) -> Layout:
        """Which of its lines are code, headings and comments, by the letter; scanned when it is first asked for."""
        return scan(self.lines, self.body_line - 1)

    @property
    def plain_fences(self) -> list[Fence]:
        """The fences that the labels of turns may open: plain ones, where a person gave patterns."""
        has_patterns = self.form is not None or "transcript" in self.head.values
        return [fence for fence in self.layout.fences if fence.is_plain and has_patterns]

    def layout_around(self, labels: Sequence[int]) -> Layout:
        """The layout with a fence in doubt ended before the first label of a turn in it; ascending indices of lines."""
        opened = self.layout.opened_by(labels if self.plain_fences else ())
        in_doubt = opened or self.layout.is_in_doubt
        return scan(self.lines, self.body_line - 1, labels, opened) if in_doubt else self.layout


@lru_cache(maxsize=1)
def parse(data: bytes) -> Document:
    """Read a Markdown file; the same bytes once more give the same document, whose turns and counts are known.

    An edit is proved on the document that it makes, and this is the one that is looked at next.

    Args:
        data: the whole file.

    Returns:
        the document; a head that can't be read, or a merge conflict anywhere in the file, is a problem in
        ``document.head.problem``, not an error.

    Raises:
        UnreadableError: the bytes are not text.
    """
    source, head = frontmatter.read(read_source(data))
    document = Document(source, head, split_lines(source.text), count_lines(source.head) + 1)
    if "<<<<<<<" not in source.text:
        return document

    def is_code(index: int) -> bool:
        return index + 1 >= document.body_line and document.layout.kinds[index] in (FENCE, INDENTED, RAW)

    conflict = find_conflict(document.lines, is_code)
    return replace(document, head=replace(head, problem=conflict)) if conflict else document


Reader = TypeVar("Reader", bound=Callable[..., Any])


def once_a_document(read: Reader) -> Reader:
    """The function, which reads a document only once: its last answer is kept until it is asked about another one.

    Several rooms ask for the turns and the counters of the same file, which is most of what they cost. The function is
    called again if an argument is None that was not, or the other way round.
    """
    last: tuple[Document | None, set[str], Any] = None, set(), None

    @wraps(read)
    def read_once(document: Document, *args: Any, **options: Any) -> Any:
        nonlocal last
        given = {str(name) for name, value in (*enumerate(args), *options.items()) if value is not None}
        if last[0] is not document or last[1] != given:
            last = document, given, read(document, *args, **options)
        return last[2]

    return cast("Reader", read_once)
