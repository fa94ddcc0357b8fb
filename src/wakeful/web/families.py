"""The families of web routes, for the OpenAPI document."""

from wakeful.web.approvals import document as approvals
from wakeful.web.attachments import document as attachments
from wakeful.web.chat import document as chat
from wakeful.web.facts import document as facts
from wakeful.web.home import document as home
from wakeful.web.mcp import document as mcp
from wakeful.web.messaging import document as messaging
from wakeful.web.schedules import document as schedules
from wakeful.web.sessions import document as sessions
from wakeful.web.streams import document as streams
from wakeful.web.tasks import document as tasks
from wakeful.web.timeline import document as timeline

FAMILIES = (
    home.FAMILY,
    sessions.FAMILY,
    timeline.FAMILY,
    chat.FAMILY,
    attachments.FAMILY,
    approvals.FAMILY,
    streams.FAMILY,
    tasks.FAMILY,
    messaging.FAMILY,
    mcp.FAMILY,
    schedules.FAMILY,
    facts.FAMILY,
)
