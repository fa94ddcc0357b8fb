"""What a turn was saying when it was stopped or failed: people have read it, and it is in no journal."""

from typing import Any

from wakeful.model.turn import TurnStatus
from wakeful.store.base import Transaction
from wakeful.web.messages import MessagePage
from wakeful.web.open_step import partial_form, read_open_step

_BROKEN_OFF = (TurnStatus.FAILED, TurnStatus.CANCELLED)


async def add_last_words(tx: Transaction, page: MessagePage) -> None:
    """Before the line that tells how the turn broke off. The agent does not remember them."""
    for turn_id, form in page.turns.items():
        if form["status"] in _BROKEN_OFF:
            await _add(tx, page.messages, turn_id)


async def _add(tx: Transaction, messages: list[dict[str, Any]], turn_id: str) -> None:
    turn = await tx.turns.get(turn_id)
    at = next((at for at, message in enumerate(messages) if message["id"] == f"{turn_id}.end"), None)
    if turn is None or at is None:
        return
    said = partial_form(await read_open_step(tx, turn))
    if said is None:
        return
    words = {"id": f"{turn_id}.{said['step']}.0", "role": "assistant", "source": "assistant"}
    messages.insert(at, messages[at] | words | {"content": said["text"], "reasoning": said["reasoning"] or None})
