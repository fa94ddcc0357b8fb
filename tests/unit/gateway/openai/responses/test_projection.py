"""What a response's stream says, frame by frame, and what the official SDK makes of it."""

from dataclasses import replace
from typing import Any

import msgspec
import pytest
from openai.types.responses import Response
from pydantic import BaseModel

from tests.unit.gateway.openai.kit import (
    FACTS,
    REST,
    TERMINAL,
    abandoned,
    cancelled,
    check_types,
    data_of,
    done,
    failed,
    fold,
    last_response,
    log,
    reasoning,
    result,
    sdk,
    stream_body,
    token,
    tool,
    types_of,
    usage,
    with_pairs,
)
from wakeful.gateway.openai.frames import NumberedFrame
from wakeful.gateway.openai.responses.projection import ResponseProjection
from wakeful.model import event as events
from wakeful.model.event import NewEvent

BEGUN = ["created", "in_progress"]
TEXT_OPENED = ["output_item.added", "content_part.added"]
TEXT_CLOSED = ["output_text.done", "content_part.done", "output_item.done"]
REASONING_CLOSED = ["reasoning_text.done", "content_part.done", "output_item.done"]
CALL = [
    "output_item.added",
    "function_call_arguments.delta",
    "function_call_arguments.done",
    "output_item.done",
]
RESULT = ["output_item.added", "output_item.done"]
SERVED = ["output_item.added", "mcp_call.in_progress", "mcp_call_arguments.delta", "mcp_call_arguments.done"]
FAILURE = '{"error":"There is no such file.","code":"not_found","path":"x"}'


class _Point(BaseModel):
    x: int


def items_of(frames: list[NumberedFrame]) -> list[tuple[str, str]]:
    return [(item["type"], item["status"]) for item in last_response(frames)["output"]]


def done_items(frames: list[NumberedFrame]) -> list[dict[str, Any]]:
    return [data_of(frame)["item"] for frame in frames if frame.type == "response.output_item.done"]


def test_plain_text_has_the_order_of_the_sdk() -> None:
    frames = fold(log(token("Hel"), token("lo"), usage(), done()))

    deltas = ["output_text.delta"] * 2
    assert types_of(frames) == [*BEGUN, *TEXT_OPENED, *deltas, *TEXT_CLOSED, "completed"]
    assert [frame.number for frame in frames] == list(range(10))
    check_types(frames)


def test_the_data_of_a_frame_repeats_its_type_and_its_number() -> None:
    for frame in fold(log(token("Hi"), tool("c1"), result("c1"), done())):
        data = data_of(frame)
        assert (data["type"], data["sequence_number"]) == (frame.type, frame.number)


def test_a_message_grows_from_empty_to_completed() -> None:
    frames = fold(log(token("Hel"), token("lo"), done()))
    data = {frame.type: data_of(frame) for frame in frames}

    added = data["response.output_item.added"]["item"]
    message = {"id": f"msg_{REST}_1_0", "type": "message", "role": "assistant"}
    part = {"type": "output_text", "text": "Hello", "annotations": [], "logprobs": []}
    assert added == message | {"status": "in_progress", "content": []}
    assert data["response.content_part.added"]["part"] == part | {"text": ""}
    assert data["response.output_text.delta"]["delta"] == "lo"
    assert data["response.output_text.done"]["text"] == "Hello"
    assert data["response.content_part.done"]["part"] == part
    assert last_response(frames)["output"] == [message | {"status": "completed", "content": [part]}]


def test_a_background_response_is_queued_first() -> None:
    projection = ResponseProjection(replace(FACTS, is_background=True), {})
    before = projection.response().status

    frames = fold(log(token("Hi")), projection)[:3]

    assert before == "queued"
    assert types_of(frames) == ["created", "queued", "in_progress"]
    assert [data_of(frame)["response"]["status"] for frame in frames] == ["queued", "queued", "in_progress"]


def test_a_running_response_shows_its_output_so_far_and_no_usage() -> None:
    projection = ResponseProjection(FACTS, {})
    fold(log(tool("c1"), usage(), result("c1"), token("Hel", 2)), projection)

    response = msgspec.to_builtins(projection.response())

    assert response["status"] == "in_progress"
    assert response["usage"] is None
    assert [item["status"] for item in response["output"]] == ["completed", "in_progress"]
    assert Response.model_validate(response).output_text == "Hel"


def test_a_completed_response_has_its_time_and_the_usage_of_all_its_steps() -> None:
    frames = fold(log(tool("c1"), usage(), result("c1"), token("Hi", 2), usage(2, tokens=(20, 7, 0, 1)), done()))

    response = last_response(frames)

    assert response["completed_at"] == 1_700_000_009
    assert response["usage"] == {
        "input_tokens": 30,
        "input_tokens_details": {"cached_tokens": 4, "cache_write_tokens": 0},
        "output_tokens": 12,
        "output_tokens_details": {"reasoning_tokens": 3},
        "total_tokens": 42,
    }


