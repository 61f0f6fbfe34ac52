"""The gate on sentences a person can read: what fails, where, and how gravely."""

import json
import re
import time
from pathlib import Path

import pytest

from mdtally.gate import check, check_response
from mdtally.gate.judge import hint
from mdtally.gate.language import detect_language
from mdtally.gate.pack import pack_of

CASES = Path(__file__).parents[1] / "cases" / "gate"
# Brackets that say what a finding covers.
OPEN, CLOSE = "⟦", "⟧"


def sentences() -> list[tuple[frozenset[str], list[str], str]]:
    """(expected kinds, earlier speakers, response) of every line of the case file."""
    found = []
    for line in (CASES / "sentences.md").read_text("utf-8").splitlines():
        if line.startswith("- "):
            expected, prior, text = (part.strip(" ") for part in re.split(r" (?<!\\)\| ", line[2:], maxsplit=2))
            kinds = frozenset() if expected == "ok" else frozenset(expected.split(", "))
            names = [] if prior == "-" else prior.split(", ")
            found.append((kinds, names, text.replace("\\n", "\n").replace("\\|", "|")))
    return found


@pytest.mark.parametrize(("kinds", "prior", "text"), sentences())
def test_hard_sentence(kinds: frozenset[str], prior: list[str], text: str) -> None:
    """A sentence fails what a careful reader would fail it for, and nothing where it argues, or might."""
    result = check_response(text, prior)
    if kinds == {"unsure"}:
        assert result.issue and result.issue.answer == "unsure"
        kinds = frozenset()
    assert kinds <= {failure.kind for failure in result.failures}
    assert result.ok is not bool(kinds)


def test_there_are_enough_hard_sentences() -> None:
    """The file is no token: sixty sentences and more, passing and failing ones."""
    cases = sentences()
    assert len(cases) >= 60
    assert min(sum(bool(kinds) for kinds, _, _ in cases), sum(not kinds for kinds, _, _ in cases)) >= 25


def places() -> list[tuple[str, str]]:
    lines = (CASES / "places.md").read_text("utf-8").splitlines()
    found = [line[2:].split(" | ", 1) for line in lines if line.startswith("- ")]
    return [(kind, text.replace("\\n", "\n")) for kind, text in found]


@pytest.mark.parametrize(("kind", "marked"), places())
def test_a_finding_points_at_its_words(kind: str, marked: str) -> None:
    """The span covers the words as they stand in the text, marks and all that folding drops inside them included."""
    text = marked.replace(OPEN, "").replace(CLOSE, "")
    start = marked.index(OPEN)
    end = marked.index(CLOSE) - 1
    spans = [failure.span for failure in check_response(text).failures if failure.kind == kind]
    assert spans and spans[0] is not None
    assert (spans[0].start, spans[0].end) == (start, end), text[spans[0].start : spans[0].end]


def rounds() -> list[tuple[str, list[tuple[str, str]], list[str]]]:
    """(idea, turns, what is said of the last one) of every section of the case file."""
    found = []
    for section in (CASES / "rounds.md").read_text("utf-8").split("\n## ")[1:]:
        idea, *paragraphs = section.strip().split("\n\n")
        turns = [(name, said) for name, _, said in (turn.partition(": ") for turn in paragraphs[:-1])]
        found.append((idea, turns, paragraphs[-1].removeprefix("→ ").split(", ")))
    return found


@pytest.mark.parametrize(("turns", "expected"), [case[1:] for case in rounds()], ids=[case[0] for case in rounds()])
def test_a_turn_behind_others(turns: list[tuple[str, str]], expected: list[str]) -> None:
    """What the gate says of the last turn, and what it must not say."""
    result = check(turns[-1][1], turns[:-1])
    said = {failure.kind for failure in result.failures} | ({"stands down"} if result.stand_down else set())
    said |= {result.issue.answer} if result.issue else set()
    for words in expected:
        assert (words.removeprefix("not ") in said) is not words.startswith("not "), (words, said)


