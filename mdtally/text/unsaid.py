"""What stands in a transcript and nobody says: a model's thoughts in tags, and what programs add to a message."""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Iterator, Sequence

from mdtally.text import words
from mdtally.text.lines import scan
from mdtally.text.regex import regex
from mdtally.text.text_blocks import blocks

# "<think>", "**Ana:** <thinking-content-7bb>", "<system-reminder>", `<attached-skill name="Wireframe">`,
# "<task-notification>", "<tool_result>", "<local-command-stdout>", "<environment_details>" of Cline and Roo,
# `<details type="reasoning">`, "<details><summary>💭 Thinking</summary>", "<summary>Thought for 5 seconds</summary>"
_UNSAID = regex(
    r"(?:|.*[:：][*_]*)\s*(?P<tag><(?P<name>think(?:ing(?:-content-\w+)?)?|reasoning|system-(?:info|reminder)"
    r"|attached-skill|default aesthetic_system_instructions|(?:tool|function)_(?:result|response|output)s?(?!> \S)"
    r"|tool_use_error|task-notification|teammate-message|local-command-[a-z]+|bash-std(?:out|err)|environment_details"
    r'|details(?= type="(?:reasoning|tool_calls)"|(?: [^<>]*)?>\s*<summary>[^<\w]*'
    rf"(?:thought for \d[^<]*|(?P<title>{words.either('thoughts', 'program-titles')}))\W*</summary>))(?: [^<>]*)?>)",
    re.IGNORECASE,
)
# "## 🤖 Assistant (6/24/2026, 9:30:40 AM)", "**Claude:**", "Assistant:": a title's details right below are a program's
_MACHINE = regex(
    rf"(?:[#*_\[][\W_]*{words.either('agents', 'models')}\b.{{0,60}}|{words.either('agents', 'models')}:)\s*$",
    re.IGNORECASE,
)
# "[Timestamp: 2025/12/30 03:49:46]", "[Context: Notes: a.md]", "*[This turn includes uploaded images]*",
# "> [!metadata]- Message Info" with a table below; and what may be all of a message: "[Request interrupted by user]"
_ADDED = regex(
    r"\[(?:Timestamp: [\d/-]{8,10} [\d:]{4,8}|Context: (?:Notes|URLs|Tags|Folders): .*|message_id: \S+)\]\s*$"
    r"|[*_]\[This turn includes uploaded \w+\][*_]\s*$|> \[!metadata\][+-]? Message Info\s*$"
    r"|(?P<notice>\[Request interrupted by user[^\]]*\]|\*\(interrupted\)\*|\*\*Tool Cancelled:\*\* `\S+`)\s*$"
)
# What OpenClaw sets before a message: "System: [2026-04-05 20:56:13 GMT+3] Exec completed", "[Fri 2026-03-27 18:20
# EST]", "Sender (untrusted metadata):" with a fence of JSON below
_STAMP = r"20\d\d-\d\d-\d\d \d\d:\d\d(?::\d\d)? [^\s\]]+\]"
_BEFORE = regex(
    r"(?m)^(user: )((?:(?:Note: The previous agent run was aborted by the user\. Resume carefully or ask for "
    rf"clarification\.|System(?: \(untrusted\))?: \[{_STAMP}.*|\[(?:[^\]\n]* )?{_STAMP}"
    r"|[A-Z][\w ]* \(untrusted metadata\):\n```json\n(?:[ {}].*\n)*```$)\s*)+)"
)
_SIGNS = "[", "*", "_", ">"
"""With one of them such a line begins."""

# "### 📤 Tool Result", "**Thinking:**", "[Tool Result]", "> [!note]- Thinking"
_TITLE = regex(r"(?=.{1,120}$)(?P<mark>#{1,6} |\*\*|\[|> ?\[!\w+\][+-]? )[\W_]*(?P<name>.*?)[\W_]*$")
_TITLES = words.table("program-titles", "thoughts")
_HEADS = {*_TITLES, *(pair.rpartition(" ")[0] for pair in words.table("thoughts-and-answers"))}


