"""Adds response headers that restrict what browsers do with a response, as far as possible."""

from collections.abc import Sequence

from starlette.types import ASGIApp, Message, Receive, Scope, Send

_CONTENT_POLICY = b"; ".join(
    (
        b"default-src 'none'",
        b"script-src 'self'",
        b"style-src 'self'",
        b"img-src 'self' data:",
        b"connect-src 'self'",
        b"worker-src 'self'",
        b"font-src 'self'",
        b"manifest-src 'self'",
        b"base-uri 'none'",
        b"form-action 'none'",
        b"frame-ancestors 'none'",
        b"require-trusted-types-for 'script'",
        b"trusted-types wakeful",
    )
)
_EVERYWHERE = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=(), payment=(), usb=()"),
    (b"cache-control", b"no-store"),
)
# Types that a browser runs or shows as a page. Scripts too: a worker is bound by the policy sent with its script.
_ACTIVE = (b"text/html", b"text/javascript", b"image/svg+xml")

Header = tuple[bytes, bytes]


class AddSecurityHeaders:
    """ASGI middleware, around all that answer, so refusals have the headers too. A header that is set already stays."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": _guarded(message.get("headers", ()))}
            await send(message)

        await self._app(scope, receive, send_guarded if scope["type"] == "http" else send)


def _guarded(headers: Sequence[Header]) -> list[Header]:
    given = dict(headers)
    added = [(name, value) for name, value in _EVERYWHERE if name not in given]
    if given.get(b"content-type", b"").startswith(_ACTIVE) and b"content-security-policy" not in given:
        added.append((b"content-security-policy", _CONTENT_POLICY))
    return [*headers, *added]
