"""Finds the new messages of a chat that continues in a session, whose history the server has."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from wakeful.gateway.openai.chat.request import ChatRequest
from wakeful.gateway.openai.errors import invalid
from wakeful.gateway.openai.items.inputs import Input

_INSTRUCTING = ("system", "developer")


@dataclass(frozen=True, slots=True)
class KnownChat:
    """What the server has of the chat."""

    has_history: bool = False
    # The text of the last turn before the answer that was cut off, and the text of that answer, if the turn was stopped
    # in the middle of one. The client takes both for one answer; in the session what was cut off does not count.
    recorded: str = ""
    cut_off: str = ""
    # Whether that turn is part of the history, without the text that was cut off.
    has_cut_turn: bool = False

    def is_cut(self, given: Input) -> bool:
        """Return whether this is the answer that was cut off. Its end may not have reached the client."""
        text = given["text"]
        return len(text) > len(self.recorded) and (self.recorded + self.cut_off).startswith(text)


def without_known_messages(asked: ChatRequest, known: KnownChat) -> ChatRequest:
    """Return the request with only its new messages. Clients send the whole conversation each time: the messages after
    the assistant's last one are new, or all of them if the session has no history. System and developer messages become
    the instructions of this one turn, or they would pile up in the session. Raises ApiError.
    """
    instructions = [given["text"] for given in asked.inputs if given["role"] in _INSTRUCTING]
    said = [given for given in asked.inputs if given["role"] not in _INSTRUCTING]
    new = _after_last_answer(said, known) if known.has_history else said
    if not new:
        message = "messages must end with one that the assistant has not answered yet."
        raise invalid("messages", message, "nothing_new")
    return replace(asked, inputs=new, turn=replace(asked.turn, instructions="\n\n".join(instructions)))


def _after_last_answer(said: Sequence[Input], known: KnownChat) -> list[Input]:
    answers = [index for index, given in enumerate(said) if given["role"] == "assistant"]
    if not answers:
        return list(said)
    last = answers[-1]
    if last + 1 == len(said) or not known.is_cut(said[last]):
        return list(said[last + 1 :])
    if known.has_cut_turn:
        return [{**said[last], "text": said[last]["text"][len(known.recorded) :]}, *said[last + 1 :]]
    return list(said[answers[-2] + 1 if len(answers) > 1 else 0 :])