def without_unsaid(lines: Sequence[str], first: int) -> tuple[tuple[str, ...], set[int]]:
    """The lines with blanks in place of what nobody said, and the rows from which all that counts was taken.

    Args:
        lines: every line of the file.
        first: index of the first line below the frontmatter.
    """
    said = tuple(lines)
    if any("</" in line for line in said):
        said = _without_tagged(said, first)
    if any(line.startswith(("- **Session Key**:", "- **Session ID**:")) for line in said):
        said = tuple(_BEFORE.sub(lambda found: found[1] + re.sub(r"[^\n]", " ", found[2]), "\n".join(said)).split("\n"))
    unsaid = {row for row, line in enumerate(said) if line != lines[row]}
    added = {row: match for row, line in enumerate(said) if line.startswith(_SIGNS) and (match := _ADDED.match(line))}
    if added:
        said = _without_added(said, first, added)
        unsaid.update(row for row, match in added.items() if match["notice"] and not said[row])
    return said, unsaid


def _without_tagged(lines: Sequence[str], first: int) -> tuple[str, ...]:
    """The lines with blanks in place of what stands in tags: what a model thinks, or a program adds to a message."""
    found, opened, hidden, above = list(lines), (0, 0, "", ""), b"", ""
    for row, line in enumerate(lines):
        above = found[row - 1] if row and found[row - 1].strip() else above
        if row < first or "<" not in line:
            continue
        opened = (0, 0, "", "") if "<details" in line and opened[2] == "</details>" else opened
        unsaid = _UNSAID.match("\n".join(lines[row : row + 1 + ("<details" in line)]))
        if unsaid and (not unsaid["title"] or _MACHINE.match(line[: unsaid.start("tag")].strip() or above)):
            hidden = hidden or scan(lines, first).hidden
            opened = opened if hidden[row] else (row, unsaid.start("tag"), f"</{unsaid['name']}>".casefold(), above)
        begin, column, closing, label = opened
        if closing and (end := line.casefold().find(closing)) >= 0:
            for at in range(begin, row + 1):
                start, stop = column if at == begin else 0, end + len(closing) if at == row else len(found[at])
                found[at] = found[at][:start] + " " * (stop - start) + found[at][stop:]
            opened, above = (0, 0, "", ""), label
    return tuple(found)


def _without_added(lines: Sequence[str], first: int, added: Collection[int]) -> tuple[str, ...]:
    """The lines with nothing in place of those that a program adds to a message, and of a table of its below one."""
    found, hidden = list(lines), scan(lines, first).hidden
    for row in added:
        if row < first or hidden[row]:
            continue
        is_table, end = found[row].startswith(">"), row + 1
        while is_table and end < len(found) and found[end].startswith(">"):
            end += 1
        found[row:end] = [""] * (end - row)
    return tuple(found)


def unsaid_rows(lines: Sequence[str]) -> Iterator[int]:
    """The rows of a machine's turn with what a tool gave back or the model thought, by a title, where it is plain.

    That is a quotation or a fence right below, unless it stands in one of several sections with quotations; all between
    the title of a thought that stands first and the answer's, "### Response"; the lines below "[Tool Result]".
    """
    titles = {at: (of["mark"], of["name"].casefold()) for at, line in enumerate(lines) if (of := _TITLE.match(line))}
    every = [*blocks(lines, 0, scan(lines, 0))] if any(name in _HEADS for _, name in titles.values()) else []
    pairs = [(titles.get(one.first, ("", "")), one, below) for one, below in itertools.pairwise([*every, *every[-1:]])]
    sections = {of[0] for of, _, below in pairs if of[1] not in _HEADS and below.kind == "quote"}
    for at, ((mark, name), block, below) in enumerate(pairs):
        if block.kind == "code" or name not in _HEADS:
            continue
        below_it = () if at else every[1:]  # of the first title alone: no walk to the end at each
        stop = next((one.first for one in below_it if one.kind == "rule" or mark in titles.get(one.first, ())), 0)
        if stop and f"{name} {titles.get(stop, ' ')[-1]}" in words.table("thoughts-and-answers"):
            yield from range(block.first, stop)
        elif block.last > block.first:
            if block.kind == "quote" or (mark == "[" and not at and name in words.table("program-titles")):
                yield from range(block.first, block.last + 1)
        elif name in _TITLES and (below.kind == "code" or (below.kind == "quote" and mark not in sections)):
            yield from range(block.first, below.last + 1)
