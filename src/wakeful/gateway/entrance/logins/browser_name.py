"""A browser in words that people recognise, as in "Firefox on Linux", from what it calls itself."""

# The first that is found counts: most browsers claim to be several others.
_BROWSERS = (
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser/", "Samsung Internet"),
    ("Firefox/", "Firefox"),
    ("FxiOS/", "Firefox"),
    ("CriOS/", "Chrome"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
)
_SYSTEMS = (
    ("Android", "Android"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("CrOS", "ChromeOS"),
    ("Windows", "Windows"),
    ("Mac OS X", "macOS"),
    ("Linux", "Linux"),
)
_LONGEST = 60


def browser_name(user_agent: str) -> str:
    """Empty when it said nothing; its first word when it is no browser that we know."""
    browser = next((name for mark, name in _BROWSERS if mark in user_agent), "")
    system = next((name for mark, name in _SYSTEMS if mark in user_agent), "")
    if browser:
        return f"{browser} on {system}" if system else browser
    return user_agent.partition(" ")[0].partition("/")[0][:_LONGEST]
