"""How long a test waits for an event that must happen."""

# Only a failing test waits this long. An idle machine needs little of it, and a busy one may need much.
PATIENCE = 60.0