def test_a_call_of_the_servers_is_one_item_with_its_result_and_the_message_comes_last() -> None:
    called = tool("c1", arguments='{"command":"ls"}')
    frames = fold(log(called, usage(), result("c1", "a b", is_error=False), token("Two.", 2), done()))

    text = [*TEXT_OPENED, "output_text.delta", *TEXT_CLOSED]
    assert types_of(frames) == [*BEGUN, *SERVED, "mcp_call.completed", "output_item.done", *text, "completed"]
    call, _ = last_response(frames)["output"]
    assert call == {
        "id": f"mcp_{REST}_1_0",
        "type": "mcp_call",
        "status": "completed",
        "server_label": "wakeful",
        "name": "terminal",
        "arguments": '{"command":"ls"}',
        "output": "a b",
        "error": None,
        "approval_request_id": None,
    }
    assert data_of(frames[2])["item"] == call | {"status": "in_progress", "arguments": "", "output": None}
    location = {"item_id": call["id"], "output_index": 0}
    assert [data_of(frame)["item_id"] for frame in frames[3:7]] == [location["item_id"]] * 4
    assert data_of(frames[5])["arguments"] == data_of(frames[4])["delta"] == '{"command":"ls"}'
    check_types(frames)


def test_a_call_of_the_servers_that_failed_has_the_sentence_instead_of_an_output() -> None:
    frames = fold(log(tool("c1"), usage(), result("c1", FAILURE, is_error=True), token("So.", 2), done()))

    assert types_of(frames)[6:8] == ["mcp_call.failed", "output_item.done"]
    call: Any = Response.model_validate(last_response(frames)).output[0]
    assert (call.status, call.output, call.error.content[0]["text"]) == ("failed", None, "There is no such file.")
    assert call.error.type == "mcp_tool_execution_error"
    check_types(frames)


def test_a_failure_of_another_shape_is_shown_whole() -> None:
    frames = fold(log(tool("c1"), usage(), result("c1", "[1]", is_error=True), token("So.", 2), done()))

    assert last_response(frames)["output"][0]["error"]["content"][0]["text"] == "[1]"


def test_calls_that_run_at_the_same_time_are_items_in_the_order_of_the_calls() -> None:
    results = [result("c2", "two"), result("c1", "one")]
    frames = fold(log(tool("c1"), tool("c2"), usage(), *results, token("Hi", 2), done()))

    assert [item["id"] for item in done_items(frames)[:2]] == [f"mcp_{REST}_1_1", f"mcp_{REST}_1_0"]
    assert [item.get("output") for item in last_response(frames)["output"]] == ["one", "two", None]


@pytest.mark.parametrize("last", [failed(), cancelled()])
def test_calls_of_a_turn_that_was_cut_off_are_closed_as_incomplete(last: NewEvent) -> None:
    frames = fold(log(tool("c1"), tool("c2"), usage(), result("c2"), last))

    assert [(item["id"], item["status"]) for item in done_items(frames)] == [
        (f"mcp_{REST}_1_1", "completed"),
        (f"mcp_{REST}_1_0", "incomplete"),
    ]
    assert [item["status"] for item in last_response(frames)["output"]] == ["incomplete", "completed"]
    check_types(frames)


@pytest.mark.parametrize(("written", "shown"), [("", "{}"), ("[1]", '{"invalid_json":"[1]"}'), ("{a", None)])
def test_the_arguments_of_a_call_of_the_servers_can_always_be_parsed(written: str, shown: str | None) -> None:
    frames = fold(log(tool("c1", arguments=written), usage(), result("c1"), done()))

    assert last_response(frames)["output"][0]["arguments"] == (shown or '{"invalid_json":"{a"}')


def test_a_server_tool_is_a_pair_where_the_response_was_made_so() -> None:
    turn_log = log(tool("c1", arguments='{"command":"ls"}'), usage(), result("c1", "a b"), token("Two.", 2), done())
    frames = fold(turn_log, with_pairs())

    text = [*TEXT_OPENED, "output_text.delta", *TEXT_CLOSED]
    assert types_of(frames) == [*BEGUN, *CALL, *RESULT, *text, "completed"]
    call, output, _ = last_response(frames)["output"]
    assert call == {
        "id": f"fc_{REST}_1_0",
        "type": "function_call",
        "status": "completed",
        "call_id": "c1",
        "name": "terminal",
        "arguments": '{"command":"ls"}',
    }
    assert output == {
        "id": f"fco_{REST}_1_0",
        "type": "function_call_output",
        "status": "completed",
        "call_id": "c1",
        "output": "a b",
    }
    assert data_of(frames[2])["item"] == call | {"status": "in_progress", "arguments": ""}
    check_types(frames)


