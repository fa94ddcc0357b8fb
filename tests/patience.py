"""How long a test waits for what must happen."""

# Only a test that fails takes so long: an idle machine needs little of it, and a busy one may need much.
PATIENCE = 60.0
