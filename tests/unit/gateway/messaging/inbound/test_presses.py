"""Answers by a button: from whom they are taken, and what the question shows afterwards."""

from typing import Any

import pytest

from wakeful.errors import AlreadyAnswered, ApprovalNotFound, NoFolderToGrant, OnceOnly
from wakeful.gateway.messaging.inbound.people import People
from wakeful.gateway.messaging.inbound.presses import Presses
from wakeful.gateway.messaging.platform import Press
from wakeful.gateway.messaging.settings import DoorSettings
from wakeful.model.approvals.approval import Choice
from wakeful.model.messaging.chat import ChatKind
from wakeful.model.messaging.post import Post, PostKind
from wakeful.model.session import Address, Sender
from wakeful.store.base import Store

CHOICES = ["once", "session", "deny"]
QUESTION = Post(
    "post_1",
    "key",
    Address("telegram", "1"),
    PostKind.APPROVAL,
    "May I run this?",
    "s1",
    details={"call_id": "c1", "choices": CHOICES},
)


@pytest.fixture
async def store(store: Store) -> Store:
    await store.write(lambda tx: tx.posts.put(QUESTION))
    return store


class Engine:
    """Notes the answers, and what the question shows by then."""

    def __init__(self, store: Store, error: Exception | None = None) -> None:
        self.answers: list[Any] = []
        self._store = store
        self._error = error

    @property
    def approvals(self) -> "Engine":
        return self

    async def answer(self, session_id: str, call_id: str, choice: Choice) -> None:
        self.answers.append((session_id, call_id, choice, (await shown(self._store))[1]))
        if self._error is not None:
            raise self._error


async def shown(store: Store) -> tuple[str, list[str]]:
    post = await store.read(lambda tx: tx.posts.get("post_1"))
    assert post is not None
    return post.wanted, post.details["choices"]


async def press(store: Store, value: str, engine: Engine, user_id: str = "9") -> str:
    asked: Any = engine
    people = People(store, {"telegram": DoorSettings(allow=frozenset({"9"}))})
    address = Address("telegram", "1", "", Sender("5", user_id, "Ada"))
    return (await Presses(asked, store, people).answer(Press(address, ChatKind.PRIVATE, value, "5"))).text


@pytest.mark.parametrize(
    ("value", "choice", "words"),
    [
        ("post_1:once", Choice.ONCE, "Approved (once) by Ada."),
        ("post_1:session", Choice.SESSION, "Approved (session) by Ada."),
        ("post_1:deny", Choice.DENY, "Denied by Ada."),
    ],
)
async def test_a_press_answers_and_the_question_says_who_did(
    store: Store, value: str, choice: Choice, words: str
) -> None:
    engine = Engine(store)

    assert await press(store, value, engine) == words
    assert await shown(store) == (words, [])
    assert engine.answers == [("s1", "c1", choice, [])], "the buttons are gone before the answer is known"


@pytest.mark.parametrize("error", [AlreadyAnswered(), ApprovalNotFound()])
async def test_a_question_that_was_answered_elsewhere_says_so(store: Store, error: Exception) -> None:
    assert await press(store, "post_1:once", Engine(store, error)) == "Already answered."
    assert await shown(store) == ("Answered elsewhere.", [])


@pytest.mark.parametrize("error", [OnceOnly(), NoFolderToGrant()])
async def test_an_answer_that_cannot_be_given_leaves_the_question_open(store: Store, error: Exception) -> None:
    assert await press(store, "post_1:session", Engine(store, error)) == str(error)
    assert await shown(store) == ("May I run this?", CHOICES)


@pytest.mark.parametrize(
    ("value", "user_id", "words"),
    [
        ("post_1:once", "8", "Only people who may talk to me can answer this."),
        ("post_1:folder", "9", "Already answered."),
        ("post_2:once", "9", "Already answered."),
        ("once", "9", "Already answered."),
        ("", "9", "Already answered."),
    ],
)
async def test_strangers_and_what_no_button_has_answer_nothing(
    store: Store, value: str, user_id: str, words: str
) -> None:
    engine = Engine(store)

    assert await press(store, value, engine, user_id) == words
    assert (engine.answers, await shown(store)) == ([], ("May I run this?", CHOICES))
