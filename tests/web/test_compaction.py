"""Having a conversation summed up: the turn that does it, its events, its message, and the meter."""

from typing import Any

import pytest

from tests.web.kit import Frame, Served
from wakeful.model.journal.fact import Answered, CallFinished, Compacted, CompactionFailed, CompactionStarted
from wakeful.model.journal.message import AssistantMessage, ToolCall, Usage
from wakeful.model.journal.summary import CompactionReason, Summary

SUMMARY = Summary(
    words="Goal: tests.",
    keeps_from="",
    instructions=(),
    said=("please",),
    work=("- proc_1 (process): make",),
    reason=CompactionReason.MANUAL,
    tokens_before=900,
    tokens_after=90,
    model="demo:led",
    usage=Usage(900, 20),
)


async def talk(web: Served, *orders: str) -> str:
    """Return a session with four messages."""
    session_id = await web.new_session()
    for words in ("one", "two"):
        await web.finished(await web.say(session_id, words, *(orders or ("finish",))))
    return session_id


async def compact(web: Served, session_id: str, **given: Any) -> str:
    reply = await web.post("/api/session/compact", {"session_id": session_id, **given})
    assert reply.status == 200, reply.json
    assert reply.json == {"turn_id": reply.json["turn_id"], "stream_id": reply.json["turn_id"]}
    return str(reply.json["turn_id"])


async def summed_up(web: Served, session_id: str, **given: Any) -> list[Frame]:
    """Sum the session up as the loop does, and return the frames of the turn."""
    turn_id = await compact(web, session_id, **given)
    web.agent.tell(turn_id, CompactionStarted(1, CompactionReason.MANUAL, 900))
    web.agent.tell(turn_id, Compacted(1, SUMMARY))
    web.agent.order(turn_id, "end")
    return await web.finished(turn_id)


async def test_a_summary_is_a_turn_with_its_own_events(web: Served) -> None:
    session_id = await talk(web)
    frames = await summed_up(web, session_id, focus="the tests")

    turn_id = frames[0].data["turn_id"]
    assert [frame.event for frame in frames] == ["turn_started", "compaction_started", "compaction_done", "done"]
    assert frames[0].data["source"] == "compaction"
    assert frames[1].data == {"turn_id": turn_id, "step": 1, "reason": "manual", "context_tokens": 900}
    tokens = {"tokens_before": 900, "tokens_after": 90}
    made = {"turn_id": turn_id, "step": 1, "message_id": f"{turn_id}.1.0", "model": "demo:led"}
    assert frames[2].data == made | tokens
    assert web.agent.briefs[turn_id].messages[-1].text == "done"


async def test_a_summary_stands_among_the_messages_and_all_others_stay(web: Served) -> None:
    session_id = await talk(web)
    await summed_up(web, session_id)
    shown = await web.shown(session_id)

    *before, message = shown["messages"]
    assert [known["content"] for known in before] == ["one", "done", "two", "done"]
    assert (message["role"], message["source"]) == ("note", "summary")
    assert message["content"].splitlines()[-1] == "- proc_1 (process): make"
    tokens = {"tokens_before": 900, "tokens_after": 90}
    assert message["summary"] == {"reason": "manual", "model": "demo:led", **tokens}
    assert "summary" not in before[0]
    assert shown["turns"][message["turn_id"]]["usage"]["input_tokens"] == 900
    usage = shown["session"]["usage"]
    assert (usage["context_tokens"], usage["input_tokens"], usage["context_window"]) == (90, 902, None)


async def test_the_next_turn_reads_the_summary_and_a_branch_from_before_it_does_not(web: Served) -> None:
    session_id = await talk(web)
    first = (await web.shown(session_id))["messages"][1]["turn_id"]
    await summed_up(web, session_id)

    after = await web.running(await web.say(session_id, "three", "finish"))
    assert [message.text for message in after.messages] == [SUMMARY.text, "three"]
    branch = (await web.post("/api/session/branch", {"session_id": session_id, "turn_id": first})).json["session_id"]
    before = await web.running(await web.say(branch, "else", "finish"))
    assert [message.text for message in before.messages] == ["one", "done", "else"]


async def test_the_answer_before_a_summary_can_be_given_again(web: Served) -> None:
    session_id = await talk(web)
    await summed_up(web, session_id)
    again = (await web.post("/api/chat/regenerate", {"session_id": session_id})).json["turn_id"]

    assert [message.text for message in (await web.running(again)).messages] == ["one", "done", "two"]


async def test_a_compaction_of_a_busy_session_is_refused(web: Served) -> None:
    session_id = await talk(web)
    turn_id = await web.say(session_id, "three")
    reply = await web.post("/api/session/compact", {"session_id": session_id})

    assert (reply.status, reply.code, reply.json["error"]["active_stream_id"]) == (409, "session_busy", turn_id)
    web.agent.order(turn_id, "finish")


