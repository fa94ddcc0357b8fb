"""Attachments and system prompts: both go with their session, and a node fetches what another one took in."""

import os
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from tests.store.conftest import FakeClock
from tests.store.nouns import have_session
from wakeful.engine.attachments.desk import AttachmentDesk
from wakeful.engine.attachments.files import AttachmentFiles
from wakeful.errors import AttachmentTooLarge, AttachmentUnusable
from wakeful.model.files.attachment import Attachment
from wakeful.store.base import Store, Transaction

CAT = Attachment("att_1", "cät\0.png", "image/png", 3, "alice", "", 20.0)


async def pieces(*data: bytes) -> AsyncIterator[bytes]:
    for piece in data:
        yield piece


async def test_an_attachment_is_read_back_whole_and_put_once(store: Store) -> None:
    async def body(tx: Transaction) -> tuple[bool, bool]:
        return await tx.attachments.put_if_new(CAT, is_used=False), await tx.attachments.put_if_new(CAT, is_used=True)

    assert await store.write(body) == (True, False)
    (found,) = await store.read(lambda tx: tx.attachments.find(["att_2", "att_1"]))
    assert (found, found.owner, found.session_id, found.created_at) == (CAT, "alice", "", 20.0)


async def test_one_that_was_sent_stays_and_belongs_to_its_first_session(store: Store) -> None:
    await have_session(store, "s1")
    await have_session(store, "s2")

    async def body(tx: Transaction) -> None:
        await tx.attachments.put_if_new(CAT, is_used=False)
        await tx.attachments.put_if_new(replace(CAT, id="att_2"), is_used=False)
        await tx.attachments.use(["att_1"], "s1")
        await tx.attachments.use(["att_1"], "s2")

    await store.write(body)

    assert await store.write(lambda tx: tx.attachments.drop_unused(21.0, 10)) == ["att_2"]
    assert await store.read(lambda tx: tx.attachments.of_session("s1")) == ["att_1"]
    assert await store.read(lambda tx: tx.attachments.of_session("s2")) == []


async def test_a_session_that_is_gone_leaves_neither_files_nor_its_system_prompt(store: Store) -> None:
    await have_session(store, "s1")

    async def body(tx: Transaction) -> None:
        await tx.attachments.put_if_new(replace(CAT, session_id="s1"), is_used=True)
        await tx.attachments.add_piece("att_1", 0, b"cat")
        await tx.turns.keep_system_prompt("s1", b"{}")
        await tx.turns.keep_system_prompt("s1", b"[]")

    await store.write(body, lock=["s1"])
    assert await store.read(lambda tx: tx.turns.system_prompt("s1")) == b"[]"

    async def remove(tx: Transaction) -> None:
        await tx.purges.remove_some("s1", 100)
        await tx.purges.finish("s1")

    await store.write(remove, lock=["s1"])

    assert await store.read(lambda tx: tx.attachments.find(["att_1"])) == []
    assert await store.read(lambda tx: tx.attachments.piece("att_1", 0)) is None
    assert await store.read(lambda tx: tx.turns.system_prompt("s1")) is None


# On SQLite there is one node only.
@pytest.mark.parametrize("kind", ["postgres"])
@pytest.mark.parametrize("data", [b"", b"cat", b"x" * (2 * 1024 * 1024 + 1)], ids=["empty", "small", "large"])
async def test_another_node_has_what_this_one_took_in(
    store: Store, new_store: Callable[[], Store], tmp_path: Path, data: bytes
) -> None:
    here, there = (AttachmentDesk(store, tmp_path / name, 20 * 1024 * 1024) for name in ("here", "there"))

    taken = await here.receive("cat.png", pieces(data[:1], data[1:]), "alice")

    assert await there.read(taken.id) == data
    place = await there.path_for(taken.id, "s1")
    assert place is not None
    assert place.read_bytes() == data
    assert place.is_relative_to(tmp_path / "there" / "attachments" / "s1")


async def test_tidying_drops_what_was_never_sent_and_what_no_row_names(
    store: Store, clock: FakeClock, tmp_path: Path
) -> None:
    session = await have_session(store, "s1")
    desk = AttachmentDesk(store, tmp_path, 100)
    sent, unsent = [await desk.receive("a", pieces(b"x"), "alice") for _ in range(2)]
    await desk.claim([sent.id], session, "alice")
    await desk.path_for(sent.id, "s1")
    (tmp_path / "attachments" / "s9").mkdir()
    for name in ("left_by_a_crash", "just_begun"):
        (tmp_path / "attachments" / "all" / name).touch()
    for name in ("left_by_a_crash", sent.id):
        os.utime(tmp_path / "attachments" / "all" / name, (0, 0))

    await clock.set(clock.now + 25 * 3600)
    await desk.tidy()

    assert (await desk.read(sent.id), await desk.read(unsent.id)) == (b"x", None)
    assert sorted(folder.name for folder in (tmp_path / "attachments").iterdir()) == ["all", "s1"]
    assert {file.name for file in (tmp_path / "attachments" / "all").iterdir()} == {sent.id, "just_begun"}
    with pytest.raises(AttachmentUnusable):
        await desk.claim([unsent.id], session, "alice")


