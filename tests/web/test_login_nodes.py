"""Logins where several servers share a database."""

import asyncio

import pytest

from wakeful.gateway.entrance.logins.desk import LoginDesk, TokenUsed, Visitor
from wakeful.store.postgres.store import PostgresStore


async def test_a_token_of_one_node_is_good_at_another_once_and_so_is_the_login(postgres_url: str) -> None:
    stores = [PostgresStore(postgres_url), PostgresStore(postgres_url)]
    for store in stores:
        await store.open()
    try:
        here, there = (LoginDesk(store, ["ann"]) for store in stores)
        token = await here.new_ticket("ann")

        both = await asyncio.gather(
            here.redeem(token, Visitor()), there.redeem(token, Visitor()), return_exceptions=True
        )

        secret = next(found for found in both if isinstance(found, str))
        assert [type(found) for found in both if not isinstance(found, str)] == [TokenUsed]
        assert await here.login_of(secret) == await there.login_of(secret) is not None
        with pytest.raises(TokenUsed):
            await there.redeem(token, Visitor())
        await there.log_out(secret)
        assert await here.login_of(secret) is None
    finally:
        for store in stores:
            await store.close()
