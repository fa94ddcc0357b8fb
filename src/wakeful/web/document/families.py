"""All that the web routes tell of themselves."""

from wakeful.web.document import approvals, chat, facts, home, sessions, streams, tasks, timeline

FAMILIES = (
    home.FAMILY,
    sessions.FAMILY,
    timeline.FAMILY,
    chat.FAMILY,
    approvals.FAMILY,
    streams.FAMILY,
    tasks.FAMILY,
    facts.FAMILY,
)
