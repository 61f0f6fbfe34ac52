"""What a reading leaves out is said: labels in another form, an opening without one, names that nobody expected."""

import re

import pytest

from mdtally import transcript
from mdtally.check import settling
from mdtally.text import document
from mdtally.text.model import Transcript

TALK = "".join(
    f"**User:** is it {n}?\n\n**Assistant:** No, it is {n + 1}, as the table in the report says.\n\n" for n in range(4)
)


def read(text: str) -> Transcript:
    return transcript.read(document.parse(text.encode()))


def told(text: str) -> str:
    return " ".join(problem.message for problem in read(text).problems)


def test_a_direction_mark_before_a_label_hides_no_turn() -> None:
    """WhatsApp sets one before the line of a picture."""
    lines = [f"[12.03.26, 18:0{n}:11] {'Ana Bo'[n % 2 * 4 :][:3].strip()}: it is {n}" for n in range(6)]
    lines[3] = f"\u200e{lines[3]}"
    assert [turn.line for turn in read("\n".join(lines)).turns] == [1, 2, 3, 4, 5, 6]


def test_the_first_prompt_of_a_copied_page_may_have_no_label() -> None:
    """Whoever copies a page from its first message on leaves the label out: so in ten of ten such pages."""
    chat = "ChatGPT said:\nThat one.\nYou said:\nare you sure?\nChatGPT said:\nYes.\nYou said:\nfine\n"
    asked = "which (of the *two*) is older?\n\n- this\n- that\n\nhttps://clocks.example/hall"
    first = read(f"# Two clocks\n\n{asked}\n\n{chat}").turns[0]
    assert (first.speaker, first.line, first.text) == ("You", 3, asked)
    assert "it is read as a turn of You" in told(f"{asked}\n\n{chat}")
    for above in ("", "# Which of the two\n\n", "> from a talk in June\n\n---\n\n", "Date: 2 June\n\n"):
        assert read(above + chat).turns[0].speaker == "ChatGPT"
        assert not told(above + chat)
    terminal = "• Ran ls\n  └ a.py\n\n• It is there.\n\n› fine, commit it\n\n• Done.\n"
    assert read(f"is the file there?\n\n{terminal}").turns[0].speaker == "User"
    assert read(f"  which is where I look for it.\n\n{terminal}").turns[0].speaker == "Codex"  # its last words' end


def test_an_answer_that_opens_a_chat_is_told() -> None:
    """In any other form the words above it stay nobody's: they are as often an introduction."""
    chat = "Bot:\nThat one.\nMe:\nare you sure?\nBot:\nYes.\nMe:\nfine\n"
    assert "what stands above has no label" in told(f"> which of the two\n> is older?\n\n{chat}")
    assert not told(chat) and not told(f"# Which one\n\n{chat}")


def test_fields_below_a_title_and_a_subtitle_are_no_turns() -> None:
    """A scene's setting, up to the first rule."""
    head = "# Round 6\n## Types for Schools\n\n**Setting:** a room\n**Teacher:** Ana (art)\n**Topic:** types\n\n---\n\n"
    talk = "".join(f"**{who}:** It is {n}, I think.\n\n" for n, who in enumerate(["Ana", "Ben", "Cleo"] * 4))
    assert {turn.speaker for turn in read(f"{head}### Scene 1\n\n{talk}").turns} == {"Ana", "Ben", "Cleo"}


def test_a_person_at_a_prompt_beside_other_labels_is_a_doubt() -> None:
    """A panel in a terminal: what the person types is part of the answer above."""
    panel = "".join(f"[Claude 4.6]\nNo, it is {n}.\n\n[Gemini 2.5]\nIt is {n}, as Claude says.\n\n" for n in range(3))
    assert read(panel).reading == "sure"
    assert read(panel.replace("[Claude 4.6]", "You> and now?\n\n[Claude 4.6]")).reading == "unsure"


@pytest.mark.parametrize("tag", ["example", "examples", 'pasted_text name="Notes (9 lines)"'])
def test_what_stands_between_the_tags_of_an_example_is_text(tag: str) -> None:
    """An answer holds a prompt with an example; a tag that nothing closes hides no turn."""
    example = f"<{tag}>\n**User:** is it raining?\n\n## Summary\n</{tag.split()[0]}>\n"
    asked = "**User:** and a prompt?\n\n**Assistant:** As here.\n\n"
    found = read(f"{TALK}{asked}{example}\nKeep it short.\n\n{TALK}")
    assert (found.reading, len(found.turns), found.turns[9].text) == (
        "sure",
        18,
        f"As here.\n\n{example}\nKeep it short.",
    )
    assert "labels but for" in "".join(problem.message for problem in found.problems)
    assert len(read(f"{TALK}{asked}<{tag}>\n\n{TALK}").turns) == 18


def test_a_comment_behind_a_heading_is_no_part_of_the_name() -> None:
    """As an event is marked in one: the turn is the agent's, and so is the event."""
    talk = "### Me\n\nUse it?\n\n### Claude\n\nNo.\n\n"
    found = read(f"{talk}### Me\n\nReally?\n\n### Claude <!-- A_P: asked twice -->\n\nYes.\n\n{talk}")
    assert [turn.speaker for turn in found.turns] == ["Me", "Claude"] * 3 and found.reading == "sure"


