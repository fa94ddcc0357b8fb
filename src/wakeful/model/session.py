"""A session: one conversation, and the address where its answers go."""

from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum

import orjson

from wakeful.model.spend import Spend


@dataclass(frozen=True, slots=True)
class Sender:
    """The message on a platform that something goes back to, and the person who wrote it."""

    # The platform's id of the message: what is posted because of it replies to it.
    message_id: str = ""
    user_id: str = ""
    user_name: str = ""
    chat_name: str = ""
    # The key of the chat, see messaging/chat.py.
    chat_key: str = ""

    @property
    def packed(self) -> bytes:
        """As the stores keep it: nothing, where no platform is involved."""
        said = {name: value for name, value in asdict(self).items() if value}
        return orjson.dumps(said) if said else b""

    @classmethod
    def unpacked(cls, stored: bytes) -> "Sender":
        return cls(**orjson.loads(stored)) if stored else NO_SENDER


NO_SENDER = Sender()


@dataclass(frozen=True, slots=True)
class Address:
    """Where answers go. Notices that share an address are delivered together, whichever message they go back to."""

    platform: str
    chat_id: str = ""
    thread_id: str = ""
    sender: Sender = field(default=NO_SENDER, compare=False)

    def without_anchor(self) -> "Address":
        """Return the address for what replies to no message."""
        return replace(self, sender=replace(self.sender, message_id=""))


class TitleOrigin(StrEnum):
    """Who made a title. A title that the user has chosen is never replaced."""

    WORDS = "words"
    MODEL = "model"
    USER = "user"


class WakeReason(StrEnum):
    """What is used up, so that a session does not wake by itself."""

    # Its wake-ups of this hour.
    BUDGET = "budget"
    # What all sessions together may cost on one day.
    SPEND = "spend"


@dataclass(frozen=True, slots=True)
class Session:
    id: str
    owner: str
    address: Address
    model: str = ""
    # The folder that its tools work in, on whichever node its next turn runs.
    workspace: str = ""
    title: str = ""
    # The chat on a messaging platform that it belongs or belonged to; empty elsewhere.
    chat_key: str = ""
    chat_name: str = ""
    # One of Mode; empty: as the setting says. A sub-agent has that of the session at the top.
    mode: str = ""
    # The delegation that it works for; None for a session of a user.
    task_id: str | None = None
    # Whether lists show it; false when it was made for a single response.
    is_listed: bool = True
    # The last closed turn, whatever its status: the next turn grows from here.
    head: str | None = None
    # The latest turn that completed.
    checkpoint: str | None = None
    # The running turn, at most one.
    active: str | None = None
    # The number of the newest event; numbers are given out under the session's lock.
    last_seq: int = 0
    # A user has stopped a turn: notices wait for the next user message.
    is_held: bool = False
    # The last turn failed for lack of credit or credentials: notices wait until a turn succeeds.
    is_blocked: bool = False
    # When it may wake by itself again, and what it waits for; until then notices wait.
    wake_at: float | None = None
    wake_reason: WakeReason = WakeReason.BUDGET
    # How many journal entries its closed turns have.
    message_count: int = 0
    is_pinned: bool = False
    is_archived: bool = False
    # Deleted: hidden until this moment, then removed.
    purge_at: float | None = None
    # The number of the event that closed its last turn.
    closed_seq: int = 0
    title_origin: TitleOrigin = TitleOrigin.USER
    # How often a model was asked for a title.
    title_tries: int = 0
    # What its answers have cost, and how many tokens the last one had to read.
    input_tokens: int = 0
    output_tokens: int = 0
    context_tokens: int = 0
    # The cost of the answers with a known price, and the tokens of those without.
    cost_usd: float = 0.0
    unpriced_tokens: int = 0
    # The agent's list of what is to be done, see model/tools/todo.py.
    todo: bytes = b""
    created_at: float = 0.0
    updated_at: float = 0.0

    @property
    def spend(self) -> Spend:
        return Spend(self.input_tokens, self.output_tokens, self.cost_usd, self.unpriced_tokens)

    @property
    def is_shown(self) -> bool:
        """Whether a list can show it. A sub-agent's session is shown in the one that it works for."""
        return self.is_listed and self.task_id is None

    @property
    def is_deleted(self) -> bool:
        return self.purge_at is not None


@dataclass(frozen=True, slots=True)
class Marks:
    """What a list of sessions shows beside each session, for one reader."""

    running_tasks: int = 0
    # Questions that wait for an answer, in the session or in those of its sub-agents.
    open_approvals: int = 0
    # A turn has ended since the reader last looked.
    is_unread: bool = False
    # How its last closed turn ended, and whether notices alone had opened it.
    last_status: str | None = None
    is_woken: bool = False
