"""The search: which sessions have words in their titles or messages, and where."""

import pytest

from tests.store.conftest import Sql
from tests.store.nouns import an_input, have_closed_turn, have_session
from tests.store.test_purges import purge
from wakeful.model.journal.entry import Entry, answer_entry, cut_entry, result_entry, without
from wakeful.model.journal.fact import Answered
from wakeful.model.journal.message import AssistantMessage, Usage
from wakeful.model.search.search import Hit, wanted_in
from wakeful.model.words import Said
from wakeful.store.base import Store, Transaction
from wakeful.store.postgres.search import search as postgres_search
from wakeful.store.sqlite.search import search as sqlite_search

TEXT = r'The Weather is SUNNY in Bonn, 100% sure; under_score; he said "No"; c:\Temp'


@pytest.mark.parametrize(
    "query", ["weather", "WEATHER", "sun", "bonn sunny", "sunny in B", "100%", "under_score", 'said "no"', r"C:\temp"]
)
async def test_it_finds_words_of_titles_and_of_messages(store: Store, query: str) -> None:
    await have_session(store, "title", title=TEXT)
    await have_session(store, "none", title="The end")
    await _have_words(store, "messages", "hello", TEXT)

    assert await _find(store, query) == {"title": None, "messages": Hit("turn_of_messages", 0, 1)}


@pytest.mark.parametrize("query", ["100_", "weath%", "eather", "user", "message_id", "text", "rain", "weathers x", "%"])
async def test_it_finds_nothing_else(store: Store, query: str) -> None:
    await have_session(store, "title", title="1000 weathers")
    await _have_words(store, "messages", "1000 weathers")

    assert await _find(store, query) == {}


@pytest.mark.parametrize("query", ["東京", "京", "東京タワ", "cafe", "CAFÉ", "strasse", "привет", "ไทย"])
async def test_it_knows_every_script(store: Store, query: str) -> None:
    await _have_words(store, "s1", "明日は東京タワーへ。 Café in der Straße. Привет! ภาษาไทย")

    assert list(await _find(store, query)) == ["s1"]
    assert await _find(store, "京東") == {}


async def test_a_nul_hides_no_words(store: Store) -> None:
    await _have_words(store, "s1", "\0\0before\0", "literally \\u0000 after")

    for query in ("before", r"\u0000 after", "after", "before\0"):
        assert list(await _find(store, query)) == ["s1"]


async def test_words_have_to_be_in_one_message(store: Store) -> None:
    await have_session(store, title="left")
    await _have_words(store, "s1", "right", "wrong")

    assert await _find(store, "left right") == {}
    assert await _find(store, "right wrong") == {}


async def test_it_tells_the_newest_message_and_the_sessions_with_the_newest(store: Store) -> None:
    await _have_words(store, "a", "word one", "word two", "three")
    await _have_words(store, "b", "word")
    await _have_words(store, "c", "word")

    assert await _find(store, "word", limit=2) == {"c": Hit("turn_of_c", 0, 0), "b": Hit("turn_of_b", 0, 0)}
    assert (await _find(store, "word"))["a"] == Hit("turn_of_a", 0, 1)


async def test_a_hit_in_a_message_goes_before_one_in_the_title(store: Store) -> None:
    await _have_words(store, "s1", "word")
    await store.write(lambda tx: tx.sessions.change("s1", title="word"), lock=["s1"])

    assert await _find(store, "word") == {"s1": Hit("turn_of_s1", 0, 0)}


async def test_it_is_limited_to_an_owner_and_to_what_lists_show(store: Store) -> None:
    await have_session(store, "hers", title="word")
    await have_session(store, "his", title="word", owner="bob")
    await have_session(store, "child", title="word", task_id="k1")
    await have_session(store, "hidden", title="word", is_listed=False)
    await _have_words(store, "hidden", "word")

    assert await _find(store, "word", owner="alice") == {"hers": None}
    assert set(await _find(store, "word", owner=None)) == {"hers", "his"}


async def test_a_new_title_replaces_the_old_one(store: Store) -> None:
    await have_session(store, title="older name")
    await _index_all(store)
    for title in ("old name", "new name"):
        await store.write(lambda tx, title=title: tx.sessions.change("s1", title=title), lock=["s1"])  # type: ignore[misc]

    assert await _find(store, "older") == await _find(store, "old") == {}
    assert await _find(store, "new") == {"s1": None}