@pytest.mark.parametrize("time", ["[00:03]", "(00:03)", "[00:03 - 00:09]", "[00:00:03.000 --> 00:00:09.120]"])
def test_a_time_of_a_recording_behind_a_name_is_none_of_the_words(time: str) -> None:
    """What transcribers write: a voice in brackets, when it speaks, and what it says."""
    talk = "".join(f"[Speaker {1 + n % 2}] {time} It is the queue that costs {n}.\n" for n in range(10))
    found = read(talk)
    assert (found.reading, len(found.turns), found.turns[1].speaker) == ("sure", 10, "Speaker 2")
    assert found.turns[1].text == "It is the queue that costs 1."


@pytest.mark.parametrize(
    "label",
    [
        "Assistant: ",
        "**ASSISTANT**\n\n",
        "## Assistant\n\n",
        "*Assistant:* ",
        "**Assistant** ",
        "Assistant\n\n",
        "@Assistant: ",
        "[A_P: asked twice] **Assistant:** ",
        "<!-- A_P: asked twice --> **Assistant:** ",
    ],
)
def test_a_label_in_another_form_is_told(label: str) -> None:
    """Of a surely read file: a name among bold labels opens no turn, and the turn above gets its words."""
    assert not told(TALK)
    more = f"{TALK}**User:** and then?\n\n{label}I would wait.\n"
    assert read(more).reading == "sure" and "taken as text: 1 line" in told(more)


def test_what_you_said_is_said_in_an_answer() -> None:
    """Where the person's labels have no verb, a line with one quotes the person, and is told."""
    talk = TALK.replace("**", "").replace("User:", "You:")
    page = talk.replace("it is 2,", "it is 2.\n\nYou said: it is 3.\n\nBut")
    assert [turn.line for turn in read(page).turns] == [1, 3, 5, 7, 13, 15, 17, 19] and "as text: 1 line" in told(page)


@pytest.mark.parametrize("label", ["{}: ", "**{}:** ", "## {}\n\n"])
def test_what_another_voice_answers_is_no_quotation(label: str) -> None:
    """One turn of a person is called "You said", and the next label is the machine's."""
    voices = ["You", "Claude", "You", "Claude", "You said", "Claude"]
    found = read("\n\n".join(f"{label.format(voice)}I would wait for the {n}th." for n, voice in enumerate(voices, 4)))
    assert [turn.speaker for turn in found.turns] == ["You", "Claude"] * 3 and found.reading == "sure"


def test_a_voice_without_times_answers_two_that_have_them() -> None:
    """It is no dialogue that somebody pasted, since it stands between their turns, and so no text of theirs."""
    voices = ["Ana (10:0{})", "Ben (10:1{})", "Ana (10:2{})", "Ben (10:3{})", "Claude"] * 3
    talk = (f"**{voice.format(n % 10)}:** I would wait for the {n}th." for n, voice in enumerate(voices))
    assert {turn.speaker for turn in read("\n\n".join(talk)).turns} == {"Ana", "Ben", "Claude"}


@pytest.mark.parametrize(
    "voices",
    ["System User Claude User Claude", "Moderator Me Claude Me Claude", "User Pro Con " * 3],
)
def test_a_third_voice_that_begins_or_is_of_a_panel_is_sure(voices: str) -> None:
    """Nothing of it can be part of an answer above it; and where roles answer the person, a role may answer a role."""
    talk = (f"**{voice}:** I would wait for the {n}th." for n, voice in enumerate(voices.split()))
    found = read("\n\n".join(talk))
    assert [turn.speaker for turn in found.turns] == voices.split() and found.reading == "sure"


def test_a_third_voice_with_a_time_is_sure() -> None:
    """In a chat program's copy, whoever speaks but once has a time, as the others have, and is no part of an answer."""
    voices = ["Ana", "Meta AI", "Ana", "Meta AI", "Ben", "Meta AI"]
    talk = (f"21/11/2026, 10:0{n} - {voice}: I would wait for the {n}th." for n, voice in enumerate(voices))
    assert read("\n".join(talk)).reading == "sure"


def test_a_voice_may_answer_with_a_thumb() -> None:
    """No word stands below its labels, and yet something does."""
    mute = "".join(f"**User:** is it {n}?\n\n**Assistant:** 👍\n\n" for n in range(4))
    assert read(mute).reading == "sure" and read(mute.replace("👍", "")).reading == "unsure"


@pytest.mark.parametrize("line", ["**User** wants", "Assistant\nis", "- **User:** I"])
def test_a_sentence_or_a_list_with_a_voices_name_is_no_label(line: str) -> None:
    """Nor is it told as one."""
    assert not told(TALK.replace("No, it is 4", f"No.\n\n{line} it is 4")) and read(TALK).reading == "sure"


def test_who_is_spoken_to_opens_no_turn() -> None:
    """Behind an @ stands a name that is addressed, unless all labels have one."""
    talk = TALK.replace("**", "")
    addressed = talk.replace("it is 2,", "it is 2.\n\n@User: mind you,")
    timed = re.sub(r"^(?=User|Assistant)", "[10:02] ", addressed, flags=re.MULTILINE)
    for page in (addressed, timed):
        assert [turn.line for turn in read(page).turns] == [1, 3, 5, 7, 11, 13, 15, 17]
    signed = talk.replace("User:", "@user:").replace("Assistant:", "@assistant:")
    given = "---\ntranscript: {turn: '{speaker}: {text}'}\n"
    for head in ("", f"{given}---\n", f"{given}participants: {{'@user': human, assistant: agent}}\n---\n"):
        assert len(read(f"{head}{signed}").turns) == 8


