"""Loaded by schemathesis: what it cannot guess, and a check of our own."""

from typing import Any
from uuid import uuid4

import schemathesis

# The code of what breaks the document; what the document cannot know (that there is no such model, that two fields do
# not go together) has another.
_BREAKS_THE_DOCUMENT = "invalid_request"
# 403: nobody but the operator may name others.
_FINE = {401, 403, 404, 409, 429}


@schemathesis.hook
def before_call(ctx: Any, case: Any, kwargs: Any) -> None:
    """Values that are allowed and yet lead nowhere, always the same refusal, give way to some that lead further."""
    key = case.headers.get("Idempotency-Key")
    if key is not None and len(key) <= 255:
        del case.headers["Idempotency-Key"]
        if not isinstance(case.body, dict) or case.body.get("store", True) is not False:
            case.headers["Idempotency-Key"] = uuid4().hex
    session_id = case.headers.get("X-Hermes-Session-Id")
    if session_id is not None and len(session_id) <= 256:
        del case.headers["X-Hermes-Session-Id"]


@schemathesis.check
def valid_data_is_understood(ctx: Any, response: Any, case: Any) -> None:
    """What the document allows is taken, or refused with a code that says what else is wrong with it."""
    if not case.meta or not case.meta.generation.mode.is_positive or response.status_code < 400:
        return
    if response.status_code == 400 and case.path.startswith("/api/"):
        # These have one code for all that is wrong.
        return
    if response.status_code == 400:
        assert response.json()["error"]["code"] != _BREAKS_THE_DOCUMENT, response.text
    else:
        assert response.status_code in _FINE, response.text
