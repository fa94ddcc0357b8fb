"""Signs webhooks by the Standard Webhooks scheme."""

import base64
import binascii
import hashlib
import hmac
from collections.abc import Sequence

from wakeful.errors import ConfigError

_PREFIX = "whsec_"
# The minimum that the scheme requires.
_SMALLEST_KEY = 24


def signing_keys(secret: str) -> list[bytes]:
    """Return the keys of a secret: one, or several separated by spaces while a receiver rotates its secret.

    Raises ConfigError with a message that does not contain the secret.
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
        # Receivers' libraries accept a secret without padding too.
        key = base64.b64decode(encoded + "=" * (-len(encoded) % 4), validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if not part.startswith(_PREFIX) or len(key) < _SMALLEST_KEY:
        # Not chained: the original error describes the secret's characters.
        raise ConfigError(_ADVICE) from None
    return key


_ADVICE = (
    f"A webhook's secret must be {_PREFIX} and the base64 of at least {_SMALLEST_KEY} random bytes, "
    f'for example from: echo "{_PREFIX}$(head -c 32 /dev/urandom | base64)".'
)
