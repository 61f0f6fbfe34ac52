"""The configuration: what it may say, what is said of what it may not, and where each value comes from."""

import json
import tomllib
from decimal import Decimal
from fractions import Fraction
from pathlib import Path, PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st
from settings_docs import json_schema, with_table

from mdtally.project.settings import ConfigText, Settings, effective_values, load, thresholds
from mdtally.project.settings.schema import OWN_KEYS, SCHEMA
from mdtally.project.settings.values import as_toml, share_of
from mdtally.project.settings.write import add_transcript, set_values
from mdtally.text.model import Head, Refusal, Thresholds

DOCS = Path(__file__).resolve().parents[2] / "docs"


def settings_of(text: str, own: str = "") -> Settings:
    found, problems = load([ConfigText("0.toml", text), ConfigText("own.toml", own, role="own")])
    assert not problems
    return found


def problems_of(text: str, path: str = "mdtally.toml") -> list[str]:
    return [str(problem) for problem in load([ConfigText(path, text)])[1]]


def origins_of(settings: Settings, head: Head | None = None) -> dict[str, tuple[str, str]]:
    return {key: (value, origin) for key, value, origin in effective_values(settings, head)}


def test_the_names_of_the_design_are_understood() -> None:
    """Its two settings of the gate are ours under other names; both names at once are a mistake, with its line."""
    settings = settings_of('[qualityGate]\nmode = "regenerate"\nmaxRegenerations = 3\n')
    assert (settings.mode, settings.max_regenerations) == ("regenerate", 3)
    both = '[lint]\nmode = "off"\n[qualityGate]\nmode = "warn"\n'
    assert problems_of(both) == ["mdtally.toml:4:1: lint.mode is set twice; qualityGate.mode is another name of it"]
    assert "unknown key 'qualityGate.modes'" in problems_of("[qualityGate]\nmodes = 1\n")[0]


# -- The schema -------------------------------------------------------------------------------------------------------


PLAIN = [setting for setting in SCHEMA if "*" not in setting.key and setting.key not in OWN_KEYS]


def test_every_setting_is_a_field_with_its_default() -> None:
    """The table and the record can't drift apart."""
    for setting in PLAIN:
        assert getattr(Settings(), setting.field) == setting.default
        assert type(getattr(Settings(), setting.field)) is type(setting.default)
        assert setting.key.replace("_", "-") == setting.key
    assert all(setting.help.endswith(".") for setting in SCHEMA)


def test_every_default_is_a_value_that_may_be_set() -> None:
    """What ``config show`` prints for a default can be written into a file, and reads the same."""
    for setting in PLAIN:
        table, _, key = setting.key.rpartition(".")
        text = (f"[{table}]\n" if table else "") + f"{key} = {as_toml(setting.default)}\n"
        assert getattr(settings_of(text), setting.field) == setting.default


def test_the_documentation_is_made_from_the_schema() -> None:
    """docs/reference/settings.md ends with the table, docs/mdtally.schema.json is the schema."""
    text, schema = ((DOCS / name).read_text("utf-8") for name in ("reference/settings.md", "mdtally.schema.json"))
    assert (text, json.loads(schema)) == (with_table(text), json_schema()), "python tests/settings_docs.py writes both"


def test_the_example_in_the_documentation_is_valid() -> None:
    """Every TOML block of docs/configuration.md loads without a complaint."""
    blocks = (DOCS / "configuration.md").read_text("utf-8").split("```toml\n")[1:]
    assert blocks
    for block in blocks:
        settings_of(block.partition("```")[0])


def test_the_json_schema_agrees_with_the_program() -> None:
    """What one takes the other takes, so that an editor says what the program will say."""
    import jsonschema

    validator = jsonschema.Draft7Validator(json_schema())
    for text in (FULL, FORMS):
        validator.validate(tomllib.loads(text))
    for text, _, words in WRONG:
        # JSON's numbers don't tell 1.0 from 1, and a pattern can't tell what a glob is.
        if not any(word in words + text for word in ("TOML", "glob", "families", "1.0", "nan", "inf", "1979")):
            assert not validator.is_valid(tomllib.loads(text)), text


# -- Loading ----------------------------------------------------------------------------------------------------------


