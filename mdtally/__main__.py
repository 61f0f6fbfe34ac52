"""``python -m mdtally`` and the ``mdtally`` command."""

import sys

from mdtally.cli import main


def run() -> None:
    """Run the command line and leave with its exit code."""
    sys.exit(main())


if __name__ == "__main__":
    run()
