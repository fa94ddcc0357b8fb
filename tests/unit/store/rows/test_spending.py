"""The days' spend as rows."""

from wakeful.model.spend import Spend
from wakeful.store.rows.spending import days_from, shard_of, spend_values


def test_the_spend_of_each_day_comes_back_whole() -> None:
    columns = ("input_tokens", "output_tokens", "cost_usd", "unpriced_tokens")
    spent = {7: Spend(1, 2, 3.5, 4), 8: Spend(5, 6, 7.5, 8)}

    rows = [dict(zip(columns, spend_values(spend), strict=True)) | {"day": day} for day, spend in spent.items()]

    assert days_from(rows) == spent


def test_a_day_is_spread_over_sixteen_rows_and_a_session_has_always_the_same() -> None:
    shards = [shard_of(f"session_{number}") for number in range(500)]

    assert set(shards) == set(range(16))
    assert shards == [shard_of(f"session_{number}") for number in range(500)]
