"""What the messaging doors need of a platform: send, edit, look up, and hand in what people write.

An adapter speaks one platform's protocol and decides nothing else. It never repeats a send by itself, and it confirms a
message to its platform only after `Ingress` has returned.
"""

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Protocol

from wakeful.errors import WakefulError
from wakeful.model.messaging.chat import ChatKind
from wakeful.model.messaging.post import Post
from wakeful.model.session import Address

_LONGEST_WAIT_SECONDS = 86_400.0


@dataclass(frozen=True, slots=True)
class Button:
    # What the person reads, and what comes back when they press it: at most 64 bytes.
    label: str
    value: str


@dataclass(frozen=True, slots=True)
class Message:
    """What a post is to show, written for its platform."""

    text: str
    # The text is no markup: the platform has refused it as such.
    is_plain: bool = False
    # The message that it replies to; empty: none.
    reply_to: str = ""
    buttons: Sequence[Button] = ()
    file: Path | None = None


class Cure(StrEnum):
    """What helps when a platform refuses a message for its form."""

    PLAIN = "plain"
    NO_ANCHOR = "no_anchor"
    SHORTER = "shorter"


class NotTaken(WakefulError):
    """The platform has surely not taken a message, and may take it later or in another form."""

    def __init__(self, message: str, *, seconds: float = 0.0, cure: Cure | None = None) -> None:
        """`seconds`: how long the platform asks us to wait; more than a day counts as a day."""
        super().__init__(message)
        self.seconds = min(max(0.0, seconds), _LONGEST_WAIT_SECONDS)
        self.cure = cure


class Unanswered(WakefulError):
    """It is not known whether the platform has taken a message."""


class Refused(WakefulError):
    """The platform will not take a message to this chat: the bot was kicked out, blocked or has no rights."""


class TokenRefused(WakefulError):
    """The platform does not know our token."""


class Whereabouts(StrEnum):
    """What looking for a post has found out."""

    FOUND = "found"
    ABSENT = "absent"
    UNKNOWABLE = "unknowable"


@dataclass(frozen=True, slots=True)
class LookedUp:
    whereabouts: Whereabouts
    message_id: str = ""


@dataclass(frozen=True, slots=True)
class OfferedFile:
    name: str
    # As the platform says; None where it does not.
    size: int | None
    # Reads the file from the platform, piece by piece. Raises Refused where the platform does not hand it out, NotTaken
    # and Unanswered where it cannot be had now.
    read: Callable[[], AsyncIterator[bytes]]


@dataclass(frozen=True, slots=True)
class IncomingMessage:
    """What a person has written, in words that are the same for all platforms."""

    kind: ChatKind
    # Where it was written; the sender of the address says by whom, and under which id.
    address: Address
    # Without the mention of the bot.
    text: str
    # In a group: the bot was mentioned, or answered, or the words are a command for it.
    is_for_bot: bool
    # The words of the message that it replies to.
    quoted: str = ""
    attachments: Sequence[OfferedFile] = ()


@dataclass(frozen=True, slots=True)
class Press:
    """A button that a person has pressed."""

    address: Address
    kind: ChatKind
    value: str
    # The message that has the button.
    message_id: str


@dataclass(frozen=True, slots=True)
class PressAnswer:
    # Shown to the presser alone.
    text: str


class Ingress(Protocol):
    """Takes in what an adapter receives. What it raises was not taken in: the adapter does not confirm it."""

    async def take(self, message: IncomingMessage) -> None:
        """Return when the message is committed, or known not to be for us."""
        ...

    async def press(self, press: Press) -> PressAnswer: ...

    async def move_chat(self, old_chat_id: str, new_chat_id: str) -> None:
        """A group has another id from now on."""
        ...


class Destination(Protocol):
    """Where posts go."""

    name: str

    async def send(self, post: Post, message: Message) -> str:
        """Return the platform's id of the new message. Raises NotTaken, Unanswered and Refused."""
        ...

    async def edit(self, post: Post, message: Message) -> None:
        """Bring the message of a post that was sent to this form. Raises as `send` does."""
        ...

    async def look_up(self, post: Post, message: Message) -> LookedUp:
        """Find out what became of the attempt of a post. Raises NotTaken and Unanswered when it cannot be asked now."""
        ...

    def lane(self, address: Address) -> str:
        """Return what posts have in common that go out one at a time: the chat and thread, or the whole chat where a
        lost post looks the same in each of its threads.
        """
        ...

    async def highest_id(self, address: Address) -> int:
        """Return what `look_up` has to know of the moment before an attempt; 0 where it needs nothing."""
        ...


class Platform(Destination, Protocol):
    """A destination where people write, too."""

    async def run(self, ingress: Ingress, connected: Callable[[str], None]) -> None:
        """Receive until cancelled; call `connected` with the bot's name whenever the line stands. Raises TokenRefused,
        and whatever breaks the line: then it is run again after a while.
        """
        ...

    async def show_typing(self, address: Address, *, is_over: bool = False) -> None:
        """Say that an answer is being written, for some seconds; or that it is over. Raises WakefulError."""
        ...

    @property
    def typing_seconds(self) -> float:
        """How often `show_typing` has to be repeated."""
        ...

    async def check(self) -> list[tuple[str, str, str]]:
        """For `wakeful doctor`: (name, ok|warn|fail, sentence) for each check."""
        ...

    async def close(self) -> None: ...
