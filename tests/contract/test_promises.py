"""Every door and every promise: it is kept, or refused before the model can make it. Also in a turn that another
server began and did not survive.
"""

import asyncio
import os
import signal
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing
from pathlib import Path
from typing import Any

import orjson
import pytest

from tests.api.server import ApiServer, running_server
from tests.contract.promising import DOORS, say, server_in
from tests.warm import Order, start_async
from wakeful.building.engine import Running
from wakeful.model import event as events
from wakeful.model.event import Event
from wakeful.model.session import Session
from wakeful.store.base import Transaction

# The message to the scripted model, and the source of the notice that follows where the door delivers later.
PROMISES = {
    "notify": ("run echo ready in the background", "process_wakeup"),
    "watch": ("watch echo ready for ready", "watch_match"),
    "delegate": ("delegate count to 3 in the background", "delegation_wakeup"),
}
_PROMISING = "import runpy; runpy.run_module('tests.contract.promising', run_name='__main__')"


@pytest.mark.parametrize("promise", PROMISES)
@pytest.mark.parametrize("door", DOORS)
async def test_a_promise_is_kept_or_refused(tmp_path: Path, door: str, promise: str) -> None:
    async with server_in(tmp_path, adopts=True) as running:
        receipt = await say(running, tmp_path, DOORS[door], PROMISES[promise][0])

        await _assert_kept_or_refused(running, receipt.session_id, door, promise)


@pytest.mark.parametrize("promise", PROMISES)
@pytest.mark.parametrize("door", DOORS)
async def test_a_promise_is_kept_or_refused_by_the_server_that_goes_on(tmp_path: Path, door: str, promise: str) -> None:
    await _die_at_the_call(tmp_path, door, PROMISES[promise][0])

    async with server_in(tmp_path, adopts=True) as running:
        (session,) = await running.store.read(_sessions)

        await _assert_kept_or_refused(running, session.id, door, promise)


@pytest.fixture(scope="module")
def api_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiServer]:
    with running_server(tmp_path_factory.mktemp("home")) as server:
        yield server


@pytest.mark.parametrize("is_streamed", [True, False], ids=["unstored stream", "unstored answer"])
def test_a_response_that_is_not_stored_refuses_every_promise_and_leaves_nothing(
    api_server: ApiServer, is_streamed: bool
) -> None:
    def ask(message: str) -> dict[str, Any]:
        asked = {"input": message, "store": False, "stream": is_streamed}
        reply = api_server.send("POST", "/v1/responses", json=asked)
        return _last_response(reply.text) if is_streamed else reply.json()

    # At the same time: the demonstration model takes a second or two for each.
    with ThreadPoolExecutor() as threads:
        responses = list(threads.map(ask, [message for message, _ in PROMISES.values()]))

    for response in responses:
        _assert_refused(_result_of_response(response))
    assert api_server.send("GET", "/api/tasks").json() == {"tasks": []}
    assert api_server.send("GET", "/api/sessions").json()["sessions"] == []
    assert [path.name for path in (api_server.home / "tasks").glob("proc_*")] == []


def _last_response(stream: str) -> dict[str, Any]:
    lines = [line.removeprefix("data: ") for line in stream.splitlines() if line.startswith("data: {")]
    event = orjson.loads(lines[-1])
    assert event["type"] == "response.completed"
    response: dict[str, Any] = event["response"]
    return response


def _result_of_response(response: dict[str, Any]) -> dict[str, Any]:
    """Return the result of its one call, whichever kind of item holds it."""
    (result,) = [item["output"] for item in response["output"] if item.get("output")]
    answer: dict[str, Any] = orjson.loads(result)
    return answer


async def _die_at_the_call(home: Path, door: str, message: str) -> None:
    order = Order([str(home), door, message], Path.cwd(), dict(os.environ), before=_PROMISING)
    process = await start_async(order, stdin=DEVNULL, stdout=None, stderr=PIPE)
    _, complaints = await process.communicate()
    assert process.returncode == -signal.SIGKILL, complaints.decode()


async def _assert_kept_or_refused(running: Running, session_id: str, door: str, promise: str) -> None:
    if DOORS[door].async_delivery:
        log = await _log_until(running, session_id, lambda event: event.kind == events.NOTICE)
        assert _is_promised(_result_in(log))
        assert [event.data["source"] for event in log if event.kind == events.NOTICE] == [PROMISES[promise][1]]
    else:
        log = await _log_until(running, session_id, lambda event: event.is_final)
        _assert_refused(_result_in(log))
        await _assert_no_notice(running, session_id)


async def _log_until(running: Running, session_id: str, is_last: Any) -> list[Event]:
    log: list[Event] = []
    async with asyncio.timeout(20), aclosing(running.engine.subscribe(session_id)) as pages:
        async for page in pages:
            log += [item for item in page if isinstance(item, Event)]
            if any(map(is_last, log)):
                break
    return log


def _result_in(log: list[Event]) -> dict[str, Any]:
    (result,) = [event.data["result"] for event in log if event.kind == events.TOOL_COMPLETE]
    answer: dict[str, Any] = orjson.loads(result)
    return answer


def _is_promised(result: dict[str, Any]) -> bool:
    is_noted = result.get("notify_on_complete") or result.get("watch_patterns") or result.get("status") == "dispatched"
    return bool(is_noted) and "notify_unsupported" not in result


def _assert_refused(result: dict[str, Any]) -> None:
    if "results" in result:
        assert [done["status"] for done in result["results"]] == ["completed"]
        assert "synchronously" in result["note"]
    else:
        assert result["notify_on_complete"] is False
        assert "process(action='poll')" in result["notify_unsupported"]


async def _assert_no_notice(running: Running, session_id: str) -> None:
    """The task has ended, and opened no turn and left no notice."""
    await _log_until(running, session_id, lambda event: event.kind == events.PROCESS_COMPLETE)

    async def body(tx: Transaction) -> tuple[int, int]:
        (task,) = await tx.tasks.of_session(session_id)
        assert not task.is_running
        assert not task.will_notify
        session = await tx.sessions.get(session_id)
        assert session is not None
        assert session.active is None
        assert session.head is not None
        return len(await tx.turns.chain(session.head, 10)), len(await tx.inbox.pending(session_id))

    assert await running.store.read(body) == (1, 0)


async def _sessions(tx: Transaction) -> list[Session]:
    return await tx.sessions.page(None, limit=10)
