"""Collects the routes by which the operator runs the messaging doors and sees the hooks."""

from collections.abc import Sequence

from starlette.routing import Route

from wakeful.web.messaging.hooks import HookFacts, HookListRoutes
from wakeful.web.messaging.outbox import OutboxRoutes
from wakeful.web.messaging.pairings import PairingRoutes
from wakeful.web.messaging.platforms import PlatformRoutes
from wakeful.web.ports import MessagingDesk
from wakeful.web.web import Web


def messaging_routes(web: Web, desk: MessagingDesk, hooks: Sequence[HookFacts]) -> list[Route]:
    rooms = (PlatformRoutes(web, desk), OutboxRoutes(web, desk), PairingRoutes(web, desk), HookListRoutes(web, hooks))
    return [route for room in rooms for route in room.routes()]
