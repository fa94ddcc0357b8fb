"""A hook, as the operator has configured it: another program posts there, and the agent gets a message."""

import re
from dataclasses import dataclass, field
from enum import StrEnum

from wakeful.errors import ConfigError
from wakeful.gateway.platforms.chat import HookAdapter
from wakeful.gateway.webhooks.signature import signing_keys
from wakeful.model.session import Address

# It stands in an address and in the key of a session.
_NAME = re.compile(r"[A-Za-z0-9._-]{1,64}")
# GitHub sets no minimum; only the length protects a secret.
_SHORTEST_SECRET = 16


class SignatureScheme(StrEnum):
    STANDARD = "standard"
    GITHUB = "github"


@dataclass(frozen=True, slots=True)
class Hook:
    """Raises ConfigError for a wrong value, with a message that contains no secret."""

    name: str
    # For `standard` possibly several, separated by spaces while the sender rotates its secret.
    secret: str = field(repr=False)
    scheme: SignatureScheme
    # A template; see template.py.
    message: str
    # The chat that the message goes to; None: the hook's own session.
    deliver: Address | None = None
    # GitHub: only these events make turns; empty: all do.
    events: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise ConfigError("A hook's name must be 1 to 64 letters, digits, dots, dashes or underscores.")
        self._check_secret()
        if not self.message.strip():
            raise ConfigError(f"The hook {self.name} needs a message, such as 'Build {{build.id}} has failed.'")
        if self.events and self.scheme is not SignatureScheme.GITHUB:
            raise ConfigError(f"The hook {self.name} cannot have events: only GitHub names them in its requests.")

    def _check_secret(self) -> None:
        if self.scheme is SignatureScheme.STANDARD:
            try:
                signing_keys(self.secret)
            except ConfigError as error:
                raise ConfigError(f"The secret of the hook {self.name} is no such secret. {error}") from None
        elif len(self.secret) < _SHORTEST_SECRET:
            raise ConfigError(f"The secret of the hook {self.name} needs at least {_SHORTEST_SECRET} characters.")

    @property
    def key(self) -> str:
        """The key of the hook's own session."""
        return f"{HookAdapter.name}:{self.name}"
