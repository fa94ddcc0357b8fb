"""The log: plain lines on standard error, without secrets."""

import logging
import sys

from wakeful.config.config import Config

_FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"


def set_up_log(config: Config, *more_secrets: str) -> None:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(WithoutSecrets(config.secrets | set(more_secrets)))
    logging.basicConfig(level=config.log_level.upper(), handlers=[handler])
    # Its own news is told by `serve`; its complaints are of use.
    logging.getLogger("uvicorn").setLevel(logging.WARNING)


class WithoutSecrets(logging.Formatter):
    """Nothing of ours logs a secret; a traceback or a library's message might."""

    def __init__(self, secrets: set[str]) -> None:
        super().__init__(_FORMAT)
        # The longest first: one may be a part of another.
        self._secrets = sorted(secrets, key=len, reverse=True)

    def format(self, record: logging.LogRecord) -> str:
        line = super().format(record)
        for secret in self._secrets:
            line = line.replace(secret, "***")
        return line