def test_no_file_means_the_defaults() -> None:
    """Without any configuration all values are the published ones."""
    assert load([]) == (Settings(), ())
    assert all(origin == "default" for _, _, origin in effective_values(Settings()))


FULL = """\
sycophancy-ceiling = 0.25
overcorrection-floor = 0.9
log = "calibration.jsonl"
templates = "my templates"

[lint]
mode = "regenerate"
max-regenerations = 3
timeout = 1.5
select = ["MDT1", "tally-mismatch"]
strict = true
severity.too-short = "error"

[domain."code review"]
sycophancy-ceiling = 0

[model."gpt-4.1*"]
overcorrection-floor = 1
"""


@pytest.mark.parametrize("name", ["mdtally.toml", "sub/.mdtally.toml", "sub/pyproject.toml"])
def test_values_and_their_origins(name: str) -> None:
    """Each value arrives in its type, exact, with the line it stands on; in pyproject.toml under [tool.mdtally]."""
    text, shift = FULL, 0
    if name.endswith("pyproject.toml"):
        text = "[project]\nname = 'x'\n\n[tool.mdtally]\n" + FULL.replace("[lint]", "[tool.mdtally.lint]")
        text = text.replace("[domain", "[tool.mdtally.domain").replace("[model", "[tool.mdtally.model")
        shift = 4
    found, problems = load([ConfigText(name, text)])
    assert not problems
    assert (found.sycophancy_ceiling, found.overcorrection_floor) == (Fraction(1, 4), Fraction(9, 10))
    assert 1 - found.overcorrection_floor == Fraction(1, 10)
    assert (found.mode, found.max_regenerations, found.timeout, found.strict) == ("regenerate", 3, 1.5, True)
    assert (found.select, found.log) == (("MDT1", "tally-mismatch"), "calibration.jsonl")
    assert Path(found.templates) == Path(name).parent / "my templates"
    assert found.severity == {"too-short": "error"}
    assert thresholds(found, domain="code review")[0].sycophancy_ceiling == Fraction(0)
    assert thresholds(found, model="gpt-4.1-mini")[0].overcorrection_floor == Fraction(1)
    assert found.min_words == 12
    shown_rows = origins_of(found)
    assert shown_rows["sycophancy-ceiling"] == ("0.25", f"{name}:{1 + shift}")
    assert shown_rows["lint.max-regenerations"] == ("3", f"{name}:{8 + shift}")
    assert shown_rows["lint.min-words"] == ("12", "default")
    assert shown_rows["lint.severity.too-short"] == ('"error"', f"{name}:{12 + shift}")
    assert shown_rows["domain.code review.sycophancy-ceiling"] == ("0", f"{name}:{15 + shift}")
    assert shown_rows["model.gpt-4.1*.overcorrection-floor"] == ("1", f"{name}:{18 + shift}")