def test_literal_matching_is_the_published_design(shared: Path) -> None:
    """``matching="literal"`` gives what the design says to the letter, on every hard sentence beside the checkout."""
    for row in rows(shared):
        result = check_response(row["text"], row["prior_speakers"], matching="literal")
        kinds = {failure.kind for failure in result.failures}
        phrases = [failure.detail for failure in result.failures if failure.kind == "forbidden_phrase"]
        assert phrases == row["expect"]["forbidden_phrase"], row["id"]
        assert ("no_disagreement_signal" in kinds) == row["expect"]["no_disagreement_signal"], row["id"]
        assert ("too_short" in kinds) == row["expect"]["too_short"], row["id"]


def test_hard_sentences_come_out_as_a_careful_reader_wants(shared: Path) -> None:
    """97 of 100 settled ones, whether asked by layers or by warnings."""
    settled = [row for row in rows(shared) if not row["debatable"]]
    wrong = []
    for row in settled:
        result = check_response(row["text"], row["prior_speakers"], language=row["lang"])
        warned = any(failure.severity != "info" for failure in result.failures)
        if result.ok != (row["ideal"] == "pass") or warned != (row["ideal"] == "flag"):
            wrong.append(row["id"])
    assert len(wrong) <= 0.03 * len(settled), wrong


def rows(shared: Path) -> list[dict]:  # type: ignore[type-arg]
    return [json.loads(line) for line in (shared / "gate-cases.jsonl").read_text("utf-8").splitlines() if line]


# -- Findings ----------------------------------------------------------------------------------------------------------

FLATTERY = "Great point, Ana. Truly a great point. I agree with you on all of it, and it was well said."
BLAND = "I wonder whether we could plan the next steps together with everyone: first the hall, then the list of guests."


def test_one_finding_a_use() -> None:
    """A phrase that is used twice is found twice, each at its own place."""
    found = [f for f in check_response(FLATTERY, ["Ana"]).failures if f.kind == "forbidden_phrase"]
    assert [f.detail for f in found] == ["great point", "great point", "I agree with", "well said"]
    assert len({f.span for f in found}) == 4


def test_every_failure_has_its_layer() -> None:
    """The published layers carry their number, all other rules none."""
    layers = {f.kind: f.layer for f in check_response(FLATTERY + " What a brilliant idea!", ["Ana"]).failures}
    assert layers == {"forbidden_phrase": 1, "no_disagreement_signal": 2, "agreement_padding": 0}
    assert [(f.kind, f.layer) for f in check_response("No.", ["Ana"]).failures] == [("too_short", 3)]


def test_a_short_turn_has_one_message() -> None:
    """Layer 2 is not asked where layer 3 fails."""
    assert [f.kind for f in check_response("Fine by me, go on.", ["Ana"]).failures] == ["too_short"]


def test_the_first_speaker_owes_no_disagreement() -> None:
    """Without an earlier speaker layer 2 is not asked."""
    assert check_response(BLAND).ok and check_response(BLAND)
    assert not check_response(BLAND, ["Ana"]).ok and not check_response(BLAND, ["Ana"])


def test_under_the_protocol_every_failed_layer_is_a_warning() -> None:
    """A long turn that says much, takes no issue and flatters nobody is graded as info, and strictly as a warning."""
    plan = (
        "From Monday on we run three vans from Ostend: two carry the mail to Bruges and Ghent, one stays for parcels. "
        "Depot 4 opens at 05:30, the drivers sign for 120 crates each, and Carla Peeters keeps the list in Antwerp. "
        "On Thursdays van 2 goes to Ypres with the returns, and on Saturdays all of them stand in Ostend for service. "
        "I will write the list tonight, and we will start with the crates; I'd suggest we begin with Ghent."
    )
    lax = [f for f in check(plan, [("Ana", "")]).failures if f.kind == "no_disagreement_signal"]
    strict = [f for f in check(plan, [("Ana", "")], strict=True).failures if f.kind == "no_disagreement_signal"]
    assert [f.severity for f in lax] == ["info"]
    assert [f.severity for f in strict] == ["warning"]


