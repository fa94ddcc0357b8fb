import pytest

from wakeful.errors import ConfigError
from wakeful.tools.files import ListFiles, ReadFile
from wakeful.tools.registry import ToolRegistry


def test_tools_are_found_by_name() -> None:
    read, listing = ReadFile(), ListFiles()
    registry = ToolRegistry([read, listing])

    assert registry.get("read_file") is read
    assert registry.get("no_such_tool") is None
    assert [spec.name for spec in registry.specs] == ["read_file", "list_files"]


def test_two_tools_of_one_name_are_refused() -> None:
    with pytest.raises(ConfigError, match="read_file"):
        ToolRegistry([ReadFile(), ReadFile()])
