"""Counts what this process has done since it started, for Prometheus. Turns and tasks are counted as they commit."""

from collections import Counter
from collections.abc import Callable, Iterator

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from wakeful.engine.vitals import Vitals
from wakeful.errors import StoreError
from wakeful.gateway.monitoring.exposition import CONTENT_TYPE, Labels, family, histogram
from wakeful.gateway.monitoring.state_lines import engine_lines, store_lines
from wakeful.model import event as events
from wakeful.model.event import Event
from wakeful.model.store_stats import Histogram
from wakeful.store.base import Signal, Store, Transaction

_FROM_USER = "user"
_WAKE_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 60.0, 600.0)
# A request is counted under the first of these that its path begins with, so clients cannot add series.
_ROUTES = (
    "/v1/responses",
    "/v1/chat/completions",
    "/v1/conversations",
    "/v1/models",
    "/v1/runs",
    "/v1/",
    "/api/",
    "/health",
    "/metrics",
)


class Metrics:
    def __init__(self) -> None:
        self._turns_opened: Counter[Labels] = Counter()
        self._turns_closed: Counter[Labels] = Counter()
        self._failures: Counter[Labels] = Counter()
        self._model_errors: Counter[Labels] = Counter()
        self._requests: Counter[Labels] = Counter()
        self._wake_seconds = Histogram(_WAKE_SECONDS)
        self._tasks_started = 0
        self._tasks_ended = 0
        self.streams_open = 0

    def hear(self, signal: Signal) -> None:
        """Count the events of a commit. The store calls this for each commit of this process."""
        for event in signal.events:
            if event.kind == events.TURN_STARTED:
                self._turns_opened[(event.data["source"],)] += 1
            elif event.kind == events.NOTICE:
                self._count_notice(event)
            elif event.kind == events.TASK_STARTED:
                self._tasks_started += 1
            elif event.kind == events.PROCESS_COMPLETE:
                self._tasks_ended += 1
            elif event.is_final and "turn_id" in event.data:
                # A final event without a turn is that of a message that was withdrawn or joined another turn.
                self._turns_closed[(event.kind,)] += 1
                if event.kind == events.FAILED:
                    self._failures[(event.data.get("code", ""),)] += 1

    def count_model_error(self, code: str) -> None:
        """Count a failed call to a model. Each retry that fails counts too."""
        self._model_errors[(code,)] += 1

    def count_request(self, path: str, status: int) -> None:
        route = next((route for route in _ROUTES if path.startswith(route)), "other")
        self._requests[route, str(status)] += 1

    def lines(self) -> Iterator[str]:
        wakeups = sum(count for (source,), count in self._turns_opened.items() if source != _FROM_USER)
        opened, closed, requests = self._turns_opened, self._turns_closed, self._requests
        yield from family("wakeful_turns_opened_total", "counter", "Turns opened, by source.", ["source"], opened)
        yield from family("wakeful_turns_closed_total", "counter", "Turns ended, by status.", ["status"], closed)
        yield from family("wakeful_wakeups_total", "counter", "Turns opened without a user's message.", [], wakeups)
        yield from family("wakeful_turn_failures_total", "counter", "Turns that failed.", ["code"], self._failures)
        yield from family(
            "wakeful_model_errors_total", "counter", "Failed calls to models.", ["code"], self._model_errors
        )
        wake = "From a notice of background work to the turn that it opened."
        yield from histogram("wakeful_wake_seconds", wake, self._wake_seconds)
        yield from family("wakeful_tasks_started_total", "counter", "Tasks started.", [], self._tasks_started)
        yield from family("wakeful_tasks_ended_total", "counter", "Tasks ended.", [], self._tasks_ended)
        yield from family("wakeful_http_requests_total", "counter", "Requests answered.", ["route", "status"], requests)
        yield from family("wakeful_streams_open", "gauge", "Event streams that are being sent.", [], self.streams_open)

    def _count_notice(self, event: Event) -> None:
        data = event.data
        if data.get("delivered") == "opened":
            self._wake_seconds.add(data["latency_ms"] / 1000)


class CountRequests:
    """ASGI middleware, the outermost, so refused requests count too."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        is_stream = False

        async def send_counted(message: Message) -> None:
            nonlocal is_stream
            if message["type"] == "http.response.start":
                self._metrics.count_request(scope["path"], message["status"])
                is_stream = _begins_stream(message)
                self._metrics.streams_open += is_stream
            await send(message)

        try:
            await self._app(scope, receive, send_counted)
        finally:
            self._metrics.streams_open -= is_stream


def metrics_route(metrics: Metrics, store: Store, node: str, vitals: Callable[[], Vitals]) -> Route:
    async def show(request: Request) -> Response:
        state = [*engine_lines(vitals()), *store_lines(store.stats)]
        lines = [*metrics.lines(), *state, *await _running_lines(store, node)]
        return Response("\n".join(lines) + "\n", headers={"content-type": CONTENT_TYPE})

    return Route("/metrics", show)


async def _running_lines(store: Store, node: str) -> list[str]:
    """Return the gauges of what runs now, including work from before a restart; none while the store is away."""

    async def body(tx: Transaction) -> tuple[int, int]:
        return len(await tx.turns.running_on(node)), len(await tx.tasks.watched_by(node))

    try:
        turns, tasks = await store.read(body)
    except StoreError:
        return []
    return [
        *family("wakeful_turns_active", "gauge", "Turns that this server runs now.", [], turns),
        *family("wakeful_tasks_running", "gauge", "Tasks that this server watches now.", [], tasks),
    ]


def _begins_stream(message: Message) -> bool:
    return any(name == b"content-type" and value.startswith(b"text/event-stream") for name, value in message["headers"])
