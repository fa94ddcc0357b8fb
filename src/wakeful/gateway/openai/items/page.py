"""Pages of items, in the form that the official clients read."""

from typing import Annotated, Literal

from msgspec import Meta
from starlette.requests import Request

from wakeful.gateway.openai.errors import invalid
from wakeful.gateway.openai.items.objects import ItemPage, ShownItem
from wakeful.wire.declared import Incoming, says, words
from wakeful.wire.reading import read_texts


class PageQuery(Incoming):
    limit: Annotated[int, Meta(ge=1, le=100), words("How many; 20 by default.")] = 20
    order: Annotated[
        Literal["asc", "desc"],
        words("`desc`, the default, gives the newest first."),
        says("{} must be asc or desc."),
    ] = "desc"
    after: Annotated[str, words("The id of the last item of the page before.")] = ""


def item_page(request: Request, items: list[ShownItem]) -> ItemPage:
    """Return the page that the query asks for. `items` are in order, oldest first. Raises ApiError."""
    asked = read_texts(PageQuery, request.query_params)
    ordered = items if asked.order == "asc" else items[::-1]
    if asked.after:
        found = [index for index, item in enumerate(ordered) if item.id == asked.after]
        if not found:
            raise invalid("after", f"There is no item {asked.after!r}.", "item_not_found")
        ordered = ordered[found[0] + 1 :]
    return page_of(ordered[: asked.limit], has_more=len(ordered) > asked.limit)


def page_of(items: list[ShownItem], *, has_more: bool = False) -> ItemPage:
    first, last = (items[0].id, items[-1].id) if items else (None, None)
    return ItemPage(data=items, first_id=first, last_id=last, has_more=has_more)
