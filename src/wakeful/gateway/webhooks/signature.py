"""Signatures after the Standard Webhooks scheme."""

import base64
import binascii
import hashlib
import hmac
from collections.abc import Sequence

from wakeful.errors import ConfigError

_PREFIX = "whsec_"
# What the scheme asks for.
_SMALLEST_KEY = 24


def signing_keys(secret: str) -> list[bytes]:
    """Return the keys of a secret: one, or several with spaces between while a receiver moves from one to another.

    Raises ConfigError, in words without the secret.
    """
    keys = [_key(part) for part in secret.split()]
    if not keys:
        raise ConfigError(_ADVICE)
    return keys


def signed_headers(keys: Sequence[bytes], message_id: str, timestamp: int, body: bytes) -> dict[str, str]:
    content = f"{message_id}.{timestamp}.".encode() + body
    signatures = (base64.b64encode(hmac.digest(key, content, hashlib.sha256)).decode() for key in keys)
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": " ".join(f"v1,{signature}" for signature in signatures),
    }


def _key(part: str) -> bytes:
    encoded = part.removeprefix(_PREFIX)
    try:
        # Receivers' libraries take it without its padding too.
        key = base64.b64decode(encoded + "=" * (-len(encoded) % 4), validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if not part.startswith(_PREFIX) or len(key) < _SMALLEST_KEY:
        # Not chained: a traceback would say what is wrong with which character.
        raise ConfigError(_ADVICE) from None
    return key


_ADVICE = (
    f"A webhook's secret must be {_PREFIX} and the base64 of at least {_SMALLEST_KEY} random bytes, "
    f'as of: echo "{_PREFIX}$(head -c 32 /dev/urandom | base64)".'
)
