import pytest

from wakeful.agent.providers.endpoint_url import EndpointUrl
from wakeful.errors import ConfigError

_CHAT = "/chat/completions"


@pytest.mark.parametrize(
    ("base_url", "target"),
    [
        ("https://api.openai.com/v1", "https://api.openai.com/v1/chat/completions"),
        (" http://localhost:11434/v1/ ", "http://localhost:11434/v1/chat/completions"),
        ("http://localhost:8080", "http://localhost:8080/chat/completions"),
        ("http://[::1]:8080/v1", "http://[::1]:8080/v1/chat/completions"),
        ("https://host/v1/chat/completions", "https://host/v1/chat/completions"),
        ("https://host/openai?api-version=1", "https://host/openai/chat/completions?api-version=1"),
    ],
)
def test_the_route_is_found_under_the_base_url(base_url: str, target: str) -> None:
    assert EndpointUrl.under(base_url, _CHAT, keep_userinfo=True).target == target


@pytest.mark.parametrize(
    "base_url",
    ["https://api.anthropic.com", "https://api.anthropic.com/", "https://api.anthropic.com/v1/messages",
     "https://api.anthropic.com/v1"],
)  # fmt: skip
def test_a_route_that_begins_with_its_version_is_not_given_it_twice(base_url: str) -> None:
    assert EndpointUrl.under(base_url, "/v1/messages", keep_userinfo=True).shown == (
        "https://api.anthropic.com/v1/messages"
    )


def test_the_query_of_a_route_joins_that_of_the_base_url() -> None:
    url = EndpointUrl.under("https://host/v1?version=1", "/models?limit=5", keep_userinfo=True)

    assert url.target == "https://host/v1/models?version=1&limit=5"


def test_people_see_neither_password_nor_query() -> None:
    url = EndpointUrl.under("https://me:secret@host:8443/v1?key=secret", _CHAT, keep_userinfo=True)

    assert url.shown == "https://host:8443/v1/chat/completions"
    assert "secret" not in repr(url)
    assert url.target == "https://me:secret@host:8443/v1/chat/completions?key=secret"


def test_a_password_in_the_url_gives_way_to_the_key() -> None:
    url = EndpointUrl.under("https://me:secret@host/v1", _CHAT, keep_userinfo=False)

    assert url.target == "https://host/v1/chat/completions"


@pytest.mark.parametrize(
    "base_url", ["", "localhost:11434", "ftp://host", "https://", "http://host:x/v1", "http://[::1", "http://a..b"]
)
def test_what_is_no_address_is_a_clear_config_error(base_url: str) -> None:
    with pytest.raises(ConfigError, match="OPENAI_BASE_URL"):
        EndpointUrl.under(base_url, _CHAT, keep_userinfo=True, setting="OPENAI_BASE_URL")
