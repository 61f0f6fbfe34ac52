"""Reading by declared participants: one rule, at any level and in any shape.

A visible label whose text, or a part of it between separators, is a participant's name opens a turn; nothing else does.
In a heading and between marks any part may be the name, elsewhere the whole zone (`labels`), or words before a colon
that hold it ("Agent 1 (Ana): text"); "Ana thinks", "Ana, that is" and "**Ana** made a point" are not labels.

The same names stand in rosters, votes, addresses and summaries. So what is listed without blank lines, quoted, in a
table, behind a dash or an @, or held by other words counts for those who are not labelled otherwise, and in a turn that
a heading opens only labels of the page's most common shape. Declaring loses no turn: a label of a participant that is
surely one without the declaration opens its turn in any case.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence

from mdtally.text import rounds, words
from mdtally.text.layout import Layout
from mdtally.text.line_parts import EMOJI
from mdtally.text.lines import is_rule
from mdtally.text.names import Name, clean, fold, is_role, is_section, kind_of
from mdtally.text.records import record, replace
from mdtally.text.regex import regex
from mdtally.text.voices import Participant
from mdtally.transcript.bounds import among_fields
from mdtally.transcript.declared import kind_by_words, spellings
from mdtally.transcript.labels.shapes import Label, LabelForm, Opening, openings, visible
from mdtally.transcript.page import Page

_PARTS = regex(
    rf"\s*(?:[()\[\]（）【】→|·•]|[{EMOJI}]+)\s*(?:-+\s+)?|\s+/\s+|\s+-+\s+|\s*[—–]+\s*|\s*[-=]>\s*|[:：]\**\s*|,\s+"
    r"|\s(?=\d{1,2}:\d\d)|\s-\d"
)


_BRACKETED = regex(r"(?P<before>[^()（）]+)[(（](?P<inner>[^()（）]+)[)）]")


@record
class _Found:
    """A label that names a participant.

    Attributes:
        label: the label.
        words_beside: 0 if a part of its zone is the name, else how many words follow the name, or precede it.
        is_last: the name is what the zone ends with: "Reply by Ana".
        is_weak: it is listed, quoted, in a table, an address or behind a dash, as rosters, votes and greetings are.
        is_name: its text begins with the name, and holds at most who that is and what is said: no "Risk: Ana".
    """

    label: Label
    words_beside: int
    is_last: bool
    is_weak: bool
    is_name: bool

    @property
    def is_wrapped(self) -> bool:
        """True in a list's item or a quotation."""
        return self.label.form.inside in ("item", "quote")


def _bare(form: LabelForm) -> LabelForm:
    """A form without the mark of a list or quote, and a heading's level."""
    return replace(form, inside="" if form.inside in ("item", "quote") else form.inside, level=0)


def labels_of(page: Page, guessed: Collection[int]) -> tuple[list[Label], list[Label]]:
    """The labels of the declared participants' turns, in order; and the labels of another form inside these turns.

    Args:
        page: the document.
        guessed: rows of the labels that open turns if nothing is declared.
    """
    title = _title(page.layout)
    every = list(_labels(page))
    # Where nothing else labels anybody, it is the label of the only turn.
    found = [one for one in every if one.label.row != title] or every
    exact = Counter(one.label.form for one in found if not one.words_beside)
    # "Ana on pricing": in the shape of other labels it is one; else only a word or two may stand beside the name.
    most = 0 if exact else 2
    named = [one for one in found if one.words_beside <= most or (exact[one.label.form] > 1 and not one.is_last)]
    rows = {one.label.row for one in named}
    headings = [one.label for one in found if one.label.form.mark == "heading" and one.label.row not in rows]
    left = [label for label in headings if not rounds.parse(page.lines[label.row].strip("# "))]
    kept, inside = _opening_labels(page, named, guessed) if named else ([], [])
    return kept, sorted((*inside, *left), key=lambda label: label.row) if kept else []


