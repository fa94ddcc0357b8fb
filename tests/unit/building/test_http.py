"""What a built server answers: every room of the page and of the API has the part that it asks."""

import hashlib
import hmac
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.unit.building.kit import URL, Server, config_in, server_of
from wakeful.building.http import build_desk, build_front_door
from wakeful.model.session import Address

_SECRET = "a-secret-of-16-characters-and-more"
_TOML = f"""
api_keys = {{ ann = "the-key-of-somebody-else" }}
telegram_token = "1:x"
telegram_api_url = "http://127.0.0.1:9"
telegram_sessions = "chat"
[[hooks]]
name = "builds"
secret = "{_SECRET}"
signature = "github"
message = "count to {{last}}"
[[hooks]]
name = "chat"
secret = "{_SECRET}"
signature = "github"
message = "x"
deliver = "telegram:12"
[[webhooks]]
url = "https://a.example/"
secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
[models."demo:wakeful"]
context_window = 5000
input_price = 1
output_price = 2
"""


async def test_every_room_of_the_page_is_served(tmp_path: Path) -> None:
    _put_skill(tmp_path / "skills" / "good", "---\nname: good\ndescription: Helps.\n---\n")
    _put_skill(tmp_path / "skills" / "bad", "")
    async with server_of(config_in(tmp_path, _TOML)) as server:
        me = await _json(server, "/api/me")
        assert (me["name"], me["model"], me["config_file"]) == ("operator", "demo:wakeful", f"{tmp_path}/config.toml")
        (model,) = (await _json(server, "/api/models"))["models"]
        assert (model["id"], model["context_window"], model["facts"]) == ("demo:wakeful", 5000, "config")
        skills = (await _json(server, "/api/skills"))["skills"]
        assert {skill["name"]: skill["error"] is None for skill in skills} == {"good": True, "bad": False}
        hooks = (await _json(server, "/api/hooks"))["hooks"]
        assert [(hook["name"], hook["signature"], hook["url"], hook["deliver"]) for hook in hooks] == [
            ("builds", "github", "/hooks/builds", ""),
            ("chat", "github", "/hooks/chat", "telegram:12"),
        ]
        platforms = (await _json(server, "/api/platforms"))["platforms"]
        assert [platform["name"] for platform in platforms] == ["telegram"]
        assert (await _json(server, "/health"))["platforms"].keys() == {"telegram"}
        assert (await _json(server, "/api/mcp"), await _json(server, "/api/cron")) == ({"servers": []}, {"jobs": []})
        assert (await _json(server, "/api/logins"), await _json(server, "/api/tasks")) == (
            {"logins": []},
            {"tasks": []},
        )
        assert (await _json(server, "/api/usage"))["spent_today_usd"] == 0
        assert (await _json(server, "/api/pairings")) == {"pairings": []}


async def test_the_skills_of_a_session_are_those_of_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _put_skill(tmp_path / "skills" / "everywhere", "---\ndescription: Helps.\n---\n")
    _put_skill(tmp_path / "here" / ".agents" / "skills" / "there", "---\ndescription: Helps.\n---\n")
    # The folder of the server is nobody's workspace.
    monkeypatch.chdir(tmp_path / "here")
    async with server_of(config_in(tmp_path)) as server:
        for folder, names in ((str(tmp_path / "here"), ["everywhere", "there"]), ("", ["everywhere"])):
            session = await server.running.engine.create_session("operator", Address("web"), "demo:wakeful", folder)
            shown = (await _json(server, f"/api/skills?session_id={session.id}"))["skills"]
            assert [skill["name"] for skill in shown] == names


def _put_skill(folder: Path, text: str) -> None:
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text(text)


async def _json(server: Server, path: str) -> Any:
    answer = await server.http.get(path)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def test_each_key_is_its_holders(tmp_path: Path) -> None:
    async with server_of(config_in(tmp_path, _TOML)) as server:
        server.http.headers["authorization"] = "Bearer the-key-of-somebody-else"
        assert (await _json(server, "/api/me"))["name"] == "ann"
        server.http.headers["authorization"] = "Bearer another"
        assert (await server.http.get("/api/me")).status_code == 401


