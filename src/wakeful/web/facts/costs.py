"""The route that shows what the answers of a session have cost, by what was paid for."""

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from functools import partial
from typing import Annotated, TypeAlias

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from wakeful.model.journal.entry import Entry, model_of, spend_of, usage_of
from wakeful.model.journal.message import Usage
from wakeful.store.base import Transaction
from wakeful.web.fields import OfSession, read_query
from wakeful.web.messages.turn import ZeroOrMore
from wakeful.web.web import Web
from wakeful.wire.answer import JsonAnswer
from wakeful.wire.declared import Outgoing, words

# What the input, the input from the cache and the output of a model cost today; None: its price is unknown.
CostsOf: TypeAlias = Callable[[str, Usage], tuple[float, float, float] | None]

# Entries that are read at once: a long session has thousands of answers.
_PAGE = 500


class PaidTokens(Outgoing):
    tokens: ZeroOrMore
    cost_usd: float


class OtherTokens(Outgoing):
    model: str
    tokens: ZeroOrMore
    cost_usd: Annotated[float | None, words("Null: the price is unknown.")]


class SessionCosts(Outgoing):
    input: Annotated[PaidTokens, words("What models have read, without what came from a cache.")]
    cached: PaidTokens
    output: PaidTokens
    others: Annotated[
        list[OtherTokens], words("Models whose cost cannot be divided, because their price is unknown now or was then.")
    ]


@dataclass(slots=True)
class _Paid:
    """What the answers of one model have used and cost."""

    usage: Usage
    usd: float


@dataclass(frozen=True, slots=True)
class CostRoutes:
    web: Web
    costs_of: CostsOf

    def routes(self) -> list[Route]:
        return [Route("/api/session/costs", self.show, methods=["GET"])]

    async def show(self, request: Request) -> Response:
        session = await self.web.find_session(request, read_query(request, OfSession).session_id)
        return JsonAnswer(_shown(await self.web.store.read(partial(_paid, session_id=session.id)), self.costs_of))


async def _paid(tx: Transaction, *, session_id: str) -> dict[tuple[str, bool], _Paid]:
    """Return what was paid by model, its answers with a price apart from those without."""
    found: dict[tuple[str, bool], _Paid] = {}
    async for entry in _entries(tx, session_id):
        spend = spend_of(entry)
        paid = found.setdefault((model_of(entry), not spend.unpriced_tokens), _Paid(Usage(), 0.0))
        paid.usage = paid.usage.plus(usage_of(entry))
        paid.usd += spend.usd
    return found


async def _entries(tx: Transaction, session_id: str) -> AsyncIterator[Entry]:
    after = ("", 0)
    while page := await tx.journal.paid(session_id, after, _PAGE):
        for entry in page:
            yield entry
        after = (page[-1].turn_id, page[-1].step)


def _shown(found: dict[tuple[str, bool], _Paid], costs_of: CostsOf) -> SessionCosts:
    rows, others = [(0, 0.0)] * 3, list[OtherTokens]()
    for (model, is_priced), paid in found.items():
        used = paid.usage.paid_tokens
        costs = _divided(paid.usd, costs_of(model, paid.usage)) if is_priced else None
        if costs is not None:
            more = zip(rows, used, costs, strict=True)
            rows = [(tokens + count, usd + cost) for (tokens, usd), count, cost in more]
        elif any(used):
            others.append(OtherTokens(model=model, tokens=sum(used), cost_usd=paid.usd if is_priced else None))
    read, cached, written = (PaidTokens(tokens=tokens, cost_usd=usd) for tokens, usd in rows)
    return SessionCosts(input=read, cached=cached, output=written, others=others)


def _divided(usd: float, costs: tuple[float, float, float] | None) -> list[float] | None:
    """Divide a recorded cost in the proportion of today's prices, because its parts are not recorded. None if there is
    no such proportion.
    """
    if not usd:
        return [0.0, 0.0, 0.0]
    whole = sum(costs or ())
    return None if costs is None or not whole else [usd * cost / whole for cost in costs]
