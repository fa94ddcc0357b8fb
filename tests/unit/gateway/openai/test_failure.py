"""Turns that failed or were stopped, as the error object of each API."""

import pytest
from msgspec import to_builtins

from tests.unit.gateway.openai.kit import cancelled, done, failed, log
from wakeful.gateway.openai.failure import chat_error_of, chat_status, response_error, run_error
from wakeful.gateway.openai.spoken_text import SpokenText
from wakeful.gateway.openai.usage import UsageSum


@pytest.mark.parametrize(
    ("code", "in_response", "in_chat", "status"),
    [
        ("context_overflow", "context_length_exceeded", "context_length_exceeded", 400),
        ("model_rate_limited", "rate_limit_exceeded", "model_rate_limited", 502),
        ("content_filter", "invalid_prompt", "content_filter", 502),
        ("model_unavailable", "server_error", "model_unavailable", 502),
    ],
)
def test_a_failure_has_the_code_that_clients_look_for(code: str, in_response: str, in_chat: str, status: int) -> None:
    last = log(failed(code, "It broke."))[-1]
    error = chat_error_of(last)

    assert error is not None
    assert to_builtins(response_error(last)) == {"code": in_response, "message": "It broke."}
    assert to_builtins(run_error(last.data)) == {"code": in_chat, "message": "It broke."}
    assert (error.code, error.message, chat_status(error)) == (in_chat, "It broke.", status)
    assert (error.type, error.param) == (
        ("invalid_request_error", "messages") if status == 400 else ("server_error", None)
    )


def test_a_chat_that_was_stopped_is_an_error_and_one_that_completed_is_none() -> None:
    stopped = chat_error_of(log(cancelled())[-1])

    assert stopped is not None
    assert (stopped.code, stopped.message) == ("cancelled", "The turn was stopped.")
    assert chat_error_of(log(done())[-1]) is None


def test_words_are_kept_by_their_steps_and_whitespace_is_none() -> None:
    spoken = SpokenText()
    spoken.add(2, "c")
    spoken.add(1, " ")
    assert (spoken.has(1), spoken.has(2), spoken.has(3)) == (False, True, False)

    for text in ("a", "b"):
        spoken.add(1, text)
    assert (spoken.has(1), spoken.whole) == (True, " abc")
    spoken.keep(1, 2)
    assert spoken.whole == " ac"
    spoken.drop(2)
    spoken.keep(3, 1)
    assert spoken.whole == " a"


def test_what_the_steps_used_is_added_up() -> None:
    used = UsageSum()
    used.add({"input_tokens": 10, "output_tokens": 5, "cached_tokens": 4, "reasoning_tokens": 2})
    used.add(
        {"input_tokens": 1, "output_tokens": 2, "cached_tokens": 3, "reasoning_tokens": 4, "cache_write_tokens": 7}
    )

    assert to_builtins(used.of_response()) == {
        "input_tokens": 11,
        "input_tokens_details": {"cached_tokens": 7, "cache_write_tokens": 7},
        "output_tokens": 7,
        "output_tokens_details": {"reasoning_tokens": 6},
        "total_tokens": 18,
    }
    assert to_builtins(used.of_chat()) == {
        "prompt_tokens": 11,
        "completion_tokens": 7,
        "total_tokens": 18,
        "prompt_tokens_details": {"cached_tokens": 7},
        "completion_tokens_details": {"reasoning_tokens": 6},
    }