def test_talk_that_neither_sides_nor_repeats_fails_nothing() -> None:
    """A brief word between people is no verdict on an argument; where what was said before is unknown, it may be."""
    said = "We should move the stall to the square, because the bus stops there and the rent is half of ours."
    track, nods = "I'll keep an eye on the clock, and we will be done by noon. Let's go!", "Wonderful plan, I love it. "
    sided = "Ana is right, and I would do exactly what she says we should do with our stall here."
    more = f"{track} We will do what we can, and then we will go on to do more."  # 31 words
    cases = (track, said), (nods + track, said), (track, ""), (more, said), (sided, said)
    for (text, before), severity in zip(cases, ("info", *["warning"] * 4), strict=True):
        (found,) = [f for f in check(text, [("Ana", before)]).failures if f.kind == "no_disagreement_signal"]
        assert found.severity == severity


def test_a_concession_shows_but_fails_nothing() -> None:
    """ "I agree with X, but ..." is reported for information; the protocol doesn't excuse it."""
    text = "I agree with the diagnosis, but the cure is wrong: forty pills a day is what killed the last two patients."
    (found,) = [f for f in check(text, [("Ana", "")]).failures if f.kind == "forbidden_phrase"]
    assert (found.severity, found.layer) == ("info", 0)
    (found,) = [f for f in check(text, [("Ana", "")], strict=True).failures if f.kind == "forbidden_phrase"]
    assert (found.severity, found.layer) == ("warning", 1)


def test_a_phrase_in_a_long_turn_that_argues_fails_nothing() -> None:
    """What is not conceded may stand in another sentence; in a short turn, or among more, the phrase is a warning."""
    objection = "The estimate is wrong, Ana: the chart alone takes an hour, which your plan ignores. "
    cases = "The map fails at night, the export fails on Mondays, and nobody has tested the import of May. "
    for text, severity in ((objection, "warning"), (objection + cases * 3, "info")):
        (found,) = check("I agree with Ben. " + text, [("Ana", ""), ("Ben", "")]).failures
        assert (found.kind, found.severity) == ("forbidden_phrase", severity)
    flattery = "I agree with Ben. Great point, Ben. Well said, Ben. "
    failures = check(flattery + objection + cases * 3, [("Ana", ""), ("Ben", "")]).failures
    assert [f.severity for f in failures if f.kind == "forbidden_phrase"] == ["warning"] * 3


@pytest.mark.parametrize(
    ("company", "is_praise"),
    [("nothing Ana said", False), ("nobody here", False), ("nothing to add", True), ("none other than Ana", True)],
)
def test_who_agrees_with_nothing_objects_and_who_has_nothing_to_add_does_not(company: str, is_praise: bool) -> None:
    """What goes on behind the word decides."""
    found = check(f"I agree with {company}, and the plan is to be done before Friday.", [("Ana", "")]).failures
    assert ("forbidden_phrase" in [one.kind for one in found]) == is_praise


def test_what_stands_in_a_comment_is_not_said() -> None:
    """An excuse in a turn weighs nothing, and what stands behind it on its line is no code; places stay."""
    said = "The log is of a day without the export, so Ben's four seconds prove nothing.\n\n@Great point, Ben.@"
    prior = [("Ben", "I disagree with Ana: the log of Friday shows four seconds at noon and not forty.")]
    plain, excused = (
        check(said.replace("@", comment), prior)
        for comment in ("", "<!-- mdtally-disable-line MDT101, MDT104: quoted, which cannot fail -->")
    )
    assert (plain.issue, plain.send_back) == (excused.issue, excused.send_back)
    assert [failure.kind for failure in plain.failures] == [failure.kind for failure in excused.failures]


