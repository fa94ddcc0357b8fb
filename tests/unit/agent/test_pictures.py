"""What a model gets of the pictures and files of a conversation, and how results keep theirs."""

from base64 import b64encode
from dataclasses import replace
from pathlib import Path

import pytest

from tests.store.nouns import a_turn
from tests.unit.model.files.test_file_type import GIF
from wakeful.agent.pictures import Illustrator, ResultPictures
from wakeful.model.files.attachment import PICTURE_BYTES, Attachment
from wakeful.model.journal.message import Message, SystemMessage, ToolMessage, UserMessage
from wakeful.tools.base import ToolContext, ToolPicture

URL = "https://example.org/cat.png"


@pytest.mark.parametrize("message", [UserMessage("Look!", (URL,)), ToolMessage("call_1", "Look!", images=(URL,))])
@pytest.mark.parametrize("sees", [True, False])
async def test_only_models_that_see_get_a_picture(message: UserMessage | ToolMessage, sees: bool) -> None:
    shown: list[Message] = await Illustrator(None).illustrated([message], "ses_1", sees=sees)

    (one,) = shown
    assert isinstance(one, UserMessage | ToolMessage)
    assert one.images == ((URL,) if sees else ())
    assert one.text.startswith("Look!")
    assert ("[This model cannot see pictures.]" in one.text) is not sees


class Files:
    """Attachments in memory."""

    def __init__(self, **contents: bytes) -> None:
        self.contents = contents
        self.kept: list[tuple[str, str, str]] = []

    async def keep(self, attachment_id: str, name: str, data: bytes, session_id: str) -> Attachment:
        self.kept.append((attachment_id, name, session_id))
        return Attachment(attachment_id, name, "image/gif", len(data))

    async def read(self, attachment_id: str) -> bytes | None:
        return self.contents.get(attachment_id)

    async def path_for(self, attachment_id: str, session_id: str) -> Path | None:
        return Path(f"/home/{session_id}/{attachment_id}") if attachment_id in self.contents else None


def data_url(data: bytes) -> str:
    return f"data:image/gif;base64,{b64encode(data).decode()}"


async def shown(message: Message, files: Files | None, *, sees: bool = True) -> tuple[str, tuple[str, ...]]:
    (one,) = await Illustrator(files).illustrated([message], "ses_1", sees=sees)
    assert isinstance(one, UserMessage | ToolMessage)
    assert not getattr(one, "files", ())
    return one.text, one.images


def attached(kind: str, *, size: int = len(GIF)) -> UserMessage:
    return UserMessage("Look!", files=(Attachment("a1", "a", kind, size),))


async def test_a_picture_of_a_result_is_read_from_where_it_is_kept() -> None:
    result = ToolMessage("c1", "done", images=("attachment:a1", "attachment:gone", URL, "attachment:text"))

    assert await shown(result, Files(a1=GIF, text=b"no picture")) == ("done", (data_url(GIF), URL))
    assert await shown(result, None) == ("done", (URL,))


async def test_a_picture_comes_after_the_words_and_says_where_it_is() -> None:
    message = replace(attached("image/gif"), images=(URL,))
    line = "[Image: a, 3×2, 13 bytes]\n[Its path is /home/ses_1/a1.]"  # noqa: RUF001

    assert await shown(message, Files(a1=GIF)) == (f"Look!\n\n{line}", (URL, data_url(GIF)))
    blind = "[This model cannot see pictures.]"
    unseen = (f"Look!\n\n[Image]\n{blind}\n\n{line}\n{blind}", ())
    assert await shown(message, Files(a1=GIF), sees=False) == unseen


async def test_a_picture_that_is_too_large_or_damaged_is_named_and_not_shown() -> None:
    fits, large = GIF + bytes(PICTURE_BYTES - len(GIF)), GIF + bytes(PICTURE_BYTES + 1 - len(GIF))
    wide = GIF[:6] + b"\xff\xff" + GIF[8:]

    assert len((await shown(attached("image/gif"), Files(a1=fits)))[1]) == 1
    for data in (large, wide):
        text, images = await shown(attached("image/gif"), Files(a1=data))
        assert "too large to be shown" in text
        assert images == ()
    assert await shown(attached("image/gif"), Files(a1=b"GIF89a")) == (
        "Look!\n\n[File: a]\n[Its path is /home/ses_1/a1.]", (),
    )  # fmt: skip


async def test_a_text_is_read_with_its_message_as_far_as_it_fits() -> None:
    head = "Look!\n\n[File: a]\n[Its path is /home/ses_1/a1; it has 5,000 bytes.]"
    message = attached("text/plain", size=5_000)

    assert await shown(message, Files(a1=b"hello")) == (f"{head}\n\nhello", ())
    assert (await shown(message, Files(a1=b"x" * 100_000)))[0] == f"{head}\n\n{'x' * 100_000}"
    cut = f"{head}\n\n{'x' * 100_000}\n[Cut: the file goes on; read the rest with read_file.]"
    assert (await shown(message, Files(a1=b"x" * 100_001)))[0] == cut


async def test_another_file_is_named_with_its_path_and_one_that_is_gone_says_so() -> None:
    message = attached("application/zip", size=5_000)

    named = ("Look!\n\n[File: a]\n[Its path is /home/ses_1/a1; it has 5,000 bytes.]", ())
    assert await shown(message, Files(a1=b"PK")) == named
    for files in (Files(), None):
        assert await shown(message, files) == ("Look!\n\n[File: a]\n[It is no longer there.]", ())


async def test_a_message_without_pictures_stays_as_it_is() -> None:
    messages: list[Message] = [SystemMessage("Be kind."), UserMessage("Hi"), ToolMessage("c1", "ok")]

    assert await Illustrator(None).illustrated(messages, "ses_1", sees=False) == messages


async def test_a_result_names_its_pictures_by_where_it_stands() -> None:
    files, pictures = Files(), [ToolPicture("a.gif", "image/gif", GIF), ToolPicture("b.gif", "image/gif", GIF)]
    urls = await ResultPictures(files).kept(pictures, ToolContext(a_turn(), 2, 3, "c1"))

    assert urls == ("attachment:att_t1_2_3_0", "attachment:att_t1_2_3_1")
    assert files.kept == [("att_t1_2_3_0", "a.gif", "s1"), ("att_t1_2_3_1", "b.gif", "s1")]


async def test_pictures_of_a_turn_that_is_not_stored_are_kept_nowhere() -> None:
    files, context = Files(), ToolContext(a_turn(is_ephemeral=True), 2, 3, "c1")

    assert await ResultPictures(files).kept([ToolPicture("a.gif", "image/gif", GIF)], context) == (data_url(GIF),)
    assert files.kept == []
