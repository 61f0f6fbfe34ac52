"""What the page calls: the command line, and a review of a note. Each function gives a text, mostly JSON."""

from __future__ import annotations

import contextlib
import io
import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import Any

from mdtally.ask import (
    Ask,
    EventWalk,
    Judge,
    Look,
    NewLabels,
    OfferedReadings,
    Passage,
    Review,
    ReviewedTurn,
    Rewrite,
    SessionPicture,
    Steps,
    SurveyWalk,
    Tell,
    Wrote,
    open_questions,
)
from mdtally.ask.session_words import session_sentences
from mdtally.check import verdicts
from mdtally.check.reports import File, VerdictReport
from mdtally.doors.cli import main
from mdtally.doors.cli.common import Call, now
from mdtally.events.survey.note import SurveyedReply, SurveyNote, read_survey
from mdtally.log.record import LogRecord, from_line, is_record
from mdtally.project import files
from mdtally.project.files.find import CONFIG_NAMES
from mdtally.project.files.walk import MARKDOWN_SUFFIXES
from mdtally.show import verdict_output
from mdtally.show.review_screen import KEY_WORDS, record_text
from mdtally.show.style import Options
from mdtally.sources import Recording, conversations
from mdtally.text.document import Document, parse
from mdtally.text.model import Refusal, Turn
from mdtally.text.records import replace

KEYS = {"s": "skip", "b": "back", "u": "undo", "f": "no more", "?": "what counts as what", "q": "stop here"}
"""What can be pressed at every question, beside its answers; "f" and "?" where it is about an event."""
_ABOUT_EVENTS = {"f": ("decision", "speaker"), "?": ("decision", "pressure", "evidence")}
"""The questions at which these two can be pressed."""
FIRST = 6
"""How many label lines of a reading are shown."""

_walks: dict[str, PageWalk] = {}
_notes: dict[Path, bytes] = {}
"""The notes that were dropped, as they were then."""
_logs: set[Path] = set()
"""The calibration logs that were dropped."""


def run(arguments: str) -> str:
    """Run a command line, given as a JSON list: its exit code and its two streams."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(json.loads(arguments))
    return json.dumps({"code": int(code or 0), "out": out.getvalue(), "err": err.getvalue()})


def take(name: str, content: str) -> str:
    """Take in a file that was dropped: the note that is open then, what is said of it, and whether it is left out.

    Args:
        name: its name, or its path in the folder that was dropped.
        content: a file that holds its bytes.
    """
    path, data, note, said = Path(name), Path(content).read_bytes(), "", ""
    if name.lower().endswith(MARKDOWN_SUFFIXES):
        note, said = _take_note(path, data)
    elif name.lower().endswith(".jsonl") and _is_log(data):
        _take_log(path if path.parent.name else _log_of(path), data)
        said = "The log is read; its history stands below."
    elif name.lower().endswith(".jsonl") or (name.lower().endswith(".json") and _is_recording(data)):
        _write(path, data)
        for made in _places(path.with_suffix(".md")):
            is_new = not made.exists()
            ran = json.loads(run(json.dumps(["note", f"--output={made}", "--", str(path)])))
            if is_new or not ran["code"]:  # else it is another's note
                break
        note, said = ("", ran["err"].strip()) if ran["code"] else (str(made), "")
    elif path.name in CONFIG_NAMES:
        _write(path, data)
        if files.read_config(path).is_ours:
            problems = "; ".join(map(str, Call().find_settings(path)[1]))
            said = problems or f"{path} holds for the notes in its folder and below."
    return json.dumps({"note": note, "said": said, "is_left_out": not (note or said)})


def _take_note(path: Path, data: bytes) -> tuple[str, str]:
    """Where a dropped note is open now, and what is said of another of its name: what the tab wrote into one stays."""
    for place in _places(path):
        there, dropped = files.read(place), _notes.get(place)
        if isinstance(there, bytes) and data == dropped != there:
            return str(place), f"{place} is open already, with what was written into it since."
        if not isinstance(there, bytes) or there in (data, dropped):
            break
    _notes[place] = data
    _write(place, data)
    if place != path:
        return str(place), f"Another {path} is open, so this one is {place.name}."
    return str(place), f"{place} takes the place of the one that was open." if there == dropped != data else ""


def _take_log(path: Path, data: bytes) -> None:
    """Put a dropped log before those lines of the tab's that it lacks, which are younger; it stands beside another log
    that was dropped if no line of that is in it."""
    lines = {b"", *(line.strip() for line in data.split(b"\n"))}
    for place in _places(path):
        there = files.read(place)
        known = [line.strip() for line in there.split(b"\n")] if isinstance(there, bytes) else []
        rest = [line for line in known if line not in lines]
        if place not in _logs or len(rest) < sum(map(bool, known)):
            break
    _logs.add(place)
    _write(place, b"\n".join([data.removesuffix(b"\n"), *rest, b""]) if rest else data)


def _places(path: Path) -> Iterator[Path]:
    """The path, and those that stand for it where another file has its name: "a.md", "a-2.md", "a-3.md"."""
    yield path
    yield from (path.with_name(f"{path.stem}-{number}{path.suffix}") for number in count(2))


def _is_log(data: bytes) -> bool:
    """True if a line is one that mdtally writes into a calibration log."""
    return any(map(is_record, (line for line in data.split(b"\n") if b'"recorded"' in line)))


def _is_recording(data: bytes) -> bool:
    """True if there is a recorded session in it, or a chat of a program's export."""
    return any(isinstance(found, Recording) for found in conversations(io.BytesIO(data)))


