"""Failures of a model endpoint as ModelErrors, whose message names the endpoint and says what to do.

No message contains the API key or a secret header, whatever the endpoint replies.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from wakeful.agent.providers.mended_text import mended
from wakeful.errors import ModelError

_DETAIL_LIMIT = 300
# A shorter one occurs in ordinary words: a header named like a secret may hold a mere number, and a local endpoint may
# get the key `x`.
SHORTEST_SECRET = 8
_OVERFLOW_WORDS = (
    "maximum context length",
    "context length",
    "context window",
    "context size",
    "context limit",
    "prompt is too long",
    "maximum number of tokens allowed",
)
# How endpoints name the model's window when they refuse a longer context.
_WINDOWS = (
    re.compile(r"context (?:length|window|size)[ (:a-z]{0,12}(\d[\d,]*)"),
    re.compile(r"> (\d[\d,]*)"),
    re.compile(r"(\d[\d,]*) (?:maximum )?context length"),
    re.compile(r"tokens allowed \((\d[\d,]*)\)"),
)
_SMALLEST_WINDOW = 256
# Anthropic's own.
_OVERLOAD_STATUS = 529
_CREDIT_CODES = ("insufficient_quota", "billing", "spend_limit")
# Gemini says so with status 400.
_AUTH_WORDS = ("api key not valid", "api_key_invalid")
_CREDIT_WORDS = ("credit balance is too low", "spend limit", "spending limit", "specified api usage limits")


@dataclass(frozen=True, slots=True)
class _Meaning:
    code: str
    what: str
    advice: str
    passing: bool = False


_NO_KEY = _Meaning("model_auth", "asks for an API key", "set {key}")
_AUTH = _Meaning("model_auth", "refused the API key", "check {key}")
_CREDIT = _Meaning("model_credit", "has no credit left for this key", "check the account's billing")
_NOT_FOUND = _Meaning("model_not_found", "does not know this model or route", "check the model's name and {url}")
_OVERFLOW = _Meaning(
    "context_overflow", "says that the conversation is longer than the model can read", "start a new session"
)
_FILTERED = _Meaning("content_filter", "stopped at its content filter", "say it differently or choose another model")
_RATE = _Meaning("model_rate_limited", "is limiting requests", "try again later", passing=True)
_TIMEOUT = _Meaning("model_timeout", "gave up waiting for its model", "try again later", passing=True)
_OVERLOADED = _Meaning("model_unavailable", "is overloaded", "try again later", passing=True)
_UNAVAILABLE = _Meaning("model_unavailable", "failed", "try again later", passing=True)
_REDIRECT = _Meaning("model_request", "redirects elsewhere", "set {url} to its final address")
_REQUEST = _Meaning("model_request", "refused the request", "check that the model is one to chat with")


class EndpointErrors:
    def __init__(
        self,
        address: str,
        *,
        secret: str,
        other_secrets: Collection[str] = (),
        key_setting: str = "OPENAI_API_KEY",
        url_setting: str = "OPENAI_BASE_URL",
        answer: str = "a chat completion",
    ) -> None:
        """`secret` is the key, and headers may hold `other_secrets`. `key_setting` and `url_setting` say where the
        operator sets the key and the address, and `answer` what is expected here.
        """
        self._subject = f"The model endpoint {address}"
        self._secret = secret
        # The longest first: one may be a part of another.
        known = {each for each in (secret, *other_secrets) if len(each) >= SHORTEST_SECRET}
        self._secrets = sorted(known, key=len, reverse=True)
        self._names = {"key": key_setting, "url": url_setting}
        self._answer = answer

    def refused(self, status: int, body: object, retry_after: float | None = None) -> ModelError:
        """Make the error for an HTTP status other than 200. `body` is its decoded JSON, or None."""
        return self._error(status, _complaint(body), retry_after)

    def reported(self, complaint: object) -> ModelError:
        """Make the error for an error object inside a stream. Some endpoints put an HTTP status into its code."""
        code = str(complaint.get("code", "")) if isinstance(complaint, Mapping) else ""
        return self._error(int(code) if code.isdecimal() and len(code) == 3 else None, complaint, None)

    def keyless(self) -> ModelError:
        return self._make("model_auth", "needs an API key", "set {key} and start Wakeful again")

    def unreachable(self, reason: str) -> ModelError:
        advice = "check {url} and that it is running"
        return self._make("model_unavailable", f"cannot be reached ({self._clean(reason)})", advice, passing=True)

    def late(self, seconds: float) -> ModelError:
        advice = "check {url} and that it is running"
        return self._make("model_timeout", f"took no connection within {seconds:g} s", advice, passing=True)

    def untrusted(self, reason: str) -> ModelError:
        advice = "check {url}, or name its authority in SSL_CERT_FILE"
        return self._make("model_unavailable", f"has no valid certificate ({self._clean(reason)})", advice)

    def silent(self, seconds: float) -> ModelError:
        return self._make("model_timeout", f"said nothing for {seconds:g} s", "try again later", passing=True)

    def broken(self) -> ModelError:
        what = "broke off in the middle of its answer"
        return self._make("model_stream_broken", what, "try again", passing=True)

    def incompatible(self) -> ModelError:
        advice = "check {url} and that the provider's kind is the right one"
        return self._make("model_request", f"did not answer with {self._answer}", advice)

    def unlisted(self) -> ModelError:
        return self._make("model_request", "did not answer with a list of models", "check {url}")

    def cut(self) -> ModelError:
        what = "reached the model's output limit before the answer was complete"
        return self._make("output_limit", what, "ask for less at once or choose a model with a higher limit")

    def filtered(self, reason: str = "") -> ModelError:
        what = f"{_FILTERED.what} ({self._clean(reason)})" if reason else _FILTERED.what
        return self._make(_FILTERED.code, what, _FILTERED.advice)

    def overflow(self) -> ModelError:
        return self._make(_OVERFLOW.code, _OVERFLOW.what, _OVERFLOW.advice)

    def _error(self, status: int | None, complaint: object, retry_after: float | None) -> ModelError:
        code, text = _code(complaint), _text(complaint)
        meaning = _meaning(status, code.lower(), text.lower())
        if meaning is _AUTH and not self._secret:
            meaning = _NO_KEY
        # Many endpoints quote a part of the refused key, so their text is left out.
        detail = "" if status == 401 else self._clean(text)
        facts = ": ".join(fact for fact in (str(status or ""), detail) if fact)
        what = f"{meaning.what} ({facts})" if facts else meaning.what
        error = self._make(meaning.code, what, meaning.advice, passing=meaning.passing, retry_after=retry_after)
        if meaning is _OVERFLOW:
            error.window = _window(complaint, text.lower())
        return error

    def _make(
        self, code: str, what: str, advice: str, *, passing: bool = False, retry_after: float | None = None
    ) -> ModelError:
        message = f"{self._subject} {what}; {advice.format(**self._names)}."
        return ModelError(message, code=code, passing=passing, retry_after=retry_after)

    def _clean(self, text: str) -> str:
        for secret in self._secrets:
            text = text.replace(secret, "***")
        line = " ".join(mended(text).split()).rstrip(".")
        return line if len(line) <= _DETAIL_LIMIT else f"{line[:_DETAIL_LIMIT]}…"


def _meaning(status: int | None, code: str, text: str) -> _Meaning:
    if status == 402 or any(word in code for word in _CREDIT_CODES) or any(words in text for words in _CREDIT_WORDS):
        return _CREDIT
    if status in (401, 403) or "authentication_error" in code or "permission_error" in code:
        return _AUTH
    if any(words in text for words in _AUTH_WORDS):
        return _AUTH
    if status == 404 or "model_not_found" in code or "not_found_error" in code:
        return _NOT_FOUND
    if status == 413:
        # Of the whole body, or of the tokens that an account may send in a minute: less helps in both cases.
        return _OVERFLOW
    if status == 429 or "rate_limit" in code:
        return _RATE
    if "context_length" in code or "context_size" in code or any(words in text for words in _OVERFLOW_WORDS):
        return _OVERFLOW
    if "content_filter" in code or "policy" in code:
        return _FILTERED
    if status == _OVERLOAD_STATUS or "overloaded" in code:
        return _OVERLOADED
    if status in (408, 504) or "timeout_error" in code:
        return _TIMEOUT
    if status == 409 or (status or 0) >= 500:
        return _UNAVAILABLE
    if status is None:
        return _REQUEST if "invalid_" in code or "image" in code else _UNAVAILABLE
    return _REDIRECT if status < 400 else _REQUEST


def _window(complaint: object, text: str) -> int | None:
    """Return the window that the complaint names. llama.cpp has it in a field, others in the text."""
    named = complaint.get("n_ctx") if isinstance(complaint, Mapping) else None
    found = next((match[1] for pattern in _WINDOWS if (match := pattern.search(text))), "")
    window = named if isinstance(named, int) else int(found.replace(",", "") or 0)
    return window if window >= _SMALLEST_WINDOW else None


def _complaint(body: object) -> object:
    """Return the error object: most endpoints wrap it in `error`, others send `message` or `detail` in the body, and
    Gemini puts a list around it.
    """
    if isinstance(body, list) and body:
        body = body[0]
    if isinstance(body, Mapping):
        return body.get("error") or body
    return body


def _code(complaint: object) -> str:
    if not isinstance(complaint, Mapping):
        return ""
    details = complaint.get("details")
    detail = details.get("error_code") if isinstance(details, Mapping) else None
    return " ".join(str(code) for code in (complaint.get("code"), complaint.get("type"), detail) if code)


def _text(complaint: object) -> str:
    if isinstance(complaint, Mapping):
        complaint = complaint.get("message") or complaint.get("detail")
    return str(complaint or "")
