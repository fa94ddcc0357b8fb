"""All that the web routes tell of themselves."""

from wakeful.web.approvals import document as approvals
from wakeful.web.facts import document as facts
from wakeful.web.home import document as home
from wakeful.web.sessions import chat_document as messages
from wakeful.web.sessions import document as sessions
from wakeful.web.sessions import timeline_document as timeline
from wakeful.web.streams import document as streams
from wakeful.web.tasks import document as tasks

FAMILIES = (
    home.FAMILY,
    sessions.FAMILY,
    timeline.FAMILY,
    messages.FAMILY,
    approvals.FAMILY,
    streams.FAMILY,
    tasks.FAMILY,
    facts.FAMILY,
)
