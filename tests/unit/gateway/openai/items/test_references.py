"""Items that the input names: what stands for them, and that nobody names those of another."""

from typing import Any

import orjson
import pytest

from tests.unit.gateway.openai.served import Log, ServedApi
from tests.unit.gateway.openai.taking import asking
from wakeful.gateway.openai.errors import ApiError
from wakeful.gateway.openai.items.inputs import Input, Reference
from wakeful.gateway.openai.items.references import References
from wakeful.model.api.conversation import Conversation
from wakeful.model.ids import new_id
from wakeful.model.journal.entry import TEXT, Entry, EntryKind
from wakeful.model.turn import Turn

CALLS = [{"id": f"c{number}", "name": "f", "arguments": "{}"} for number in (1, 2)]
SAID = {"source": "user", "message_id": "m", "role": "user", "text": "Hello"}


def entries(turn_id: str) -> list[Entry]:
    def entry(step: int, index: int, kind: EntryKind, data: Any) -> Entry:
        return Entry(turn_id, step, index, kind, orjson.dumps(data))

    return [
        entry(0, 0, EntryKind.INPUT, SAID),
        entry(1, 0, EntryKind.ANSWER, {"text": "Hi", "calls": CALLS}),
        entry(1, 1, EntryKind.RESULT, {"call_id": "c1", "text": "done"}),
        entry(2, 0, EntryKind.CUT, {"text": "half"}),
        entry(3, 0, EntryKind.ANSWER, {"text": "gone", "calls": [], "deleted": [TEXT]}),
    ]


@pytest.fixture
def turn(served_api: ServedApi) -> Turn:
    made = served_api.runner.run(Log.begin(served_api, "response")).turn
    served_api.runner.run(served_api.store.write(lambda tx: tx.journal.add(entries(made.id)), lock=[made.session_id]))
    return made


def resolve(served_api: ServedApi, turn: Turn, item: str, owner: str = "alice", otherwise: Any = None) -> list[Input]:
    """`item` is an id without its turn, such as msg_1_0."""
    kind, _, numbers = item.partition("_")
    name = f"{kind}_{turn.id.removeprefix('turn_')}_{numbers}"
    reference = Reference(name, "input[0]", otherwise)
    return served_api.runner.run(References(served_api.api).resolve(asking({}, owner), [{"role": "user"}, reference]))


def refusal_of(served_api: ServedApi, turn: Turn, item: str, owner: str = "alice") -> ApiError:
    with pytest.raises(ApiError) as raised:
        resolve(served_api, turn, item, owner)
    return raised.value


@pytest.mark.parametrize(
    ("item", "given"),
    [
        ("msg_0_0", {"role": "user", "text": "Hello"}),
        ("msg_1_0", {"role": "assistant", "text": "Hi"}),
        ("rs_1_0", {"role": "assistant", "text": ""}),
        ("fc_1_0", {"role": "assistant", "text": "", "calls": CALLS[:1]}),
        ("fc_1_1", {"role": "assistant", "text": "", "calls": CALLS[1:]}),
        ("fco_1_0", {"role": "tool", "call_id": "c1", "text": "done"}),
        (
            "mcp_1_0",
            {
                "role": "assistant",
                "text": "",
                "calls": CALLS[:1],
                "server_label": "wakeful",
                "result": {"text": "done", "is_error": False},
            },
        ),
    ],
)
def test_a_reference_stands_for_its_item(served_api: ServedApi, turn: Turn, item: str, given: Input) -> None:
    assert resolve(served_api, turn, item) == [{"role": "user"}, given]


@pytest.mark.parametrize("item", ["msg_9_0", "fc_1_2", "fco_1_1", "mcp_1_1", "msg_2_0", "msg_3_0", "xyz_1_0"])
def test_what_is_not_there_cut_off_deleted_or_without_its_result_is_no_item(
    served_api: ServedApi, turn: Turn, item: str
) -> None:
    refusal = refusal_of(served_api, turn, item)

    assert (refusal.status, refusal.code, refusal.param) == (404, "item_not_found", "input[0].id")
    assert resolve(served_api, turn, item, otherwise={"text": "so"})[1] == {"text": "so"}


def test_an_item_of_another_is_none(served_api: ServedApi, turn: Turn) -> None:
    assert refusal_of(served_api, turn, "msg_1_0", "bob").code == "item_not_found"
    assert resolve(served_api, turn, "msg_1_0", "operator")[1]["text"] == "Hi"


def test_a_conversation_keeps_the_items_of_a_deleted_response_for_its_owner(served_api: ServedApi, turn: Turn) -> None:
    store, run = served_api.store, served_api.runner.run
    run(store.write(lambda tx: tx.turns.hide(turn.id), lock=[turn.session_id]))
    assert refusal_of(served_api, turn, "msg_1_0").code == "item_not_found"
    conversation = Conversation(new_id("conv"), "alice", turn.session_id)
    run(store.write(lambda tx: tx.conversations.create_if_absent(conversation)))

    assert resolve(served_api, turn, "msg_1_0")[1]["text"] == "Hi"
    assert refusal_of(served_api, turn, "msg_1_0", "bob").code == "item_not_found"
