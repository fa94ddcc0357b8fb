import pytest

from wakeful.errors import ConfigError
from wakeful.network.proxy import proxy_for


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "no_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    monkeypatch.setenv("HTTPS_PROXY", "http://me:secret@proxy:3128")
    monkeypatch.setenv("HTTP_PROXY", "proxy:3128")
    monkeypatch.setenv("NO_PROXY", "inside.example")


def test_the_environment_names_the_proxy() -> None:
    assert proxy_for("https://api.openai.com/v1") == "http://me:secret@proxy:3128"
    assert proxy_for("http://model.example/v1") == "http://proxy:3128"


def test_excluded_hosts_are_reached_directly() -> None:
    assert proxy_for("https://inside.example/v1") is None


def test_without_a_proxy_for_its_scheme_an_address_is_reached_directly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HTTPS_PROXY")

    assert proxy_for("https://api.openai.com/v1") is None
    assert proxy_for("http://model.example/v1") == "http://proxy:3128"


def test_a_proxy_may_be_reached_by_https(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "https://proxy:3129")

    assert proxy_for("https://api.openai.com/v1") == "https://proxy:3129"


@pytest.mark.parametrize("host", ["notlocalhost", "localhost.example", "128.0.0.1", "[::2]"])
def test_a_name_that_looks_like_this_machine_is_another(host: str) -> None:
    assert proxy_for(f"http://{host}:11434/v1") == "http://proxy:3128"


@pytest.mark.parametrize("host", ["localhost", "model.localhost", "127.0.0.1", "127.1.2.3", "[::1]"])
def test_a_model_on_this_machine_is_reached_directly(host: str) -> None:
    assert proxy_for(f"http://{host}:11434/v1") is None


def test_a_proxy_of_another_kind_is_a_config_error_without_its_password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "socks5://me:secret@proxy:1080")

    with pytest.raises(ConfigError, match="NO_PROXY") as caught:
        proxy_for("https://api.openai.com/v1")

    assert "secret" not in str(caught.value)


def test_an_address_without_a_host_is_nobody_in_particular() -> None:
    assert proxy_for("https:///v1") == "http://me:secret@proxy:3128"