def test_results_stand_in_the_order_in_which_they_came_and_keep_their_calls_number() -> None:
    turn_log = log(tool("c1"), tool("c2"), usage(), result("c2"), result("c1"), token("Hi", 2), done())
    frames = fold(turn_log, with_pairs())

    ids = [item["id"] for item in last_response(frames)["output"]]

    assert ids == [
        f"fc_{REST}_1_0",
        f"fc_{REST}_1_1",
        f"fco_{REST}_1_1",
        f"fco_{REST}_1_0",
        f"msg_{REST}_2_0",
    ]


def test_a_client_tool_is_a_call_alone_and_completes_the_response() -> None:
    frames = fold(log(token("Let me ask."), tool("c1", name="weather", client=True), usage(), done()))

    assert items_of(frames) == [("message", "completed"), ("function_call", "completed")]
    assert frames[-1].type == "response.completed"


def test_words_before_a_call_are_a_message_of_their_own() -> None:
    frames = fold(log(token("Look."), tool("c1"), usage(), result("c1"), token("Done.", 2), done()))

    kinds = [kind for kind, _ in items_of(frames)]

    assert kinds == ["message", "mcp_call", "message"]


def test_reasoning_is_an_item_that_is_done_when_the_words_begin() -> None:
    frames = fold(log(reasoning("Hm"), reasoning("m."), token("Hi"), done()))

    deltas = ["reasoning_text.delta"] * 2
    assert types_of(frames)[2:] == [
        *TEXT_OPENED,
        *deltas,
        *REASONING_CLOSED,
        *TEXT_OPENED,
        "output_text.delta",
        *TEXT_CLOSED,
        "completed",
    ]
    assert last_response(frames)["output"][0] == {
        "id": f"rs_{REST}_1_0",
        "type": "reasoning",
        "status": "completed",
        "summary": [],
        "content": [{"type": "reasoning_text", "text": "Hmm."}],
        "encrypted_content": None,
    }
    check_types(frames)


def test_reasoning_between_words_leaves_the_message_whole_and_last() -> None:
    turn_log = log(reasoning("a"), token('{"x":'), reasoning("b"), token("1}"), reasoning("c"), done())

    frames = fold(turn_log)

    output = last_response(frames)["output"]
    assert [item["id"] for item in output] == [f"rs_{REST}_1_0", f"rs_{REST}_1_1", f"msg_{REST}_1_0"]
    assert [item["content"][0]["text"] for item in output] == ["a", "bc", '{"x":1}']


def test_an_abandoned_answer_is_closed_and_left_out_and_its_retry_has_a_new_id() -> None:
    frames = fold(log(reasoning("Hm"), token("Hel"), abandoned(), reasoning("So"), token("Hello"), done()))

    closed = [(item["id"], item["status"]) for item in done_items(frames)]
    added = [data_of(frame)["output_index"] for frame in frames if frame.type == "response.output_item.added"]
    assert closed == [
        (f"rs_{REST}_1_0", "completed"),
        (f"msg_{REST}_1_0", "incomplete"),
        (f"rs_{REST}_1_1", "completed"),
        (f"msg_{REST}_1_1", "completed"),
    ]
    assert added == [0, 1, 2, 3]
    assert [item["id"] for item in last_response(frames)["output"]] == [f"rs_{REST}_1_1", f"msg_{REST}_1_1"]


def test_an_abandoned_step_leaves_the_steps_before_it_alone() -> None:
    frames = fold(log(tool("c1"), usage(), result("c1"), token("Hel", 2), abandoned(2), token("Hi", 2), done()))

    assert [kind for kind, _ in items_of(frames)] == ["mcp_call", "message"]


def test_a_step_abandoned_before_its_first_word_says_nothing() -> None:
    assert fold(log(abandoned(), token("Hi"), done())) == fold(log(token("Hi"), done()))


def test_a_failure_keeps_the_partial_text_and_says_why() -> None:
    frames = fold(log(token("Hel"), failed("model_rate_limited", "Too many requests.")))

    assert types_of(frames)[-3:] == ["output_item.done", "error", "failed"]
    why = {"code": "rate_limit_exceeded", "message": "Too many requests."}
    assert data_of(frames[-2]) == {"type": "error", "sequence_number": 8, **why, "param": None}
    assert last_response(frames)["error"] == why
    assert last_response(frames)["completed_at"] is None
    assert items_of(frames) == [("message", "incomplete")]
    assert last_response(frames)["output"][0]["content"][0]["text"] == "Hel"
    check_types(frames)


