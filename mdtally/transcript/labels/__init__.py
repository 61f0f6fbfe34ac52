"""What a line that opens a turn says: its shape, and the template that it is written by."""
