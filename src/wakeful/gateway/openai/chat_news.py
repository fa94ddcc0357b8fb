"""What is new in a chat that goes on in a session: the server knows what was said there before."""

from collections.abc import Sequence
from dataclasses import replace

from wakeful.gateway.openai.chat_request import ChatRequest
from wakeful.gateway.openai.errors import invalid
from wakeful.gateway.openai.response_inputs import Input

_ABOVE = ("system", "developer")


def in_session(asked: ChatRequest, *, has_history: bool) -> ChatRequest:
    """The same request with only what is new in it. Clients send the whole conversation each time: what comes after
    the assistant's last words is new, or all of it where the session has nothing yet. The words above the user's hold
    for this request, and are not said again and again. Raises ApiError.
    """
    above = [given["text"] for given in asked.inputs if given["role"] in _ABOVE]
    said = [given for given in asked.inputs if given["role"] not in _ABOVE]
    news = _after_last_answer(said) if has_history else said
    if not news:
        message = "messages must end with something that the assistant has not answered yet."
        raise invalid("messages", message, "nothing_new")
    return replace(asked, inputs=news, turn=replace(asked.turn, instructions="\n\n".join(above)))


def _after_last_answer(said: Sequence[Input]) -> list[Input]:
    answers = [place for place, given in enumerate(said) if given["role"] == "assistant"]
    return list(said[answers[-1] + 1 :]) if answers else list(said)
