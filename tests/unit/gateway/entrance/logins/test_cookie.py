"""The cookie of a login: under which name it is set, found and removed."""

import pytest
from starlette.requests import Request
from starlette.responses import Response

from wakeful.gateway.entrance.logins.cookie import LoginCookie
from wakeful.gateway.entrance.own_address import OwnAddress

PUBLIC = "https://wakeful.example.org"
RULES = "HttpOnly; SameSite=Strict; Path=/"


def asking(host: str = "localhost:8787", *, scheme: str = "http", **headers: str) -> Request:
    given = [(b"host", host.encode()), *((name.encode(), value.encode()) for name, value in headers.items())]
    scope = {"type": "http", "scheme": scheme, "path": "/", "query_string": b"", "headers": given, "server": ("h", 80)}
    return Request(scope)


def set_by(request: Request, public_url: str = "") -> str:
    response = Response()
    LoginCookie(OwnAddress(public_url=public_url)).set_on(request, response, "secret")
    return response.headers["set-cookie"]


def removed_by(request: Request, public_url: str = "") -> list[str]:
    response = Response()
    LoginCookie(OwnAddress(public_url=public_url)).remove_on(request, response)
    return response.headers.getlist("set-cookie")


@pytest.mark.parametrize(
    ("request_", "public_url", "name", "is_secure"),
    [
        (asking(), "", "wakeful_session_8787", False),
        (asking(scheme="https"), "", "__Host-wakeful_session_8787", True),
        (asking(origin="https://localhost:8787"), "", "__Host-wakeful_session_8787", True),
        (asking(scheme="https", origin="http://localhost:8787"), "", "wakeful_session_8787", False),
        # The proxy speaks http to us, and a program that logs in sends no origin.
        (asking("wakeful.example.org"), PUBLIC, "__Host-wakeful_session_443", True),
        (asking(), PUBLIC, "wakeful_session_8787", False),
    ],
)
def test_it_is_secure_wherever_the_browser_uses_https(
    request_: Request, public_url: str, name: str, is_secure: bool
) -> None:
    secure = "; Secure" if is_secure else ""

    assert set_by(request_, public_url) == f"{name}=secret; Max-Age=34560000; {RULES}{secure}"


def test_of_two_the_secure_one_counts_and_at_a_public_host_no_other() -> None:
    both = {"cookie": "wakeful_session_443=plain; __Host-wakeful_session_443=secure"}
    plain = {"cookie": "wakeful_session_443=plain"}
    cookie = LoginCookie(OwnAddress(public_url=PUBLIC))

    assert cookie.secret_in(asking("wakeful.example.org", **both)) == "secure"
    assert cookie.secret_in(asking("wakeful.example.org", **plain)) == ""
    assert LoginCookie(OwnAddress()).secret_in(asking("localhost:443", **both)) == "secure"
    assert LoginCookie(OwnAddress()).secret_in(asking("localhost:443", **plain)) == "plain"
    assert LoginCookie(OwnAddress()).secret_in(asking("localhost:8787", **both)) == ""


@pytest.mark.parametrize(
    ("sent", "removed"),
    [
        ("", ["__Host-wakeful_session_8787=; Secure"]),
        ("wakeful_session_8787=a", ["wakeful_session_8787="]),
        (
            "wakeful_session_8787=a; __Host-wakeful_session_8787=b; wakeful_session_1=c",
            ["__Host-wakeful_session_8787=; Secure", "wakeful_session_8787="],
        ),
    ],
)
def test_what_the_browser_has_sent_is_removed(sent: str, removed: list[str]) -> None:
    assert removed_by(asking(cookie=sent)) == [
        f"{name}; Max-Age=0; {RULES}{'; Secure' if secure else ''}"
        for name, _, secure in (one.partition("; ") for one in removed)
    ]
