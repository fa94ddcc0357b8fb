"""All that the web routes tell of themselves."""

from wakeful.web.document import chat, sessions, streams, tasks

FAMILIES = (sessions.FAMILY, chat.FAMILY, streams.FAMILY, tasks.FAMILY)
