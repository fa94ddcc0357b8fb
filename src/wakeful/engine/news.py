"""News: the events that an owner is notified of, in whichever session they happen."""

from wakeful.model.event import Event, NewEvent
from wakeful.model.session import Session
from wakeful.store.base import Transaction


async def append_news(tx: Transaction, session_id: str, event: NewEvent) -> None:
    """Append an event to the session's log and add it to its owner's news."""
    (appended,) = await tx.events.append(session_id, None, [event])
    session = await tx.sessions.get(session_id)
    assert session is not None
    await add_to_news(tx, session, appended)


async def add_to_news(tx: Transaction, session: Session, event: Event) -> None:
    """Add an event to the news of the session's owner, unless the session is in no list: a sub-agent's questions and
    its end show in the session that it works for.
    """
    if session.is_shown:
        await tx.news.add(session.owner, event)
