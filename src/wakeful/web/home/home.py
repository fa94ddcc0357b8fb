"""The home page in the form that clients get."""

from typing import Annotated, Literal, TypeAlias

from msgspec import Meta

from wakeful.web.feeds.news import ShownNews
from wakeful.web.feeds.rows import SessionRow
from wakeful.web.tasks.task import ShownTask
from wakeful.wire.declared import Outgoing, words

_Number: TypeAlias = Annotated[int, Meta(ge=1)]


class RunningCall(Outgoing):
    name: str
    arguments: str


class RunningTurn(Outgoing):
    turn_id: str
    number: _Number
    source: str
    step: Annotated[_Number, words("The step under way.")]
    call: Annotated[RunningCall | None, words("Null: the model is answering.")]


class Work(Outgoing):
    type: Literal["task", "turn"]
    session_id: str
    title: str
    started_at: str
    task: ShownTask | None
    turn: RunningTurn | None


class NewsReader(Outgoing):
    turn_id: str
    number: _Number
    delivered: Annotated[
        Literal["opened", "with_message", "joined"] | None,
        words(
            "Whether it opened that turn, came with a message or joined while the turn ran; null: a newer version "
            "of the message took it along."
        ),
    ]


class Report(ShownNews):
    last_event_id: Annotated[_Number, words("The newest event of its session; marks the whole session as seen.")]
    woke: Annotated[NewsReader | None, words("The turn that read it.")]
    answer: Annotated[str, words("The beginning of that turn's last answer.")]


class RecentSession(SessionRow):
    workspace: str
    answer: str


class Home(Outgoing):
    running: list[Work]
    reported: list[Report]
    recent: list[RecentSession]
