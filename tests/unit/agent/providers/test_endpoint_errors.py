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
