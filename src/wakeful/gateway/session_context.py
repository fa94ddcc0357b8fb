"""The session context, under its module name in hermes-agent, by which tools and clients import it."""

from wakeful.context import (
    async_delivery_supported,
    clear_session_vars,
    declare_stateless_channel,
    get_session_env,
    set_cron_auto_delivery,
    set_current_session_id,
    set_session_vars,
)

__all__ = [
    "async_delivery_supported",
    "clear_session_vars",
    "declare_stateless_channel",
    "get_session_env",
    "set_cron_auto_delivery",
    "set_current_session_id",
    "set_session_vars",
]
