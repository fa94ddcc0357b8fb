"""Collects the routes of the web API."""

from starlette.routing import Route

from wakeful.web.approvals.grants import GrantRoutes
from wakeful.web.approvals.routes import ApprovalRoutes
from wakeful.web.attachments.routes import AttachmentRoutes
from wakeful.web.chat.routes import ChatRoutes
from wakeful.web.home.routes import HomeRoutes
from wakeful.web.sessions.routes import SessionRoutes
from wakeful.web.sessions.undo import UndoRoutes
from wakeful.web.streams.routes import StreamRoutes
from wakeful.web.tasks.routes import TaskRoutes
from wakeful.web.timeline.routes import TimelineRoutes
from wakeful.web.web import Web


def web_routes(web: Web) -> list[Route]:
    rooms = (
        SessionRoutes(web),
        UndoRoutes(web),
        HomeRoutes(web),
        ChatRoutes(web),
        AttachmentRoutes(web),
        StreamRoutes(web),
        TaskRoutes(web),
        TimelineRoutes(web),
        ApprovalRoutes(web),
        GrantRoutes(web),
    )
    return [route for room in rooms for route in room.routes()]
