"""The interface of tools. A tool's failure is a value that the model reads, not an exception."""

from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import orjson

from wakeful.model.approvals.approval import Reason
from wakeful.model.files.attachment import Attachment
from wakeful.model.journal.change import Change
from wakeful.model.tools.failure import failure_text
from wakeful.model.turn import Turn

RESULT_LIMIT = 50_000


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool's description for the model; `parameters` is a JSON schema."""

    name: str
    description: str
    parameters: Mapping[str, Any]
    # Names that models know it by from elsewhere: a call with one of them is run, but they are not offered.
    other_names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TurnTools:
    """The names of the server's tools that a turn may call."""

    names: frozenset[str] = frozenset()
    # Whether others exist that it may not call.
    is_limited: bool = False


@dataclass(frozen=True, slots=True)
class ToolContext:
    """A call's turn, its key in the journal (step and index), and its id in the conversation."""

    turn: Turn
    step: int
    index: int
    call_id: str
    # The most characters of the result that the model should read.
    result_limit: int = RESULT_LIMIT
    tools: TurnTools = field(default_factory=TurnTools)
    # What is held from the moment that the call is judged until it has ended.
    held: AsyncExitStack = field(default_factory=AsyncExitStack, compare=False)

    @property
    def session_id(self) -> str:
        return self.turn.session_id

    @property
    def workspace(self) -> Path:
        """The folder that the call's paths are relative to."""
        return Path(self.turn.workspace)


@dataclass(frozen=True, slots=True)
class Intent:
    """What a call is about to do, as the gate has to know it."""

    # What a person is shown: the command, the text to type into a process, the path of a file.
    command: str = ""
    # All reasons to ask; none if the call only reads. Which of them count depends on the session's mode and grants.
    reasons: tuple[Reason, ...] = ()
    # Returns the diff that the call would make. It runs in a thread, and only if a person is asked.
    preview: Callable[[], str] | None = None
    # Further fields of the answer if the call is refused.
    fields: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ToolPicture:
    """A picture that the model sees with a result."""

    name: str
    type: str
    data: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class ToolResult:
    text: str
    # Tasks whose end this result shows: it consumes their notices.
    consumes: tuple[str, ...] = ()
    is_error: bool = False
    # The text is a JSON object, so it cannot be cut anywhere.
    is_object: bool = False
    # The files that the call has written.
    changes: tuple[Change, ...] = ()
    pictures: tuple[ToolPicture, ...] = ()
    # Files that the result shows to the user.
    shows: tuple[Attachment, ...] = ()

    @classmethod
    def of(
        cls, answer: Mapping[str, Any], consumes: tuple[str, ...] = (), shows: tuple[Attachment, ...] = ()
    ) -> "ToolResult":
        """Build a result that is a JSON object."""
        return cls(orjson.dumps(answer).decode(), consumes, is_object=True, shows=shows)

    @classmethod
    def failed(cls, code: str, sentence: str, **fields: Any) -> "ToolResult":
        """Build the result of a failed call. `fields` follow `error` and `code`."""
        return cls(failure_text(code, sentence, **fields), is_error=True, is_object=True)


class Unusable(Exception):
    """An argument that a tool cannot use. The tool catches it and answers with its code, text and further fields."""

    def __init__(self, sentence: str, code: str = "invalid_arguments", **fields: Any) -> None:
        super().__init__(sentence)
        self.code = code
        self.fields = fields


def as_sentence(reason: str) -> str:
    return f"{reason[:1].upper()}{reason[1:]}{'' if reason.endswith('.') else '.'}"


class Tool(Protocol):
    @property
    def spec(self) -> ToolSpec: ...

    async def intent(self, arguments: Mapping[str, Any], context: ToolContext) -> Intent | ToolResult:
        """Return what the call is about to do, before it does anything, or the failure of a call that cannot run. The
        gate asks about it: a tool never asks by itself.
        """
        ...

    async def may_rerun(self, arguments: Mapping[str, Any], context: ToolContext) -> bool:
        """Return whether a call that a crash cut off can simply run again, because that does no harm or because the
        tool finds what the first run has begun.
        """
        ...

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult: ...


class OnlyReads:
    """The part of a tool that changes nothing: no mode and no person has to allow its calls, and they may be repeated.
    A tool that also changes something must not inherit from this.
    """

    async def intent(self, arguments: Mapping[str, Any], context: ToolContext) -> Intent | ToolResult:
        return Intent()

    async def may_rerun(self, arguments: Mapping[str, Any], context: ToolContext) -> bool:
        return True


@dataclass(frozen=True, slots=True)
class Toolset:
    """Tools of a single turn, and a line about them for the instructions."""

    tools: tuple[Tool, ...] = ()
    note: str = ""
