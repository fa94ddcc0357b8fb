"""The session's working directory, under the module name that tools and clients import it from."""

from wakeful.context import clear_session_cwd, set_session_cwd

__all__ = ["clear_session_cwd", "set_session_cwd"]
