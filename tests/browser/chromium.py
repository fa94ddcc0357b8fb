"""Finds Chromium and names its arguments."""

import shutil

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
_NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
# The same engine without windows, which needs a quarter less processor time.
_SHELL = "chromium-headless-shell"


def find_chromium() -> str:
    found = next((path for name in _NAMES if (path := shutil.which(name))), None)
    if found is None:
        raise RuntimeError("The browser tests need Chromium: install Debian's package chromium, or Google Chrome.")
    return found


def find_quick_chromium() -> str:
    """Return one without windows, if there is one. It shows no notifications of the system."""
    return shutil.which(_SHELL) or find_chromium()


if __name__ == "__main__":
    print(find_chromium())
