"""The names of people and channels: asked for once, kept for a while, done without where Slack does not say."""

import asyncio
from typing import Any

import pytest

from tests.patience import PATIENCE
from tests.unit.gateway.platforms.slack.client import ScriptedClient
from wakeful.gateway.messaging.platform import NotTaken
from wakeful.gateway.platforms.slack import names as names_module
from wakeful.gateway.platforms.slack.names import SlackNames


def named(**users: Any) -> ScriptedClient:
    return ScriptedClient(
        {
            "users.info": lambda params: users[params["user"]],
            "conversations.info": lambda params: {"channel": {"name": "general"}},
        }
    )


@pytest.mark.parametrize(
    ("user", "name"),
    [
        ({"profile": {"display_name": "ada", "real_name": "Ada L."}, "real_name": "A", "name": "a"}, "ada"),
        ({"profile": {"display_name": "", "real_name": "Ada L."}, "real_name": "A", "name": "a"}, "Ada L."),
        ({"real_name": "A", "name": "a"}, "A"),
        ({"profile": None, "name": "a"}, "a"),
        ({}, "U1"),
    ],
)
async def test_people_are_called_as_slack_shows_them(user: dict[str, Any], name: str) -> None:
    client: Any = named(U1={"user": user})

    assert await SlackNames(client).user("U1") == name


async def test_a_name_is_asked_for_again_when_it_is_old(monkeypatch: pytest.MonkeyPatch) -> None:
    client: Any = named(U1={"user": {"name": "ada"}})
    names, now = SlackNames(client), 1000.0
    monkeypatch.setattr("time.monotonic", lambda: now)
    for now in (1000.0, 4599.0, 4601.0):  # noqa: B007 - the clock reads it
        assert await names.user("U1") == "ada"

    assert len(client.calls) == 2


async def test_without_an_answer_the_last_name_the_one_at_hand_or_the_id_will_do(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(names_module, "_FRESH_SECONDS", -1.0)
    users: dict[str, Any] = {"U1": {"user": {"name": "ada"}}, "U2": NotTaken("Slow down.")}
    client: Any = named(**users)
    names = SlackNames(client)
    assert await names.user("U1") == "ada"
    client.answers["users.info"] = lambda params: NotTaken("Slow down.")

    assert [await names.user("U1"), await names.user("U2", "bob"), await names.user("U2")] == ["ada", "bob", "U2"]


async def test_a_message_does_not_wait_long_for_a_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(names_module, "_ANSWER_SECONDS", 0.01)

    class Silent:
        async def call(self, method: str, **params: Any) -> Any:
            await asyncio.Event().wait()

    client: Any = Silent()
    async with asyncio.timeout(PATIENCE):
        assert await SlackNames(client).channel("C1") == "C1"


async def test_the_names_that_are_kept_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(names_module, "_MOST", 2)
    client: Any = named(**{f"U{number}": {"user": {"name": f"n{number}"}} for number in range(3)})
    names = SlackNames(client)
    for number in (0, 1, 2):
        await names.user(f"U{number}")
    before = len(client.calls)

    assert [await names.user("U1"), await names.user("U2")] == ["n1", "n2"]
    assert len(client.calls) == before, "the newest are kept"
    await names.user("U0")
    assert len(client.calls) == before + 1