def test_an_upload_that_becomes_whole_while_files_are_listed_does_not_hinder_tidying(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = AttachmentFiles(tmp_path)
    part, left = files.part_of("att_1"), files.file_of("att_2")
    for path in (part, left):
        path.touch()
        os.utime(path, (0, 0))
    scandir = os.scandir

    @contextmanager
    def listed(folder: Path) -> Iterator[list[os.DirEntry[str]]]:
        with scandir(folder) as entries:
            found = list(entries)
        part.rename(files.file_of("att_1"))
        yield found

    monkeypatch.setattr(os, "scandir", listed)

    assert files.idle_files() == ["att_2"]


@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
async def test_a_message_takes_along_the_files_of_its_sender_and_of_its_sessions_owner_alone(
    store: Store, tmp_path: Path
) -> None:
    session = await have_session(store)
    desk = AttachmentDesk(store, tmp_path, 100)
    hers, his, theirs = [await desk.receive("a", pieces(b"x"), owner) for owner in ("alice", "bob", "carl")]

    assert await desk.claim([], session, "bob") == ()
    assert [one.id for one in await desk.claim([hers.id, his.id], session, "bob")] == [hers.id, his.id]
    for ids in ([theirs.id], [hers.id, theirs.id], ["unknown"], [hers.id] * 11):
        with pytest.raises(AttachmentUnusable):
            await desk.claim(ids, session, "bob")
    assert len(await desk.claim([hers.id] * 10, session, "bob")) == 10
    assert await store.read(lambda tx: tx.attachments.of_session("s1")) == [hers.id, his.id]


@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
async def test_a_file_of_the_most_bytes_is_taken_and_of_a_larger_one_nothing_is_left(
    store: Store, tmp_path: Path
) -> None:
    desk = AttachmentDesk(store, tmp_path, 4)
    whole = await desk.receive("a", pieces(b"ab", b"cd"), "alice")
    with pytest.raises(AttachmentTooLarge):
        await desk.receive("b", pieces(b"ab", b"cd", b"e"), "alice")

    assert await desk.read(whole.id) == b"abcd"
    assert [file.name for file in (tmp_path / "attachments" / "all").iterdir()] == [whole.id]


async def test_what_a_tool_shows_is_kept_once_for_the_owner_of_its_session(store: Store, tmp_path: Path) -> None:
    await have_session(store)
    desk = AttachmentDesk(store, tmp_path / "home", 100)
    file = tmp_path / "plan.txt"
    file.write_text("one")
    shown = await desk.keep_file("att_1", file, "s1")
    file.write_text("two")

    assert await desk.keep_file("att_1", file, "s1") == await desk.find("att_1") == shown
    assert await desk.keep("att_1", "another", b"three", "s1") == shown
    assert (shown.name, shown.owner, shown.session_id) == ("plan.txt", "alice", "s1")
    assert await desk.read("att_1") == b"one"
    assert await store.write(lambda tx: tx.attachments.drop_unused(9e9, 10)) == []


@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
async def test_a_file_that_is_gone_is_found_nowhere(store: Store, tmp_path: Path) -> None:
    desk = AttachmentDesk(store, tmp_path, 100)
    lost = await desk.receive("a", pieces(b"x"), "alice")
    AttachmentFiles(tmp_path).file_of(lost.id).unlink()

    for attachment_id in (lost.id, "unknown"):
        assert await desk.path_for(attachment_id, "s1") is None
        assert await desk.read(attachment_id) is None
    assert list((tmp_path / "attachments" / "all").iterdir()) == []


async def test_a_file_that_is_offered_again_is_the_copy_that_was_kept(store: Store, tmp_path: Path) -> None:
    desk = AttachmentDesk(store, tmp_path / "home", 100)
    file = tmp_path / "cat.png"
    file.write_bytes(b"cat")
    offered = await desk.offer("att_1", file, "alice")
    file.unlink()

    assert await desk.offer("att_1", file, "alice") == offered
    assert await desk.read("att_1") == b"cat"


async def test_a_session_without_files_is_forgotten_too(store: Store, tmp_path: Path) -> None:
    await AttachmentDesk(store, tmp_path, 100).forget("s1", ["att_1"])
