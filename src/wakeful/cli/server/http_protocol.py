"""One connection of the HTTP server, with limits on what a client may send before it is authenticated."""

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol, RequestResponseCycle

from wakeful.wire.errors import error_response
from wakeful.wire.sse import TRANSPORT

# The time for a request's headers, from the connection or from the first byte of a later request.
HEAD_SECONDS = 20.0
# How long a request's body may be silent.
BODY_SILENCE_SECONDS = 20.0
URL_LIMIT = 32 * 1024
HEADERS_LIMIT = 32 * 1024
_MOST_HEADERS = 128
# Most requests that wait behind an unanswered one: each takes far more memory than its bytes.
_MOST_PIPELINED = 16
# The path may not be known yet. Errors of /v1 have all the fields that errors of other paths have.
_ANY_PATH = "/v1/"

_REFUSALS = {
    400: ("invalid_http", "This is not HTTP as the server understands it."),
    408: ("request_timeout", f"The headers of a request must be complete within {HEAD_SECONDS:g} s."),
    414: ("url_too_long", f"The address must not be longer than {URL_LIMIT >> 10} KiB."),
    431: ("headers_too_large", f"Headers must be at most {_MOST_HEADERS}, and {HEADERS_LIMIT >> 10} KiB together."),
}


class _Refused(Exception):
    """Stops the parser; the protocol answers with the status in `_refusal`."""


class BoundedProtocol(HttpToolsProtocol):
    def __init__(self, *arguments: Any, **how: Any) -> None:
        super().__init__(*arguments, **how)
        self._refusal = 400
        # The request being answered, or the last answered one; `cycle` is the last one received.
        self._answered: RequestResponseCycle | None = None
        self._is_in_head = False
        self._is_in_body = False
        self._head_bytes = self._header_bytes = 0
        self._head_timer: asyncio.TimerHandle | None = None
        self._body_timer: asyncio.TimerHandle | None = None
        self._has_got_body = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._drop_timers()
        super().connection_lost(exc)
        if self._answered is not None and not self._answered.response_complete:
            # With pipelined requests, the base class notifies only the last one.
            self._answered.disconnected = True
            self._answered.message_event.set()

    def data_received(self, data: bytes) -> None:
        was_in_head = self._is_in_head
        super().data_received(data)
        if self.transport.is_closing():
            return
        if was_in_head and self._is_in_head:
            # The parser does not report unfinished headers, so count the bytes here.
            self._head_bytes += len(data)
            if self._head_bytes > URL_LIMIT + HEADERS_LIMIT:
                self._refuse(431)
        if self._head_timer is None and (self._is_in_head or self._is_idle):
            self._await_head()
        if self._body_timer is None and self._is_in_body:
            self._await_body()

    def on_message_begin(self) -> None:
        if len(self.pipeline) >= _MOST_PIPELINED:
            raise _Refused
        super().on_message_begin()
        self.scope["extensions"] = {TRANSPORT: self.transport}  # type: ignore[dict-item]
        self._is_in_head, self._head_bytes, self._header_bytes = True, 0, 0

    def on_url(self, url: bytes) -> None:
        super().on_url(url)
        if len(self.url) > URL_LIMIT:
            self._refusal = 414
            raise _Refused

    def on_header(self, name: bytes, value: bytes) -> None:
        super().on_header(name, value)
        self._header_bytes += len(name) + len(value)
        if len(self.headers) > _MOST_HEADERS or self._header_bytes > HEADERS_LIMIT:
            self._refusal = 431
            raise _Refused

    def on_headers_complete(self) -> None:
        self._is_in_head, self._is_in_body = False, True
        self._drop_timers()
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        self._has_got_body = True
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._is_in_body = False
        if self._body_timer is not None:
            self._body_timer.cancel()
            self._body_timer = None
        super().on_message_complete()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        # Read the rest of a refused body, so that the client gets to read the answer, but only for a limited time.
        if self._is_in_body and self._head_timer is None and not self.transport.is_closing():
            self._await_head()

    def send_400_response(self, msg: str) -> None:
        self._refuse(self._refusal)

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:
        self._answered = cycle
        super()._start_asgi_task(cycle, app)

    @property
    def _is_idle(self) -> bool:
        return not self._is_in_body and not self._is_answering

    @property
    def _is_answering(self) -> bool:
        return self._answered is not None and not self._answered.response_complete

    def _await_head(self) -> None:
        self._head_timer = self.loop.call_later(HEAD_SECONDS, self._give_up_head)

    def _give_up_head(self) -> None:
        """Close the connection. Answer 408 only to a request that has begun: without one it would pass
        for the next answer.
        """
        if self._is_in_head:
            self._refuse(408)
        else:
            self.transport.close()

    def _await_body(self) -> None:
        self._has_got_body = False
        self._body_timer = self.loop.call_later(BODY_SILENCE_SECONDS, self._look_at_body)

    def _look_at_body(self) -> None:
        """Abort a silent connection, unless we have paused reading ourselves."""
        if not self._has_got_body and not self.flow.read_paused:
            self.transport.abort()
            return
        self._await_body()

    def _refuse(self, status: int) -> None:
        """Answer with the error and close; only close if another answer is being sent on this connection."""
        if not self._is_answering:
            self.transport.write(_answer(status, self.server_state.default_headers))
        self.transport.close()
        self._drop_timers()

    def _drop_timers(self) -> None:
        for timer in (self._head_timer, self._body_timer):
            if timer is not None:
                timer.cancel()
        self._head_timer = self._body_timer = None


def _answer(status: int, defaults: list[tuple[bytes, bytes]]) -> bytes:
    code, message = _REFUSALS[status]
    headers = {"connection": "close", "x-content-type-options": "nosniff", "cache-control": "no-store"}
    made = error_response(status, code, message, headers, path=_ANY_PATH)
    lines = [b"%b: %b\r\n" % header for header in [*defaults, *made.raw_headers]]
    return b"".join([STATUS_LINE[status], *lines, b"\r\n", bytes(made.body)])
