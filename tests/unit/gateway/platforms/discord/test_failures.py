"""What discord.py raises, as what it means for a message or for the door."""

from types import SimpleNamespace
from typing import Any

import aiohttp
import discord
import pytest

from wakeful.gateway.messaging.platform import Cure, NotTaken, Refused, TokenRefused, Unanswered
from wakeful.gateway.platforms.discord.failures import own_errors


def answered(status: int, message: Any = "no", **headers: str) -> discord.HTTPException:
    response: Any = SimpleNamespace(status=status, reason="", headers=headers)
    return discord.HTTPException(response, message)


def invalid(field: str, words: str, code: int = 50035) -> discord.HTTPException:
    error = {"_errors": [{"code": "X", "message": words}]}
    return answered(400, {"code": code, "message": "Invalid Form Body", "errors": {field: error}})


def meaning_of(error: Exception) -> Exception:
    with pytest.raises((NotTaken, Unanswered, Refused, TokenRefused)) as caught, own_errors():
        raise error
    return caught.value


@pytest.mark.parametrize(
    ("error", "seconds"),
    [
        (discord.RateLimited(7.5), 7.5),
        (answered(429, **{"Retry-After": "3.5"}), 3.5),
        (answered(429, **{"Retry-After": "Tue, 03 Nov 2026"}), 0.0),
        (answered(429), 0.0),
        (aiohttp.ConnectionTimeoutError(), 0.0),
    ],
)
def test_what_discord_has_not_taken_is_sent_again_when_it_says(error: Exception, seconds: float) -> None:
    meaning = meaning_of(error)

    assert isinstance(meaning, NotTaken)
    assert (meaning.seconds, meaning.cure) == (seconds, None)


@pytest.mark.parametrize("error", [discord.LoginFailure("no"), answered(401)])
def test_a_token_that_discord_does_not_know_is_told_with_what_to_do(error: Exception) -> None:
    assert isinstance(meaning_of(error), TokenRefused)
    assert "WAKEFUL_DISCORD_TOKEN" in str(meaning_of(error))


@pytest.mark.parametrize(
    ("error", "cure"),
    [
        (invalid("content", "Must be 2000 or fewer in length."), Cure.SHORTER),
        (invalid("message_reference", "Unknown message"), Cure.NO_ANCHOR),
        (invalid("content", "This field is required"), None),
        (invalid("embeds", "Must be 10 or fewer in length."), None),
        (invalid("content", "Must be 2000 or fewer in length.", code=1), None),
        (answered(403, {"code": 50001, "message": "Missing Access"}), None),
        (answered(499), None),
    ],
)
def test_a_message_that_is_refused_is_cured_where_another_form_helps(error: Exception, cure: Cure | None) -> None:
    meaning = meaning_of(error)

    assert isinstance(meaning, Refused if cure is None else NotTaken)
    assert getattr(meaning, "cure", None) is cure
    assert str(meaning).startswith("Discord answered 4")


@pytest.mark.parametrize(
    "error",
    [answered(500), answered(503), aiohttp.ClientPayloadError(), OSError("cut"), TimeoutError(), KeyError("id")],
)
def test_whatever_else_fails_may_have_arrived(error: Exception) -> None:
    assert isinstance(meaning_of(error), Unanswered)
