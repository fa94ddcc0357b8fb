"""The parts of an engine that write: that they are those of one node, and by whom turns queue."""

import pytest

from tests.bare_engine import HOST, NoBinder
from tests.engine.kit import House, LedAgent
from tests.store.nouns import a_turn, have_session
from wakeful.engine.ledger import Ledger
from wakeful.engine.settings import EngineSettings
from wakeful.errors import TooManyDelegations
from wakeful.model.tasks.goal import Goal
from wakeful.model.turn import Outcome, Turn
from wakeful.store.base import Transaction


def ledger_on(house: House) -> Ledger:
    return Ledger(house.store, house.clock, EngineSettings(concurrent_turns=3), host=HOST, binder=NoBinder())


@pytest.mark.parametrize(("session_id", "owner"), [("s1", "alice"), ("none", "")])
async def test_turns_queue_by_the_owner_of_their_session_and_without_one_together(
    house: House, session_id: str, owner: str
) -> None:
    await have_session(house.store)

    assert await ledger_on(house)._owner_of(a_turn(session_id=session_id)) == owner


async def test_each_ledger_is_a_node_of_its_own(house: House) -> None:
    one, two = ledger_on(house), ledger_on(house)

    assert one.node != two.node
    assert one.dispatcher.node == one.node


async def test_its_parts_stop_and_speak_together(house: House) -> None:
    ledger = ledger_on(house)

    ledger.stopping.set()

    assert ledger.dispatcher.is_stopping
    assert ledger.dispatcher.words is ledger.words


async def test_whoever_writes_with_the_end_of_a_turn_is_known_to_the_dispatcher(house: House) -> None:
    async def note(tx: Transaction, turn: Turn, outcome: Outcome) -> None: ...

    ledger = Ledger(house.store, house.clock, EngineSettings(), host=HOST, binder=NoBinder(), on_close=note)

    assert ledger.dispatcher.on_close is note


async def test_sub_agents_in_memory_have_the_limits_of_the_settings(house: House) -> None:
    settings, turn = EngineSettings(delegation_limit=1), a_turn()
    ledger = Ledger(house.store, house.clock, settings, host=HOST, binder=NoBinder())

    with (
        ledger.memory_delegations.allowed_in(turn, LedAgent()),
        pytest.raises(TooManyDelegations, match="At most 1 "),
    ):
        await ledger.memory_delegations.delegate(turn, [Goal("one"), Goal("two")])
