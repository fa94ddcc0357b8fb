"""Finds the chat that a target names: where a hook or a schedule delivers to."""

from wakeful.model.messaging.chat import Chat, SessionScope, chat_key, likely_kind
from wakeful.model.session import Address
from wakeful.store.base import Transaction


async def target_chat(tx: Transaction, target: Address, scope: SessionScope) -> Chat:
    """Return the chat; if nothing has been said there yet, a new one without a session, which is not written."""
    thread = None if scope is SessionScope.CHAT else target.thread_id
    known = await tx.chats.at(target.platform, target.chat_id, thread)
    if known is not None:
        return known
    kind = likely_kind(target.platform, target.chat_id)
    # A target names no user: where each has a session, the chat as a whole gets one too.
    whole = scope if scope is SessionScope.CHAT else SessionScope.THREAD
    key = chat_key(target.platform, kind, target.chat_id, target.thread_id, "", whole)
    return Chat(key, target.platform, kind, target.chat_id, target.thread_id, "")
