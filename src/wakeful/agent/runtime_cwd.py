"""The session's working directory under the names that tools and clients know it by."""

from wakeful.context import clear_session_cwd, set_session_cwd

__all__ = ["clear_session_cwd", "set_session_cwd"]
