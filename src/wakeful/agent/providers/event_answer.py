"""An answer that arrives as events of several kinds, and in blocks."""

from collections.abc import Callable, Mapping
from typing import Any

from wakeful.agent.providers.base import AnswerPart
from wakeful.agent.providers.block_answer import BlockAnswer
from wakeful.agent.providers.chunk_stream import text_in
from wakeful.agent.providers.endpoint_errors import EndpointErrors

EventHandler = Callable[[Mapping[str, Any]], list[AnswerPart]]


class EventAnswer:
    """The base of the builders. A subclass has a handler for each kind of event that matters."""

    def __init__(self, errors: EndpointErrors, provider: str) -> None:
        self._errors = errors
        self._provider = provider
        self._blocks = BlockAnswer()
        self._handlers: Mapping[str, EventHandler] = {}
        self._has_begun = False
        self.has_ended = False

    def add(self, event: Mapping[str, Any]) -> list[AnswerPart]:
        """Return the parts that the event adds. Raises ModelError if it reports an error."""
        handler = self._handlers.get(text_in(event, "type"))
        if handler is None:
            # The APIs add new kinds of events without notice.
            return []
        self._has_begun = True
        return handler(event)

    def require_end(self) -> None:
        """Raise ModelError if the response is over before the answer is."""
        if not self.has_ended:
            raise self._errors.broken() if self._has_begun else self._errors.incompatible()
