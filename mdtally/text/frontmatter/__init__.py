"""The frontmatter of a file, read and edited by python-frontmatter without losing a byte; see ``door``."""

from mdtally.text.frontmatter.door import EMPTY, dumps, edit, loads, post, read, text_of, value_of, written_key
from mdtally.text.frontmatter.text import REMOVED