async def test_it_looks_at_answers_and_at_what_was_cut_off_but_not_at_results(store: Store) -> None:
    await have_closed_turn(store)
    answered = Answered(1, AssistantMessage("an answer", "a thought"), Usage())
    entries = [
        answer_entry("t1", answered),
        result_entry("t1", 1, 1, call_id="c1", text="a result", seconds=0.1),
        cut_entry("t1", 2, Said("half a word", "")),
    ]
    await store.write(lambda tx: tx.journal.add(entries), lock=["s1"])

    assert await _find(store, "answer") == {"s1": Hit("t1", 1, 0)}
    assert await _find(store, "half") == {"s1": Hit("t1", 2, 0)}
    assert await _find(store, "thought") == await _find(store, "result") == {}


async def test_what_was_deleted_is_not_found(store: Store) -> None:
    await _have_words(store, "s1", "secret word", "word")
    entry = (await store.read(lambda tx: tx.journal.at([Hit("turn_of_s1", 0, 0)])))[0]
    await store.write(lambda tx: tx.journal.replace(without(entry, "whole")), lock=["s1"])

    assert await _find(store, "secret") == {}
    assert await _find(store, "word") == {"s1": Hit("turn_of_s1", 0, 1)}


async def test_a_message_that_cannot_be_read_hides_no_other(store: Store, sql: Sql, kind: str) -> None:
    await _have_words(store, "s1", "word", "word two")
    no_text = "X'00'" if kind == "sqlite" else "'\\x00'"
    await sql(f"UPDATE journal SET payload = {no_text} WHERE idx = 1")

    assert await _find(store, "word") == {"s1": Hit("turn_of_s1", 0, 0)}


async def test_a_purged_session_leaves_nothing(store: Store, sql: Sql) -> None:
    await have_session(store, title="word")
    await _have_words(store, "s1", "word", "another")
    await _have_words(store, "s2", "word")
    await purge(store, "s1")

    assert await _find(store, "word") == {"s2": Hit("turn_of_s2", 0, 0)}
    assert await sql("SELECT session_id FROM search_docs") == [("s2",)]


async def test_a_long_session_hides_no_other(store: Store) -> None:
    await _have_words(store, "old", "word")
    await _have_words(store, "long", "deep", *["word"] * 300)
    await _have_words(store, "new", "word")
    await _index_all(store)

    assert list(await _look(store, "word")) == ["new", "long", "old"]
    assert (await _look(store, "word"))["long"] == Hit("turn_of_long", 0, 300)
    assert await _look(store, "deep") == {"long": Hit("turn_of_long", 0, 0)}


async def test_what_others_have_said_hides_nothing_of_ones_own(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite_search, "_MOST_UNSHOWN", 2)
    monkeypatch.setattr(sqlite_search, "_MOST_DOCS", 4)
    await _have_words(store, "hers", "word")
    await have_session(store, "his", title="word", owner="bob")
    await _have_words(store, "his", *["word"] * 7)
    await have_session(store, "new", title="word")
    await _index_all(store)

    assert list(await _look(store, "word")) == ["new", "hers"]
    assert list(await _look(store, "word", owner="bob")) == ["his"]


async def test_a_common_word_is_found_in_the_newest_sessions(
    store: Store, kind: str, sql: Sql, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres_search, "_MOST_COLLECTED", 0)
    monkeypatch.setattr(postgres_search, "_ENOUGH", 2)
    for number in range(3):
        await have_session(store, f"s{number}", title="word")
        await _have_words(store, f"s{number}", f"word {number}")
    await store.write(lambda tx: tx.sessions.arrange("s2", archived=True), lock=["s2"])
    await have_session(store, "his", title="word", owner="bob")
    await _index_all(store)
    await sql("ANALYZE search_docs" if kind == "postgres" else "ANALYZE")

    async def body(tx: Transaction) -> set[str]:
        return set(await tx.search.find("alice", wanted_in("wor"), 10, archived=True))

    assert await _look(store, "wor") == {f"s{number}": Hit(f"turn_of_s{number}", 0, 0) for number in (1, 0)}
    assert "s2" in await store.read(body)
    assert set(await _look(store, "wor", owner=None)) == {"s0", "s1", "his"}
    assert await _look(store, "word 1") == {"s1": Hit("turn_of_s1", 0, 0)}


