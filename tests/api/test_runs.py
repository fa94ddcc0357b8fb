"""Runs: started, followed by any number of readers, stopped, and asked for approvals."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import orjson
import pytest

from tests.api.server import ALICE, BOB, ApiServer, ModelEndpoint, script, until

Frame = tuple[str, str, dict[str, Any]]


def start(server: ApiServer, words: str, **headers: str) -> str:
    reply = server.send("POST", "/v1/runs", json={"input": words}, headers=headers)
    assert reply.status_code == 202, reply.text
    assert reply.json()["status"] == "running"
    return str(reply.json()["run_id"])


def show(server: ApiServer, run_id: str) -> dict[str, Any]:
    shown: dict[str, Any] = server.send("GET", f"/v1/runs/{run_id}").json()
    return shown


def follow(server: ApiServer, run_id: str, query: str = "", **headers: str) -> Iterator[Frame]:
    """Return the frames of a run: id, name and data."""
    headers = {"authorization": f"Bearer {ALICE}"} | headers
    url = f"{server.root}/v1/runs/{run_id}/events{query}"
    with httpx2.Client(trust_env=False, timeout=20) as http, http.stream("GET", url, headers=headers) as reply:
        assert reply.status_code == 200
        block: dict[str, str] = {}
        for line in reply.iter_lines():
            if not line and block:
                yield block["id"], block["event"], orjson.loads(block["data"])
                block = {}
            elif line and not line.startswith(":"):
                name, _, value = line.partition(": ")
                block[name] = value


def test_a_run_is_streamed_to_its_end(server: ApiServer) -> None:
    run_id = start(server, script(text="hi", calls=[{"name": "list_files", "arguments": {}}]))

    frames = list(follow(server, run_id))

    names = [name for _, name, _ in frames]
    assert names == ["tool.started", "tool.completed", "message.delta", "run.completed"]
    assert [data["sequence_number"] for _, _, data in frames] == [0, 1, 2, 3]
    run = show(server, run_id)
    assert (run["status"], run["output"], run["usage"]["input_tokens"]) == ("completed", "hi", 14)
    assert frames[-1][2]["output"] == "hi"


def test_every_reader_gets_the_same_and_a_cursor_gets_the_rest(server: ApiServer) -> None:
    run_id = start(server, script(tokens=3))
    whole = list(follow(server, run_id))

    assert list(follow(server, run_id)) == whole
    assert list(follow(server, run_id, "?after=0")) == whole[1:]
    assert list(follow(server, run_id, "?after=0", **{"last-event-id": "1"})) == whole[2:]
    for seen, (last_id, _, _) in enumerate(whole, start=1):
        assert list(follow(server, run_id, f"?after={last_id}")) == whole[seen:]


@pytest.mark.parametrize("after", ["999.0.0", "999.1.1", "2.999.1"])
def test_an_id_that_was_never_given_out_gets_the_whole_run(server: ApiServer, after: str) -> None:
    run_id = start(server, script(tokens=3))
    whole = list(follow(server, run_id))

    assert list(follow(server, run_id, f"?after={after}")) == whole


@pytest.mark.parametrize("after", ["-1", "x", "1.5", "9" * 40])
def test_a_cursor_that_is_neither_an_id_nor_a_number_is_refused(server: ApiServer, after: str) -> None:
    run_id = start(server, "hello")

    reply = server.send("GET", f"/v1/runs/{run_id}/events?after={after}")

    assert (reply.status_code, reply.json()["error"]["param"]) == (400, "after")


def test_a_run_that_is_stopped_stops_the_model(server: ApiServer, endpoint: ModelEndpoint) -> None:
    with endpoint.seeing(dropped=1):
        run_id = start(server, script(tokens=9, hang_after=1))
        until(lambda: show(server, run_id)["output"] == "token0 ")
        stopped = server.send("POST", f"/v1/runs/{run_id}/stop").json()

    assert (stopped["status"], stopped["output"]) == ("cancelled", "token0 ")
    assert list(follow(server, run_id))[-1][1] == "run.cancelled"
    assert server.send("POST", f"/v1/runs/{run_id}/stop").json() == stopped


def test_stopping_an_ended_run_leaves_the_next_one_of_its_lane_alone(server: ApiServer) -> None:
    lane = {"x-hermes-session-key": "lane of two"}
    ended = start(server, "one", **lane)
    list(follow(server, ended))
    active = start(server, script(hang=True), **lane)

    assert server.send("POST", f"/v1/runs/{ended}/stop").json()["status"] == "completed"
    assert show(server, active)["status"] == "running"
    assert server.send("POST", f"/v1/runs/{active}/stop").json()["status"] == "cancelled"


def test_a_model_that_fails_is_a_failed_run(server: ApiServer) -> None:
    run_id = start(server, script(status=400))

    assert list(follow(server, run_id))[-1][1] == "run.failed"
    assert show(server, run_id)["error"]["message"]


@pytest.mark.parametrize(("choice", "is_there"), [("once", False), ("deny", True)])
def test_a_dangerous_command_waits_for_its_approval(server: ApiServer, choice: str, is_there: bool) -> None:
    victim = server.home.parent / "victim"
    victim.mkdir(exist_ok=True)
    run_id = start(server, dangerous(victim))
    frames = follow(server, run_id)
    asked = next(data for _, name, data in frames if name == "approval.required")
    assert (asked["command"], asked["choices"]) == (f"rm -rf {victim}", ["once", "session", "folder", "deny"])

    answer = {"call_id": asked["call_id"], "choice": choice}
    replies = [server.send("POST", f"/v1/runs/{run_id}/approval", json=answer).status_code for _ in range(2)]

    assert [name for _, name, _ in frames][-1] == "run.completed"
    assert (replies, victim.exists()) == ([200, 409], is_there)


@pytest.mark.parametrize(("choice", "is_there"), [("once", False), ("deny", True)])
def test_a_sub_agent_of_a_run_asks_too(server: ApiServer, tmp_path: Path, choice: str, is_there: bool) -> None:
    victim = tmp_path / "victim"
    victim.mkdir()
    run_id = start(server, delegated(dangerous(victim)))
    frames = follow(server, run_id)
    asked = next(data for _, name, data in frames if name == "approval.required")
    assert asked["command"] == f"rm -rf {victim}"

    answer = {"call_id": asked["call_id"], "choice": choice}
    theirs = server.send("POST", f"/v1/runs/{run_id}/approval", BOB, json=answer)
    replies = [server.send("POST", f"/v1/runs/{run_id}/approval", json=answer).status_code for _ in range(2)]

    assert [name for _, name, _ in frames][-1] == "run.completed"
    assert (theirs.status_code, replies, victim.exists()) == (404, [200, 409], is_there)


def test_a_sub_agent_of_a_response_is_refused(server: ApiServer, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.mkdir()

    with server.client() as client:
        response = client.responses.create(input=delegated(dangerous(victim)))

    assert (response.status, victim.exists()) == ("completed", True)


def test_a_response_is_not_asked_but_refused(server: ApiServer) -> None:
    victim = server.home / "other victim"
    victim.mkdir()

    with server.client() as client:
        response = client.responses.create(input=dangerous(victim))

    assert response.status == "completed"
    assert victim.exists()
    assert "no person can be asked to allow it" in str(response.output)


@pytest.mark.parametrize(
    "answer", [{}, {"call_id": "c"}, {"call_id": "c", "choice": "maybe"}, {"call_id": "\0", "choice": "once"}]
)
def test_an_approval_must_name_its_call_and_a_choice(server: ApiServer, answer: dict[str, Any]) -> None:
    run_id = start(server, "hello")

    assert server.send("POST", f"/v1/runs/{run_id}/approval", json=answer).status_code == 400


def test_an_approval_that_was_not_asked_for_is_not_found(server: ApiServer) -> None:
    run_id = start(server, "hello")
    answer = {"call_id": "call_x", "choice": "once"}

    assert server.send("POST", f"/v1/runs/{run_id}/approval", json=answer).status_code == 404


def test_a_run_of_another_key_is_not_found(server: ApiServer) -> None:
    run_id = start(server, "hello")
    answer = {"call_id": "c", "choice": "once"}

    replies = [
        server.send("GET", f"/v1/runs/{run_id}", BOB),
        server.send("GET", f"/v1/runs/{run_id}/events", BOB),
        server.send("POST", f"/v1/runs/{run_id}/stop", BOB),
        server.send("POST", f"/v1/runs/{run_id}/approval", BOB, json=answer),
        server.send("GET", "/v1/runs/run_x"),
        server.send("GET", f"/v1/responses/{run_id.replace('run_', 'resp_')}"),
    ]

    assert [reply.status_code for reply in replies] == [404] * 6


@pytest.mark.parametrize("body", [{}, {"input": ""}, {"input": 1}, {"input": "x", "model": 1}])
def test_a_run_without_words_is_refused(server: ApiServer, body: dict[str, Any]) -> None:
    assert server.send("POST", "/v1/runs", json=body).status_code == 400


def test_an_unknown_model_is_not_found(server: ApiServer) -> None:
    reply = server.send("POST", "/v1/runs", json={"input": "x", "model": "nowhere:nothing"})

    assert (reply.status_code, reply.json()["error"]["code"]) == (404, "model_not_found")


def test_a_session_key_continues_its_lane(server: ApiServer, endpoint: ModelEndpoint) -> None:
    list(follow(server, start(server, "one", **{"x-hermes-session-key": "lane"})))

    last = start(server, "two", **{"x-hermes-session-key": "lane"})
    frames = list(follow(server, last))

    assert said_to(endpoint) == ["one", "two"]
    # Only its own events, though the log of the session has those of both.
    assert [data["run_id"] for _, _, data in frames] == [last] * len(frames)


def test_a_session_id_is_sent_back_and_continues_the_session(server: ApiServer, endpoint: ModelEndpoint) -> None:
    run_id = start(server, "one")
    list(follow(server, run_id))
    replies = [server.send("GET", f"/v1/runs/{run_id}{part}") for part in ("", "/events")]
    (session_id,) = {reply.headers["x-hermes-session-id"] for reply in replies}

    again = server.send("POST", "/v1/runs", json={"input": "two"}, headers={"x-hermes-session-id": session_id})
    list(follow(server, again.json()["run_id"]))

    assert again.headers["x-hermes-session-id"] == session_id
    assert said_to(endpoint) == ["one", "two"]
    foreign = {"x-hermes-session-id": session_id}
    assert server.send("POST", "/v1/runs", BOB, json={"input": "x"}, headers=foreign).status_code == 404


def test_a_lane_with_an_active_run_is_busy(server: ApiServer) -> None:
    lane = {"x-hermes-session-key": "busy lane"}
    run_id = start(server, script(hang=True), **lane)

    reply = server.send("POST", "/v1/runs", json={"input": "two"}, headers=lane)

    assert (reply.status_code, reply.headers["x-should-retry"]) == (409, "false")
    server.send("POST", f"/v1/runs/{run_id}/stop")


def test_a_session_key_has_a_length(server: ApiServer) -> None:
    lane = {"x-hermes-session-key": "k" * 257}

    assert server.send("POST", "/v1/runs", json={"input": "x"}, headers=lane).status_code == 400


def dangerous(victim: Any) -> str:
    return script(calls=[{"name": "terminal", "arguments": {"command": f"rm -rf {victim}"}}])


def delegated(goal: str) -> str:
    return script(calls=[{"name": "delegate_task", "arguments": {"goal": goal}}])


def said_to(endpoint: ModelEndpoint) -> list[str]:
    """Return the users' messages in the last request to the model."""
    return [message["content"] for message in endpoint.requests()[-1]["messages"] if message["role"] == "user"]
