"""A hook as the operator has configured it: what is wrong with one is said, without its secret."""

from typing import Any

import pytest

from wakeful.errors import ConfigError
from wakeful.gateway.hooks.hook import Hook, SignatureScheme

STANDARD = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"


def a_hook(**changes: Any) -> Hook:
    usual: dict[str, Any] = {
        "name": "builds",
        "secret": "s" * 16,
        "scheme": SignatureScheme.GITHUB,
        "message": "Build {build.id}",
    }
    return Hook(**usual | changes)


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"name": "a"},
        {"name": "A.b_c-9" + "x" * 57},
        {"events": frozenset({"push"})},
        {"scheme": SignatureScheme.STANDARD, "secret": STANDARD},
        {"scheme": SignatureScheme.STANDARD, "secret": f"{STANDARD} {STANDARD}"},
    ],
)
def test_a_hook_has_a_name_a_secret_and_a_message(changes: dict[str, Any]) -> None:
    hook = a_hook(**changes)

    assert hook.key == f"hook:{hook.name}"
    assert hook.secret not in repr(hook)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"name": ""}, "name must be 1 to 64"),
        ({"name": "x" * 65}, "name must be 1 to 64"),
        ({"name": "a/b"}, "name must be 1 to 64"),
        ({"name": "a\n"}, "name must be 1 to 64"),
        ({"secret": "s" * 15}, "builds needs at least 16 characters"),
        ({"scheme": SignatureScheme.STANDARD}, "The secret of the hook builds is no such secret"),
        ({"scheme": SignatureScheme.STANDARD, "secret": ""}, "The secret of the hook builds is no such secret"),
        ({"message": " \n"}, "builds needs a message"),
        (
            {"scheme": SignatureScheme.STANDARD, "secret": STANDARD, "events": frozenset({"push"})},
            "builds cannot have events",
        ),
    ],
)
def test_what_is_wrong_with_a_hook_is_said_without_its_secret(changes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ConfigError, match=sentence) as refusal:
        a_hook(**changes)
    assert "ssss" not in str(refusal.value)
