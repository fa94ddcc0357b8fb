"""What answers cost: sums, unknown prices, and the days of UTC."""

from wakeful.model.journal.message import Usage
from wakeful.model.spend import Spend, date_of, day_of, end_of_day


def test_an_unknown_price_is_not_a_price_of_zero() -> None:
    unknown, free = Spend.of_answer(10, 2, None), Spend.of_answer(10, 2, 0.0)

    assert (unknown.cost_usd, unknown.unpriced_tokens) == (None, 12)
    assert (free.cost_usd, free.unpriced_tokens) == (0.0, 0)
    assert Spend().cost_usd == 0.0


def test_a_sum_keeps_what_is_known() -> None:
    total = sum([Spend.of_answer(1, 1, 0.012)] * 3 + [Spend.of_answer(5, 5, None)], Spend())

    assert (total.input_tokens, total.output_tokens, total.unpriced_tokens) == (8, 8, 10)
    assert total.cost_usd == 0.036


def test_a_day_ends_at_midnight_of_utc() -> None:
    assert (day_of(86_399.9), day_of(86_400.0)) == (0, 1)
    assert (end_of_day(86_399.9), end_of_day(86_400.0)) == (86_400.0, 172_800.0)
    assert date_of(20_000) == "2024-10-04"


def test_nothing_costs_nothing() -> None:
    nothing = Spend()

    assert nothing + nothing == nothing == Spend(0, 0, 0.0, 0)
    assert Usage().paid_tokens == (0, 0, 0)
    assert Usage(1, 2).plus(Usage()) == Usage(1, 2, 0, 0, 0)
