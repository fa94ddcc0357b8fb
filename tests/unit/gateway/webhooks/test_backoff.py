"""The waits between the tries of a delivery."""

from itertools import count, takewhile

from wakeful.gateway.webhooks.backoff import seconds_to_next_try


def waits(chance: float) -> list[float]:
    all_of_them = (seconds_to_next_try(tries, chance) for tries in count(1))
    return [wait for wait in takewhile(lambda wait: wait is not None, all_of_them) if wait is not None]


def test_the_waits_grow_to_a_few_hours_and_are_about_a_day_together() -> None:
    middle = waits(0.5)

    assert middle[:4] == [5, 15, 45, 135]
    assert middle == sorted(middle)
    assert middle[-1] == 4 * 3600
    assert 20 * 3600 < sum(middle) < 28 * 3600


def test_chance_makes_them_a_quarter_shorter_or_longer() -> None:
    assert seconds_to_next_try(1, 0.0) == 3.75
    assert seconds_to_next_try(1, 1.0) == 6.25
    assert len(waits(0.0)) == len(waits(1.0)) == 13
