"""News: events that their owner wants to hear of in whichever session they are."""

from wakeful.model.event import NewEvent
from wakeful.store.base import Transaction


async def append_news(tx: Transaction, session_id: str, turn_id: str | None, event: NewEvent) -> None:
    """Append an event and number it among its owner's news. Sessions that no list shows make none: a sub-agent's
    questions and its end show in the session that it works for.
    """
    (appended,) = await tx.events.append(session_id, turn_id, [event])
    session = await tx.sessions.get(session_id)
    if session is not None and session.is_shown:
        await tx.news.add(session.owner, appended)
