"""Notifications that wait for the connection: merged, split where they are too long, kept until they are sent."""

import asyncio

import orjson
import pytest

from tests.patience import PATIENCE
from tests.unit.store.postgres.kit import FakeLine
from wakeful.errors import StoreUnavailable
from wakeful.model.event import Event
from wakeful.store.base import Signal
from wakeful.store.postgres.outbox import EVERYTHING, Letter, Outbox, newest_numbers, payloads_of, read_payload


def event(number: int) -> Event:
    return Event("s1", number, None, None, "token", b"", 0.0)


async def test_what_is_sent_is_sent_once() -> None:
    sent: list[list[str]] = []

    async def answer(_: str, payloads: list[str]) -> None:
        sent.append(list(payloads))

    outbox = Outbox("one")
    outbox.add(Signal(frozenset({"s1"}), {"t1": 2}))
    outbox.add_spoken(["s2"])
    for _ in range(2):
        await outbox.send(FakeLine(answer), "channel")

    ((payload,),) = sent
    assert read_payload(payload) == (
        "one",
        Signal(frozenset({"s1"}), {"t1": 2}, spoken=frozenset({"s2"})),
        {"s1": 0},
    )


async def test_what_could_not_be_sent_is_sent_later_with_what_has_come_since() -> None:
    sent: list[str] = []

    async def fail(*_: object) -> None:
        raise StoreUnavailable("away")

    async def answer(_: str, payloads: list[str]) -> None:
        sent.extend(payloads)

    outbox = Outbox("one")
    outbox.add(Signal(frozenset({"s1"})))
    with pytest.raises(StoreUnavailable):
        await outbox.send(FakeLine(fail), "channel")
    outbox.add(Signal(frozenset({"s2"})))
    await outbox.send(FakeLine(answer), "channel")

    assert [read_payload(payload)[1].sessions for payload in sent] == [{"s1"}, {"s2"}]


async def test_a_wait_ends_after_its_seconds_or_when_there_is_something() -> None:
    outbox = Outbox("one")
    async with asyncio.timeout(PATIENCE):
        await outbox.wait(0)
        outbox.add(Signal(frozenset({"s1"})))
        await outbox.wait(10 * PATIENCE)
        outbox._has_mail.clear()
        outbox.add_spoken(["s1"])
        await outbox.wait(10 * PATIENCE)
        outbox._has_mail.clear()
        outbox.wake()
        await outbox.wait(10 * PATIENCE)


def test_the_newest_number_of_a_session_is_told_and_0_without_an_event() -> None:
    signal = Signal(frozenset({"s1", "s2"}), events=(event(5), event(6), event(4)))

    assert newest_numbers(signal) == {"s1": 6, "s2": 0}


def test_of_merged_signals_the_newer_number_counts() -> None:
    outbox = Outbox("one")
    for number in (5, 6, 4):
        outbox.add(Signal(frozenset({"s1", "s2"}), events=(event(number),)))

    assert outbox._letter.sessions == {"s1": 6, "s2": 0}


def test_two_names_that_fit_only_alone_come_in_two_payloads() -> None:
    long, longer = "x" * 4_000, "y" * 5_000

    payloads = payloads_of("one", Letter({long: 1}, {longer: 2}))

    signals = [read_payload(payload)[1] for payload in payloads]
    assert signals == [Signal(frozenset({long})), Signal(frozenset(), {longer: 2})]


def test_a_name_that_does_not_fit_alone_does_not_take_the_others_with_it() -> None:
    payloads = payloads_of("one", Letter({"s1": 1, "x" * 8_000: 1}, spoken={"s2": 1}))

    signals = [read_payload(payload)[1] for payload in payloads]
    assert EVERYTHING in signals
    assert frozenset().union(*(signal.sessions for signal in signals)) == {"s1"}
    assert frozenset().union(*(signal.spoken for signal in signals)) == {"s2"}


def test_there_is_no_payload_about_nothing() -> None:
    assert payloads_of("one", Letter()) == []
    assert orjson.loads(payloads_of("one", Letter({"s1": 3}))[0]) == ["one", {"s1": 3}, {}, {}]
