"""A person's own command that reads a prompt and proposes: the prompts, the asking, and the answers that are kept."""

from mdtally.ask.model.asking import Model, label_of
from mdtally.ask.model.kept import KeptAnswers
from mdtally.ask.model.prompts import Prompt, again_prompt, read_word, reading_prompt, reply_prompt, turn_prompt
from mdtally.ask.model.proposed import offer_proposed
from mdtally.ask.model.second_look import second_look
