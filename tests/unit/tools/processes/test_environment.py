"""Which part of the server's environment a command gets."""

import pytest

from wakeful.tools.processes.environment import command_environment, secrets_in


def passed(source: dict[str, str], *extra: str, secrets: frozenset[str] = frozenset()) -> dict[str, str]:
    return command_environment(source, extra=extra, secrets=secrets)


def test_what_a_build_needs_is_passed_on() -> None:
    source = {"PATH": "/bin", "LC_ALL": "C", "XDG_CACHE_HOME": "/c", "JAVA_HOME": "/j", "https_proxy": "http://p:1"}

    assert passed(source) == source


@pytest.mark.parametrize(
    "name",
    ["OPENAI_API_KEY", "ANTHROPIC_API_KEY", "WAKEFUL_API_KEYS", "DATABASE_URL", "PGPASSWORD", "AWS_SECRET_ACCESS_KEY"],
)
def test_keys_and_addresses_of_databases_are_not(name: str) -> None:
    assert passed({name: "x"}) == {}


def test_operator_may_add_names() -> None:
    assert passed({"MY_TOKEN": "x", "OTHER": "y"}, "MY_TOKEN") == {"MY_TOKEN": "x"}


@pytest.mark.parametrize("name", ["SSH_AUTH_SOCK", "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR"])
def test_the_way_to_other_services_of_the_user_is_passed_on_only_where_it_is_named(name: str) -> None:
    assert passed({name: "/run/user/1"}) == {}
    assert passed({name: "/run/user/1"}, name) == {name: "/run/user/1"}


def test_our_own_settings_and_known_secrets_are_never_passed_on() -> None:
    source = {"WAKEFUL_MODEL": "m", "MY_URL": "https://x.example/?key=sk-12345"}

    assert passed(source, "WAKEFUL_MODEL", "MY_URL", secrets=frozenset({"sk-12345"})) == {}


@pytest.mark.parametrize("value", ["http://me:word@proxy:3128", "me:word@proxy:3128", "http://:word@proxy"])
def test_proxy_with_a_password_is_not_passed_on(value: str) -> None:
    assert passed({"HTTPS_PROXY": value, "https_proxy": value}) == {}


def test_address_with_a_user_alone_is_harmless() -> None:
    source = {"DOCKER_HOST": "ssh://me@machine", "TMPDIR": "/tmp/a:b@c"}

    assert passed(source) == source


def test_variables_that_are_named_like_secrets_are_secrets_unless_commands_are_to_have_them() -> None:
    source = {
        "ANTHROPIC_API_KEY": "sk-ant-12345",
        "GITHUB_TOKEN": "ghp_12345678",
        "KEYBOARD": "qwertyuiop",
        "SSH_KEY": "/root/.ssh/id_rsa",
        "PIN_SECRET": "1234",
    }

    assert secrets_in(source, passed_on=["GITHUB_TOKEN"]) == {"sk-ant-12345"}


@pytest.mark.parametrize(
    ("name", "value", "is_secret"),
    [
        ("API_KEY", "12345678", True),
        ("API_KEY", "1234567", False),
        ("my_token", "12345678", True),
        ("KEYBOARD", "12345678", False),
        ("TOKENS", "12345678", False),
        ("KEY", "/etc/key/file", False),
        ("KEY", "~/key/file", False),
        ("KEY", "./key/file", False),
        ("PASSED_KEY", "12345678", False),
    ],
)
def test_a_secret_is_known_by_its_name_and_its_length(name: str, value: str, is_secret: bool) -> None:
    assert secrets_in({name: value}, passed_on=["PASSED_KEY"]) == ({value} if is_secret else set())


@pytest.mark.parametrize(
    ("name", "value", "is_passed_on"),
    [
        ("PATH", "/bin", True),
        ("LC_ALL", "C", True),
        ("XDG_DATA_HOME", "/x", True),
        ("XDG_RUNTIME_DIR", "/run", False),
        ("OTHER", "x", False),
        ("ADDED", "x", True),
        ("WAKEFUL_ADDED", "x", False),
        ("PATH", "/bin:a-secret-one", False),
        ("http_proxy", "http://me:word@proxy", False),
        ("http_proxy", "http://me@proxy", True),
    ],
)
def test_a_variable_is_passed_on_if_it_is_allowed_and_tells_nothing(name: str, value: str, is_passed_on: bool) -> None:
    passed_on = command_environment({name: value}, extra=["ADDED", "WAKEFUL_ADDED"], secrets=["a-secret"])

    assert passed_on == ({name: value} if is_passed_on else {})
