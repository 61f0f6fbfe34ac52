"""The ways in: command line, editor, Python. Nothing is decided here."""
