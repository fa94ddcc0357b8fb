"""The name of the time zone that this machine is set to."""

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from zoneinfo import ZoneInfo


def machine_zone(environment: Mapping[str, str] = os.environ, etc: Path = Path("/etc")) -> str:
    """Return the zone of TZ, or the system's; UTC if neither names one."""
    return next(filter(_is_zone, _candidates(environment, etc)), "UTC")


def _candidates(environment: Mapping[str, str], etc: Path) -> Iterator[str]:
    yield environment.get("TZ", "").removeprefix(":")
    yield os.path.realpath(etc / "localtime").rpartition("/zoneinfo/")[2]
    with suppress(OSError, UnicodeDecodeError):
        yield (etc / "timezone").read_text().strip()


def _is_zone(name: str) -> bool:
    with suppress(KeyError, ValueError, OSError):
        return bool(ZoneInfo(name).key)
    return False
