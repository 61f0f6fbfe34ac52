"""What a line that opens a turn says: its shape, who speaks, in which round, and the words for it."""
