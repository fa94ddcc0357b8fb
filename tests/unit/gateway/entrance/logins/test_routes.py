"""The routes of logins: which proof lets a browser in, whose links and logins one may make, see and end."""

from typing import Any

import orjson
import pytest
from starlette.requests import Request
from starlette.responses import Response

from wakeful.errors import LoginNotFound
from wakeful.gateway.entrance.logins.desk import LoginDesk, LoginLinks, Visitor
from wakeful.gateway.entrance.logins.list_routes import LoginListRoutes
from wakeful.gateway.entrance.logins.password import Password
from wakeful.gateway.entrance.logins.routes import LoginRoutes
from wakeful.gateway.entrance.own_address import OwnAddress
from wakeful.wire.errors import InvalidRequest

FOREIGN: dict[str, Any] = {"origin": "http://evil.example"}
OWN: dict[str, Any] = {"origin": "http://127.0.0.1"}


def logins(desk: LoginDesk, url: str = "http://page", password: str = "sesame") -> LoginRoutes:
    return LoginRoutes(desk, LoginLinks(desk, url), Password(password), OwnAddress(), operator="operator")


def asking(
    body: Any = None,
    principal: str = "ann",
    query: str = "",
    login: str | None = None,
    client: tuple[str, int] | None = ("10.0.0.1", 5),
    **headers: str,
) -> Request:
    given = {"host": "127.0.0.1"} | {name.replace("_", "-"): value for name, value in headers.items()}

    async def receive() -> Any:
        return {"type": "http.request", "body": b"" if body is None else orjson.dumps(body), "more_body": False}

    scope = {
        "type": "http",
        "method": "POST",
        "scheme": "http",
        "path": "/",
        "query_string": query.encode(),
        "headers": [(name.encode(), value.encode("latin-1")) for name, value in given.items()],
        "client": client,
        "state": {"principal": principal, "login": login},
    }
    return Request(scope, receive)


def cookie(secret: str) -> dict[str, Any]:
    return {"cookie": f"wakeful_session_80={secret}"}


def told(answer: Response) -> tuple[int, str]:
    return answer.status_code, orjson.loads(answer.body).get("error", {}).get("code", "")


def secret_in(answer: Response) -> str:
    return answer.headers["set-cookie"].partition("=")[2].partition(";")[0]


async def test_a_token_lets_its_holder_in_once(desk: LoginDesk) -> None:
    routes, token = logins(desk), await desk.new_ticket("ann")
    answer = await routes.log_in(asking({"token": token}, user_agent="Fire\u00e9fox\t" + "x" * 400))
    again = await routes.log_in(asking({"token": token}))

    login = await desk.login_of(secret_in(answer))
    assert login is not None
    assert (login.principal, login.address) == ("ann", "10.0.0.1")
    assert login.browser == "Firefox" + "x" * 291
    assert told(again) == (401, "token_used")
    assert told(await routes.log_in(asking({"token": "made up"}))) == (401, "invalid_token")


async def test_the_password_lets_the_operator_in(desk: LoginDesk) -> None:
    answer = await logins(desk).log_in(asking({"password": "sesame"}, client=None))

    login = await desk.login_of(secret_in(answer))
    assert login is not None
    assert (login.principal, login.address) == ("operator", "")


@pytest.mark.parametrize(("password", "words"), [("sesame", "is wrong"), ("", "has no password")])
async def test_a_wrong_password_is_refused(desk: LoginDesk, password: str, words: str) -> None:
    answer = await logins(desk, password=password).log_in(asking({"password": "open"}))

    assert told(answer) == (401, "invalid_password")
    assert words in bytes(answer.body).decode()
    assert await desk.logins(None) == []


async def test_after_five_failures_a_password_waits_and_a_token_does_not(desk: LoginDesk) -> None:
    routes, token = logins(desk), await desk.new_ticket("ann")
    for _ in range(5):
        assert told(await routes.log_in(asking({"password": "open"})))[0] == 401
    refused = await routes.log_in(asking({"password": "sesame"}))

    assert told(refused) == (429, "too_many_tries")
    assert 0 < int(refused.headers["retry-after"]) <= 30
    assert told(await routes.log_in(asking({"token": "made up"}))) == (429, "too_many_tries")
    assert (await routes.log_in(asking({"token": token}))).status_code == 200
    assert (await routes.log_in(asking({"password": "sesame"}, client=("10.0.0.2", 5)))).status_code == 200


@pytest.mark.parametrize("body", [{}, {"token": "a", "password": "b"}, {"token": ""}, {"password": 5}])
async def test_a_login_has_exactly_one_proof(desk: LoginDesk, body: dict[str, Any]) -> None:
    with pytest.raises(InvalidRequest):
        await logins(desk).log_in(asking(body))


async def test_a_new_login_ends_the_one_before_and_a_failed_one_does_not(desk: LoginDesk) -> None:
    routes, old = logins(desk), await desk.log_in("ann", Visitor())
    with_cookie = cookie(old)
    await routes.log_in(asking({"password": "open"}, **with_cookie))
    assert await desk.login_of(old) is not None
    await routes.log_in(asking({"password": "sesame"}, **with_cookie))

    assert await desk.login_of(old) is None


