"""An ingress for tests of adapters: it keeps what it is handed, fails, or waits, as a test wants."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from wakeful.gateway.messaging.platform import IncomingMessage, Press, PressAnswer


@dataclass
class RecordingIngress:
    messages: list[IncomingMessage] = field(default_factory=list)
    presses: list[Press] = field(default_factory=list)
    moves: list[tuple[str, str]] = field(default_factory=list)
    # How many times it fails before it takes something in.
    failures: int = 0
    # Messages of these chats, and presses in them, wait for their event.
    gates: dict[str, asyncio.Event] = field(default_factory=dict)
    # Chats whose messages have come as far as the gate.
    reached: list[str] = field(default_factory=list)
    changed: asyncio.Condition = field(default_factory=asyncio.Condition)

    async def take(self, message: IncomingMessage) -> None:
        await self._pass(message.address.chat_id)
        self.messages.append(message)
        await self._tell()

    async def press(self, press: Press) -> PressAnswer:
        await self._pass(press.address.chat_id)
        self.presses.append(press)
        await self._tell()
        return PressAnswer("Approved.")

    async def move_chat(self, old_chat_id: str, new_chat_id: str) -> None:
        self.moves.append((old_chat_id, new_chat_id))
        await self._tell()

    async def _pass(self, chat_id: str) -> None:
        self.reached.append(chat_id)
        await self._tell()
        if self.failures:
            self.failures -= 1
            raise ConnectionError("the store is away")
        if chat_id in self.gates:
            await self.gates[chat_id].wait()

    async def _tell(self) -> None:
        async with self.changed:
            self.changed.notify_all()

    async def until(self, condition: Callable[[], object]) -> None:
        async with self.changed:
            await self.changed.wait_for(condition)

    async def first(self) -> IncomingMessage:
        await self.until(lambda: self.messages)
        return self.messages[0]

    @property
    def texts(self) -> list[str]:
        return [message.text for message in self.messages]
