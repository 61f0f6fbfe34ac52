"""A coding agent's recorded session, and the Markdown note of it.

recording = read_claude_code(lines)                the conversation, from the lines of a session's file
text = note_of(recording, "2026-02-10")            a note that `turns` reads back as exactly these turns
addition(document, before, recording)              what a note lacks of a session that has gone on
"""

from mdtally.sources.claude_code import read as read_claude_code
from mdtally.sources.note import addition, file_name, note_of, recorded_size
from mdtally.sources.conversation import Recording