def _title(layout: Layout) -> int | None:
    """Row of the page's title: the first heading, if no other has its level or a higher one."""
    first = next(iter(layout.headings), None)
    alone = first and sum(heading.level <= first.level for heading in layout.headings) == 1
    return first.row if first and alone else None


def _labels(page: Page) -> Iterator[_Found]:
    """Every line that labels a participant, by the rule."""
    names = page.declared.form.by_spelling
    above, fresh = -1, True  # the line above was label, heading or rule, so that a paragraph may begin
    for row, line, heading in visible(page.lines, page.first, page.layout):
        listed = above == row - 1 or bool("".join(page.lines[row + 1 : row + 2]).strip())
        fresh, above = fresh or above < row - 1, row
        every = [label for one in openings(line, heading, fresh=fresh) if (label := _label_of(one, row, listed, names))]
        rank = {one: (one.words_beside, one.is_weak, -len(one.label.name.speaker)) for one in reversed(every)}
        found = min(rank, key=lambda one: rank[one], default=None)
        if found is not None:
            yield found
        fresh = heading is not None or found is not None or is_rule(line)


def _label_of(opening: Opening, row: int, listed: bool, names: Mapping[str, Participant]) -> _Found | None:
    """The participant's label in a line that was taken apart; None if it names none.

    The whole zone may be the name, or a part of it between separators, or the zone may begin or end with it.
    """
    whole = fold(opening.zone)
    participant, words_beside, is_last = names.get(whole), 0, False
    is_weak = opening.dashed or opening.form.inside in ("quote", "row") or opening.shown.startswith("@")
    is_weak = is_weak or (listed and opening.form.inside == "item")
    name = clean(opening.shown) or Name("")
    if participant is None and (not opening.whole or (opening.set_off and "," not in opening.shown)):
        parts = (fold(part) for part in _PARTS.split(opening.shown if opening.whole else opening.zone) if part)
        participant = next((names[part] for part in parts if part in names), None)
        if participant is None and (not opening.whole or "verb" in name.cut):
            participant = names.get(fold(name.speaker))  # "Ana says:", "Ana's Final Position"
        if participant is not None:
            is_weak = is_weak or opening.whole or _answers_for(opening.zone, participant)
    if participant is None and (not opening.whole or opening.set_off):
        participant, words_beside, is_last = _name_at_an_end(whole, names)
    is_greeting = opening.zone.endswith(",")  # "Ana," stands above a letter that somebody else writes
    if participant is None or is_greeting or (opening.whole and words_beside):
        return None
    is_name = fold(name.speaker) in spellings(participant)
    kind = name.kind if name.kind and not participant.kind else kind_by_words(participant)
    role = name.role if fold(name.role) not in spellings(participant) else participant.role
    name = replace(name, speaker=participant.name, kind=kind, role=role)
    label = Label(row, opening.column, opening.body, name, opening.form, opening.end)
    return _Found(label, words_beside, is_last, is_weak, is_name)


def _answers_for(zone: str, participant: Participant) -> bool:
    """True if a name stands in brackets behind words that are not who somebody is: "The plan (Ana)"."""
    bracketed = _BRACKETED.match(zone)
    if bracketed is None or fold(bracketed["inner"]) not in spellings(participant):
        return False
    return not (kind_of(Name(bracketed["before"].strip())) or is_role(fold(bracketed["before"])))


def _name_at_an_end(text: str, names: Mapping[str, Participant]) -> tuple[Participant | None, int, bool]:
    """The longest name that a label's text begins or ends with, how many words more it has, True if it ends so.

    Scripts without spaces need no word's end ("正方申論"); who somebody is counts for no word ("Agent Ana", "Dr. Ana").
    """
    who = words.table("agents", "humans", "moderators", "roles", "titles")
    for size in range(min(len(text) - 1, 80), 0, -1):
        for begin in (0, len(text) - size):
            name, beside = text[begin : begin + size], text[size] if not begin else text[begin - 1]
            if name in names and not (name[0 if begin else -1].isascii() and (beside.isalnum() or beside in "_-")):
                more = len(text.split()) - len(name.split()) or 1
                if begin and who.issuperset(word.strip(".") for word in text[:begin].split()):
                    more = 0
                return names[name], more, bool(begin)
    return None, 0, False


