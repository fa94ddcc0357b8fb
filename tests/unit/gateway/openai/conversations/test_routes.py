"""Conversations through their routes: whose they are, what is in them, and what is deleted of them."""

from typing import Any

import orjson
import pytest
from starlette.requests import Request
from starlette.responses import Response

from tests.unit.gateway.openai.served import ServedApi
from tests.unit.gateway.openai.taking import asking
from wakeful.gateway.openai.conversations.routes import ConversationRoutes
from wakeful.gateway.openai.errors import ApiError
from wakeful.model.ids import new_id
from wakeful.model.journal.entry import is_gone, summary_entry
from wakeful.model.journal.message import Usage
from wakeful.model.journal.summary import CompactionReason, Summary
from wakeful.model.opening import Opening
from wakeful.model.turn import Turn, TurnStatus

HELLO = {"role": "user", "content": "Hello"}
CALL = {"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{}"}
OUTPUT = {"type": "function_call_output", "call_id": "c1", "output": "done"}


class Served:
    def __init__(self, served_api: ServedApi) -> None:
        self.api = served_api
        self.routes = ConversationRoutes(served_api.api)

    def ask(self, name: str, body: Any = None, owner: str = "alice", query: str = "", **path: str) -> dict[str, Any]:
        request = asking(body or {}, owner, path=path)
        request = Request({**request.scope, "query_string": query.encode()}, request.receive)
        answer: Response = self.api.runner.run(getattr(self.routes, name)(request))
        found: dict[str, Any] = orjson.loads(answer.body)
        return found

    def refusal(self, name: str, body: Any = None, owner: str = "alice", **path: str) -> tuple[int, str]:
        with pytest.raises(ApiError) as raised:
            self.ask(name, body, owner, **path)
        return raised.value.status, raised.value.code

    def texts(self, conversation: str) -> list[str]:
        items = self.ask("items", query="order=asc", conversation_id=conversation)["data"]
        return [item["content"][0]["text"] if item["type"] == "message" else item["type"] for item in items]

    def run_a_turn_in(self, conversation: str) -> None:
        api, run = self.api.api, self.api.runner.run
        found = run(self.api.store.read(lambda tx: tx.conversations.get(conversation)))
        assert found is not None
        turn = Turn(
            id=new_id("turn"),
            session_id=found.session_id,
            parent=None,
            door=api.door,
            address=api.address,
            source="user",
            is_wakeup=False,
            model="demo:model",
            status=TurnStatus.RUNNING,
            node="node",
            epoch=1,
        )
        run(self.api.store.write(lambda tx: tx.open(Opening(turn)), lock=[turn.session_id]))


@pytest.fixture
def served(served_api: ServedApi) -> Served:
    return Served(served_api)


def test_a_conversation_is_made_with_its_items_and_metadata(served: Served) -> None:
    made = served.ask("create", {"metadata": {"a": "b"}, "items": [HELLO, CALL, OUTPUT]})

    assert (made["object"], made["metadata"]) == ("conversation", {"a": "b"})
    assert (made["latest_completed_response_id"], made["active_response_id"]) == (None, None)
    assert served.ask("show", conversation_id=made["id"]) == made
    assert served.texts(made["id"]) == ["Hello", "function_call", "function_call_output"]


def test_a_conversation_without_items_is_empty(served: Served) -> None:
    made = served.ask("create")

    assert (made["metadata"], served.texts(made["id"])) == ({}, [])


def test_an_output_without_its_call_makes_no_conversation(served: Served) -> None:
    assert served.refusal("create", {"items": [OUTPUT]}, "carol") == (400, "call_not_found")
    sessions = served.api.runner.run(served.api.store.read(lambda tx: tx.sessions.page("carol", limit=1)))
    assert sessions == []
    made = served.ask("create", {"items": [CALL]})
    assert served.refusal("add_items", {"items": [{**OUTPUT, "call_id": "c2"}]}, conversation_id=made["id"]) == (
        400,
        "call_not_found",
    )
    served.ask("add_items", {"items": [OUTPUT]}, conversation_id=made["id"])
    assert served.texts(made["id"]) == ["function_call", "function_call_output"]


