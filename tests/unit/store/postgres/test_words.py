"""Words that nodes share: who reads them, from where on, and until when."""

import asyncio

import pytest

from tests.patience import PATIENCE
from tests.store.admin import Admin
from tests.store.nouns import close_turn, have_session, have_turn, some_events
from wakeful.model.words import Said, WordsHead, WordsPart
from wakeful.store.base import Signal
from wakeful.store.postgres.store import PostgresStore


def part(session: str = "s1", *, base: int = 1, first: int = 1, text: str = "ab") -> WordsPart:
    """Words of one letter each."""
    head = WordsHead(session, f"turn_{session}", 1, base)
    return WordsPart(head, 0, first, Said(text, "", (1,) * len(text)))


async def have_running(store: PostgresStore, *sessions: str) -> None:
    for session in sessions:
        await have_turn(store, f"turn_{session}", session)


async def left(store: PostgresStore, *sessions: str) -> list[str]:
    """Return the words that anyone may read."""
    found = await store.words.read(dict.fromkeys(sessions, (0, 0)))
    return [words.said.text for words in found]


async def test_a_reader_gets_the_parts_that_reach_beyond_what_it_knows_in_their_order(store: PostgresStore) -> None:
    await have_running(store, "s1", "s2")
    parts = [part(first=3, text="cd"), part(), part(base=5, text="ef"), part("s2", text="xy")]
    await store.words.write(parts, [])

    async def read(**known: tuple[int, int]) -> list[WordsPart]:
        return await store.words.read(known)

    assert await read(s1=(0, 9)) == [parts[1], parts[0], parts[2]]
    assert await read(s1=(1, 1)) == [parts[1], parts[0], parts[2]]
    assert await read(s1=(1, 2)) == [parts[0], parts[2]]
    assert await read(s1=(1, 4), s2=(1, 1)) == [parts[2], parts[3]]
    assert await read(s1=(5, 1)) == [parts[2]]
    assert await read(s1=(5, 2), s2=(1, 2)) == []


async def test_words_that_have_ended_are_removed_and_those_of_a_later_step_stay(store: PostgresStore) -> None:
    await have_running(store, "s1", "s2")
    await store.words.write([part(text="a"), part(base=2, text="b"), part(base=3, text="c"), part("s2")], [])

    await store.words.write([], [part(base=2).head])

    assert await left(store, "s1", "s2") == ["c", "ab"]


@pytest.mark.parametrize("does_sweep", [False, True])
async def test_words_are_shown_and_kept_while_their_step_is_being_answered(
    store: PostgresStore, postgres_url: str, does_sweep: bool
) -> None:
    await have_running(store, "s1", "s2", "s3")
    await store.words.write([part(), part("s2", text="cd"), part("s3", text="ef")], [])
    await close_turn(store, "turn_s2")
    await store.write(lambda tx: tx.events.append("s3", "turn_s3", some_events(1)), lock=["s3"])

    if does_sweep:
        await store.words.sweep()

    assert await left(store, "s1", "s2", "s3") == ["ab"]
    async with Admin(postgres_url) as admin:
        kept = await admin.fetch("SELECT session_id FROM words ORDER BY session_id")
    assert [row["session_id"] for row in kept] == (["s1"] if does_sweep else ["s1", "s2", "s3"])


async def test_only_a_living_node_other_than_oneself_reads_words(store: PostgresStore) -> None:
    async def renew(node: str, seconds: float) -> None:
        now = await store.read(lambda tx: tx.now())
        await store.write_lease(lambda tx: tx.nodes.renew(node, now + seconds, host="host1"))

    await renew("me", 600)
    await renew("dead", -1)
    assert not await store.words.has_readers("me")
    await renew("you", 600)
    assert await store.words.has_readers("me")


async def test_other_nodes_hear_of_words_only_when_they_can_read_them(store: PostgresStore, postgres_url: str) -> None:
    other = PostgresStore(postgres_url)
    heard: asyncio.Queue[Signal] = asyncio.Queue()
    other.notifier.listen(heard.put_nowait)
    await other.open()
    await have_running(store, "s1")
    async with asyncio.timeout(PATIENCE), Admin(postgres_url) as admin:
        await admin.execute("BEGIN", "LOCK TABLE words")
        writing = asyncio.create_task(store.words.write([part()], []))
        await admin.until_waiting(1)
        await have_session(store, "s2")
        await store.write(lambda tx: tx.events.append("s2", None, some_events(1)), lock=["s2"])

        assert await heard.get() == Signal(frozenset({"s2"}))
        await admin.execute("COMMIT")
        await writing
        assert await heard.get() == Signal(frozenset(), spoken=frozenset({"s1"}))
    await other.close()
