"""A conversation as the text that a model sums up."""

from collections.abc import Iterator, Sequence

from wakeful.model.journal.message import (
    AssistantMessage,
    Message,
    SummaryMessage,
    SystemMessage,
    ToolMessage,
    UserMessage,
)

# The longest result of a tool and the longest arguments of a call that are shown whole, in characters: their middle
# hardly ever matters later.
_RESULT = 6_000
_ARGUMENTS = 2_000
# How much of each message stands for it where no model sums up.
_FIRST_WORDS = 200


def material_of(messages: Sequence[Message]) -> str:
    return "\n\n".join(line for message in messages for line in _lines_of(message))


def first_words_of(messages: Sequence[Message], limit: int) -> str:
    """Return the beginning of each message, `limit` characters at most. Of an older summary, all is kept that fits."""
    older = [message.words for message in messages if isinstance(message, SummaryMessage)]
    lines = [
        f"- {_shortened(line)}"
        for message in messages
        if not isinstance(message, SummaryMessage)
        for line in _lines_of(message)
    ]
    before = both_ends("\n\n".join(older), limit // 2)
    rest = both_ends("\n".join(lines), limit - len(before))
    return "\n\n".join(part for part in (before, rest) if part)


def both_ends(text: str, limit: int) -> str:
    """Return the text with its middle left out if it has more than `limit` characters."""
    if len(text) <= limit:
        return text
    part = max(limit // 2 - 20, 1)
    return f"{text[:part]}\n[… {len(text) - 2 * part:,} characters …]\n{text[-part:]}"


def _lines_of(message: Message) -> Iterator[str]:
    match message:
        case SummaryMessage():
            yield f"Summary of what came before:\n{message.words}"
        case SystemMessage():
            # It stays word for word.
            return
        case ToolMessage():
            yield f"Result: {both_ends(message.text, _RESULT)}"
        case AssistantMessage():
            if message.text:
                yield f"Agent: {message.text}"
            for call in message.calls:
                yield f"Agent calls {call.name}: {both_ends(call.arguments, _ARGUMENTS)}"
        case UserMessage():
            pictures = f" [with {len(message.images)} images]" if message.images else ""
            files = "".join(f" [with the file {file.name}, {file.id}]" for file in message.files)
            yield f"{'Notice' if message.is_notice else 'User'}: {message.text}{pictures}{files}"


def _shortened(line: str) -> str:
    words = " ".join(line.split())
    return words if len(words) <= _FIRST_WORDS else f"{words[:_FIRST_WORDS]} …"
