"""Pages from templates: whatever a value holds, it is text on the page."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from test_render_safe import harmful, hostile

from mdtally.render import pages


@given(value=st.one_of(hostile, st.integers()))
def test_a_value_is_text_wherever_a_template_prints_it(value: object) -> None:
    """No template can forget to escape: the environment does, control and bidirectional characters included."""
    output = pages._environment().from_string('<p title="{{ value }}">{{ value }}</p>').render(value=value)
    inner = output.removeprefix('<p title="').removesuffix("</p>")
    title, _, shown = inner.partition('">')
    assert title == shown
    assert not set(inner.replace('">', "")) & set("<>\"'")
    assert not list(harmful(output))
