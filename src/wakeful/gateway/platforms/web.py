"""The adapter of the web page."""

from wakeful.gateway.platforms.base import BasePlatformAdapter


class WebAdapter(BasePlatformAdapter):
    name = "web"
