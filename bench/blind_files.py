"""How right mdtally is on public files that nobody had read: their readings, offers, a model's proposals, and the gate.

    python bench/blind_files.py FOLDER      # FOLDER/OWNER/NAME/PATH: the files, at the commits of blind-files.jsonl

`blind-files.jsonl` has a row a file: repository, commit, path, its turns as a person who saw no code of mdtally marked
them, what a model proposed for it (prompt "reading" 2; in rows with a day, 4; of 2026-11-28, 5; or what its
"reading_prompt" says), and once more (prompt "again" 1, above "reading" 3; with a day, 4 to 7), and for some turns of
debates what two readers, who saw neither each other's labels nor any answer, say of them, with a model's answer where
the gate asks (prompt "turn" 3, on 2026-11-28 4, on 2026-11-29 5, without its quotation; 3 was mended on the rows
without a day, 6 on those of 2026-11-29, where some turns have an answer to it, too: "answer_6"; rows with "prompt" have
that alone, and came after it; on the last of them 7 was mended, which was asked about some before them: "answer_7";
rows with "prompt" 7 came after that; those of 2026-11-30 and later, many look-alikes, no model was asked about).
Readers and model were language models of one family; proposals that quote sentences are left out. Fetch a file with

    git clone https://github.com/OWNER/NAME && git -C NAME show COMMIT:PATH
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(PROJECT), str(PROJECT / "bench")]

import model_answers  # noqa: E402
from model_answers import turns_asked  # noqa: E402

from mdtally import transcript  # noqa: E402
from mdtally.ask.model import offer_proposed, second_look  # noqa: E402
from mdtally.check import settling  # noqa: E402
from mdtally.check.settling import Offer  # noqa: E402
from mdtally.log.agreement import kappa  # noqa: E402
from mdtally.text.document import Document, parse  # noqa: E402
from mdtally.text.model import Turn  # noqa: E402

TABLE = PROJECT / "bench" / "blind-files.jsonl"
Row = Mapping[str, Any]


def is_exact(turns: Sequence[Turn], truth: Sequence[Row]) -> bool:
    """True if turns begin on the true lines, each voice one speaker's; a voice's turns in a row may count as one.

    Those of programs may be left out.
    """
    every = [(turn.line, turn.speaker) for turn in turns]
    said = [(turn.line, turn.speaker) for turn in turns if turn.kind != "other"]
    true = [(turn["line"], turn["speaker"]) for turn in truth]
    return any(
        [line for line, _ in one] == [line for line, _ in other] and _same_voices(one, other)
        for one, other in ((every, true), (said, true), (_runs(said), _runs(true)))
    )


def _same_voices(one: Sequence[tuple[int, str]], other: Sequence[tuple[int, str]]) -> bool:
    pairs = {(a, b) for (_, a), (_, b) in zip(one, other, strict=True)}
    return len(pairs) == len({a for a, _ in pairs}) == len({b for _, b in pairs})


def _runs(said: Sequence[tuple[int, str]]) -> list[tuple[int, str]]:
    return [one for place, one in enumerate(said) if not place or said[place - 1][1] != one[1]]


def reading_figures(files: Sequence[tuple[Row, Document]]) -> None:
    """What is read at once, by a key, by pointing, and by a model's proposal."""
    found: Counter[str] = Counter()
    for row, document in files:
        read, truth = transcript.read(document), row["turns"]
        if not truth:
            found["without turns, left alone"] += read.unsure or read.reading == "none"
            continue
        found["with turns"] += 1
        is_sure = not read.unsure and read.reading != "none"
        found["sure"] += is_sure
        found["sure and right"] += is_sure and is_exact(read.turns, truth)
        found["sure, wrong, nothing said"] += is_sure and not (is_exact(read.turns, truth) or read.problems)
        if not is_sure:
            found["right by a key"] += any(is_exact(one.turns, truth) for one in settling.every_offer(document))
        first = {turn["speaker"]: turn["line"] for turn in reversed(truth)}
        pointed = settling.like(document, sorted(first.values()))
        found["pointing: an offer"] += isinstance(pointed, Offer)
        found["pointing: right"] += isinstance(pointed, Offer) and is_exact(pointed.turns, truth)
        if row["reading"] is not None and not is_sure:
            found["asked a model"] += 1
            offers = {"its first proposal": offer_proposed(document, row["reading"], "a model")}
            offers["its proposal"] = offers["its first proposal"]
            if row["again"] is not None and second_look(document, row["reading"]):
                found["asked a model again"] += 1
                second = offer_proposed(document, row["again"], "a model")
                offers["its proposal"] = second if isinstance(second, Offer) else offers["its proposal"]
            rounds = {turn["line"]: turn["round"] for turn in truth}
            for title, offer in offers.items():
                found[f"{title}: offered"] += isinstance(offer, Offer)
                if isinstance(offer, Offer) and is_exact(offer.turns, truth):
                    found[f"{title}: right"] += 1
                    same = all(turn.round == rounds.get(turn.line, turn.round) for turn in offer.turns)
                    found[f"{title}: rounds, too"] += same or not any(rounds.values())
    for name, number in found.items():
        print(f"  {name:34} {number}")


