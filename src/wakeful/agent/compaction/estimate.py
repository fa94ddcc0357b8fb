"""Estimates how many tokens a context takes, where no endpoint has counted them."""

from collections.abc import Iterable, Sequence

import orjson

from wakeful.model.files.attachment import Attachment
from wakeful.model.journal.fact import Measure
from wakeful.model.journal.message import AssistantMessage, Message, ToolMessage, UserMessage
from wakeful.tools.base import ToolSpec

# Rather too few: most languages have more characters a token.
CHARACTERS = 3
# What endpoints add to each message, and what they make of a picture, roughly.
_MESSAGE = 4
_IMAGE = 1_500
# How much of an attached text a model reads, in characters.
_MOST_TEXT = 100_000


def tokens_in(text: str) -> int:
    return -(-len(text) // CHARACTERS)


def tokens_of(messages: Iterable[Message]) -> int:
    return sum(_tokens_of(message) for message in messages)


def frame_tokens(instructions: str, tools: Sequence[ToolSpec]) -> int:
    """Return the tokens of what every request has besides its messages."""
    specs = [(spec.name, spec.description, spec.parameters) for spec in tools]
    return tokens_in(instructions) + tokens_in(orjson.dumps(specs, default=dict).decode())


def context_tokens(messages: Sequence[Message], measure: Measure, frame: int) -> int:
    """Return the tokens of the whole context: those that were measured, and an estimate of what came since."""
    return (measure.tokens if measure.count else frame) + tokens_of(messages[measure.count :])


def _tokens_of(message: Message) -> int:
    texts = [message.text]
    if isinstance(message, AssistantMessage):
        texts += [part for call in message.calls for part in (call.name, call.arguments)]
    images = len(message.images) if isinstance(message, UserMessage | ToolMessage) else 0
    files = message.files if isinstance(message, UserMessage) else ()
    return _MESSAGE + tokens_in("".join(texts)) + images * _IMAGE + sum(map(_tokens_of_file, files))


def _tokens_of_file(file: Attachment) -> int:
    if file.is_text:
        return min(file.size, _MOST_TEXT) // CHARACTERS
    return _IMAGE if file.is_picture else _MESSAGE
