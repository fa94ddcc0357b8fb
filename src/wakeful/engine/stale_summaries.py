"""Summaries that stand for something that was deleted: they may repeat it, so they go with it. The next turn reads the
messages again that they stood for, and sums them up anew if they are too long.
"""

from collections.abc import Collection

from wakeful.model.journal.entry import Entry, summary_of, without_words
from wakeful.model.journal.transcript import is_summary
from wakeful.store.base import Transaction


async def drop_summaries_of(tx: Transaction, deleted: Entry) -> None:
    """Drop the summaries that stand for this entry, in its session and in those that have branched off since."""
    turn_ids = await tx.turns.grown_from(deleted.turn_id)
    summaries = [entry for entry in await tx.journal.summaries_of(turn_ids) if is_summary(entry)]
    stale = [entry for entry in summaries if _stands_for(entry, deleted, frozenset(turn_ids))]
    if not stale:
        return
    first = await _context_before(tx, deleted, summaries)
    for entry in stale:
        await tx.journal.replace(without_words(entry))
        await tx.turns.begin_context(await tx.turns.grown_from(entry.turn_id), first)


def _stands_for(entry: Entry, deleted: Entry, later: Collection[str]) -> bool:
    """Whether the summary has replaced what was deleted. `later` has the turn of that and all that grew from it."""
    if entry.turn_id == deleted.turn_id and entry.step < deleted.step:
        return False
    turn_id, *place = summary_of(entry).keeps_from.split(".")
    if turn_id == deleted.turn_id:
        return tuple(map(int, place)) > (deleted.step, deleted.index)
    return not turn_id or turn_id in later


async def _context_before(tx: Transaction, deleted: Entry, summaries: Collection[Entry]) -> str | None:
    """Return the turn with which the context of the deleted entry began."""
    own = [entry for entry in summaries if entry.turn_id == deleted.turn_id and entry.step < deleted.step]
    if own:
        return summary_of(own[-1]).context_turn(deleted.turn_id)
    turn = await tx.turns.get(deleted.turn_id)
    parent = await tx.turns.get(turn.parent) if turn is not None and turn.parent is not None else None
    return None if parent is None else parent.context_turn
