"""Files that are taken in, given out and dropped, on a store of one node and on one that nodes share."""

import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.engine.kit import FakeClock
from tests.store.nouns import have_session
from wakeful.engine.attachments import desk as desk_module
from wakeful.engine.attachments.desk import AttachmentDesk
from wakeful.engine.attachments.files import AttachmentFiles
from wakeful.errors import StoreError
from wakeful.model.files.attachment import Attachment
from wakeful.store.sqlite.store import SqliteStore

DAY = 24 * 3600.0


class SharedStore(SqliteStore):
    """A store that other nodes could use as well."""

    is_exclusive = False


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
async def store(sqlite_path: Path, clock: FakeClock, request: pytest.FixtureRequest) -> AsyncIterator[SqliteStore]:
    kind = getattr(request, "param", SqliteStore)
    store: SqliteStore = kind(sqlite_path, clock.time, synchronous="OFF")
    await store.open()
    for session_id in ("s1", "s2"):
        await have_session(store, session_id)
    yield store
    await store.close()


async def pieces(*data: bytes) -> AsyncIterator[bytes]:
    for piece in data:
        yield piece


def files_in(home: Path) -> set[str]:
    return {file.name for file in (home / "attachments" / "all").iterdir()}


async def test_an_upload_is_its_owners_and_has_its_type_size_and_time(
    store: SqliteStore, clock: FakeClock, tmp_path: Path
) -> None:
    taken = await AttachmentDesk(store, tmp_path, 100).receive("a/b.txt", pieces(b"ab", b"c"), "alice", "s1")

    assert (taken.owner, taken.session_id, taken.size) == ("alice", "s1", 3)
    (found,) = await store.read(lambda tx: tx.attachments.find([taken.id]))
    assert (found.name, found.type, found.size) == (taken.name, taken.type, 3)
    assert (found.owner, found.session_id, found.created_at) == ("alice", "s1", clock.now)


async def test_a_file_that_was_offered_and_never_sent_is_dropped_after_a_day(
    store: SqliteStore, clock: FakeClock, tmp_path: Path
) -> None:
    desk = AttachmentDesk(store, tmp_path / "home", 100)
    (tmp_path / "cat.png").write_bytes(b"cat")
    for attachment_id in ("att_1", "att_2"):
        offered = await desk.offer(attachment_id, tmp_path / "cat.png", "alice")
        assert (offered.owner, offered.session_id) == ("alice", "")
    await desk.bind(["att_1"], "s1")

    clock.now += DAY - 1
    await desk.tidy()
    assert files_in(tmp_path / "home") == {"att_1", "att_2"}
    clock.now += 2
    await desk.tidy()

    assert files_in(tmp_path / "home") == {"att_1"}
    assert await store.read(lambda tx: tx.attachments.of_session("s1")) == ["att_1"]


async def test_a_message_without_files_writes_nothing(tmp_path: Path) -> None:
    no_store: Any = None
    no_session: Any = None
    desk = AttachmentDesk(no_store, tmp_path, 100)

    await desk.bind([], "s1")

    assert await desk.claim([], no_session, "alice") == ()


async def test_nothing_is_kept_for_a_session_that_is_not_stored(store: SqliteStore, tmp_path: Path) -> None:
    desk = AttachmentDesk(store, tmp_path, 100)

    with pytest.raises(StoreError):
        await desk.keep("att_1", "a.txt", b"one", "unknown")

    assert await desk.find("att_1") is None


async def test_a_session_that_is_gone_takes_its_files_and_their_copies_along(
    store: SqliteStore, tmp_path: Path
) -> None:
    desk = AttachmentDesk(store, tmp_path, 100)
    for attachment_id, session_id in (("att_1", "s1"), ("att_2", "s2")):
        await desk.keep(attachment_id, "a.txt", b"one", session_id)
        await desk.path_for(attachment_id, session_id)

    await desk.forget("s1", ["att_1", "unknown"])

    assert files_in(tmp_path) == {"att_2"}
    assert sorted(folder.name for folder in (tmp_path / "attachments").iterdir()) == ["all", "s2"]