def test_an_echo_needs_no_phrase() -> None:
    """Somebody else's words in another order are found, and whose they are is said."""
    said = "The queue hides the overload instead of removing it, so the latency moves from two seconds to forty."
    again = "So the latency moves from two seconds to forty, and the queue hides the overload, not removing it."
    (found,) = [f for f in check(again, [("Ana", said)]).failures if f.kind == "echo"]
    assert "Ana" in found.detail
    assert not [f for f in check(BLAND, [("Ana", said)]).failures if f.kind == "echo"]


def test_a_repetition_is_told_from_the_whole_debate() -> None:
    """An earlier round counts, and so do turns of one's own; without the debate nothing is known of them."""
    said = "The queue hides the overload instead of removing it, so the latency moves from two seconds to forty."
    prior = [("Ben", "Ten callers a second is what the front end was built for, and nobody has measured the eleventh.")]
    debate = [("Ana", said), *prior]
    assert not [f for f in check(said, prior).failures if f.kind == "echo"]
    (found,) = [f for f in check(said, prior, debate=debate).failures if f.kind == "echo"]
    assert "Ana's earlier turn" in found.detail
    assert not [f for f in check(prior[0][1], [], debate=[("Ana", said)]).failures if f.kind == "echo"]


def test_a_failure_says_what_was_missed() -> None:
    """Layer 2 says which signs it saw, or none, and what speaks against it; or that an objection is taken back."""
    taken_back = (
        "I disagreed with Ana on the date, and now I withdraw everything: it is a fine date, and a fine hall too."
    )
    for text, words in ((BLAND, "seen: no sign of disagreement; against it: musing"), (taken_back, "taken back")):
        (found,) = [f for f in check_response(text, ["Ana"]).failures if f.kind == "no_disagreement_signal"]
        assert words in found.detail


def test_the_hint_says_how_to_mend_what_failed() -> None:
    """Phrases to leave out, what to do instead, and the stand-down with the last speaker's name; nothing for a pass."""
    hint = check(FLATTERY, [("Ana", ""), ("Ben", "")]).hint
    assert "“great point”" in hint
    assert "Ana or Ben" in hint
    assert "I've stress-tested Ben's argument" in hint
    assert "at least 12 words" in check_response("No.", ["Ana"]).hint
    assert check_response(BLAND).hint == ""


def test_a_hint_for_one_failure() -> None:
    """The sentence for one failure is part of the whole."""
    result = check("No.", [("Ana", "")])
    pack = pack_of("en")
    assert hint(result.failures[:1], ["Ana"], pack, 12) == result.hint
    first, *_, last = check(FLATTERY, [("Ana", "")]).failures
    assert hint([first], ["Ana"], pack, 12).startswith("Leave out “great point”:")
    assert "cannot find a material weakness" in hint([last], ["Ana"], pack, 12)


def test_own_phrases_are_plain_words() -> None:
    """A configuration's phrases are matched folded and un-negated, in any language, with no pattern signs in them."""
    kinds = [
        f.detail
        for f in check("I like it, to be *fair* (?), more than most.", extra_phrases=["to be fair (?)"]).failures
    ]
    assert "to be fair (?)" in kinds
    assert not list(
        check("I would not say to be fair here, or anywhere else in it.", extra_phrases=["to be fair"]).failures
    )
    text = "Честно говоря, я согласен, и добавить мне сегодня совершенно нечего, друзья мои."
    assert [f.detail for f in check(text, extra_phrases=["честно говоря"]).failures] == ["честно говоря"]


def test_many_titles_behind_each_other_are_looked_at_once() -> None:
    """Where each title ends no sentence, a whole text may be one; it was gone through for each of its stand-downs."""
    start = time.process_time()
    check("I've stress-tested Dr. " * 2000, [("Ana", "")])
    assert time.process_time() - start < 2  # 0.1 s, and 6 s