def test_a_talk_inside_of_a_talk_is_a_doubt() -> None:
    """In labels of another form than the talk's own; or of a third voice, whom the person quotes."""
    scene = "**Alice:** Hi, how are you?\n\n**Bob:** Fine.\n\n**Alice:** I see, thank you.\n\n"
    assert read(scene).reading == "sure"
    for form in ("*{}:*", "**{}** —"):
        talk = TALK.replace("**User:**", form.format("User")).replace("**Assistant:**", form.format("Assistant"))
        assert read(f"{talk}{scene}{talk}").unsure
    assert read(f"{TALK}**User:** this is what it told me:\n\n**Gemini:** it is 7, I think.\n\n{TALK}").unsure
    assert read(f"{TALK}**User:** run it\n\n**Assistant:** I call it:\n\n**Tool:** it is 7\n\n" * 2).reading == "sure"
    assert read(f"*Day:* today\n*Mood:* good\n\n{TALK}*Day:* Tuesday\n*Mood:* bad\n\n{TALK}").reading == "sure"


@pytest.mark.parametrize("title", ["**Answer: Claude**\n\n", "**Amazon:** ", "**Rebuttal: Water**\n\n"])
def test_a_title_in_an_answer_is_no_voice(title: str) -> None:
    """Though a model or a stage of debates stands in it."""
    found = read(f"{TALK}{title}It is 7.\n\n{TALK}")
    assert found.reading == "sure" and len(found.turns) == 16


def test_a_label_in_code_is_told() -> None:
    """A fence that closes in the next turn hides its label: an answer's example does the same, so it stays text."""
    hidden = f"{TALK}**User:** like so?\n\n```\nseats: 40\n\n**Assistant:** Yes.\n\n```\nand no more.\n\n{TALK}"
    assert read(hidden).reading == "sure" and "1 line such as '**Assistant:** Yes.', labels but for" in told(hidden)


def test_a_programs_label_that_is_left_out_is_a_doubt() -> None:
    """Of the labels' own form: what stands above the chat is somebody's words, too."""
    assert read(TALK * 3).reading == "sure"
    assert read(f"**console:** forty seats\n\n{TALK * 3}").unsure


def test_a_voice_that_comes_back_and_would_be_left_out_is_offered() -> None:
    """Among plain labels of two others that have bold ones, too."""
    bold = "".join(f"**Me:** is it {n}?  \n**AI:** No, it is {n + 1}.  \n" for n in range(9))
    plain = "".join(f"Me: hello {n}\nAI: I hear you.\nMe: and {n}?\nMosada: I do not know.\n" for n in range(4))
    parsed = document.parse(f"{bold}\n# Another day\n\n{plain}".encode())
    assert transcript.read(parsed).unsure
    assert settling.offers(parsed)[0].voices == {"Me": 17, "AI": 13, "Mosada": 4}


def test_names_that_stand_in_another_form_as_well_are_unsure() -> None:
    """Without their colon, or above all of the turns that are read."""
    talk = "".join(f"USER:\n\nIs it {n}?\n\nGROK:\n\nIt is {n}.\n\n" for n in range(3))
    assert not read(talk).unsure
    assert read(f"{talk}USER:\n\nAnd now?\n\nGROK\n\nNow it is four.\n").unsure
    assert read(f"**User:**\nMay I?\n\n**Grok:**\nYou may.\n\n{talk}").unsure
    bold = talk.replace("USER:\n\n", "**User:** ").replace("GROK:\n\n", "**Grok:** ")
    assert read(f"User: May I?\n\nGrok: You may.\n\n{bold}").unsure
    # what was said before, told short, its lines wrapped
    short = "- **User:** wants to know\n  who may ask\n- **Grok:** says that\n  anybody may\n\n"
    assert read(f"# One chat\n\n{short}{talk}").unsure
    # the labels are in italics, and what is read is a scene in an answer
    scene = "User: Are you there?\n\nBot: I am.\n\nUser: Then begin.\n\nBot: With pleasure.\n\nUser: Now?\n\nBot: Yes."
    assert read(f"*user*\nA scene, please.\n\n*assistant*\n{scene}\n\n*user*\nMore?\n\n*assistant*\nNo.\n").unsure
    # the names of fields
    listed = "- user\n- assistant\n- user\n- assistant"
    assert not read(f"{talk}USER:\n\nWhich roles?\n\nGROK:\n\nThese:\n\n{listed}\n").unsure
    # fields of a head, and a signature
    assert not read(f"**User:** Jane Doe\n**Grok:** grok-4\n\n{talk}").unsure
    assert not read(f"{talk}USER:\n\nAnd now?\n\nGROK:\n\nNow it is four.\n\nGROK\n\nUSER:\n\nThanks.\n").unsure


