"""The ids of items: where in the journal they lead, and that nobody can make one up that leads astray."""

import orjson
import pytest

from wakeful.gateway.openai.items.objects import FunctionCall, FunctionOutput, ShownItem
from wakeful.gateway.openai.items.position import ItemPosition, pair_of, position_of
from wakeful.model.journal.entry import REASONING, TEXT, WHOLE, Entry, EntryKind


@pytest.mark.parametrize(
    ("item_id", "position"),
    [
        ("msg_abc_0_2", ItemPosition("turn_abc", 0, 2, WHOLE)),
        ("fc_abc_0_2", ItemPosition("turn_abc", 0, 2, WHOLE)),
        ("msg_abc_3_0", ItemPosition("turn_abc", 3, 0, TEXT)),
        ("rs_abc_3_0", ItemPosition("turn_abc", 3, 0, REASONING)),
        ("fc_abc_3_0", ItemPosition("turn_abc", 3, 0, 1)),
        ("fc_abc_3_4", ItemPosition("turn_abc", 3, 0, 5)),
        ("fco_abc_3_0", ItemPosition("turn_abc", 3, 1, WHOLE)),
        ("mcp_abc_3_1", ItemPosition("turn_abc", 3, 0, 2, 2)),
        ("msg_abc_999999999_0", ItemPosition("turn_abc", 999_999_999, 0, TEXT)),
        ("msg_abc_1000000000_0", None),
        ("xyz_abc_3_0", None),
        ("msg_abc_3", None),
        ("msg_abc", None),
        ("msg__3_0", None),
        ("msg_a\0c_3_0", None),
        ("msg_abc_-1_0", None),
        ("msg_abc_3_x", None),
        ("msg_abc_\N{ARABIC-INDIC DIGIT THREE}_0", None),
        ("", None),
    ],
)
def test_an_id_leads_to_one_place_or_to_none(item_id: str, position: ItemPosition | None) -> None:
    assert position_of(item_id) == position


def test_a_call_of_the_server_holds_its_result_too() -> None:
    assert ItemPosition("t", 3, 0, 2, 2).parts == [ItemPosition("t", 3, 0, 2, 2), ItemPosition("t", 3, 2, WHOLE)]
    assert ItemPosition("t", 3, 0, TEXT).parts == [ItemPosition("t", 3, 0, TEXT)]


def test_an_item_is_deleted_where_its_own_part_is() -> None:
    journal = [
        Entry("t", 3, 0, EntryKind.ANSWER, orjson.dumps({"deleted": [TEXT]})),
        Entry("t", 3, 1, EntryKind.RESULT, b"{}"),
    ]

    assert ItemPosition("t", 3, 0, TEXT).is_deleted(journal)
    assert not ItemPosition("t", 3, 0, REASONING).is_deleted(journal)
    assert not ItemPosition("t", 3, 1, WHOLE).is_deleted(journal)
    assert not ItemPosition("t", 4, 0, TEXT).is_deleted(journal)
    assert ItemPosition("t", 3, 1, WHOLE).entry_in(journal) is journal[1]


def test_a_call_and_its_output_belong_together_also_where_an_id_comes_again() -> None:
    calls = [FunctionCall(id=f"fc_{n}", status="completed", call_id="c", name="f", arguments="") for n in range(2)]
    outputs = [FunctionOutput(id=f"fco_{n}", status="completed", call_id="c", output="") for n in range(2)]
    items: list[ShownItem] = [calls[0], outputs[0], calls[1], outputs[1]]

    assert pair_of(items, calls[0]) == pair_of(items, outputs[0]) == [calls[0], outputs[0]]
    assert pair_of(items, calls[1]) == pair_of(items, outputs[1]) == [calls[1], outputs[1]]
    assert pair_of([calls[0]], calls[0]) == [calls[0]]
