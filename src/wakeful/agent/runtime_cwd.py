"""The session's working directory, under its module name in hermes-agent, by which tools and clients import it."""

from wakeful.context import clear_session_cwd, set_session_cwd

__all__ = ["clear_session_cwd", "set_session_cwd"]
