"""The operator's settings as one frozen Config."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlsplit

from wakeful.agent.providers.registry import ProviderSettings
from wakeful.agent.settings import AgentSettings
from wakeful.config.models import ModelTable
from wakeful.engine.settings import EngineSettings
from wakeful.gateway.hooks.hook import Hook
from wakeful.gateway.messaging.settings import MessagingSettings
from wakeful.gateway.webhooks.endpoint import WebhookEndpoint
from wakeful.tools.mcp.settings import McpServerSettings
from wakeful.tools.processes.sandbox import SandboxSetting


@dataclass(frozen=True, slots=True)
class Config:
    home: Path
    engine: EngineSettings
    agent: AgentSettings
    providers: ProviderSettings
    # The origin of each setting that is not at its default, worded for error messages.
    origins: Mapping[str, str]
    # The folder that the tools of new sessions work in.
    workspace: Path
    messaging: MessagingSettings
    # Folders outside of it that file tools read and write all the same.
    extra_folders: tuple[Path, ...] = ()
    model: str = "demo:wakeful"
    # What the operator says about models, by provider:model.
    models: Mapping[str, ModelTable] = field(default_factory=dict)
    # Empty: a SQLite file in the home folder.
    database_url: str = field(default="", repr=False)
    api_keys: Mapping[str, str] = field(default_factory=dict, repr=False)
    host: str = "127.0.0.1"
    port: int = 8787
    # Names under which browsers may reach the server, besides loopback ones.
    hosts: tuple[str, ...] = ()
    # The address at which a proxy serves the page; empty without a proxy.
    public_url: str = ""
    # Logs in on the page; empty: only links do.
    password: str = field(default="", repr=False)
    log_level: str = "info"
    # Variables of the server's environment that agents' commands inherit, besides the usual ones.
    task_environment: tuple[str, ...] = ()
    # Most disk space for the output of one process, in MiB.
    task_output_mib: int = 256
    # What agents' commands run in.
    sandbox: SandboxSetting = SandboxSetting.AUTO
    # Most concurrent API requests, in all and per key.
    api_concurrency: int = 10_000
    api_concurrency_per_key: int = 10_000
    # How long a client of a stream may accept no byte before it is disconnected.
    stream_write_seconds: float = 20.0
    # The longest silence of a stream: then it sends a comment.
    stream_comment_seconds: float = 15.0
    # The items for calls of the server's tools in responses: mcp_call, or function_call for a call and its output.
    tool_items: str = "mcp_call"
    # Origins of pages that may use the API from a browser.
    cors_origins: tuple[str, ...] = ()
    # How sessions of the page get their title: from the model, or the user's first words.
    titles: str = "model"
    # Receivers of the ends of background responses.
    webhooks: tuple[WebhookEndpoint, ...] = ()
    webhooks_allow_private: bool = False
    # Whether the agent may read pages of the web, and also those of private networks.
    web_fetch: bool = True
    web_fetch_allow_private: bool = False
    # Where other programs may post messages, and the largest body that they may send.
    hooks: tuple[Hook, ...] = ()
    hook_body_kib: int = 1024
    # The MCP servers whose tools agents get, and how long a turn waits for those whose tools are not known yet.
    mcp: tuple[McpServerSettings, ...] = ()
    mcp_wait_seconds: float = 3.0
    # For schedules that name no zone; empty: the machine's.
    timezone: str = ""
    # How old a missed firing may be to be made up for, and how close together firings may be.
    cron_catch_up_seconds: float = 3600.0
    cron_min_seconds: float = 60.0

    @property
    def database_file(self) -> Path:
        return self.home / "wakeful.db"

    @property
    def secrets(self) -> set[str]:
        """All values that must never appear in a log."""
        endpoints = self.providers.endpoints.values()
        known = {*self.api_keys.values(), self.password, *(endpoint.api_key for endpoint in endpoints)}
        known |= {value for endpoint in endpoints for value in endpoint.secret_headers}
        known |= {token for access in self.messaging.access.values() for token in (access.token, access.app_token)}
        known |= {part for webhook in self.webhooks for part in webhook.secret.split()}
        known |= {secret for server in self.mcp for secret in server.secrets}
        known |= {part for hook in self.hooks for part in (hook.secret, *hook.secret.split())}
        for url in (self.database_url, *(endpoint.base_url for endpoint in endpoints)):
            parts = urlsplit(url)
            password = parts.password or ""
            known |= {password, unquote(password)}
            known |= {value for name, value in parse_qsl(parts.query) if "password" in name.lower()}
        return known - {""}
