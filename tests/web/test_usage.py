"""What answers cost: of a session, of a turn, of a message, and day by day."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.web.kit import QUICK, Served, served
from wakeful.model.journal.fact import Answered, Fact, ModelChanged
from wakeful.model.journal.message import AssistantMessage, Usage
from wakeful.model.spend import Spend, date_of, day_of
from wakeful.store.sqlite.store import SqliteStore


async def answered(web: Served, usd: float | None, model: str = "", *facts: Fact, cached: int = 0) -> str:
    """Let a new session's turn end with an answer that costs so much; return the session."""
    session_id = await web.new_session()
    turn_id = await web.say(session_id, "hello")
    answer = Answered(1, AssistantMessage("hi"), Usage(100, 10, cached), model=model, cost_usd=usd)
    for fact in (*facts, answer):
        web.agent.tell(turn_id, fact)
    web.agent.order(turn_id, "end")
    await web.finished(turn_id)
    return session_id


async def usage(web: Served, who: str = "ann", **query: object) -> Any:
    reply = await web.get("/api/usage", who, **query)
    assert reply.status == 200, reply.json
    return reply.json


async def test_a_cost_is_shown_where_it_is_known(web: Served) -> None:
    session_id = await answered(web, 0.25)

    shown = await web.shown(session_id)

    cost = {"input_tokens": 100, "output_tokens": 10, "cost_usd": 0.25, "unpriced_tokens": 0}
    assert shown["session"]["usage"].items() >= cost.items()
    assert next(iter(shown["turns"].values()))["usage"] == cost


async def test_a_message_names_the_fallback_that_gave_it(web: Served) -> None:
    change = ModelChanged(1, "demo:led", "demo:other", "model_credit", "No credit.")

    session_id = await answered(web, None, "demo:other", change)

    shown = await web.shown(session_id)
    assert [message["model"] for message in shown["messages"] if message["role"] == "assistant"] == ["demo:other"]
    assert next(iter(shown["turns"].values()))["model"] == "demo:led"


async def test_days_without_answers_are_zero(web: Served) -> None:
    report = await usage(web)

    assert len(report["days"]) == 7
    assert report["days"][-1] == {
        "date": report["days"][-1]["date"],
        "cost_usd": 0.0,
        "input_tokens": 0,
        "output_tokens": 0,
        "unpriced_tokens": 0,
    }
    assert (report["cap_usd"], report["hard_cap_usd"], report["spent_today_usd"]) == (None, None, 0.0)
    assert report["state"] == "ok"


async def test_the_last_day_is_today_and_only_priced_tokens_cost(web: Served) -> None:
    await answered(web, None)
    unpriced = (await usage(web, days=1))["days"]
    await answered(web, 0.5)

    report = await usage(web, days=1)

    now = await web.store.read(lambda tx: tx.now())
    assert [(day["cost_usd"], day["unpriced_tokens"]) for day in unpriced] == [(None, 110)]
    assert report["days"] == [
        {
            "date": date_of(day_of(now)),
            "cost_usd": 0.5,
            "input_tokens": 200,
            "output_tokens": 20,
            "unpriced_tokens": 110,
        }
    ]
    assert report["spent_today_usd"] == 0.5


@pytest.mark.parametrize(
    ("caps", "state"),
    [
        ({"daily_spend_usd": 0.6}, "ok"),
        ({"daily_spend_usd": 0.5}, "wakes_wait"),
        ({"daily_spend_usd": 0.1, "daily_spend_hard_usd": 0.5}, "stopped"),
        ({"daily_spend_hard_usd": 0.5}, "stopped"),
    ],
)
async def test_the_state_says_which_cap_is_reached(
    store: SqliteStore, tmp_path: Path, caps: dict[str, Any], state: str
) -> None:
    async with served(store, tmp_path, settings=replace(QUICK, **caps)) as web:
        await answered(web, 0.5)

        report = await usage(web)

    assert report["state"] == state
    assert (report["cap_usd"], report["hard_cap_usd"]) == (
        caps.get("daily_spend_usd"),
        caps.get("daily_spend_hard_usd"),
    )


async def test_the_operator_sees_all_owners_and_others_see_their_own(web: Served) -> None:
    await answered(web, 0.5)
    await web.store.write(lambda tx: tx.spending.add_unstored("bob", Spend(1, 1, 2.0)))

    seen = {who: (await usage(web, who))["spent_today_usd"] for who in ("ann", "bob", "operator")}

    assert seen == {"ann": 0.5, "bob": 2.0, "operator": 2.5}


async def test_a_cap_that_all_owners_have_reached_is_told_to_one_who_spent_nothing(
    store: SqliteStore, tmp_path: Path
) -> None:
    async with served(store, tmp_path, settings=replace(QUICK, daily_spend_hard_usd=0.5)) as web:
        await store.write(lambda tx: tx.spending.add_unstored("ann", Spend(1, 1, 0.5)))

        report = await usage(web, "bob")

    assert (report["spent_today_usd"], report["state"]) == (0.0, "stopped")


async def test_days_are_a_whole_number(web: Served) -> None:
    reply = await web.get("/api/usage", days="many")

    assert (reply.status, reply.json["error"]["code"]) == (400, "invalid_request")
    assert len((await usage(web, days=0))["days"]) == 1
    assert len((await usage(web, days=9999))["days"]) == 366


async def costs(web: Served, session_id: str, who: str = "ann") -> Any:
    return (await web.get("/api/session/costs", who, session_id=session_id)).json


async def test_the_costs_of_a_session_say_what_the_cache_gave(web: Served) -> None:
    # Today it would cost 0.4 + 0.06 + 0.2 dollars: half of that was paid.
    session_id = await answered(web, 0.33, "demo:led", cached=60)

    assert await costs(web, session_id) == {
        "input": {"tokens": 40, "cost_usd": pytest.approx(0.2)},
        "cached": {"tokens": 60, "cost_usd": pytest.approx(0.03)},
        "output": {"tokens": 10, "cost_usd": pytest.approx(0.1)},
        "others": [],
    }


@pytest.mark.parametrize("usd", [None, 0.25])
async def test_the_costs_of_a_session_name_a_model_whose_price_is_not_known(web: Served, usd: float | None) -> None:
    session_id = await answered(web, usd, "demo:unpriced")

    shown = await costs(web, session_id)

    assert shown["others"] == [{"model": "demo:unpriced", "tokens": 110, "cost_usd": usd}]
    assert shown["input"] == shown["cached"] == shown["output"] == {"tokens": 0, "cost_usd": 0.0}


async def test_nobody_reads_the_costs_of_another_owners_session(web: Served) -> None:
    session_id = await answered(web, 0.5)

    assert (await costs(web, session_id, "bob"))["error"]["code"] == "not_found"
