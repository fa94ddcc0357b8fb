"""What answers cost day by day, and which cap is reached."""

from types import SimpleNamespace
from typing import Any, cast

import orjson
import pytest
from starlette.requests import Request

from wakeful.engine.settings import EngineSettings
from wakeful.model.spend import Spend
from wakeful.web.facts.usage import UsageRoutes
from wakeful.web.web import Web

_DAY = 86_400.0


class Rooms:
    def __init__(self, owner: str | None, spent: dict[str | None, dict[int, float]]) -> None:
        self.store = self
        self._owner, self._spent = owner, spent
        self.asked: list[tuple[int, str | None]] = []

    def owner_seen_by(self, request: Request) -> str | None:
        return self._owner

    async def read(self, body: Any) -> Any:
        return await body(SimpleNamespace(now=self._now, spending=SimpleNamespace(since=self._since)))

    async def _now(self) -> float:
        return 10 * _DAY + 5

    async def _since(self, day: int, owner: str | None) -> dict[int, Spend]:
        self.asked.append((day, owner))
        return {of: Spend(1, 2, usd) for of, usd in self._spent.get(owner, {}).items() if of >= day}


async def shown(rooms: Rooms, query: str = "", **caps: Any) -> Any:
    request = Request({"type": "http", "headers": [], "query_string": query.encode()})
    answer = await UsageRoutes(cast(Web, rooms), EngineSettings(**caps)).show(request)
    return orjson.loads(answer.body)


async def test_each_of_the_last_days_is_shown_also_one_without_answers() -> None:
    rooms = Rooms("ann", {"ann": {7: 9.0, 8: 0.5, 10: 0.25}})

    report = await shown(rooms, "days=3")

    assert [(day["date"], day["cost_usd"] or 0, day["input_tokens"]) for day in report["days"]] == [
        ("1970-01-09", 0.5, 1),
        ("1970-01-10", 0, 0),
        ("1970-01-11", 0.25, 1),
    ]
    assert report["spent_today_usd"] == 0.25
    assert rooms.asked == [(8, "ann"), (10, None)]
    assert len((await shown(rooms))["days"]) == 7


@pytest.mark.parametrize(
    ("spent", "caps", "state"),
    [
        (5.0, {}, "ok"),
        (5.0, {"daily_spend_usd": 5.1}, "ok"),
        (5.0, {"daily_spend_usd": 5.0}, "wakes_wait"),
        (5.0, {"daily_spend_usd": 1.0, "daily_spend_hard_usd": 5.1}, "wakes_wait"),
        (5.0, {"daily_spend_usd": 1.0, "daily_spend_hard_usd": 5.0}, "stopped"),
    ],
)
async def test_a_cap_is_reached_by_what_all_have_spent(spent: float, caps: dict[str, Any], state: str) -> None:
    rooms = Rooms("ann", {"ann": {10: 0.5}, None: {10: spent}})

    report = await shown(rooms, **caps)

    assert (report["state"], report["spent_today_usd"]) == (state, 0.5)
    assert (report["cap_usd"], report["hard_cap_usd"]) == (
        caps.get("daily_spend_usd"),
        caps.get("daily_spend_hard_usd"),
    )
