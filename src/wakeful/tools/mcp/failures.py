"""Why something at an MCP server did not work. Reasons are our own words; `said` are the server's, which only the
operator reads: in the instructions of a model they could pretend to be something else.
"""

from collections.abc import Iterator


class ServerEnded(Exception):
    """The server is not there. The message finishes the sentence "The MCP server NAME is not ready: …"."""

    def __init__(self, reason: str, said: str = "") -> None:
        super().__init__(reason)
        self.said = said

    @property
    def whole(self) -> str:
        return f"{self}: {self.said}" if self.said else str(self)


class SessionGone(Exception):
    """An HTTP server no longer knows the session, so it has not looked at the request."""


class CallRefused(Exception):
    """The server answered a request with an error; the message is the server's."""


def leaves_of(error: BaseException) -> Iterator[BaseException]:
    """Yield the error, or all that a group of errors holds: the package runs everything in task groups."""
    if isinstance(error, BaseExceptionGroup):
        for inner in error.exceptions:
            yield from leaves_of(inner)
    else:
        yield error
