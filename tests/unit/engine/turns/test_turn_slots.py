"""Slots: who gets the next one, and that none is ever lost."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from tests.patience import idle
from tests.store.nouns import a_turn
from wakeful.engine.turns.turn_slots import TurnSlots
from wakeful.model.turn import Turn


class Guests:
    """Turns named after their owners, such as ann1, that hold a slot until they are told to go."""

    def __init__(self, slots: TurnSlots) -> None:
        self.slots = slots
        self.inside: list[str] = []
        self.jobs: dict[str, asyncio.Task[None]] = {}

    async def come(self, *names: str, epoch: int = 1) -> None:
        for name in names:
            self.jobs[name] = asyncio.create_task(self._stay(a_turn(name, epoch=epoch)))
            await idle()

    async def go(self, *names: str) -> None:
        for name in names:
            self.jobs[name].cancel()
            await idle()

    async def _stay(self, turn: Turn) -> None:
        async with self.slots.taken_by(turn):
            self.inside.append(turn.id)
            try:
                await asyncio.Event().wait()
            finally:
                self.inside.remove(turn.id)


asked: list[str] = []


async def owner_of(turn: Turn) -> str:
    asked.append(turn.id)
    return turn.id.rstrip("0123456789")


def slots_of(limit: int) -> TurnSlots:
    return TurnSlots(limit, owner_of)


@pytest.fixture
async def guests() -> AsyncIterator[Guests]:
    asked.clear()
    guests = Guests(slots_of(2))
    yield guests
    await guests.go(*guests.jobs)
    assert (guests.slots.taken, guests.slots.waiting, guests.slots.has_room) == (0, 0, True)


async def test_as_many_turns_work_as_there_are_slots(guests: Guests) -> None:
    had_room = []
    for name in ("ann1", "ann2", "bob1"):
        had_room.append(guests.slots.has_room)
        await guests.come(name)

    assert had_room == [True, True, False]
    assert (guests.inside, guests.slots.taken, guests.slots.waiting) == (["ann1", "ann2"], 2, 1)
    assert asked == ["bob1"]


async def test_a_free_slot_goes_to_the_one_who_waits(guests: Guests) -> None:
    await guests.come("ann1", "ann2", "bob1")

    await guests.go("ann1")

    assert (guests.inside, guests.slots.taken, guests.slots.waiting) == (["ann2", "bob1"], 2, 0)


async def test_nobody_overtakes_those_who_wait(guests: Guests) -> None:
    await guests.come("ann1", "ann2", "bob1")
    guests.slots._new._limit = 3

    assert not guests.slots.has_room
    await guests.come("eve1")

    assert guests.inside == ["ann1", "ann2", "bob1"]
    guests.slots._new._limit = 2


async def test_an_owner_who_has_nothing_left_to_wait_for_is_forgotten(guests: Guests) -> None:
    await guests.come("ann1", "ann2", "bob1", "eve1")
    await guests.go("bob1")
    assert list(guests.slots._new._waiting) == ["eve"]

    await guests.go("ann1", "ann2")

    assert guests.inside == ["eve1"]
    assert not guests.slots.waiting


async def test_the_owner_who_was_served_last_comes_last(guests: Guests) -> None:
    await guests.come("ann1", "ann2", "bob1", "bob2", "eve1")

    await guests.go("ann1", "ann2")
    assert guests.inside == ["bob1", "eve1"]
    await guests.come("eve2")
    await guests.go("bob1")

    assert guests.inside == ["eve1", "bob2"]


@pytest.mark.parametrize(("limit", "for_taken_over"), [(1, 1), (5, 1), (10, 2), (50, 10)])
async def test_turns_that_were_taken_over_have_a_fifth_as_many_slots(limit: int, for_taken_over: int) -> None:
    guests = Guests(slots_of(limit))

    await guests.come(*(f"ann{number}" for number in range(for_taken_over + 1)), epoch=2)

    assert (guests.slots.taken, guests.slots.waiting) == (for_taken_over, 1)
    assert guests.slots.has_room
    await guests.come("bob1")
    assert guests.inside[-1] == "bob1"
    await guests.go(*guests.jobs)
    assert (guests.slots.taken, guests.slots.waiting) == (0, 0)


async def test_a_stop_cancels_all_who_wait_new_or_taken_over(guests: Guests) -> None:
    await guests.come("ann1", "ann2", "bob1", "bob2", "eve1")
    await guests.come("old1", "old2", epoch=2)

    guests.slots.close()
    await idle()

    assert guests.inside == ["ann1", "ann2", "old1"]
    assert {name for name, job in guests.jobs.items() if job.cancelled()} == {"bob1", "bob2", "eve1", "old2"}
    assert guests.slots.waiting == 0


async def test_a_slot_that_was_given_at_the_moment_of_a_stop_is_given_on(guests: Guests) -> None:
    await guests.come("ann1", "ann2", "bob1", "eve1")
    guests.jobs["ann1"].cancel()
    await asyncio.sleep(0)
    assert guests.slots.waiting == 1
    guests.jobs["bob1"].cancel()
    await idle()

    assert guests.inside == ["ann2", "eve1"]
    assert guests.slots.taken == 2


async def test_lending_without_a_slot_does_nothing() -> None:
    slots = slots_of(1)

    async with slots.lent():
        assert slots.taken == 0

    assert (slots.taken, slots.has_room) == (0, True)


async def test_a_call_that_fails_while_its_slot_is_lent_has_it_back_at_once() -> None:
    slots = slots_of(1)

    async def fail() -> None:
        async with slots.lent():
            assert slots.taken == 0
            raise ValueError("no")

    async with slots.taken_by(a_turn("ann1")):
        with pytest.raises(ValueError, match="no"):
            await fail()
        assert slots.taken == 1

    assert slots.taken == 0


async def test_a_slot_is_lent_again_after_it_has_come_back() -> None:
    slots = slots_of(1)

    async with slots.taken_by(a_turn("ann1")):
        for _ in range(2):
            async with slots.lent():
                assert slots.taken == 0
            assert slots.taken == 1

    assert slots.taken == 0


async def test_of_two_calls_side_by_side_the_first_that_fails_leaves_the_slot_lent() -> None:
    slots = slots_of(1)
    fails, ends = asyncio.Event(), asyncio.Event()

    async def failing() -> None:
        async with slots.lent():
            await fails.wait()
            raise ValueError

    async def waiting() -> None:
        async with slots.lent():
            await ends.wait()

    async with slots.taken_by(a_turn("ann1")):
        jobs = [asyncio.create_task(failing()), asyncio.create_task(waiting())]
        await idle()
        fails.set()
        await idle()
        assert slots.taken == 0
        ends.set()
        await asyncio.gather(*jobs, return_exceptions=True)
        assert slots.taken == 1


async def test_one_who_comes_back_after_a_stop_of_its_wait_holds_its_slot_over_the_limit(guests: Guests) -> None:
    """Only so does it give up as many as it has taken."""
    slots = guests.slots
    returning = asyncio.Event()

    async def lends() -> None:
        async with slots.taken_by(a_turn("ann1")):
            try:
                async with slots.lent():
                    await returning.wait()
            finally:
                held.append(slots.taken)

    held: list[int] = []
    job = asyncio.create_task(lends())
    await idle()
    await guests.come("bob1", "eve1")
    returning.set()
    await idle()
    assert slots.waiting == 1

    job.cancel()
    await idle()

    assert (held, slots.taken, slots.waiting) == ([3], 2, 0)
    assert job.cancelled()


async def test_a_slot_that_was_given_back_is_lent_no_more() -> None:
    slots = slots_of(1)

    async with slots.taken_by(a_turn("ann1")):
        pass

    async with slots.lent():
        assert slots.taken == 0
