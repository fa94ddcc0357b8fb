"""The chat in a terminal."""

from wakeful.gateway.platforms.base import BasePlatformAdapter


class TerminalAdapter(BasePlatformAdapter):
    name = "terminal"
