"""Paths with names that clients have chosen: a name may hold a slash, if it was encoded or stands last."""

import pytest
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route, Router

from wakeful.gateway.openai.named_route import NamedRoute


async def tell(request: Request) -> Response:
    return PlainTextResponse()


ITEM = NamedRoute("/c/{name:sent}/items/{item:sent}", tell, methods=["GET"])
ONE = NamedRoute("/c/{name:slashed}", tell, methods=["GET"])


def names_in(raw_path: str, *routes: Route) -> dict[str, str] | None:
    """Return what the first route that matches reads from the path, or None."""
    scope = {"type": "http", "method": "GET", "path": "not read", "raw_path": raw_path.encode(), "headers": []}
    for route in Router(routes).routes:
        match, child = route.matches(scope)
        if match.value:
            found: dict[str, str] = child["path_params"]
            return found
    return None


@pytest.mark.parametrize(
    ("raw_path", "names"),
    [
        ("/c/plans/items/i1", {"name": "plans", "item": "i1"}),
        ("/c/a%2Fb/items/i%2f1", {"name": "a/b", "item": "i/1"}),
        ("/c/%70lans/items/%C3%A4", {"name": "plans", "item": "\u00e4"}),
        ("/c/a%252Fb/items/x", {"name": "a%2Fb", "item": "x"}),
        ("/c/a/b/items/i1", None),
        ("/c//items/i1", None),
    ],
)
def test_an_encoded_slash_is_part_of_a_name_and_another_ends_it(raw_path: str, names: dict[str, str] | None) -> None:
    assert names_in(raw_path, ITEM) == names


@pytest.mark.parametrize(
    ("raw_path", "name"),
    [("/c/a", "a"), ("/c/a/b", "a/b"), ("/c/a%2Fb/c", "a/b/c"), ("/c/a/", None), ("/c//a", None), ("/c/", None)],
)
def test_a_name_that_stands_last_may_have_slashes_but_not_at_either_end(raw_path: str, name: str | None) -> None:
    assert names_in(raw_path, ONE) == (None if name is None else {"name": name})


def test_a_path_is_made_of_names_with_their_slashes_encoded() -> None:
    assert ITEM.url_path_for("tell", name="a/b", item="\u00e4 1") == "/c/a%2Fb/items/%C3%A4%201"