@pytest.mark.parametrize("count", [1, 2, 5])
async def test_all_files_that_a_crash_has_left_are_removed(
    store: SqliteStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, count: int
) -> None:
    monkeypatch.setattr(desk_module, "_ROWS", 2)
    desk = AttachmentDesk(store, tmp_path, 100)
    await desk.keep("att_1", "a.txt", b"one", "s1")
    for name in (f"left_{number}" for number in range(count)):
        (tmp_path / "attachments" / "all" / name).touch()
    for file in (tmp_path / "attachments" / "all").iterdir():
        os.utime(file, (0, 0))

    await desk.tidy()

    assert files_in(tmp_path) == {"att_1"}


async def test_a_node_that_has_taken_in_nothing_has_nothing_to_tidy(store: SqliteStore, tmp_path: Path) -> None:
    await AttachmentDesk(store, tmp_path / "home", 100).tidy()

    assert not (tmp_path / "home").exists()


async def test_a_copy_that_a_tool_has_changed_stays_and_so_does_what_was_sent(
    store: SqliteStore, tmp_path: Path
) -> None:
    desk = AttachmentDesk(store, tmp_path, 100)
    await desk.keep("att_1", "a.txt", b"one", "s1")
    copy = await desk.path_for("att_1", "s1")
    assert copy is not None
    copy.write_bytes(b"two")

    again = await desk.path_for("att_1", "s1")

    assert again == copy
    assert (copy.read_bytes(), await desk.read("att_1")) == (b"two", b"one")
    assert [file.name for file in copy.parent.iterdir()] == ["att_1-a.txt"]


def test_the_folders_of_sessions_are_listed_without_that_of_all(tmp_path: Path) -> None:
    files = AttachmentFiles(tmp_path)
    assert files.sessions() == []
    part = files.part_of("att_1")
    part.write_bytes(b"one")
    part.rename(files.file_of("att_1"))
    files.copy_for("s1", Attachment("att_1", "a.txt", "text/plain", 3, "alice", "s1", 0.0))

    assert files.sessions() == ["s1"]


async def test_the_bytes_are_in_a_shared_store_alone(store: SqliteStore, tmp_path: Path) -> None:
    await AttachmentDesk(store, tmp_path, 100).keep("att_1", "a.txt", b"one", "s1")

    assert await store.read(lambda tx: tx.attachments.piece("att_1", 0)) is None


@pytest.mark.parametrize("store", [SharedStore], indirect=True)
@pytest.mark.parametrize("data", [b"", b"cat", b"catcat", b"catcatc"])
async def test_another_node_fetches_all_pieces_once(
    store: SqliteStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, data: bytes
) -> None:
    monkeypatch.setattr(desk_module, "_PIECE", 3)
    here, there = (AttachmentDesk(store, tmp_path / name, 100) for name in ("here", "there"))
    await here.keep("att_1", "a.txt", data, "s1")

    assert await there.read("att_1") == data
    assert files_in(tmp_path / "there") == {"att_1"}
    (tmp_path / "there" / "attachments" / "all" / "att_1").write_bytes(b"fetched before")
    assert await there.read("att_1") == b"fetched before"


@pytest.mark.parametrize("store", [SharedStore], indirect=True)
async def test_of_two_that_keep_the_same_at_once_the_first_is_kept(store: SqliteStore, tmp_path: Path) -> None:
    here, there, elsewhere = (AttachmentDesk(store, tmp_path / name, 100) for name in ("here", "there", "elsewhere"))
    await here.keep("att_1", "a.txt", b"one", "s1")

    async def find_nothing(attachment_id: str) -> None:
        return None

    there.find = find_nothing  # type: ignore[method-assign]
    await there.keep("att_1", "b.txt", b"two", "s1")

    found = await elsewhere.find("att_1")
    assert found is not None
    assert (found.name, await elsewhere.read("att_1")) == ("a.txt", b"one")