def test_new_metadata_replaces_the_old(served: Served) -> None:
    made = served.ask("create", {"metadata": {"a": "b"}})
    changed = served.ask("change", {"metadata": {"c": "d"}}, conversation_id=made["id"])

    assert changed == {**made, "metadata": {"c": "d"}}
    assert served.ask("show", conversation_id=made["id"]) == changed


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("show", None),
        ("change", {"metadata": {}}),
        ("delete", None),
        ("items", None),
        ("add_items", {"items": [HELLO]}),
        ("item", None),
        ("delete_item", None),
    ],
)
def test_a_conversation_of_another_is_none_and_nothing_of_it_changes(served: Served, name: str, body: Any) -> None:
    made = served.ask("create", {"metadata": {"a": "b"}, "items": [HELLO]})
    (item,) = served.ask("items", conversation_id=made["id"])["data"]
    path = {"conversation_id": made["id"], "item_id": item["id"]}

    assert served.refusal(name, body, "bob", **path) == (404, "conversation_not_found")
    assert served.ask("show", conversation_id=made["id"]) == made
    assert served.texts(made["id"]) == ["Hello"]
    assert served.ask(name, body, "operator", **path), "the operator sees everything"


def test_a_deleted_conversation_is_gone(served: Served) -> None:
    made = served.ask("create")

    assert served.ask("delete", conversation_id=made["id"]) == {
        "id": made["id"],
        "object": "conversation.deleted",
        "deleted": True,
    }
    assert served.refusal("show", conversation_id=made["id"]) == (404, "conversation_not_found")
    assert served.refusal("show", conversation_id="unused name") == (404, "conversation_not_found")


def test_added_items_are_returned_and_listed_last(served: Served) -> None:
    made = served.ask("create", {"items": [HELLO]})
    added = served.ask("add_items", {"items": [{**HELLO, "content": "More"}]}, conversation_id=made["id"])

    (item,) = added["data"]
    assert (item["content"][0]["text"], added["has_more"], added["first_id"]) == ("More", False, item["id"])
    assert served.texts(made["id"]) == ["Hello", "More"]
    assert served.ask("item", conversation_id=made["id"], item_id=item["id"]) == item
    other = served.ask("create")["id"]
    assert served.refusal("item", conversation_id=other, item_id=item["id"]) == (404, "item_not_found")


@pytest.mark.parametrize("deleted", [1, 2])
def test_a_call_and_its_output_are_deleted_together_and_all_else_stays(served: Served, deleted: int) -> None:
    made = served.ask("create", {"metadata": {"a": "b"}, "items": [HELLO, CALL, OUTPUT]})
    items = served.ask("items", query="order=asc", conversation_id=made["id"])["data"]
    path = {"conversation_id": made["id"], "item_id": items[deleted]["id"]}

    assert served.ask("delete_item", **path) == made
    assert served.texts(made["id"]) == ["Hello"]
    assert served.refusal("delete_item", **path) == (404, "item_not_found")


def test_a_summary_goes_with_the_item_that_it_stands_for(served: Served) -> None:
    made = served.ask("create", {"items": [HELLO]})
    (item,) = served.ask("items", conversation_id=made["id"])["data"]
    turn_id, run, store = f"turn_{item['id'].split('_')[1]}", served.api.runner.run, served.api.store
    short = Summary("Hello was said.", "", (), (), (), CompactionReason.AUTO, 1_000, 50, "m", Usage())
    summary = summary_entry(turn_id, 1, short)
    found = run(store.read(lambda tx: tx.conversations.get(made["id"])))
    assert found is not None
    run(store.write(lambda tx: tx.journal.add([summary]), lock=[found.session_id]))

    served.ask("delete_item", conversation_id=made["id"], item_id=item["id"])

    journal = run(store.read(lambda tx: tx.journal.of_turns([turn_id])))
    assert [is_gone(entry) for entry in journal] == [True, True]


def test_a_conversation_in_which_a_turn_runs_is_not_changed(served: Served) -> None:
    made = served.ask("create", {"items": [HELLO]})
    (item,) = served.ask("items", conversation_id=made["id"])["data"]
    served.run_a_turn_in(made["id"])
    path = {"conversation_id": made["id"]}

    busy = (409, "conversation_response_not_completed")
    assert served.refusal("delete_item", item_id=item["id"], **path) == busy
    assert served.refusal("add_items", {"items": [HELLO]}, **path) == busy
    assert served.texts(made["id"]) == ["Hello"]
