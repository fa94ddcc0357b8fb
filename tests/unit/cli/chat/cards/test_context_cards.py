"""What the chat says about a session's context and cost."""

from typing import Any

import pytest

from wakeful.cli.chat.cards.context_cards import money, usage_card

_USAGE: dict[str, Any] = {
    "context_tokens": 74_000,
    "context_window": 200_000,
    "compact_at_tokens": 160_000,
    "input_tokens": 180_000,
    "output_tokens": 4_000,
    "cost_usd": 1.844,
    "unpriced_tokens": 0,
}
_TODAY: dict[str, Any] = {
    "days": [{"cost_usd": 2.1}],
    "spent_today_usd": 2.1,
    "cap_usd": 5.0,
    "hard_cap_usd": None,
    "state": "ok",
}


def lines(usage: dict[str, Any] | None, today: dict[str, Any] = _TODAY) -> list[str]:
    card = usage_card(usage, today)
    return [card.title, *card.lines]


def test_the_context_the_cost_and_the_limits_are_said_in_numbers() -> None:
    assert lines(_USAGE) == [
        "Context: 74,000 of 200,000 tokens; older messages are summed up at 160,000.",
        "This session: 180,000 tokens read, 4,000 written; $1.84.",
        "Today, in all sessions: $2.10. At $5.00 a day nothing wakes by itself.",
    ]
    assert lines(None) == lines(_USAGE)[-1:]
    unpriced = _TODAY | {"days": [{"cost_usd": None}], "spent_today_usd": 0.0}
    assert lines(None, unpriced)[0].startswith("Today, in all sessions: price unknown. At $5.00")


def test_what_is_unknown_is_said_and_never_zero() -> None:
    unknown = {"context_window": None, "compact_at_tokens": None, "cost_usd": None, "unpriced_tokens": 184_000}
    assert lines(_USAGE | unknown)[:2] == [
        "Context: 74,000 tokens; the model's window is unknown.",
        "This session: 180,000 tokens read, 4,000 written; price unknown.",
    ]
    assert lines(_USAGE | {"unpriced_tokens": 20})[1].endswith("$1.84, and 20 tokens without a known price.")


def test_a_limit_that_is_reached_says_until_when() -> None:
    reached = lines(None, _TODAY | {"spent_today_usd": 5.2, "state": "wakes_wait"})[0]
    assert reached.startswith("Today, in all sessions: $5.20. Nothing wakes by itself now, until midnight UTC.")


@pytest.mark.parametrize(
    ("usd", "words"),
    [(0, "$0.00"), (0.0001, "under $0.01"), (0.0099, "under $0.01"), (0.01, "$0.01"), (1234.5, "$1,234.50")],
)
def test_an_amount_is_never_more_or_less_than_it_seems(usd: float, words: str) -> None:
    assert money(usd) == words


def test_each_limit_that_is_set_is_named() -> None:
    both = _TODAY | {"hard_cap_usd": 9.0}
    assert lines(None, both)[0].endswith("At $5.00 a day nothing wakes by itself. At $9.00 a day no model is asked.")
    assert lines(None, both | {"cap_usd": None})[0].endswith("$2.10. At $9.00 a day no model is asked.")
    assert lines(None, both | {"state": "stopped"})[0].endswith("$2.10. No model is asked now, until midnight UTC.")


def test_tokens_without_a_price_are_named_only_beside_a_price() -> None:
    assert lines(_USAGE | {"unpriced_tokens": 0})[1].endswith("$1.84.")
    assert lines(_USAGE | {"unpriced_tokens": 1})[1].endswith("$1.84, and 1 tokens without a known price.")
