"""The queries and headers of stream requests."""

from typing import Annotated, Literal, TypeAlias

from starlette.requests import Request

from wakeful.web.fields import Id, OfSession, read_headers
from wakeful.wire.declared import Incoming, Switch, says, words
from wakeful.wire.errors import InvalidRequest
from wakeful.wire.reading import read

# Per connection: every frame repeats the cursors of all its sessions.
_MOST_SESSIONS = 100

_Cursor: TypeAlias = Annotated[
    str,
    words(
        "Start after the frame with this `id`, or after this `cursor` of a session, given verbatim; a malformed one "
        "means the start."
    ),
]
_Turns: TypeAlias = Annotated[
    Literal["", "inline"],
    words("`inline`: with the events of the turns."),
    says("{} must be inline, or left out."),
]
_Html: TypeAlias = Annotated[
    Switch, words("With `turns=inline`: also `answer_html`, the answers as HTML while they are written.")
]


class TurnStreamQuery(Incoming):
    stream_id: Annotated[Id, words("As `chat/start` returned it.")]
    after: _Cursor = ""


class SessionStreamQuery(OfSession):
    turns: _Turns = ""
    html: _Html = False
    after: _Cursor = ""


class SeveralStreamsQuery(Incoming):
    sessions: Annotated[str, words("1 to 100 ids, separated by commas; with `rows` or `news` there may be none.")] = ""
    turns: _Turns = ""
    html: _Html = False
    rows: Annotated[
        Switch, words("Also `session_row` and `session_gone`, for all sessions that the caller may see.")
    ] = False
    news: Annotated[
        Switch,
        words(
            "Also `news`: what ended, matched, asks or failed in any session of the caller. It begins with "
            "`news_initial` {last_news_id}; the position is part of the `id`, as in `news:57`."
        ),
    ] = False
    work: Annotated[
        Switch,
        words(
            "Also `work` {session_id, works}: what each running sub-agent of these sessions does, and what it and its "
            "own sub-agents have used so far, by the id of its task."
        ),
    ] = False
    after: _Cursor = ""

    def session_ids(self) -> list[str]:
        """Raises InvalidRequest."""
        named = dict.fromkeys(name.strip() for name in self.sessions.split(","))
        ids = read(_Sessions, {"sessions": [name for name in named if name]}).sessions
        fewest = 0 if self.rows or self.news else 1
        if not fewest <= len(ids) <= _MOST_SESSIONS:
            message = f"sessions must be {fewest} to {_MOST_SESSIONS} ids, separated by commas."
            raise InvalidRequest(message, param="sessions")
        return ids


class StreamHeaders(Incoming, rename={"last_event_id": "Last-Event-ID"}):
    last_event_id: Annotated[str, words("The same as `after`, and preferred to it.")] = ""


class _Sessions(Incoming):
    sessions: Annotated[list[Id], says("{} must be texts of 1 to 200 characters.", covers_inside=True)]


def require_turns(asked: SessionStreamQuery | SeveralStreamsQuery) -> None:
    if asked.html and not asked.turns:
        raise InvalidRequest("html needs turns=inline.", param="html")


def cursor_of(request: Request, after: str) -> str:
    """Return the reader's cursor, or an empty text. The header wins: an EventSource reconnects to its first URL."""
    return read_headers(request, StreamHeaders).last_event_id or after
