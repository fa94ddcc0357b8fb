"""The log: plain lines on standard error, without secrets."""

import logging
import sys

from wakeful.config.config import Config
from wakeful.tools.processes.output.secrets import Redactor

_FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"


def set_up_log(config: Config, *more_secrets: str) -> None:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(WithoutSecrets(config.secrets | set(more_secrets)))
    logging.basicConfig(level=config.log_level.upper(), handlers=[handler])
    # `serve` prints its own start messages, so only uvicorn's warnings are useful.
    logging.getLogger("uvicorn").setLevel(logging.WARNING)


class WithoutSecrets(logging.Formatter):
    """Removes secrets from log lines. Our own code logs none, but a traceback or a library might."""

    def __init__(self, secrets: set[str]) -> None:
        super().__init__(_FORMAT)
        self._redactor = Redactor(secrets)

    def format(self, record: logging.LogRecord) -> str:
        return self._redactor.text(super().format(record))
