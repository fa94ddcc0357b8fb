"""Settings of the page: the names that it has, and its password."""

from pathlib import Path

import pytest

from wakeful.config.config import Config
from wakeful.config.load import load_config
from wakeful.errors import ConfigError


def load(home: Path, **environment: str) -> Config:
    return load_config({"WAKEFUL_HOME": str(home), **environment})


def test_by_default_there_is_no_password_and_no_name_but_this_machines(tmp_path: Path) -> None:
    config = load(tmp_path)

    assert (config.hosts, config.public_url, config.password) == ((), "", "")


def test_the_settings_are_read_from_the_environment(tmp_path: Path) -> None:
    config = load(
        tmp_path,
        WAKEFUL_HOSTS="box.lan, 192.168.1.5,fd00::1",
        WAKEFUL_PUBLIC_URL="https://wakeful.example.org/",
        WAKEFUL_PASSWORD=" correct horse ",
    )

    assert config.hosts == ("box.lan", "192.168.1.5", "fd00::1")
    assert config.public_url == "https://wakeful.example.org"
    assert config.password == " correct horse "


def test_the_settings_are_read_from_the_file(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text('hosts = ["box.lan"]\npublic_url = "http://box.lan:8080"\n')

    config = load(tmp_path)

    assert (config.hosts, config.public_url) == (("box.lan",), "http://box.lan:8080")


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("https://A.example:443", "https://a.example"),
        ("http://a.example:80/", "http://a.example"),
        ("https://a.example:80", "https://a.example:80"),
        ("https://[fd00::1]:8443", "https://[fd00::1]:8443"),
    ],
)
def test_the_public_address_is_written_as_browsers_do(tmp_path: Path, given: str, meant: str) -> None:
    assert load(tmp_path, WAKEFUL_PUBLIC_URL=given).public_url == meant


@pytest.mark.parametrize(
    "address",
    [
        "wakeful.example.org",
        "ftp://a.example",
        "https://",
        "https://a.example/path",
        "https://a.example?x",
        "https://u:p@a.b",
        "https://a.example:port",
        "https://a.example#x",
    ],
)
def test_an_address_that_is_none_is_refused(tmp_path: Path, address: str) -> None:
    with pytest.raises(ConfigError, match=r"^WAKEFUL_PUBLIC_URL must be an address such as https://"):
        load(tmp_path, WAKEFUL_PUBLIC_URL=address)


@pytest.mark.parametrize("hosts", ["box.lan:8787", "http://box.lan", "a b", "a,,b", "[::1]:80", "user@box"])
def test_hosts_that_are_none_are_refused(tmp_path: Path, hosts: str) -> None:
    with pytest.raises(ConfigError, match=r"^WAKEFUL_HOSTS must be names or addresses without a port"):
        load(tmp_path, WAKEFUL_HOSTS=hosts)


def test_a_short_password_is_refused_and_not_shown(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        load(tmp_path, WAKEFUL_PASSWORD="hunter2")

    assert str(caught.value) == "WAKEFUL_PASSWORD must be a text of at least 8 characters."


def test_the_password_is_shown_nowhere(tmp_path: Path) -> None:
    config = load(tmp_path, WAKEFUL_PASSWORD="correct horse")

    assert "correct horse" not in repr(config)
    assert "correct horse" in config.secrets
