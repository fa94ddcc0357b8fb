"""Messages and commands as Discord's API takes them."""

from wakeful.gateway.messaging.platform import Button, Message
from wakeful.gateway.platforms.discord.outgoing import changed_message, command_list, new_message
from wakeful.model.messaging.post import Post, PostKind
from wakeful.model.session import Address

POST = Post("post_1", "key", Address("discord", "1"), PostKind.ANSWER, "words")


def test_a_message_has_its_nonce_and_mentions_nobody() -> None:
    sent = {"content": "words", "allowed_mentions": {"parse": []}, "components": []}
    nonce = {"nonce": "post_1", "enforce_nonce": True}
    reference = {"message_reference": {"message_id": "55", "fail_if_not_exists": False}}

    assert changed_message(Message("words")) == sent
    assert new_message(POST, Message("words")) == sent | nonce
    assert new_message(POST, Message("words", reply_to="55")) == sent | nonce | reference


def test_buttons_stand_in_one_row() -> None:
    buttons = [Button("Once", "post_1:once"), Button("Deny", "post_1:deny")]

    # A row of buttons in grey: https://discord.com/developers/docs/components/reference
    assert changed_message(Message("May I?", buttons=buttons))["components"] == [
        {
            "type": 1,
            "components": [
                {"type": 2, "style": 2, "label": "Once", "custom_id": "post_1:once"},
                {"type": 2, "style": 2, "label": "Deny", "custom_id": "post_1:deny"},
            ],
        }
    ]


def test_commands_that_take_something_say_so() -> None:
    new, model = command_list([("new", "n" * 101), ("model", "choose the model")])

    assert new == {"name": "new", "type": 1, "description": "n" * 100, "options": []}
    assert model["options"] == [{"type": 3, "name": "name", "description": "the name"}]
