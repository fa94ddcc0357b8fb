"""What discord.py raises, as what it means for a message or for the door."""

from collections.abc import Iterator
from contextlib import contextmanager

import aiohttp
import discord

from wakeful.errors import WakefulError
from wakeful.gateway.messaging.platform import Cure, NotTaken, Refused, TokenRefused, Unanswered

TOKEN_REFUSED = (
    "Discord does not know this token: set WAKEFUL_DISCORD_TOKEN to the one from the Bot page of the "
    "application in Discord's developer portal."
)
_INVALID_FORM = 50035


@contextmanager
def own_errors() -> Iterator[None]:
    """Raise NotTaken, Unanswered, Refused or TokenRefused for whatever a request of discord.py raises."""
    try:
        yield
    except discord.RateLimited as limit:
        seconds = limit.retry_after
        raise NotTaken(f"Discord limits us for {seconds:.3g} s.", seconds=seconds) from None
    except discord.LoginFailure:
        raise TokenRefused(TOKEN_REFUSED) from None
    except discord.HTTPException as error:
        raise _meaning(error) from None
    except (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError) as error:
        raise NotTaken(f"Discord cannot be reached: {error}") from None
    except (aiohttp.ClientError, OSError, TimeoutError) as error:
        raise Unanswered(f"Discord did not answer: {str(error) or type(error).__name__}") from None
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        # discord.py takes for granted that what it gets has Discord's form.
        raise Unanswered("Discord's answer cannot be read: check WAKEFUL_DISCORD_API_URL if it is set.") from error


def _meaning(error: discord.HTTPException) -> WakefulError:
    if error.status == 401:
        return TokenRefused(TOKEN_REFUSED)
    if error.status == 429:
        # discord.py raises RateLimited for limits of Discord itself: this one comes from a proxy in front of it.
        return NotTaken("Discord limits us.", seconds=_retry_after(error))
    words = f"Discord answered {error.status}: {error.text}"
    if error.status >= 500:
        return Unanswered(words)
    cure = _cure(error)
    return Refused(words) if cure is None else NotTaken(words, cure=cure)


def _cure(error: discord.HTTPException) -> Cure | None:
    if error.code != _INVALID_FORM:
        return None
    if "In message_reference" in error.text:
        return Cure.NO_ANCHOR
    # "Must be 2000 or fewer in length."
    return Cure.SHORTER if "In content" in error.text and "fewer" in error.text else None


def _retry_after(error: discord.HTTPException) -> float:
    try:
        return float(error.response.headers["Retry-After"])
    except (KeyError, ValueError):
        return 0.0
