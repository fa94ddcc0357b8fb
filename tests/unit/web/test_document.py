"""What the document says of the web routes is what they answer, also about how small a number can be."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.api.document import judge
from tests.unit.building.kit import config_in, server_of

# All other numbers with a limit can be 0.
_FROM_ONE = {
    "/api/home event_id",
    "/api/home last_event_id",
    "/api/home news_id",
    "/api/home number",
    "/api/home step",
    "/api/models context_window",
    "/api/models max_output",
    "/api/session/timeline number",
    "News event_id",
    "News news_id",
    "SessionTurn number",
}
# What the document lists by name for the web routes.
_NAMED = [
    "News",
    "SessionTurn",
    "SessionRow",
    "SessionMessage",
    "Snapshot",
    "Task",
    "Post",
    "Platform",
    "McpServer",
    "Grant",
    "CronRun",
]


async def test_the_document_says_what_is_answered_and_how_small_its_numbers_can_be(tmp_path: Path) -> None:
    async with server_of(config_in(tmp_path)) as server:
        session_id = (await server.http.post("/api/session/new", json={})).json()["session_id"]
        sent = {"session_id": session_id, "message": "count to 2"}
        turn_id = (await server.http.post("/api/chat/start", json=sent)).json()["turn_id"]
        await server.http.get("/api/chat/stream", params={"stream_id": turn_id})
        for path in _paths(session_id):
            answer = await server.http.get(path)
            assert answer.status_code == 200, answer.text
            judge("GET", path.partition("?")[0], 200, answer.headers, answer.content)
        document = (await server.http.get("/openapi.json")).json()

    limits = dict(_limits(document))
    assert {where for where, least in limits.items() if least != 0} == _FROM_ONE
    assert {limits[where] for where in _FROM_ONE} == {1}
    assert {"/api/models input_price", "/api/attachments size", "Snapshot context_tokens", "Task progress"} <= set(
        limits
    )


def _paths(session_id: str) -> Iterator[str]:
    of_server = "me models skills usage home sessions tasks approvals grants cron outbox platforms pairings hooks mcp"
    yield from (f"/api/{name}" for name in of_server.split())
    yield from (f"/api/session{name}?session_id={session_id}" for name in ("", "/timeline", "/costs"))


def _limits(document: Any) -> Iterator[tuple[str, float]]:
    for path, methods in document["paths"].items():
        if path.startswith("/api/"):
            yield from _limits_in([method["responses"] for method in methods.values()], path, "")
    for name in _NAMED:
        yield from _limits_in(document["components"]["schemas"][name], name, "")


def _limits_in(part: Any, where: str, name: str) -> Iterator[tuple[str, float]]:
    if isinstance(part, list):
        for each in part:
            yield from _limits_in(each, where, name)
    elif isinstance(part, dict):
        if name and "minimum" in part:
            yield f"{where} {name}", part["minimum"]
        for key, each in part.items():
            for field, schema in each.items() if key == "properties" else [(name, each)]:
                yield from _limits_in(schema, where, field)
