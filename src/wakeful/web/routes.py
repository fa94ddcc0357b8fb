"""The routes of the web API, for app.py to hand to the HTTP door."""

from starlette.routing import Route

from wakeful.web.approvals import ApprovalRoutes
from wakeful.web.chat import ChatRoutes
from wakeful.web.grants import GrantRoutes
from wakeful.web.home import HomeRoutes
from wakeful.web.sessions import SessionRoutes
from wakeful.web.streams import StreamRoutes
from wakeful.web.tasks import TaskRoutes
from wakeful.web.timeline import TimelineRoutes
from wakeful.web.web import Web


def web_routes(web: Web) -> list[Route]:
    rooms = (
        SessionRoutes(web),
        HomeRoutes(web),
        ChatRoutes(web),
        StreamRoutes(web),
        TaskRoutes(web),
        TimelineRoutes(web),
        ApprovalRoutes(web),
        GrantRoutes(web),
    )
    return [route for room in rooms for route in room.routes()]
