"""What holds for the stream of every response, whatever its turn went through."""

from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st
from openai.types.responses import Response

from tests.unit.gateway.openai.kit import (
    FACTS,
    TERMINAL,
    check_types,
    data_of,
    fold,
    last_response,
    sdk,
    stream_body,
    with_words,
)
from tests.unit.gateway.openai.logs import randomly, spoken, turn_logs
from wakeful.gateway.openai.responses.projection import ResponseProjection
from wakeful.model.event import Event


@randomly
@given(turn_logs(), st.data())
def test_the_frames_of_a_shorter_log_are_the_first_of_the_longer(turn_log: list[Event], data: Any) -> None:
    length = data.draw(st.integers(0, len(turn_log)))
    frames = fold(turn_log)

    first = fold(turn_log[:length])

    assert frames[: len(first)] == first


@randomly
@given(turn_logs())
def test_words_make_the_frames_that_they_made_as_events(turn_log: list[Event]) -> None:
    assert fold(with_words(turn_log)) == fold(turn_log)


@randomly
@given(turn_logs())
def test_numbers_have_no_gap_and_the_one_terminal_event_is_last(turn_log: list[Event]) -> None:
    frames = fold(turn_log)

    assert [frame.number for frame in frames] == list(range(len(frames)))
    assert [frame for frame in frames if frame.type in TERMINAL] == frames[-1:]
    check_types(frames)


@randomly
@given(turn_logs())
def test_the_object_at_the_end_is_that_of_the_terminal_event(turn_log: list[Event]) -> None:
    projection = ResponseProjection(FACTS, {})

    frames = fold(turn_log, projection)

    assert msgspec.to_builtins(projection.response()) == last_response(frames)


@randomly
@given(turn_logs())
def test_the_output_holds_what_was_said_and_nothing_that_is_still_open(turn_log: list[Event]) -> None:
    response = last_response(fold(turn_log))

    assert Response.model_validate(response).output_text == spoken(turn_log)
    assert {item["status"] for item in response["output"]} <= {"completed", "incomplete", "failed"}


@randomly
@given(turn_logs())
def test_every_item_is_opened_once_closed_once_and_keeps_its_identity(turn_log: list[Event]) -> None:
    frames = fold(turn_log)
    opened = [data_of(frame) for frame in frames if frame.type == "response.output_item.added"]
    closed = [data_of(frame) for frame in frames if frame.type == "response.output_item.done"]

    ids = {data["output_index"]: data["item"]["id"] for data in opened}

    assert list(ids) == list(range(len(opened)))
    assert len(set(ids.values())) == len(opened)
    assert {data["output_index"]: data["item"]["id"] for data in closed} == ids
    assert len(closed) == len(opened)
    final = {data["item"]["id"]: data["item"] for data in closed}
    assert all(item == final[item["id"]] for item in last_response(frames)["output"])


@randomly
@given(turn_logs(ends=True))
def test_the_stream_helper_comes_to_the_same_text(turn_log: list[Event]) -> None:
    frames = fold(turn_log)

    with sdk(stream_body(frames)) as client, client.responses.stream(model="wakeful", input="Hi") as stream:
        seen = [event.sequence_number for event in stream]
        final = stream.get_final_response()

    assert seen == list(range(len(frames)))
    assert final.output_text == spoken(turn_log)
