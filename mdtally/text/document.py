"""``parse(bytes) -> Document``: the one way from a file's bytes to something that can be read."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Any, TypeVar, cast

from mdtally.text import frontmatter
from mdtally.text.model import Document
from mdtally.text.source import count_lines, read, split_lines


@lru_cache(maxsize=1)
def parse(data: bytes) -> Document:
    """Read a Markdown file; the same bytes once more give the same document, whose turns and counts are known.

    An edit is proved on the document that it makes, and this is the one that is looked at next.

    Args:
        data: the whole file.

    Returns:
        the document; a head that can't be read is a problem in ``document.head.problem``, not an error.

    Raises:
        UnreadableError: the bytes are not text.
    """
    source, head = frontmatter.read(read(data))
    return Document(source, head, split_lines(source.text), count_lines(source.head) + 1)


Reader = TypeVar("Reader", bound=Callable[..., Any])


def once_a_document(read: Reader) -> Reader:
    """The function, which reads a document only once: its last answer is kept until it is asked about another one.

    Several rooms ask for the turns and the counters of the same file, which is most of what they cost. The function is
    called again if an argument is None that was not, or the other way round.
    """
    last: tuple[Document | None, list[bool], Any] = None, [], None

    @wraps(read)
    def answer(document: Document, *args: Any, **options: Any) -> Any:
        nonlocal last
        are_given = [value is not None for value in (*args, *options.values())]
        if last[0] is not document or last[1] != are_given:
            last = document, are_given, read(document, *args, **options)
        return last[2]

    return cast("Reader", answer)
