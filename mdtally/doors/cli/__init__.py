"""The command line: options in, calls into the rooms, prints and an exit code out.

Each command is a file of this package: a typer function with its options. What they share stands in ``options`` and
``common``, the list of the commands in ``program``.
"""

from mdtally.doors.cli.program import COMMANDS, main
