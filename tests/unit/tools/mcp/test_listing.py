"""The tools that a server lists: which are read, how many are offered, and under which names."""

import hashlib
from typing import Any

import pytest

from wakeful.tools.mcp.listing import fair_shares, offered_names, read_listing


def digits(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:6]


def test_a_plain_name_has_the_server_before_it() -> None:
    assert offered_names([("images", "scale-up_2")]) == {("images", "scale-up_2"): "mcp__images__scale-up_2"}


def test_characters_that_endpoints_refuse_become_underscores() -> None:
    assert offered_names([("s", "a.b/ü")]) == {("s", "a.b/ü"): "mcp__s__a_b__"}


def test_names_that_would_be_the_same_get_digits_in_any_order() -> None:
    pairs = [("s", "a.b"), ("s", "a/b"), ("s", "other")]

    names = offered_names(pairs)

    assert names["s", "a.b"] == f"mcp__s__a_b_{digits('s/a.b')}"
    assert names["s", "a/b"] == f"mcp__s__a_b_{digits('s/a/b')}"
    assert names["s", "other"] == "mcp__s__other"
    assert offered_names(reversed(pairs)) == names


def test_servers_whose_names_meet_do_not_collide() -> None:
    names = offered_names([("a", "_x"), ("a_", "x")])

    assert len(set(names.values())) == 2


def test_a_long_name_is_cut_to_what_endpoints_take() -> None:
    tool = "x" * 100

    (name,) = offered_names([("s", tool)]).values()

    assert name == f"{'mcp__s__' + 'x' * 49}_{digits(f's/{tool}')}"
    assert len(name) == 64


def test_a_name_of_64_characters_stays_as_it_is() -> None:
    tool = "x" * (64 - len("mcp__s__"))

    assert offered_names([("s", tool)]) == {("s", tool): f"mcp__s__{tool}"}


def entry(name: Any, **more: Any) -> dict[str, Any]:
    return {"name": name, "inputSchema": {"type": "object"}, **more}


@pytest.mark.parametrize(
    "entries",
    [
        ["no entry", entry(7), entry(""), entry("x" * 257), {"name": "no schema"}, {"inputSchema": {}}],
        [entry("a", inputSchema=None), entry("b", inputSchema={"type": "array"})],
    ],
)
def test_what_is_no_tool_is_counted_as_left_out(entries: list[Any]) -> None:
    listing = read_listing([*entries, entry("x" * 256)], None)

    assert ([tool.tool for tool in listing.tools], listing.left_out) == (["x" * 256], len(entries))


def test_of_tools_with_one_name_the_first_counts_and_a_hundred_are_read() -> None:
    names = [str(number) for number in range(100)]
    twice = read_listing([entry(name) for name in names] + [entry("0", description="again")], None)
    more = read_listing([entry(name) for name in (*names, "one more")], None)

    assert len(twice.tools) == len(more.tools) == 100
    assert (twice.tools[0].description, more.left_out) == ("", 1)


def test_only_what_the_settings_name_is_looked_at() -> None:
    listing = read_listing([entry("a"), entry("b"), entry("", extra=1), "no entry"], frozenset({"b", "c"}))

    assert ([tool.tool for tool in listing.tools], listing.left_out) == (["b"], 0)


@pytest.mark.parametrize(
    ("hints", "read_only", "idempotent"),
    [
        ({"readOnlyHint": True}, True, False),
        ({"idempotentHint": True}, False, True),
        ({"readOnlyHint": "yes", "idempotentHint": 1}, False, False),
        ("readOnlyHint", False, False),
        (None, False, False),
    ],
)
def test_hints_count_only_if_they_are_true(hints: Any, read_only: bool, idempotent: bool) -> None:
    (tool,) = read_listing([entry("a", annotations=hints, description="d" * 8_001)], None).tools
    (other,) = read_listing([entry("a", description=7)], None).tools

    assert (tool.read_only, tool.idempotent, len(tool.description), other.description) == (
        read_only,
        idempotent,
        8_000,
        "",
    )


@pytest.mark.parametrize(
    ("counts", "shares"),
    [
        ({"a": 60, "b": 40}, {"a": 60, "b": 40}),
        ({"a": 60, "b": 41}, {"a": 59, "b": 41}),
        ({"a": 200, "b": 1, "c": 200}, {"a": 49, "b": 1, "c": 50}),
        ({"a": 101}, {"a": 100}),
        ({}, {}),
    ],
)
def test_a_hundred_tools_are_shared_out_fairly(counts: dict[str, int], shares: dict[str, int]) -> None:
    assert fair_shares(counts) == shares


def test_what_has_no_room_is_counted_as_left_out() -> None:
    listing = read_listing([entry("a"), entry("b"), entry("c"), entry("")], None)

    assert (len(listing.first(2).tools), listing.first(2).left_out, listing.first(3)) == (2, 2, listing)