@pytest.mark.parametrize(
    ("key", "heading", "is_told"),
    [("kind: debate", "## Round 2", True), ("ignore_sections: [Notes]", "## Notes", False)],
)
def test_undeclared_voices_below_the_last_declared_turn_are_told(key: str, heading: str, is_told: bool) -> None:
    """Their headings end the turns of the others, so their words are in none; what is left out is meant so."""
    head = f"---\n{key}\nagents: [Ana, Ben]\n---\n# Debate\n\n## Round 1\n\n"
    declared = "### Ana\n\nThe load doubles at noon.\n\n### Ben\n\nIt was forty percent in May, Ana.\n\n"
    others = "### Cleo\n\nThe log of May shows 12 seconds.\n\n### Dan\n\nThat is another month, Cleo.\n\n"
    text = f"{head}{declared}{heading}\n\n{others}{others}"
    assert len(read(text).turns) == 2
    assert ("called Cleo (2 labels), Dan (2 labels), so what stands there is in no turn" in told(text)) is is_told


def test_a_rare_name_that_only_follows_one_voice_is_a_doubt() -> None:
    """A bold field in answers is no third voice: it is text, and told, where a person and a machine take turns."""
    fields = "**Credits:** people who owe you.\n\n- Tobi: 3 euros\n\n"
    assert read(TALK).reading == "sure"
    page = f"{TALK}{fields}{TALK}{fields}{TALK}"
    assert {turn.speaker for turn in read(page).turns} == {turn.speaker for turn in read(TALK).turns}
    assert "2 lines such as '**Credits:** people who owe you.'" in told(page)
    # Not if they don't take turns, if the name comes as often, or is a voice's by its word.
    assert read(f"{page}**Assistant:** No.\n\n**Assistant:** It is not.\n\n").unsure
    often = "".join(f"**User:** is it {n}?\n\n**Claude:** It is.\n\n**Credits:** to {n}.\n\n" for n in range(4))
    assert read(often).unsure
    assert read(often.replace("**Credits:** to 1", "**Judge:** to 1").replace("**Credits", "- Credits")).unsure
    assert read(f"---\nkind: debate\n---\n\n{page}").unsure  # where a third voice is to be expected


def test_a_deeper_heading_with_a_voice_and_a_time_is_told() -> None:
    """It is text of the turn above, which stands below a heading of its own."""
    talk = "## Ana 10:02\n\nI would wait.\n\n## Bo 10:05\n\nI would not.\n\n"
    deeper = "### Bo 10:03\n\nWait for what?\n\n"
    assert not told(talk * 3)
    assert "1 line such as '### Bo 10:03'" in told(talk * 3 + talk.replace("## Bo", f"{deeper}## Bo"))


def test_what_is_told_of_a_chat_of_two_is_told_once() -> None:
    """A label that comes back and is likely a voice is among the lines that were taken as text."""
    calls = "## Function Call\n\nls\n\n"
    turns = [f"## User\n\nis it {n}?\n\n## Assistant\n\nNo.\n\n{calls if n in (1, 3) else ''}" for n in range(8)]
    assert read("".join(turns)).reading == "sure"
    assert told("".join(turns)).count("Function Call") == 1
    names = ("User", "Assistant", "User", "Assistant", "Boss")
    short = "".join(f"**{name}:** Words {n} of what is said there, and why.\n\n" for n, name in enumerate(names))
    assert read(short).reading == "sure"
    assert "1 line such as '**Boss:** Words 4" in told(short)


def test_names_alone_stand_right_below_words_where_others_of_their_kind_do() -> None:
    """The name of a model with its number, too; not where blank lines stand above the names."""
    asked = "User\nIs it a lease?\n{}Claude\nIt is, as of June.\n{}"
    third = asked.format("", "GPT-4o mini\nI see it otherwise.\n")
    assert {turn.speaker for turn in read(third * 2).turns} == {"User", "Claude", "GPT-4o mini"}
    spaced = asked.format("\n", "\n") * 3
    for above, word in (("Is it a lease?", "gemini"), ("It is, as of June.", "me")):
        found = read(spaced + asked.format("\n", "\n").replace(above, f"{above}\n{word}") + spaced)
        assert (found.reading, len(found.turns)) == ("sure", 14)


@pytest.mark.parametrize("word", ["Model", "Agent", "Judge"])
def test_a_name_once_behind_the_machine_is_a_doubt_in_a_chat(word: str) -> None:
    """It heads a field of the answer, though voices are called so, too."""
    talk = "**User:** is it so?\n\n**Claude:** I think it is.\n\n"
    assert read(talk * 4).reading == "sure"
    assert read(f"{talk * 3}**{word}:** gpt-4o, three cents a call\n\n{talk}").unsure


def test_a_programs_form_in_which_others_speak_is_not_that_programs() -> None:
    """It was pasted by one of two who take turns above it, or another machine speaks, too."""
    log = "---------- TextMessage (user) ----------\nLease?\n---------- TextMessage (Critic) ----------\nNo.\n"
    talk = "**Ana:** Did you lease it?\n\n**Bo:** I did, in June.\n\n"
    assert read(log).reading == "signature"
    assert {turn.speaker for turn in read(f"{talk * 3}**Ana:** See my log:\n\n{log}\n{talk * 2}").turns} == {
        "Ana",
        "Bo",
    }
    asked = "_Prompt_:\nLease?\n\n_Claude_:\nNo.\n\n"
    assert read(asked).reading == "signature"
    assert read(f"{asked}_Grok_:\nYes.\n\n").reading != "signature"
    assert read(asked.replace("_Prompt_", "_User_") + "_ChatGPT_:\nThe Prompt is short.\n").reading != "signature"


