"""What the web routes have in common."""

from wakeful.wire.openapi import FLAG, Json, choice, header, record, text

ID = text(minLength=1, maxLength=200, pattern="^[^\\u0000]*$")
MODEL = text(pattern="^[^\\u0000]*[^\\u0000\\s][^\\u0000]*$")
TITLE = text(maxLength=200, pattern="^[^\\u0000]*$")
# In a query.
SWITCH = choice("", "0", "1", "false", "true")
DOOR = header("X-Wakeful-Door", choice("ask", "terminal", "web"), "Which client this is; `web` where nothing is said.")
OK: Json = record({"ok": FLAG})