def gate_figures(rows: Sequence[Row], folder: Path) -> None:
    """How far the two readers agree, and what the gate says of their turns, alone and with a model's answers."""
    labelled = [(row, one) for row in rows for one in row["labelled"]]
    for key in ("disagreement", "performative", "echo", "should_flag"):
        pairs = [tuple(_told(label[key]) for label in one["labels"]) for _, one in labelled]
        value, _ = kappa([(both, row["path"], 1.0) for both, (row, _) in zip(pairs, labelled, strict=True)])
        print(f"  readers, {key}: {sum(a == b for a, b in pairs)} of {len(pairs)}, kappa {value:.2f}")
    with tempfile.TemporaryDirectory() as name:
        shared = Path(name)
        judged = _as_shared(rows, folder, shared)
        # The shipped weights: they have not learnt from these.
        asked = [(one, judged[one.path, one.line]) for one in turns_asked(shared, {})]
        told = (("first answers", ("answer",)), ("prompt 6", ("answer_6", "answer")), ("prompt 7", ("answer_7",)))
        for title, keys in told:
            print(title)
            found = ((one, next(filter(None, map(of_turn.get, keys)), None)) for one, of_turn in asked)
            model_answers.gate_figures(shared, [(one, answer) for one, answer in found if answer], {})


def _told(label: object) -> str:
    return str(label in ("substantive", "stand_down") if isinstance(label, str) else label)


def _as_shared(rows: Sequence[Row], folder: Path, shared: Path) -> dict[tuple[str, int], Any]:
    """The debates written as the labelled samples lie; by path and line what was labelled and answered."""
    debates = shared / "samples" / "debates"
    debates.mkdir(parents=True)
    labels, judged = [], {}
    for number, row in enumerate(rows):
        turns = [turn for turn in row["turns"] if "end_line" in turn]
        if not row["labelled"]:
            continue
        file = f"{number:03}.md"
        data = (folder / row["repository"] / row["path"]).read_bytes()
        (debates / file).write_bytes(data)
        lines = parse(data).lines
        truth = [
            {
                **turn, "round": turn["group"], "kind": "expert" if turn["kind"] == "agent" else turn["kind"],
                "label": lines[turn["line"] - 1][: turn.get("column")],
            }
            for turn in turns
        ]  # fmt: skip
        (debates / file.replace(".md", ".truth.json")).write_text(json.dumps({"turns": truth}), "utf-8")
        groups = {turn["line"]: turn for turn in turns}
        for one in row["labelled"]:
            first, second = one["labels"]
            agreed = {key: first[key] if first[key] == second[key] else None for key in first}
            if {first["disagreement"], second["disagreement"]} <= {"vague", "none"}:
                agreed["disagreement"] = first["disagreement"] if agreed["disagreement"] else "none"
            turn = groups[one["line"]]
            place = {"file": file, "line": one["line"], "round": turn["group"], "speaker": turn["speaker"]}
            labels.append({**place, "prior": one["prior"], "phrase": "", **agreed})
            judged[f"debates/{file}", one["line"]] = one
    (shared / "labels.jsonl").write_text("\n".join(map(json.dumps, labels)), "utf-8")
    return judged


def main() -> int:
    if len(sys.argv) != 2:
        print(__doc__)
        return 2
    folder = Path(sys.argv[1])
    rows = [json.loads(line) for line in TABLE.read_text("utf-8").splitlines()]
    here = [row for row in rows if (folder / row["repository"] / row["path"]).exists()]
    print(f"{len(here)} of {len(rows)} files are there")
    later = [row for row in here if "prompt" in row]
    newest = [row for row in later if "reading_prompt" in row]
    asked = [row for row in here if any("answer_7" in one for one in row["labelled"])]
    last = [row for row in later if row["prompt"] == 7]
    every = (("all", here), ("later than prompt 6", later), ("with prompt reading 6 or 7", newest))
    for title, rows in (*every, ("with prompt turn 7", asked), ("later than prompt 7", last)):
        for kind in ("debate", "session"):
            files = []
            for row in rows:
                data = (folder / row["repository"] / row["path"]).read_bytes()
                if row["kind"] == kind and _is_utf_8(data):
                    files.append((row, parse(data)))
            print(f"{title}, {kind}s: {len(files)}")
            reading_figures(files)
        if any(row["labelled"] for row in rows):
            gate_figures(rows, folder)
    return 0


def _is_utf_8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


if __name__ == "__main__":
    raise SystemExit(main())
