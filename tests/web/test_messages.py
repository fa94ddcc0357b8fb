"""The transcript of GET /api/session: every message once, in order, with who spoke; pages that fit together."""

import asyncio
from typing import Any

import pytest

from tests.web.kit import Served
from wakeful.model.journal.fact import Answered, ModelChanged
from wakeful.model.journal.message import AssistantMessage, Usage


def spoken(messages: list[dict[str, Any]]) -> list[tuple[str, str, str]]:
    return [(message["role"], message["source"], message["content"]) for message in messages]


async def test_inputs_answers_and_calls_are_messages(web: Served) -> None:
    session_id = await web.new_session()
    turn_id = await web.say(session_id, "work", "step", "finish")
    await web.finished(turn_id)

    messages = (await web.shown(session_id))["messages"]

    assert spoken(messages) == [
        ("user", "user", "work"),
        ("assistant", "assistant", "working"),
        ("tool", "tool", "worked on node"),
        ("assistant", "assistant", "done"),
    ]
    assert [message["id"] for message in messages] == [
        f"{turn_id}.{position}" for position in ("0.0", "1.0", "1.1", "2.0")
    ]
    assert messages[2]["tool"] == {
        "call_id": "call_1",
        "name": "work",
        "arguments": "{}",
        "result": "worked on node",
        "truncated": False,
        "full_size": 14,
        "seconds": 0.0,
        "is_error": False,
        "status": "done",
        "changes": [],
    }
    assert messages[0].keys() == {
        "id", "turn_id", "role", "source", "content", "html", "tool", "notice", "created_at",
    }  # fmt: skip


@pytest.mark.parametrize("path", ["/api/session", "/api/session/result"])
async def test_a_message_of_another_person_is_not_reached_through_an_own_session(web: Served, path: str) -> None:
    own, others = await web.new_session("bob"), await web.new_session("ann")
    turn_id = await web.say(others, "work", "step", "finish")
    await web.finished(turn_id)
    name = "before" if path == "/api/session" else "message_id"

    as_owner = await web.get(path, "ann", session_id=others, **{name: f"{turn_id}.1.1"})
    as_other = await web.get(path, "bob", session_id=own, **{name: f"{turn_id}.1.1"})

    assert as_owner.status == 200
    assert (as_other.status, as_other.code) == (400, "invalid_request")


async def test_only_answers_have_html(web: Served) -> None:
    session_id = await web.new_session()
    await web.finished(await web.say(session_id, "**work**", "step", "finish"))

    for _ in ("rendered", "kept"):
        messages = (await web.shown(session_id))["messages"]
        assert [message["html"] for message in messages] == [None, "<p>working</p>\n", None, "<p>done</p>\n"]
    assert [message.get("reasoning", "-") for message in messages] == ["-", None, "-", None]
    assert [message.get("model", "-") for message in messages] == ["-", "demo:led", "-", "demo:led"]


async def test_turns_have_their_number_and_their_cost(web: Served) -> None:
    session_id = await web.new_session()
    first = await web.say(session_id, "work", "step", "finish")
    await web.finished(first)
    second = await web.say(session_id, "more")
    await web.running(second)

    shown = await web.shown(session_id)

    turns = shown["turns"]
    assert {name: (turn["number"], turn["status"], turn["source"]) for name, turn in turns.items()} == {
        first: (1, "done", "user"),
        second: (2, "running", "user"),
    }
    spent = {"input_tokens": 2, "output_tokens": 2, "cost_usd": None, "unpriced_tokens": 4}
    assert turns[first]["usage"] == spent
    assert turns[second]["usage"] is None
    meter = {"context_tokens": 1, "context_window": None, "compact_at_tokens": None}
    assert shown["session"]["usage"] == spent | meter
    assert shown["has_more"] is False
    assert (await web.shown(session_id, limit=2))["has_more"] is True


