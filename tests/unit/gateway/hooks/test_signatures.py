"""The signatures of requests to hooks: what the schemes' own libraries sign is accepted, and nothing else."""

import hashlib
import hmac
import time
from datetime import UTC, datetime

import pytest
from standardwebhooks import Webhook

from wakeful.errors import BadSignature
from wakeful.gateway.hooks.hook import Hook, SignatureScheme
from wakeful.gateway.hooks.signatures import SignedRequest, verify
from wakeful.gateway.webhooks.signature import signed_headers, signing_keys

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
OTHER = "whsec_" + "QUJD" * 8
FOREIGN = "whsec_" + "eHl6" * 8
BODY = '{"ä": 1}'.encode()
STANDARD = Hook("builds", f"{OTHER} {SECRET}", SignatureScheme.STANDARD, "{payload}")
GITHUB = Hook("repo", "It's a Secret to Everybody", SignatureScheme.GITHUB, "{payload}")


def standard_headers(age: float = 0.0, secret: str = SECRET) -> dict[str, str]:
    moment = int(time.time() - age)
    signature = Webhook(secret).sign("msg_1", datetime.fromtimestamp(moment, UTC), BODY.decode())
    return {"webhook-id": "msg_1", "webhook-timestamp": str(moment), "webhook-signature": signature}


@pytest.mark.parametrize("age", [0.0, 290.0, -290.0])
def test_a_standard_signature_is_accepted_within_five_minutes(age: float) -> None:
    assert verify(STANDARD, standard_headers(age), bytearray(BODY)) == SignedRequest("msg_1")


def test_one_of_several_signatures_is_enough() -> None:
    headers, theirs = standard_headers(), standard_headers(secret=FOREIGN)
    several = ("v1a,AAAA", theirs["webhook-signature"], headers["webhook-signature"])

    assert verify(STANDARD, headers | {"webhook-signature": " ".join(several)}, BODY).delivery_id == "msg_1"


@pytest.mark.parametrize(
    "change",
    [
        {"webhook-signature": ""},
        {"webhook-signature": "no-comma"},
        {"webhook-signature": "v1,ä"},
        {"webhook-signature": "v2," + "A" * 44},
        {"webhook-id": ""},
        {"webhook-id": "msg_2"},
        {"webhook-timestamp": ""},
        {"webhook-timestamp": "yesterday"},
        {"webhook-timestamp": "9" * 400},
        {"webhook-timestamp": "1614265330"},
    ],
)
def test_a_standard_signature_that_does_not_fit_is_refused(change: dict[str, str]) -> None:
    with pytest.raises(BadSignature):
        verify(STANDARD, standard_headers() | change, BODY)


@pytest.mark.parametrize("age", [310.0, -310.0])
def test_an_old_signature_and_one_from_the_future_are_refused(age: float) -> None:
    with pytest.raises(BadSignature, match="5 minutes"):
        verify(STANDARD, standard_headers(age), BODY)


@pytest.mark.parametrize("age", [300.0, -300.0])
def test_five_minutes_are_not_too_old(age: float, monkeypatch: pytest.MonkeyPatch) -> None:
    headers = standard_headers()
    moment = int(headers["webhook-timestamp"]) + age
    monkeypatch.setattr(time, "time", lambda: moment)

    assert verify(STANDARD, headers, BODY) == SignedRequest("msg_1")


@pytest.mark.parametrize(
    ("message_id", "digits"),
    [("", "0123456789"), ("msg_1", "\u0660\u0661\u0662\u0663\u0664\u0665\u0666\u0667\u0668\u0669")],
)
def test_a_signature_of_no_id_or_a_time_in_other_digits_is_refused(message_id: str, digits: str) -> None:
    headers = signed_headers(signing_keys(SECRET), message_id, int(time.time()), BODY)
    told = "".join(digits[int(digit)] for digit in headers["webhook-timestamp"])

    with pytest.raises(BadSignature):
        verify(STANDARD, headers | {"webhook-timestamp": told}, BODY)


def test_another_body_and_another_secret_are_refused() -> None:
    with pytest.raises(BadSignature):
        verify(STANDARD, standard_headers(), BODY + b" ")
    with pytest.raises(BadSignature):
        verify(STANDARD, standard_headers(secret=FOREIGN), BODY)


def test_the_example_of_githubs_documentation_is_accepted() -> None:
    headers = {
        "x-hub-signature-256": "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17",
        "x-github-delivery": "72d3162e",
        "x-github-event": "issues",
    }

    assert verify(GITHUB, headers, b"Hello, World!") == SignedRequest("72d3162e", "issues")


@pytest.mark.parametrize("signature", ["", "sha256=", "sha256=ä", "sha1=757107ea", "757107ea"])
def test_another_github_signature_is_refused(signature: str) -> None:
    with pytest.raises(BadSignature):
        verify(GITHUB, {"x-hub-signature-256": signature}, b"Hello, World!")


def test_a_github_signature_of_another_secret_is_refused() -> None:
    theirs = hmac.new(b"another secret", BODY, hashlib.sha256).hexdigest()

    with pytest.raises(BadSignature):
        verify(GITHUB, {"x-hub-signature-256": f"sha256={theirs}"}, BODY)
