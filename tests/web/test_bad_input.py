"""Invalid requests are refused with one sentence, and change nothing."""

from io import BytesIO
from typing import Any

import orjson
import pytest

from tests.web.kit import Served

LONG = "x" * 201

# Path and body: each has one mistake. SESSION stands for the id of a real session.
BODIES: list[tuple[str, Any]] = [
    ("/api/session/new", []),
    ("/api/session/new", "text"),
    ("/api/session/new", {"title": 5}),
    ("/api/session/new", {"title": "a\0b"}),
    ("/api/session/new", {"title": LONG}),
    ("/api/session/new", {"model": "nobody:x"}),
    ("/api/session/new", {"model": "  "}),
    ("/api/session/new", {"model": ["demo:led"]}),
    ("/api/session/new", {"workspace": "relative"}),
    ("/api/session/new", {"workspace": "/no/such/folder"}),
    ("/api/session/new", {"workspace": "/etc/passwd"}),
    ("/api/session/new", {"workspace": "/tmp\0"}),
    ("/api/session/new", {"workspace": "/" + "x" * 5000}),
    ("/api/session/new", {"workspace": 1}),
    ("/api/chat/start", {}),
    ("/api/chat/start", {"message": "hi"}),
    ("/api/chat/start", {"session_id": 7, "message": "hi"}),
    ("/api/chat/start", {"session_id": "", "message": "hi"}),
    ("/api/chat/start", {"session_id": "a\0", "message": "hi"}),
    ("/api/chat/start", {"session_id": "SESSION"}),
    ("/api/chat/start", {"session_id": "SESSION", "message": ""}),
    ("/api/chat/start", {"session_id": "SESSION", "message": " \n\t"}),
    ("/api/chat/start", {"session_id": "SESSION", "message": {"text": "hi"}}),
    ("/api/chat/start", {"session_id": "SESSION", "message": "hi", "client_message_id": ""}),
    ("/api/chat/start", {"session_id": "SESSION", "message": "hi", "client_message_id": 1}),
    ("/api/chat/start", {"session_id": "SESSION", "message": "hi", "client_message_id": "a\0"}),
    ("/api/chat/start", {"session_id": "SESSION", "message": "hi", "client_message_id": LONG}),
    ("/api/chat/start", {"session_id": "SESSION", "message": "hi", "if_busy": "wait"}),
    ("/api/chat/start", {"session_id": "SESSION", "message": "hi", "if_busy": ["queue"]}),
    ("/api/chat/start", {"session_id": "SESSION", "message": "hi", "model": "nobody:x"}),
    ("/api/chat/cancel", {}),
    ("/api/chat/withdraw", {"session_id": "SESSION"}),
    ("/api/session/branch", {"session_id": "SESSION", "turn_id": 3}),
    ("/api/approval/respond", {"session_id": "SESSION", "call_id": "c", "choice": "maybe"}),
    ("/api/approval/respond", {"session_id": "SESSION", "choice": "deny"}),
    ("/api/process-complete-ack", {"session_id": "SESSION"}),
]

QUERIES: list[tuple[str, dict[str, str]]] = [
    ("/api/session", {}),
    ("/api/session", {"session_id": ""}),
    ("/api/session", {"session_id": "SESSION", "limit": "many"}),
    ("/api/session", {"session_id": "SESSION", "before": "nonsense"}),
    ("/api/session", {"session_id": "SESSION", "before": "turn_unknown.0.0"}),
    ("/api/session", {"session_id": "SESSION", "before": "turn.-1.0"}),
    ("/api/session", {"session_id": "SESSION", "before": "\0.0.0"}),
    ("/api/sessions", {"cursor": "nonsense"}),
    ("/api/sessions", {"cursor": "12~\0"}),
    ("/api/sessions", {"q": "a\0"}),
    ("/api/sessions", {"limit": "1.5"}),
    ("/api/tasks", {"limit": "²"}),
    ("/api/chat/stream", {}),
    ("/api/session/stream", {}),
    ("/api/session/stream", {"session_id": "SESSION", "turns": "all"}),
    ("/api/stream", {}),
    ("/api/stream", {"sessions": ","}),
    ("/api/stream", {"sessions": ",".join(f"s{number}" for number in range(101))}),
]

PATCHES = [
    {},
    {"title": "t", "session_id": 1},
    {"session_id": "SESSION"},
    {"session_id": "SESSION", "title": 1},
    {"session_id": "SESSION", "pinned": "yes"},
    {"session_id": "SESSION", "archived": 1},
    {"session_id": "SESSION", "title": "t", "colour": "red"},
    {"session_id": "SESSION", "model": "nobody:x"},
]


async def test_a_body_that_is_wrong_is_refused(web: Served) -> None:
    session_id = await web.new_session()
    for path, body in BODIES:
        reply = await web.post(path, meant(body, session_id))
        assert (reply.status, reply.code) == (400, "invalid_request"), (path, body)
        assert reply.json["error"]["message"].endswith(".")
    assert (await web.shown(session_id))["last_event_id"] == 0
    assert len((await web.get("/api/sessions")).json["sessions"]) == 1


