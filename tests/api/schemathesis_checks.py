"""Loaded by schemathesis: a check of our own, and no more examples than are of use."""

from typing import Any

import schemathesis

# What the document cannot know: that there is no such model, that two fields do not go together.
_OWN_CODE_WANTED = "invalid_request"
_FINE = {401, 404, 409, 429}


@schemathesis.check
def valid_data_is_understood(ctx: Any, response: Any, case: Any) -> None:
    """What the document allows is taken, or refused with a code that says what else is wrong with it."""
    if not case.meta or not case.meta.generation.mode.is_positive or response.status_code < 400:
        return
    if response.status_code == 400:
        if case.path.startswith("/api/"):
            # These have one code for all that is wrong.
            return
        assert response.json()["error"]["code"] != _OWN_CODE_WANTED, response.text
    else:
        assert response.status_code in _FINE, response.text
