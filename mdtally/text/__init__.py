"""Bytes, characters, lines and heads of Markdown: what every room reads with."""