def test_a_stand_down_passes_whoever_spoke_before() -> None:
    """Its speaker may have spoken in another round; without earlier speakers it passes as well, short as it is."""
    for subject in ("Ana's argument", "Dora's argument", "Dr. J. Chen's argument", "this", "the proposal"):
        text = f"I've stress-tested {subject} and cannot find a material weakness."
        for prior in ((), ("Ana",), ("Ben", "Ana")):
            result = check_response(text, prior)
            assert result.stand_down and result.ok, (subject, prior)
    assert not check_response("I haven't stress-tested Ana's argument and find no weakness.", ["Ana"]).stand_down
    assert not check_response("What a great point, I love it!", ["Ben"]).ok


@pytest.mark.parametrize(
    ("text", "whom"),
    [
        ("Ana's argument ignores the night shift, and her figure for it is wrong.", ("Ana",)),
        ("Ana is right about the lobby. Ben, your freeze doesn't protect the payroll run.", ("Ben",)),
        ("The freeze in June does not protect the payroll run: nobody stops the vendor.", ("Ben",)),
        ('"A freeze in June" is not a plan, it is a hope.', ("Ben",)),
        ("That is wrong: the moon has no air at all, and no rocket was ever painted green.", ()),
    ],
)
def test_whom_an_objection_is_about(text: str, whom: tuple[str, ...]) -> None:
    """Whom it names, quotes or addresses, or whose words it takes up; praise for another is no objection to him."""
    prior = [
        ("Ana", "The lobby is too small for nine hundred visitors, and the lift is closed until the ninth of May."),
        ("Ben", "A freeze in June protects the payroll run, and the vendor has signed it."),
    ]
    result = check(text, prior)
    assert result.issue and result.issue.against == whom


def test_the_same_case_made_twice_argues_with_nobody() -> None:
    """Polemic against a third party, behind a sentence of support, does not object to who made the same case."""
    first = (
        "Strict laws for language models are overdue. They spread falsehoods at scale, they copy the bias of their "
        "data, and they leak private records. Critics claim that rules choke invention; yet rules gave us safe drugs."
    )
    second = (
        "There is an urgent need for strict laws on language models. Without them falsehoods spread unchecked. The "
        "models fail when records are thin, they repeat bias, and nobody answers for the damage. Those who say that "
        "the market will mend it ignore the leaks of last year, and their trust in goodwill is naive. Goodwill never "
        "stopped a leak. A fine of forty thousand does not hurt a firm that earns it in a minute. Audits fail because "
        "nobody may look inside. Children suffer first, for they believe what is said politely. Every month of delay "
        "makes the damage harder to undo. Drugs are tested before they are sold, and models must be, too. Without "
        "a duty to report, nobody learns of a failure. Without a court, nobody pays for it. Records leak silently."
    )
    result = check(f"I agree with Ana, and I want to add reasons of my own.\n\n{second}", [("Ana", first)])
    assert result.issue and result.issue.answer != "argues"
    rebuttal = f"Ana, you claim that rules gave us safe drugs. {second.replace('Those who say', 'You say')}"
    result = check(
        rebuttal.replace("There is an urgent need for strict laws on language models. ", ""), [("Ana", first)]
    )
    assert result.issue and result.issue.answer == "argues"


def test_what_two_turns_quote_is_neither_s_own() -> None:
    """Both quote the motion: the second does not quote the first."""
    prior = [("Ana", 'The motion says "the harbour should be dredged", and the harbour pays for it in two years.')]
    text = 'The motion "the harbour should be dredged" is wrong about the sand, and that is false since March.'
    own = [("Ana", "The harbour should be dredged, and the harbour pays for it in two years.")]
    results = [check(text, turns).issue for turns in (prior, own)]
    assert results[0] and results[1] and (results[0].against, results[1].against) == ((), ("Ana",))


