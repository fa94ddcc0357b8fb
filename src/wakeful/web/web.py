"""The dependencies of the web routes, and the rules for who may see what."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from starlette.requests import Request

from wakeful.engine.attachments.desk import AttachmentDesk
from wakeful.engine.engine import Engine
from wakeful.engine.tasks.family import sessions_above
from wakeful.errors import ConfigError, NotAllowed, SessionNotFound, TaskNotFound
from wakeful.model.approvals.mode import Mode, mode_of
from wakeful.model.session import Session
from wakeful.model.tasks.task import Task
from wakeful.model.turn import Door
from wakeful.store.base import Store, Transaction
from wakeful.web.feeds.news_feed import NewsFeed
from wakeful.web.feeds.row_feed import RowFeed
from wakeful.web.feeds.work_feed import WorkFeed
from wakeful.web.fields import DoorHeader, read_headers
from wakeful.web.messages.answers import Answers
from wakeful.web.ports import TaskAccess
from wakeful.wire.errors import InvalidRequest
from wakeful.wire.sse import StreamSettings


@dataclass(frozen=True, slots=True)
class Web:
    engine: Engine
    store: Store
    tasks: TaskAccess
    attachments: AttachmentDesk
    # By the names that DoorHeader allows.
    doors: Mapping[str, Door]
    # Raises ConfigError if no provider serves the model.
    check_model: Callable[[str], object]
    # The principal who sees everything; others see what they own.
    operator: str
    # For sessions that name no model.
    model: str
    workspace: str
    # Returns how many tokens a model can read, None if that is unknown, and the part of them above which a conversation
    # is summed up.
    window_of: Callable[[str], int | None] = lambda model: None
    compact_at: float = 1.0
    # For sessions that have none of their own.
    mode: Mode = Mode.ACCEPT_EDITS
    streams: StreamSettings = field(default_factory=StreamSettings)
    answers: Answers = field(default_factory=Answers)
    rows: RowFeed = field(init=False)
    news: NewsFeed = field(init=False)
    works: WorkFeed = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "rows", RowFeed(self.store, self.mode))
        object.__setattr__(self, "news", NewsFeed(self.store))
        object.__setattr__(self, "works", WorkFeed(self.store))

    def door(self, request: Request) -> Door:
        """Raises InvalidRequest."""
        return self.doors[read_headers(request, DoorHeader).door]

    def checked_model(self, name: str) -> str:
        try:
            self.check_model(name)
        except ConfigError as error:
            raise InvalidRequest(str(error)) from error
        return name

    def owner_seen_by(self, request: Request) -> str | None:
        """Return the owner whose sessions and tasks this client may see; None for all owners."""
        principal: str = request.state.principal
        return None if principal == self.operator else principal

    def may_see(self, request: Request, owner: str) -> bool:
        return self.owner_seen_by(request) in (None, owner)

    def require_operator(self, request: Request) -> None:
        """Raises NotAllowed."""
        if self.owner_seen_by(request) is not None:
            raise NotAllowed

    async def require_session(self, tx: Transaction, request: Request, session_id: str) -> Session:
        """Raises SessionNotFound, also for another owner's session: clients cannot learn that it exists."""
        session = await tx.sessions.get(session_id)
        if session is None or session.is_deleted or not self.may_see(request, session.owner):
            raise SessionNotFound(f"There is no session {session_id}.")
        return session

    async def require_task(self, tx: Transaction, request: Request, task_id: str) -> Task:
        """Raises TaskNotFound, also for another owner's task."""
        task = await tx.tasks.get(task_id)
        session = None if task is None else await tx.sessions.get(task.session_id)
        if task is None or session is None or session.is_deleted or not self.may_see(request, task.owner):
            raise TaskNotFound(f"There is no task {task_id}.")
        return task

    async def mode_in(self, tx: Transaction, session: Session) -> Mode:
        """Return the mode that holds in a session: a sub-agent has that of the session at the top."""
        *_, top = await sessions_above(tx, session.id)
        return mode_of(top, self.mode)

    async def find_session(self, request: Request, session_id: str) -> Session:
        """Raises SessionNotFound."""

        async def body(tx: Transaction) -> Session:
            return await self.require_session(tx, request, session_id)

        return await self.store.read(body)
