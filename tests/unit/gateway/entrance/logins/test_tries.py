"""Failed logins: a few at once, then one at a time, from one address and from all."""

import pytest

from wakeful.gateway.entrance.logins import tries as module
from wakeful.gateway.entrance.logins.tries import Tries


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_five_failures_are_forgiven_and_the_sixth_waits() -> None:
    tries = Tries(Clock())

    waits = []
    for _ in range(6):
        waits.append(tries.wait("10.0.0.1"))
        tries.fail("10.0.0.1")

    assert waits == [0, 0, 0, 0, 0, 30]


def test_an_address_gets_another_try_every_half_minute() -> None:
    clock = Clock()
    tries = Tries(clock)
    for _ in range(5):
        tries.fail("10.0.0.1")
    clock.now += 29

    assert tries.wait("10.0.0.1") == 1
    clock.now += 1
    assert tries.wait("10.0.0.1") == 0
    tries.fail("10.0.0.1")
    assert tries.wait("10.0.0.1") == 30


def test_all_is_forgotten_in_time() -> None:
    clock = Clock()
    tries = Tries(clock)
    for _ in range(5):
        tries.fail("10.0.0.1")
    clock.now += 150

    for _ in range(5):
        assert tries.wait("10.0.0.1") == 0
        tries.fail("10.0.0.1")


def test_one_address_does_not_lock_another_out() -> None:
    tries = Tries(Clock())
    for _ in range(5):
        tries.fail("10.0.0.1")

    assert tries.wait("10.0.0.2") == 0


def test_those_who_have_no_address_count_as_one() -> None:
    tries = Tries(Clock())
    for _ in range(5):
        tries.fail("")

    assert (tries.wait(""), tries.wait("10.0.0.2")) == (30, 0)


def test_many_addresses_together_meet_a_limit_too() -> None:
    tries = Tries(Clock())
    for number in range(50):
        assert tries.wait(f"10.0.0.{number}") == 0
        tries.fail(f"10.0.0.{number}")

    assert tries.wait("10.0.1.1") == 5


def test_a_network_of_ipv6_addresses_counts_as_one() -> None:
    tries = Tries(Clock())
    for number in range(5):
        tries.fail(f"2001:db8::{number:x}")

    assert tries.wait("2001:db8::ffff:ffff:ffff:ffff") == 30
    assert tries.wait("2001:db8:0:1::1") == 0


def test_the_addresses_that_are_remembered_are_bounded() -> None:
    tries = Tries(Clock())
    for number in range(10_500):
        tries.fail(f"10.{number >> 16}.{number >> 8 & 255}.{number & 255}")

    assert len(tries._forgotten_at) == 10_000


def test_of_too_many_addresses_the_one_that_failed_longest_ago_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MOST_NETWORKS", 2)
    tries = Tries(Clock())
    for address in (*["10.0.0.1"] * 5, *["10.0.0.2"] * 5, "10.0.0.1", "10.0.0.3"):
        tries.fail(address)

    assert [tries.wait(f"10.0.0.{number}") for number in (1, 2, 3)] == [60, 0, 0]
