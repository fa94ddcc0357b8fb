"""Describes the route of hooks."""

from wakeful.gateway.hooks.routes import HookAccepted
from wakeful.wire.error_types import Problem
from wakeful.wire.openapi import Family, json_answer, json_body, operation, path
from wakeful.wire.refusals import refusals
from wakeful.wire.schema import Json

_ANYTHING: Json = {"description": "Whatever the sender posts; the hook's template says what the agent reads of it."}

PATHS: dict[str, dict[str, Json]] = {
    "/hooks/{name}": {
        "post": operation(
            "receiveHook",
            "Send an agent a message, as another program",
            {
                202: json_answer("It is recorded, or was before.", HookAccepted),
                **refusals(400, 404, 503),
                401: json_answer("`bad_signature`: it is missing, wrong or old.", Problem),
                413: json_answer("The body is larger than the setting `hook_body_kib` allows.", Problem),
            },
            words="Signed by Standard Webhooks (`webhook-id`, `webhook-timestamp`, `webhook-signature`) or as GitHub "
            "does it (`X-Hub-Signature-256`, `X-GitHub-Delivery`, `X-GitHub-Event`).",
            parameters=[path("name", "The name of a hook in config.toml.")],
            body=json_body(_ANYTHING),
            is_open=True,
        ),
    },
}

FAMILY = Family("Hooks", "Other programs wake an agent. They sign their requests and need no key.", PATHS)