async def test_what_was_there_before_the_index_is_added_in_steps(store: Store, kind: str, sql: Sql) -> None:
    for number in range(5):
        await have_session(store, f"s{number}", title="title")
        await _have_words(store, f"s{number}", "word")
    await have_session(store, "hidden", is_listed=False)
    await _have_words(store, "hidden", "word")
    await _forget_index(kind, sql)
    await _have_words(store, "s6", "word")
    assert await _look(store, "title") == {}
    assert list(await _look(store, "word")) == ["s6"]

    steps = 0
    while steps < 40 and await store.write(lambda tx: tx.search.index_some(1)):
        steps += 1
    # One for each title and turn, one for each text, and the ends; SQLite also puts the pieces together.
    assert steps == (28 if kind == "sqlite" else 27)

    # The newest first, as if all had been there from the beginning.
    assert list(await _look(store, "word")) == ["s6", "s4", "s3", "s2", "s1", "s0"]
    assert set(await _look(store, "title")) == {f"s{number}" for number in range(5)}
    assert await sql("SELECT name FROM upkeep") == []


@pytest.mark.parametrize("size", [2, 3, 100])
async def test_steps_of_any_size_skip_nothing_that_was_there_before_the_index(
    store: Store, kind: str, sql: Sql, size: int
) -> None:
    names = [f"s{number}" for number in range(7)]
    for name in names:
        await have_session(store, name, title=f"title {name}")
        await _have_words(store, name, f"word {name}")
    await _forget_index(kind, sql)

    steps = 0
    while steps < 40 and await store.write(lambda tx: tx.search.index_some(size)):
        steps += 1

    assert list(await _look(store, "word")) == names[::-1]
    assert set(await _look(store, "title")) == set(names)
    # Below all others, and without the gaps that texts would leave which are noted twice.
    assert await sql("SELECT min(id), max(id), count(*) FROM search_docs") == [(-13, 0, 14)]
    assert await sql("SELECT name FROM upkeep") == []


async def test_the_pieces_of_the_index_are_put_together(store: Store, kind: str, sql: Sql) -> None:
    for number in range(12):
        await _have_words(store, f"s{number}", f"word {number}")
        await store.write(lambda tx: tx.search.index_some(1))
    await _index_all(store)

    assert len(await _look(store, "word", limit=20)) == 12
    if kind == "sqlite":
        assert await sql("SELECT count(DISTINCT segid) < 5 FROM search_words_idx") == [(1,)]


async def _forget_index(kind: str, sql: Sql) -> None:
    """As after the migration of an older database."""
    await sql("DELETE FROM search_docs")
    if kind == "sqlite":
        await sql("INSERT INTO search_words (search_words) VALUES ('delete-all')")
    await sql("INSERT INTO upkeep (name, position) VALUES ('search_titles', ''), ('search_messages', 'turn~')")


async def _have_words(store: Store, session_id: str, *texts: str) -> None:
    turn_id = f"turn_of_{session_id}"
    await have_closed_turn(store, turn_id, session_id)
    entries: list[Entry] = [an_input(turn_id, text, index) for index, text in enumerate(texts)]
    await store.write(lambda tx: tx.journal.add(entries), lock=[session_id])


async def _find(store: Store, query: str, *, owner: str | None = "alice", limit: int = 10) -> dict[str, Hit | None]:
    """Search before and after indexing, which has to find the same."""
    before = await _look(store, query, owner, limit)
    await _index_all(store)
    after = await _look(store, query, owner, limit)
    assert list(before.items()) == list(after.items())
    return after


async def _index_all(store: Store) -> None:
    while await store.write(lambda tx: tx.search.index_some(100)):
        pass


async def _look(store: Store, query: str, owner: str | None = "alice", limit: int = 10) -> dict[str, Hit | None]:
    async def body(tx: Transaction) -> dict[str, Hit | None]:
        return await tx.search.find(owner, wanted_in(query), limit)

    return await store.read(body)
