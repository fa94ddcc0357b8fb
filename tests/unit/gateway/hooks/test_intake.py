"""Where the message of a hook goes: its own session, or that of the chat that it names, whichever that is by then."""

from pathlib import Path
from typing import Any

import pytest

from tests.unit.gateway.messaging.submitting import SubmittingEngine
from wakeful.errors import SessionNotFound
from wakeful.gateway.hooks.hook import Hook, SignatureScheme
from wakeful.gateway.hooks.intake import HookIntake
from wakeful.gateway.messaging.inbound.sessions import NewSessions
from wakeful.gateway.messaging.settings import DoorSettings
from wakeful.model.messaging.chat import Chat, ChatKind
from wakeful.model.session import Address, Sender, Session
from wakeful.store.base import Store

SECRET = "a secret of GitHub's"
OWN = Hook("repo", SECRET, SignatureScheme.GITHUB, "{action}")
TO_CHAT = Hook("chat", SECRET, SignatureScheme.GITHUB, "{action}", deliver=Address("telegram", "1"))


class Hooked:
    def __init__(self, store: Store, workspace: Path) -> None:
        self.store = store
        self.engine = SubmittingEngine(store)
        engine: Any = self.engine
        new = NewSessions("operator", "demo:led", workspace)
        self.intake = HookIntake(engine, store, {"telegram": DoorSettings()}, new)

    async def session_of(self, key: str) -> str | None:
        chat = await self.store.read(lambda tx: tx.chats.get(key))
        return None if chat is None else chat.session_id

    async def point(self, session_id: str) -> None:
        chat = Chat("telegram:private:1", "telegram", ChatKind.PRIVATE, "1", "", session_id, "Ada")
        await self.store.write(lambda tx: tx.chats.put(chat))


@pytest.fixture
def hooked(store: Store, tmp_path: Path) -> Hooked:
    return Hooked(store, tmp_path)


async def test_a_hook_has_a_session_of_its_own_that_goes_on(hooked: Hooked) -> None:
    assert await hooked.intake.submit(OWN, "d1", "opened")
    assert await hooked.intake.submit(OWN, "d2", "closed")

    first, second = hooked.engine.submissions
    assert first.session is not None
    assert (first.session.title, first.session.chat_key, first.session.owner) == ("Hook repo", "hook:repo", "operator")
    assert (second.session, second.session_id) == (None, first.session_id)
    assert (first.address.platform, first.address.chat_id, first.door.name) == ("hook", "repo", "hook")
    assert (first.address.sender.chat_key, first.address.sender.chat_name) == ("hook:repo", "Hook repo")
    assert (first.source, first.dedupe_key, first.model) == ("webhook", "hook:repo:d1", "demo:led")
    assert await hooked.session_of("hook:repo") == first.session_id


async def test_a_delivery_that_comes_again_is_not_new(hooked: Hooked) -> None:
    assert await hooked.intake.submit(OWN, "d1", "opened")
    assert not await hooked.intake.submit(OWN, "d1", "opened")

    assert len(hooked.engine.submissions) == 1


async def test_deliveries_of_two_hooks_may_have_the_same_id(hooked: Hooked) -> None:
    assert await hooked.intake.submit(OWN, "d1", "opened")
    assert await hooked.intake.submit(TO_CHAT, "d1", "opened")


async def test_a_delivery_takes_no_message_of_a_messenger_with_the_same_id(hooked: Hooked) -> None:
    hook = Hook("telegram", SECRET, SignatureScheme.GITHUB, "{action}")
    await hooked.intake.submit(hook, "d1", "opened")

    delivery, message = (Address(*names, sender=Sender("d1")) for names in (("hook", "telegram"), ("telegram", "hook")))
    assert await hooked.store.read(lambda tx: tx.chats.was_taken(delivery))
    assert not await hooked.store.read(lambda tx: tx.chats.was_taken(message))


