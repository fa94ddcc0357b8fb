"""The route that shows what answers cost, day by day, and how far the caps are."""

from typing import Annotated, Literal

from msgspec import Meta
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from wakeful.engine.settings import EngineSettings
from wakeful.model.spend import Spend, date_of, day_of
from wakeful.store.base import Transaction
from wakeful.web.fields import clamped, read_query
from wakeful.web.messages.turn import TurnCost, cost_fields
from wakeful.web.web import Web
from wakeful.wire.answer import JsonAnswer
from wakeful.wire.declared import Incoming, Outgoing, words


class UsageQuery(Incoming):
    days: Annotated[int, clamped(1, 366), words("1 to 366 days; 7 by default.")] = 7


class DayUsage(TurnCost):
    date: Annotated[str, words("A day of UTC.")]


class UsageReport(Outgoing):
    days: Annotated[list[DayUsage], words("The last is today. Of all owners for the operator, else the caller's own.")]
    cap_usd: float | None
    hard_cap_usd: float | None
    spent_today_usd: Annotated[float, Meta(ge=0)]
    state: Annotated[
        Literal["ok", "wakes_wait", "stopped"],
        words("Which cap all owners together have reached: nothing wakes by itself, or no model is asked."),
    ]


class UsageRoutes:
    def __init__(self, web: Web, settings: EngineSettings) -> None:
        self._web = web
        self._settings = settings

    def routes(self) -> list[Route]:
        return [Route("/api/usage", self.show, methods=["GET"])]

    async def show(self, request: Request) -> Response:
        count = read_query(request, UsageQuery).days
        owner = self._web.owner_seen_by(request)

        async def body(tx: Transaction) -> tuple[list[DayUsage], Spend, float]:
            today = day_of(await tx.now())
            days = range(today - count + 1, today + 1)
            spent = await tx.spending.since(days[0], owner)
            everyone = await tx.spending.since(today, None)
            shown = [_shown_day(day, spent.get(day, Spend())) for day in days]
            return shown, spent.get(today, Spend()), everyone.get(today, Spend()).usd

        days, spent_today, spent_by_all = await self._web.store.read(body)
        report = UsageReport(
            days=days,
            cap_usd=self._settings.daily_spend_usd,
            hard_cap_usd=self._settings.daily_spend_hard_usd,
            spent_today_usd=spent_today.cost_usd or 0.0,
            state=self._state(spent_by_all),
        )
        return JsonAnswer(report)

    def _state(self, spent_usd: float) -> Literal["ok", "wakes_wait", "stopped"]:
        hard, waking = self._settings.daily_spend_hard_usd, self._settings.waking_spend_usd
        if hard is not None and spent_usd >= hard:
            return "stopped"
        return "wakes_wait" if waking is not None and spent_usd >= waking else "ok"


def _shown_day(day: int, spend: Spend) -> DayUsage:
    return DayUsage(**cost_fields(spend), date=date_of(day))
