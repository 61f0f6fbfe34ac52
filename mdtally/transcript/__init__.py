"""A document to the conversation it holds: who spoke, where, in which round, and what."""

from mdtally.transcript.reading import label_lines, read, readings_by
from mdtally.transcript.unmatched import UNDECLARED
