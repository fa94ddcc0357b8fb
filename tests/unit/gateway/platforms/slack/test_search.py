"""What became of a post to Slack whose sending was not answered."""

from typing import Any

import pytest

from tests.unit.gateway.platforms.slack.client import ScriptedClient
from wakeful.gateway.messaging.platform import LookedUp, Whereabouts
from wakeful.gateway.platforms.slack.client import SlackRefusal
from wakeful.gateway.platforms.slack.history import SlackHistory
from wakeful.gateway.platforms.slack.search import ABSENT, SlackSearch
from wakeful.model.messaging.post import Post, PostKind
from wakeful.model.session import Address

MINE = {"event_type": "wakeful_post", "event_payload": {"post": "post_1"}}
OTHER = {"event_type": "wakeful_post", "event_payload": {"post": "post_2"}}
FOREIGN = {"event_type": "of_another", "event_payload": {"post": "post_1"}}


def a_post(thread_id: str = "", attempted_at: float | None = 100.0) -> Post:
    address = Address("slack", "C1", thread_id)
    return Post("post_1", "key", address, PostKind.ANSWER, "words", attempted_at=attempted_at, created_at=50.0)


def having(*messages: dict[str, Any], gone: str = "") -> ScriptedClient:
    page = {"messages": list(messages)}
    return ScriptedClient(
        {
            "conversations.history": lambda _: page,
            "conversations.replies": lambda _: SlackRefusal("conversations.replies", gone) if gone else page,
        }
    )


async def find(client: Any, post: Post) -> LookedUp:
    return await SlackSearch(SlackHistory(client)).find(post)


async def test_the_first_message_that_bears_its_id_is_the_post() -> None:
    found = [
        {"ts": "101.0", "metadata": OTHER},
        {"ts": "102.0", "metadata": FOREIGN},
        {"ts": "103.0", "metadata": MINE},
    ]

    assert await find(having(*found, {"ts": "104.0", "metadata": MINE}), a_post()) == LookedUp(
        Whereabouts.FOUND, "103.0"
    )
    assert await find(having(*found[:2], {"ts": "105.0"}), a_post()) == ABSENT


@pytest.mark.parametrize(("attempted_at", "oldest"), [(100.0, "95.000000"), (None, "45.000000")])
async def test_it_is_looked_for_since_just_before_it_was_sent(attempted_at: float | None, oldest: str) -> None:
    client = having()
    await find(client, a_post(attempted_at=attempted_at))

    ((method, params),) = client.calls
    assert (method, params["oldest"], params["include_all_metadata"]) == ("conversations.history", oldest, True)


async def test_where_its_thread_is_gone_it_is_looked_for_in_the_channel() -> None:
    client = having({"ts": "103.0", "metadata": MINE}, gone="thread_not_found")

    assert (await find(client, a_post("5.0"))).message_id == "103.0"
    assert [method for method, _ in client.calls] == ["conversations.replies", "conversations.history"]
    assert client.calls[1][1]["include_all_metadata"] is True


async def test_another_refusal_is_passed_on() -> None:
    client = having(gone="not_in_channel")
    with pytest.raises(SlackRefusal):
        await find(client, a_post("5.0"))

    assert len(client.calls) == 1
