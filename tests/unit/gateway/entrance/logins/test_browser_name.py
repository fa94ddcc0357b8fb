"""Browsers in words that people recognise."""

import pytest

from wakeful.gateway.entrance.logins.browser_name import browser_name

_MAC = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko)"
_PHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)"
_WINDOWS = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36"


@pytest.mark.parametrize(
    ("user_agent", "name"),
    [
        (f"{_MAC} Version/18.0 Safari/605.1.15", "Safari on macOS"),
        (f"{_PHONE} Version/18.0 Mobile/15E148 Safari/604.1", "Safari on iPhone"),
        (_WINDOWS, "Chrome on Windows"),
        (f"{_WINDOWS} Edg/140.0", "Edge on Windows"),
        ("Mozilla/5.0 (Android 15; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0", "Firefox on Android"),
        ("Mozilla/5.0 (X11; FreeBSD amd64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox"),
        ("curl/8.5.0", "curl"),
        ("x" * 500, "x" * 60),
        ("", ""),
    ],
)
def test_a_browser_is_named_with_its_system(user_agent: str, name: str) -> None:
    assert browser_name(user_agent) == name