def test_a_form_that_stands_mostly_in_code_is_a_doubt() -> None:
    """A note that quotes terminals, and shows one answer outside."""
    code = "".join(f"```\n❯ what is {n}?\n\n⏺ It is {n}.\n\n❯ sure?\n\n⏺ Yes.\n```\n\n" for n in range(3))
    outside = "❯ what is it?\n\n⏺ It is a number.\n\n❯ sure?\n\n⏺ Yes, it is.\n"
    assert read(outside).reading == "signature"
    assert read(f"{code}{outside}").unsure


@pytest.mark.parametrize(
    ("line", "is_told"),
    [
        ("## Ana's strengths", True),
        ("Ana's reply (by mail):", True),
        ("## Round 2: Ana against Ben", False),
        ("- Ana's reply: none", False),
    ],
)
def test_what_begins_with_a_declared_name_and_opens_no_turn_is_told(line: str, is_told: bool) -> None:
    head = "---\nagents: [Ana, Ben]\n---\n"
    said = "**Ana:** I would wait for the fair.\n\n**Ben:** That ignores the cost.\n"
    text = f"{head}# The fair\n\n{said}\n{line}\n\nIt is so.\n"
    assert len(read(text).turns) == 2
    assert ("taken as text" in told(text)) is is_told


def test_a_list_of_who_takes_part_opens_no_turn() -> None:
    """Rows of a table with several cells behind each name, each name once."""
    head = "---\nagents: [Ana, Ben]\n---\n"
    table = "| Role | Model | Family |\n| --- | --- | --- |\n| Ana | opus | anthropic |\n| Ben | gpt | openai |\n"
    assert not read(f"{head}{table}").turns
    said = "**Ana:** I would wait.\n\n**Ben:** The cost.\n"
    assert [turn.speaker for turn in read(f"{head}{table}\n{said}").turns] == ["Ana", "Ben"]


def test_a_legend_of_the_voices_opens_no_turn() -> None:
    """The names alone, in a section below all turns, as a report prints them in their colours."""
    names = ("Moderator", "Ingrid Moen", "Tobias Falk")
    said = "".join(f"**{name}:** I think {word}.\n\n" for word in ("so", "not", "again") for name in names)
    legend = "".join(f'<span style="color: red"><strong>{name}</strong></span>\n\n' for name in names)
    page = f"# Jury report\n\n{said}## Colours\n\n{legend}"
    assert len(read(page).turns) == 9
    assert "taken as text: 3 lines" in told(page)


def test_two_colons_part_no_name() -> None:
    """A judge and a clerk of one court are two voices."""
    court = "### Court::Judge\n\nI wait.\n\n### Court::Clerk\n\nNo.\n\n"
    found = settling.like(document.parse((court * 3).encode()), [1, 5])
    assert isinstance(found, settling.Offer) and found.voices == {"Court::Judge": 3, "Court::Clerk": 3}


def test_a_label_of_two_lines_stands_beside_the_rest() -> None:
    """The second line of the label begins what its voice says; all below the next blank line is the other one's."""
    turn = '{Me: "New topic\\n{text}", AI: "{text}"}'
    head = f"---\ntranscript:\n  turn: {turn}\nparticipants: {{Me: human, AI: agent}}\n---\n"
    text = f"{head}New topic\nis it late?\n\nIt is.\n\nVery.\n\nNew topic\n\nand now?\n\nStill.\n"
    found = [(turn.speaker, turn.line, turn.text) for turn in read(text).turns]
    assert found == [
        ("Me", 6, "is it late?"),
        ("AI", 9, "It is.\n\nVery."),
        ("Me", 13, "and now?"),
        ("AI", 17, "Still."),
    ]


SCENE = "Guest: Good evening, I have a room here.\nClerk: Your name, please?\nGuest: Kowalska.\n\n"
SCRIPT = "".join(f"Me: another scene, please, the {n}th\n\nAI: Gladly, here it is:\n\n{SCENE}" for n in range(3, 6))


def test_figures_in_what_a_machine_writes_are_a_doubt() -> None:
    """The person is answered by the machine alone, each time."""
    assert read(SCRIPT).unsure
    assert read(SCRIPT.replace(SCENE, "")).reading == "sure"


def test_names_below_a_changelogs_title_are_a_doubt() -> None:
    """Names of models head what they made there."""
    text = "## 1.1\n\n### Claude\n\nDates were in UTC.\n\n### Gemini\n\nPrompts are kept.\n\n"
    assert read(f"# Two voices\n\n{text}{text}").reading == "sure"
    assert read(f"# Changelog\n\n{text}{text}").unsure


def test_a_person_whom_nobody_answers_is_a_doubt() -> None:
    """A list of what a program does has "User:" and "System:", and no agent."""
    assert read(
        "".join(f"**User:** wants page {n}.\n\n**System:** shows it within {n} s.\n\n" for n in range(4))
    ).unsure


