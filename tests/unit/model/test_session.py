"""Addresses of a session, as the stores keep them."""

from tests.store.nouns import a_session
from wakeful.model.session import NO_SENDER, Address, Marks, Sender, Session
from wakeful.model.spend import Spend


def test_where_no_platform_is_involved_nothing_is_kept_of_the_sender() -> None:
    assert NO_SENDER.packed == b""
    assert Sender.unpacked(b"") == NO_SENDER


def test_a_sender_comes_back_as_it_was_kept_without_what_is_empty() -> None:
    sender = Sender("7", user_name="Ann")

    assert sender.packed == b'{"message_id":"7","user_name":"Ann"}'
    assert Sender.unpacked(sender.packed) == sender


def test_an_address_without_its_anchor_replies_to_no_message() -> None:
    address = Address("telegram", "1", "2", Sender("7", "ann"))

    assert address.without_anchor() == address
    assert address.without_anchor().sender == Sender(user_id="ann")


def test_a_session_tells_what_its_answers_have_cost() -> None:
    session = a_session(input_tokens=9, output_tokens=4, cost_usd=0.5, unpriced_tokens=2)

    assert session.spend == Spend(9, 4, 0.5, 2)


def test_a_new_session_is_shown_and_has_neither_cost_nor_done_anything() -> None:
    session, marks = Session("s1", "ann", Address("web")), Marks()

    assert (session.is_shown, session.is_deleted, session.spend) == (True, False, Spend())
    assert (session.is_held, session.is_blocked, session.is_pinned, session.is_archived) == (False,) * 4
    assert (session.last_seq, session.closed_seq, session.message_count, session.title_tries) == (0,) * 4
    assert session.context_tokens == 0
    assert (marks.running_tasks, marks.open_approvals, marks.is_unread, marks.is_woken) == (0, 0, False, False)
