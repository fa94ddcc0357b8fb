"""The current state of the session: what the status line shows, and what a typed line depends on."""

from collections.abc import Collection
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

from wakeful.cli.chat.known_turns import KnownTurns


@dataclass(slots=True)
class Standing:
    # Empty before the first message, which creates the session.
    session_id: str = ""
    model: str = ""
    title: str = ""
    active_turn: str | None = None
    active_since: float = 0.0
    turns: KnownTurns = field(default_factory=KnownTurns)
    tasks: list[dict[str, Any]] = field(default_factory=list)
    # What running sub-agents do and have used, by the ids of their tasks.
    works: dict[str, dict[str, Any]] = field(default_factory=dict)
    # Tasks whose end the agent was promised to be notified of, whether or not that promise still holds.
    promised: set[str] = field(default_factory=set)
    queued: list[dict[str, Any]] = field(default_factory=list)
    # Notices that wait; the field `why` of each says for what.
    waiting_notices: list[dict[str, Any]] = field(default_factory=list)
    # Open questions by call id, oldest first.
    approvals: dict[str, dict[str, Any]] = field(default_factory=dict)
    # When the oldest of them was shown, in monotonic seconds.
    asked_at: float = 0.0
    # Lines typed but not yet accepted by the server.
    unsent: list[str] = field(default_factory=list)
    is_live: bool = True
    # False for `wakeful attach`, which only watches.
    may_answer: bool = True
    # How much the agent may do without asking; empty: not known yet.
    mode: str = ""

    @property
    def is_busy(self) -> bool:
        return self.active_turn is not None

    @property
    def question(self) -> dict[str, Any] | None:
        """The question that is shown, and that an answer is for."""
        return next(iter(self.approvals.values()), None)

    @property
    def running_tasks(self) -> list[dict[str, Any]]:
        return [task for task in self.tasks if task["status"] == "running"]

    @property
    def has_promises(self) -> bool:
        """Whether the agent is still going to be woken without the user."""
        held = any(notice["why"] in ("held", "blocked", "budget", "spend") for notice in self.waiting_notices)
        return any(task["will_notify"] for task in self.running_tasks) or (bool(self.waiting_notices) and not held)

    def task(self, task_id: str) -> dict[str, Any] | None:
        return next((task for task in self.tasks if task["id"] == task_id), None)

    def begin(self, session_id: str, model: str) -> None:
        """Replace the session by another."""
        self.session_id, self.model, self.mode, self.title = session_id, model, "", ""
        self.active_turn, self.turns = None, KnownTurns()
        self.tasks, self.queued, self.waiting_notices = [], [], []
        self.approvals, self.promised, self.works = {}, set(), {}

    def learn(self, snapshot: dict[str, Any], asked: Collection[str] = ()) -> None:
        """Update from GET /api/session. Active turns and new questions come from the stream, which is quicker, but it
        does not report a sub-agent's question that expired or whose sub-agent was stopped. `asked` are the questions
        that were open when the snapshot was requested.
        """
        still_open = {question["call_id"] for question in snapshot["approvals"]}
        for call_id in set(asked) - still_open:
            self.approvals.pop(call_id, None)
        session = snapshot["session"]
        self.turns.learn(snapshot["turns"])
        self.title = session["title"] or ""
        self.model = session["model"] or self.model
        # A server of before an upgrade may know no modes.
        self.mode = session.get("mode", "")
        self._know_tasks(snapshot["tasks"])
        self.queued = [row for row in snapshot["queued"] if row["turn_id"] != self.active_turn]
        self.waiting_notices = snapshot["pending_notices"]

    def hear(self, name: str, data: dict[str, Any]) -> None:
        """Update from a frame of the session's stream."""
        if name == "initial":
            self._turn_begins(data["active"]["turn_id"] if data["active"] else None)
        elif name == "server_turn_started":
            self._turn_begins(data["turn_id"])
        elif name == "turn_completed" and data["turn_id"] == self.active_turn:
            self._turn_begins(None)
            self.turns.hear_end(data["turn_id"])
            # The turn's calls have ended with it, and their questions too; those of sub-agents are still open.
            self.approvals = {key: asked for key, asked in self.approvals.items() if asked.get("task_id")}
        elif name == "approval_required":
            self.approvals[data["call_id"]] = data
        elif name in ("approval_answered", "tool_complete"):
            # A call whose question expired has a result without an answer.
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
