"""Changes the agent's list of what is to be done, and announces it."""

from collections import OrderedDict
from collections.abc import Collection, Sequence
from dataclasses import asdict

from wakeful.engine.inbox.dispatcher import require_session
from wakeful.model import event as events
from wakeful.model.event import NewEvent
from wakeful.model.tools.todo import TodoChange, TodoItem, merged_todo, pack_todo, unpack_todo
from wakeful.model.turn import Turn
from wakeful.store.base import Store, Transaction

# Lists of turns that are not stored. Such a turn is short, and its list is useless after it.
_MOST_UNSTORED = 1_000


class TodoDesk:
    def __init__(self, store: Store) -> None:
        self._store = store
        self._unstored: OrderedDict[str, list[TodoItem]] = OrderedDict()

    async def change(self, turn: Turn, changes: Sequence[TodoChange], removed: Collection[str]) -> Sequence[TodoItem]:
        """Merge the changes into the list of the turn's session, and return all of it. Raises TodoUnfit."""
        if turn.is_ephemeral:
            return self._change_unstored(turn.id, changes, removed)

        async def body(tx: Transaction) -> list[TodoItem]:
            session = await require_session(tx, turn.session_id)
            items = merged_todo(unpack_todo(session.todo), changes, removed)
            if pack_todo(items) != session.todo:
                await tx.sessions.set_todo(session.id, pack_todo(items))
                data = {"session_id": session.id, "items": [asdict(item) for item in items]}
                await tx.events.append(session.id, None, [NewEvent.of(events.TODO, data)])
            return items

        return await self._store.write(body, lock=[turn.session_id])

    def _change_unstored(
        self, turn_id: str, changes: Sequence[TodoChange], removed: Collection[str]
    ) -> Sequence[TodoItem]:
        items = merged_todo(self._unstored.pop(turn_id, []), changes, removed)
        self._unstored[turn_id] = items
        if len(self._unstored) > _MOST_UNSTORED:
            self._unstored.popitem(last=False)
        return items
