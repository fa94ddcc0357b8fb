"""Pages of items: which ones a client gets, and whether there are more."""

from urllib.parse import urlencode

import pytest
from starlette.requests import Request

from wakeful.gateway.openai.errors import ApiError
from wakeful.gateway.openai.items.objects import FunctionOutput, ItemPage, ShownItem
from wakeful.gateway.openai.items.page import item_page
from wakeful.wire.errors import InvalidRequest


def page(count: int, **query: str) -> ItemPage:
    items: list[ShownItem] = [
        FunctionOutput(id=f"i{number}", status="completed", call_id="c", output="") for number in range(count)
    ]
    return item_page(Request({"type": "http", "query_string": urlencode(query).encode()}), items)


def ids(found: ItemPage) -> list[str]:
    return [item.id for item in found.data]


def test_the_newest_twenty_come_first() -> None:
    found = page(25)

    assert ids(found) == [f"i{number}" for number in range(24, 4, -1)]
    assert (found.first_id, found.last_id, found.has_more) == ("i24", "i5", True)


@pytest.mark.parametrize(("count", "has_more"), [(2, False), (3, True)])
def test_there_are_more_only_if_some_are_left(count: int, has_more: bool) -> None:
    found = page(count, limit="2", order="asc")

    assert (ids(found), found.has_more) == (["i0", "i1"], has_more)


def test_the_next_page_begins_after_the_last_item_of_the_one_before() -> None:
    assert ids(page(5, limit="2", order="asc", after="i1")) == ["i2", "i3"]
    assert ids(page(5, limit="2", after="i3")) == ["i2", "i1"]
    last = page(5, limit="2", order="asc", after="i4")
    assert (last.data, last.first_id, last.last_id, last.has_more) == ([], None, None, False)


def test_an_item_that_is_not_there_is_refused() -> None:
    with pytest.raises(ApiError, match="no item 'i9'"):
        page(5, after="i9")


@pytest.mark.parametrize("query", [{"limit": "0"}, {"limit": "101"}, {"order": "up"}])
def test_a_page_has_one_to_a_hundred_items_in_one_of_two_orders(query: dict[str, str]) -> None:
    with pytest.raises(InvalidRequest):
        page(5, **query)
    assert len(page(101, limit="100").data) == 100
