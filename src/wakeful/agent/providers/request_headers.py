"""The headers of every request to an endpoint."""

from collections.abc import Mapping

from wakeful.errors import ConfigError


def request_headers(key: str, headers: Mapping[str, str]) -> dict[str, str]:
    """Add what is always sent; without a key no Authorization. Raises ConfigError for a key that no header can hold."""
    # A compressed stream would be held back until a block is full.
    always = {**headers, "accept-encoding": "identity", "user-agent": "wakeful"}
    if not key:
        return always
    if not (key.isascii() and key.isprintable()):
        raise ConfigError("OPENAI_API_KEY holds characters that no key has; copy it again.")
    return {**always, "authorization": f"Bearer {key}"}