async def test_a_query_that_is_wrong_is_refused(web: Served) -> None:
    session_id = await web.new_session()
    for path, query in QUERIES:
        reply = await web.get(path, **meant(query, session_id))
        assert (reply.status, reply.code) == (400, "invalid_request"), (path, query)


async def test_a_change_that_is_wrong_is_refused(web: Served) -> None:
    session_id = await web.new_session()
    for body in PATCHES:
        reply = await web.patch("/api/session", meant(body, session_id))
        assert (reply.status, reply.code) == (400, "invalid_request"), body


async def test_a_body_that_is_no_json_object_is_refused(web: Served) -> None:
    for body in (b"{", b"\xff\xfe", b'{"message": "\xff"}', b'{"message": "\\ud800"}', b"[" * 5000, b"NaN", b'"x"'):
        reply = await web.request("POST", "/api/chat/start", "ann", data=body)
        assert (reply.status, reply.code) == (400, "invalid_request"), body


async def test_a_body_that_is_too_large_is_refused(web: Served) -> None:
    session_id = await web.new_session()
    fitting = {"session_id": session_id, "message": "x" * (4 * 1024 * 1024 - 200)}

    small = await web.post("/api/chat/start", fitting)
    large = await web.request("POST", "/api/chat/start", "ann", data=BytesIO(b" " * (4 * 1024 * 1024 + 1)))

    assert small.status == 200
    assert (large.status, large.code) == (413, "body_too_large")


@pytest.mark.parametrize("who", ["ann", "operator"])
async def test_what_is_not_there_is_not_found(web: Served, who: str) -> None:
    session_id = await web.new_session(who)
    ours = {"session_id": session_id}
    replies = [
        await web.get("/api/session", who, session_id="ses_unknown"),
        await web.post("/api/chat/start", {"session_id": "ses_unknown", "message": "hi"}, who),
        await web.post("/api/chat/cancel", {"session_id": "ses_unknown"}, who),
        await web.post("/api/chat/withdraw", ours | {"turn_id": "turn_unknown"}, who),
        await web.post("/api/session/branch", ours | {"turn_id": "turn_unknown"}, who),
        await web.post("/api/session/branch", ours, who),
        await web.post("/api/approval/respond", ours | {"call_id": "unknown", "choice": "deny"}, who),
        await web.get("/api/tasks/unknown", who),
        await web.get("/api/tasks/unknown/log", who),
        await web.post("/api/tasks/unknown/kill", {}, who),
        await web.get("/api/tasks", who, session_id="ses_unknown"),
        await web.get("/api/chat/stream", who, stream_id="turn_unknown"),
        await web.get("/api/session/stream", who, session_id="ses_unknown"),
        await web.get("/api/stream", who, sessions=f"{session_id},ses_unknown"),
        await web.get("/api/unknown", who),
    ]

    assert [(reply.status, reply.code) for reply in replies] == [(404, "not_found")] * len(replies)
    assert all(reply.json["error"]["message"].endswith(".") for reply in replies)


async def test_an_unknown_door_is_refused(web: Served) -> None:
    session_id = await web.new_session()
    for path, body in (("/api/session/new", {}), ("/api/chat/start", {"session_id": session_id, "message": "hi"})):
        reply = await web.post(path, body, **{"X-Wakeful-Door": "window"})
        assert (reply.status, reply.code) == (400, "invalid_request")


async def test_limits_out_of_range_are_moved_into_it(web: Served) -> None:
    session_id = await web.new_session()
    await web.finished(await web.say(session_id, "hi", "finish"))

    async def shown(limit: str) -> int:
        return len((await web.shown(session_id, limit=limit))["messages"])

    assert [await shown(limit) for limit in ("0", "-7", "99999", "9" * 400)] == [1, 1, 2, 2]


async def test_a_stopping_server_takes_no_message_and_says_when_to_come_back(web: Served) -> None:
    session_id = await web.new_session()
    await web.engine.stop()

    reply = await web.post("/api/chat/start", {"session_id": session_id, "message": "hi"})

    assert (reply.status, reply.code) == (503, "stopping")
    assert int(reply.headers["Retry-After"]) > 0
    assert reply.json["error"]["message"] == "The server is stopping and takes no new work."


async def test_a_failing_store_is_reported_in_a_sentence(web: Served) -> None:
    session_id = await web.new_session()
    await web.engine.stop()
    await web.store.close()

    reply = await web.get("/api/session", session_id=session_id)

    assert (reply.status, reply.code) == (503, "store_unavailable")
    assert reply.json["error"]["message"].endswith(".")


def meant(given: Any, session_id: str) -> Any:
    return orjson.loads(orjson.dumps(given).replace(b"SESSION", session_id.encode()))
