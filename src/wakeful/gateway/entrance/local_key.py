"""The local key: a file in the home folder that only its owner can read. Its holder is the operator."""

import fcntl
import os
import secrets
import stat
from pathlib import Path

from wakeful.errors import ConfigError

_SMALLEST = 16
_READABLE_BY_OTHERS = 0o077


def local_key(home: Path) -> str:
    """Return the key, and create it if it is missing. Two servers that start at once get the same key."""
    path = home / "key"
    try:
        return _read(path) or _make(path)
    except OSError as error:
        raise ConfigError(
            f"The key file {path} cannot be used ({error.strerror}): check its owner and permissions."
        ) from error


def new_key() -> str:
    """Return a new key without storing it."""
    return f"wk_{secrets.token_urlsafe(32)}"


def _read(path: Path) -> str:
    """Return the key, or an empty text if the file is missing or not written yet."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return ""
    try:
        return _checked(path, file)
    finally:
        os.close(file)


def _make(path: Path) -> str:
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        # The second process to get the lock finds the key of the first.
        fcntl.flock(file, fcntl.LOCK_EX)
        if known := _checked(path, file):
            return known
        key = new_key()
        os.write(file, f"{key}\n".encode())
        os.fsync(file)
        return key
    finally:
        os.close(file)


def _checked(path: Path, file: int) -> str:
    mode = stat.S_IMODE(os.fstat(file).st_mode)
    if mode & _READABLE_BY_OTHERS:
        raise ConfigError(
            f"The key file {path} is open to others (mode {mode:o}): "
            f"delete it to get a new key, or run chmod 600 {path} if no one else has read it."
        )
    key = os.read(file, 4096).decode(errors="replace").strip()
    is_whole = len(key) >= _SMALLEST and key.isascii() and key.isprintable() and " " not in key
    if key and not is_whole:
        raise ConfigError(f"The key file {path} does not hold a key: delete it to get a new one.")
    return key