def test_text_below_the_last_answers_end_is_told() -> None:
    """A heading such as "Summary" ends it where an answer stands above, and begins it right below a label."""
    talk = "".join(f"## User\n\nis it {n}?\n\n## Assistant\n\nNo, it is {n + 1}, you see.\n\n" for n in range(4))
    more = f"{talk}## Summary\n\n{'It was too much for me, and I said so in each of the answers. ' * 2}\n"
    assert not told(talk) and "nobody's: the text from here to line" in told(more)
    answer = f"{talk}## User\n\nand in all?\n\n## Assistant\n\n## Summary\n\nIt was too much.\n"
    assert read(answer).turns[-1].words == 5


def test_the_last_answer_keeps_its_sections() -> None:
    """A "Summary" among an answer's own sections is said; a section beside those that hold the talk is nobody's."""
    talk = "".join(f"**User:** is it {n}?\n\n**Claude:** No, it is {n + 1}, you see.\n\n" for n in range(4))
    own = f"{talk}### Why\n\nIt is cheap.\n\n### Summary\n\nKeep the queue.\n"
    assert read(own).turns[-1].text.endswith("Keep the queue.")
    assert read(f"# Log\n\n## Day 1\n\n{talk}## Day 2\n\n{talk}## How to go on\n\nRead it.\n").turns[-1].words == 6
    assert read(f"# Monday\n\n{talk}# Tuesday\n\nI slept badly.\n").turns[-1].words == 6
    assert read(f"# Seats\n\n{talk}# Why\n\nIt is cheap.\n").turns[-1].text.endswith("It is cheap.")


def test_a_section_below_a_rule_is_nobodys() -> None:
    """Where no other turn has a heading, or where it is one of those that hold the turns."""
    said = "".join(f"**{name}:** I think it is {n}, you see.\n\n" for n in range(3) for name in ("Ana", "Ben"))
    assert read(f"# Talk\n\n{said}---\n\n## Frågor\n\n- Who pays?\n").turns[-1].words == 7
    talk = "".join(f"---\n\n## Teil {part}\n\n{said}" for part in "ABC")
    turns = read(f"# Talk\n\n{talk}---\n\n## Tabelle\n\n- 40 rows\n\n---\n\n## Teil D\n\n{said}").turns
    assert len(turns) == 24 and {turn.words for turn in turns} == {7}


def test_a_heading_above_the_rounds_ends_a_debates_turn() -> None:
    """Below a rule, and higher than what holds the turns: "## Decisions" between "### Round 1" and "### Round 2"."""
    said = "".join(f"#### {name}\n\nI think it is {len(name)}, you see.\n\n" for name in ("Ana", "Ben"))
    parts = [
        f"### Round {n}\n\n{said}---\n\n## Tavola {n}\n\n- forty\n\n## Domande {n}\n\n- who?\n\n" for n in (1, 2, 3)
    ]
    assert {
        turn.words for turn in read(f"---\nagents: [Ana, Ben]\n---\n# Talk\n\n## Log\n\n{''.join(parts)}").turns
    } == {7}


def test_two_fields_on_a_line_are_no_turn() -> None:
    """A roster below the title: "**Agent:** Claude | **Human:** Ana"."""
    talk = "".join(f"**Human:** is it {n}?\n\n**Agent:** No, it is {n + 1}, you see.\n\n" for n in range(4))
    assert read(f"# Log\n\n**Agent:** Claude | **Human:** Ana\n\n## 1. Quays\n\n{talk}").turns[0].line == 7


def test_a_section_with_a_quotation_above_a_round_holds_no_label() -> None:
    """It is deeper than the round's heading, so that sections of its level are part of what is said."""
    own = "### 1. What\n\nA quay.\n\n### 2. Recommendation?\n\nBuild it.\n\n### Last words\n\n> Soon.\n\n"
    said = "**Ana:**\n\nI think it is two.\n\n**Ben:**\n\nI think you are wrong.\n\n"
    turns = read("# Debate\n\n" + "".join(f"## Round {n}\n\n{said}{own}" for n in (1, 2, 3))).turns
    assert len(turns) == 6 and turns[1].text.endswith("> Soon.") and turns[3].text.endswith("> Soon.")


def test_labels_below_a_fence_that_was_cut_off_are_a_doubt() -> None:
    """The next answer's fence closes it, and so code and text change places from there on."""
    talk = "".join(
        f"### Ana ###\nis it {n}, or do you think not?\n\n### Claude ###\nNo, it is {n + 1}, you see.\n\n"
        for n in range(4)
    )
    cut = f"{talk}### Ana ###\nshow me\n\n### Claude ###\n```\nls\n\n{talk}### Claude ###\n```\nls\n```\n\n{talk}"
    assert read(talk).reading == "sure" and read(cut).reading == "unsure"
    assert "close the fence above" in told(cut)


def test_a_heading_above_the_rounds_is_said_where_the_round_goes_on() -> None:
    """An answer may have a rule and higher headings: below them another voice of the same round speaks."""
    said = "#### Ana\n\nI think so, you see.\n\n### 1. Costs\n\nThey are low.\n\n---\n\n## The facts\n\nIt is late.\n\n"
    parts = [f"### Round {n}\n\n{said}## The plan\n\nIt is old.\n\n#### Ben\n\nI think not.\n\n" for n in (1, 2, 3)]
    turns = read(f"---\nagents: [Ana, Ben]\n---\n# Talk\n\n{''.join(parts)}").turns
    assert [turn.words for turn in turns] == [20, 3] * 3


