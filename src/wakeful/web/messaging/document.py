"""Describes the routes of messaging platforms."""

from wakeful.web.messaging.hooks import HookList, ShownHook
from wakeful.web.messaging.outbox import OutboxQuery, PostList, ShownPost
from wakeful.web.messaging.pairings import PairingCode, PairingList, ShownPairing
from wakeful.web.messaging.platforms import PlatformList, ShownPlatform
from wakeful.wire.answer import Ok
from wakeful.wire.error_types import Problem
from wakeful.wire.openapi import Family, json_answer, json_body, operation, path
from wakeful.wire.refusals import refusals
from wakeful.wire.schema import Json, parameters

_NOT_YOURS = {
    403: json_answer(
        "`not_allowed`: only the operator may do that, and no command of an agent; or `foreign_origin`.", Problem
    )
}
_POST_ID = path("post_id", "The id of a post.")

PATHS: dict[str, dict[str, Json]] = {
    "/api/platforms": {
        "get": operation(
            "listPlatforms",
            "How the messaging platforms and the webhooks are doing",
            {
                200: json_answer("The platforms that are set up, and how many webhooks are stuck.", PlatformList),
                **refusals(503),
                **_NOT_YOURS,
            },
        ),
    },
    "/api/outbox": {
        "get": operation(
            "listPosts",
            "List posts to messaging platforms, and webhooks",
            {200: json_answer("The newest posts.", PostList), **refusals(400, 503), **_NOT_YOURS},
            parameters=parameters(OutboxQuery, "query"),
        ),
    },
    "/api/outbox/{post_id}/retry": {
        "post": operation(
            "retryPost",
            "Send a post again that its platform has refused",
            {200: json_answer("It waits to be sent.", Ok), **refusals(400, 404, 409, 503), **_NOT_YOURS},
            parameters=[_POST_ID],
        ),
    },
    "/api/outbox/{post_id}/drop": {
        "post": operation(
            "dropPost",
            "Give up a post that waits or was refused; later ones of its chat go on",
            {200: json_answer("It will not be sent.", Ok), **refusals(400, 404, 409, 503), **_NOT_YOURS},
            parameters=[_POST_ID],
        ),
    },
    "/api/pairings": {
        "get": operation(
            "listPairings",
            "List people who were let in, or wait for it",
            {200: json_answer("The people.", PairingList), **refusals(503), **_NOT_YOURS},
        ),
        "post": operation(
            "pair",
            "Let a person in who has this code",
            {200: json_answer("They may talk now.", ShownPairing), **refusals(400, 404, 413, 503), **_NOT_YOURS},
            body=json_body(PairingCode),
        ),
    },
    "/api/pairings/{person}": {
        "delete": operation(
            "removePairing",
            "Let a person in no longer, or withdraw the code of one who waits",
            {
                200: json_answer(
                    "They are a stranger again, or were refused: then the bot does not answer them for a day.", Ok
                ),
                **refusals(400, 404, 503),
                **_NOT_YOURS,
            },
            parameters=[path("person", "`platform:user`, such as `telegram:12345`.")],
        ),
    },
    "/api/hooks": {
        "get": operation(
            "listHooks",
            "List the hooks that other programs post to",
            {200: json_answer("Those of the settings.", HookList), **refusals(503), **_NOT_YOURS},
        ),
    },
}

FAMILY = Family(
    "Messaging",
    "Messaging platforms, what is sent there, who may talk there, and hooks: for the operator.",
    PATHS,
    {"Platform": ShownPlatform, "Post": ShownPost, "Pairing": ShownPairing, "Hook": ShownHook},
)
