"""Why a person may be asked about a change of a file."""

from pathlib import Path

import pytest

from tests.unit.tools.kit import tool_context
from wakeful.tools.files.edit_reasons import edit_reasons


@pytest.mark.parametrize(
    ("path", "named", "kinds"),
    [
        ("workspace/a.py", "a.py", ["edit"]),
        ("workspace/.git/config", ".git/config", ["runs_later", "edit"]),
        # A link may hide what it leads to, and a name what it is a link from.
        ("workspace/.git/config", "a.py", ["runs_later", "edit"]),
        ("workspace/a.py", ".git/config", ["runs_later", "edit"]),
        ("workspace/a.py", "../../.envrc", ["runs_later", "edit"]),
        ("home/people/me/memory.md", "memory.md", ["memory", "edit"]),
        ("home/people/me/notes.md", "notes.md", ["edit"]),
        ("workspace/memory.md", "memory.md", ["edit"]),
    ],
)
def test_a_change_is_an_edit_and_may_be_more(path: str, named: str, kinds: list[str], tmp_path: Path) -> None:
    reasons = edit_reasons(tmp_path / path, named, tool_context(tmp_path / "workspace"), tmp_path / "home")

    assert [reason.kind for reason in reasons] == kinds


def test_the_memory_is_known_also_where_the_servers_folder_is_named_by_a_link(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "link").symlink_to("home")

    reasons = edit_reasons(
        tmp_path / "home/memory.md", "memory.md", tool_context(tmp_path / "workspace"), tmp_path / "link"
    )

    assert [reason.kind for reason in reasons] == ["memory", "edit"]
