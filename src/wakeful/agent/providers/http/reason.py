"""Why a connection failed, in the system's own words."""

import os
import ssl


def reason_of(error: Exception) -> str:
    """Without the address, which the message that quotes this already names."""
    if isinstance(error, ssl.SSLError):
        # Its errno is one of OpenSSL's, and its reason is written LIKE_THIS.
        return (error.reason or str(error)).replace("_", " ").lower()
    if isinstance(error, OSError) and error.errno and error.errno > 0:
        return os.strerror(error.errno)
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(error) or type(error).__name__
