"""Logins and tickets: one ticket lets one browser in, and what has expired goes."""

import asyncio
from dataclasses import replace

from wakeful.model.login import Login, Ticket
from wakeful.store.base import Store

TICKET = Ticket("ticket-digest", "alice", created_at=10.0, expires_at=20.0)
LOGIN = Login("login-digest", "alice", 10.0, used_at=10.0, expires_at=40.0, browser="Firefox/1", address="10.0.0.7")


async def test_a_ticket_is_found_by_its_digest(store: Store) -> None:
    await store.write(lambda tx: tx.logins.add_ticket(TICKET))

    assert await store.read(lambda tx: tx.logins.ticket("ticket-digest")) == TICKET
    assert await store.read(lambda tx: tx.logins.ticket("other")) is None


async def test_a_ticket_is_used_once_and_remembers_when(store: Store) -> None:
    await store.write(lambda tx: tx.logins.add_ticket(TICKET))

    assert await _use(store, now=12.0)
    assert not await _use(store, now=13.0)

    used = await store.read(lambda tx: tx.logins.ticket("ticket-digest"))
    assert used is not None
    assert used.used_at == 12.0


async def test_of_many_who_use_a_ticket_at_once_one_does(store: Store) -> None:
    await store.write(lambda tx: tx.logins.add_ticket(TICKET))

    assert sum(await asyncio.gather(*(_use(store, now=12.0) for _ in range(8)))) == 1


async def test_a_ticket_that_is_not_there_cannot_be_used(store: Store) -> None:
    assert not await _use(store, now=12.0)


async def test_a_login_is_found_by_its_digest_until_it_is_dropped(store: Store) -> None:
    await store.write(lambda tx: tx.logins.add(LOGIN))
    assert await _login(store) == LOGIN

    await store.write(lambda tx: tx.logins.drop("login-digest"))

    assert await _login(store) is None
    await store.write(lambda tx: tx.logins.drop("login-digest"))


async def test_a_login_that_is_used_lasts_longer(store: Store) -> None:
    await store.write(lambda tx: tx.logins.add(LOGIN))

    await store.write(lambda tx: tx.logins.prolong("login-digest", used_at=15.0, expires_at=45.0))

    assert await _login(store) == replace(LOGIN, used_at=15.0, expires_at=45.0)


async def test_what_has_expired_is_dropped_and_the_rest_stays(store: Store) -> None:
    await store.write(lambda tx: tx.logins.add_ticket(TICKET))
    await store.write(lambda tx: tx.logins.add(LOGIN))

    await store.write(lambda tx: tx.logins.drop_expired(20.0))

    assert await store.read(lambda tx: tx.logins.ticket("ticket-digest")) is None
    assert await _login(store) == LOGIN

    await store.write(lambda tx: tx.logins.drop_expired(40.0))

    assert await _login(store) is None


async def test_logins_are_listed_of_one_or_of_all_the_one_used_last_first(store: Store) -> None:
    early = replace(LOGIN, digest="early", used_at=5.0)
    of_bob = replace(LOGIN, digest="of-bob", principal="bob", used_at=20.0)
    for login in (early, LOGIN, of_bob):
        await _add(store, login)

    assert await store.read(lambda tx: tx.logins.page("alice", 10)) == [LOGIN, early]
    assert await store.read(lambda tx: tx.logins.page(None, 2)) == [of_bob, LOGIN]


async def test_all_that_lets_one_in_is_dropped_or_all_that_lets_anyone_in(store: Store) -> None:
    of_bob = replace(LOGIN, digest="of-bob", principal="bob")
    await _add(store, LOGIN)
    await _add(store, of_bob)
    await store.write(lambda tx: tx.logins.add_ticket(TICKET))

    await store.write(lambda tx: tx.logins.drop_of("alice"))

    assert await store.read(lambda tx: tx.logins.page(None, 10)) == [of_bob]
    assert await store.read(lambda tx: tx.logins.ticket("ticket-digest")) is None

    await store.write(lambda tx: tx.logins.drop_of(None))

    assert await store.read(lambda tx: tx.logins.page(None, 10)) == []


async def test_a_seal_is_kept_for_each_home_and_principal(store: Store) -> None:
    for home, principal, seal in (("a", "alice", "1"), ("a", "bob", "2"), ("b", "alice", "3"), ("a", "alice", "4")):
        await _put_seal(store, home, principal, seal)

    assert await store.read(lambda tx: tx.logins.seals("a")) == {"alice": "4", "bob": "2"}
    assert await store.read(lambda tx: tx.logins.seals("c")) == {}


async def _add(store: Store, login: Login) -> None:
    await store.write(lambda tx: tx.logins.add(login))


async def _put_seal(store: Store, home: str, principal: str, seal: str) -> None:
    await store.write(lambda tx: tx.logins.put_seal(home, principal, seal))


async def _use(store: Store, now: float) -> bool:
    return await store.write(lambda tx: tx.logins.use_ticket_if_new("ticket-digest", now))


async def _login(store: Store) -> Login | None:
    return await store.read(lambda tx: tx.logins.get("login-digest"))
