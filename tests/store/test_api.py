"""What the OpenAI-compatible API stores: conversations, idempotency keys, and the requests of turns."""

import asyncio
from functools import partial

import pytest

from tests.store.conftest import FakeClock
from tests.store.nouns import a_turn, have_closed_turn, have_session, have_turn
from wakeful.model.api.conversation import Conversation, IdempotencyKey
from wakeful.model.api.request import ClientTool, TurnRequest, request_from
from wakeful.store.base import Store, Transaction

NAMED = Conversation("conv_1", "alice", "s1", "plans", b'{"topic": "garden"}', 12.5)
KEY = IdempotencyKey("alice", "k", "body1", "t1", 12.5)


async def test_a_conversation_is_found_by_its_id_its_name_and_its_session(store: Store) -> None:
    await have_session(store)

    assert await store.write(lambda tx: tx.conversations.create_if_absent(NAMED))

    assert await store.read(lambda tx: tx.conversations.get("conv_1")) == NAMED
    assert await store.read(lambda tx: tx.conversations.named("alice", "plans")) == NAMED
    assert await store.read(lambda tx: tx.conversations.of_session("s1")) == NAMED


async def test_what_is_not_there_is_none(store: Store) -> None:
    assert await store.read(lambda tx: tx.conversations.get("conv_1")) is None
    assert await store.read(lambda tx: tx.conversations.named("alice", "plans")) is None
    assert await store.read(lambda tx: tx.conversations.of_session("s1")) is None


async def test_an_owner_has_one_conversation_of_a_name(store: Store) -> None:
    await have_session(store)
    await have_session(store, "s2")
    second = Conversation("conv_2", "alice", "s2", "plans")
    of_another_owner = Conversation("conv_3", "bob", "s2", "plans")

    await store.write(lambda tx: tx.conversations.create_if_absent(NAMED))

    assert not await store.write(lambda tx: tx.conversations.create_if_absent(second))
    assert await store.write(lambda tx: tx.conversations.create_if_absent(of_another_owner))
    assert await store.read(lambda tx: tx.conversations.named("alice", "plans")) == NAMED
    assert await store.read(lambda tx: tx.conversations.named("bob", "plans")) == of_another_owner


async def test_conversations_without_a_name_do_not_get_in_each_others_way(store: Store) -> None:
    for number in (1, 2):
        await have_session(store, f"s{number}")
        nameless = Conversation(f"conv_{number}", "alice", f"s{number}")
        assert await store.write(partial(_create, nameless))

    assert await store.read(lambda tx: tx.conversations.named("alice", "")) is None


async def test_a_conversations_metadata_can_be_changed(store: Store) -> None:
    await have_session(store)
    await store.write(lambda tx: tx.conversations.create_if_absent(NAMED))

    await store.write(lambda tx: tx.conversations.change("conv_1", b"{}"))

    found = await store.read(lambda tx: tx.conversations.get("conv_1"))
    assert found is not None
    assert (found.metadata, found.name) == (b"{}", "plans")


async def test_a_deleted_conversation_gives_its_name_back_and_leaves_its_turns(store: Store) -> None:
    await have_closed_turn(store)
    await store.write(lambda tx: tx.conversations.create_if_absent(NAMED))

    await store.write(lambda tx: tx.conversations.delete("conv_1"))

    assert await store.read(lambda tx: tx.conversations.get("conv_1")) is None
    assert await store.read(lambda tx: tx.conversations.of_session("s1")) is None
    assert await store.read(lambda tx: tx.turns.get("t1")) is not None
    assert await store.write(lambda tx: tx.conversations.create_if_absent(NAMED))


async def test_the_first_reservation_of_a_key_wins(store: Store) -> None:
    later = IdempotencyKey("alice", "k", "body2", "t2", 99.0)

    assert await store.write(lambda tx: tx.idempotency_keys.reserve(KEY)) == KEY
    assert await store.write(lambda tx: tx.idempotency_keys.reserve(later)) == KEY
    assert await store.read(lambda tx: tx.idempotency_keys.find("alice", "k")) == KEY


async def test_a_key_without_a_reservation_is_not_found(store: Store) -> None:
    await store.write(lambda tx: tx.idempotency_keys.reserve(KEY))

    assert await store.read(lambda tx: tx.idempotency_keys.find("bob", "k")) is None
    assert await store.read(lambda tx: tx.idempotency_keys.find("alice", "other")) is None


