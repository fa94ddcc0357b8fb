"""Which prompt a turn begins with, and when it is written."""

import asyncio

import pytest

from tests.engine.kit import House, NodeStore
from tests.store.nouns import a_turn, close_turn, have_turn
from wakeful.engine.inbox.assignment import Assignment
from wakeful.engine.turns import prompt_keeper
from wakeful.engine.turns.prompt_keeper import PromptKeeper
from wakeful.errors import LeaseLost
from wakeful.model.system_prompt import SystemPrompt
from wakeful.model.turn import Turn
from wakeful.store.base import Store


class Prompts:
    """Makes a prompt that names the owner, and that a test may change."""

    def __init__(self) -> None:
        self.made: list[str] = []
        self.word = "for"

    async def make(self, turn: Turn, owner: str) -> SystemPrompt:
        self.made.append(owner)
        return SystemPrompt(f"{self.word} {owner}")


async def stored(store: Store, session_id: str = "s1") -> str | None:
    packed = await store.read(lambda tx: tx.turns.system_prompt(session_id))
    return None if packed is None else SystemPrompt.unpacked(packed).text


def keeper_of(house: House, *, is_exclusive: bool = True) -> tuple[PromptKeeper, Prompts]:
    prompts = Prompts()
    return PromptKeeper(NodeStore(house.store, house.traffic, is_exclusive=is_exclusive), prompts), prompts


async def keep(house: House, keeper: PromptKeeper, session_id: str = "s1") -> bool:
    """Begin a turn of the session and return whether its prompt was written."""
    turn_id = f"t_{session_id}_{house.clock.now}"
    house.clock.advance(1)
    await have_turn(house.store, turn_id, session_id)
    kept = await keeper.begin(Assignment(a_turn(turn_id, session_id), 0, owner="alice"))
    is_written = kept.job is not None
    await kept.until_stored()
    assert kept.job is None
    await close_turn(house.store, turn_id)
    return is_written


async def test_a_prompt_is_made_for_the_owner_and_stored(house: House) -> None:
    await have_turn(house.store)
    keeper, _ = keeper_of(house)

    kept = await keeper.begin(Assignment(a_turn(), 0, owner="bob"))
    await kept.until_stored()
    await kept.until_stored()

    assert kept.prompt.text == "for bob"
    assert await stored(house.store) == "for bob"


@pytest.mark.parametrize(("is_exclusive", "written"), [(True, [True, False, True]), (False, [True, True, True])])
async def test_the_same_prompt_is_written_again_only_if_another_node_may_have_written_one(
    house: House, is_exclusive: bool, written: list[bool]
) -> None:
    keeper, prompts = keeper_of(house, is_exclusive=is_exclusive)

    first, second = await keep(house, keeper), await keep(house, keeper)
    prompts.word = "now for"
    third = await keep(house, keeper)

    assert [first, second, third] == written
    assert await stored(house.store) == "now for alice"


async def test_a_turn_that_is_taken_over_keeps_its_prompt(house: House) -> None:
    await keep(house, keeper_of(house)[0])
    keeper, prompts = keeper_of(house)

    kept = await keeper.begin(Assignment(a_turn(), 0))

    assert (kept.prompt.text, kept.job, prompts.made) == ("for alice", None, [])


@pytest.mark.parametrize(("session_id", "owner"), [("s1", "alice"), ("gone", "")])
async def test_a_turn_that_was_taken_over_before_it_had_a_prompt_gets_that_of_its_owner(
    house: House, session_id: str, owner: str
) -> None:
    await have_turn(house.store)
    keeper, prompts = keeper_of(house)

    kept = await keeper.begin(Assignment(a_turn(session_id=session_id), 0))
    kept.close()

    assert (prompts.made, kept.job is not None) == ([owner], True)


async def test_only_the_latest_sessions_are_remembered(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prompt_keeper, "_MOST_REMEMBERED", 2)
    keeper, prompts = keeper_of(house)
    for session_id in ("s1", "s2"):
        await keep(house, keeper, session_id)
    prompts.word = "now for"
    await keep(house, keeper, "s1")

    await keep(house, keeper, "s3")

    assert list(keeper._latest) == ["s1", "s3"]
    assert [await keep(house, keeper, session_id) for session_id in ("s1", "s3")] == [False, False]


async def test_a_prompt_is_written_when_its_turn_is_open_and_not_at_all_once_it_is_closed(house: House) -> None:
    keeper, _ = keeper_of(house)
    opened = asyncio.Event()
    one, two = [await keeper.begin(Assignment(a_turn(), 0, opened=opened, owner="alice")) for _ in range(2)]
    two.close()
    await have_turn(house.store)
    assert await stored(house.store) is None

    opened.set()
    await one.until_stored()

    assert await stored(house.store) == "for alice"
    assert two.job is not None
    assert two.job.cancelled()


async def test_a_node_that_has_lost_the_turn_writes_no_prompt(house: House) -> None:
    await have_turn(house.store)
    keeper, _ = keeper_of(house)

    kept = await keeper.begin(Assignment(a_turn(epoch=2), 0, owner="alice"))
    with pytest.raises(LeaseLost):
        await kept.until_stored()

    assert await stored(house.store) is None
    assert not keeper._latest
