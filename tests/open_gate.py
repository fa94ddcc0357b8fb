"""The gate of loops in tests whose tools give no reasons to ask."""

from tests.unit.tools.kit import Person, gate_of

OPEN_GATE = gate_of(Person(None))
