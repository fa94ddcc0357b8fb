"""A message on its way in, and its receipt."""

import pytest

from tests.store.nouns import ADDRESS, DOOR, a_turn
from wakeful.engine.inbox.submission import Receipt, Submission
from wakeful.model.inbox import IfBusy


@pytest.mark.parametrize("if_busy", list(IfBusy))
def test_only_a_message_that_wants_to_interrupts(if_busy: IfBusy) -> None:
    message = Submission("s1", "hello", DOOR, ADDRESS, "m1", "demo:model", if_busy=if_busy)

    assert message.interrupts is (if_busy is IfBusy.INTERRUPT)


def test_a_message_waits_and_asks_for_nothing_unless_it_says_so() -> None:
    message = Submission("s1", "hello", DOOR, ADDRESS, "m1", "demo:model")

    assert (message.if_busy, message.interrupts) == (IfBusy.QUEUE, False)
    assert (message.from_checkpoint, message.is_by_hand, message.request.kind) == (False, False, "")


def test_the_receipt_of_a_message_that_has_opened_its_turn_brings_the_turn() -> None:
    assert Receipt.opened(a_turn()) == Receipt("s1", "t1", is_queued=False, turn=a_turn())
