"""The index of words."""

from typing import Protocol

from wakeful.model.search.search import Hit, Wanted


class Search(Protocol):
    """The words of titles and of messages. The database notes for it whatever of these is written."""

    async def find(
        self, owner: str | None, wanted: Wanted, limit: int, *, archived: bool = False
    ) -> dict[str, Hit | None]:
        """Sessions of an owner, or of everybody, that have all of these words in one message or in their title, and
        where: the newest such message, or None when it is the title alone. Those with the newest hits, `limit` at most;
        of words that very many have used, perhaps those that were used last themselves. Of a list without the archived
        ones, or of them alone; others may be among them, but none that no list shows.
        """
        ...

    async def index_some(self, limit: int) -> bool:
        """Make the words of so many titles and messages that are new, or that an older version has written. False when
        nothing is left. What is new is found before, if there is not too much of it.
        """
        ...
