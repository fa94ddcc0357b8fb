"""What a call would write, and up to which size what stands there is read."""

from pathlib import Path

import pytest

from wakeful.tools.base import Unusable
from wakeful.tools.files import drafts
from wakeful.tools.files.drafts import draft_of_edit, draft_of_write


@pytest.mark.parametrize(("size", "before"), [(10, b"a" * 10), (11, None)])
def test_a_file_up_to_the_limit_is_kept_before_it_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int, before: bytes | None
) -> None:
    monkeypatch.setattr(drafts, "LARGEST_KEPT", 10)
    (tmp_path / "a").write_bytes(b"a" * size)

    draft = draft_of_write(tmp_path / "a", "a", "new")

    assert (draft.before, draft.is_undoable) == (before, before is not None)
    assert (draft.kind, draft.before_mark != "") == ("changed", True)


def test_a_file_up_to_the_limit_is_edited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drafts, "_LARGEST_EDITED", 10)
    file = tmp_path / "a"
    file.write_bytes(b"a" * 9 + b"b")
    assert draft_of_edit(file, "a", "b", "c", everywhere=False).after == b"a" * 9 + b"c"

    file.write_bytes(b"a" * 10 + b"b")

    with pytest.raises(Unusable, match="too large to be edited: the limit is 10 bytes"):
        draft_of_edit(file, "a", "b", "c", everywhere=False)


def test_an_edited_file_that_is_too_large_to_be_kept_cannot_be_undone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drafts, "LARGEST_KEPT", 2)
    (tmp_path / "fits").write_text("ab")
    (tmp_path / "large").write_text("abc")

    fits = draft_of_edit(tmp_path / "fits", "fits", "b", "x", everywhere=False)
    large = draft_of_edit(tmp_path / "large", "large", "b", "x", everywhere=False)

    assert (fits.is_undoable, large.is_undoable) == (True, False)
