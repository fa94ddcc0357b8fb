"""The adapter of the terminal chat."""

from wakeful.gateway.platforms.base import BasePlatformAdapter


class TerminalAdapter(BasePlatformAdapter):
    name = "terminal"
