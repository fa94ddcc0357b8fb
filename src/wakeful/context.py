"""The session that a turn runs for, in context variables, so that concurrent turns never share it.
Their names are hermes-agent's, which tools ask for.

Plain threads and thread pools do not inherit them: use `asyncio.to_thread`, or `copy_context().run`.
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
# They have no default: a variable that was never set falls back to the environment, an empty one does not.
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
    """Bind the current context to a session as a whole: what is not passed becomes empty, and keeps no old value."""
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
    """End the binding of the current context: what set_session_vars binds is empty from now on, and does not fall back
    to the environment. The target of a scheduled answer stays: it belongs to the run, not to the session.

    The tokens are not used: resetting to them would bring the fallback to the environment back, and a token is valid
    only in the context that made it.
    """
    for variable in _OF_SESSION:
        variable.set("")
    _CWD.set("")
    _ASYNC_DELIVERY.set(True)


def get_session_env(name: str, default: str = "") -> str:
    """Return the context's value of this name, or the environment's if it was never set."""
    variable = _READABLE.get(name)
    fallback = os.environ.get(name, default)
    return fallback if variable is None else variable.get(fallback)


def session_environment() -> dict[str, str]:
    """Return the environment variables that a command of this session gets: the context's values, by the same names.

    Values with a NUL are left out, because no environment can hold them, and so are those of a schedule in a turn that
    none has opened.
    """
    bound = {variable.name: variable.get(None) for variable in _OF_SESSION}
    if _CRON_PLATFORM.get(""):
        bound |= {variable.name: variable.get("") for variable in _OF_CRON}
    return {name: value for name, value in bound.items() if value is not None and "\0" not in value}


def set_current_session_id(session_id: str) -> None:
    """Set the variable and the environment together, so that programs started from here get the same session."""
    _SESSION_ID.set(session_id)
    os.environ[_SESSION_ID.name] = session_id


def async_delivery_supported() -> bool:
    """Return whether anything can be delivered after the turn. Check it before promising to deliver later."""
    return bool(_ASYNC_DELIVERY.get())


def declare_stateless_channel() -> None:
    """Declare that the run ends with its answer, so that nothing can be delivered later. Binds nothing else."""
    _ASYNC_DELIVERY.set(False)


def set_cron_auto_delivery(platform: str = "", chat_id: str = "", thread_id: str = "") -> list[Token[Any]]:
    """Set where the answer of a scheduled turn is delivered automatically."""
    return [_CRON_PLATFORM.set(platform), _CRON_CHAT_ID.set(chat_id), _CRON_THREAD_ID.set(thread_id)]


def set_session_cwd(cwd: str) -> Token[str]:
    return _CWD.set(cwd)


def clear_session_cwd() -> None:
    _CWD.set("")


def current_cwd() -> str:
    """Return the session's working directory, or that of the process if it has none."""
    return _CWD.get() or os.getcwd()