async def test_another_page_logs_nobody_in_and_nobody_out(desk: LoginDesk) -> None:
    routes, secret = logins(desk), await desk.log_in("ann", Visitor())
    with_cookie = cookie(secret)

    assert told(await routes.log_in(asking({"password": "sesame"}, **FOREIGN))) == (403, "foreign_origin")
    assert told(await routes.log_out(asking(**with_cookie | FOREIGN))) == (403, "foreign_origin")
    assert told(await routes.log_out(asking(**with_cookie))) == (403, "foreign_origin")
    assert len(await desk.logins(None)) == 1


async def test_a_logout_ends_the_login_and_removes_the_cookie(desk: LoginDesk) -> None:
    routes, secret = logins(desk), await desk.log_in("ann", Visitor())
    answer = await routes.log_out(asking(**cookie(secret) | OWN))

    assert (answer.status_code, await desk.login_of(secret)) == (200, None)
    assert "Max-Age=0" in answer.headers["set-cookie"]
    assert "Max-Age=0" in (await routes.log_out(asking())).headers["set-cookie"], "also without a login"


@pytest.mark.parametrize(
    ("principal", "name", "holder"),
    [("ann", None, "ann"), ("ann", "ann", "ann"), ("operator", "ann", "ann"), ("operator", None, "operator")],
)
async def test_a_link_logs_in_oneself_or_for_the_operator_anyone(
    desk: LoginDesk, principal: str, name: str | None, holder: str
) -> None:
    answer = await logins(desk).new_link(asking({} if name is None else {"as": name}, principal))

    url, _, token = orjson.loads(answer.body)["url"].partition("#token=")
    login = await desk.login_of(await desk.redeem(token, Visitor()))
    assert login is not None
    assert (url, login.principal) == ("http://page/login", holder)


async def test_links_for_others_unknown_names_and_servers_without_a_page_are_refused(desk: LoginDesk) -> None:
    assert told(await logins(desk).new_link(asking({"as": "operator"}))) == (403, "forbidden")
    assert told(await logins(desk, url="").new_link(asking())) == (409, "no_page")
    with pytest.raises(InvalidRequest, match="ann, operator"):
        await logins(desk).new_link(asking({"as": "bob"}, "operator"))


async def listed(desk: LoginDesk, principal: str, login: str | None = None) -> list[tuple[str, bool]]:
    answer = await LoginListRoutes(desk, operator="operator").show(asking(None, principal, login=login))
    return sorted((each["name"], each["is_this"]) for each in orjson.loads(answer.body)["logins"])


async def test_each_sees_their_own_logins_and_the_operator_all(desk: LoginDesk) -> None:
    secret = await desk.log_in("ann", Visitor("Mozilla/5.0 (X11; Linux) Firefox/1", "10.0.0.1"))
    await desk.log_in("operator", Visitor())
    mine = await desk.login_of(secret)
    assert mine is not None

    assert await listed(desk, "ann", mine.digest) == [("ann", True)]
    assert await listed(desk, "operator") == [("ann", False), ("operator", False)]


async def test_a_login_is_ended_by_its_id_and_not_that_of_another_principal(desk: LoginDesk) -> None:
    routes = LoginListRoutes(desk, operator="operator")
    await desk.log_in("ann", Visitor())
    await desk.log_in("operator", Visitor())
    (anns,), (operators,) = await desk.logins("ann"), await desk.logins("operator")

    with pytest.raises(LoginNotFound):
        await routes.end(asking(None, "ann", f"id={operators.id}"))
    assert len(await desk.logins(None)) == 2
    answer = await routes.end(asking(None, "operator", f"id={anns.id}"))
    assert (orjson.loads(answer.body), await desk.logins("ann")) == ({"ok": True, "ended": 1}, [])
    assert len(await desk.logins(None)) == 1


@pytest.mark.parametrize("others", ["1", "true"])
async def test_all_others_are_ended_and_the_one_that_asks_stays(desk: LoginDesk, others: str) -> None:
    secrets = [await desk.log_in("ann", Visitor()) for _ in range(3)]
    await desk.log_in("operator", Visitor())
    mine = await desk.login_of(secrets[0])
    assert mine is not None
    routes = LoginListRoutes(desk, operator="operator")
    answer = await routes.end(asking(None, "ann", f"others={others}", mine.digest))

    assert orjson.loads(answer.body)["ended"] == 2
    assert [login.digest for login in await desk.logins("ann")] == [mine.digest]
    assert len(await desk.logins("operator")) == 1


@pytest.mark.parametrize("query", ["", "others=no", "id=a&others=true"])
async def test_a_request_to_end_logins_says_which(desk: LoginDesk, query: str) -> None:
    await desk.log_in("ann", Visitor())
    with pytest.raises(InvalidRequest):
        await LoginListRoutes(desk, operator="operator").end(asking(None, "ann", query))

    assert len(await desk.logins("ann")) == 1
