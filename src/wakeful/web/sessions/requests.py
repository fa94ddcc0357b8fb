"""What clients send to the routes of sessions, and what they get."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

from msgspec import Meta

from wakeful.web.feeds.rows import FoundRow
from wakeful.web.fields import Folder, Id, ModelId, ModeName, OfSession, SearchWords, Title, clamped
from wakeful.web.sessions.session import ShownChange
from wakeful.wire.declared import Incoming, Outgoing, Switch, says, words


class NewSession(Incoming):
    title: Title = ""
    model: Annotated[ModelId | None, words("`provider:model`.")] = None
    workspace: Folder | None = None
    mode: Annotated[ModeName | None, words("How much its agent may do without asking.")] = None


class MadeSession(Outgoing):
    session_id: str


class SessionsQuery(Incoming):
    q: Annotated[
        SearchWords,
        words(
            "Words that must all occur in one message or in the title; case and accents do not matter, and the last "
            "one may be the beginning of a word. At most 100 sessions are found: those with the newest matches."
        ),
    ] = ""
    limit: Annotated[
        int, clamped(1, 200), words("1 to 200; 50 by default. A number out of range is moved into it.")
    ] = 50
    cursor: Annotated[str, words("The `next_cursor` of the previous page.")] = ""
    archived: Annotated[Switch, words("Only archived sessions; otherwise only sessions that are not.")] = False
    key: Annotated[
        SearchWords,
        words("Only sessions of the chat or hook with this key, its current one first; `q` does not count then."),
    ] = ""


class SessionPage(Outgoing):
    sessions: list[FoundRow]
    next_cursor: str | None


class SessionQuery(OfSession):
    limit: Annotated[int, clamped(1, 1000), words("1 to 1000 messages; 100 by default.")] = 100
    before: Annotated[str, words("Only messages before the one with this id.")] = ""
    short: Annotated[Switch, words("Of long tool results only both ends, and none of them in `content`.")] = False


class ResultQuery(OfSession):
    message_id: Annotated[Id, words("The id of the tool's message.")]


class WholeResult(Outgoing):
    result: str
    full_size: Annotated[int, Meta(ge=0)]
    changes: list[ShownChange]


class SeenSession(Incoming):
    session_id: Id
    event_id: Annotated[int, Meta(ge=0, le=2**53 - 1), says("{} must be a whole number, 0 or more.")]


class ChangedSession(Incoming):
    session_id: Id
    title: Title | None = None
    model: ModelId | None = None
    mode: Annotated[ModeName | None, words("Holds from the next call on, also of a running turn.")] = None
    pinned: bool | None = None
    archived: bool | None = None

    no_others: ClassVar[str] = "{} cannot be changed: title, model, mode, pinned and archived can."
    more_schema: ClassVar[Mapping[str, Any]] = {
        "anyOf": [
            {"required": [name], "properties": {name: {"type": kind}}}
            for name, kind in (
                ("title", "string"),
                ("model", "string"),
                ("mode", "string"),
                ("pinned", "boolean"),
                ("archived", "boolean"),
            )
        ]
    }


class Branch(Incoming):
    session_id: Id
    turn_id: Annotated[Id | None, words("A turn that has ended.")] = None
