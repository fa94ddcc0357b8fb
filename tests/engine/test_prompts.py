"""The system prompt of a turn: that of the moment it begins, and the same after a crash."""

from tests.engine.kit import House, Node, finish, open_session, send
from wakeful.engine.inbox.submission import Receipt
from wakeful.model.system_prompt import SystemPrompt
from wakeful.model.turn import Turn


class Edition:
    """Prompts that change whenever a test says so."""

    def __init__(self, number: int = 1) -> None:
        self.number = number

    async def make(self, turn: Turn, owner: str) -> SystemPrompt:
        return SystemPrompt(f"edition {self.number} for {owner}")


def prompt_of(node: Node, receipt: Receipt) -> str:
    return node.agent.briefs[receipt.turn_id].turn.system_prompt.text


async def test_a_turn_begins_with_the_prompt_of_its_moment_also_if_it_was_queued(house: House) -> None:
    edition = Edition()
    node = await house.start_node(prompts=edition)
    session = await open_session(node, owner="ann")
    first = await send(node, session, "first")
    await house.settle()
    queued = await send(node, session, "queued")
    edition.number = 2
    await finish(node, house, first)
    edition.number = 3
    await finish(node, house, queued)
    last = await send(node, session, "last")
    await house.settle()

    assert [prompt_of(node, receipt) for receipt in (first, queued, last)] == [
        "edition 1 for ann",
        "edition 2 for ann",
        "edition 3 for ann",
    ]


async def test_a_turn_that_goes_on_elsewhere_keeps_the_prompt_it_began_with(house: House) -> None:
    node = await house.start_node(prompts=Edition(1))
    receipt = await send(node, await open_session(node, owner="ann"), "hello")
    node.agent.order(receipt.turn_id, "step")
    await house.settle()
    await house.kill(node)
    await house.advance(house.settings.lease_seconds)

    second = await house.start_node(prompts=Edition(2))

    assert prompt_of(second, receipt) == "edition 1 for ann"
