"""Identifies this machine: only servers on the same machine can find its processes again."""

import os
import uuid
from pathlib import Path

from wakeful.model.ids import new_id
from wakeful.model.tasks.task import Host

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


def this_host(home: Path) -> Host:
    """Return this host. Its id is in the file `host` of the home folder, which the first use creates."""
    return Host(_host_id(home / "host"), _BOOT_ID.read_text().strip())


def _host_id(file: Path) -> str:
    if not file.exists():
        # Two servers may start at the same time: the first link wins.
        draft = file.with_name(new_id("host"))
        draft.write_text(f"{uuid.uuid4()}\n")
        try:
            os.link(draft, file)
        except FileExistsError:
            pass
        finally:
            draft.unlink()
    return file.read_text().strip()
