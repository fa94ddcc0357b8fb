"""Which messages on a platform share a session."""

import pytest

from wakeful.model.messaging.chat import ChatKind, SessionScope, chat_key, group_prefix, likely_kind


@pytest.mark.parametrize(
    ("thread_id", "scope", "key"),
    [
        ("7", SessionScope.THREAD, "telegram:group:-1:7"),
        ("", SessionScope.THREAD, "telegram:group:-1"),
        ("7", SessionScope.CHAT, "telegram:group:-1"),
        ("7", SessionScope.USER, "telegram:group:-1:7:@ann"),
        ("", SessionScope.USER, "telegram:group:-1:@ann"),
    ],
)
def test_a_thread_a_chat_or_a_person_has_a_session(thread_id: str, scope: SessionScope, key: str) -> None:
    assert chat_key("telegram", ChatKind.GROUP, "-1", thread_id, "ann", scope) == key
    assert key.startswith(group_prefix("telegram", "-1"))


def test_a_private_chat_is_told_from_a_group() -> None:
    assert chat_key("slack", ChatKind.PRIVATE, "D1", "", "U1", SessionScope.THREAD) == "slack:private:D1"


@pytest.mark.parametrize(
    ("platform", "chat_id", "kind"),
    [
        ("telegram", "1", ChatKind.PRIVATE),
        ("telegram", "-1", ChatKind.GROUP),
        ("slack", "D1", ChatKind.PRIVATE),
        ("slack", "C1", ChatKind.GROUP),
        ("discord", "1", ChatKind.GROUP),
    ],
)
def test_the_id_of_a_chat_tells_whether_it_is_private(platform: str, chat_id: str, kind: ChatKind) -> None:
    assert likely_kind(platform, chat_id) is kind
