"""What the answers of a session have cost: added up over all of them, and divided by what was paid for."""

from types import SimpleNamespace
from typing import Any, cast

import orjson
import pytest
from starlette.requests import Request

from wakeful.model.journal.entry import Entry, answer_entry
from wakeful.model.journal.fact import Answered
from wakeful.model.journal.message import AssistantMessage, Usage
from wakeful.web.facts import costs
from wakeful.web.facts.costs import CostRoutes
from wakeful.web.web import Web


def answered(step: int, usd: float | None, model: str = "demo:a", usage: Usage | None = None) -> Entry:
    used = usage or Usage(100, 10, cached_tokens=60)
    return answer_entry("turn_1", Answered(step, AssistantMessage("a"), used, model=model, cost_usd=usd))


def prices(model: str, usage: Usage) -> tuple[float, float, float] | None:
    """Of the first model reading costs as much as writing, and the cache a half; the second is free; others unknown."""
    read, cached, written = usage.paid_tokens
    return {"demo:a": (float(read), cached / 2, float(written)), "demo:free": (0.0, 0.0, 0.0)}.get(model)


async def shown(*entries: Entry) -> Any:
    async def paid(session_id: str, after: tuple[str, int], limit: int) -> list[Entry]:
        assert session_id == "ses_1"
        return [entry for entry in entries if (entry.turn_id, entry.step) > after][:limit]

    async def find_session(request: Request, session_id: str) -> Any:
        return SimpleNamespace(id=session_id)

    async def read(body: Any) -> Any:
        return await body(SimpleNamespace(journal=SimpleNamespace(paid=paid)))

    web = cast(Web, SimpleNamespace(find_session=find_session, store=SimpleNamespace(read=read)))
    asked = Request({"type": "http", "headers": [], "query_string": b"session_id=ses_1"})
    return orjson.loads((await CostRoutes(web, prices).show(asked)).body)


async def test_the_answers_of_all_pages_are_added_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(costs, "_PAGE", 2)

    found = await shown(*[answered(step, 0.4) for step in range(1, 6)])

    # Of each, 40 were read, 60 came from the cache and 10 were written: 40 to 30 to 10.
    assert found == {
        "input": {"tokens": 200, "cost_usd": pytest.approx(1.0)},
        "cached": {"tokens": 300, "cost_usd": pytest.approx(0.75)},
        "output": {"tokens": 50, "cost_usd": pytest.approx(0.25)},
        "others": [],
    }


async def test_what_cost_nothing_is_counted_too() -> None:
    found = await shown(answered(1, 0.0, "demo:unknown"))

    assert found["input"] == {"tokens": 40, "cost_usd": 0.0}
    assert found["others"] == []


async def test_models_whose_cost_cannot_be_divided_stand_apart_in_the_order_of_their_use() -> None:
    found = await shown(
        answered(1, None, "demo:b"),
        answered(2, 0.5, "demo:unknown"),
        answered(3, None, "demo:a"),
        answered(4, 0.2, "demo:free"),
        answered(5, None, "demo:b"),
        answered(6, None, "demo:silent", Usage()),
    )

    assert found["others"] == [
        {"model": "demo:b", "tokens": 220, "cost_usd": None},
        {"model": "demo:unknown", "tokens": 110, "cost_usd": 0.5},
        {"model": "demo:a", "tokens": 110, "cost_usd": None},
        {"model": "demo:free", "tokens": 110, "cost_usd": 0.2},
    ]
    assert found["input"] == {"tokens": 0, "cost_usd": 0.0}
