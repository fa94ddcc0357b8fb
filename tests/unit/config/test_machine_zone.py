"""The zone of the machine: from the environment, from the system's link or its file, or UTC."""

from pathlib import Path

import pytest

from wakeful.config.machine_zone import machine_zone


@pytest.fixture
def etc(tmp_path: Path) -> Path:
    """Return a folder of the system in which the link says Berlin and the file says Tokyo."""
    (tmp_path / "localtime").symlink_to(tmp_path / "zoneinfo" / "Europe" / "Berlin")
    (tmp_path / "timezone").write_text("Asia/Tokyo\n")
    return tmp_path


def test_the_environment_goes_before_the_system_unless_it_names_no_zone(etc: Path) -> None:
    assert machine_zone({"TZ": ":America/New_York"}, etc) == "America/New_York"
    assert machine_zone({"TZ": "nonsense"}, etc) == "Europe/Berlin"


def test_the_link_goes_before_the_file(etc: Path) -> None:
    assert machine_zone({}, etc) == "Europe/Berlin"
    (etc / "localtime").unlink()
    assert machine_zone({}, etc) == "Asia/Tokyo"


def test_a_machine_that_names_no_zone_has_that_of_the_world(etc: Path) -> None:
    (etc / "localtime").unlink()
    (etc / "timezone").write_bytes(b"\xff")
    assert machine_zone({}, etc) == "UTC"
    (etc / "timezone").unlink()
    assert machine_zone({}, etc) == "UTC"