def test_words_that_stand_in_the_labels_are_a_doubt() -> None:
    """A heading's words behind the name are no turn's, and nothing stands below."""
    text = "".join(f"### User: is it {n}?\n\n### Assistant: No, it is {n + 1}, you see.\n\n" for n in range(4))
    assert read(text).reading == "unsure"


@pytest.mark.parametrize("third", ["Design/Copy Lead", "Agent #3", "Quality Assurance and Test Automation Engineer"])
@pytest.mark.parametrize("mark", ["### {}", "**{}:**"])
def test_a_voice_whose_name_is_not_read_as_one_is_a_doubt(third: str, mark: str) -> None:
    """It speaks in each round, in the very form of the labels: its words are not those of the voice above."""
    said = {"Developer": "I would keep one form.", "Architect": "Two forms are safer.", third: "I agree with both."}
    voices = [
        "".join(f"{mark.format(who)}\n\n{text}\n\n" for who, text in list(said.items())[:size]) for size in (2, 3)
    ]
    two, three = ("".join(f"## Round {n}\n\n{each}" for n in (1, 2, 3)) for each in voices)
    assert read(f"# Panel debate\n\n{two}").reading == "sure"
    assert read(f"# Panel debate\n\n{three}").unsure


def test_a_question_that_comes_back_is_no_voice() -> None:
    """An answer's heading in the labels' form asks something each time; nobody is called that."""
    said = "### {}\n\nI think you are wrong.\n\n### What would change my mind?\n\nFigures.\n\n"
    text = "".join(f"## Round {n}\n\n{said.format('Ana')}{said.format('Ben')}" for n in (1, 2, 3))
    assert read(f"# Panel debate\n\n{text}").reading == "sure"


@pytest.mark.parametrize(
    "labels",
    [
        "### Prompt #{n}|### SoNia #{n}",
        "## PROMPT {n}|## RESPONSE {n}",
        "### Prompt [2026-01-30 09:3{n}:59]|### Answer",
    ],
)
def test_prompts_that_are_each_answered_may_be_a_chat(labels: str) -> None:
    """Which reading is right is not sure, but something is said; prompts without answers are a list of them."""
    asked, answer = labels.split("|")
    log = "\n\n".join(f"{asked}\n\nmake it {n}\n\n{answer}\n\nIt is {n} now.".replace("{n}", str(n)) for n in range(5))
    assert read(f"# AI log\n\n{log}\n").unsure
    assert read(re.sub(r"#+ (SoNia|Answer|RESPONSE).*", "### More on this", log)).reading == "none"


def test_numbers_of_messages_that_fall_back_are_no_rounds() -> None:
    """Each pair counts its own messages; numbers that only rise are rounds."""
    pairs = [("Ana", "Ben", n) for n in (1, 2, 3)] + [("Ana", "Cleo", 1), ("Ana", "Ben", 4), ("Ana", "Cleo", 2)]
    both = [(*pair, number) for one, other, number in pairs for pair in ((one, other), (other, one))]
    log = "".join(f"### [{who} → {whom}] Message {n}\n\nI would keep it at {n}.\n\n" for who, whom, n in both)
    assert {turn.round for turn in read(f"# Debate\n\n{log}").turns} == {None}
    assert [turn.round for turn in read(f"# Debate\n\n{log[: log.index('### [Ana → Cleo]')]}").turns] == [
        1,
        1,
        2,
        2,
        3,
        3,
    ]


@pytest.mark.parametrize("arrow", ["→", " → ", "->", " -> ", " --> ", "=>"])
@pytest.mark.parametrize("label", ["{}:", "**{}:**"])
def test_an_arrow_stands_before_whom_a_turn_is_for(arrow: str, label: str) -> None:
    """With white space around it or without."""
    both = [("Ana", "Ben"), ("Ben", "Ana")] * 3
    log = "".join(f"{label.format(who + arrow + whom)} I would keep it.\n\n" for who, whom in both)
    assert [(turn.speaker, turn.addressee) for turn in read(log).turns] == both


@pytest.mark.parametrize("title", ["مناظرة: هل ننتقل؟", "דיון על העבודה", "Dibattito", "Gesprächsprotokoll", "対談"])
def test_a_title_in_any_language_may_announce_a_conversation(title: str) -> None:
    """Three names nobody knows: the title alone says that they speak."""
    who = ("أحمد", "سارة", "ليلى")
    said = "".join(
        f"## {part}\n\n{''.join(f'**{one}:** تكلفة المكتب.{chr(10)}{chr(10)}' for one in who)}" for part in "أب"
    )
    assert read(f"# {title}\n\n{said}").unsure and read(f"# المكتب\n\n{said}").reading == "none"


@pytest.mark.parametrize("label", ["## User: ", "### 用户："])
def test_what_a_heading_says_behind_a_name_is_text_where_nothing_stands_below(label: str) -> None:
    """Else it is a title: "### Ana: accepted" above what she says."""
    asked = "".join(f"{label}is it {n}?\n\n@\n\n**Assistant:** No, it is {n + 1}, as I said.\n\n" for n in range(4))
    said = [turn.text for turn in read(f"# Chat\n\n{asked.replace('@', '')}").turns if turn.kind == "human"]
    titled = [turn.text for turn in read(f"# Chat\n\n{asked.replace('@', 'I would say so.')}").turns]
    assert said == [f"is it {n}?" for n in range(4)]
    assert not any("is it" in text for text in titled)