WRONG = [
    ("\nlint.mod = 'off'", ":2:", "unknown key 'lint.mod'; the nearest valid one is 'lint.mode'"),
    ("[lint]\nmax_regenerations = 1", ":2:", "the nearest valid one is 'lint.max-regenerations'"),
    ("mode = 'off'", ":1:", "the nearest valid one is 'lint.mode'"),
    ("sycophancy_ceiling = 0.2", ":1:", "the nearest valid one is 'sycophancy-ceiling'"),
    ("[lnt]\nmode = 'off'", ":2:", "unknown key 'lnt.mode'; the nearest valid one is 'lint.mode'"),
    ("colour = 'red'", ":1:", "unknown key 'colour'; `mdtally config show` lists all keys"),
    ("'lint.mode' = 'off'", ":1:", "unknown key"),
    ("[lnt]\nx = 1", ":2:", "unknown key 'lnt.x'; `mdtally config show` lists all keys"),
    ("[domain]\nx = 1", ":2:", "the nearest valid one is 'domain.x.sycophancy-ceiling'"),
    ("[model.gpt-4.1]\nsycophancy-ceiling = 0.1", ":2:", 'in quotes: model."gpt-4.1".sycophancy-ceiling'),
    ("[model.gpt-4.1]\nsycophancy_ceiling = 0.1", ":2:", 'in quotes: model."gpt-4.1".sycophancy-ceiling'),
    ("[model.x]\nsycophancy_ceiling = 0.1", ":2:", "the nearest valid one is 'model.x.sycophancy-ceiling'"),
    ("[model.x]\nceiling = 1", ":2:", "the nearest valid one is 'model.x.sycophancy-ceiling'"),
    ("[domain.x]\nlog = 'a'", ":2:", "unknown key 'domain.x.log'"),
    ("extend = 'a'", ":1:", "unknown key 'extend'"),
    ("sycophancy-ceiling = 1.5", ":1:", "has to be a number from 0 to 1"),
    ("sycophancy-ceiling = -0.1", ":1:", "from 0 to 1"),
    ("sycophancy-ceiling = nan", ":1:", "from 0 to 1"),
    ("sycophancy-ceiling = inf", ":1:", "from 0 to 1"),
    ("sycophancy-ceiling = true", ":1:", "has to be a number"),
    ('sycophancy-ceiling = "much"', ":1:", "has to be a number"),
    ("[lint]\nmax-regenerations = 4", ":2:", "has to be a whole number from 0 to 3"),
    ("[lint]\nmax-regenerations = 1.0", ":2:", "whole number from 0 to 3"),
    ("[lint]\nmax-regenerations = ''", ":2:", "whole number from 0 to 3"),
    ("[lint]\ntimeout = 0", ":2:", "seconds from 1"),
    ("[lint]\ntimeout = inf", ":2:", "seconds from 1"),
    ("[lint]\nmode = 'on'", ":2:", "one of off, warn, regenerate"),
    ("[lint]\nstrict = 1", ":2:", "true or false"),
    ("[lint]\nselect = 3", ":2:", "a text in quotes, or a list of them"),
    ("[lint]\nselect = [1]", ":2:", "a text in quotes, or a list of them"),
    ("[lint]\nselect = ['']", ":2:", "a text in quotes, or a list of them"),
    ("[lint]\nforbidden-phrases = ['good', '  ']", ":2:", "none of them blank"),
    ("[lint.severity]\ntoo-short = 'bad'", ":2:", "one of error, warning, info"),
    ("lint.severity = { too-short = 'bad' }", ":1:", "one of error, warning, info"),
    ("log = ''", ":1:", "ends in .jsonl"),
    ("log = 1979-05-27", ":1:", "log has to be a path"),
    ("lint = 1", ":1:", "unknown key 'lint'"),
    ("a = \n", ":1:5:", "not valid TOML"),
    ("log = 'a'\nlog = 'b'\n", ":2:", "not valid TOML: cannot overwrite a value"),
    ("[lint]\nexclude = ['a', 'x[']", ":2:", "a glob: a [ is never closed"),
    ("[lint]\nexclude = 'a**/b'", ":2:", "a glob: ** stands alone"),
    ("[lint]\nexclude = '[z-a]'", ":2:", "a glob: a set such as [z-a] holds no character"),
    ("[lint.per-file-ignores]\n'x[' = 'echo'", ":2:", "a glob: a [ is never closed"),
    ("[lint]\nexclude = '../a'", ":2:", "a glob: .. leads nowhere"),
    ("[model.'x[']\nsycophancy-ceiling = 0", ":2:", "a glob: a [ is never closed"),
    ("[families]\n'a\\b' = 'x'", ":2:", "a glob: a backslash means nothing"),
    ("[families]\na = 1", ":2:", "a text in quotes"),
    ("[transcript]\nturn = 'x'", ":2:", "[[transcript]]"),
    ("transcript = 'x'", ":1:", "[[transcript]]"),
    ("[[transcript]]\ntrun = 'x'", ":2:", "one is 'transcript.1.turn'"),
    ("[[transcript]]\nturn = 3", ":2:", "a text in quotes, or a list"),
    ("[[transcript]]\nparticipants = 'Ana'", ":2:", "a table such as"),
    ("[[transcript]]\nturn = 'x'\nround = 'y'", ":2:", "a [[transcript]] without files holds for nothing"),
    ("[[transcript]]\nfiles = 'x'", ":2:", "a [[transcript]] without turn holds for nothing"),
]


