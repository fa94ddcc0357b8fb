"""Answers to questions that people give by a button."""

from dataclasses import replace
from functools import partial

from wakeful.engine.engine import Engine
from wakeful.errors import AlreadyAnswered, ApprovalNotFound, NoFolderToGrant, OnceOnly
from wakeful.gateway.messaging.inbound.people import People
from wakeful.gateway.messaging.platform import Press, PressAnswer
from wakeful.model.approvals.approval import Choice
from wakeful.model.messaging.post import Post
from wakeful.store.base import Store, Transaction


class Presses:
    def __init__(self, engine: Engine, store: Store, people: People) -> None:
        self._engine = engine
        self._store = store
        self._people = people

    async def answer(self, press: Press) -> PressAnswer:
        post_id, _, given = press.value.rpartition(":")
        post = await self._store.read(lambda tx: tx.posts.get(post_id))
        if not await self._people.may_talk(press.address):
            return PressAnswer("Only people who may talk to me can answer this.")
        # Programs of people's own may send what no button has.
        if post is None or post.session_id is None or given not in post.details.get("choices", ()):
            return PressAnswer("Already answered.")
        choice = Choice(given)
        name = press.address.sender.user_name
        words = f"Denied by {name}." if choice is Choice.DENY else f"Approved ({choice}) by {name}."
        # Before the answer: the fact that follows it finds no buttons, and leaves these words.
        await self._store.write(partial(_show_answer, post, words))
        try:
            await self._engine.approvals.answer(post.session_id, post.details["call_id"], choice)
        except (AlreadyAnswered, ApprovalNotFound):
            await self._store.write(partial(_show_answer, post, "Answered elsewhere."))
            return PressAnswer("Already answered.")
        except (OnceOnly, NoFolderToGrant) as error:
            await self._store.write(lambda tx: tx.posts.put(post))
            return PressAnswer(str(error))
        return PressAnswer(words)


async def _show_answer(post: Post, words: str, tx: Transaction) -> None:
    await tx.posts.put(replace(post, wanted=words, details=post.details | {"choices": []}))
