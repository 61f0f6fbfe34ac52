"""``python -m mdtally`` and the ``mdtally`` command."""

import gc
import io
import os
import sys

if __name__ == "__main__" and not sys.flags.safe_path and sys.path[0] in ("", os.getcwd()):  # noqa: PTH109
    # `python -m` puts the working directory first, and a repository could hold a yaml.py of its own.
    del sys.path[0]

# The modules and records of a short run hold no cycles worth looking for.
gc.set_threshold(200_000, 20, 20)


def run() -> None:
    """Run the command line and leave with its exit code."""
    try:
        from mdtally.doors.cli import main
    except KeyboardInterrupt:  # the imports take a tenth of a second
        os._exit(130)
    # A program may be started with a standard stream closed (``>&-``); Python has None in its place then.
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115, PTH123 - open until the end
    for stream in (sys.stdout, sys.stderr):
        # Windows and old locales have an encoding of their own for pipes, which no JSON may have.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    code = main()
    for stream in (sys.stdout, sys.stderr):
        try:  # noqa: SIM105 - contextlib is an import that nothing else here needs
            stream.flush()
        except (OSError, ValueError):
            # Nobody takes the rest, which `main` has answered already; a server's streams are closed.
            pass
    # Python would now take apart each module, which is a tenth of a short run, and the memory goes back anyway.
    os._exit(code)


if __name__ == "__main__":
    run()