@pytest.mark.parametrize(("text", "place", "words"), WRONG)
def test_what_is_wrong_is_told_with_its_line(text: str, place: str, words: str) -> None:
    """Unknown keys name the nearest valid one, bad values what is allowed; the rest of the file still holds."""
    found, problems = load([ConfigText("mdtally.toml", text)])
    (problem,) = map(str, problems)
    assert problem.startswith(f"mdtally.toml{place}")
    assert words in problem
    assert found == Settings()


FORMS = """
[families]
"claude-*" = "Claude"

[[transcript]]
files = "debates/**/*.md"
turn = ["**{speaker}:** {text}", "#### {speaker}"]
round = "## Round {round}: {any}"
participants = { Ana = "agent", Me = "human" }
rounds = { opening = 1, rebuttal = 2 }

[[transcript]]
files = ["*.md", "x/[ab]?.txt"]
end = "## {any}"
[transcript.participants]
agents = ["Ana", "Ben"]
"""


def test_forms_of_transcripts() -> None:
    """Each holds for the files that its globs mean, from the folder of its configuration on; the first one wins."""
    found, problems = load([ConfigText("sub/mdtally.toml", FORMS, folder="/home/me/notes")])
    assert not problems
    first, second = found.transcripts
    assert first.turn == ("**{speaker}:** {text}", "#### {speaker}")
    assert first.participants == {"Ana": "agent", "Me": "human"}
    assert first.rounds == {"opening": "1", "rebuttal": "2"}
    assert second.participants == {"agents": ["Ana", "Ben"]}
    assert found.families == {"claude-*": "Claude"}
    for path, form in {
        "/home/me/notes/debates/a/b.md": first,
        "/home/me/notes/debates/a.md": first,
        "/home/me/notes/b.md": second,
        "/home/me/notes/deep/b.md": second,
        "/home/me/notes/x/a1.txt": second,
        "/home/me/notes/x/c1.txt": None,
        "/home/me/other.md": None,
        "b.md": None,
    }.items():
        assert found.transcript_for(PurePosixPath(path)) == form
    shown_rows = {key: origin for key, _, origin in effective_values(found)}
    assert shown_rows["transcript.2.end"] == "sub/mdtally.toml:14"
    assert shown_rows["transcript.2.participants"] == "sub/mdtally.toml:16"
    near, _ = load(
        [ConfigText("a.toml", "[[transcript]]\nfiles='*'\nturn='x'"), ConfigText("b/b.toml", FORMS, role="own")]
    )
    assert [form.turn[:1] for form in near.transcripts] == [("x",), first.turn[:1], ()]
    turn = {key: origin for key, _, origin in effective_values(near) if key.endswith((".turn", ".end"))}
    assert list(turn.values()) == ["a.toml:3", "b/b.toml:7", "b/b.toml:14"]


def test_a_form_can_be_added() -> None:
    """It comes before the others, all else stays as it was, and it reads back."""
    form = {"files": "debates/**", "turn": ["## {speaker}"], "participants": {"Ana": "agent"}}
    for path, text in (("mdtally.toml", COMMENTED), ("mdtally.toml", ""), ("pyproject.toml", "[x]\na = 1")):
        added = add_transcript(text, form, path=path)
        assert isinstance(added, str)
        assert added.startswith(text)
        (read,) = load([ConfigText(path, added)])[0].transcripts
        assert (read.files, read.turn, read.participants) == (("debates/**",), ("## {speaker}",), {"Ana": "agent"})
        twice = add_transcript(added, {"files": "debates/new.md", "turn": "# {speaker}"}, path=path)
        assert isinstance(twice, str)
        assert twice.replace(twice[twice.index("[[") : twice.rindex("[[")], "") == added
        first, second = load([ConfigText(path, twice)])[0].transcripts
        assert (first.files, second) == (("debates/new.md",), read)
    assert isinstance(add_transcript("", {"files": "x["}), Refusal)
    assert isinstance(add_transcript("transcript = []", form), Refusal)


def test_a_form_for_the_same_files_is_given_the_new_patterns() -> None:
    """Its other keys and its comments stay; a pattern that is not given any more goes."""
    text = "# ours\n[[transcript]]\nfiles = ['a/**']  # all\nturn = 'x {speaker}'\nend = 'y'\nrounds = 'none'\n"
    changed = add_transcript(text, {"files": "a/**", "turn": "# {speaker}", "round": "R {round}"})
    assert isinstance(changed, str)
    (form,) = load([ConfigText("mdtally.toml", changed)])[0].transcripts
    assert (form.files, form.turn, form.round, form.end) == (("a/**",), ("# {speaker}",), ("R {round}",), ())
    assert form.rounds == "none"
    assert changed.startswith("# ours\n[[transcript]]\n")


