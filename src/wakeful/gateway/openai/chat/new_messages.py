"""What is new in a chat that goes on in a session: the server knows what was said there before."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from wakeful.gateway.openai.chat.request import ChatRequest
from wakeful.gateway.openai.errors import invalid
from wakeful.gateway.openai.items.inputs import Input

_ABOVE = ("system", "developer")


@dataclass(frozen=True, slots=True)
class Known:
    """What the session has said before."""

    has_history: bool = False
    # Of its last turn, where that was stopped in the middle of an answer: what was said before, and what was cut off.
    # The client has seen it and takes it for an answer; the session does not.
    recorded: str = ""
    cut_off: str = ""
    # Whether that turn is part of the history, but for what was cut off.
    has_cut_turn: bool = False

    def is_cut(self, given: Input) -> bool:
        """Whether this is the answer that was cut off. The last of its words may not have reached the client."""
        text = given["text"]
        return len(text) > len(self.recorded) and (self.recorded + self.cut_off).startswith(text)


def in_session(asked: ChatRequest, known: Known) -> ChatRequest:
    """The same request with only what is new in it. Clients send the whole conversation each time: what comes after
    the assistant's last words is new, or all of it where the session has nothing yet. The words above the user's hold
    for this request, and are not said again and again. Raises ApiError.
    """
    above = [given["text"] for given in asked.inputs if given["role"] in _ABOVE]
    said = [given for given in asked.inputs if given["role"] not in _ABOVE]
    news = _after_last_answer(said, known) if known.has_history else said
    if not news:
        message = "messages must end with something that the assistant has not answered yet."
        raise invalid("messages", message, "nothing_new")
    return replace(asked, inputs=news, turn=replace(asked.turn, instructions="\n\n".join(above)))


def _after_last_answer(said: Sequence[Input], known: Known) -> list[Input]:
    answers = [place for place, given in enumerate(said) if given["role"] == "assistant"]
    if not answers:
        return list(said)
    last = answers[-1]
    if last + 1 == len(said) or not known.is_cut(said[last]):
        return list(said[last + 1 :])
    if known.has_cut_turn:
        return [{**said[last], "text": said[last]["text"][len(known.recorded) :]}, *said[last + 1 :]]
    return list(said[answers[-2] + 1 if len(answers) > 1 else 0 :])