def _log_of(path: Path) -> Path:
    """The calibration log of a note or folder, whether it is there or not."""
    settings = Call().find_settings(path)[0]
    return Path(files.relative(files.find_project_root(path, settings.log) / settings.log, Path.cwd()))


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def logs(notes: str) -> str:
    """The calibration logs in the tab: those that were dropped, and those of notes, given as a JSON list."""
    found = _logs | {_log_of(folder) for folder in {Path(note).parent for note in json.loads(notes)}}
    return json.dumps(sorted(str(log) for log in found if log.is_file()))


def log_line(path: str) -> str:
    """The last line that the calibration log holds of a note; "" if there is none."""
    log = files.read(_log_of(Path(path)))
    source = files.relative(Path(path), files.find_project_root(Path(path)))
    found = ""
    for line in log.decode(errors="replace").split("\n") if isinstance(log, bytes) else ():
        record = from_line(line)
        found = line.strip() if isinstance(record, LogRecord) and record.source == source else found
    return json.dumps(found)


def asks(path: str) -> str:
    """What a review of a note would ask: whether who speaks is open, and about how many turns, or a survey's items."""
    document = PageWalk(Path(path)).document
    if document.is_survey:
        survey = read_survey(document)
        many = (len(survey.open_ids), len(survey.draw.items)) if isinstance(survey, SurveyNote) else (0, 0)
        return json.dumps({"speakers": False, "events": many[0], "items": many[1]})
    found = open_questions(document)
    return json.dumps({"speakers": bool(found.reading or found.person), "events": len(found.events)})


def begin(path: str, every: bool) -> str:
    """Begin a review of a note, where asked for about every reply: what is asked first."""
    _walks[path] = walk = PageWalk(Path(path), every=every)
    return walk.go_on(None)


def answer(path: str, key: str) -> str:
    """Give the key of an answer to a walk: what is asked next."""
    return _walks[path].go_on(key)