def test_a_file_that_can_not_be_read_is_an_error() -> None:
    """Silently falling back to the defaults would judge by other thresholds than the project's."""
    found, problems = load([ConfigText("a/mdtally.toml", "", "no permission")])
    assert (found, list(map(str, problems))) == (Settings(), ["a/mdtally.toml: no permission"])
    assert problems_of("[tool]\nmdtally = 1\n", "pyproject.toml")


def test_the_users_own_file_holds_where_the_projects_is_silent() -> None:
    """Key by key, also within the tables of domains; a list replaces the other's list."""
    found = settings_of(
        "[lint]\nignore = ['a']\n[domain.x]\nsycophancy-ceiling = 0.3\n",
        "log = 'l.jsonl'\n[lint]\nignore = ['b', 'c']\nmin-words = 3\n[domain.x]\n"
        "sycophancy-ceiling = 0.4\novercorrection-floor = 0.1\n",
    )
    assert (found.ignore, found.min_words, found.log) == (("a",), 3, "l.jsonl")
    assert thresholds(found, domain="x")[0] == Thresholds(Fraction(3, 10), Fraction(1, 10))
    assert found.set_values["lint", "ignore"].origin == "0.toml:2"
    assert found.set_values["lint", "min-words"].origin == "own.toml:4"


def test_what_a_project_says_of_all_models_goes_before_the_users_own_of_one() -> None:
    """A session is judged at home as it is where the user's own file is not; what is left open that one sets."""
    found = settings_of(
        "sycophancy-ceiling = 0.05\n", "[model.'c*']\nsycophancy-ceiling = 0.45\novercorrection-floor = 0.1\n"
    )
    assert thresholds(found, model="claude")[0] == Thresholds(Fraction(1, 20), Fraction(1, 10))
    assert origins_of(found, Head(values={"model": "claude"}))["sycophancy-ceiling"] == ("0.05", "0.toml:1")


def test_rules_that_are_switched_off_for_some_files() -> None:
    """By globs from the folder of the configuration on; several that mean a file add up."""
    text = "[lint.per-file-ignores]\n'drafts/**' = ['echo', 'MDT103']\n'*.old.md' = 'too-short'\n"
    found, _ = load([ConfigText("mdtally.toml", text, folder="/p")])
    assert found.ignored_in(PurePosixPath("/p/drafts/a.old.md")) == ("echo", "MDT103", "too-short")
    assert found.ignored_in(PurePosixPath("/p/a.md")) == ()
    assert origins_of(found)["lint.per-file-ignores.*.old.md"] == ('["too-short"]', "mdtally.toml:3")


def test_what_a_file_says_of_itself_changes_what_holds() -> None:
    """Its model and domain choose thresholds, its frontmatter comes before the configuration; each with its origin."""
    settings = settings_of(
        "sycophancy-ceiling = 0.3\nlabeler = 'ben'\n[domain.a]\novercorrection-floor = 0.1\n"
        "[model.'claude-*']\nsycophancy-ceiling = 0.05\n"
    )
    head = Head(
        values={"model": "claude-4", "domain": "a", "labeler": "ana", "protocol": "true", "language": "de"},
        lines={"labeler": 4, "protocol": 5, "language": 6},
    )
    shown = origins_of(settings, head)
    assert shown["sycophancy-ceiling"] == ("0.05", "0.toml:6")
    assert shown["overcorrection-floor"] == ("0.1", "0.toml:4")
    assert shown["labeler"] == ('"ana"', "the frontmatter, line 4")
    assert shown["lint.strict"] == ("true", "the frontmatter, line 5")
    assert shown["lint.language"] == ('"de"', "the frontmatter, line 6")
    stated = Head(values={**head.values, "sycophancy_ceiling": "25%"}, lines={"sycophancy_ceiling": 9})
    assert origins_of(settings, stated)["sycophancy-ceiling"] == ("0.25", "the frontmatter, line 9")
    assert origins_of(settings)["sycophancy-ceiling"] == ("0.3", "0.toml:1")


