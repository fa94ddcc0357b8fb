"""Signatures, checked by the scheme's own library."""

import base64
import time

import pytest
from standardwebhooks import Webhook

from tests.unit.gateway.webhooks.kit import SECRET
from wakeful.errors import ConfigError
from wakeful.gateway.webhooks.signature import signed_headers, signing_keys

OTHER = "whsec_" + base64.b64encode(bytes(range(200, 232))).decode()


def test_a_signature_is_the_one_of_the_scheme() -> None:
    # The example of the specification's reference implementations.
    headers = signed_headers(signing_keys(SECRET), "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, b'{"test": 2432232314}')

    assert headers == {
        "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
        "webhook-timestamp": "1614265330",
        "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    }


def test_each_of_several_keys_signs() -> None:
    headers = signed_headers(signing_keys(f"{SECRET} {OTHER}"), "evt_1", int(time.time()), '{"ä": 1}'.encode())

    assert Webhook(SECRET).verify('{"ä": 1}', headers) == {"ä": 1}
    assert Webhook(OTHER).verify('{"ä": 1}', headers) == {"ä": 1}


def test_a_secret_without_its_padding_is_the_same_secret() -> None:
    assert OTHER.endswith("=")
    assert signing_keys(OTHER.rstrip("=")) == signing_keys(OTHER)


@pytest.mark.parametrize(
    "secret",
    [
        "",
        " ",
        "whsec_",
        "whsec_c2hvcnQ=",
        "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2La*aSw",
        "whsec_ééééééééééééééééééééééééééééééé",
        f"{SECRET} whsec_c2hvcnQ=",
    ],
)
def test_another_secret_is_refused_in_words_without_it(secret: str) -> None:
    with pytest.raises(ConfigError, match="base64 of at least 24 random bytes") as caught:
        signing_keys(secret)

    assert not any(part in str(caught.value) for part in secret.split() if part != "whsec_")
