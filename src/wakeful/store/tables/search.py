"""The search index."""

from typing import Protocol

from wakeful.model.search.search import Hit, Wanted


class Search(Protocol):
    """The words of titles and messages. Triggers in the database note the new ones, to be indexed soon after."""

    async def find(
        self, owner: str | None, wanted: Wanted, limit: int, *, archived: bool = False
    ) -> dict[str, Hit | None]:
        """Return sessions of an owner, or of all owners, that have all of these words in one message or in their title:
        each with its newest such message, or with None when only the title matches. At most `limit` sessions, those
        with the newest hits first; for very common words only the newest hits are looked at. `archived` selects the
        list that will show them: sessions of the other list may be among the result, but none that no list shows.
        """
        ...

    async def index_some(self, limit: int) -> bool:
        """Index up to `limit` titles and messages that are new or were written by an older version; false when nothing
        is left. New ones can be found before they are indexed, unless there are too many.
        """
        ...
