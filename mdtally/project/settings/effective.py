"""What holds for one file: the thresholds of a session, and every setting with its origin."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

from mdtally.project.settings.schema import SCHEMA, THRESHOLDS, Settings
from mdtally.project.settings.values import NotAllowedError, as_toml, share_of
from mdtally.text import globs
from mdtally.text.frontmatter import EMPTY, text_of
from mdtally.text.model import Head, KeyPath, Problem, Region, Thresholds

LOW_CEILING = Fraction(1, 10)
"""Under it, one event decides the verdict of a ten-event session, so a ceiling has to be set with care."""


_HEAD = "the frontmatter"


_Threshold = tuple[Fraction, str, Region]
"""A threshold, where it comes from in words, and its place in the file."""


def effective_values(settings: Settings, head: Head | None = None) -> list[tuple[str, str, str]]:
    """Every value that holds, in the order of the schema, for ``config show``.

    Each is its dotted key, the value as TOML, and where it comes from: "default", "path:line", or "the frontmatter,
    line 3".

    Args:
        settings: the configuration.
        head: a file's frontmatter; what it says of its model, domain, labeler, language and protocol changes values.
    """
    values = {one.parts: as_toml(getattr(settings, one.field)) for one in SCHEMA if one.default is not None}
    found = {path: (value, "default") for path, value in values.items()}
    found |= {path: (values.get(path) or as_toml(one.value), one.origin) for path, one in settings.set_values.items()}
    found |= _of_file(settings, head) if head else ()
    return [(".".join(path), *shown) for path, shown in found.items()]


def _of_file(settings: Settings, head: Head) -> Iterator[tuple[KeyPath, tuple[str, str]]]:
    """The parts of the key of each value that a file's frontmatter changes, with the value and its origin."""
    found, _ = _thresholds(settings, text_of(head, "domain"), text_of(head, "model"), head, {})
    for setting in THRESHOLDS:
        value, origin, region = found[setting.field]
        if origin != "default":
            yield setting.parts, (as_toml(value), origin + f", line {region.line}" * (origin == _HEAD))
    for key, path in (("labeler", ("labeler",)), ("language", ("lint", "language"))):
        if text := text_of(head, key):
            yield path, (as_toml(text), _in_head(head, key))
    if (text_of(head, "protocol") or "").lower() == "true":
        yield ("lint", "strict"), ("true", _in_head(head, "protocol"))


def thresholds(
    settings: Settings,
    *,
    domain: str | None = None,
    model: str | None = None,
    head: Head | None = None,
    flags: Mapping[str, str] | None = None,
) -> tuple[Thresholds, tuple[Problem, ...]]:
    """The thresholds of one session: defaults < configuration < by domain < by model < frontmatter < flags.

    The user's own configuration, by domain and by model, is weaker than all that a project's says.

    Args:
        settings: the configuration.
        domain: the session's domain, in upper or lower case.
        model: the session's model; every glob that means it counts, the most specific one most.
        head: the session's frontmatter; ``sycophancy_ceiling`` and ``overcorrection_floor`` in it hold, also with the
            configuration's hyphens.
        flags: the same two names, as given on the command line.

    Returns:
        the exact thresholds, and what is wrong: a value that is not a number from 0 to 1 (rule "invalid-declaration",
        an error; the next weaker value holds), and a ceiling under 0.10 (rule "low-ceiling", a warning).
    """
    found, problems = _thresholds(settings, domain, model, head or Head(), flags or {})
    ceiling, origin, region = found["sycophancy_ceiling"]
    if ceiling < LOW_CEILING:
        shown = f"{as_toml(ceiling)} ({origin})"
        message = f"a sycophancy ceiling of {shown} is under 0.10: it needs careful hand labels"
        problems.append(Problem("low-ceiling", message, region, "warning"))
    return Thresholds(**{name: value for name, (value, *_) in found.items()}), tuple(problems)


def _thresholds(
    settings: Settings, domain: str | None, model: str | None, head: Head, flags: Mapping[str, str]
) -> tuple[dict[str, _Threshold], list[Problem]]:
    """Each threshold of a session by its field, and what is wrong: where a value is, the next weaker one holds."""
    found, problems, start = dict[str, _Threshold](), list[Problem](), Region(1, 1, 1, 1)
    by_model = dict.fromkeys(path[1] for path in settings.set_values if path[0] == "model")
    by_domain = dict.fromkeys(path[1] for path in settings.set_values if path[0] == "domain")
    meant = globs.most_specific(by_model, model) if model is not None else []
    # Of "Review" and "review" the one that is written as the domain is holds.
    domains = sorted((one for one in by_domain if one.lower() == (domain or "").lower()), key=lambda one: one == domain)
    layers = ((), *(("domain", one) for one in domains), *(("model", glob) for glob in reversed(meant)))
    for key, name in ((setting.key, setting.field) for setting in THRESHOLDS):
        found[name] = getattr(settings, name), "default", start
        values = [one for layer in layers if (one := settings.set_values.get((*layer, key)))]
        # Whatever a person's own configuration says of a domain or model, a project's goes before it.
        for one in sorted(values, key=lambda one: one.text.role != "own"):
            found[name] = Fraction(str(one.value)), one.origin, start
        lines = ((written, head.lines.get(written, 1)) for written in (key, name))
        for stated, what, origin, region in (
            *((head.values.get(one), f"{one} in {_HEAD}", _HEAD, Region(line, 1, line, 1)) for one, line in lines),
            (flags.get(name), f"--{key}", f"--{key}", start),
        ):
            if stated in (None, *EMPTY):
                continue
            try:
                found[name] = share_of(str(stated)), origin, region
            except NotAllowedError as error:
                problems.append(Problem("invalid-declaration", f"{what} has to be {error}", region))
    return found, problems


def _in_head(head: Head, key: str) -> str:
    return f"{_HEAD}, line {head.lines.get(key, 1)}"
