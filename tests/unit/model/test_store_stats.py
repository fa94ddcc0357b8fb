"""Figures about a store."""

import pytest

from wakeful.model.store_stats import Histogram, StoreStats


def test_a_histogram_counts_up_to_each_bound_and_beyond_the_last() -> None:
    found = Histogram((1, 2, 4))
    for value in (0.5, 1, 1.5, 4, 100):
        found.add(value)

    assert (found.up_to(), found.count, found.sum) == ([2, 3, 4, 5], 5, 107.0)


def test_a_write_waits_until_it_is_over_even_if_it_fails() -> None:
    stats = StoreStats()

    def fail() -> None:
        with stats.writing():
            assert stats.queue == 1
            raise OSError("full")

    with pytest.raises(OSError, match="full"):
        fail()
    assert (stats.queue, stats.seconds_since_success) == (0, None)


def test_a_commit_is_a_success_with_a_size() -> None:
    stats = StoreStats()
    stats.note_commit(3, 0.25)

    assert (stats.group_sizes.sum, stats.commit_seconds.sum) == (3.0, 0.25)
    assert stats.seconds_since_success is not None
    assert stats.seconds_since_success >= 0
