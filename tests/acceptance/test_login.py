"""The way into the page: the link of `wakeful serve`, that of `wakeful login`, and what is left after a restart."""

import asyncio
import os
import re
import socket
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import httpx2
import pytest

from tests.acceptance.command import Command, Server, until
from wakeful.cli.server.listener import is_answered


@dataclass(slots=True)
class Visitor:
    """A browser that follows a login link."""

    server: Server
    cookies: dict[str, str] = field(default_factory=dict)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.port}"

    def follow(self, link: str) -> httpx2.Response:
        return self.log_in(token=link.strip().rpartition("/login#token=")[2])

    def log_in(self, **proof: str) -> httpx2.Response:
        return self._send("POST", "/api/login", json=proof, headers={"origin": self.url})

    def get(self, path: str, **headers: str) -> httpx2.Response:
        return self._send("GET", path, headers=headers)

    def me(self) -> Mapping[str, object]:
        answer: Mapping[str, object] = self.get("/api/me").raise_for_status().json()
        return answer

    def _send(self, method: str, path: str, **how: Any) -> httpx2.Response:
        with httpx2.Client(base_url=self.url, cookies=self.cookies, trust_env=False, verify=False) as http:
            response = http.request(method, path, **how)
            self.cookies = dict(http.cookies)
        return response


async def link_of(wakeful: Command) -> str:
    return (await wakeful.run("login")).out


async def test_the_start_prints_a_link_on_a_terminal_only(wakeful: Command) -> None:
    on_terminal, of_server = os.openpty()
    process = await wakeful.start("serve", "--port", "0", stdout=of_server)
    try:
        said = await asyncio.to_thread(read_terminal_until, on_terminal, "prints another.")
    finally:
        process.kill()
        await process.communicate()
        os.close(of_server)
        os.close(on_terminal)
    async with wakeful.serving() as server:
        assert re.search(r"Open it with http://127.0.0.1:\d+/login#token=\S+", said)
        assert "/login#token=" not in server.greeting
        assert "Run wakeful login for a link" in server.greeting


def read_terminal_until(file: int, words: str) -> str:
    said = ""
    while words not in said:
        said += os.read(file, 4096).decode()
    return said


async def test_a_link_opens_the_page_once(wakeful: Command) -> None:
    async with wakeful.serving() as server:
        first, second = Visitor(server), Visitor(server)
        link = await link_of(wakeful)

        assert first.follow(link).status_code == 200
        assert first.me()["is_operator"] is True
        assert first.me()["host"] == socket.gethostname()
        assert first.get("/api/models").json()["default"] == "demo:wakeful"
        assert first.get("/").headers["content-type"].startswith("text/html")
        assert second.follow(link).json()["error"]["code"] == "token_used"


async def test_a_login_and_an_unused_link_outlive_a_kill(wakeful: Command) -> None:
    async with wakeful.serving() as server:
        visitor = Visitor(server)
        visitor.follow(await link_of(wakeful))
        unused = await link_of(wakeful)
        server.process.kill()
        await server.process.communicate()
        port = str(server.port)

    async with wakeful.serving("--port", port) as server:
        assert Visitor(server, visitor.cookies).me()["name"] == "operator"
        assert Visitor(server).follow(unused).status_code == 200


async def test_another_link_is_printed_for_whomever_one_names(wakeful: Command) -> None:
    async with wakeful.having(WAKEFUL_API_KEYS="ann=the-key-of-ann-0").serving() as server:
        printed = await wakeful.run("login", "--as", "ann")
        unknown = await wakeful.run("login", "--as", "eve")
        visitor = Visitor(server)
        visitor.follow(printed.out)

        assert (printed.code, printed.err) == (0, "")
        assert printed.out.startswith(f"{visitor.url}/login#token=")
        assert (visitor.me()["name"], visitor.me()["is_operator"]) == ("ann", False)
        assert unknown.code == 1
        assert unknown.err == "wakeful: as must be the name of a key's holder: ann, operator.\n"


