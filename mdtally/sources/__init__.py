"""Recorded sessions of agents, and chats of programs' exports, and the Markdown note of one.

for found in conversations(stream): ...            the conversations in a file of any source, and what is unreadable
text = note_of(conversation, "2026-02-10")         a note that `turns` reads back as exactly these turns
more = addition(document, recording)            what a note lacks of a session that has gone on
"""

from mdtally.sources.note import addition, file_name, is_copy, note_of, turns_hash
from mdtally.sources.opencode import folders_in
from mdtally.sources.recording import Recording
from mdtally.sources.table import (
    EDITORS,
    PLACES,
    RECORDED,
    SOURCES,
    WITH_OTHERS,
    conversations,
    is_something_else,
)
from mdtally.sources.values import COMPRESSED, decompress
