"""A label's text to a name: who speaks, freed of role, model, addressee, verb, stage and verdict.

People write one voice as "Maya", "### Maya (Paranoid Realism) — Devil's Advocate", "**MAYA → JOE:**" and "Maya's Final
Position". A parenthesis may hold a role, a model, an addressee or a pass, and a dash a role, a stage or a topic, so
each part is sorted by what it says. Nothing is lost: what was cut stands in the turn's other fields.
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Mapping
from functools import cache, cached_property, lru_cache

from mdtally.text import rounds, words
from mdtally.text.line_parts import EMOJI, LABEL_TAIL
from mdtally.text.model import RoundNumber, SpeakerKind
from mdtally.text.records import record, replace
from mdtally.text.regex import regex
from mdtally.text.times import TIMED, WHEN, Timed

_CACHED = 4096
_EMOJI = regex(f"[{EMOJI}]+")
_LEADING = regex(
    rf"^(?:[{EMOJI}]+[A-Z]\s+(?=\w{{2}})|[\s{EMOJI}>•·▸►|]+|\d{{1,2}}(?:\.\d{{1,2}})+[.)]?\s+|\[?\d{{1,3}}[A-Za-z]?[.)\]]\s+"
    r"|@(?=\w)|:[a-z][a-z0-9_+-]*:\s+(?=\S))+"  # ":robot: **Ana**"
)
_STAMP = Timed(rf"\s*[\[(]?\s*(?P<stamp>{WHEN})\s*[\])]?[\s,，|>·:@–—-]*(?:From\s)?")
_STAMP_BEHIND = Timed(rf"[\s,·|–—@-]*(?:\b(?:at|on|um|à|в)\s)?\s*[\[(]?(?P<stamp>{TIMED})[\])]?\s*[:：]?$")
_HTML = regex(rf"</?[A-Za-z][^<>]{{0,80}}>|{LABEL_TAIL}$")
# "[Noor](noor.md)", and a wiki's "[[Noor]]" and "[[people/noor|Noor]]"
_LINK = regex(r"\[(?:([^\[\]]{1,80})\]\([^()\s]{0,300}\)|\[(?:[^\[\]|]{1,120}\\?\|)?([^\[\]|]{1,80})\]\])")
_EMPHASIS = regex(r"\*+|__+|~~|(?<!\w)_|_(?!\w)|`")
_BRACKETS = regex(r"[(（\[【]([^()（）\[\]【】]{0,120})[)）\]】]")
_UNOPENED = regex(r"^([^\[\]]+)\]")  # what is left of "[10:12 - Ana]"
_IN_BRACKETS = regex(r"^\[(\w+ \d{1,3})\]\W{1,4}(?=\w)")  # "[Turn 1] Ana", "[Round 1] -> Ana"
# "[R1-T2] Ana", "[M3] Ana", "R1.2 Ana"
_CODES = regex(
    r"(?:\[(?:R(?P<a>\d{1,2})|[A-Z]\d{1,3})(?:[.-][A-Z]?\d{1,3})?\]|R(?P<b>\d{1,2})[.-]\d{1,2})[.):]?\s+(?=\[?\w)"
)
_BRACKETED = regex(r"[\[【]([^\[\]【】]{1,80})[\]】]\s*([^\[\]【】]*)$")
_ARROW = regex(r"\s*(?:→|⟶|--?>|==?>|➡️?|»)\s*")
# "Speaker 2: Ana", "Message from Ana", "Response B: The Builder": what a label says before the name
_ANNOUNCED = regex(
    rf"(?:{words.either('announces')}(?:\s+(?:\d{{1,2}}|[A-Z]))?|{words.either('announces-counted')}\s+(?:\d{{1,2}}|[A-Z]))"
    rf"\s*[:：—–-]\s*(?=\S)|{words.either('announces-plain')}\s+(?=\S)",
    re.IGNORECASE,
)
_SIGNED = regex(rf"{words.either('announces-known')}\s*[:：]\s*(?=\S)", re.IGNORECASE)  # "[10:12] Agent: Claude Code"
_CUT = regex(r"\s+[—–-]+\s+|\s*[—–]{1,2}\s*(?=[^\d\s])|\s*[·|•/]\s+|\s+[·|•/]\s*|(?<!:):(?!:)\s*|：\s*|,\s+|\s+#(?!\d)")
_ADDRESSEE = regex(
    r"(?:to|→|->|an|à|a|к|re:?|對|对|vs\.?|answering|addressing|(?:replying|responding) to)\s+(.+)", re.I
)
_BY = regex(r"(.{3,40}?)\s+(?:by|from|von|par|por|di)\s+(\S.*)", re.I)  # "Opening statement by Ana"
_TIME = regex(r"[~≈]?\d+(?:\.\d+)?\s?(?:s|ms|sec|secs|seconds?|min|minutes?|tokens?|words?)\b", re.I)
_POSSESSIVE = regex(r"(?P<name>.{1,60}?)(?:['’][sS]|(?<=s)['’])\s+(?P<rest>.+)$")
_VERSION = regex(r"v?\d+(?:\.\d+)*(?:\s+\S+){0,3}$")
# A full stop ends a sentence, but not an initial: "Donald J. Trump"; "Claude vs ChatGPT" is a topic, "答案是" no name.
_SENTENCE = regex(
    r"[?!;。！？；\"“”<>{}=\\@$%^+~|/()\[\]]|(?<!\s[A-Z])\.(?:\s|$)|\.\.\.|…|\.[^\W\d]\w{0,3}$|(?<![CF])#|\s(?:[Vv][Ss]|[Bb]etween)\s|是$"
)
# "Step 3", "Q1", "Option 2b", but not "GPT4o"
_ENUMERATED = regex(r"(?:[^\W\d]+\s+|[^\W\d]{1,2})[\d.]+[a-z]?", re.IGNORECASE)
_KINDS: tuple[tuple[str, SpeakerKind], ...] = (("humans", "human"), ("agents", "agent"))
_GAP = regex(r"_|-(?=\d)")  # between words of a name: "GPT-4" is "GPT 4"
_ESCAPED = regex(r"\\(?=[!-/:-@\[-`{-~])")
_WORD = regex(r"[^\W_]+(?:['’.-][^\W_]+)*")
# "R2"; "Ana R2", "ana R2", "Ana Round 2", not "Summary of Round 2"; but "DeepSeek R1" is a model
_CODE = regex(r"R(\d{1,2})")
_CODED = regex(r"((?:.+\s)?(?=[^a-z])\S+|\S+)\s+(?:R|Round )(?<!(?i:deepseek) R)(\d{1,2})")
_DIRECTIONS = dict.fromkeys(map(ord, "\u200e\u200f\u061c\u2066\u2067\u2068\u2069\u202a\u202b\u202c\u202d\u202e"))
_FIELDS_OF_WORK = regex(r"(?<=\b[A-Z]{2})/(?=[A-Z]{2}\b)")  # "UI/UX Designer"
_LAST_NUMBER = regex(r"\s*\d+$")  # "user 2"
# What parts the words of "gpt-5.2:high", of "trade-offs & risks" and of "Mary-Ann Lee"
_PARTED, _FIELDS, _HYPHENED = regex(r"[\s\d.,:/_-]+"), regex(r"[\s/&-]+"), regex(r"[\s-]+")


@record
class Name:
    """Who a label says is speaking.

    Attributes:
        speaker: the name, cleaned.
        role, model, addressee, note: what was cut from it, "" if there was none.
        round: a round stated beside the name, or None.
        kind: the kind that a part of the label states ("(user)"), or None.
        cut: which things were cut: "role", "kind", "verb", "noun", "verdict", "topic", "stage", "round", "turn",
            "count" (a message's number), "time", "emoji".
    """

    speaker: str
    role: str = ""
    model: str = ""
    addressee: str = ""
    note: str = ""
    round: RoundNumber | None = None
    kind: SpeakerKind | None = None
    cut: frozenset[str] = frozenset()

    @cached_property
    def key(self) -> str:
        """What two spellings of one name have in common."""
        return key_of(self.speaker)

    def without_part(self, what: str, note: str = "") -> Name:
        """The name with one thing more cut from it, and what it said kept as a note."""
        joined = f"{self.note}, {note}" if self.note and note else self.note or note
        return replace(self, cut=self.cut | {what}, note=joined)


@lru_cache(maxsize=_CACHED)
def key_of(speaker: str) -> str:
    """What two spellings of a name have in common: case, underscores, apostrophes and a version's hyphen aside."""
    return " ".join(_GAP.sub(" ", speaker.casefold().replace("’", "'")).split())


@lru_cache(maxsize=_CACHED)
def fold(text: str) -> str:
    """A name as it is compared: without emphasis, emoji, colon, brackets, quotes, @, case and kind of gap.

    Accents may be signs of their own, and marks of direction stand around it.
    """
    if not text.isascii():
        text = unicodedata.normalize("NFC", text).translate(_DIRECTIONS)
    return key_of(plain(text).strip("[]【】()«»“”„\"'").lstrip("@"))


@lru_cache(maxsize=_CACHED)
def plain(text: str) -> str:
    """A heading's or label's text without emoji, emphasis, tags, links and trailing colon."""
    return _tidy(_bare(text))


@lru_cache(maxsize=_CACHED)
def clean(text: str) -> Name | None:
    """Read a label's text as a name with what people write around it; None if it can't be one (a sentence, a number).

    Args:
        text: the text of a heading or label, its own marks aside.
    """
    text = _bare(text).strip()
    if not text or len(text) > 160 or "://" in text:
        return None
    name = Name("", cut=frozenset({"emoji"}) if _EMOJI.search(text) else frozenset())
    text = _LEADING.sub("", text).strip()
    for stamp in (_STAMP.on(text).match(text), _STAMP_BEHIND.on(text).search(text)):
        if stamp and stamp.end() - stamp.start() == len(text):
            return None
        if stamp and re.search(r"\w", text[: stamp.start()] + text[stamp.end() :]):
            name = name.without_part("time", stamp["stamp"])
            text = text[: stamp.start()] + text[stamp.end() :]
    if code := _CODES.match(text):
        name, text = replace(name, round=rounds.number_of(code["a"] or code["b"] or "")), text[code.end() :]
    text = _UNOPENED.sub(r"\1 ", text).strip(" :：")
    if (opened := rounds.parse(_IN_BRACKETS.sub(r"\1: ", text))) and opened.rest:  # "Round 1 - Ana", "Turn 3: Ana"
        name = replace(name, round=opened.number, cut=name.cut | {"round" if not opened.rank else "turn"})
        text = _LEADING.sub("", opened.rest)
    announced = _ANNOUNCED.match(text) or (_SIGNED.match(text) if "time" in name.cut else None)
    text = text[announced.end() :] if announced else text
    if bracketed := _BRACKETED.match(text):  # "[Ana]", "【肯定派】論理削除"
        name = _file(bracketed[2], name, "topic")
        text = bracketed[1]
    arrow = _ARROW.search(text)
    if arrow and arrow.start() > 0 and text.count("(", 0, arrow.start()) == text.count(")", 0, arrow.start()):
        name = replace(name, addressee=_tidy(_BRACKETS.sub("", text[arrow.end() :])))
        text = text[: arrow.start()]
    parts = _BRACKETS.findall(text)
    text = " ".join(_EMOJI.sub(" ", _BRACKETS.sub(" ", text)).split())
    head, *pieces = [piece for piece in _CUT.split(text) if piece and piece.strip()] or [""]
    others = [*((piece, "topic") for piece in pieces), *((part, "role") for part in parts)]
    head, others = _behind_stage(head, others)
    for part, what in others:
        is_model_code = head.casefold().endswith("deepseek") and _CODE.fullmatch(part.strip())
        name = replace(name, model=part.strip()) if is_model_code else _file(part, name, what)
    head, name = _without_stage(head.strip(), name)
    head = head.strip(" .,:'’\"“”*_")
    return replace(name, speaker=head) if is_name(head) else None


@lru_cache(maxsize=_CACHED)
def kind_of(name: Name) -> SpeakerKind | None:
    """The kind that the name's own words tell; None if they tell nothing."""
    found, role = name.key.split(), _WORD.findall(name.role.casefold())
    if name.kind is not None or not found:
        return name.kind
    if _LAST_NUMBER.sub("", name.key) in words.table("humans"):
        return "human"
    if name.key in words.table("others"):
        return "other"
    if words.table("moderators").intersection(found[-1:] + role[-1:]):
        return "moderator"
    return "agent" if is_agent(name.key) else None


def is_agent(key: str) -> bool:
    """True if a name's words alone say that a machine or a side of a debate speaks."""
    found = [part for part in _PARTED.split(key) if part]
    if key in words.table("agents", "sides") or _is_of_family(key):
        return True
    if len(found) == 1 or (len(found) == 2 and len(found[1]) == 1):  # "agent 2", "agent a"
        return found[0] in words.table("placed", "agents")
    is_first = found[:1] == ["agent"] and not is_field(key)  # "agent information" is none
    return 1 < len(found) <= 3 and (is_first or found[-1] in words.table("agents") - {"model"})


def is_person_beside(kinds: Mapping[str, SpeakerKind | None]) -> bool:
    """True if of two voices, by key, one is a machine's and the other tells nothing: "Noor" beside "Claude"."""
    machines = [key for key, kind in kinds.items() if kind == "agent"]
    known = words.table("models", "agents")
    is_named = any(not known.isdisjoint(key.replace("-", " ").split()) for key in machines)
    return is_named and len(kinds) == 2 and None in kinds.values()


def is_voice(name: Name) -> bool:
    """True if a name is a voice's by its words: a role, a model, a given name."""
    return bool(kind_of(name) or is_role(name.key) or name.key.split(" ")[0] in words.table("given-names"))


def is_role(key: str) -> bool:
    """True if a name ends in a noun for who somebody is ("Devil's Advocate", "Lead Designer")."""
    parts = key.replace("-", " ").split()
    # "Use for" and "Case against" are no sides, as "Debater for" is, nor is "Weak evidence con".
    is_side = len(parts) < 3 and (parts[1:] not in (["for"], ["against"]) or is_role(parts[0]))
    return bool(parts) and (parts[-1] in words.table("roles") or (is_side and parts[-1] in words.table("sides")))


def is_model(text: str) -> bool:
    """True if a text names a model ("claude-opus-4-6", "GPT 5", "some-model-7b")."""
    return _is_of_family(plain(text).casefold().strip("."))


def _is_of_family(key: str) -> bool:
    """True if a word of it, with its number or without, is a family of models: "GPT-5.2", "o3-mini", "Command R"."""
    parts = _PARTED.split(key.rstrip("+"))
    pairs = map("-".join, itertools.pairwise(parts))
    return not words.table("models").isdisjoint((*parts, *_HYPHENED.split(key), *pairs))


def is_field(key: str) -> bool:
    """True if the words say a field or a section rather than a voice ("Verdict", "Key insights", "What it beat")."""
    found = _FIELDS.split(key)
    fields = words.table("fields", "sections")
    if len(found) == 2 and found[1] == "code" and _is_of_family(found[0]):  # "Claude Code"
        return False
    if key in fields or found[0] in words.table("refused-starts"):
        return True
    return found[-1] in fields and found[-1] not in words.table("roles", "moderators", "models")


def may_be_field(key: str) -> bool:
    """True, too, for a field's word behind others in a script without spaces: "运用模型", the model in use."""
    return is_field(key) or (not key.isascii() and key[-2:] in words.table("fields"))


def is_section(text: str, *, strict: bool = False) -> bool:
    """True if a cleaned heading's words say that no turns stand under it.

    Args:
        text: the heading, cleaned.
        strict: count only words of sections that name the voices without letting them speak.
    """
    table = words.table("hard-sections" if strict else "sections")
    return any(word in table for word in re.findall(r"[\w-]+(?:['’]\w+)?", text.casefold())[:6])


@lru_cache(maxsize=_CACHED)
def is_name(text: str) -> bool:
    """True if a text has the form of a name: few words, and none of a sentence's marks."""
    if not text or len(text) > 40 or not any(map(str.isalpha, text)):
        return False
    if ("/" in text or text[-1] == "+") and is_model(text):  # "Codex/GPT-5.2", "Command R+"
        text = text.replace("/", " ").rstrip("+")
    text = _FIELDS_OF_WORK.sub(" ", text)
    found = text.split()
    small = words.table("particles")
    size = sum(word.casefold() not in small for word in found)
    if size > 4 or (not size and text.casefold() not in words.table("pros-and-cons", "humans")):  # "Du", and not "The"
        return False
    titles = words.table("titles")
    bare = " ".join("Dr" if word.rstrip(".").casefold() in titles else word for word in found)  # "Prof. E. Danquah"
    if _SENTENCE.search(bare):
        return False
    is_counted = found[0].casefold() in words.table("placed", "agents", "models", "humans", "roles")
    return is_counted or not _ENUMERATED.fullmatch(text)


def is_capitalised(text: str) -> bool:
    """True if a name is written as names are: each word with a capital first, or in a script without capitals."""
    firsts = (next((character for character in word if character.isalnum()), "A") for word in _HYPHENED.split(text))
    return all(first.isupper() or first.lower() == first.upper() for first in firsts)


def _bare(text: str) -> str:
    """A text without links, tags, emphasis and the backslashes that editors put before marks (`1\\. Ana`)."""
    text = _ESCAPED.sub("", text) if "\\" in text else text
    return _EMPHASIS.sub("", _HTML.sub("", _LINK.sub(lambda link: link[1] or link[2], text)))


def _tidy(text: str) -> str:
    return " ".join((text if text.isascii() else _EMOJI.sub(" ", text)).split()).strip(" :：,.#")


def _file(part: str, name: Name, default: str) -> Name:
    """Put a part that was cut from a label where it belongs."""
    part = _tidy(part)
    if not part:
        return name
    folded = part.casefold()
    if code := _CODE.fullmatch(part):
        return replace(name, round=int(code[1])).without_part("round")
    if parsed := rounds.parse(part):
        return replace(name, round=parsed.number).without_part("count" if parsed.rank else "round")
    if (addressee := _ADDRESSEE.fullmatch(part)) and not is_model(part):
        return replace(name, addressee=_tidy(addressee[1]))
    for table, kind in _KINDS:
        if folded in words.table(table):
            return replace(name, kind=name.kind or kind).without_part("kind", part)
    if folded.split()[0].strip("_:") in words.table("verdicts"):
        return name.without_part("verdict", part)
    if is_model(part) or _VERSION.match(part):
        return replace(name, model=name.model or _TIME.sub("", part).strip(" ,—–-·"))
    if _TIME.fullmatch(folded) or _STAMP.on(part).fullmatch(part):
        return name.without_part("time", part)
    if any(word in words.table("stage-notes") for word in _WORD.findall(folded)) or folded.endswith("pass"):
        return name.without_part("stage", part)
    return name.without_part(default, part) if name.role else replace(name, role=part).without_part(default)


def _behind_stage(head: str, others: list[tuple[str, str]]) -> tuple[str, list[tuple[str, str]]]:
    """The name and what stands beside it, where a stage may come first: "Rebuttal 2 (Ana)", "Closing by Noor".

    Of "Rebuttal: Claude" the name has to be a voice's by its words: "Rebuttal: Costs" and "Answer: Claude" are titles.
    """
    by = _BY.match(head) if " " in head else None
    if not (by or others):
        return head, others
    stage, (voice, what), rest = (by[1], (by[2], "by"), others) if by else (head, others[0], others[1:])
    named = Name(voice.strip())
    is_beside = what in ("by", "role") or stage[-1:].isdigit()
    said = _LAST_NUMBER.sub("", stage.casefold()).split()
    is_said = by is not None or not words.table("said-nouns").isdisjoint(said[-1:])  # "Plan (User)" is a title
    is_turn = is_said and all(word in words.table("trailing-nouns") for word in said)
    is_stage = rounds.numbered_stage(stage.strip()) or (is_turn and is_beside and kind_of(named))
    is_told = is_stage and (is_beside or is_voice(named))
    if is_told and is_name(named.speaker) and is_capitalised(named.speaker) and not is_field(named.key):
        return named.speaker, [(stage, "stage"), *rest]
    return head, others


@cache
def _verb() -> re.Pattern[str]:
    verb = words.either("verbs")
    return re.compile(rf"(?P<name>.{{1,60}}?)\s+(?P<verb>{verb})(?:\s+(?:to\s+)?(?P<whom>.+))?$", re.IGNORECASE)


def _without_stage(head: str, name: Name) -> tuple[str, Name]:
    """Cut "says", "cross-examines Noor", "'s Final Position", "Response to Noor", "R2" and "申論" off a name."""
    if code := _CODED.fullmatch(head):
        return code[1], replace(name, round=int(code[2])).without_part("round")
    if fused := rounds.fused_stage(head):
        return fused[0], replace(name, round=name.round or fused[2]).without_part("stage", fused[1])
    verb, owned = _verb().match(head), _POSSESSIVE.match(head)
    if verb and not owned and is_name(verb["name"]) and len((verb["whom"] or "").split()) <= 6:
        addressee = name.addressee or _tidy(verb["whom"] or "")
        return verb["name"].strip(), replace(name, addressee=addressee).without_part("verb", verb["verb"])
    found, nouns = head.split(), words.table("trailing-nouns")
    if owned:
        rest = owned["rest"].casefold().split()
        sums_up = words.table("reports") if words.table("moderators") & {owned["name"].casefold()} else frozenset[str]()
        if {rest[0], rest[-1]} & (nouns | sums_up | words.table("owned-nouns")):
            return owned["name"], name.without_part("noun", owned["rest"])
    role, _, asked = head.casefold().partition(" ")  # "User Question"
    size = 1 if asked in words.table("asks") and role in words.table("humans") else len(found)
    if size > 2 and found[-1].lstrip("#").isdecimal() and found[-2].casefold() in nouns:
        size -= 1  # "Architect Response #1"
    if size > 1 and found[size - 2].casefold() in words.table("moderators"):
        nouns = nouns | words.table("closers", "reports")
    while size > 0 and found[size - 1].casefold() in nouns:
        size -= 1
    if size < len(found):  # nothing is left of "Final Position"
        head, name = " ".join(found[:size]), name.without_part("noun", " ".join(found[size:]))
        return _without_stage(head, name) if _CODED.fullmatch(head) else (head, name)  # "Ana Round 1 Response"
    return head, name
