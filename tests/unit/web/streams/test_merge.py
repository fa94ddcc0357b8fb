"""Merged sources: every item once, in the order of its source, and every source closed."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

import pytest

from wakeful.web.streams.merge import merge


async def test_each_source_keeps_its_order_and_the_end_of_all_is_the_end() -> None:
    async def count(upto: int) -> AsyncGenerator[int, None]:
        for number in range(upto):
            await asyncio.sleep(0)
            yield number

    merged = [pair async for pair in merge({"a": count(3), "b": count(0), "c": count(5)})]

    assert [number for name, number in merged if name == "a"] == [0, 1, 2]
    assert [number for name, number in merged if name == "c"] == [0, 1, 2, 3, 4]
    assert len(merged) == 8


async def test_a_slow_reader_lets_no_source_run_ahead() -> None:
    made: list[str] = []

    async def eager(name: str) -> AsyncGenerator[str, None]:
        while True:
            made.append(name)
            yield name

    async with aclosing(merge({"a": eager("a"), "b": eager("b")})) as merged:
        for _ in range(10):
            await anext(merged)
            await asyncio.sleep(0.001)

    assert len(made) <= 12


async def test_a_reader_that_stops_closes_every_source() -> None:
    closed: list[str] = []

    async def waiting(name: str) -> AsyncGenerator[str, None]:
        try:
            yield name
            await asyncio.Event().wait()
        finally:
            closed.append(name)

    # Named, because a source that nobody holds any more is closed in any case.
    sources = {"a": waiting("a"), "b": waiting("b")}
    async with aclosing(merge(sources)) as merged:
        await anext(merged)

    assert sorted(closed) == ["a", "b"]


async def test_the_failure_of_one_is_the_failure_of_all() -> None:
    closed: list[str] = []

    async def failing() -> AsyncGenerator[int, None]:
        if not closed:
            raise ConnectionError
        yield 1

    async def waiting() -> AsyncGenerator[int, None]:
        try:
            await asyncio.Event().wait()
            yield 1
        finally:
            closed.append("b")

    sources = {"a": failing(), "b": waiting()}
    with pytest.raises(ConnectionError):
        async for _ in merge(sources):
            pass
    assert closed == ["b"]
