"""The names under which tools are offered."""

import hashlib

from wakeful.tools.mcp.listing import offered_names


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