def test_whose_file_it_is() -> None:
    """A pyproject.toml is ours where it has the table, and where a broken one names it."""
    assert ConfigText("mdtally.toml", "=").is_ours
    assert ConfigText("a/pyproject.toml", "[tool.mdtally]").is_ours
    assert ConfigText("pyproject.toml", "[tool.mdtally]\na = = 1").is_ours
    assert not ConfigText("pyproject.toml", "[tool.ruff]\na = 'mdtally'").is_ours
    assert not ConfigText("pyproject.toml", "[tool.ruff]\na = = 'mdtally'").is_ours
    assert not ConfigText("pyproject.toml", "", "no permission").is_ours


@given(st.text(st.sampled_from("[]lint.mode='\"#\n domaxé0123456789-_{},"), max_size=60))
def test_no_file_makes_it_crash(text: str) -> None:
    """Whatever stands in the file, the answer is settings and lines on what is wrong."""
    for name in ("mdtally.toml", "pyproject.toml"):
        found, problems = load([ConfigText(name, text)])
        assert isinstance(found, Settings)
        assert all("\n" not in str(problem) for problem in problems)


# -- Thresholds -------------------------------------------------------------------------------------------------------

LAYERS = settings_of(
    """
sycophancy-ceiling = 0.21
overcorrection-floor = 0.21
[domain.writing]
sycophancy-ceiling = 0.22
[model."*"]
sycophancy-ceiling = 0.23
[model."Claude-*"]
sycophancy-ceiling = 0.24
[model."claude-opus-?"]
overcorrection-floor = 0.25
"""
)


@pytest.mark.parametrize(
    ("domain", "model", "head", "flags", "ceiling", "floor"),
    [
        (None, None, {}, {}, "0.21", "0.21"),
        ("writing", None, {}, {}, "0.22", "0.21"),
        ("other", None, {}, {}, "0.21", "0.21"),
        ("writing", "gpt", {}, {}, "0.23", "0.21"),
        ("writing", "claude-x", {}, {}, "0.24", "0.21"),
        ("writing", "CLAUDE-opus-4", {}, {}, "0.24", "0.25"),
        ("writing", "claude-x", {"sycophancy_ceiling": "0.3"}, {}, "0.3", "0.21"),
        ("writing", "claude-x", {"sycophancy_ceiling": "30%"}, {"sycophancy_ceiling": ".4"}, "0.4", "0.21"),
        ("Writing", "gpt", {"overcorrection-floor": "30%"}, {}, "0.23", "0.3"),
        (None, None, {"overcorrection_floor": ""}, {"overcorrection_floor": "1"}, "0.21", "1"),
    ],
)
def test_the_stronger_source_wins(
    domain: str | None, model: str | None, head: dict[str, object], flags: dict[str, str], ceiling: str, floor: str
) -> None:
    """Defaults < configuration < domain < model, the more literal glob < frontmatter < flags; exact throughout.

    A domain is read in upper or lower case, and a key of the frontmatter with hyphens, too."""
    found, problems = thresholds(LAYERS, domain=domain, model=model, head=Head(values=head), flags=flags)
    assert found == Thresholds(Fraction(ceiling), Fraction(floor))
    assert not problems


def test_the_defaults_are_the_published_thresholds() -> None:
    """Without any source they are one fifth and one twentieth, exactly."""
    assert thresholds(Settings()) == (Thresholds(Fraction(1, 5), Fraction(1, 20)), ())


@pytest.mark.parametrize("value", ["1.5", "-0.1", "x", "nan", "1e-1", "101%", "1/5", "0,2", "9" * 5000, "٠.٢"])
def test_a_threshold_that_is_no_share_is_an_error_at_its_line(value: str) -> None:
    """It is reported, and the next weaker source holds."""
    head = Head(values={"sycophancy_ceiling": value}, lines={"sycophancy_ceiling": 3})
    found, problems = thresholds(Settings(), head=head)
    assert found == Thresholds()
    assert [(p.rule, p.severity, p.region.line) for p in problems] == [("invalid-declaration", "error", 3)]
    assert "from 0 to 1" in problems[0].message
    assert len(problems[0].message) < 200
    message = thresholds(Settings(), flags={"sycophancy_ceiling": value})[1][0].message
    assert message.startswith("--sycophancy-ceiling has to be ")
    (problem,) = thresholds(Settings(), head=Head(values={"sycophancy-ceiling": value}))[1]
    assert problem.message.startswith("sycophancy-ceiling in the frontmatter has to be "), "as it is written there"


