"""Collects the routes by which the operator runs the messaging doors."""

from starlette.routing import Route

from wakeful.web.messaging.outbox import OutboxRoutes
from wakeful.web.messaging.pairings import PairingRoutes
from wakeful.web.messaging.platforms import PlatformRoutes
from wakeful.web.ports import MessagingDesk
from wakeful.web.web import Web


def messaging_routes(web: Web, desk: MessagingDesk) -> list[Route]:
    rooms = (PlatformRoutes(web, desk), OutboxRoutes(web, desk), PairingRoutes(web, desk))
    return [route for room in rooms for route in room.routes()]