async def test_logins_are_listed_and_revoked_with_a_command(wakeful: Command) -> None:
    async with wakeful.serving() as server:
        phone, laptop = Visitor(server), Visitor(server)
        for visitor in (phone, laptop):
            visitor.follow(await link_of(wakeful))
        listed = (await wakeful.run("logins")).out.splitlines()
        first = listed[1].split()[0]

        revoked = await wakeful.run("logins", "revoke", first.removeprefix("login_")[:8])
        left = (await wakeful.run("logins")).out
        rest = await wakeful.run("logins", "revoke", "--all")

        assert len(listed) == 3
        assert (revoked.code, revoked.out) == (0, "1 browser is logged out.\n")
        assert first not in left
        assert rest.out == "1 browser is logged out.\n"
        assert [visitor.get("/api/me").status_code for visitor in (phone, laptop)] == [401, 401]
    assert (await wakeful.run("logins")).out == "No browser is logged in.\n"
    unknown = await wakeful.run("logins", "revoke", "nothing")
    assert (unknown.code, unknown.err) == (1, "wakeful: There is no login nothing.\n")
    assert (await wakeful.run("logins", "revoke")).code == 2


async def test_a_new_local_key_ends_logins_at_the_next_start(wakeful: Command) -> None:
    async with wakeful.serving() as server:
        visitor = Visitor(server)
        visitor.follow(await link_of(wakeful))
        port = str(server.port)
        await server.end()
    (wakeful.home / "key").unlink()

    async with wakeful.serving("--port", port) as server:
        assert Visitor(server, visitor.cookies).get("/api/me").status_code == 401


async def test_behind_a_proxy_the_link_leads_to_the_public_address(wakeful: Command) -> None:
    command = wakeful.having(WAKEFUL_PUBLIC_URL="https://wakeful.example.org", WAKEFUL_HOSTS="box.lan")
    async with command.serving() as server:
        names = ("wakeful.example.org", "box.lan:8787", "127.0.0.1", "other.lan")
        found = [Visitor(server).get("/login", host=name).status_code for name in names]

        assert found == [200, 200, 200, 421]
        assert (await link_of(wakeful)).startswith("https://wakeful.example.org/login#token=")


@pytest.mark.parametrize(("host", "shown"), [("0.0.0.0", "127.0.0.1"), ("::", r"\[::1\]")])
async def test_a_server_that_listens_everywhere_names_an_address_that_works(
    wakeful: Command, host: str, shown: str
) -> None:
    async with wakeful.having(WAKEFUL_API_KEYS="ann=the-key-of-ann-0").serving("--host", host) as server:
        assert re.match(rf"http://{shown}:\d+/login#token=", await link_of(wakeful))
        assert "by the names that WAKEFUL_HOSTS lists" in server.greeting


async def test_without_a_server_there_is_no_link(wakeful: Command) -> None:
    printed = await wakeful.run("login")

    assert (printed.code, printed.out) == (2, "")
    assert printed.err == f"wakeful: No server runs with the home {wakeful.home}: start one with wakeful serve.\n"


async def test_neither_the_password_nor_a_token_is_in_the_log(wakeful: Command) -> None:
    command = wakeful.having(WAKEFUL_PASSWORD="correct horse", WAKEFUL_LOG_LEVEL="debug")
    async with command.serving() as server:
        printed = await wakeful.run("login")
        Visitor(server).follow(printed.out)
        answers = [Visitor(server).log_in(password=password) for password in ("correct horse", "wrong horse")]
        finished = await server.end()

    assert [answer.status_code for answer in answers] == [200, 401]
    said = finished.out + finished.err
    assert "horse" not in said
    assert printed.out.strip().rpartition("=")[2] not in said


async def test_a_chat_without_a_server_has_no_page_to_lead_to(wakeful: Command) -> None:
    chat = await wakeful.having(WAKEFUL_PUBLIC_URL="https://wakeful.example.org").start("chat")
    assert chat.stdin is not None

    async def is_there() -> bool:
        return is_answered(wakeful.home / "wakeful.sock")

    try:
        await until(is_there)
        printed = await wakeful.run("login")
    finally:
        chat.stdin.close()
        await chat.communicate()

    assert (printed.code, printed.out) == (1, "")
    assert printed.err.startswith("wakeful: The process that holds this home serves no page")
