"""Background work is written down with the turn that begins it, so it needs a turn that is written down itself."""

NEEDS_STORED_TURN = "background work needs a stored response: leave store=false out"
