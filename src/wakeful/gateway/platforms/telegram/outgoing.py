"""Messages as parameters of the Bot API, and refusals as what they mean for a message."""

from collections.abc import Sequence
from typing import Any

from wakeful.errors import WakefulError
from wakeful.gateway.messaging.platform import Button, Cure, Message, NotTaken, Refused
from wakeful.gateway.platforms.telegram.client import TelegramRefusal

_UNKNOWN_TOKEN = (401, 404)
# Telegram's ids have at most 52 bits.
_MOST_DIGITS = 16
# Words of refusals, in small letters. Telegram has several for the same.
NOT_MODIFIED = ("message is not modified",)
NO_SUCH_MESSAGE = ("message to edit not found", "message can't be edited", "message_id_invalid")
_BAD_MARKUP = ("can't parse entities", "message text is empty", "text must be non-empty")
_NO_ANCHOR = ("message to be replied not found", "message to reply not found", "replied message not found")
_TOO_LONG = ("message is too long", "text is too long", "caption is too long", "caption_too_long")


def target(chat_id: str, thread_id: str = "") -> dict[str, Any]:
    where: dict[str, Any] = {"chat_id": number_or_name(chat_id)}
    if thread_id:
        where["message_thread_id"] = number_or_name(thread_id)
    return where


def text_params(message: Message) -> dict[str, Any]:
    # Telegram fetches the page behind a link to show a preview: words that a model was talked into writing could
    # carry secrets to a stranger's server that way.
    return {"text": message.text, **_form(message), "link_preview_options": {"is_disabled": True}}


def caption_params(message: Message) -> dict[str, Any]:
    return {"caption": message.text, **_form(message)} if message.text else {}


def anchor_params(reply_to: str) -> dict[str, Any]:
    if not reply_to.isdecimal():
        return {}
    return {"reply_parameters": {"message_id": int(reply_to), "allow_sending_without_reply": True}}


def button_params(buttons: Sequence[Button]) -> dict[str, Any]:
    """Without this parameter an edit takes the buttons away."""
    if not buttons:
        return {}
    row = [{"text": button.label, "callback_data": button.value} for button in buttons]
    return {"reply_markup": {"inline_keyboard": [row]}}


def number_or_name(id: str) -> int | str:
    """A number that no chat has, as an operator may have mistyped it, stays a text that Telegram refuses."""
    digits = id.removeprefix("-")
    return int(id) if digits.isascii() and digits.isdecimal() and len(digits) <= _MOST_DIGITS else id


def meaning_of(refusal: TelegramRefusal, message: Message) -> WakefulError:
    """Return what to raise for a message that Telegram has refused."""
    if refusal.migrated_to is not None:
        return NotTaken("The group has become a supergroup with another id.")
    if refusal.code in _UNKNOWN_TOKEN or refusal.code < 400:
        # The fault lies with the door, and this message can wait for it to open again.
        return NotTaken(str(refusal))
    cure = _cure(refusal, message)
    return Refused(str(refusal)) if cure is None else NotTaken(str(refusal), cure=cure)


def _cure(refusal: TelegramRefusal, message: Message) -> Cure | None:
    if refusal.says(*_BAD_MARKUP) and not message.is_plain:
        return Cure.PLAIN
    if refusal.says(*_NO_ANCHOR) and message.reply_to:
        return Cure.NO_ANCHOR
    return Cure.SHORTER if refusal.says(*_TOO_LONG) else None


def _form(message: Message) -> dict[str, str]:
    return {} if message.is_plain else {"parse_mode": "HTML"}