async def test_a_huge_result_is_cut_and_can_be_read_whole(web: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    session_id = await web.new_session()
    huge = "a" * 30_000 + "b" * 30_000
    monkeypatch.setattr(web.agent, "node", huge)
    await web.finished(await web.say(session_id, "work", "step", "finish"))
    tool = (await web.shown(session_id))["messages"][2]

    reply = await web.get("/api/session/result", session_id=session_id, message_id=tool["id"])

    assert (tool["tool"]["truncated"], tool["tool"]["full_size"]) == (True, 60_010)
    assert len(tool["tool"]["result"]) < 20_000
    assert tool["tool"]["result"].startswith("worked on aaa")
    assert reply.json == {"result": f"worked on {huge}", "full_size": 60_010, "changes": []}
    foreign = await web.get("/api/session/result", "bob", session_id=session_id, message_id=tool["id"])
    assert foreign.status == 404
    nothing = await web.get("/api/session/result", session_id=session_id, message_id=tool["turn_id"] + ".0.0")
    assert nothing.code == "invalid_request"


async def test_a_page_that_folds_results_away_gets_their_ends_once(
    web: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    session_id = await web.new_session()
    monkeypatch.setattr(web.agent, "node", "a" * 3_000)
    await web.finished(await web.say(session_id, "work", "step", "finish"))
    monkeypatch.setattr(web.agent, "node", "short")
    await web.finished(await web.say(session_id, "work", "step", "finish"))

    shown = (await web.shown(session_id, short=1))["messages"]

    cut, whole = [message for message in shown if message["tool"] is not None]
    assert (cut["content"], whole["content"]) == ("", "")
    assert (whole["tool"]["result"], whole["tool"]["truncated"]) == ("worked on short", False)
    assert (cut["tool"]["truncated"], cut["tool"]["full_size"]) == (True, 3_010)
    assert cut["tool"]["result"].startswith("worked on aaa")
    assert "1,410 characters are left out" in cut["tool"]["result"]
    assert len(cut["tool"]["result"]) < 1_700
    by_default = [message for message in (await web.shown(session_id))["messages"] if message["tool"] is not None]
    assert [len(message["tool"]["result"]) for message in by_default] == [3_010, len("worked on short")]
    assert by_default[1]["content"] == "worked on short"


async def test_a_turn_that_failed_says_why(web: Served) -> None:
    session_id = await web.new_session()
    turn_id = await web.say(session_id, "work", "fail")
    await web.finished(turn_id)

    last = (await web.shown(session_id))["messages"][-1]

    assert (last["id"], last["role"], last["source"]) == (f"{turn_id}.end", "error", "server")
    assert last["content"] == "The endpoint is down."


async def test_a_turn_says_which_model_answered_instead_of_its_own(web: Served) -> None:
    session_id = await web.new_session()
    turn_id = await web.say(session_id, "work")
    change = ModelChanged(1, "demo:led", "demo:spare", "model_credit", "demo has no credit left.")
    answer = Answered(1, AssistantMessage("done"), Usage(1, 1), model="demo:spare", changes=(change,))
    web.agent.tell(turn_id, change)
    web.agent.tell(turn_id, answer)
    web.agent.order(turn_id, "end")
    [event] = [frame.data for frame in await web.finished(turn_id) if frame.event == "model_changed"]

    turn = (await web.shown(session_id))["turns"][turn_id]
    assert turn["model"] == "demo:led"
    assert turn["model_changes"] == [{name: event[name] for name in ("step", "from", "to", "code", "message")}]


async def test_a_turn_that_was_stopped_says_so(web: Served) -> None:
    session_id = await web.new_session()
    await web.running(await web.say(session_id, "work"))
    await web.post("/api/chat/cancel", {"session_id": session_id})

    assert spoken((await web.shown(session_id))["messages"]) == [
        ("user", "user", "work"),
        ("note", "server", "Stopped."),
    ]


async def test_a_call_without_a_result_runs_and_is_interrupted_by_a_stop(
    web: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    session_id = await web.new_session()
    gate = asyncio.Event()
    step = web.agent._step

    async def slow_step(brief: Any, number: int) -> Any:
        async for fact in step(brief, number):
            yield fact
            await gate.wait()

    monkeypatch.setattr(web.agent, "_step", slow_step)
    turn_id = await web.say(session_id, "work", "step")
    async with web.stream("/api/chat/stream", stream_id=turn_id) as reader:
        await reader.until("usage")

    running = (await web.shown(session_id))["messages"][-1]
    (doing,) = (await web.get("/api/home")).json["running"]
    await web.post("/api/chat/cancel", {"session_id": session_id})
    interrupted = (await web.shown(session_id))["messages"][-2]

    assert (running["tool"]["status"], running["tool"]["result"]) == ("running", None)
    assert (doing["turn"]["step"], doing["turn"]["call"]) == (1, {"name": "work", "arguments": "{}"})
    assert (interrupted["id"], interrupted["tool"]["status"]) == (running["id"], "interrupted")


async def test_a_notice_is_a_separate_message_however_it_came(web: Served) -> None:
    session_id = await web.new_session()
    first = await web.say(session_id, "work")
    await web.running(first)
    for name in ("joins", "opens", "rides"):
        await web.begin_task(first, name)
    await web.end_task("joins")
    web.agent.order(first, "step", "finish")
    await web.finished(first)
    await web.end_task("opens", 3)
    woken = (await web.shown(session_id))["active"]["turn_id"]
    web.agent.order(woken, "finish")
    await web.finished(woken)
    busy = await web.say(session_id, "busy")
    last = await web.say(session_id, "and?", "finish")
    await web.running(busy)
    await web.end_task("rides")
    web.agent.order(busy, "finish")
    await web.finished(last)

    notices = [message for message in (await web.shown(session_id))["messages"] if message["notice"]]

    assert [(m["notice"]["task_id"], m["notice"]["delivered"], m["turn_id"]) for m in notices] == [
        ("joins", "joined", first),
        ("opens", "opened", woken),
        ("rides", "with_message", last),
    ]
    assert {m["source"] for m in notices} == {"process_wakeup"}
    assert notices[1]["notice"]["exit_code"] == 3
    assert notices[1]["notice"].keys() == {
        "task_id", "command", "status", "exit_code", "seconds", "delivered", "latency_ms", "kind", "output", "cut",
    }  # fmt: skip
    stream = await web.finished(woken)
    (told_live,) = [frame.data for frame in stream if frame.event == "notice"]
    assert told_live["message_id"] == notices[1]["id"]


async def test_notices_that_wait_after_a_stop_are_shown_with_the_reason(web: Served) -> None:
    session_id = await web.new_session()
    turn_id = await web.say(session_id, "work")
    await web.running(turn_id)
    await web.begin_task(turn_id, "p1")
    await web.post("/api/chat/cancel", {"session_id": session_id})

    await web.end_task("p1", 2)

    shown = await web.shown(session_id)
    assert shown["active"] is None
    (waiting,) = shown["pending_notices"]
    assert (waiting["task_id"], waiting["exit_code"], waiting["why"]) == ("p1", 2, "held")


async def test_pages_of_messages_fit_together_at_every_size(web: Served) -> None:
    session_id = await web.new_session()
    for number in range(9):
        ending = "fail" if number == 4 else "finish"
        await web.finished(await web.say(session_id, f"message {number}", "step", ending))
    whole = [message["id"] for message in (await web.shown(session_id, limit=1000))["messages"]]

    assert len(whole) == len(set(whole)) == 9 * 4
    for size in (1, 3, 5, 36):
        pages: list[str] = []
        before = ""
        while page := (await web.shown(session_id, limit=size, before=before))["messages"]:
            pages[:0] = [message["id"] for message in page]
            before = page[0]["id"]
        assert pages == whole


async def test_a_page_of_a_long_session_costs_no_more_than_one_of_a_short(
    web: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    session_id = await web.new_session()
    for number in range(40):
        await web.finished(await web.say(session_id, f"message {number}", "finish"))
    read: list[int] = []
    original = web.store.read

    async def counting(body: Any) -> Any:
        async def counted(tx: Any) -> Any:
            of_turns = tx.journal.of_turns

            async def count(turn_ids: Any) -> Any:
                read.append(len(turn_ids))
                return await of_turns(turn_ids)

            tx.journal.of_turns = count
            return await body(tx)

        return await original(counted)

    monkeypatch.setattr(web.store, "read", counting)
    messages = (await web.shown(session_id, limit=6))["messages"]

    assert [message["content"] for message in messages[::2]] == ["message 37", "message 38", "message 39"]
    assert read == [4]


async def test_the_snapshot_and_the_stream_after_it_have_everything_once(web: Served) -> None:
    session_id = await web.new_session()
    turn_id = await web.say(session_id, "work", "token", "step")
    async with web.stream("/api/chat/stream", stream_id=turn_id) as reader:
        await reader.until("tool_complete")

    shown = await web.shown(session_id)
    query = {"session_id": session_id, "turns": "inline", "after": shown["cursor"]}
    async with web.stream("/api/session/stream", **query) as reader:
        web.agent.order(turn_id, "token", "finish")
        frames = await reader.until("turn_completed")

    live = [frame for frame in frames if frame.event != "initial" and not frame.data.get("recovered")]
    assert [frame.event for frame in live] == ["token", "usage", "done", "turn_completed"]
    assert shown["cursor"] == str(shown["last_event_id"])
    assert live[0].id == "{0}~{0}~1".format(shown["last_event_id"])
