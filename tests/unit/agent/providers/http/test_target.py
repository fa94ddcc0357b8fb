import pytest

from wakeful.agent.providers.http.target import RequestTarget


def _lines(url: str) -> list[str]:
    return RequestTarget.of(url, {}).head("GET", b"").decode().split("\r\n")


@pytest.mark.parametrize(
    ("url", "address", "line", "host"),
    [
        ("http://Model.Example", ("model.example", 80, False), "GET / HTTP/1.1", "host: model.example"),
        ("https://model/v1?a=b", ("model", 443, True), "GET /v1?a=b HTTP/1.1", "host: model"),
        ("https://model:8443/v1", ("model", 8443, True), "GET /v1 HTTP/1.1", "host: model:8443"),
        ("http://[::1]:11434/v1", ("::1", 11434, False), "GET /v1 HTTP/1.1", "host: [::1]:11434"),
        ("http://[fe80::1%eth0]/", ("fe80::1%eth0", 80, False), "GET / HTTP/1.1", "host: [fe80::1]"),
        ("http://münchen.example/", ("xn--mnchen-3ya.example", 80, False), "GET / HTTP/1.1", None),
        ("http://m/ä b%20c/%?q=ü d", ("m", 80, False), "GET /%C3%A4%20b%20c/%?q=%C3%BC%20d HTTP/1.1", "host: m"),
    ],
)
def test_an_address_is_asked_for_as_http_wants_it(
    url: str, address: tuple[str, int, bool], line: str, host: str | None
) -> None:
    target = RequestTarget.of(url, {})

    assert (target.host, target.port, target.is_tls) == address
    assert _lines(url)[:2] == [line, host or f"host: {address[0]}"]


def test_a_user_in_the_address_becomes_a_header() -> None:
    assert "authorization: Basic bWU6cEB3" in _lines("http://me:p%40w@model/")


def test_only_a_request_with_a_body_has_a_length() -> None:
    target = RequestTarget.of("http://model/", {"accept": "*/*"})

    assert target.head("GET", b"") == b"GET / HTTP/1.1\r\nhost: model\r\naccept: */*\r\n\r\n"
    assert target.head("POST", b"{}").endswith(b"accept: */*\r\ncontent-length: 2\r\n\r\n")
