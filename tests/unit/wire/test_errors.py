"""Errors are answered by their class, and a bug is never answered as a known error."""

import orjson
import pytest
from starlette.requests import Request

from wakeful import errors
from wakeful.wire.errors import InvalidRequest, answer_known_error

REQUEST = Request({"type": "http", "method": "GET", "path": "/", "headers": []})


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (errors.SessionNotFound(), 404, "not_found"),
        (errors.StoreFull(), 503, "store_unavailable"),
        (errors.StoreUnavailable(), 503, "store_unavailable"),
        (errors.EngineStopping(), 503, "stopping"),
        (errors.NotQueued(), 409, "not_queued"),
        (errors.AlreadyAnswered(), 409, "already_answered"),
    ],
)
async def test_an_error_is_answered_by_its_class(error: errors.WakefulError, status: int, code: str) -> None:
    response = await answer_known_error(REQUEST, error)

    assert response.status_code == status
    assert orjson.loads(response.body)["error"] == {"code": code, "message": str(error)}
    assert ("retry-after" in response.headers) is (status == 503)


async def test_a_busy_session_names_the_stream_to_follow_instead() -> None:
    response = await answer_known_error(REQUEST, errors.SessionBusy("turn_1"))

    assert orjson.loads(response.body)["error"]["active_stream_id"] == "turn_1"


async def test_an_error_that_is_a_bug_is_raised_again() -> None:
    with pytest.raises(errors.LeaseLost):
        await answer_known_error(REQUEST, errors.LeaseLost())


@pytest.mark.parametrize("path", ["/", "/v1/responses"])
async def test_a_long_value_is_not_sent_back_whole(path: str) -> None:
    request = Request({"type": "http", "method": "POST", "path": path, "headers": []})

    response = await answer_known_error(
        request, InvalidRequest(f"There is no model {'x' * 1_000_000}, choose another.")
    )

    message = orjson.loads(response.body)["error"]["message"]
    assert message.startswith("There is no model xxx")
    assert message.endswith("xxx, choose another.")
    assert len(message) < 1_100
