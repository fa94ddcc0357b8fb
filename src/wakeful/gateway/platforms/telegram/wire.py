"""What Telegram sends, as far as it is read here. The fields have Telegram's names."""

from typing import Any

from msgspec import Raw, Struct, field

# What the bot is sent: no edits, reactions or posts of channels.
ALLOWED_UPDATES = ("message", "callback_query")


class TgUser(Struct, frozen=True):
    id: int
    is_bot: bool = False
    first_name: str = ""
    last_name: str = ""
    username: str = ""
    # Of the bot itself: its privacy mode is off.
    can_read_all_group_messages: bool = False

    @property
    def full_name(self) -> str:
        return f"{self.first_name} {self.last_name}".strip() or self.username or str(self.id)


class TgChat(Struct, frozen=True):
    id: int
    type: str = ""
    title: str = ""


class TgEntity(Struct, frozen=True):
    type: str
    # In UTF-16 units.
    offset: int
    length: int
    user: TgUser | None = None


class TgFile(Struct, frozen=True):
    file_id: str
    file_name: str = ""
    file_size: int | None = None
    # Of photos.
    width: int = 0
    height: int = 0


class TgSticker(Struct, frozen=True):
    emoji: str = ""


class TgQuote(Struct, frozen=True):
    text: str = ""


class TgMessage(Struct, frozen=True):
    message_id: int
    chat: TgChat
    sender: TgUser | None = field(default=None, name="from")
    # The chat in whose name it was sent: a channel, or a group whose administrator stays anonymous.
    sender_chat: TgChat | None = None
    message_thread_id: int | None = None
    is_topic_message: bool = False
    text: str = ""
    entities: tuple[TgEntity, ...] = ()
    caption: str = ""
    caption_entities: tuple[TgEntity, ...] = ()
    reply_to_message: "TgMessage | None" = None
    # The part of the message replied to that the person has picked.
    quote: TgQuote | None = None
    forum_topic_created: dict[str, Any] | None = None
    migrate_to_chat_id: int | None = None
    migrate_from_chat_id: int | None = None
    document: TgFile | None = None
    photo: tuple[TgFile, ...] = ()
    audio: TgFile | None = None
    voice: TgFile | None = None
    video: TgFile | None = None
    video_note: TgFile | None = None
    animation: TgFile | None = None
    sticker: TgSticker | None = None

    @property
    def words(self) -> str:
        return self.text or self.caption or (self.sticker.emoji if self.sticker else "")

    @property
    def thread_id(self) -> str:
        # Outside of forums it only says which messages reply to each other.
        return str(self.message_thread_id) if self.is_topic_message and self.message_thread_id else ""


class TgPress(Struct, frozen=True):
    """A callback query: a person has pressed a button."""

    id: str
    sender: TgUser = field(name="from")
    message: TgMessage | None = None
    data: str = ""


class TgUpdate(Struct, frozen=True):
    update_id: int
    message: TgMessage | None = None
    callback_query: TgPress | None = None


class TgUpdateId(Struct, frozen=True):
    """Of an update that cannot be read otherwise."""

    update_id: int


class TgWebhookInfo(Struct, frozen=True):
    # Empty: none is set.
    url: str = ""
    last_error_message: str = ""


class TgFilePath(Struct, frozen=True):
    file_path: str = ""


class TgSent(Struct, frozen=True):
    message_id: int


class TgParameters(Struct, frozen=True):
    retry_after: float = 0.0
    migrate_to_chat_id: int | None = None


class TgReply(Struct, frozen=True):
    """The envelope of every answer."""

    ok: bool
    result: Raw = Raw(b"null")
    error_code: int = 0
    description: str = ""
    parameters: TgParameters = TgParameters()
