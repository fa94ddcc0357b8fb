"""Which hosts and origins are our own."""

import pytest

from wakeful.gateway.entrance.own_address import OwnAddress


@pytest.mark.parametrize(
    ("host", "is_own"),
    [
        ("localhost", True),
        ("LocalHost:8787", True),
        ("a.b.localhost", True),
        ("127.0.0.1", True),
        ("127.255.0.1:1", True),
        ("[::1]", True),
        ("[0:0:0:0:0:0:0:1]:8787", True),
        ("notlocalhost", False),
        ("localhost.example", False),
        ("127.0.0.1.example", False),
        ("127.1", False),
        ("0177.0.0.1", False),
        ("0.0.0.0", False),
        ("::1", False),
        ("[::1", False),
        ("localhost:", False),
        ("localhost:80:80", False),
        ("user@localhost", False),
        ("localhost/path", False),
        ("localhost, evil.example", False),
        (" localhost", False),
        ("", False),
    ],
)
def test_by_default_only_this_machine_is_meant(host: str, is_own: bool) -> None:
    assert OwnAddress().is_host(host) is is_own


@pytest.mark.parametrize("host", ["box.lan", "BOX.lan.:80", "[fd00::1]:8787", "[FD00:0::1]", "192.168.1.5:8787"])
def test_names_and_addresses_are_the_same_however_they_are_written(host: str) -> None:
    own = OwnAddress(["Box.lan", "fd00::1", "192.168.1.5"])

    assert own.is_host(host)
    assert not own.is_host("other.lan")


def test_the_public_host_is_ours() -> None:
    own = OwnAddress(public_url="https://wakeful.example.org:8443")

    assert own.is_host("wakeful.example.org:8443")
    assert own.is_host("wakeful.example.org")


@pytest.mark.parametrize(
    ("origin", "is_own"),
    [
        ("http://localhost:8787", True),
        ("https://localhost:8787", True),
        ("http://localhost", False),
        ("http://localhost:87", False),
        ("http://127.0.0.1:8787", False),
        ("http://localhost:8787.evil.example", False),
        ("ftp://localhost:8787", False),
        ("null", False),
        ("", False),
    ],
)
def test_our_origin_is_the_host_that_was_asked_for(origin: str, is_own: bool) -> None:
    assert OwnAddress().is_origin(origin, "localhost:8787") is is_own


@pytest.mark.parametrize(
    ("origin", "host", "is_own"),
    [
        ("https://wakeful.example.org:8443", "wakeful.example.org:8443", True),
        ("https://wakeful.example.org:8443", "127.0.0.1:8787", True),
        ("http://wakeful.example.org:8443", "wakeful.example.org:8443", False),
        ("http://127.0.0.1:8787", "127.0.0.1:8787", True),
        ("", "", False),
    ],
)
def test_of_the_public_host_only_the_public_origin_is_ours(origin: str, host: str, is_own: bool) -> None:
    assert OwnAddress(public_url="https://wakeful.example.org:8443").is_origin(origin, host) is is_own


@pytest.mark.parametrize(
    ("public_url", "host", "port", "is_https"),
    [
        ("", "localhost:8787", 8787, False),
        ("", "localhost", 80, False),
        ("", "", 80, False),
        ("https://wakeful.example.org", "wakeful.example.org", 443, True),
        ("https://wakeful.example.org:8443", "Wakeful.example.org", 8443, True),
        ("https://wakeful.example.org:8443", "wakeful.example.org:1", 1, True),
        ("https://wakeful.example.org:8443", "localhost", 80, False),
        ("http://wakeful.example.org", "wakeful.example.org", 80, False),
    ],
)
def test_the_port_and_the_scheme_are_those_that_the_browser_shows(
    public_url: str, host: str, port: int, is_https: bool
) -> None:
    own = OwnAddress(public_url=public_url)

    assert (own.port_of(host), own.is_https(host)) == (port, is_https)
