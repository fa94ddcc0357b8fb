"""The adapters of Wakeful's own doors: the terminal chat, the page and `wakeful ask`."""

from wakeful.gateway.platforms.base import BasePlatformAdapter


class TerminalAdapter(BasePlatformAdapter):
    name = "terminal"


class WebAdapter(BasePlatformAdapter):
    name = "web"


class AskAdapter(BasePlatformAdapter):
    """`wakeful ask` ends with its turn and reads no input while the turn runs."""

    name = "ask"
    supports_async_delivery = False
    can_ask = False
