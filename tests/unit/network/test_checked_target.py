"""A URL's addresses are looked up once, checked, and then nothing else is connected to."""

import socket
from collections.abc import Sequence

import pytest

from wakeful.network.checked_target import TargetFinder, TargetRefused, addresses_of


class Names:
    """A resolver that gives its answers in turn, the last for ever."""

    def __init__(self, *answers: Sequence[str]) -> None:
        self._answers = list(answers)
        self.asked: list[str] = []

    async def __call__(self, host: str) -> Sequence[str]:
        self.asked.append(host)
        return self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]


async def test_a_name_is_looked_up_once_and_pinned() -> None:
    names = Names(["8.8.8.8", "2606:4700::1111"], ["127.0.0.1"])
    target = await TargetFinder(names, allows_private=False).find("https://hooks.example/x")

    first = await target.resolver().resolve("hooks.example", 443)
    second = await target.resolver().resolve("hooks.example", 443)

    assert first == second
    pinned = {"hostname": "hooks.example", "port": 443, "proto": socket.IPPROTO_TCP}
    # Nothing is looked up a second time.
    pinned["flags"] = socket.AI_NUMERICHOST | socket.AI_NUMERICSERV
    assert first == [
        pinned | {"host": "8.8.8.8", "family": socket.AF_INET},
        pinned | {"host": "2606:4700::1111", "family": socket.AF_INET6},
    ]
    assert names.asked == ["hooks.example"]


async def test_a_name_of_which_one_address_is_private_is_refused() -> None:
    with pytest.raises(TargetRefused):
        await TargetFinder(Names(["8.8.8.8", "10.0.0.1"]), allows_private=False).find("https://hooks.example/")


@pytest.mark.parametrize("host", ["127.0.0.1", "[::1]", "[::ffff:8.8.8.8]", "169.254.169.254", "[fe80::1]"])
async def test_an_address_in_the_url_is_checked_without_a_look_up(host: str) -> None:
    names = Names(["8.8.8.8"])

    with pytest.raises(TargetRefused):
        await TargetFinder(names, allows_private=False).find(f"http://{host}:8000/")

    assert names.asked == []


@pytest.mark.parametrize(
    "host",
    ["127.1", "2130706433", "0x7f.1", "localhost", "LOCALHOST", "localhost.", "a.localhost", "127.0.0.1.", "127.1."],
)
async def test_odd_ways_to_write_this_machine_do_not_get_through(host: str) -> None:
    with pytest.raises(TargetRefused):
        await TargetFinder(addresses_of, allows_private=False).find(f"http://{host}/")


async def test_private_addresses_are_found_where_they_are_allowed() -> None:
    target = await TargetFinder(Names(["10.0.0.1"]), allows_private=True).find("http://hooks.example/")

    assert target.addresses == ("10.0.0.1",)


async def test_a_name_without_an_address_is_an_error() -> None:
    with pytest.raises(OSError, match="no address"):
        await TargetFinder(Names([]), allows_private=True).find("http://hooks.example/")


async def test_a_name_that_the_system_knows_has_each_of_its_addresses_once() -> None:
    assert await addresses_of("127.0.0.1") == ["127.0.0.1"]
    assert await addresses_of("::1") == ["::1"]


@pytest.mark.parametrize(
    ("host", "addresses"),
    [
        ("8.8.8.8", ("8.8.8.8",)),
        ("8.8.8.8.", ("8.8.8.8",)),
        ("0x8.010.2056", ("8.8.8.8",)),
        ("[2606:4700::1111]", ("2606:4700::1111",)),
        ("localhost", ("127.0.0.1", "::1")),
        ("a.localhost.", ("127.0.0.1", "::1")),
    ],
)
async def test_what_needs_no_look_up_has_the_addresses_it_says(host: str, addresses: tuple[str, ...]) -> None:
    names = Names(["10.0.0.1"])

    target = await TargetFinder(names, allows_private=True).find(f"http://{host}/x")

    assert (target.addresses, str(target.url), names.asked) == (addresses, f"http://{host}/x", [])


@pytest.mark.parametrize("host", ["notlocalhost", "localhost.example", "8.8.8.8.example", "1.2.3.4.5"])
async def test_a_name_that_only_looks_like_an_address_is_looked_up(host: str) -> None:
    names = Names(["8.8.8.8"])

    target = await TargetFinder(names, allows_private=False).find(f"http://{host}/")

    assert (target.addresses, names.asked) == (("8.8.8.8",), [host])


@pytest.mark.parametrize("host", ["a..example", "x" * 64 + ".example"])
async def test_a_name_that_cannot_be_one_has_no_address(host: str) -> None:
    with pytest.raises(socket.gaierror, match="the name is not valid"):
        await addresses_of(host)


async def test_a_url_without_a_host_has_no_address() -> None:
    names = Names([])

    with pytest.raises(OSError, match="no address"):
        await TargetFinder(names, allows_private=False).find("/x")

    assert names.asked == [""]
