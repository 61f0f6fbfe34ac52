"""Records to strings: for each command a file with what a person reads and its JSON; for each page a file.

Nothing here prints, asks for a terminal or knows an exit code. What writes a format gets the records, the options of
`mdtally.show.style` and the files that could not be read, and returns the whole output, or its pieces where a large
log would not fit into one string; what is untrusted in it has gone through `mdtally.text.safe`. A command's formats
stand in the table ``FORMATS`` of its file, by the names that ``--output-format`` takes.
"""
