"""Commits whose notification was lost: what is known of followed sessions, and what has moved since."""

from typing import Any

import pytest

from tests.unit.store.postgres.kit import FakeLine
from wakeful.errors import StoreUnavailable
from wakeful.store.base import Signal
from wakeful.store.postgres.missed_commits import MissedCommits


def line_with(**last_seqs: int) -> FakeLine:
    async def answer(asked: list[str]) -> list[dict[str, Any]]:
        return [{"id": name, "last_seq": number} for name, number in last_seqs.items() if name in asked]

    return FakeLine(answer)


@pytest.fixture
def missed() -> MissedCommits:
    """It follows s1, and knows it up to number 5."""
    missed = MissedCommits()
    missed.add(lambda: {"s1"})
    missed.note({"s1": 5})
    return missed


async def test_a_session_that_has_moved_is_told_once(missed: MissedCommits) -> None:
    assert await missed.find(line_with(s1=5)) is None
    assert await missed.find(line_with(s1=6)) == Signal(frozenset({"s1"}))
    assert await missed.find(line_with(s1=6)) is None


async def test_an_older_number_does_not_replace_a_newer_one(missed: MissedCommits) -> None:
    missed.note({"s1": 3})

    assert await missed.find(line_with(s1=5)) is None


async def test_a_session_without_events_counts_as_moved_when_it_is_first_followed() -> None:
    missed = MissedCommits()
    missed.add(lambda: {"s1"})
    missed.add(lambda: {"s2"})

    assert await missed.find(line_with(s1=0, s2=0, s3=0)) == Signal(frozenset({"s1", "s2"}))
    assert await missed.find(line_with(s1=0, s2=0, s3=0)) is None


async def test_nothing_is_asked_while_nothing_is_followed() -> None:
    async def refuse(*_: object) -> None:
        raise AssertionError

    missed = MissedCommits()
    missed.add(set)

    assert await missed.find(FakeLine(refuse)) is None


async def test_a_session_that_is_no_longer_followed_is_forgotten() -> None:
    followed = {"s1"}
    missed = MissedCommits()
    missed.add(lambda: followed)
    missed.note({"s1": 5, "s2": 5})
    await missed.find(line_with(s1=5))

    followed.add("s2")

    assert await missed.find(line_with(s1=5, s2=5)) == Signal(frozenset({"s2"}))


async def test_what_is_noted_during_the_question_is_known_afterwards(missed: MissedCommits) -> None:
    async def answer(_: list[str]) -> list[dict[str, Any]]:
        missed.note({"s1": 7})
        return [{"id": "s1", "last_seq": 7}]

    assert await missed.find(FakeLine(answer)) is None


async def test_a_question_that_fails_loses_nothing_that_is_known(missed: MissedCommits) -> None:
    async def fail(_: list[str]) -> None:
        raise StoreUnavailable("away")

    with pytest.raises(StoreUnavailable):
        await missed.find(FakeLine(fail))

    assert await missed.find(line_with(s1=5)) is None
