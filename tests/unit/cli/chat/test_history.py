"""The history of what was typed."""

from pathlib import Path

from wakeful.cli.chat.history import open_history


def test_only_its_owner_may_read_the_history(tmp_path: Path) -> None:
    open_history(tmp_path).append_string("my secret plan")

    path = tmp_path / "chat_history"
    assert path.stat().st_mode & 0o777 == 0o600
    assert "my secret plan" in path.read_text()


def test_what_was_typed_before_is_still_there(tmp_path: Path) -> None:
    open_history(tmp_path).append_string("first\nsecond line")

    assert list(open_history(tmp_path).load_history_strings()) == ["first\nsecond line"]