async def test_a_response_of_the_api_is_counted_and_costs_what_the_settings_say(tmp_path: Path) -> None:
    async with server_of(config_in(tmp_path, _TOML)) as server:
        answer = await server.http.post("/v1/responses", json={"model": "wakeful", "input": "count to 3"})
        metrics = (await server.http.get("/metrics")).text
        usage = await _json(server, "/api/usage")

    assert answer.json()["output"][-1]["content"][0]["text"] == "1 2 3"
    assert 'wakeful_turns_closed_total{status="done"} 1' in metrics
    assert 'wakeful_http_requests_total{route="/v1/responses",status="200"} 1' in metrics
    assert usage["spent_today_usd"] > 0


async def test_a_hook_opens_a_session_with_the_models_and_the_folder_of_the_settings(tmp_path: Path) -> None:
    body = b'{"last": 2}'
    signature = "sha256=" + hmac.new(_SECRET.encode(), body, hashlib.sha256).hexdigest()
    headers = {"x-hub-signature-256": signature, "x-github-delivery": "1", "content-type": "application/json"}
    async with server_of(config_in(tmp_path, _TOML)) as server:
        taken = await server.http.post("/hooks/builds", content=body, headers=headers)
        session_id = (await _json(server, "/api/hooks"))["hooks"][0]["session_id"]
        session = (await _json(server, f"/api/session?session_id={session_id}"))["session"]

    assert taken.status_code == 202
    assert (session["model"], session["workspace"]) == ("demo:wakeful", f"{tmp_path}/workspace")
    assert session["usage"]["context_window"] == 5000


async def test_what_has_to_be_posted_is_woken_where_it_is_sent(tmp_path: Path) -> None:
    config = config_in(tmp_path, _TOML)
    async with server_of(config) as server:
        assert build_desk(config, server.running).postmen.keys() == {"telegram", "webhook"}
    config = config_in(tmp_path)
    async with server_of(config) as server:
        assert build_desk(config, server.running).postmen == {}


# Settings, where the server listens, the page that links name, and the hosts that it answers to besides loopback.
_ADDRESSES: list[tuple[dict[str, Any], str, str | None, set[str]]] = [
    ({}, URL, URL, set()),
    ({"host": "10.0.0.5"}, "http://10.0.0.5:1", "http://10.0.0.5:1", {"10.0.0.5"}),
    ({"host": "box"}, "http://10.0.0.5:1", "http://10.0.0.5:1", {"10.0.0.5", "box"}),
    ({"host": "0.0.0.0"}, "http://0.0.0.0:1", "http://127.0.0.1:1", set()),
    ({"host": "::"}, "http://[::]:1", "http://[::1]:1", set()),
    ({"host": "0.0.0.0", "hosts": ("box.lan",)}, "http://0.0.0.0:1", "http://127.0.0.1:1", {"box.lan"}),
    ({"public_url": "https://a.example"}, "http://0.0.0.0:1", "https://a.example", {"a.example"}),
    ({"public_url": "https://a.example"}, "", None, {"a.example"}),
    ({}, "", None, set()),
]


async def test_the_page_is_linked_to_and_answered_at_where_a_browser_finds_it(tmp_path: Path) -> None:
    names = ("127.0.0.1", "0.0.0.0", "[::]", "10.0.0.5", "box", "box.lan", "a.example")
    async with server_of(config_in(tmp_path)) as server:
        for settings, url, page, hosts in _ADDRESSES:
            door = build_front_door(replace(server.config, **settings), server.running, url)
            link = await door.links.new("operator")

            assert (link and link.partition("/login#token=")[0]) == page
            assert {name for name in names if door.address.is_host(name)} == hosts | {"127.0.0.1"}


async def test_a_login_ends_with_the_password_that_the_server_had(tmp_path: Path) -> None:
    config = config_in(tmp_path, PASSWORD="the first password")
    async with server_of(config) as server:
        # What cuts off the streams of logins that end elsewhere.
        assert "logins" in dict(server.running.engine.supervisor.counts())
        assert await _log_in(server) == 200
        assert (await server.http.get("/api/me")).status_code == 200
        cookies = server.http.cookies
    async with server_of(config) as server:
        assert await _is_logged_in(server, cookies)
    async with server_of(replace(config, password="another password")) as server:
        assert not await _is_logged_in(server, cookies)


async def _log_in(server: Server) -> int:
    del server.http.headers["authorization"]
    link = await server.door.links.new("operator")
    assert link is not None
    answer = await server.http.post("/api/login", json={"token": link.partition("#token=")[2]})
    return answer.status_code


async def _is_logged_in(server: Server, cookies: httpx2.Cookies) -> bool:
    del server.http.headers["authorization"]
    server.http.cookies = cookies
    return (await server.http.get("/api/me")).status_code == 200
