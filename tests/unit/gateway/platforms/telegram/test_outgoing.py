"""Messages as the Bot API takes them, and what its refusals mean."""

from typing import Any

import pytest

from wakeful.gateway.messaging.platform import Button, Cure, Message, NotTaken, Refused
from wakeful.gateway.platforms.telegram import outgoing
from wakeful.gateway.platforms.telegram.client import TelegramRefusal

MARKED, PLAIN, REPLY = Message("a"), Message("a", is_plain=True), Message("a", reply_to="55")


@pytest.mark.parametrize(
    ("refusal", "message", "kind", "cure"),
    [
        (TelegramRefusal(400, "Bad Request: can't parse entities"), MARKED, NotTaken, Cure.PLAIN),
        (TelegramRefusal(400, "Bad Request: can't parse entities"), PLAIN, Refused, None),
        (TelegramRefusal(400, "Bad Request: message to be replied not found"), REPLY, NotTaken, Cure.NO_ANCHOR),
        (TelegramRefusal(400, "Bad Request: message to be replied not found"), MARKED, Refused, None),
        (TelegramRefusal(400, "Bad Request: MESSAGE IS TOO LONG"), MARKED, NotTaken, Cure.SHORTER),
        (TelegramRefusal(400, "Bad Request: chat not found"), REPLY, Refused, None),
        (TelegramRefusal(403, "Forbidden: bot was blocked by the user"), MARKED, Refused, None),
        (TelegramRefusal(401, "Unauthorized"), MARKED, NotTaken, None),
        (TelegramRefusal(404, "Not Found"), MARKED, NotTaken, None),
        (TelegramRefusal(399, ""), MARKED, NotTaken, None),
        (TelegramRefusal(400, ""), MARKED, Refused, None),
        (TelegramRefusal(400, "Bad Request: group chat was upgraded", -100), MARKED, NotTaken, None),
    ],
)
def test_a_refusal_says_whether_another_form_or_another_time_helps(
    refusal: TelegramRefusal, message: Message, kind: type[Exception], cure: Cure | None
) -> None:
    meaning = outgoing.meaning_of(refusal, message)

    assert (type(meaning), getattr(meaning, "cure", None)) == (kind, cure)


@pytest.mark.parametrize(
    ("id_", "sent"),
    [
        ("7", 7),
        ("-1000000000001", -1000000000001),
        ("1" * 16, 1111111111111111),
        ("1" * 17, "1" * 17),
        ("@channel", "@channel"),
        ("\u0667", "\u0667"),
        ("-", "-"),
    ],
)
def test_an_id_is_a_number_where_it_can_be_one(id_: str, sent: int | str) -> None:
    assert outgoing.target(id_) == {"chat_id": sent}
    assert outgoing.target("7", id_) == {"chat_id": 7, "message_thread_id": sent}


def test_a_message_has_its_markup_and_no_preview() -> None:
    no_preview = {"link_preview_options": {"is_disabled": True}}

    assert outgoing.text_params(MARKED) == {"text": "a", "parse_mode": "HTML"} | no_preview
    assert outgoing.text_params(PLAIN) == {"text": "a"} | no_preview
    assert outgoing.caption_params(MARKED) == {"caption": "a", "parse_mode": "HTML"}
    assert outgoing.caption_params(Message("")) == {}


@pytest.mark.parametrize(
    ("reply_to", "sent"),
    [("55", {"reply_parameters": {"message_id": 55, "allow_sending_without_reply": True}}), ("", {}), ("x", {})],
)
def test_a_reply_that_cannot_be_one_is_sent_all_the_same(reply_to: str, sent: dict[str, Any]) -> None:
    assert outgoing.anchor_params(reply_to) == sent


def test_buttons_stand_in_one_row() -> None:
    row = [{"text": "Once", "callback_data": "x:once"}, {"text": "Deny", "callback_data": "x:deny"}]

    assert outgoing.button_params([Button("Once", "x:once"), Button("Deny", "x:deny")]) == {
        "reply_markup": {"inline_keyboard": [row]}
    }
    assert outgoing.button_params([]) == {}
