"""How the session stands at this moment: what the status line shows, and what a typed line depends on."""

from collections.abc import Collection
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

from wakeful.cli.chat.known_turns import KnownTurns


@dataclass(slots=True)
class Standing:
    # Empty before the first message: a session is made when there is something to say.
    session_id: str = ""
    model: str = ""
    title: str = ""
    active_turn: str | None = None
    active_since: float = 0.0
    turns: KnownTurns = field(default_factory=KnownTurns)
    tasks: list[dict[str, Any]] = field(default_factory=list)
    # Tasks whose end the agent was promised to be told of, whatever became of that.
    promised: set[str] = field(default_factory=set)
    queued: list[dict[str, Any]] = field(default_factory=list)
    # Notices that wait, and for what: each says why.
    waiting_notices: list[dict[str, Any]] = field(default_factory=list)
    # Questions that wait for an answer, by call, the oldest first.
    approvals: dict[str, dict[str, Any]] = field(default_factory=dict)
    # When the oldest of them was shown.
    asked_at: float = 0.0
    # Typed, and not yet accepted by the server.
    unsent: list[str] = field(default_factory=list)
    is_live: bool = True
    # A screen that only watches offers no answers.
    may_answer: bool = True

    @property
    def is_busy(self) -> bool:
        return self.active_turn is not None

    @property
    def question(self) -> dict[str, Any] | None:
        """The one that is shown, and that an answer is for."""
        return next(iter(self.approvals.values()), None)

    @property
    def running_tasks(self) -> list[dict[str, Any]]:
        return [task for task in self.tasks if task["status"] == "running"]

    @property
    def has_promises(self) -> bool:
        """Whether the agent will still be told of something by itself."""
        held = any(notice["why"] in ("held", "blocked", "budget") for notice in self.waiting_notices)
        return any(task["will_notify"] for task in self.running_tasks) or (bool(self.waiting_notices) and not held)

    def task(self, task_id: str) -> dict[str, Any] | None:
        return next((task for task in self.tasks if task["id"] == task_id), None)

    def begin(self, session_id: str, model: str) -> None:
        """Another session takes the place of the one before."""
        self.session_id, self.model, self.title = session_id, model, ""
        self.active_turn, self.turns = None, KnownTurns()
        self.tasks, self.queued, self.waiting_notices = [], [], []
        self.approvals, self.promised = {}, set()

    def learn(self, snapshot: dict[str, Any], asked: Collection[str] = ()) -> None:
        """Take over what GET /api/session has told. Turns and questions are known from the stream, which is quicker.
        It does not tell of a sub-agent's question that ran out, or whose sub-agent was stopped. `asked`: the questions
        that were known when the snapshot was asked for.
        """
        still_open = {question["call_id"] for question in snapshot["approvals"]}
        for call_id in set(asked) - still_open:
            self.approvals.pop(call_id, None)
        session = snapshot["session"]
        self.turns.learn(snapshot["turns"])
        self.title = session["title"] or ""
        self.model = session["model"] or self.model
        self._know_tasks(snapshot["tasks"])
        self.queued = [row for row in snapshot["queued"] if row["turn_id"] != self.active_turn]
        self.waiting_notices = snapshot["pending_notices"]

    def hear(self, name: str, data: dict[str, Any]) -> None:
        """Take over what a frame of the session's stream tells."""
        if name == "initial":
            self._turn_begins(data["active"]["turn_id"] if data["active"] else None)
        elif name == "server_turn_started":
            self._turn_begins(data["turn_id"])
        elif name == "turn_completed" and data["turn_id"] == self.active_turn:
            self._turn_begins(None)
            self.turns.hear_end(data["turn_id"])
            # The calls that asked have ended with their turn; those of a sub-agent have not.
            self.approvals = {key: asked for key, asked in self.approvals.items() if asked.get("task_id")}
        elif name == "approval_required":
            self.approvals[data["call_id"]] = data
        elif name in ("approval_answered", "tool_complete"):
            # A call that waited too long has a result without an answer.
            self.approvals.pop(data["call_id"], None)
        elif name == "task_started" and self.task(data["task"]["id"]) is None:
            self._know_tasks([data["task"], *self.tasks])

    def _know_tasks(self, tasks: list[dict[str, Any]]) -> None:
        self.tasks = tasks
        self.promised |= {task["id"] for task in tasks if task["will_notify"]}

    def _turn_begins(self, turn_id: str | None) -> None:
        if turn_id != self.active_turn:
            self.active_turn, self.active_since = turn_id, monotonic()
            self.queued = [row for row in self.queued if row["turn_id"] != turn_id]
