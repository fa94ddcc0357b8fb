"""What a turn knows about itself: context variables, so that turns that run side by side never share them.

Plain threads and thread pools inherit none of it: use `asyncio.to_thread`, or `copy_context().run`.
"""

import os
from contextvars import ContextVar, Token
from typing import Any

_PLATFORM: ContextVar[str] = ContextVar("HERMES_SESSION_PLATFORM")
_SOURCE: ContextVar[str] = ContextVar("HERMES_SESSION_SOURCE")
_CHAT_ID: ContextVar[str] = ContextVar("HERMES_SESSION_CHAT_ID")
_CHAT_NAME: ContextVar[str] = ContextVar("HERMES_SESSION_CHAT_NAME")
_THREAD_ID: ContextVar[str] = ContextVar("HERMES_SESSION_THREAD_ID")
_USER_ID: ContextVar[str] = ContextVar("HERMES_SESSION_USER_ID")
_USER_NAME: ContextVar[str] = ContextVar("HERMES_SESSION_USER_NAME")
_SESSION_KEY: ContextVar[str] = ContextVar("HERMES_SESSION_KEY")
_SESSION_ID: ContextVar[str] = ContextVar("HERMES_SESSION_ID")
_MESSAGE_ID: ContextVar[str] = ContextVar("HERMES_SESSION_MESSAGE_ID")
_CRON_PLATFORM: ContextVar[str] = ContextVar("HERMES_CRON_AUTO_DELIVER_PLATFORM")
_CRON_CHAT_ID: ContextVar[str] = ContextVar("HERMES_CRON_AUTO_DELIVER_CHAT_ID")
_CRON_THREAD_ID: ContextVar[str] = ContextVar("HERMES_CRON_AUTO_DELIVER_THREAD_ID")

_OF_SESSION = (
    _PLATFORM,
    _SOURCE,
    _CHAT_ID,
    _CHAT_NAME,
    _THREAD_ID,
    _USER_ID,
    _USER_NAME,
    _SESSION_KEY,
    _SESSION_ID,
    _MESSAGE_ID,
)
_OF_CRON = (_CRON_PLATFORM, _CRON_CHAT_ID, _CRON_THREAD_ID)
# They have no default: "never set" falls back to the environment, and the empty text does not.
_READABLE = {variable.name: variable for variable in (*_OF_SESSION, *_OF_CRON)}

# Empty means none.
_CWD: ContextVar[str] = ContextVar("cwd", default="")
_ASYNC_DELIVERY: ContextVar[bool] = ContextVar("async_delivery", default=True)


def set_session_vars(
    platform: str = "",
    source: str = "",
    chat_id: str = "",
    chat_name: str = "",
    thread_id: str = "",
    user_id: str = "",
    user_name: str = "",
    session_key: str = "",
    session_id: str = "",
    message_id: str = "",
    cwd: str = "",
    async_delivery: bool = True,
) -> list[Token[Any]]:
    """Bind the current context to a session, as a whole: what is not given is empty, and not what it was before."""
    return [
        _PLATFORM.set(platform),
        _SOURCE.set(source),
        _CHAT_ID.set(chat_id),
        _CHAT_NAME.set(chat_name),
        _THREAD_ID.set(thread_id),
        _USER_ID.set(user_id),
        _USER_NAME.set(user_name),
        _SESSION_KEY.set(session_key),
        _SESSION_ID.set(session_id),
        _MESSAGE_ID.set(message_id),
        _CWD.set(cwd),
        _ASYNC_DELIVERY.set(async_delivery),
    ]


def clear_session_vars(tokens: list[Token[Any]]) -> None:
    """End the binding of the current context. What set_session_vars binds reads as empty from now on, without the
    environment; where a scheduled answer goes stays: it belongs to the run, not to the session.

    The tokens are not needed: going back to what was before would bring the environment back, and a token is of
    no use in another context than its own.
    """
    for variable in _OF_SESSION:
        variable.set("")
    _CWD.set("")
    _ASYNC_DELIVERY.set(True)


def get_session_env(name: str, default: str = "") -> str:
    """What the context has under this name; where it was never set, what the environment has."""
    variable = _READABLE.get(name)
    fallback = os.environ.get(name, default)
    return fallback if variable is None else variable.get(fallback)


def session_environment() -> dict[str, str]:
    """What the context is bound to, under the same names: the variables that a command of this session gets. A value
    with a NUL cannot be passed on.
    """
    bound = {name: variable.get(None) for name, variable in _READABLE.items()}
    return {name: value for name, value in bound.items() if value is not None and "\0" not in value}


def set_current_session_id(session_id: str) -> None:
    """Move the variable and the environment together, so that programs started from here see the same session."""
    _SESSION_ID.set(session_id)
    os.environ[_SESSION_ID.name] = session_id


def async_delivery_supported() -> bool:
    """Whether something can still be delivered after the turn. Ask before promising anything."""
    return bool(_ASYNC_DELIVERY.get())


def declare_stateless_channel() -> None:
    """For a run that ends with its answer: nothing can be delivered later. Binds nothing else."""
    _ASYNC_DELIVERY.set(False)


def set_cron_auto_delivery(platform: str = "", chat_id: str = "", thread_id: str = "") -> list[Token[Any]]:
    """Say where the answer of a scheduled turn goes by itself."""
    return [_CRON_PLATFORM.set(platform), _CRON_CHAT_ID.set(chat_id), _CRON_THREAD_ID.set(thread_id)]


def set_session_cwd(cwd: str) -> Token[str]:
    return _CWD.set(cwd)


def clear_session_cwd() -> None:
    _CWD.set("")


def current_cwd() -> str:
    """The working directory of the session; that of the process where there is none."""
    return _CWD.get() or os.getcwd()
