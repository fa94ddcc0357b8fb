"""The environment of a command: an allowlist, because a list of what to remove would forget some key."""

import re
from collections.abc import Collection, Mapping

_ALLOWED = """
    PATH HOME USER LOGNAME SHELL LANG LANGUAGE TERM COLORTERM NO_COLOR TZ TMPDIR EDITOR PAGER
    DISPLAY WAYLAND_DISPLAY XAUTHORITY
    http_proxy https_proxy ftp_proxy all_proxy no_proxy HTTP_PROXY HTTPS_PROXY FTP_PROXY ALL_PROXY NO_PROXY
    SSL_CERT_FILE SSL_CERT_DIR CURL_CA_BUNDLE REQUESTS_CA_BUNDLE GIT_SSL_CAINFO NODE_EXTRA_CA_CERTS PIP_CERT
    CC CXX LD AR CFLAGS CXXFLAGS CPPFLAGS LDFLAGS LD_LIBRARY_PATH LIBRARY_PATH CPATH PKG_CONFIG_PATH
    CMAKE_PREFIX_PATH MANPATH INFOPATH
    VIRTUAL_ENV CONDA_PREFIX CONDA_DEFAULT_ENV CONDA_EXE PYENV_ROOT PYENV_VERSION PYTHONPATH PYTHONHOME
    PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE PIPX_HOME UV_CACHE_DIR UV_PYTHON_INSTALL_DIR PIP_CACHE_DIR
    NVM_DIR NVM_BIN NODE_PATH NODE_ENV NPM_CONFIG_PREFIX PNPM_HOME BUN_INSTALL DENO_DIR VOLTA_HOME
    JAVA_HOME JDK_HOME MAVEN_HOME M2_HOME GRADLE_HOME GRADLE_USER_HOME SDKMAN_DIR KOTLIN_HOME SCALA_HOME
    ANDROID_HOME ANDROID_SDK_ROOT GOPATH GOROOT GOBIN GOCACHE GOMODCACHE GOFLAGS CARGO_HOME RUSTUP_HOME CARGO_TARGET_DIR
    RBENV_ROOT GEM_HOME GEM_PATH BUNDLE_PATH PERL5LIB COMPOSER_HOME DOTNET_ROOT NUGET_PACKAGES
    NIX_PATH NIX_PROFILES NIX_SSL_CERT_FILE GUIX_PROFILE ASDF_DIR ASDF_DATA_DIR MISE_DATA_DIR
    CUDA_HOME CUDA_PATH CUDA_VISIBLE_DEVICES ROCM_PATH DOCKER_HOST KUBECONFIG CI DEBIAN_FRONTEND
"""
_NAMES = frozenset(_ALLOWED.split())
_PREFIXES = ("LC_", "XDG_")
# It leads to the user's services, and what they start is no child of the command. Agents that hold keys are such
# services too, so their variables are not allowed either.
_SERVICES = frozenset({"XDG_RUNTIME_DIR"})

_SECRET_NAME = re.compile(r"(?:^|_)(?:API_?KEY|KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)(?:_|$)", re.IGNORECASE)
# Shorter values occur in ordinary words.
_SHORTEST_SECRET = 8
_PASSWORD_IN_ADDRESS = re.compile(r"(?:^|//)[^/\s:@]*:[^/\s]*@")


def command_environment(
    source: Mapping[str, str], *, extra: Collection[str], secrets: Collection[str]
) -> dict[str, str]:
    """Return the variables that commands get. `extra` are names that the operator has added. The server's own settings,
    addresses with a password and values that contain a known secret are never passed on, whatever their name.
    """
    return {
        name: value
        for name, value in source.items()
        if (name in _NAMES or (name.startswith(_PREFIXES) and name not in _SERVICES) or name in extra)
        and not name.startswith("WAKEFUL_")
        and not _PASSWORD_IN_ADDRESS.search(value)
        and not any(secret in value for secret in secrets)
    }


def secrets_in(source: Mapping[str, str], *, passed_on: Collection[str]) -> set[str]:
    """Return the values of variables that are named like secrets, except those that commands get. A path to a secret is
    not a secret.
    """
    return {
        value
        for name, value in source.items()
        if _SECRET_NAME.search(name)
        and name not in passed_on
        and len(value) >= _SHORTEST_SECRET
        and not value.startswith(("/", "~", "."))
    }