# -- Languages ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "The cost of the second van is not in the plan, and I would like to know who has to pay for it."),
        ("de", "Die Kosten für den zweiten Wagen stehen nicht im Plan, und ich wüsste gern, wer sie bezahlen soll."),
        ("es", "El coste de la segunda furgoneta no está en el plan, y me gustaría saber quién lo va a pagar."),
        ("fr", "Le coût de la deuxième camionnette n'est pas dans le plan, et je voudrais savoir qui va le payer."),
        ("zh", "第二辆货车的费用不在计划里，我想知道由谁来支付这笔钱，什么时候支付。"),
        (None, "O custo da segunda carrinha não está no plano, e eu gostaria de saber quem é que vai pagar por ela."),
        (None, "Il costo del secondo furgone non è nel piano, e vorrei sapere chi lo deve pagare e quando."),
        (None, "この案には反対です。夜間バッチと切り替え時刻が重なるためです。"),
        (None, "Стоимость второго фургона в плане не указана, и я хотел бы знать, кто за него заплатит."),
        (
            None,
            "Toisen pakettiauton hinta ei ole suunnitelmassa, ja on epäselvää, kuka sen maksaa ja milloin se on saatu.",
        ),
        (
            None,
            "Costul celei de-a doua dube nu este în plan, iar eu aș vrea să știu cine îl plătește și când.",
        ),
        (None, "El cost de la segona furgoneta no és al pla, i m'agradaria saber qui ho ha de pagar i quan es farà."),
        (None, "Cena druhej dodávky v pláne nie je a ja by som rád vedel, kto ju má zaplatiť, keď sa na ňu pýtajú."),
        (
            None,
            "Wala sa plano ang halaga ng ikalawang van, at gusto kong malaman kung sino ang magbabayad nito.",
        ),
        (None, "Lo còst del segond camion es pas dins lo plan, e voldriái saber qual o pagarà e quand se farà aquò."),
        (
            None,
            "El costu de la segunda furgoneta nun ta nel plan, y prestábame saber quién lo va pagar y cuándo.",
        ),
        (
            None,
            "D Chöschte für s zwöite Outo stöh nid im Plan, und i möcht gärn wüsse, wär das zahlt und wenn.",
        ),
        (None, "De kosten van de tweede bus staan niet in het plan, en ik wil graag weten wie dat gaat betalen."),
        (None, "12 345 — !"),
        (None, ""),
    ],
)
def test_language_of_a_debate(language: str | None, text: str) -> None:
    """Languages with a pack are told by a sentence; all others, and no language at all, are none."""
    assert detect_language([text]) == language


@pytest.mark.parametrize(
    ("language", "rest"),
    [
        ("de", "das ist alles richtig, und ich würde es genau so machen, wie du es am Montag vorgeschlagen hast."),
        ("es", "todo eso es correcto, y yo lo haría exactamente como tú lo has propuesto el lunes en la reunión."),
        ("fr", "tout cela est juste, et je le ferais exactement comme tu l'as proposé lundi dans la réunion."),
        ("zh", "这些都是对的，我会完全按照你星期一提出的办法去做，没有别的意见。"),
    ],
)
def test_the_english_phrases_hold_in_every_language(language: str, rest: str) -> None:
    """Who mixes languages flatters, objects and stands down in English; each counts, and none that is negated."""
    padded, negated, argued, stood_down = (
        check(f"{opening} {rest}", [("Ana", "")], language=language)
        for opening in (
            "Solid analysis, Ana.",
            "I can't say I agree with Ana:",
            "I disagree with Ana:",
            "I've stress-tested Ana's argument and cannot find a material weakness:",
        )
    )
    assert padded.language == language
    assert ("forbidden_phrase", "solid analysis") in [(failure.kind, failure.detail) for failure in padded.failures]
    assert "forbidden_phrase" not in [failure.kind for failure in negated.failures]
    assert argued.issue and argued.issue.answer == "argues"
    assert stood_down.stand_down


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("de", "Ich sehe hier keinen weak claim, und ich würde es genau so machen, wie es am Montag besprochen war."),
        ("de", "Das ist kein great point, und ich würde es genau so machen, wie es am Montag besprochen war."),
        ("es", "Ningún weak claim de mi parte: la reunión del lunes fue buena y todo está claro para nosotros."),
        ("fr", "Je n'ai aucun counter-argument, et je le ferais exactement comme on l'a proposé lundi."),
        ("zh", "我没有 counter-argument，我会完全按照星期一提出的办法去做，一起签字吧。"),
    ],
)
def test_what_the_language_denies_is_no_objection_in_english(language: str, text: str) -> None:
    """A negator of the debate's language takes back an English objection or phrase behind it."""
    result = check(text, [("Ana", "")], language=language)
    assert result.language == language
    assert result.issue and result.issue.answer != "argues"
    assert "forbidden_phrase" not in [failure.kind for failure in result.failures]