class PageWalk:
    """A review of a note, answered from the page.

    Attributes:
        document: the note as it was read last.
    """

    def __init__(self, path: Path, *, every: bool = False) -> None:
        self._path, self._settings = path, Call().settings(path)
        self._data: bytes | None = None
        self.document = self._read()
        is_survey = self.document.is_survey
        self._steps: Steps = (SurveyWalk() if is_survey else Review(EventWalk(likely_only=not every))).run()

    def go_on(self, key: str | None) -> str:
        """What is asked next, with what is told before; at its end only what is told."""
        said: list[str] = []
        told: list[dict[str, str]] = []
        reply: Any = key
        while True:
            try:
                request = self._steps.send(reply)
            except StopIteration:
                return json.dumps({"ended": True, "said": said})
            reply = None
            if isinstance(request, Ask):
                asked = _asked(request)
                return json.dumps({"ended": False, "said": said, **asked, "about": told + asked["about"]})
            if isinstance(request, Look):
                reply = self._read()
            elif isinstance(request, Rewrite):
                reply = self._edit(request)
            elif isinstance(request, Judge):
                reply = self._judge(write=request.write)
            elif isinstance(request, Tell) and request.question:
                guide = files.read_template("guide", self._settings)
                text = guide.reason if isinstance(guide, Refusal) else guide.replace("**", "").strip()
                told = [{"title": "What counts as what", "text": text}]
            elif isinstance(request, Tell):
                said += [request.message, *(part["title"] for part in _about(request.about))]
            elif isinstance(request, Wrote):
                now = "now reads" if request.is_added else "was, before the tag was taken out"
                said.append(f"Line {request.line} {now}: {request.text}")

    def _read(self) -> Document:
        data = files.read(self._path)
        if isinstance(data, Refusal):
            raise OSError(f"{self._path}: {data.reason}")
        return self._taken(data)

    def _taken(self, data: bytes) -> Document:
        if data != self._data:
            self._data = data
            self.document = replace(parse(data), form=self._settings.transcript_for(self._path.absolute()))
        return self.document

    def _edit(self, request: Rewrite) -> Document | Refusal:
        written = files.edit(self._path, lambda data: request.make(self._taken(data)))
        return written if isinstance(written, Refusal) else self._taken(written)

    def _judge(self, *, write: bool) -> VerdictReport:
        file = File(self._path, self._read(), self._settings)
        first = verdicts.first_report(file, verdicts.judge(file), is_check=not write)
        (report,) = verdicts.Verdicts(now, write=write).reports([first])
        return report


def _asked(request: Ask) -> dict[str, Any]:
    question = request.question
    fields = ("name", "asks", "offer", "because")
    beside = {key: words for key, words in KEYS.items() if key not in question.answers}
    beside |= KEY_WORDS.get(question.name, {})
    for key, names in _ABOUT_EVENTS.items():
        if question.name not in names:
            beside.pop(key, "")
    return {
        "question": {name: getattr(question, name) for name in fields} | {"answers": dict(question.answers)},
        "keys": beside,
        "about": _about(request.about),
    }


def _about(about: Any) -> list[dict[str, str]]:
    """A record that a question is about, as titles with texts."""
    if isinstance(about, ReviewedTurn):
        run = about.candidate.run
        parts = [
            (f"turn {about.place} of {about.of}, line {run.line}", ""),
            ("Before, the agent said", about.above.reply if about.above else ""),
            ("You said", run.message),
            ("Between", about.between.words),
            ("The agent replied", run.reply),
        ]
        return [{"title": title, "text": text} for title, text in parts if text or not title.startswith("Before")]
    if isinstance(about, (Passage, NewLabels)):
        return [{"title": "", "text": record_text(about, Options(), whole=True).strip("\n")}]
    if isinstance(about, SurveyedReply):
        above = [{"title": "Before, the agent said", "text": about.above}] * bool(about.above)
        return [
            {"title": f"reply {about.place} of {about.of}", "text": ""},
            *above,
            {"title": "The person said", "text": about.message},
            {"title": "Between", "text": about.between},
            {"title": "The agent replied", "text": about.reply},
        ]
    if isinstance(about, OfferedReadings):
        return [
            {"title": f"{number}. {', '.join(offer.voices)}", "text": _labels(about.lines, offer.turns)}
            for number, offer in enumerate(about.offers, start=1)
        ]
    said: Iterable[str] = ()
    if isinstance(about, SessionPicture):
        said = session_sentences(about)
    elif isinstance(about, VerdictReport):
        said = verdict_output.verdicts_text([about], Options()).strip().split("\n")
    return [{"title": sentence.strip(), "text": ""} for sentence in said]


def _labels(lines: Sequence[str], turns: Sequence[Turn]) -> str:
    """The first label lines of a reading."""
    return "\n".join(f"line {turn.line}: {lines[turn.line - 1].strip()[:200]}" for turn in turns[:FIRST])
