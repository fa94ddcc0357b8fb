import pytest

from wakeful.agent.providers.endpoint_errors import SHORTEST_SECRET, EndpointErrors
from wakeful.errors import ModelError

_ADDRESS = "https://model.example/v1/chat/completions"
_KEY = "sk-very-secret"


def _refused(status: int, message: str = "words", **more: object) -> ModelError:
    return EndpointErrors(_ADDRESS, secret=_KEY).refused(status, {"error": {"message": message, **more}})


@pytest.mark.parametrize(
    ("status", "code", "passing"),
    [
        (301, "model_request", False),
        (400, "model_request", False),
        (401, "model_auth", False),
        (402, "model_credit", False),
        (403, "model_auth", False),
        (404, "model_not_found", False),
        (408, "model_timeout", True),
        (409, "model_unavailable", True),
        (422, "model_request", False),
        (429, "model_rate_limited", True),
        (500, "model_unavailable", True),
        (503, "model_unavailable", True),
        (504, "model_timeout", True),
        (529, "model_unavailable", True),
    ],
)
def test_each_status_has_a_code_and_may_pass(status: int, code: str, passing: bool) -> None:
    error = _refused(status)

    assert (error.code, error.passing) == (code, passing)


@pytest.mark.parametrize(
    ("status", "message", "kind", "code"),
    [
        (429, "You exceeded your current quota", {"code": "insufficient_quota"}, "model_credit"),
        (400, "too long", {"code": "context_length_exceeded"}, "context_overflow"),
        (400, "too long", {"type": "exceed_context_size_error", "code": 400}, "context_overflow"),
        (400, "This model's maximum context length is 8192 tokens", {}, "context_overflow"),
        (400, "no such model", {"code": "model_not_found"}, "model_not_found"),
        (400, "filtered", {"code": "content_filter"}, "content_filter"),
        (400, "API key not valid. Please pass a valid API key.", {"code": 400}, "model_auth"),
        (413, "Request too large: Limit 6000, Requested 7200", {"code": "rate_limit_exceeded"}, "context_overflow"),
    ],
)
def test_the_words_of_an_error_say_more_than_its_status(
    status: int, message: str, kind: dict[str, object], code: str
) -> None:
    error = _refused(status, message, **kind)

    assert (error.code, error.passing) == (code, False)


@pytest.mark.parametrize(
    ("message", "kind", "window"),
    [
        ("This model's maximum context length is 8192 tokens. However, you requested 9000 tokens", {}, 8192),
        ("prompt is too long: 210000 tokens > 200000 maximum", {}, 200_000),
        ("input length and max_tokens exceed context limit: 195000 + 8192 > 200000", {}, 200_000),
        ("the request exceeds the available context size (4096 tokens)", {}, 4096),
        ("the request exceeds the available context size", {"n_ctx": 2048}, 2048),
        ("The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)", {}, 1_048_576),
        ("Prompt contains 40,000 tokens, too large for model with 32,768 maximum context length", {}, 32_768),
        ("too long", {"code": "context_length_exceeded"}, None),
        ("the context length of 12 is exceeded", {}, None),
    ],
)
def test_an_overflow_tells_the_window_that_its_endpoint_names(
    message: str, kind: dict[str, object], window: int | None
) -> None:
    error = _refused(400, message, **kind)

    assert (error.code, error.window) == ("context_overflow", window)


def test_an_error_in_a_stream_is_classified_by_its_code() -> None:
    errors = EndpointErrors(_ADDRESS, secret="")

    assert errors.reported({"message": "slow down", "code": 429}).code == "model_rate_limited"
    assert errors.reported({"message": "slow down", "type": "rate_limit_error"}).code == "model_rate_limited"
    assert errors.reported({"message": "wrong", "type": "invalid_request_error"}).code == "model_request"
    assert errors.reported({"message": "long", "code": "context_length_exceeded"}).code == "context_overflow"
    assert errors.reported("out of memory").passing


def test_a_message_is_one_sentence_with_endpoint_reason_and_advice() -> None:
    error = _refused(404, "The model `x`\n does not exist.")

    assert str(error) == (
        f"The model endpoint {_ADDRESS} does not know this model or route (404: The model `x` does not exist); "
        "check the model's name and OPENAI_BASE_URL."
    )


@pytest.mark.parametrize("status", [400, 401, 403, 404, 429, 500])
def test_the_key_is_never_quoted(status: int) -> None:
    assert _KEY not in str(_refused(status, f"Incorrect API key provided: {_KEY}"))


def test_a_key_that_occurs_in_ordinary_words_leaves_them_whole() -> None:
    error = EndpointErrors(_ADDRESS, secret="e").refused(500, {"error": {"message": "The server exploded"}})

    assert "(500: The server exploded)" in str(error)


def test_the_shortest_key_that_counts_as_a_secret_is_not_quoted() -> None:
    key = "k" * SHORTEST_SECRET
    error = EndpointErrors(_ADDRESS, secret=key).refused(500, {"error": {"message": f"No such key: {key}"}})

    assert "(500: No such key: ***)" in str(error)


def test_a_secret_header_is_not_quoted_either() -> None:
    headers = {"Bearer gateway-secret", "gateway-secret", "7"}
    errors = EndpointErrors(_ADDRESS, secret="", other_secrets=headers)

    said = str(errors.refused(500, {"error": {"message": "7 times Bearer gateway-secret, and gateway-secret"}}))

    assert "(500: 7 times ***, and ***)" in said


