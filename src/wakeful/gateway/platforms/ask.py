"""The adapter of `wakeful ask`, which ends with its turn and reads no input while the turn runs."""

from wakeful.gateway.platforms.base import BasePlatformAdapter


class AskAdapter(BasePlatformAdapter):
    name = "ask"
    supports_async_delivery = False
    can_ask = False
