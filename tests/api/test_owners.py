"""Objects of one key do not exist for another, on every route."""

from typing import Any, cast
from uuid import uuid4

import pytest
from openai import OpenAI

from tests.api.server import ALICE, BOB, ApiServer, script, until
from wakeful.gateway.openai.api import Api
from wakeful.gateway.openai.routes import api_routes

# New routes with an object id in their path join this list by themselves.
ROUTES = sorted(
    (method, route.path_format)
    for route in api_routes(cast(Api, None))
    for method in (route.methods or set()) - {"HEAD"}
    if "_id}" in route.path_format
)
# Valid for all of these routes.
BODY: Any = {
    "metadata": {"a": "b"},
    "items": [{"role": "user", "content": "x"}],
    "call_id": "call_1",
    "choice": "once",
}


@pytest.fixture(scope="module")
def hers(server: ApiServer) -> dict[str, str]:
    """One object of each kind; the response and the run are running."""
    with server.client() as client:
        # A worker may run this fixture twice with the same server, so the name must be new.
        name = f"of alice {uuid4()}"
        made = client.responses.create(input=script(hang_after=1), conversation=name, background=True)
        until(lambda: client.responses.retrieve(made.id).output_text != "")
        conversation = client.conversations.create(items=BODY["items"])
        item = client.conversations.items.list(conversation.id).data[0]
    run = server.send("POST", "/v1/runs", json={"input": script(hang_after=1)}).json()
    until(lambda: server.send("GET", f"/v1/runs/{run['run_id']}").json()["output"] != "")
    return {
        "response_id": made.id,
        "conversation_id": conversation.id,
        "item_id": str(item.id),
        "run_id": run["run_id"],
    }


def send(server: ApiServer, method: str, path: str, key: str) -> Any:
    return server.send(method, path, key, json=BODY if method == "POST" else None)


def states(server: ApiServer, hers: dict[str, str]) -> list[Any]:
    paths = [
        f"/v1/responses/{hers['response_id']}",
        f"/v1/conversations/{hers['conversation_id']}",
        f"/v1/conversations/{hers['conversation_id']}/items",
        f"/v1/runs/{hers['run_id']}",
    ]
    return [server.send("GET", path, ALICE).json() for path in paths]


@pytest.mark.parametrize(("method", "path"), ROUTES)
def test_her_objects_do_not_exist_for_him(server: ApiServer, hers: dict[str, str], method: str, path: str) -> None:
    before = states(server, hers)

    reply = send(server, method, path.format(**hers), BOB)

    assert (reply.status_code, reply.json()["error"]["type"]) == (404, "invalid_request_error")
    assert states(server, hers) == before


@pytest.mark.parametrize("query", ["?stream=true", "?stream=true&starting_after=0"])
def test_her_stream_does_not_exist_for_him(server: ApiServer, hers: dict[str, str], query: str) -> None:
    assert server.send("GET", f"/v1/responses/{hers['response_id']}{query}", BOB).status_code == 404


def test_an_item_is_found_in_its_own_conversation_only(server: ApiServer, client: OpenAI, hers: dict[str, str]) -> None:
    other = client.conversations.create()

    for method in ("GET", "DELETE"):
        assert server.send(method, f"/v1/conversations/{other.id}/items/{hers['item_id']}").status_code == 404
    with server.client(BOB) as bob:
        his = bob.conversations.create()
    for method in ("GET", "DELETE"):
        assert server.send(method, f"/v1/conversations/{his.id}/items/{hers['item_id']}", BOB).status_code == 404
