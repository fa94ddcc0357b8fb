"""Message ids of Telegram: which a message may have whose send went unanswered."""

import pytest

from wakeful.gateway.platforms.telegram.ids import KnownIds

GROUP, SUPERGROUP = "-99", "-1000000000001"


def known(chat_id: str, *message_ids: int) -> KnownIds:
    ids = KnownIds()
    for message_id in message_ids:
        ids.note(chat_id, message_id)
    return ids


@pytest.mark.parametrize(
    ("chat_id", "highest"), [("7", 5), (GROUP, 5), ("-1000000000000", 0), (SUPERGROUP, 0), ("@channel", 0)]
)
def test_private_chats_and_basic_groups_share_a_counter(chat_id: str, highest: int) -> None:
    assert known("8", 5, 3).highest(chat_id) == highest


@pytest.mark.parametrize("chat_id", ["-1000000000000", SUPERGROUP, "@channel"])
def test_each_supergroup_and_channel_has_its_own(chat_id: str) -> None:
    ids = known(chat_id, 3, 5)

    assert (ids.highest(chat_id), ids.highest("7"), ids.highest("-1000000000009")) == (5, 0, 0)


def test_a_lost_message_has_one_of_the_ids_after_the_last_that_are_not_known() -> None:
    assert known("7", 5, 7).unknown_after("7", 5) == [6, 8, 9, 10, 11, 12, 13, 14, 15]
    assert known("7", 5, 20).unknown_after("7", 5) == list(range(6, 20))
    assert known("7").unknown_after("7", 5) == list(range(6, 16))


def test_of_too_many_none_is_asked_for() -> None:
    assert known("7", 56).unknown_after("7", 5) == list(range(6, 56))
    assert known("7", 57).unknown_after("7", 5) is None


def test_the_highest_thousand_are_kept_and_below_them_nothing_is_sure() -> None:
    ids = known("7", *range(1, 2001))

    assert ids.highest("7") == 2000
    assert ids.unknown_after("7", 999) is None
    assert ids.unknown_after("7", 1000) == []
    assert ids.unknown_after("7", 1995) == list(range(2001, 2006))


def test_no_more_than_two_thousand_are_kept_in_mind() -> None:
    ids = known("7", *range(1, 10_001))

    assert len(ids._series[""]._known) < 2000
