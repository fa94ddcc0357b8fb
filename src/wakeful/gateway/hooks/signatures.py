"""Checks the signatures of requests to hooks: Standard Webhooks, and GitHub's. All comparisons take constant time."""

import hashlib
import hmac
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from wakeful.errors import BadSignature
from wakeful.gateway.hooks.hook import Hook, SignatureScheme
from wakeful.gateway.webhooks.signature import signed_headers, signing_keys

# How far the sender's clock may be off, either way. An older request may be one that was overheard and sent again.
_WINDOW_SECONDS = 300
_NO_EVENT = ""


@dataclass(frozen=True, slots=True)
class SignedRequest:
    """What the headers of a request say whose signature is right."""

    # The sender's id of the delivery, the same when it is sent again; empty if it names none.
    delivery_id: str
    # GitHub's name of what has happened.
    event: str = _NO_EVENT


def verify(hook: Hook, headers: Mapping[str, str], body: bytes | bytearray) -> SignedRequest:
    """Raises BadSignature. `headers` are found whatever the case of their names."""
    return _CHECKS[hook.scheme](hook.secret, headers, bytes(body))


def _verify_standard(secret: str, headers: Mapping[str, str], body: bytes) -> SignedRequest:
    message_id, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    given = [part.encode() for part in headers.get("webhook-signature", "").split()]
    if not message_id or not given or not timestamp.isascii() or not timestamp.isdecimal():
        raise BadSignature
    moment = int(timestamp[:20])
    expected = signed_headers(signing_keys(secret), message_id, moment, body)["webhook-signature"].encode().split()
    # Every pair is compared, so that the time does not tell which one was right.
    matches = [hmac.compare_digest(ours, theirs) for ours in expected for theirs in given]
    if not any(matches):
        raise BadSignature
    if abs(time.time() - moment) > _WINDOW_SECONDS:
        raise BadSignature("The request was signed more than 5 minutes ago, or a clock is wrong.")
    return SignedRequest(message_id)


def _verify_github(secret: str, headers: Mapping[str, str], body: bytes) -> SignedRequest:
    expected = "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    if not hmac.compare_digest(expected.encode(), headers.get("x-hub-signature-256", "").encode()):
        raise BadSignature
    return SignedRequest(headers.get("x-github-delivery", ""), headers.get("x-github-event", _NO_EVENT))


_CHECKS: Mapping[SignatureScheme, Callable[[str, Mapping[str, str], bytes], SignedRequest]] = {
    SignatureScheme.STANDARD: _verify_standard,
    SignatureScheme.GITHUB: _verify_github,
}
