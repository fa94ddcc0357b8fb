"""What the web routes have in common."""

from wakeful.wire.openapi import choice, header

DOOR = header("X-Wakeful-Door", choice("ask", "terminal", "web"), "Which client this is; `web` where nothing is said.")