@pytest.mark.parametrize(
    "text", ["I disagree.", "I cannot find a weakness.", "I appreciate Ana's concessions, great point."]
)
def test_one_word_is_no_other_language(text: str) -> None:
    """ "I" is a word of Polish, too: a short turn stays in the language of its debate."""
    assert check_response(text, ["Ana"]).language == "en"


@pytest.mark.parametrize(
    ("language", "text"),
    [
        (
            "fr",
            "Isso não resolve nada: o preço de março vem de uma única fatura, e com isso ninguém justifica a compra.",
        ),
        (
            "fr",
            "Questo non mi torna affatto: il prezzo di marzo viene da una sola fattura, e con quella non si decide.",
        ),
        (
            "es",
            "Isso não resolve nada: o preço de março vem de uma única fatura, e com isso ninguém justifica a compra.",
        ),
        (
            "es",
            "Questo non mi torna affatto: il prezzo di marzo viene da una sola fattura, e con quella non si decide.",
        ),
        (
            "es",
            "Això no m'ho crec gens: el preu de març ve d'una sola factura, i amb això no es pot decidir la compra.",
        ),
        ("de", "Asta nu schimbă nimic: prețul din martie vine dintr-o singură factură și cu ea nu se poate decide."),
        (
            "de",
            "Horrek ez du ezer aldatzen: martxoko prezioa faktura bakar batetik dator, eta ezin da horrekin erabaki.",
        ),
    ],
)
def test_a_turn_in_a_language_near_the_debate_s_is_not_judged(language: str, text: str) -> None:
    """Near languages share their stop words; words that only one of them has tell which one a turn is in."""
    result = check(text, [("Ana", "")], language=language)
    assert (result.language, result.failures) == ("", ())


def test_terse_notes_are_english_too() -> None:
    """Notes full of names and code have few stop words; the few that are there decide."""
    notes = "- `mux.py` L40: retry w/o limit\n- Postgres 16, replica lag 4s\n- rollback: the old image is kept for 7d\n"
    assert detect_language([notes * 3]) == "en"


def test_no_pack_no_flag() -> None:
    """In a language without a pack only the length is judged, and the result says so."""
    result = check("Не согласен с этим планом, в нём нет ни слова о хранении, и это ошибка в расчёте.", [("Ana", "")])
    assert (result.language, result.failures) == ("", ())
    assert check("Да.", [("Ana", "")], language="xx").failures[0].kind == "too_short"
    stand_down = check("I've stress-tested Ana's plan and cannot find a weakness.", [("Ana", "")], language=None)
    assert stand_down.stand_down and not stand_down.failures


def test_an_unknown_way_of_matching_is_refused() -> None:
    """A slip must not be read as prose in silence."""
    with pytest.raises(ValueError, match="'prose' or 'literal'"):
        check_response("Any text at all.", matching="fuzzy")  # type: ignore[arg-type]


def test_the_hint_quotes_the_padding_itself() -> None:
    """The sort of padding is for the finding; who mends the text needs the words."""
    assert (
        "nothing to add"
        in check_response("The plan is fine and I have nothing to add to it, thanks to all of you here.").hint
    )


def test_one_string_is_no_list_of_speakers() -> None:
    """Its letters would be taken for speakers, and nobody would notice."""
    with pytest.raises(TypeError, match="list of names"):
        check_response(BLAND, "Ana")