async def test_with_hardly_any_messages_since_the_last_summary_there_is_nothing_to_sum_up(web: Served) -> None:
    session_id = await web.new_session()
    assert (await web.post("/api/session/compact", {"session_id": session_id})).code == "nothing_to_compact"
    await web.finished(await web.say(session_id, "one", "finish"))
    reply = await web.post("/api/session/compact", {"session_id": session_id})
    assert (reply.status, reply.code) == (409, "nothing_to_compact")

    long = await talk(web)
    await summed_up(web, long)
    assert (await web.post("/api/session/compact", {"session_id": long})).code == "nothing_to_compact"
    for words in ("three", "four"):
        await web.finished(await web.say(long, words, "finish"))
    await compact(web, long)


async def test_a_turn_that_went_on_for_long_after_its_own_summary_can_be_summed_up_again(web: Served) -> None:
    session_id = await web.new_session()
    turn_id = await web.say(session_id, "go")
    web.agent.tell(turn_id, Compacted(1, SUMMARY))
    for step in (2, 3):
        call = ToolCall(f"call_{step}", "work", "{}")
        web.agent.tell(turn_id, Answered(step, AssistantMessage("", calls=(call,)), Usage(1, 1)))
        web.agent.tell(turn_id, CallFinished(step, 1, call, "worked", 0.0))
    web.agent.tell(turn_id, Answered(4, AssistantMessage("done"), Usage(1, 1)))
    web.agent.order(turn_id, "end")
    await web.finished(turn_id)

    await compact(web, session_id)


async def test_a_notice_that_waits_after_a_stop_is_not_taken_by_a_compaction(web: Served) -> None:
    session_id = await talk(web)
    turn_id = await web.say(session_id, "go")
    await web.begin_task(turn_id, "proc_1")
    await web.post("/api/chat/cancel", {"session_id": session_id})
    await web.end_task("proc_1")

    assert "notice" not in [frame.event for frame in await summed_up(web, session_id)]
    frames = await web.finished(await web.say(session_id, "go on", "finish"))
    assert [frame.event for frame in frames] == ["turn_started", "notice", "message", "usage", "done"]


async def test_what_waits_for_the_agent_is_not_taken_by_a_compaction(web: Served) -> None:
    session_id = await web.new_session()
    turn_id = await web.say(session_id, "go")
    await web.begin_task(turn_id, "proc_1")
    web.agent.order(turn_id, "step", "finish")
    await web.finished(turn_id)
    compaction = await compact(web, session_id)
    await web.end_task("proc_1")
    aside = await web.say(session_id, "and this", "finish", if_busy="steer")
    web.agent.tell(compaction, Compacted(1, SUMMARY))
    web.agent.order(compaction, "end")

    assert "notice" not in [frame.event for frame in await web.finished(compaction)]
    frames = await web.finished(aside)
    assert [frame.event for frame in frames] == ["turn_started", "notice", "message", "usage", "done"]


async def test_a_compaction_is_shown_while_it_runs_and_can_be_stopped(web: Served) -> None:
    session_id = await talk(web)
    turn_id = await compact(web, session_id)
    web.agent.tell(turn_id, CompactionStarted(1, CompactionReason.MANUAL, 900))
    async with web.stream("/api/chat/stream", stream_id=turn_id) as reader:
        await reader.until("compaction_started")
        running = (await web.shown(session_id))["active"]["compaction"]
        assert (running["step"], running["reason"], running["context_tokens"]) == (1, "manual", 900)
        await web.post("/api/chat/cancel", {"session_id": session_id})
        assert (await reader.rest())[-1].event == "cancelled"
    after = await web.running(await web.say(session_id, "three", "finish"))
    assert [message.text for message in after.messages] == ["one", "done", "two", "done", "three"]


async def test_a_context_that_cannot_fit_says_so_and_the_session_goes_on(web: Served) -> None:
    session_id = await talk(web)
    turn_id = await web.say(session_id, "x" * 100)
    web.agent.tell(turn_id, CompactionStarted(1, CompactionReason.AUTO, 900))
    web.agent.tell(turn_id, CompactionFailed(1, CompactionReason.AUTO, 900, "The last message alone is too long."))
    web.agent.order(turn_id, "refuse")
    frames = await web.finished(turn_id)

    assert frames[-2].event == "compaction_failed"
    assert frames[-2].data["message"] == "The last message alone is too long."
    error = (await web.shown(session_id))["messages"][-1]
    assert (error["role"], error["code"]) == ("error", frames[-1].data["code"])
    assert (await web.finished(await web.say(session_id, "then", "finish")))[-1].event == "done"


@pytest.mark.parametrize("given", [{"focus": 5}, {"session_id": ""}])
async def test_a_malformed_request_is_refused(web: Served, given: dict[str, Any]) -> None:
    reply = await web.post("/api/session/compact", {"session_id": "ses_1", **given})
    assert (reply.status, reply.code) == (400, "invalid_request")
