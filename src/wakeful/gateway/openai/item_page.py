"""A list of items as the official clients page through it."""

from typing import Any

from starlette.requests import Request

from wakeful.gateway.openai.errors import invalid

_MOST = 100
_DEFAULT = 20


def item_page(request: Request, items: list[dict[str, Any]]) -> dict[str, Any]:
    """`items` are in order, oldest first; the newest come first unless the client wants it otherwise."""
    query = request.query_params
    order = query.get("order", "desc")
    if order not in ("asc", "desc"):
        raise invalid("order", "order must be asc or desc.")
    ordered = items if order == "asc" else items[::-1]
    after = query.get("after")
    if after:
        places = [place for place, item in enumerate(ordered) if item["id"] == after]
        if not places:
            raise invalid("after", f"There is no item {after!r}.", "item_not_found")
        ordered = ordered[places[0] + 1 :]
    limit = _limit(query.get("limit"))
    page = ordered[:limit]
    return {
        "object": "list",
        "data": page,
        "first_id": page[0]["id"] if page else None,
        "last_id": page[-1]["id"] if page else None,
        "has_more": len(ordered) > limit,
    }


def _limit(given: str | None) -> int:
    if given is None:
        return _DEFAULT
    if not given.isascii() or not given.isdecimal() or not 1 <= int(given[:9]) <= _MOST:
        raise invalid("limit", f"limit must be a whole number from 1 to {_MOST}.")
    return int(given)
