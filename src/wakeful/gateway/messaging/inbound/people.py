"""Who may talk on a platform: those whom the operator has named, and those who were paired."""

import secrets
from collections.abc import Mapping
from dataclasses import replace

from wakeful.errors import NoSuchCode
from wakeful.gateway.messaging.inbound.remarks import post_about
from wakeful.gateway.messaging.platform import IncomingMessage
from wakeful.gateway.messaging.settings import EVERYBODY, DoorSettings, Strangers
from wakeful.model.messaging.chat import ChatKind
from wakeful.model.messaging.pairing import SILENCE_SECONDS, Pairing
from wakeful.model.messaging.post import PostKind
from wakeful.model.session import Address
from wakeful.store.base import Store, Transaction

# Without letters and digits that look alike.
_LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
_CODE_LENGTH = 8
_INVITATION = "I only talk to people my owner knows. To be let in, ask them to run: wakeful pair"


class People:
    def __init__(self, store: Store, doors: Mapping[str, DoorSettings]) -> None:
        self._store = store
        self._doors = doors

    async def may_talk(self, address: Address) -> bool:
        allow = self._doors[address.platform].allow
        user_id = address.sender.user_id
        if EVERYBODY in allow or user_id in allow:
            return True
        known = await self._store.read(lambda tx: tx.pairings.get(address.platform, user_id))
        return known is not None and known.paired_at is not None

    async def answer_stranger(self, message: IncomingMessage) -> None:
        """Send a stranger who writes in private a code, at most once a day, although it is good for an hour only."""
        address = message.address
        if message.kind is not ChatKind.PRIVATE or self._doors[address.platform].strangers is Strangers.SILENT:
            return

        async def body(tx: Transaction) -> None:
            now = await tx.now()
            known = await tx.pairings.get(address.platform, address.sender.user_id)
            if known is not None and now < known.asked_at + SILENCE_SECONDS:
                return
            code = _new_code()
            await tx.pairings.put(
                Pairing(address.platform, address.sender.user_id, address.sender.user_name, code, now)
            )
            text = f"{_INVITATION} {code}"
            await tx.posts.put(await post_about(tx, message, PostKind.REMARK, text, None, f"pairing:{code}"))

        await self._store.write(body)

    async def pair(self, code: str) -> Pairing:
        """Let in the person who has this code. Raises NoSuchCode."""

        async def body(tx: Transaction) -> Pairing:
            now = await tx.now()
            asking = await tx.pairings.by_code(code.strip().upper())
            if asking is None or not asking.is_good(now):
                raise NoSuchCode
            paired = replace(asking, code="", paired_at=now)
            await tx.pairings.put(paired)
            return paired

        return await self._store.write(body)


def _new_code() -> str:
    return "".join(secrets.choice(_LETTERS) for _ in range(_CODE_LENGTH))
