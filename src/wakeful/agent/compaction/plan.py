"""Plans a compaction: what stays word for word, how long its summary may be, and whether the context can fit at all."""

from collections.abc import Sequence
from dataclasses import dataclass

from wakeful.agent.compaction.estimate import CHARACTERS, context_tokens, tokens_of
from wakeful.agent.compaction.material import both_ends
from wakeful.agent.progress import Progress
from wakeful.model.journal.message import Message, SummaryMessage, SystemMessage, ToolMessage, UserMessage
from wakeful.model.journal.summary import CompactionReason

# Parts of the room for messages: what stays, the user's words, the summary. The rest is for going on.
_KEPT = 1 / 4
# What the user has just written stays even if it is longer than that, up to this part.
_UNREAD = 1 / 2
_SAID = 1 / 3
_WORDS = 1 / 4
# The most of the user's words that are repeated, and the longest summary, in characters.
_MOST_SAID = 8_000
_MOST_WORDS = 12_000
# With less left of it, no more of the user's words are repeated.
_LEAST_SAID = 200
# A room with fewer tokens is none; where the model's window is unknown, there is at least so much.
_LEAST_ROOM = 400
_FREE_ROOM = 10_000
# After an overflow the endpoint has counted more than the estimate: aim at this part of it.
_AFTER_OVERFLOW = 0.75
_MOST_IN_VAIN = 2

_OTHER_MODEL = "choose a model with a larger window, or start a new session"
_SHORTER = "shorten it, or put it into a file of the workspace and name the file"


@dataclass(frozen=True, slots=True)
class Plan:
    """Its numbers of tokens are estimates by characters, except for `tokens`."""

    messages: Sequence[Message]
    frame: int
    # The tokens of the whole context, as far as they are known.
    tokens: int
    # How many tokens the messages may take; what they and the frame take now.
    room: int
    estimate: int
    # The index of the first message that stays.
    keep: int

    @property
    def replaced(self) -> Sequence[Message]:
        return self.messages[: self.keep]

    @property
    def kept(self) -> Sequence[Message]:
        return self.messages[self.keep :]

    @property
    def instructions(self) -> tuple[str, ...]:
        return tuple(message.text for message in self.replaced if isinstance(message, SystemMessage))

    @property
    def characters(self) -> float:
        """How many characters a token has in this context."""
        return CHARACTERS * self.estimate / max(self.tokens, 1)

    @property
    def words_limit(self) -> int:
        """How many characters the summary may have."""
        return min(int(self.room * _WORDS) * CHARACTERS, _MOST_WORDS)

    def said(self) -> tuple[str, ...]:
        """Return the user's newest words among what is replaced, the oldest first."""
        left = min(int(self.room * _SAID) * CHARACTERS, _MOST_SAID)
        newest: list[str] = []
        for text in reversed([text for message in self.replaced for text in _said_in(message)]):
            if left < _LEAST_SAID and newest:
                break
            newest.append(both_ends(text, left))
            left -= len(newest[-1])
        return tuple(reversed(newest))

    def tokens_with(self, messages: Sequence[Message]) -> int:
        """Return the tokens of the context with these messages, on the scale of `tokens`."""
        return int((self.frame + tokens_of(messages)) * self.tokens / self.estimate)


def size_of(progress: Progress) -> int:
    """Return the tokens of the whole context. Some endpoints count wrongly, for example without what came from a cache:
    a count that is far from the estimate is not believed.
    """
    messages, frame = progress.messages, progress.frame
    estimate = max(frame + tokens_of(messages), 1)
    return min(max(context_tokens(messages, progress.measure, frame), estimate // 4), estimate * 4)


def plan_for(progress: Progress, reason: CompactionReason, *, window: int | None, compact_at: float) -> Plan:
    messages, frame = list(progress.messages), progress.frame
    spoken = tokens_of(messages)
    estimate = max(frame + spoken, 1)
    tokens = size_of(progress)
    if reason is CompactionReason.OVERFLOW:
        window = min(window or tokens, int(tokens * _AFTER_OVERFLOW))
    instructions = tokens_of(message for message in messages if isinstance(message, SystemMessage))
    # From tokens, as the endpoint counts them, to estimates by characters.
    scale = estimate / max(tokens, 1)
    limit = None if window is None else int(window * compact_at * scale)
    room = max(spoken, _FREE_ROOM) if limit is None else limit - frame - instructions
    most_kept = max(int(min(room, spoken) * _KEPT), _unread(messages, int(room * _UNREAD)))
    return Plan(messages, frame, tokens, room, estimate, _first_kept(messages, most_kept))


def problem_of(plan: Plan, progress: Progress, window: int | None) -> str:
    """Return why the context cannot be made to fit, as a sentence for the user; empty if it can."""
    reads = f"{progress.brief.turn.model} reads {window:,} tokens" if window else "the model refuses that many"
    newest = plan.messages[-1:]
    if window and plan.frame > window / 2 and plan.room < _LEAST_ROOM:
        what, advice = f"The instructions and tools alone have about {plan.frame:,} tokens", _OTHER_MODEL
    elif plan.room < _LEAST_ROOM or progress.vain_summaries >= _MOST_IN_VAIN:
        what, advice = f"The conversation cannot be made shorter than about {plan.tokens:,} tokens", _OTHER_MODEL
    elif all(map(_is_said, newest)) and (size := tokens_of(newest)) > plan.room:
        what, advice = f"The last message alone has about {size:,} tokens", _SHORTER
    else:
        return "" if plan.replaced else "There is nothing to sum up."
    return f"{what}, and {reads}: {advice}."


def _first_kept(messages: Sequence[Message], most: int) -> int:
    """Return the index of the first of the newest messages that have at most `most` tokens together; results stay with
    their calls.
    """
    first = len(messages)
    while first and (most := most - tokens_of([messages[first - 1]])) >= 0:
        first -= 1
    while first < len(messages) and isinstance(messages[first], ToolMessage):
        first += 1
    return first


def _unread(messages: Sequence[Message], most: int) -> int:
    """Return the tokens of what the user has just written, which no model has read yet; 0 if they are too many."""
    newest = messages[-1:]
    size = tokens_of(newest) if all(map(_is_said, newest)) else 0
    return size if size <= most else 0


def _said_in(message: Message) -> tuple[str, ...]:
    if isinstance(message, SummaryMessage):
        return message.said
    return (message.text,) if isinstance(message, UserMessage) and not message.is_notice else ()


def _is_said(message: Message) -> bool:
    return isinstance(message, UserMessage) and not isinstance(message, SummaryMessage) and not message.is_notice