async def test_the_first_message_to_a_chat_makes_its_session(hooked: Hooked) -> None:
    await hooked.intake.submit(TO_CHAT, "d1", "opened")

    (sent,) = hooked.engine.submissions
    assert sent.session is not None
    assert (sent.session.title, sent.session.chat_key) == ("", "telegram:private:1")
    assert (sent.session.address, sent.door.name) == (Address("telegram", "1"), "telegram")
    assert await hooked.session_of("telegram:private:1") == sent.session_id


async def test_a_chat_that_is_known_keeps_its_name_and_its_session_its_model(hooked: Hooked) -> None:
    await hooked.point("")
    await hooked.intake.submit(TO_CHAT, "d1", "opened")
    own = Session("ses_1", "operator", Address("telegram", "1"), "demo:own", "/")
    await hooked.store.write(lambda tx: tx.sessions.create_if_absent(own))
    await hooked.point(own.id)
    await hooked.intake.submit(TO_CHAT, "d2", "closed")

    first, second = hooked.engine.submissions
    assert first.session is not None
    assert (first.session.title, first.session.chat_name, first.model) == ("", "Ada", "demo:led")
    assert (first.address.sender.chat_name, first.text) == ("Ada", "opened")
    assert (second.session, second.session_id, second.model) == (None, "ses_1", "demo:own")


async def test_a_hook_that_names_a_thread_writes_there(hooked: Hooked) -> None:
    there = Address("telegram", "-1", "7")
    await hooked.intake.submit(Hook("topic", SECRET, SignatureScheme.GITHUB, "{action}", deliver=there), "d1", "opened")

    (sent,) = hooked.engine.submissions
    assert sent.session is not None
    assert sent.address == sent.session.address == there


async def test_a_message_goes_to_the_session_that_the_chat_has_by_then(hooked: Hooked) -> None:
    await hooked.intake.submit(TO_CHAT, "d1", "opened")
    await hooked.intake.submit(OWN, "d1", "opened")
    other = hooked.engine.submissions[1].session_id
    hooked.engine.meets = [lambda: hooked.point(other)]

    assert await hooked.intake.submit(TO_CHAT, "d2", "closed")

    assert hooked.engine.submissions[-1].session_id == other
    assert len(hooked.engine.submissions) == 3


async def test_two_first_messages_share_a_session(hooked: Hooked) -> None:
    async def meanwhile() -> None:
        await hooked.intake.submit(TO_CHAT, "d1", "opened")

    hooked.engine.meets = [meanwhile]
    assert await hooked.intake.submit(TO_CHAT, "d2", "closed")

    first, second = hooked.engine.submissions
    assert (first.session_id, second.session) == (second.session_id, None)


async def test_a_message_to_a_group_that_moves_meanwhile_is_not_lost(hooked: Hooked) -> None:
    hook = Hook("group", SECRET, SignatureScheme.GITHUB, "{action}", deliver=Address("telegram", "-1"))
    await hooked.intake.submit(hook, "d1", "opened")

    async def move() -> None:
        await hooked.store.write(lambda tx: tx.chats.move("telegram", "-1", "-2"))

    hooked.engine.meets = [move]
    assert await hooked.intake.submit(hook, "d2", "closed")

    assert len(hooked.engine.submissions) == 2
    assert hooked.engine.submissions[1].session is not None


async def test_a_session_that_is_deleted_meanwhile_is_followed_by_another(hooked: Hooked) -> None:
    await hooked.intake.submit(OWN, "d1", "opened")
    gone = hooked.engine.submissions[0].session_id

    async def delete() -> None:
        await hooked.store.write(lambda tx: tx.sessions.delete(gone, 5e9), lock=[gone])
        raise SessionNotFound

    hooked.engine.meets = [delete]
    assert await hooked.intake.submit(OWN, "d2", "closed")

    assert hooked.engine.submissions[1].session_id == await hooked.session_of("hook:repo") != gone