def test_a_low_ceiling_warns_wherever_it_comes_from() -> None:
    """Under a tenth, not at a tenth; the place and the source are named."""
    head = Head(values={"sycophancy_ceiling": "0.099"}, lines={"sycophancy_ceiling": 4})
    (problem,) = thresholds(Settings(), head=head)[1]
    assert (problem.rule, problem.severity, problem.region.line) == ("low-ceiling", "warning", 4)
    configured = settings_of("[domain.x]\nsycophancy-ceiling = 0.05\n")
    (problem,) = thresholds(configured, domain="x")[1]
    assert "0.05 (0.toml:2)" in problem.message
    assert not thresholds(configured, domain="x", flags={"sycophancy_ceiling": "0.10"})[1]
    assert not thresholds(configured)[1]


@given(st.decimals(0, 1, places=6))
def test_thresholds_are_exact(value: Decimal) -> None:
    """A number in the configuration, the frontmatter or a flag is the rational it says, not a float near it."""
    text = f"{value:f}"
    exact = Fraction(value)
    assert settings_of(f"sycophancy-ceiling = {text}\n").sycophancy_ceiling == exact
    assert share_of(text) == exact
    assert Fraction(as_toml(exact)) == exact


# -- Setting a value --------------------------------------------------------------------------------------------------

COMMENTED = """\
# ours
sycophancy-ceiling = 0.20   # measured

[lint]   # the gate
mode = 'warn'
# which rules
ignore = [
  "a",  # why
]

[model."claude-*"]
sycophancy-ceiling = 0.15
"""


def set_in(text: str, key: tuple[str, ...], value: str, path: str = "mdtally.toml") -> str:
    found = set_values(text, {key: value}, path=path)
    assert isinstance(found, str), found
    return found


@pytest.mark.parametrize(
    ("key", "value", "old", "new"),
    [
        (("sycophancy-ceiling",), "0.250", "0.20   # measured", "0.250   # measured"),
        (("lint", "mode"), '"off"', "mode = 'warn'", 'mode = "off"'),
        (("model", "claude-*", "sycophancy-ceiling"), "0.1", "0.15", "0.1"),
        (("overcorrection-floor",), "0.1", "# measured\n", "# measured\novercorrection-floor = 0.1\n"),
    ],
)
def test_one_value_changes_and_the_rest_stays(key: tuple[str, ...], value: str, old: str, new: str) -> None:
    """Comments, layout and order stay, byte by byte, with either newline; a new top-level key comes above tables."""
    for newline in ("\n", "\r\n"):
        before = COMMENTED.replace("\n", newline)
        after = set_in(before, key, value)
        assert after == before.replace(old.replace("\n", newline), new.replace("\n", newline))
        assert set_in(after, key, value) == after


@pytest.mark.parametrize("path", ["mdtally.toml", "a/pyproject.toml"])
@pytest.mark.parametrize("text", ["", "# only a comment", "[tool.other]\na = 1 # one\n\n[x]\ny = 2\n"])
def test_a_value_can_be_set_in_any_file(path: str, text: str) -> None:
    """In a new file, in one with other tables, and in pyproject.toml; it reads back exactly."""
    if "x" in text and path == "mdtally.toml":
        text = "[lint]\nmin-words = 3 # three\n"
    after = set_in(text, ("model", "gpt-4.1*", "overcorrection-floor"), "0.10", path)
    found, problems = load([ConfigText(path, after)])
    assert not problems
    assert found.set_values["model", "gpt-4.1*", "overcorrection-floor"].value == Fraction(1, 10)
    assert all(line in after.split("\n") for line in text.split("\n"))


def test_a_broken_file_is_not_edited() -> None:
    """Nothing is written into a file that can't be read, or where a table is no table."""
    for text in ("a = \n", "lint = 1\n"):
        assert isinstance(set_values(text, {("lint", "min-words"): "1"}), Refusal)
