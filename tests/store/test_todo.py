"""`todo`: its list on both stores, and the arguments that it refuses."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson
import pytest

from tests.store.nouns import have_session
from tests.unit.tools.kit import tool_context
from wakeful.engine import todo_desk
from wakeful.engine.todo_desk import TodoDesk
from wakeful.model.tools.todo import MOST_ITEMS, unpack_todo
from wakeful.store.base import Store, Transaction
from wakeful.tools.base import ToolContext
from wakeful.tools.todo_tool import TodoTool


@pytest.fixture
async def call(store: Store) -> ToolContext:
    session = await have_session(store)
    context = tool_context(Path("/"))
    return replace(context, turn=replace(context.turn, session_id=session.id))


async def changed(store: Store, call: ToolContext, **arguments: Any) -> Any:
    return orjson.loads((await TodoTool(TodoDesk(store)).run(arguments, call)).text)


async def kept(store: Store, call: ToolContext) -> list[tuple[str, str, str]]:
    async def body(tx: Transaction) -> bytes:
        session = await tx.sessions.get(call.session_id)
        assert session is not None
        return session.todo

    return [(item.id, item.text, str(item.status)) for item in unpack_todo(await store.read(body))]


async def test_items_are_merged_by_id_and_never_replaced(store: Store, call: ToolContext) -> None:
    await changed(store, call, items=[{"id": "a", "text": "Find it"}, {"id": "b", "text": "Mend\nit"}])
    answer = await changed(
        store, call, items=[{"id": "a", "status": "done"}, {"id": 3, "text": "Ship", "status": "active"}]
    )

    assert answer == {
        "items": [
            {"id": "a", "text": "Find it", "status": "done"},
            {"id": "b", "text": "Mend it", "status": "pending"},
            {"id": "3", "text": "Ship", "status": "active"},
        ]
    }
    assert await kept(store, call) == [("a", "Find it", "done"), ("b", "Mend it", "pending"), ("3", "Ship", "active")]
    assert [item["id"] for item in (await changed(store, call, remove=["a", "gone"]))["items"]] == ["b", "3"]


async def test_a_change_is_announced_and_the_same_again_is_not(store: Store, call: ToolContext) -> None:
    for _ in range(2):
        await changed(store, call, items=[{"id": "a", "text": "Find it"}])
    await changed(store, call)

    events = await store.read(lambda tx: tx.events.of_session(call.session_id, 0, 10))

    assert [(event.kind, event.data["items"]) for event in events] == [
        ("todo", [{"id": "a", "text": "Find it", "status": "pending"}])
    ]


UNFIT: list[tuple[dict[str, Any], str]] = [
    ({"items": {"id": "a"}}, "tems must be a list"),
    ({"items": ["a"]}, "an object with an id"),
    ({"items": [{"text": "no id"}]}, "very id in items"),
    ({"items": [{"id": "x" * 65, "text": "t"}]}, "very id in items"),
    ({"items": [{"id": "new"}]}, "new is new and needs a text"),
    ({"items": [{"id": "a", "text": " "}]}, "text of an item"),
    ({"items": [{"id": "a", "text": "x" * 301}]}, "text of an item"),
    ({"items": [{"id": "a", "text": "t", "status": "later"}]}, "pending, active, done"),
    ({"remove": [None]}, "very id in remove"),
    ({"items": [{"id": str(n), "text": "t"} for n in range(MOST_ITEMS + 1)]}, "50 is the most"),
]


async def test_what_does_not_fit_is_named_and_changes_nothing(store: Store, call: ToolContext) -> None:
    for arguments, words in UNFIT:
        answer = await changed(store, call, **arguments)

        assert answer["code"] == "invalid_arguments"
        assert words in answer["error"]
        assert await kept(store, call) == []


async def test_a_turn_that_is_not_stored_has_a_list_too(store: Store, call: ToolContext) -> None:
    unstored = replace(call, turn=replace(call.turn, is_ephemeral=True))
    tool = TodoTool(TodoDesk(store))

    await tool.run({"items": [{"id": "a", "text": "Find it"}]}, unstored)
    answer = await tool.run({"items": [{"id": "a", "status": "done"}]}, unstored)

    assert orjson.loads(answer.text)["items"] == [{"id": "a", "text": "Find it", "status": "done"}]
    assert await kept(store, call) == []


async def test_the_lists_of_the_latest_turns_that_are_not_stored_are_kept(
    store: Store, call: ToolContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(todo_desk, "_MOST_UNSTORED", 2)
    tool = TodoTool(TodoDesk(store))

    async def add(turn_id: str, text: str) -> list[str]:
        context = replace(call, turn=replace(call.turn, id=turn_id, is_ephemeral=True))
        answer = await tool.run({"items": [{"id": text, "text": text}]}, context)
        return [item["text"] for item in orjson.loads(answer.text)["items"]]

    for turn_id in ("t1", "t2", "t1", "t3"):
        await add(turn_id, "first")

    assert await add("t1", "second") == ["first", "second"]
    assert await add("t2", "second") == ["second"]
