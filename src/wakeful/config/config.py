"""What the operator has decided: one frozen Config, in the pieces that the rooms ask for."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlsplit

from wakeful.agent.providers.registry import ProviderSettings
from wakeful.agent.settings import AgentSettings
from wakeful.engine.settings import EngineSettings
from wakeful.gateway.webhooks.endpoint import WebhookEndpoint


@dataclass(frozen=True, slots=True)
class Config:
    home: Path
    engine: EngineSettings
    agent: AgentSettings
    providers: ProviderSettings
    # Where each setting comes from that is not at its default, in words for a sentence.
    origins: Mapping[str, str]
    # The folder that the tools of new sessions work in.
    workspace: Path
    model: str = "demo:wakeful"
    # Empty: a SQLite file in the home folder.
    database_url: str = field(default="", repr=False)
    api_keys: Mapping[str, str] = field(default_factory=dict, repr=False)
    host: str = "127.0.0.1"
    port: int = 8787
    # Names under which browsers may reach the server, beside those of this machine's loopback.
    hosts: tuple[str, ...] = ()
    # Where a proxy serves the page; empty: nowhere but where the server listens.
    public_url: str = ""
    # For the page; empty: only by links.
    password: str = field(default="", repr=False)
    log_level: str = "info"
    # What the commands of agents may see of the server's environment, beside the usual names.
    task_environment: tuple[str, ...] = ()
    # How much disk the output of one process may take, in MiB.
    task_output_mib: int = 256
    # Requests of the API under way at the same time, in all and for each key.
    api_concurrency: int = 10_000
    api_concurrency_per_key: int = 10_000
    # A reader of a stream that takes no byte for so long is dropped.
    stream_write_seconds: float = 20.0
    # A stream says something at least so often.
    stream_comment_seconds: float = 15.0
    # How responses tell of calls of the server's tools: mcp_call, or function_call for a call and its output.
    tool_items: str = "mcp_call"
    # The origins of pages that may use the API from a browser.
    cors_origins: tuple[str, ...] = ()
    # Who hears of the ends of background responses.
    # Who finds titles for sessions of the page: model, or words (the first ones of the user).
    titles: str = "model"
    webhooks: tuple[WebhookEndpoint, ...] = ()
    webhooks_allow_private: bool = False

    @property
    def database_file(self) -> Path:
        return self.home / "wakeful.db"

    @property
    def secrets(self) -> set[str]:
        """All that must never be read in a log."""
        endpoint = self.providers.openai
        known = {*self.api_keys.values(), endpoint.api_key, self.password}
        known |= {part for webhook in self.webhooks for part in webhook.secret.split()}
        for url in (self.database_url, endpoint.base_url):
            parts = urlsplit(url)
            password = parts.password or ""
            known |= {password, unquote(password)}
            known |= {value for name, value in parse_qsl(parts.query) if "password" in name.lower()}
        return known - {""}