def _opening_labels(page: Page, found: Sequence[_Found], guessed: Collection[int]) -> tuple[list[Label], list[Label]]:
    """The labels that open turns, without rosters, votes and summaries; and those left out for their form alone."""
    strong = [one for one in found if not one.is_weak]
    common = Counter(_bare(one.label.form) for one in strong or found).most_common(1)[0][0]
    opening = {one.label.row for one in found if one.label.form.mark == "heading"}
    walls = [heading for heading in page.headings if heading.row not in opening]
    section = {one.label.row: bisect_right(walls, one.label.row, key=lambda wall: wall.row) for one in found}
    taken = {section[one.label.row] for one in strong if not one.is_wrapped and _bare(one.label.form) == common}
    rosters = words.table("rosters")  # sections that name the voices without letting them speak
    apart = [is_section(wall.plain) or bool(rosters & {*wall.plain.casefold().split()}) for wall in walls]
    nobodys = {place for place, is_apart in enumerate(apart, start=1) if is_apart and place not in taken}
    fields = among_fields(page, {one.label.row: replace(one.label.form, level=0) for one in found})
    headed = {one.label.name.speaker for one in found if one.label.form.mark == "heading"}
    named = {one.label.name.speaker for one in strong if not one.is_wrapped}
    # by level of headings, how many voices have their name there
    levels = Counter(level for level, _ in {(one.label.form.level, one.label.name.key) for one in found if one.is_name})
    places: dict[str, str] = {}  # by speaker, what the first of his weak labels stands in: one kind of list is his
    kept: list[Label] = []
    inside: list[Label] = []
    owner: Label | None = None  # the heading that the label stands below
    for one in found:
        row, speaker, at = one.label.row, one.label.name.speaker, section[one.label.row]
        if owner and at != section[owner.row] and walls[at - 1].level <= owner.form.level:
            owner = None
        other, nobody = _bare(one.label.form) != common, at in nobodys
        # "**Author**: Ana" below her label
        again = other and kept and kept[-1].name.speaker == speaker and _says_nothing(page, kept[-1], row)
        is_heading = one.label.form.mark == "heading"
        # "#### Risk: Ana" below "### Ben", as "### Ana" is: one of Ben's headings
        is_his = owner and one.label.form.level > owner.form.level and levels[owner.form.level] > 1 and not one.is_name
        if is_heading and not is_his:
            owner = one.label
        elif row not in guessed and (
            is_heading
            or row in fields
            or again
            or (other and (nobody or (owner and speaker in headed)))
            or (speaker in named and (one.is_weak or (one.is_wrapped and (other or nobody))))
            or (one.is_weak and places.setdefault(speaker, one.label.form.inside) != one.label.form.inside)
        ):
            inside += [one.label] if not one.is_weak and row not in fields and not (nobody or again) else []
            continue
        kept.append(one.label)
    is_roster = _is_roster(page, [label for label in kept if label.form.inside == "row"])
    return [label for label in kept if not (is_roster and label.form.inside == "row")], inside


def _says_nothing(page: Page, label: Label, limit: int) -> bool:
    """True if nothing but headings stands between a label and a row."""
    below = (page.lines[row].strip() for row in range(label.row + 1, limit))
    return label.body is None and all(not line or line.startswith("#") for line in below)


def _is_roster(page: Page, table: Sequence[Label]) -> bool:
    """True if the rows of a table have each voice once, with several cells behind the name: who takes part."""
    is_once = len({label.name.speaker for label in table}) == len(table)
    return is_once and all("|" in page.lines[label.row].rstrip(" |")[label.body or 0 :] for label in table)
