"""Messages as Slack takes them, and what its refusals mean."""

import pytest

from wakeful.gateway.messaging.platform import Button, Cure, Message, NotTaken, Refused
from wakeful.gateway.platforms.slack.client import SlackRefusal
from wakeful.gateway.platforms.slack.outgoing import meaning_of_refusal, message_params, new_message_params
from wakeful.model.messaging.post import Post, PostKind
from wakeful.model.session import Address

POST = Post("post_1", "key", Address("slack", "C1", "1.0"), PostKind.ANSWER, "words")


@pytest.mark.parametrize(
    ("code", "has_thread", "kind", "cure"),
    [
        ("invalid_auth", False, NotTaken, None),
        ("token_revoked", True, NotTaken, None),
        ("thread_not_found", True, NotTaken, Cure.NO_ANCHOR),
        ("thread_not_found", False, Refused, None),
        ("message_not_found", False, Refused, None),
        ("msg_too_long", False, NotTaken, Cure.SHORTER),
        ("msg_blocks_too_long", True, NotTaken, Cure.SHORTER),
        ("not_in_channel", True, Refused, None),
    ],
)
def test_a_refusal_says_whether_another_form_or_another_time_helps(
    code: str, has_thread: bool, kind: type[Exception], cure: Cure | None
) -> None:
    meaning = meaning_of_refusal(SlackRefusal("chat.postMessage", code), Message("words"), has_thread=has_thread)

    assert (type(meaning), getattr(meaning, "cure", None)) == (kind, cure)
    assert str(meaning) == f"Slack refused chat.postMessage: {code}"


def test_a_message_bears_its_id_mentions_nobody_and_unfolds_no_link() -> None:
    params = new_message_params(POST, Message("words"), "1.0")

    assert params == {
        "channel": "C1",
        "text": "words",
        "blocks": [],
        "metadata": {"event_type": "wakeful_post", "event_payload": {"post": "post_1"}},
        "link_names": False,
        "unfurl_links": False,
        "unfurl_media": False,
        "thread_ts": "1.0",
    }
    assert "thread_ts" not in new_message_params(POST, Message("words"), "")


def test_a_question_has_its_words_in_blocks_of_three_thousand_letters_and_its_buttons_last() -> None:
    buttons = [Button("Once", "post_1:once"), Button("Deny", "post_1:deny")]
    *sections, actions = message_params(POST, Message("a" * 3001, buttons=buttons))["blocks"]

    assert [len(section["text"]["text"]) for section in sections] == [3000, 1]
    assert [(one["text"]["text"], one["value"], one["action_id"]) for one in actions["elements"]] == [
        ("Once", "post_1:once", "post_1:once"),
        ("Deny", "post_1:deny", "post_1:deny"),
    ]
