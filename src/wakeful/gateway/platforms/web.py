"""The web page and its routes."""

from wakeful.gateway.platforms.base import BasePlatformAdapter


class WebAdapter(BasePlatformAdapter):
    name = "web"
