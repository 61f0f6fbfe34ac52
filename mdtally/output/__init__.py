"""What every output is made of: harmless text, a terminal's tables, the record of a page with its writers."""
