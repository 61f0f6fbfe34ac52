"""Every format's output for one small run, as a file a person can read.

After a wanted change, ``UPDATE_GOLDEN=1 python -m pytest tests/test_render_golden.py`` writes the files in
tests/golden/render/ and the examples in docs/output.md anew; read the difference before committing it.
"""

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from render_sample import REPORT, RULES, TURNS, VERDICTS

from mdtally import __version__
from mdtally.render import LINT_FORMATS, TURNS_FORMATS, VERDICT_FORMATS, Options, Palette, remarks

GOLDEN = Path(__file__).parent / "golden" / "render"
DOCS = Path(__file__).parents[1] / "docs" / "output.md"
UPDATE = bool(os.environ.get("UPDATE_GOLDEN"))
PLAIN = Options(width=80)
COLOUR = Options(palette=Palette(enabled=True), width=80)

OUTPUTS: dict[str, Callable[[], str]] = {
    **{f"lint-{name}": (lambda render=render: render(REPORT, RULES, PLAIN)) for name, render in LINT_FORMATS.items()},
    **{f"turns-{name}": (lambda render=render: render(TURNS, RULES, PLAIN)) for name, render in TURNS_FORMATS.items()},
    **{
        f"verdict-{name}": (lambda render=render: render(VERDICTS, RULES, PLAIN))
        for name, render in VERDICT_FORMATS.items()
    },
    "lint-full-colour": lambda: LINT_FORMATS["full"](REPORT, RULES, COLOUR),
    "verdict-text-colour": lambda: VERDICT_FORMATS["text"](VERDICTS, RULES, COLOUR),
    "lint-stderr": lambda: remarks(REPORT, PLAIN),
}
_EXAMPLE = re.compile(r"(<!-- golden: (\S+) -->\n```\w*\n)(.*?)(^```$)", re.MULTILINE | re.DOTALL)


def _rendered(name: str) -> str:
    """The output with escape characters and the version made readable."""
    return OUTPUTS[name]().replace("\x1b", "␛").replace(f'"version": "{__version__}"', '"version": "VERSION"')


@pytest.mark.parametrize("name", OUTPUTS)
def test_output_is_the_golden_one(name: str) -> None:
    """The format writes what the golden file says, byte for byte."""
    file = GOLDEN / f"{name}.txt"
    if UPDATE:
        GOLDEN.mkdir(parents=True, exist_ok=True)
        file.write_text(_rendered(name), encoding="utf-8", newline="")
    assert _rendered(name) == file.read_bytes().decode("utf-8")


def test_no_golden_file_is_left_over() -> None:
    """Every golden file belongs to an output: none stays when its format goes."""
    assert {file.stem for file in GOLDEN.iterdir()} == set(OUTPUTS)


def test_examples_in_the_docs_are_real_output() -> None:
    """Every marked block in docs/output.md is the golden output of that name; every text format is shown."""
    page = DOCS.read_text(encoding="utf-8")
    if UPDATE:
        page = _EXAMPLE.sub(lambda m: f"{m[1]}{_rendered(m[2])}{m[4]}", page)
        DOCS.write_text(page, encoding="utf-8", newline="")
    shown = {match[2]: match[3] for match in _EXAMPLE.finditer(page)}
    assert {"lint-full", "lint-concise", "lint-notice", "lint-github", "lint-stderr"} <= set(shown)
    assert shown == {name: _rendered(name) for name in shown}


def test_every_format_is_documented() -> None:
    """The docs name every format of the three tables."""
    page = DOCS.read_text(encoding="utf-8")
    for name in (*LINT_FORMATS, *TURNS_FORMATS, *VERDICT_FORMATS):
        assert f"`{name}`" in page