@pytest.mark.parametrize(
    ("code", "shown"),
    [
        ("model_rate_limited", "rate_limit_exceeded"),
        ("content_filter", "invalid_prompt"),
        ("step_limit", "server_error"),
    ],
)
def test_a_failure_has_a_code_that_the_sdk_knows(code: str, shown: str) -> None:
    response = Response.model_validate(last_response(fold(log(failed(code)))))

    assert response.error is not None
    assert response.error.code == shown


def test_a_context_that_overflows_has_the_word_that_clients_look_for() -> None:
    frames = fold(log(failed("context_overflow", "Too long.")))

    with sdk(stream_body(frames)) as client, client.responses.stream(model="wakeful", input="Hi") as stream:
        last: Any = list(stream)[-1]

    assert (last.type, last.response.error.code) == ("response.failed", "context_length_exceeded")


def test_a_cancelled_response_ends_with_the_event_for_that() -> None:
    frames = fold(log(reasoning("Hm"), cancelled()))

    assert frames[-1].type == "response.cancelled"
    assert last_response(frames)["status"] == "cancelled"
    assert last_response(frames)["error"] is None
    assert items_of(frames) == [("reasoning", "incomplete")]


def test_an_incomplete_response_closes_its_message_as_incomplete() -> None:
    frames = fold(log(token("Hel"), usage(), done("max_output_tokens")))

    assert frames[-1].type == "response.incomplete"
    assert last_response(frames)["incomplete_details"] == {"reason": "max_output_tokens"}
    assert last_response(frames)["completed_at"] is None
    assert items_of(frames) == [("message", "incomplete")]
    check_types(frames)


def test_a_turn_that_never_opened_still_begins_with_created() -> None:
    withdrawn = log(NewEvent.of(events.CANCELLED, {"reason": "withdrawn"}))[-1:]

    assert types_of(fold(withdrawn)) == [*BEGUN, "cancelled"]


def test_the_snapshot_has_the_number_of_the_last_frame_and_the_partial_text() -> None:
    projection = ResponseProjection(FACTS, {})
    frames = fold(log(token("Hel")), projection)

    snapshot = projection.snapshot()
    after = projection.feed(log(token("lo"))[-1])

    assert (snapshot.number, snapshot.type) == (frames[-1].number, "response.snapshot")
    data = data_of(snapshot)
    assert data["sequence_number"] == frames[-1].number
    assert data["response"]["output"][0]["content"][0]["text"] == "Hel"
    assert after[0].number == frames[-1].number + 1


def test_the_stream_helper_follows_tools_reasoning_and_a_retry_to_the_final_text() -> None:
    new_events = [reasoning("Hm"), token("Look."), tool("c1"), tool("c2"), usage(), result("c2"), result("c1")]
    frames = fold(log(*new_events, token("He", 2), abandoned(2), token("Hel", 2), token("lo", 2), usage(2), done()))

    with sdk(stream_body(frames)) as client, client.responses.stream(model="wakeful", input="Hi") as stream:
        seen = [(event.sequence_number, event.type) for event in stream]
        final = stream.get_final_response()

    assert seen == [(frame.number, frame.type) for frame in frames]
    assert final.output_text == "Look.Hello"
    assert final.usage is not None
    assert final.usage.total_tokens == 30


def test_the_stream_helper_resumes_a_stream_that_it_reads_from_its_beginning() -> None:
    frames = fold(log(token("a"), token("b"), done()))

    with sdk(stream_body(frames)) as client, client.responses.stream(response_id=FACTS.id, starting_after=4) as stream:
        seen = [event.sequence_number for event in stream]

    assert seen == [frame.number for frame in frames if frame.number > 4]


@pytest.mark.parametrize("last", [failed(), cancelled(), done("max_output_tokens")])
def test_the_stream_helper_reads_every_other_end_without_raising(last: NewEvent) -> None:
    frames = fold(log(token("Hel"), last))

    with sdk(stream_body(frames)) as client, client.responses.stream(model="wakeful", input="Hi") as stream:
        seen = [event.type for event in stream]

    assert seen[-1] in TERMINAL
    assert seen == [frame.type for frame in frames]


def test_a_snapshot_at_the_join_does_not_disturb_the_stream_helper() -> None:
    projection = ResponseProjection(FACTS, {})
    before = fold(log(token("Hel")), projection)
    joined = [*before, projection.snapshot(), *fold(log(token("lo"), done())[2:], projection)]

    with sdk(stream_body(joined)) as client, client.responses.stream(model="wakeful", input="Hi") as stream:
        final = stream.get_final_response()

    assert final.output_text == "Hello"


def test_a_structured_answer_is_parsed_whole() -> None:
    frames = fold(log(token('{"x":'), reasoning("b"), token("1}"), done()))

    with (
        sdk(stream_body(frames)) as client,
        client.responses.stream(model="wakeful", input="Hi", text_format=_Point) as stream,
    ):
        final = stream.get_final_response()

    assert final.output_parsed == _Point(x=1)
