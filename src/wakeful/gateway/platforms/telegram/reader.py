"""Updates as what the ingress takes in; None for what is never a turn."""

from collections.abc import AsyncIterator, Callable, Iterator
from functools import partial

from wakeful.gateway.messaging.platform import IncomingMessage, OfferedFile, Press
from wakeful.gateway.platforms.telegram.wire import TgChat, TgFile, TgMessage, TgPress, TgUser
from wakeful.gateway.platforms.telegram.words import message_words
from wakeful.model.messaging.chat import ChatKind
from wakeful.model.session import Address, Sender

_KINDS = {"private": ChatKind.PRIVATE, "group": ChatKind.GROUP, "supergroup": ChatKind.GROUP}


class UpdateReader:
    def __init__(self, bot: TgUser, download: Callable[[str], AsyncIterator[bytes]]) -> None:
        self._bot = bot
        self._download = download

    def message(self, message: TgMessage) -> IncomingMessage | None:
        kind, sender = _KINDS.get(message.chat.type), message.sender
        if kind is None or sender is None or sender.is_bot or message.sender_chat is not None:
            return None
        attachments = [self._attachment(name, file) for name, file in _files(message)]
        if not message.words and not attachments:
            return None
        words = message_words(message.words, message.entities or message.caption_entities, self._bot)
        if words.is_for_other:
            return None
        answered = _answered(message)
        return IncomingMessage(
            kind,
            _address(message, sender),
            words.text,
            is_for_bot=words.is_for_bot or self._is_own(answered),
            quoted=_quoted(message, answered),
            attachments=attachments,
        )

    def press(self, press: TgPress) -> Press | None:
        message = press.message
        kind = None if message is None else _KINDS.get(message.chat.type)
        if message is None or kind is None or press.sender.is_bot:
            return None
        return Press(_address(message, press.sender), kind, press.data, str(message.message_id))

    def _is_own(self, message: TgMessage | None) -> bool:
        return message is not None and message.sender is not None and message.sender.id == self._bot.id

    def _attachment(self, name: str, file: TgFile) -> OfferedFile:
        return OfferedFile(file.file_name or name, file.file_size, partial(self._download, file.file_id))


def _address(message: TgMessage, sender: TgUser) -> Address:
    by = Sender(str(message.message_id), str(sender.id), sender.full_name, _name_of(message.chat, sender))
    return Address("telegram", str(message.chat.id), message.thread_id, by)


def _name_of(chat: TgChat, sender: TgUser) -> str:
    return chat.title or sender.full_name


def _answered(message: TgMessage) -> TgMessage | None:
    """Return what it replies to. In a forum every message seems to reply to the one that began its topic."""
    answered = message.reply_to_message
    return None if answered is None or answered.forum_topic_created is not None else answered


def _quoted(message: TgMessage, answered: TgMessage | None) -> str:
    if message.quote is not None and message.quote.text:
        return message.quote.text
    return "" if answered is None else answered.words


def _files(message: TgMessage) -> Iterator[tuple[str, TgFile]]:
    """Yield the files of a message, each with the name that it gets if the sender has given none."""
    if message.photo:
        # The same picture in several sizes.
        yield "photo.jpg", max(message.photo, key=lambda size: size.width * size.height)
    # An animation comes as a document too, for clients that know none.
    document = None if message.animation else message.document
    named = {
        "document": document,
        "audio.mp3": message.audio,
        "voice.ogg": message.voice,
        "video.mp4": message.video,
        "video_note.mp4": message.video_note,
        "animation.mp4": message.animation,
    }
    yield from ((name, file) for name, file in named.items() if file is not None)
