"""A digest of a provider's settings that ignores rotating credentials and changes with everything else."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from urllib.parse import parse_qsl, urlencode, urlsplit

# Settings that are renewed without a change of models, written without - and _. All others are part of the mark.
_ROTATING = frozenset(
    {
        "apikey",
        "xapikey",
        "token",
        "accesstoken",
        "authtoken",
        "bearertoken",
        "idtoken",
        "refreshtoken",
        "sessiontoken",
        "authorization",
        "password",
        "clientsecret",
        "expires",
        "expiresat",
        "expiresin",
        "expiry",
        "issuedat",
        "obtainedat",
        "refreshedat",
        "lastrefresh",
    }
)


def settings_mark(settings: Mapping[str, object]) -> str:
    return digest(_lasting(settings))


def digest(value: object) -> str:
    """Return the same digest for equal values, whatever the order of their keys."""
    text = json.dumps(value, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def _lasting(value: object) -> object:
    if isinstance(value, Mapping):
        return {str(name): _lasting(part) for name, part in value.items() if not _is_rotating(str(name))}
    if isinstance(value, str):
        return _without_credentials(value) if "://" in value else value
    if isinstance(value, Sequence):
        return [_lasting(part) for part in value]
    return value


def _is_rotating(name: str) -> bool:
    return name.lower().replace("-", "").replace("_", "") in _ROTATING


def _without_credentials(address: str) -> str:
    try:
        parts = urlsplit(address)
    except ValueError:
        return address
    query = urlencode([pair for pair in parse_qsl(parts.query, keep_blank_values=True) if not _is_rotating(pair[0])])
    return parts._replace(netloc=parts.netloc.rpartition("@")[2], query=query).geturl()
