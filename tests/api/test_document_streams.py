"""The streams of the API, in every shape that they take, against the document."""

from typing import Any

import httpx2
import orjson
import pytest

from tests.api.document import judge
from tests.api.server import ApiServer, script, until

_SERVER_CALL = [{"name": "list_files", "arguments": {}}]
_CLIENT_CALL = [{"name": "ask_client", "arguments": {"a": 1}}]
_SHAPES = [
    {"tokens": 2},
    {"tokens": 2, "reasoning_tokens": 2},
    {"text": "x", "calls": _SERVER_CALL},
    {"text": "x", "calls": _CLIENT_CALL},
    {"text": "x", "finish_reason": "length"},
    {"status": 400, "error": {"message": "no"}},
]
# The server retries, which takes a while.
_BROKEN: dict[str, Any] = {"tokens": 3, "break_after": 2}
_TOOL = {"name": "ask_client", "parameters": {"type": "object"}}


@pytest.mark.parametrize(
    ("shape", "store"), [*((shape, store) for shape in _SHAPES for store in (True, False)), (_BROKEN, True)]
)
def test_the_stream_of_a_response_is_as_the_document_says(server: ApiServer, shape: Any, store: bool) -> None:
    body = {"input": script(**shape), "stream": True, "store": store, "tools": [{"type": "function", **_TOOL}]}

    made = _stream(server, "POST", "/v1/responses", body)

    if store:
        response_id = orjson.loads(made.split(b"data: ")[1].split(b"\n")[0])["response"]["id"]
        assert _stream(server, "GET", f"/v1/responses/{response_id}?stream=true") == made
        assert server.send("GET", f"/v1/responses/{response_id}").status_code == 200
        assert server.send("GET", f"/v1/responses/{response_id}/input_items").status_code == 200


@pytest.mark.parametrize(
    ("shape", "stream"), [*((shape, stream) for shape in _SHAPES for stream in (True, False)), (_BROKEN, True)]
)
def test_a_chat_is_as_the_document_says(server: ApiServer, shape: Any, stream: bool) -> None:
    messages = [{"role": "user", "content": script(**shape)}]
    tools = [{"type": "function", "function": _TOOL}]
    body = {"messages": messages, "tools": tools, "stream": stream, "stream_options": {"include_usage": True}}

    if stream:
        _stream(server, "POST", "/v1/chat/completions", body)
    else:
        assert server.send("POST", "/v1/chat/completions", json=body).status_code in (200, 502)


@pytest.mark.parametrize("shape", [*_SHAPES, _BROKEN])
def test_the_events_of_a_run_are_as_the_document_says(server: ApiServer, shape: Any) -> None:
    run_id = server.send("POST", "/v1/runs", json={"input": script(**shape)}).json()["run_id"]

    _stream(server, "GET", f"/v1/runs/{run_id}/events")
    assert server.send("GET", f"/v1/runs/{run_id}").status_code == 200


def test_a_run_that_asks_is_as_the_document_says(demo_server: ApiServer) -> None:
    run_id = demo_server.send("POST", "/v1/runs", json={"input": "run rm -rf /nowhere/at/all"}).json()["run_id"]
    # The demonstration model numbers its calls.
    choice = {"call_id": "demo_1", "choice": "deny"}

    def answer() -> int:
        return demo_server.send("POST", f"/v1/runs/{run_id}/approval", json=choice).status_code

    until(lambda: answer() == 200)
    events = _stream(demo_server, "GET", f"/v1/runs/{run_id}/events")
    assert b"event: approval.required" in events
    assert answer() == 409


