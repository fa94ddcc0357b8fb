"""A client that reads something now and then is not idle, however slowly it reads."""

from asyncio import Transport
from typing import cast

from wakeful.wire.uptake import Uptake


class Line:
    def __init__(self) -> None:
        self.unsent = 0

    def get_write_buffer_size(self) -> int:
        return self.unsent


def uptake_of(line: Line) -> Uptake:
    return Uptake(cast(Transport, line), now=100)


def test_a_client_that_reads_nothing_is_idle_until_it_reads_one_byte() -> None:
    line = Line()
    uptake = uptake_of(line)

    uptake.add(500)
    line.unsent = 512  # with what its encoding adds to the piece
    assert uptake.idle_seconds(107) == 7
    line.unsent = 511
    assert uptake.idle_seconds(108) == 0
    assert uptake.idle_seconds(109) == 1


def test_a_client_that_reads_as_much_as_is_sent_is_not_idle() -> None:
    line = Line()
    uptake = uptake_of(line)
    uptake.add(600)
    line.unsent = 600

    for now in range(101, 110):
        uptake.idle_seconds(now)
        uptake.add(50)

    assert uptake.idle_seconds(110) == 0


def test_a_client_that_has_nothing_left_to_read_is_not_idle() -> None:
    uptake = uptake_of(Line())

    assert uptake.idle_seconds(130) == 0
    assert uptake.idle_seconds(160) == 0


def test_a_client_whose_line_does_not_show_what_it_reads_is_never_idle() -> None:
    uptake = Uptake(None, now=100)

    uptake.add(500)

    assert uptake.unsent == 0
    assert uptake.idle_seconds(200) == 0