@pytest.mark.parametrize("other", [IdempotencyKey("bob", "k", "b", "t2"), IdempotencyKey("alice", "K", "b", "t2")])
async def test_a_key_of_another_owner_or_spelling_is_another_key(store: Store, other: IdempotencyKey) -> None:
    await store.write(lambda tx: tx.idempotency_keys.reserve(KEY))

    assert await store.write(lambda tx: tx.idempotency_keys.reserve(other)) == other


async def test_a_key_is_free_again_when_its_transaction_was_undone(store: Store) -> None:
    async def fail(tx: Transaction) -> None:
        await tx.idempotency_keys.reserve(KEY)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await store.write(fail)

    second = IdempotencyKey("alice", "k", "body2", "t2", 13.0)
    assert await store.write(lambda tx: tx.idempotency_keys.reserve(second)) == second


async def test_a_key_is_free_again_some_time_after_its_turn_has_ended(store: Store, clock: FakeClock) -> None:
    await have_closed_turn(store)
    await store.write(lambda tx: tx.idempotency_keys.reserve(KEY))

    # Not before it ended, though the key is older than that.
    assert await store.write(lambda tx: tx.idempotency_keys.drop_old(clock.now, 9)) == 0
    assert await store.write(lambda tx: tx.idempotency_keys.drop_old(clock.now + 1, 9)) == 1

    second = IdempotencyKey("alice", "k", "body2", "t2", 13.0)
    assert await store.write(lambda tx: tx.idempotency_keys.reserve(second)) == second


async def test_a_key_lives_while_its_turn_runs(store: Store) -> None:
    await have_turn(store)
    await store.write(lambda tx: tx.idempotency_keys.reserve(KEY))

    assert await store.write(lambda tx: tx.idempotency_keys.drop_old(1e12, 9)) == 0
    assert await store.read(lambda tx: tx.idempotency_keys.find("alice", "k")) == KEY


async def test_keys_are_dropped_few_at_a_time_the_oldest_first(store: Store) -> None:
    await have_closed_turn(store)
    for number in range(3):
        key = IdempotencyKey("alice", f"k{number}", "body", "t1", 20.0 - number)
        await store.write(partial(_reserve, key))

    assert await store.write(lambda tx: tx.idempotency_keys.drop_old(1e12, 2)) == 2
    assert await store.read(lambda tx: tx.idempotency_keys.find("alice", "k0")) is not None
    assert await store.write(lambda tx: tx.idempotency_keys.drop_old(1e12, 2)) == 1


async def test_of_many_who_reserve_a_key_at_once_one_gets_it(store: Store) -> None:
    keys = [IdempotencyKey("alice", "k", "body", f"t{number}") for number in range(20)]

    found = await asyncio.gather(*(store.write(partial(_reserve, key), lock=[key.turn_id]) for key in keys))

    assert len({key.turn_id for key in found}) == 1


async def test_what_was_asked_of_a_turn_is_read_back(store: Store) -> None:
    tool = ClientTool("look", "sees", {"type": "object"})
    asked = TurnRequest("response", "Be brief.", (tool,), {"temperature": 0.5}, {"metadata": {"a": "ä"}})
    await have_turn(store, request=asked.dump())

    turn = await store.read(lambda tx: tx.turns.get("t1"))

    assert turn is not None
    assert request_from(turn.request) == asked


async def test_a_turn_of_another_door_was_asked_nothing(store: Store) -> None:
    await have_turn(store)

    turn = await store.read(lambda tx: tx.turns.get("t1"))

    assert turn == a_turn()
    assert request_from(turn.request) == TurnRequest()


async def test_a_hidden_turn_is_marked_and_its_descendants_are_as_they_were(store: Store) -> None:
    await have_closed_turn(store)
    await have_closed_turn(store, "t2", parent="t1")

    await store.write(lambda tx: tx.turns.hide("t1"), lock=["s1"])

    chain = await store.read(lambda tx: tx.turns.chain("t2", 9))
    assert [(turn.id, turn.is_hidden) for turn in chain] == [("t2", False), ("t1", True)]


async def _create(conversation: Conversation, tx: Transaction) -> bool:
    return await tx.conversations.create_if_absent(conversation)


async def _reserve(key: IdempotencyKey, tx: Transaction) -> IdempotencyKey:
    return await tx.idempotency_keys.reserve(key)
