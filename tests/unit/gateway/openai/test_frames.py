"""Frames on the wire."""

from wakeful.gateway.openai.frames import NumberedFrame


def test_a_frame_is_its_name_and_its_data_and_an_empty_line() -> None:
    assert NumberedFrame(3, "response.queued", b'{"a":1}').wire == b'event: response.queued\ndata: {"a":1}\n\n'
