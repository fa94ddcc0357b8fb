"""What a scripted endpoint needs to speak an API."""

from collections.abc import Iterator, Mapping
from typing import Any, Protocol

import orjson

from tests.wires.script import Script

Request = Mapping[str, Any]


class Refused(Exception):
    """The API would not take this request."""

    def __init__(self, status: int, **error: Any) -> None:
        super().__init__(f"{status}: {error}")
        self.status = status
        self.error = error


class WireServer(Protocol):
    # How the path of its route ends.
    route: str

    def check(self, headers: Mapping[str, str], request: Request) -> None:
        """Raise Refused for a request that the API itself would refuse."""
        ...

    def last_words(self, request: Request) -> str:
        """Return the text of the last user message."""
        ...

    def error_body(self, error: Mapping[str, Any]) -> bytes: ...

    def error_event(self, error: Mapping[str, Any]) -> bytes: ...

    def opening(self, script: Script, request: Request) -> bytes:
        """Return the events before the first token."""
        ...

    def tokens(self, script: Script, request: Request) -> Iterator[bytes]:
        """Yield the events of each token or piece of a call."""
        ...

    def ending(self, script: Script, request: Request) -> bytes:
        """Return the events after the last token."""
        ...


def named_event(name: str, data: Mapping[str, Any]) -> bytes:
    return b"event: %b\ndata: %b\n\n" % (name.encode(), orjson.dumps({"type": name, **data}))


def halves(arguments: object) -> tuple[str, str]:
    """Return the JSON text of a call's arguments in two pieces; a text is taken as it is."""
    text = arguments if isinstance(arguments, str) else orjson.dumps(arguments).decode()
    return text[: len(text) // 2], text[len(text) // 2 :]