def test_background_work_is_as_the_document_says(demo_server: ApiServer) -> None:
    session_id = demo_server.send("POST", "/api/session/new", json={"title": "Work"}).json()["session_id"]
    words = {"session_id": session_id, "message": "run echo 50%; sleep 60 in the background"}
    turn = demo_server.send("POST", "/api/chat/start", json=words).json()
    _stream(demo_server, "GET", f"/api/chat/stream?stream_id={turn['stream_id']}")

    (task,) = demo_server.send("GET", f"/api/tasks?session_id={session_id}").json()["tasks"]
    for path in ("", "/log"):
        assert demo_server.send("GET", f"/api/tasks/{task['id']}{path}").status_code == 200
    assert demo_server.send("POST", f"/api/tasks/{task['id']}/kill").status_code == 200
    assert demo_server.send("GET", f"/api/session?session_id={session_id}").json()["messages"]


def test_a_notice_is_as_the_document_says(demo_server: ApiServer) -> None:
    named = {"session_id": demo_server.send("POST", "/api/session/new").json()["session_id"]}
    _say(demo_server, "start", named | {"message": "run echo done in the background"})

    until(lambda: demo_server.send("GET", "/api/session/timeline", params=named).json()["notices"] != [])
    shown = demo_server.send("GET", "/api/session", params=named).json()
    assert [one["notice"]["output"] for one in shown["messages"] if one["notice"]] == ["done\n"]


def test_what_the_page_asks_for_is_as_the_document_says(server: ApiServer) -> None:
    session_id = server.send("POST", "/api/session/new", json={}).json()["session_id"]
    named = {"session_id": session_id}
    _say(server, "start", named | {"message": script(text="x", calls=_SERVER_CALL)})
    shown = server.send("GET", "/api/session", params=named).json()
    mine, tool = (next(one for one in shown["messages"] if one["role"] == role) for role in ("user", "tool"))

    for path, more in (("result", {"message_id": tool["id"]}), ("timeline", {})):
        assert server.send("GET", f"/api/session/{path}", params=named | more).status_code == 200
    _say(server, "edit", named | {"message_id": mine["id"], "message": "Hello"})
    _say(server, "regenerate", named)
    for method, path, body in (
        ("POST", "/api/session/seen", named | {"event_id": shown["last_event_id"]}),
        ("PATCH", "/api/session", named | {"pinned": True, "archived": True}),
        ("DELETE", f"/api/session?session_id={session_id}", None),
        ("POST", "/api/session/restore", named),
    ):
        assert server.send(method, path, json=body).status_code == 200, path
    for path in ("/api/me", "/api/models", "/api/sessions?archived=1"):
        assert server.send("GET", path).status_code == 200


def test_a_browser_is_answered_as_the_document_says(server: ApiServer) -> None:
    url = server.send("POST", "/api/login/link").json()["url"]
    token = {"token": url.partition("#token=")[2]}
    own = {"origin": server.root}

    with httpx2.Client(base_url=server.root, trust_env=False, verify=False) as browser:

        def ask(method: str, path: str, **how: Any) -> int:
            reply = browser.request(method, path, **how)
            judge(method, path, reply.status_code, reply.headers, reply.content)
            return reply.status_code

        assert ask("POST", "/api/login", json=token) == 200
        assert ask("POST", "/api/login", json=token, headers=own) == 401
        assert ask("GET", "/api/me") == 200
        assert ask("POST", "/api/session/new", json={}, headers=own) == 200
        assert ask("POST", "/api/session/new", json={}, headers={"origin": "http://elsewhere"}) == 403
        for path in ("/api/me", "/v1/models", "/docs"):
            assert ask("GET", path, headers={"host": "elsewhere"}) == 421
        assert ask("POST", "/api/logout", headers=own) == 200
        assert ask("GET", "/api/me") == 401


def _say(server: ApiServer, how: str, body: Any) -> None:
    said = server.send("POST", f"/api/chat/{how}", json=body).json()
    _stream(server, "GET", f"/api/chat/stream?stream_id={said['stream_id']}")


def _stream(server: ApiServer, method: str, path: str, body: Any = None) -> bytes:
    reply = server.send(method, path, json=body)
    assert reply.headers["content-type"].startswith("text/event-stream"), reply.text
    judge(method, path.partition("?")[0], reply.status_code, reply.headers, reply.content)
    return reply.content
