"""Loaded by schemathesis: values that it cannot guess, and another check."""

from typing import Any
from uuid import uuid4

import schemathesis

# The code for requests that break the document. What the document cannot express (that a model does not exist, that two
# fields exclude each other) has other codes.
_BREAKS_THE_DOCUMENT = "invalid_request"
# 403: only the operator may name others.
_FINE = {401, 403, 404, 409, 429}


@schemathesis.hook
def before_call(ctx: Any, case: Any, kwargs: Any) -> None:
    """Replace values that are valid but always refused for the same reason, so that more of the server is reached."""
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
    """Check that valid data is accepted, or refused for a reason that the document cannot express."""
    if not case.meta or not case.meta.generation.mode.is_positive or response.status_code < 400:
        return
    if response.status_code == 400 and case.path.startswith("/api/"):
        # These routes have one code for everything.
        return
    if response.status_code == 400:
        assert response.json()["error"]["code"] != _BREAKS_THE_DOCUMENT, response.text
    else:
        assert response.status_code in _FINE, response.text
