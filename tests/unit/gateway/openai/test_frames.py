"""Frames on the wire, and a stream taken up again."""

from tests.unit.gateway.openai.kit import FACTS, done, fold, log, token
from wakeful.gateway.openai.frames import Frame, resume
from wakeful.gateway.openai.response_projection import ResponseProjection


def test_a_frame_is_its_name_and_its_data_and_an_empty_line() -> None:
    assert Frame(3, "response.queued", b'{"a":1}').wire == b'event: response.queued\ndata: {"a":1}\n\n'


def test_a_resumed_stream_has_exactly_the_frames_after_the_cursor() -> None:
    turn_log = log(token("a"), token("b"), done())
    frames = fold(turn_log)

    rest = list(resume(ResponseProjection(FACTS, {}), turn_log, 3))

    assert rest == frames[4:]
    assert rest[0].number == 4


def test_a_cursor_at_the_last_frame_leaves_nothing_and_minus_one_everything() -> None:
    turn_log = log(token("a"), done())
    frames = fold(turn_log)

    assert list(resume(ResponseProjection(FACTS, {}), turn_log, frames[-1].number)) == []
    assert list(resume(ResponseProjection(FACTS, {}), turn_log, -1)) == frames