def test_a_fence_that_holds_labels_of_two_voices_is_a_doubt() -> None:
    """An answer was cut off in its code, so that the next fence that opens closes it: code and text change places."""
    cut = "**User:** show it\n\n**Assistant:** Here:\n\n```\nseats: 40\n\n"
    cut += "**User:** the rest?\n\n**Assistant:** More:\n\n```\nrows: 5\n```\n\n"
    assert read(f"{TALK}{cut}{TALK}").unsure
    found = read(f"{TALK}**Assistant:** It was:\n\n```\n**User:** hello\n**Assistant:** you\n```\n\n{TALK}")
    assert found.unsure
    assert any("labels but for the code around them" in problem.message for problem in found.problems)


def test_turns_below_a_fence_that_was_ended_are_read() -> None:
    """An answer with a fence inside of a fence leaves an odd one; the heading above it is the answer's, as all are."""
    odd = "## How it runs\n\n```markdown\n# Readme\n\n```bash\nmake\n```\n\nmore\n```\n\n"
    found = read(f"{TALK}{odd}{TALK}")
    assert [turn.speaker for turn in found.turns] == ["User", "Assistant"] * 8


def test_a_label_alone_and_the_same_with_text_are_a_doubt() -> None:
    chat = "".join(f"me says:\nis it {n}?\nAda says:\nNo, it is more than {n}, as I said.\n" for n in range(4))
    assert read(chat).reading == "sure"
    assert read(chat.replace("is it 2?\n", "is it 2?\nAda says:No.\nme says:but why\n")).reading == "unsure"


def test_a_name_that_only_follows_the_one_voice_that_answers_is_a_doubt() -> None:
    chat = "".join(
        f"### Pengguna:\nubah langkah {n}\n\n### Bima:\nSaya ubah langkah {n}.\n\n### Hasil:\nSemua lulus.\n\n"
        for n in range(4)
    )
    assert read(chat).reading == "unsure"


def test_a_closing_alone_opens_no_round() -> None:
    talk = "".join(f"## Part {n}\n\n**Ana:** I say {n} is few.\n\n**Ben:** I say {n} is many.\n\n" for n in range(4))
    found = read(f"---\nagents: [Ana, Ben]\n---\n{talk}## Closing thoughts\n\n**Ana:** I still say few.\n")
    assert {turn.round for turn in found.turns} == {None}


@pytest.mark.parametrize(
    "names",
    [("Max Weber", "Ben", "Max", "Ben"), ("Max Weber", "Eva Kern", "Max", "Eva", "Max Weber", "Eva Kern")],
    ids=["one person alone", "both names to the end"],
)
def test_a_name_and_a_whole_name_may_be_two_persons(names: tuple[str, ...]) -> None:
    """Unless several persons are introduced by their whole names and go on without them."""
    text = "".join(f"**{name}:** I do not think so, as you know.\n\n" for name in names * 2)
    assert {turn.speaker for turn in read(f"# Debate\n\n{text}").turns} in ({*names}, set())


def test_sections_that_an_answer_writes_are_its_own() -> None:
    """Also below a heading of their level above the first label."""
    parts = ("Introduction", "Method", "Results", "Discussion")
    said = "".join(
        f"**User:** Now write the {part}.\n\n**Assistant:** Here it is.\n\n## {part}\n\nIt took us two years.\n\n"
        for part in parts
    )
    turns = read(f"# A paper\n\n## Transcript\n\nUnedited.\n\n{said}").turns
    assert [turn.words for turn in turns if turn.speaker == "Assistant"] == [9] * len(parts)


def test_a_name_that_a_model_writes_itself_is_no_second_label() -> None:
    """Nor is a debate's head that says which model plays whom."""
    head = "Model A (Proponent): gemma3:12b\nModel B (Opponent): mistral-nemo:latest\nTopic: courses\n\n"
    said = "MODEL A:\nThey teach.\n\nMODEL B:\nModel B: They do not.\n\n"
    assert [turn.line for turn in read(head + said * 3).turns] == [5, 8, 11, 14, 17, 20]


def test_lines_of_a_programs_log_may_be_turns() -> None:
    """Times with milliseconds behind a comma stand before the name."""
    stamp = "2025-06-27 16:47:56,814 - "
    said = f"{stamp}Scientist: I would regulate it.\n{stamp}Philosopher: I would not.\n"
    assert {turn.speaker for turn in read(said * 3).turns} == {"Scientist", "Philosopher"}


def test_the_steps_of_a_diagram_in_an_answer_are_no_turns() -> None:
    """Though in a debate "Planner -> Critic:" is a label."""
    said = "Me: How?\n\nClaude: Like this:\n\nClient -> Server: GET\nServer -> Client: 200\n\nThat is all.\n\n"
    result = read(said * 3)
    assert (result.reading, [turn.speaker for turn in result.turns]) == ("sure", ["Me", "Claude"] * 3)
