"""A document to the conversation it holds: who spoke, where, in which round, and what.

The way of a document, which `reading` goes:

1. `page`: its lines, as all modules look at them; `declared`: what its head or a folder's configuration says of it;
2. the patterns, from the surest choice to the least sure: those given (`patterns`), those of declared voices
   (`participants`), those of a program's signature (`exporters`), or a guess (`structure`) at which lines that `labels`
   takes apart are labels, of which `forms` makes patterns;
3. `engine`: the turns that these open, with the lines between turns (`bounds`);
4. `build`: the turns as records; `unmatched`: what is declared and matches nothing.
"""

from mdtally.transcript.reading import label_lines, read, readings_by
from mdtally.transcript.unmatched import UNDECLARED