def test_an_error_in_a_list_is_read() -> None:
    body = [{"error": {"code": 429, "message": "Slow down."}}]

    assert "(429: Slow down)" in str(EndpointErrors(_ADDRESS, secret=_KEY).refused(429, body))


def test_a_half_hidden_key_is_not_quoted_either() -> None:
    assert "sk-" not in str(_refused(401, "Incorrect API key provided: sk-ver***cret"))


def test_without_a_key_the_advice_is_to_set_one() -> None:
    error = EndpointErrors(_ADDRESS, secret="").refused(401, None)

    assert str(error) == f"The model endpoint {_ADDRESS} asks for an API key (401); set OPENAI_API_KEY."


def test_a_long_reason_is_cut() -> None:
    assert len(str(_refused(400, "x" * 10_000))) < 500


@pytest.mark.parametrize("body", [None, [], "words", {"error": None}, {"error": "words"}, {"detail": [{"loc": 1}]}])
def test_any_body_gives_a_message(body: object) -> None:
    assert _ADDRESS in str(EndpointErrors(_ADDRESS, secret="").refused(400, body))


def test_a_reason_that_cannot_be_encoded_is_mended() -> None:
    str(_refused(400, "half \ud83d")).encode()


@pytest.mark.parametrize(
    ("complaint", "code", "what"),
    [
        ({"type": "billing_error"}, "model_credit", "has no credit left"),
        ({"code": "spend_limit_reached"}, "model_credit", "has no credit left"),
        ({"message": "Your credit balance is too low"}, "model_credit", "has no credit left"),
        ({"message": "You have reached your specified API usage limits"}, "model_credit", "has no credit left"),
        ({"type": "authentication_error"}, "model_auth", "refused the API key"),
        ({"type": "permission_error"}, "model_auth", "refused the API key"),
        ({"message": "API_KEY_INVALID"}, "model_auth", "refused the API key"),
        ({"code": "model_not_found"}, "model_not_found", "does not know this model"),
        ({"type": "not_found_error"}, "model_not_found", "does not know this model"),
        ({"type": "rate_limit_error"}, "model_rate_limited", "is limiting requests"),
        ({"message": "Prompt is too long"}, "context_overflow", "longer than the model can read"),
        ({"details": {"error_code": "context_length_exceeded"}}, "context_overflow", "longer than the model can read"),
        ({"code": "content_filter"}, "content_filter", "stopped at its content filter"),
        ({"code": "content_policy_violation"}, "content_filter", "stopped at its content filter"),
        ({"type": "overloaded_error"}, "model_unavailable", "is overloaded"),
        ({"type": "timeout_error"}, "model_timeout", "gave up waiting"),
        ({"type": "invalid_request_error"}, "model_request", "refused the request"),
        ({"code": "image_parse_error"}, "model_request", "refused the request"),
        ({"type": "api_error"}, "model_unavailable", "failed"),
        ({"code": "503"}, "model_unavailable", "failed (503)"),
        ({"code": "5031"}, "model_unavailable", "failed;"),
        ({"detail": "no luck"}, "model_unavailable", "failed (no luck)"),
    ],
)
def test_each_kind_of_error_has_its_meaning(complaint: dict[str, object], code: str, what: str) -> None:
    error = EndpointErrors(_ADDRESS, secret=_KEY).reported(complaint)

    passes = {"model_rate_limited", "model_unavailable", "model_timeout"}
    assert (error.code, error.passing) == (code, code in passes)
    assert f"{_ADDRESS} " in str(error)
    assert what in str(error)


def test_what_is_said_without_an_error_object() -> None:
    errors = EndpointErrors(_ADDRESS, secret=_KEY, key_setting="MY_KEY", url_setting="MY_URL", answer="a message")

    told = [
        (errors.keyless(), "model_auth", False, "needs an API key; set MY_KEY and start Wakeful again."),
        (errors.unreachable(f"no {_KEY}"), "model_unavailable", True, "cannot be reached (no ***); check MY_URL and"),
        (errors.late(2.5), "model_timeout", True, "took no connection within 2.5 s; check MY_URL and"),
        (errors.untrusted("old"), "model_unavailable", False, "has no valid certificate (old); check MY_URL, or name"),
        (errors.silent(9.0), "model_timeout", True, "said nothing for 9 s; try again later."),
        (errors.broken(), "model_stream_broken", True, "broke off in the middle of its answer; try again."),
        (errors.incompatible(), "model_request", False, "did not answer with a message; check MY_URL and"),
        (errors.unlisted(), "model_request", False, "did not answer with a list of models; check MY_URL."),
        (errors.cut(), "output_limit", False, "reached the model's output limit before the answer was complete; ask"),
        (errors.filtered(), "content_filter", False, "stopped at its content filter; say it differently"),
        (errors.filtered("rude"), "content_filter", False, "stopped at its content filter (rude); say it differently"),
        (errors.overflow(), "context_overflow", False, "longer than the model can read; start a new session."),
    ]

    for error, code, passing, words in told:
        assert (error.code, error.passing) == (code, passing)
        assert words in str(error)


def test_a_reason_of_300_characters_is_whole() -> None:
    assert "x" * 300 + ")" in str(_refused(400, "x" * 300))
    assert "x" * 300 + "…)" in str(_refused(400, "x" * 301))


def test_an_endpoint_says_when_to_come_back() -> None:
    assert EndpointErrors(_ADDRESS, secret="").refused(429, None, 7.0).retry_after == 7.0


def test_the_smallest_window_that_is_believed() -> None:
    windows = [_refused(400, f"the context length of {size} is exceeded").window for size in (255, 256)]

    assert windows == [None, 256]
