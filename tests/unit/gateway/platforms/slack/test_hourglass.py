"""The hourglass on a message: taken off whatever fails."""

import asyncio
from typing import Any

import pytest

from tests.patience import PATIENCE
from tests.platforms.kept_memory import KeptMemory
from tests.unit.gateway.platforms.slack.client import ScriptedClient
from wakeful.gateway.messaging.needs import DoorMemory
from wakeful.gateway.messaging.platform import NotTaken, Unanswered
from wakeful.gateway.platforms.slack.client import SlackRefusal
from wakeful.gateway.platforms.slack.hourglass import Hourglass
from wakeful.model.session import Address, Sender

MESSAGE = Address("slack", "C1", "", Sender("5.0"))


@pytest.fixture
def slept(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Let nothing sleep; return how long it would have slept."""
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    monkeypatch.setattr(asyncio, "sleep", sleep)
    return slept


def reacting(*removals: Exception | None) -> Any:
    """Return a client whose removals meet these troubles, in turn."""
    left = list(removals)
    return ScriptedClient({"reactions.add": lambda _: {}, "reactions.remove": lambda _: left.pop(0) if left else {}})


async def test_a_removal_that_fails_is_repeated_after_longer_pauses_or_as_slack_asks(slept: list[float]) -> None:
    kept = KeptMemory()
    client = reacting(Unanswered("Cut."), NotTaken("Slow down.", seconds=7.0), Unanswered("Cut."))
    hourglass = Hourglass(client, kept.memory)
    await hourglass.show(MESSAGE)
    assert kept.values["hourglasses"] == [("C1", "5.0")]

    await hourglass.remove(MESSAGE)

    assert slept == [1.0, 7.0, 4.0]
    assert [method for method, _ in client.calls] == ["reactions.add", *["reactions.remove"] * 4]
    assert kept.values["hourglasses"] == []


async def test_a_removal_is_given_up_at_last_and_left_to_the_next_process(slept: list[float]) -> None:
    kept = KeptMemory()
    client = reacting(*[Unanswered("Cut.")] * 20)
    hourglass = Hourglass(client, kept.memory)
    await hourglass.show(MESSAGE)
    await hourglass.remove(MESSAGE)

    assert len(slept) == 8
    assert kept.values["hourglasses"] == [("C1", "5.0")]

    client = reacting()
    later = Hourglass(client, kept.memory)
    await later.take_over()
    async with asyncio.timeout(PATIENCE):
        await kept.until(lambda: kept.values["hourglasses"] == [])
    await later.close()


async def test_what_slack_refuses_is_not_repeated(slept: list[float]) -> None:
    client = reacting(SlackRefusal("reactions.remove", "no_reaction"))
    hourglass = Hourglass(client, KeptMemory().memory)
    await hourglass.show(MESSAGE)
    await hourglass.show(MESSAGE)
    await hourglass.remove(MESSAGE)
    await hourglass.remove(MESSAGE)

    assert [method for method, _ in client.calls] == ["reactions.add", "reactions.remove"]
    assert slept == []


async def test_one_that_slack_has_not_taken_is_shown_again() -> None:
    troubles: list[Exception] = [NotTaken("Slow down.")]
    client: Any = ScriptedClient({"reactions.add": lambda _: troubles.pop() if troubles else {}})
    hourglass = Hourglass(client, KeptMemory().memory)
    with pytest.raises(NotTaken):
        await hourglass.show(MESSAGE)

    await hourglass.show(MESSAGE)

    assert len(client.calls) == 2


async def test_a_stop_ends_the_removals_that_are_under_way() -> None:
    begun, ended = asyncio.Event(), asyncio.Event()

    class Silent:
        async def call(self, method: str, **params: Any) -> Any:
            if method == "reactions.remove":
                begun.set()
                try:
                    await asyncio.Event().wait()
                finally:
                    ended.set()
            return {}

    kept = KeptMemory()
    kept.values["hourglasses"] = [("C1", "5.0")]
    hourglass = Hourglass(Silent(), kept.memory)  # type: ignore[arg-type]
    async with asyncio.timeout(PATIENCE):
        await hourglass.take_over()
        await begun.wait()
        await hourglass.close()
    assert ended.is_set()


@pytest.mark.parametrize("message_id", ["", "wake-up"])
async def test_what_answers_no_message_shows_none(message_id: str) -> None:
    client = reacting()
    await Hourglass(client, KeptMemory().memory).show(Address("slack", "C1", "", Sender(message_id)))

    assert client.calls == []


async def test_what_an_earlier_process_has_left_is_not_forgotten_by_a_turn_that_begins_before_slack_is_reached() -> (
    None
):
    kept = KeptMemory()
    kept.values["hourglasses"] = [("C2", "1.0")]
    client = reacting()
    hourglass = Hourglass(client, kept.memory)

    await hourglass.show(MESSAGE)
    assert kept.values["hourglasses"] == [("C1", "5.0"), ("C2", "1.0")]
    await hourglass.take_over()
    async with asyncio.timeout(PATIENCE):
        await kept.until(lambda: kept.values["hourglasses"] == [("C1", "5.0")])
        await asyncio.gather(*hourglass._removals)

    removed = [params["channel"] for method, params in client.calls if method == "reactions.remove"]
    assert removed == ["C2"], "the turn of the other goes on"
    assert hourglass._removals == set()


@pytest.mark.parametrize(("left", "standing"), [([], []), ([("C1", "5.0")], [("C1", "5.0")])], ids=["new", "left"])
async def test_one_that_slack_has_not_taken_stands_only_where_it_has_stood_before(
    left: list[tuple[str, str]], standing: list[tuple[str, str]]
) -> None:
    kept = KeptMemory()
    kept.values["hourglasses"] = left
    client: Any = ScriptedClient({"reactions.add": lambda _: NotTaken("Slow down."), "reactions.remove": lambda _: {}})
    hourglass = Hourglass(client, kept.memory)
    with pytest.raises(NotTaken):
        await hourglass.show(MESSAGE)

    assert sorted(hourglass._standing) == standing


async def test_where_it_stands_is_kept_before_slack_is_asked() -> None:
    kept = KeptMemory()
    kept_then: list[Any] = []
    client: Any = ScriptedClient({"reactions.add": lambda _: kept_then.append(kept.values.get("hourglasses"))})
    await Hourglass(client, kept.memory).show(MESSAGE)

    assert kept_then == [[("C1", "5.0")]]


async def test_it_is_shown_though_the_store_is_away() -> None:
    kept = KeptMemory()
    kept.failures = 1
    client = reacting()
    await Hourglass(client, kept.memory).show(MESSAGE)

    assert [method for method, _ in client.calls] == ["reactions.add"]


class Removing(ScriptedClient):
    """Slack, where a removal waits until the test lets it go on."""

    def __init__(self, *troubles: Exception) -> None:
        super().__init__({})
        self.troubles = list(troubles)
        self.begun, self.gate = asyncio.Event(), asyncio.Event()

    async def call(self, method: str, **params: Any) -> Any:
        self.calls.append((method, params))
        if method == "reactions.remove":
            self.begun.set()
            await self.gate.wait()
            if self.troubles:
                raise self.troubles.pop()


@pytest.mark.parametrize("troubles", [[], [Unanswered("Cut.")]], ids=["removed", "cut"])
async def test_one_that_another_turn_shows_again_meanwhile_stays(troubles: list[Exception], slept: list[float]) -> None:
    kept = KeptMemory()
    client: Any = Removing(*troubles)
    hourglass = Hourglass(client, kept.memory)
    await hourglass.show(MESSAGE)

    async with asyncio.timeout(PATIENCE):
        removing = asyncio.create_task(hourglass.remove(MESSAGE))
        await client.begun.wait()
        await hourglass.show(MESSAGE)
        client.gate.set()
        await removing

    assert kept.values["hourglasses"] == [("C1", "5.0")]
    assert [method for method, _ in client.calls] == ["reactions.add", "reactions.remove", "reactions.add"]


async def test_the_end_of_a_turn_does_not_wait_long_for_slack(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wakeful.gateway.platforms.slack.hourglass._END_SECONDS", 0.001)
    client: Any = Removing()
    hourglass = Hourglass(client, KeptMemory().memory)
    await hourglass.show(MESSAGE)

    async with asyncio.timeout(PATIENCE):
        await hourglass.remove(MESSAGE)
        assert len(hourglass._removals) == 1, "it goes on"
        client.gate.set()
        await asyncio.gather(*hourglass._removals)


async def test_one_that_could_not_be_kept_is_still_known_when_the_line_is_opened_again() -> None:
    kept = KeptMemory()
    kept.failures = 1
    hourglass = Hourglass(reacting(), kept.memory)
    await hourglass.show(MESSAGE)
    await hourglass.take_over()
    await hourglass.show(Address("slack", "C2", "", Sender("6.0")))
    await hourglass.close()

    assert kept.values["hourglasses"] == [("C1", "5.0"), ("C2", "6.0")]


async def test_where_they_stand_is_kept_by_one_at_a_time_so_that_the_last_word_counts() -> None:
    gate, begun = asyncio.Event(), asyncio.Event()
    under_way: list[Any] = []
    kept: list[Any] = []

    async def read() -> dict[str, Any]:
        return {}

    async def write(values: dict[str, Any]) -> None:
        under_way.append(values)
        begun.set()
        await gate.wait()
        kept.append(values["hourglasses"])

    hourglass = Hourglass(reacting(), DoorMemory(read, write))
    async with asyncio.timeout(PATIENCE):
        first = asyncio.create_task(hourglass.show(MESSAGE))
        await begun.wait()
        second = asyncio.create_task(hourglass.show(Address("slack", "C2", "", Sender("6.0"))))
        while len(hourglass._standing) < 2:  # noqa: ASYNC110 - nothing says so
            await asyncio.sleep(0)
        assert len(under_way) == 1
        gate.set()
        await asyncio.gather(first, second)

    assert kept == [[("C1", "5.0")], [("C1", "5.0"), ("C2", "6.0")]]
