"""`session_search` on both stores: whose sessions it reads, and what of them."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson

from tests.store.conftest import FakeClock
from tests.store.nouns import an_input, have_closed_turn, have_session
from tests.unit.tools.kit import tool_context
from wakeful.engine.session_search import SessionSearch
from wakeful.store.base import Store
from wakeful.tools.session_search_tool import SessionSearchTool


async def found(store: Store, session_id: str, **arguments: Any) -> Any:
    context = tool_context(Path("/"))
    context = replace(context, turn=replace(context.turn, session_id=session_id))
    answer = orjson.loads((await SessionSearchTool(SessionSearch(store)).run(arguments, context)).text)
    return answer.get("results", answer)


async def have_words(store: Store, session_id: str, text: str, **fields: Any) -> None:
    await have_session(store, session_id, **fields)
    turn_id = f"turn_of_{session_id}"
    await have_closed_turn(store, turn_id, session_id=session_id)
    await store.write(lambda tx: tx.journal.add([an_input(turn_id, text, index=0)]), lock=[session_id])


async def test_it_finds_messages_and_titles_of_the_same_owner_only(store: Store) -> None:
    await have_words(store, "s1", "We chose the blue harbour, because it is deep.")
    await have_session(store, "s2", title="The harbour again")
    await have_words(store, "s3", "My harbour", owner="bob")

    new = await found(store, "s2", query="harbour")
    while await store.write(lambda tx: tx.search.index_some(100)):
        pass
    results = await found(store, "s2", query="harbour")

    for rows in (new, results):
        assert {(row["session_id"], row["message_id"], row["excerpt"]) for row in rows} == {
            ("s1", "turn_of_s1.0.0", "We chose the blue harbour, because it is deep."),
            ("s2", None, "The harbour again"),
        }
    assert set(results[0]) == {"session_id", "title", "message_id", "source", "created_at", "excerpt"}
    assert len(await found(store, "s2", query="harbour", limit=1)) == 1


async def test_the_newest_messages_come_first_and_are_those_that_a_limit_leaves(store: Store, clock: FakeClock) -> None:
    for name, at in (("s1", 3_000.0), ("s2", 1_000.0), ("s3", 2_000.0)):
        await clock.set(at)
        await have_words(store, name, "harbour")

    assert [row["session_id"] for row in await found(store, "s1", query="harbour", limit=2)] == ["s1", "s3"]


async def test_archived_sessions_are_found_and_deleted_ones_never(store: Store) -> None:
    for name in ("s1", "s2", "s3"):
        await have_words(store, name, "harbour")
    await store.write(lambda tx: tx.sessions.arrange("s2", archived=True), lock=["s2"])
    await store.write(lambda tx: tx.sessions.delete("s3", 9e9), lock=["s3"])

    assert {row["session_id"] for row in await found(store, "s1", query="harbour")} == {"s1", "s2"}


async def test_the_agent_of_a_chat_reads_the_sessions_of_that_chat_only(store: Store) -> None:
    await have_words(store, "s1", "harbour", chat_key="telegram:1")
    await have_words(store, "s2", "harbour", chat_key="telegram:1")
    await have_words(store, "s3", "harbour", chat_key="telegram:2")
    await have_words(store, "s4", "harbour")

    assert {row["session_id"] for row in await found(store, "s1", query="harbour")} == {"s1", "s2"}
    assert len(await found(store, "s4", query="harbour")) == 4


async def test_it_names_the_argument_that_it_cannot_use(store: Store) -> None:
    await have_session(store, "s1")

    for name, arguments in (
        ("query", {}),
        ("query", {"query": " "}),
        ("query", {"query": "x" * 501}),
        ("limit", {"query": "a", "limit": 51}),
    ):
        answer = await found(store, "s1", **arguments)
        assert (answer["code"], answer["error"].split()[0]) == ("invalid_arguments", name)
