"""What this process has done, as Prometheus reads it."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from tests.patience import PATIENCE
from tests.store.nouns import a_task, have_task, have_turn
from tests.unit.gateway.asgi import request, well
from wakeful.engine.job import JobCounts
from wakeful.engine.vitals import Vitals
from wakeful.gateway.entrance.auth import Keyring
from wakeful.gateway.http import http_app
from wakeful.gateway.monitoring.exposition import family, histogram
from wakeful.gateway.monitoring.metrics import CountRequests, Metrics, metrics_route
from wakeful.gateway.monitoring.state_lines import engine_lines
from wakeful.model import event as events
from wakeful.model.event import NewEvent
from wakeful.model.store_stats import Histogram
from wakeful.store.base import Store, Transaction
from wakeful.store.sqlite.store import SqliteStore

KEY = "Bearer key"
VITALS = Vitals(
    turns_at_work=3,
    turns_waiting=2,
    taken_over=1,
    lease_seconds_left=2.5,
    is_lease_late=False,
    jobs=[("janitor", JobCounts(runs=5, failures=2, row_failures=1, last_success=1_000.0))],
)


@pytest.fixture
async def store(sqlite_path: Path) -> AsyncIterator[Store]:
    store = SqliteStore(sqlite_path, lambda: 1_000.0, synchronous="OFF")
    await store.open()
    yield store
    await store.close()


@pytest.fixture
def metrics(store: Store) -> Metrics:
    metrics = Metrics()
    store.notifier.listen(metrics.hear)
    return metrics


@pytest.fixture
def may_end() -> asyncio.Event:
    return asyncio.Event()


@pytest.fixture
def app(store: Store, metrics: Metrics, may_end: asyncio.Event) -> ASGIApp:
    async def stream(request: Request) -> Response:
        async def parts() -> AsyncIterator[bytes]:
            await may_end.wait()
            yield b"data: 1\n\n"

        return StreamingResponse(parts(), media_type="text/event-stream")

    async def greet(request: Request) -> Response:
        return PlainTextResponse("hello")

    routes = [
        Route("/v1/responses/{id}", stream),
        Route("/api/sessions", greet),
        metrics_route(metrics, store, "node1", lambda: VITALS),
    ]
    app = http_app(Keyring({"operator": "key"}), routes, health=well)
    return CountRequests(app, metrics)


async def test_turns_and_tasks_are_counted_as_they_are_committed(store: Store, app: ASGIApp) -> None:
    await have_turn(store)
    await _append(store, "t1", (events.TURN_STARTED, {"source": "user"}), (events.DONE, {"turn_id": "t1"}))
    await _append(store, "t1", (events.TURN_STARTED, {"source": "process_wakeup"}), (events.TOKEN, {"text": "a"}))
    await _append(store, "t1", (events.NOTICE, {"delivered": "opened", "latency_ms": 40}))
    await _append(store, "t1", (events.NOTICE, {"delivered": "joined", "latency_ms": 9_000}))
    await _append(store, "t1", (events.FAILED, {"turn_id": "t1", "code": "x"}))
    await _append(store, "t1", (events.DONE, {"joined": "t1"}))
    await _append(store, None, (events.TASK_STARTED, {}), (events.TASK_STARTED, {}), (events.PROCESS_COMPLETE, {}))

    numbers = await _numbers(app)

    assert numbers['wakeful_turns_opened_total{source="user"}'] == 1
    assert numbers['wakeful_turns_opened_total{source="process_wakeup"}'] == 1
    assert numbers['wakeful_turns_closed_total{status="done"}'] == 1
    assert numbers['wakeful_turns_closed_total{status="failed"}'] == 1
    assert numbers["wakeful_wakeups_total"] == 1
    assert numbers["wakeful_tasks_started_total"] == 2
    assert numbers["wakeful_tasks_ended_total"] == 1
    assert (numbers["wakeful_wake_seconds_count"], numbers["wakeful_wake_seconds_sum"]) == (1, 0.04)


async def test_the_state_of_the_engine_its_jobs_and_its_store_is_reported(
    store: Store, app: ASGIApp, metrics: Metrics
) -> None:
    await have_turn(store)
    await _append(store, "t1", (events.FAILED, {"turn_id": "t1", "code": "model_auth"}))
    metrics.count_model_error("model_busy")
    metrics.count_model_error("model_busy")

    numbers = await _numbers(app)

    assert (numbers["wakeful_turns_at_work"], numbers["wakeful_turns_waiting"]) == (3, 2)
    assert (numbers["wakeful_turns_taken_over_total"], numbers["wakeful_lease_seconds"]) == (1, 2.5)
    jobs = ("runs_total", "failures_total", "row_failures_total", "last_success_timestamp_seconds")
    assert [numbers[f'wakeful_job_{name}{{job="janitor"}}'] for name in jobs] == [5, 2, 1, 1_000]
    assert numbers['wakeful_turn_failures_total{code="model_auth"}'] == 1
    assert numbers['wakeful_model_errors_total{code="model_busy"}'] == 2
    assert numbers["wakeful_store_queue"] == 0
    assert numbers["wakeful_store_commit_seconds_count"] == numbers["wakeful_store_group_size_count"] > 0


async def test_what_runs_now_is_what_the_store_knows_of_this_node(store: Store, app: ASGIApp) -> None:
    await have_turn(store, "t1")
    await have_turn(store, "t2", "s2", node="node2")
    await have_task(store, a_task("k1", node="node1"))

    numbers = await _numbers(app)

    assert (numbers["wakeful_turns_active"], numbers["wakeful_tasks_running"]) == (1, 1)


async def test_while_the_store_is_away_the_rest_is_still_reported(store: Store, app: ASGIApp) -> None:
    await store.close()

    numbers = await _numbers(app)

    assert numbers["wakeful_streams_open"] == 0
    assert "wakeful_turns_active" not in numbers


async def test_requests_are_counted_by_their_class_and_status(app: ASGIApp, may_end: asyncio.Event) -> None:
    may_end.set()
    for path in ("/v1/responses/a", "/v1/responses/b", "/v1/odd", "/api/sessions", "/odd/1", "/odd/2"):
        await request(app, path, KEY)
    await request(app, "/v1/responses/a")

    numbers = await _numbers(app)

    counted = {name: count for name, count in numbers.items() if name.startswith("wakeful_http_requests_total")}
    assert counted == {
        'wakeful_http_requests_total{route="/v1/responses",status="200"}': 2,
        'wakeful_http_requests_total{route="/v1/responses",status="401"}': 1,
        'wakeful_http_requests_total{route="/v1/",status="404"}': 1,
        'wakeful_http_requests_total{route="/api/",status="200"}': 1,
        'wakeful_http_requests_total{route="other",status="404"}': 2,
    }


async def test_a_stream_is_open_until_it_is_complete(app: ASGIApp, may_end: asyncio.Event, metrics: Metrics) -> None:
    stream = asyncio.create_task(request(app, "/v1/responses/a", KEY))
    async with asyncio.timeout(PATIENCE):
        while metrics.streams_open == 0:  # noqa: ASYNC110 - no event says when it has begun
            await asyncio.sleep(0)

    assert (await _numbers(app))["wakeful_streams_open"] == 1
    may_end.set()
    await stream
    assert (await _numbers(app))["wakeful_streams_open"] == 0


async def test_other_scopes_are_not_counted(metrics: Metrics) -> None:
    passed = []

    async def inner(scope: Scope, receive: Receive, send: Send) -> None:
        passed.append(scope["type"])

    await CountRequests(inner, metrics)({"type": "lifespan"}, None, None)  # type: ignore[arg-type]

    assert passed == ["lifespan"]
    assert "wakeful_http_requests_total{" not in "".join(metrics.lines())


@pytest.mark.parametrize(("left", "line"), [(None, None), (-3.0, "wakeful_lease_seconds 0")])
def test_a_lease_is_told_where_there_is_one_and_never_below_nothing(left: float | None, line: str | None) -> None:
    lines = [one for one in engine_lines(replace(VITALS, lease_seconds_left=left)) if not one.startswith("#")]

    assert [one for one in lines if "lease" in one] == ([] if line is None else [line])


async def test_metrics_need_a_key_and_say_their_format(app: ASGIApp) -> None:
    assert (await request(app, "/metrics")).status == 401
    assert (await request(app, "/metrics", KEY)).headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"


def test_a_family_is_written_with_its_help_type_and_labels() -> None:
    lines = list(family("x_total", "counter", "What x is.", ["a", "b"], {("2", 'q"\\\n'): 2, ("1", ""): 1.5}))

    assert lines == [
        "# HELP x_total What x is.",
        "# TYPE x_total counter",
        'x_total{a="1",b=""} 1.5',
        'x_total{a="2",b="q\\"\\\\\\n"} 2',
    ]


def test_the_buckets_of_a_histogram_hold_all_that_is_at_most_their_bound() -> None:
    seen = Histogram([0.1, 1.0])
    for value in (0.1, 0.5, 5.0):
        seen.add(value)

    assert list(histogram("x", "What x is.", seen))[2:] == [
        'x_bucket{le="0.1"} 1',
        'x_bucket{le="1"} 2',
        'x_bucket{le="+Inf"} 3',
        "x_sum 5.6",
        "x_count 3",
    ]


async def _append(store: Store, turn_id: str | None, *appended: tuple[str, dict[str, object]]) -> None:
    async def body(tx: Transaction) -> None:
        await tx.events.append("s1", turn_id, [NewEvent.of(kind, data) for kind, data in appended])

    await store.write(body, lock=["s1"])


async def _numbers(app: ASGIApp) -> dict[str, float]:
    lines = (await request(app, "/metrics", KEY)).body.decode().splitlines()
    samples = [line.rpartition(" ") for line in lines if not line.startswith("#")]
    return {name: float(value) for name, _, value in samples}
