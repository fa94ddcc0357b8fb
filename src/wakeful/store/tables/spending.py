"""What answers cost, by day and owner; all nodes share the sums."""

from typing import Protocol

from wakeful.model.spend import Spend


class Spending(Protocol):
    async def add(self, session_id: str, spend: Spend, *, context_tokens: int | None = None) -> None:
        """Add what a model was paid for to its session and to its owner's day. Set the size of the context, unless it
        is None: it stays as it was.
        """
        ...

    async def add_unstored(self, owner: str, spend: Spend) -> None:
        """Add an answer of a turn that is not stored to its owner's day."""
        ...

    async def since(self, day: int, owner: str | None) -> dict[int, Spend]:
        """Return what each day from this one on has cost, for an owner or for all. Days without answers are left
        out.
        """
        ...
