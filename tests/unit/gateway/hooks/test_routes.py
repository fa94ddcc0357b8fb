"""What a request to a hook is answered, and which requests become messages."""

import base64
import hashlib
import hmac
import time
from typing import Any

import orjson
import pytest

from tests.unit.gateway.asgi import Answer, request, well
from wakeful.gateway.entrance.auth import Keyring
from wakeful.gateway.hooks.hook import Hook, SignatureScheme
from wakeful.gateway.hooks.routes import HookRoutes
from wakeful.gateway.http import http_app
from wakeful.gateway.webhooks.signature import signed_headers, signing_keys

SECRET = "a secret of GitHub's"
STANDARD_SECRET = f"whsec_{base64.b64encode(b'k' * 24).decode()}"
HOOKS = [
    Hook("some", SECRET, SignatureScheme.GITHUB, "{action}", events=frozenset({"issues"})),
    Hook("all", SECRET, SignatureScheme.GITHUB, " {action} "),
    Hook("standard", STANDARD_SECRET, SignatureScheme.STANDARD, "{action}"),
]


class Intake:
    def __init__(self, *, is_new: bool = True) -> None:
        self.taken: list[tuple[str, str, str]] = []
        self._is_new = is_new

    async def submit(self, hook: Hook, delivery_id: str, text: str) -> bool:
        self.taken.append((hook.name, delivery_id, text))
        return self._is_new


async def post(
    intake: Any,
    hook: str = "all",
    event: str = "issues",
    payload: Any = None,
    delivery: str = "d1",
    body: bytes | None = None,
) -> Answer:
    routes = HookRoutes(HOOKS, intake, body_kib=1).routes()
    app = http_app(Keyring({"operator": "key"}), routes, health=well)
    sent = orjson.dumps({"action": "opened"} if payload is None else payload) if body is None else body
    if hook == "standard":
        headers = signed_headers(signing_keys(STANDARD_SECRET), delivery, int(time.time()), sent)
    else:
        signature = hmac.new(SECRET.encode(), sent, hashlib.sha256).hexdigest()
        headers = {"x-hub-signature-256": f"sha256={signature}", "x-github-delivery": delivery, "x-github-event": event}
    return await request(app, f"/hooks/{hook}", method="POST", headers=headers, body=sent)


@pytest.mark.parametrize(
    ("hook", "event", "is_taken"),
    [
        ("some", "issues", True),
        ("some", "push", False),
        ("some", "ping", False),
        ("all", "push", True),
        ("all", "ping", False),
        ("standard", "ping", True),
    ],
)
async def test_which_deliveries_become_messages(hook: str, event: str, is_taken: bool) -> None:
    intake = Intake()
    answer = await post(intake, hook, event)

    assert (answer.status, answer.json) == (202, {"accepted": True, "duplicate": False})
    assert intake.taken == ([(hook, "d1", "opened")] if is_taken else [])


async def test_a_delivery_that_was_taken_before_is_called_a_duplicate() -> None:
    answer = await post(Intake(is_new=False))

    assert (answer.status, answer.json) == (202, {"accepted": True, "duplicate": True})


async def test_a_message_that_is_left_without_words_is_accepted_and_opens_nothing() -> None:
    intake = Intake()
    answer = await post(intake, payload={"action": " "})

    assert (answer.status, answer.json["duplicate"], intake.taken) == (202, False, [])


@pytest.mark.parametrize(("delivery", "status"), [("", 400), ("d" * 200, 202), ("d" * 201, 400)])
async def test_a_delivery_has_an_id_of_a_bounded_length(delivery: str, status: int) -> None:
    intake = Intake()

    assert ((await post(intake, delivery=delivery)).status, len(intake.taken)) == (status, status == 202)


@pytest.mark.parametrize("body", [b"action=opened", b"[" * 400 + b"]" * 400])
async def test_a_body_that_is_no_usable_json_is_refused(body: bytes) -> None:
    intake = Intake()

    assert ((await post(intake, body=body)).status, intake.taken) == (400, [])


@pytest.mark.parametrize(("size", "status"), [(1024, 202), (1025, 413)])
async def test_a_body_may_be_as_large_as_the_setting_says(size: int, status: int) -> None:
    body = orjson.dumps({"action": "opened"}).ljust(size)

    assert (await post(Intake(), body=body)).status == status


async def test_a_hook_that_nobody_has_set_up_is_not_found() -> None:
    assert (await post(Intake(), "none")).status == 404
