"""Rows that are no longer needed are deleted after their time."""

from dataclasses import replace
from functools import partial

import pytest

from tests.engine.kit import House, Node, finish, open_session, send
from wakeful.engine.upkeep import janitor
from wakeful.model.api.conversation import IdempotencyKey
from wakeful.model.messaging.post import Post, PostKind, PostState
from wakeful.model.session import Address
from wakeful.store.base import Transaction
from wakeful.store.postgres.tables.sessions.purges import PostgresPurges
from wakeful.store.sqlite.tables.sessions.purges import SqlitePurges

_DAY = 24 * 3600.0


async def test_a_key_is_forgotten_a_day_after_its_turn_has_ended(house: House, node: Node) -> None:
    session = await open_session(node)
    receipt = await send(node, session, "hello")
    await house.store.write(partial(_reserve, IdempotencyKey("me", "k", "body", receipt.turn_id, house.clock.now)))
    await pass_time(house, 2 * _DAY)
    assert await has_key(house)

    await finish(node, house, receipt)
    await pass_time(house, _DAY - 1)
    assert await has_key(house)
    await pass_time(house, 700)

    assert not await has_key(house)


async def test_a_webhook_that_was_refused_is_forgotten_a_month_later_and_one_that_waits_is_not(
    house: House, node: Node
) -> None:
    refused = Post("p1", "k1", Address("webhook", "there", "e1"), PostKind.EVENT, "{}", created_at=house.clock.time())
    for post in (replace(refused, state=PostState.REFUSED), replace(refused, id="p2", key="k2")):
        await house.store.write(partial(_put, post))

    await pass_time(house, 30 * _DAY - 1)
    assert await post_ids(house) == ["p2", "p1"]
    await pass_time(house, 700)

    assert await post_ids(house) == ["p2"]


async def test_a_sweep_goes_on_until_nothing_old_is_left(
    house: House, node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(janitor, "_BATCH", 2)
    refused = Post("", "", Address("webhook", "there"), PostKind.EVENT, "{}", state=PostState.REFUSED)
    for name in ("p1", "p2", "p3", "p4", "p5"):
        await house.store.write(partial(_put, replace(refused, id=name, key=name)))

    await pass_time(house, 31 * _DAY)

    assert await post_ids(house) == []


async def test_free_space_is_given_back_in_steps_with_pauses_until_there_is_none(
    house: House, node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(janitor, "_PERIOD_SECONDS", 10 * _DAY)
    await pass_time(house, _DAY)
    steps: list[float] = []

    async def give_space_back(_: object, pages: int) -> bool:
        steps.append(house.clock.now)
        return len(steps) < 3

    for purges in (SqlitePurges, PostgresPurges):
        monkeypatch.setattr(purges, "give_space_back", give_space_back)
    await pass_time(house, 700)
    assert len(steps) == 1
    for _ in range(5):
        await pass_time(house, 1)

    assert len(steps) == 3
    assert len(set(steps)) == 3


async def pass_time(house: House, seconds: float) -> None:
    await house.advance(seconds)
    await house.settle()


async def has_key(house: House) -> bool:
    return await house.store.read(lambda tx: tx.idempotency_keys.find("me", "k")) is not None


async def post_ids(house: House) -> list[str]:
    return sorted((post.id for post in await house.store.read(lambda tx: tx.posts.page(limit=9))), reverse=True)


async def _put(post: Post, tx: Transaction) -> None:
    await tx.posts.put(post)


async def _reserve(key: IdempotencyKey, tx: Transaction) -> None:
    await tx.idempotency_keys.reserve(key)
