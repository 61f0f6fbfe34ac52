"""Regular expressions that are compiled late: each can be compiled, and behaves as one that was compiled at once."""

import importlib
import pkgutil
import re

import pytest

import mdtally
from mdtally.text.regex import _WhenUsed, regex

MODULES = [m.name for m in pkgutil.walk_packages(mdtally.__path__, "mdtally.") if not m.name.endswith("__main__")]


@pytest.mark.parametrize("module", MODULES)
def test_every_late_expression_of_a_module_compiles(module: str) -> None:
    """A mistake in an expression that no run has used yet shows here."""
    for name, value in vars(importlib.import_module(module)).items():
        if isinstance(value, _WhenUsed):
            assert value.pattern, name


def test_a_late_expression_is_a_pattern() -> None:
    """Methods, groups and flags are those of the compiled pattern, before and after the first use."""
    late, early = regex(r"(a)(?P<b>b)?", re.I), re.compile(r"(a)(?P<b>b)?", re.I)
    for _ in range(2):
        assert [m.span() for m in late.finditer("xAbaB")] == [m.span() for m in early.finditer("xAbaB")]
        assert late.sub("-", "cab") == early.sub("-", "cab")
        assert late.groupindex == early.groupindex
        assert late.flags == early.flags


def test_a_wrong_expression_fails_when_it_is_used() -> None:
    """Not before, and with the error of the compiler."""
    late = regex("(")
    with pytest.raises(re.error):
        late.match("x")
