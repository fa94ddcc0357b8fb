"""Chats, posts, pairings and the states of doors, as rows."""

from dataclasses import replace

import pytest

from wakeful.model.messaging.chat import Chat, ChatKind
from wakeful.model.messaging.door import DoorState, DoorStatus
from wakeful.model.messaging.pairing import Pairing
from wakeful.model.messaging.post import Post, PostKind, PostState
from wakeful.model.session import NO_SENDER, Address, Sender
from wakeful.store.rows.messaging import (
    CHAT,
    PAIRING,
    POST,
    chat_from,
    chat_values,
    door_status_from,
    door_status_values,
    packed,
    packed_columns,
    pairing_from,
    pairing_values,
    post_from,
    post_values,
)

# Each value is another one, so that no two columns can be mistaken for each other.
CHAT_OF_GROUP = Chat("telegram:group:-100:7", "telegram", ChatKind.GROUP, "-100", "7", "s1", "Kitchen", "55", 100.0)
PAIRING_OF_ADA = Pairing("telegram", "9", "Ada", "123456", 10.0, 20.0)
SENT = Post(
    "post_1",
    "turn_1.1",
    Address("telegram", "-100", "7", Sender("55", "9", "Ada \N{CHERRIES}", "Kitchen", "telegram:group:-100:7")),
    PostKind.APPROVAL,
    "May\0 I? \N{CHERRIES}",
    session_id="s1",
    turn_id="t1",
    position=3,
    part=2000,
    state=PostState.SENT,
    shown="May I?",
    tries=4,
    message_id="56",
    is_marked=True,
    highest_id=54,
    error="Too fast.",
    not_before=11.0,
    attempted_at=12.0,
    sent_at=13.0,
    created_at=10.0,
    details={"call_id": "c1", "choices": ["once", "deny"]},
)


def a_row(post: Post) -> dict[str, object]:
    return dict(zip(POST, post_values(post), strict=True))


@pytest.mark.parametrize("kind", ChatKind)
def test_a_chat_comes_back_whole(kind: ChatKind) -> None:
    chat = replace(CHAT_OF_GROUP, kind=kind)

    found = chat_from(dict(zip(CHAT, chat_values(chat), strict=True)))

    assert found == chat
    assert isinstance(found.kind, ChatKind)


@pytest.mark.parametrize("paired_at", [None, 20.0])
def test_a_pairing_comes_back_whole_before_and_after_a_person_is_let_in(paired_at: float | None) -> None:
    pairing = replace(PAIRING_OF_ADA, paired_at=paired_at)

    assert pairing_from(dict(zip(PAIRING, pairing_values(pairing), strict=True))) == pairing


@pytest.mark.parametrize("state", DoorState)
def test_the_state_of_a_door_comes_back_whole(state: DoorState) -> None:
    status = DoorStatus(state, 5.0, "wakeful_bot", "No answer.")
    row = dict(zip(("state", "since", "bot", "error"), door_status_values(status), strict=True))

    assert door_status_from(row) == status
    assert isinstance(door_status_from(row).state, DoorState)


@pytest.mark.parametrize("post", [SENT, replace(SENT, is_marked=False, is_plain=True)], ids=["marked", "plain"])
def test_a_post_comes_back_whole(post: Post) -> None:
    found = post_from(a_row(post))

    assert found == post
    # Two addresses are equal whoever has written.
    assert found.address.sender == post.address.sender
    assert isinstance(found.kind, PostKind)
    assert isinstance(found.state, PostState)


def test_a_post_that_nothing_is_known_of_comes_back_as_it_began() -> None:
    post = Post("post_2", "k", Address("webhook", "receiver", "event"), PostKind.EVENT, "{}")

    found = post_from(a_row(post))

    assert found == post
    assert found.address.sender is NO_SENDER
    assert (found.details, found.shown, found.sent_at) == ({}, "", None)


def test_numbers_of_a_database_without_booleans_are_read_as_such() -> None:
    found = post_from(a_row(SENT) | {"is_marked": 0, "is_plain": 1})

    assert found.is_marked is False
    assert found.is_plain is True


def test_texts_of_a_post_are_kept_as_bytes_and_other_columns_as_they_are() -> None:
    assert packed("wanted", "a\0\N{CHERRIES}") == b"a\0\xf0\x9f\x8d\x92"
    assert packed("shown", "a") == b"a"
    assert packed("details", {"path": "a"}) == b'{"path":"a"}'
    assert packed("error", "a") == "a"
    assert packed("sent_at", None) is None
    assert packed_columns(SENT, ["shown", "tries"]) == (b"May I?", 4)
