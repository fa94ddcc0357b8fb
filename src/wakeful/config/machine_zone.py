"""The name of the time zone that this machine is set to."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from zoneinfo import ZoneInfo

_LINK = Path("/etc/localtime")
_NAME = Path("/etc/timezone")


def machine_zone(environment: Mapping[str, str] = os.environ) -> str:
    """Return the zone of TZ, or the system's; UTC if neither names one."""
    return next(filter(_is_zone, _candidates(environment)), "UTC")


def _candidates(environment: Mapping[str, str]) -> Iterator[str]:
    yield environment.get("TZ", "").removeprefix(":")
    yield os.path.realpath(_LINK).rpartition("/zoneinfo/")[2]
    try:
        yield _NAME.read_text().strip()
    except (OSError, UnicodeDecodeError):
        return


def _is_zone(name: str) -> bool:
    try:
        return bool(ZoneInfo(name).key)
    except (KeyError, ValueError, OSError):
        return False
