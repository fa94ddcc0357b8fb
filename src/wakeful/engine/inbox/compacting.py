"""A turn in which a user has the conversation summed up."""

from wakeful.engine.inbox.dispatcher import require_session
from wakeful.engine.inbox.submission import Receipt, Submission
from wakeful.errors import NothingToCompact, SessionBusy
from wakeful.model.api.request import COMPACT, TurnRequest
from wakeful.model.ids import new_id
from wakeful.model.inbox import IfBusy
from wakeful.model.journal.transcript import is_summary
from wakeful.model.session import Session
from wakeful.model.turn import COMPACTION, Door
from wakeful.store.base import Body, Transaction

# With fewer messages since the last summary, another one would be longer than they are.
_FEWEST_MESSAGES = 4


def compaction_of(session: Session, door: Door, model: str, focus: str) -> Submission:
    """Return what opens the turn. `focus` says what the summary should keep above all."""
    return Submission(
        session_id=session.id,
        text="",
        # Nothing may join the turn: it gives no answer.
        door=Door(door.name, async_delivery=False),
        address=session.address,
        dedupe_key=new_id("msg"),
        model=model,
        source=COMPACTION,
        if_busy=IfBusy.REJECT,
        request=TurnRequest(kind=COMPACT, instructions=focus),
    )


def require_messages(session_id: str) -> Body[Receipt | None]:
    """Return the `before` of Engine.submit that raises SessionBusy, and NothingToCompact for a conversation with hardly
    any messages since its last summary.
    """

    async def body(tx: Transaction) -> Receipt | None:
        session = await require_session(tx, session_id)
        if session.active is not None:
            raise SessionBusy(session.active)
        if not await _has_messages(tx, session.head):
            raise NothingToCompact
        return None

    return body


async def _has_messages(tx: Transaction, turn_id: str | None) -> bool:
    count = 0
    while turn_id is not None:
        for turn in (turns := await tx.turns.chain(turn_id, _FEWEST_MESSAGES)):
            for entry in reversed(await tx.journal.of_turns([turn.id])):
                if is_summary(entry):
                    return False
                count += 1
                if count >= _FEWEST_MESSAGES:
                    return True
        turn_id = turns[-1].parent
    return False
