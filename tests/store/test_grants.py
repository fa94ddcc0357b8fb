"""Grants: each covers one kind in its session or its folder, until it ends or is revoked."""

from dataclasses import replace

from tests.store.nouns import a_grant, have_session
from wakeful.model.approvals.grant import Grant, Scope
from wakeful.store.base import Store


async def test_a_grant_is_read_back_whole(store: Store) -> None:
    own = a_grant(example="rm 'a\0b' 漢字")
    wide = a_grant("g2", folder="/srv/shop", expires_at=99.0)
    await _give(store, own, wide)

    assert await _of(store, "alice") == [own, wide]
    assert [own.scope, wide.scope] == [Scope.SESSION, Scope.FOLDER]


async def test_what_is_granted_in_a_session_covers_no_other(store: Store) -> None:
    await _give(store, a_grant())

    assert await _covering(store, ["s1"]) == ["g1"]
    assert await _covering(store, ["s2", "s1"]) == ["g1"]
    assert await _covering(store, ["s2"]) == []


async def test_a_grant_of_a_folder_covers_its_owners_sessions_there(store: Store) -> None:
    await _give(store, a_grant("g1", folder="/srv"), a_grant("g2", folder="/srv/shop", kind="force_push"))

    assert await _covering(store, ["s9"], folders=["/srv/shop", "/srv", "/"]) == ["g1", "g2"]
    assert await _covering(store, ["s9"], folders=["/srv", "/"]) == ["g1"]
    assert await _covering(store, ["s9"], folders=["/home", "/"]) == []
    assert await _covering(store, ["s9"], owner="bob", folders=["/srv"]) == []


async def test_a_grant_without_a_name_covers_nothing(store: Store) -> None:
    await _give(store, a_grant("g1"), a_grant("g2", folder="/srv"))

    assert await _covering(store, [""], folders=[""]) == []


async def test_grants_of_sessions_come_before_those_of_folders(store: Store) -> None:
    await _give(store, a_grant("g1", folder="/srv", created_at=1.0), a_grant("g2", created_at=2.0))

    assert await _covering(store, ["s1"], folders=["/srv"]) == ["g2", "g1"]


async def test_a_grant_that_has_ended_covers_nothing_and_is_not_listed(store: Store) -> None:
    await _give(store, a_grant(folder="/srv", expires_at=90.0))

    assert await _covering(store, [], folders=["/srv"], now=89.0) == ["g1"]
    assert await _covering(store, [], folders=["/srv"], now=90.0) == []
    assert await _of(store, "alice", now=90.0) == []


async def test_the_same_grant_given_again_stays_one_and_lasts_longer(store: Store) -> None:
    first = a_grant("g1", folder="/srv", expires_at=90.0)
    await _give(store, first)
    await _give(store, a_grant("g2", folder="/srv", expires_at=99.0, created_at=60.0, example="rm -r /tmp"))

    assert await _of(store, "alice") == [replace(first, expires_at=99.0, created_at=60.0, example="rm -r /tmp")]


async def test_an_ended_grant_makes_room_for_a_new_one(store: Store) -> None:
    await _give(store, a_grant("g1", folder="/srv", expires_at=55.0))
    his = a_grant("g3", folder="/srv", expires_at=55.0, owner="bob")
    new = a_grant("g2", folder="/srv", created_at=60.0, expires_at=99.0)
    await _give(store, his, new)

    assert await _of(store, "alice", now=0.0) == [new]
    assert await _of(store, "bob", now=0.0) == [his]


async def test_uses_are_counted(store: Store) -> None:
    await _give(store, a_grant(), a_grant("g2", kind="force_push"))
    await store.write(lambda tx: tx.grants.count_use(["g1"], 70.0))
    await store.write(lambda tx: tx.grants.count_use(["g2", "g1"], 80.0))

    assert [(g.id, g.uses, g.last_used_at) for g in await _of(store, "alice")] == [("g1", 2, 80.0), ("g2", 1, 80.0)]


async def test_a_grant_is_revoked_once_and_by_its_owner_only(store: Store) -> None:
    await _give(store, a_grant("g1"), a_grant("g2", folder="/srv"))

    async def revoke(grant_id: str, owner: str | None) -> bool:
        return await store.write(lambda tx: tx.grants.revoke_if_there(grant_id, owner))

    assert not await revoke("g1", "bob")
    assert await revoke("g1", "alice")
    assert not await revoke("g1", "alice")
    assert await revoke("g2", None)
    assert await _of(store, None) == []


async def test_the_grants_of_all_owners_are_listed_but_not_those_of_deleted_sessions(store: Store) -> None:
    await have_session(store, "s2", owner="bob")
    await _give(store, a_grant("g1"), a_grant("g2", session_id="s2", owner="bob"))

    assert [grant.id for grant in await _of(store, None)] == ["g1", "g2"]

    await store.write(lambda tx: tx.sessions.delete("s1", 99.0), lock=["s1"])
    assert [grant.id for grant in await _of(store, None)] == ["g2"]


async def test_a_folder_that_was_granted_in_a_chat_is_granted_in_that_chat_alone(store: Store) -> None:
    here, everywhere = "telegram:group:7", Grant("g1", "alice", "edit", folder="/srv", created_at=10.0)
    await _give(store, everywhere, replace(everywhere, id="g2", chat_key=here))

    assert await _covering(store, [], folders=["/srv"]) == ["g1"]
    assert await _covering(store, [], folders=["/srv"], chat_key="telegram:group:8") == ["g1"]
    assert await _covering(store, [], folders=["/srv"], chat_key=here) == ["g1", "g2"]


async def _give(store: Store, *grants: Grant) -> None:
    for grant in grants:
        if grant.session_id:
            await have_session(store, grant.session_id)
        await store.write(lambda tx, given=grant: tx.grants.give(given), lock=[grant.session_id])  # type: ignore[misc]


async def _covering(
    store: Store,
    session_ids: list[str],
    *,
    owner: str = "alice",
    folders: list[str] | None = None,
    chat_key: str = "",
    now: float = 60.0,
) -> list[str]:
    found = await store.read(lambda tx: tx.grants.covering(session_ids, owner, folders or [], chat_key, now))
    return [grant.id for grant in found]


async def _of(store: Store, owner: str | None, *, now: float = 60.0) -> list[Grant]:
    return await store.read(lambda tx: tx.grants.of_owner(owner, now))
