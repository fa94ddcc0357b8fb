"""All settings: the name in config.toml, the values that each takes, and the environment variable."""

from dataclasses import dataclass

from wakeful.agent.providers.endpoint_settings import KNOWN_ENDPOINTS
from wakeful.config import addresses, values
from wakeful.config.hooks import read_hooks
from wakeful.config.mcp import read_mcp_servers
from wakeful.config.models import read_model_names, read_models
from wakeful.config.providers import read_providers
from wakeful.config.values import Read
from wakeful.gateway.messaging.settings import PLATFORMS, Groups, ShownProgress, Strangers
from wakeful.model.approvals.mode import Mode
from wakeful.model.inbox import IfBusy
from wakeful.model.messaging.chat import SessionScope
from wakeful.tools.processes.sandbox import SandboxSetting

VARIABLE_PREFIX = "WAKEFUL_"

_DAY = 86_400
_MANY = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Setting:
    name: str
    read: Read
    # The value may contain a password or a key, and is never shown.
    is_secret: bool = False
    # False for variables that other tools share, such as OPENAI_API_KEY: they have no prefix.
    is_ours: bool = True

    @property
    def variable(self) -> str:
        return (VARIABLE_PREFIX if self.is_ours else "") + self.name.upper()


def _of_platform(name: str) -> list["Setting"]:
    """Return the settings that every messaging platform has."""
    return [
        Setting(f"{name}_api_url", addresses.web_url),
        Setting(f"{name}_allow", values.ids),
        Setting(f"{name}_strangers", values.one_of(*Strangers)),
        Setting(f"{name}_groups", values.one_of(*Groups)),
        Setting(f"{name}_sessions", values.one_of(*SessionScope)),
        Setting(f"{name}_busy", values.one_of(IfBusy.QUEUE, IfBusy.STEER, IfBusy.INTERRUPT)),
        Setting(f"{name}_progress", values.one_of(*ShownProgress)),
        Setting(f"{name}_stream", values.one_of("edit", "off")),
        Setting(f"{name}_edit_seconds", values.seconds(0.01, 3600)),
    ]


def _of_known_endpoints() -> list["Setting"]:
    """Return the variables of known model endpoints, which other programs share."""
    known = KNOWN_ENDPOINTS.values()
    keys = {endpoint.key_variable: values.secret for endpoint in known}
    urls = {endpoint.url_variable: addresses.endpoint_url for endpoint in known}
    named = {variable: read for variable, read in (urls | keys).items() if variable}
    return [Setting(variable.lower(), read, is_secret=True, is_ours=False) for variable, read in named.items()]


_ALL = [
    Setting("model", values.model),
    Setting("database_url", addresses.database_url, is_secret=True),
    Setting("api_keys", values.api_keys, is_secret=True),
    Setting("host", values.text),
    Setting("port", values.whole_number(0, 65_535)),
    Setting("hosts", addresses.host_names),
    Setting("public_url", addresses.public_url),
    Setting("password", values.password, is_secret=True),
    Setting("log_level", values.one_of("debug", "info", "warning", "error")),
    Setting("workspace", values.folder),
    Setting("lease_seconds", values.seconds(0.5, _DAY)),
    Setting("stop_grace_seconds", values.seconds(0, _DAY)),
    Setting("turn_seconds", values.seconds(1, 30 * _DAY)),
    Setting("concurrent_turns", values.whole_number(1, _MANY)),
    Setting("wake_budget_per_hour", values.whole_number(1, _MANY)),
    Setting("wake_company_seconds", values.seconds(0, 60)),
    Setting("resume_limit", values.whole_number(0, _MANY)),
    Setting("wake_retry_limit", values.whole_number(1, 100)),
    Setting("wake_retry_seconds", values.seconds(0.1, _DAY)),
    Setting("approval_seconds", values.seconds(1, 30 * _DAY)),
    Setting("permission_mode", lambda value: Mode(values.one_of(*Mode)(value))),
    Setting("sandbox", lambda value: SandboxSetting(values.one_of(*SandboxSetting)(value))),
    Setting("grant_days", values.days(0.001, 3650)),
    Setting("delegation_limit", values.whole_number(1, 1000)),
    Setting("delegation_depth", values.whole_number(0, 20)),
    Setting("delegation_seconds", values.seconds(1, 30 * _DAY)),
    Setting("undo_seconds", values.seconds(0, 30 * _DAY)),
    Setting("undo_days", values.days(0, 3650)),
    Setting("extra_folders", values.folders),
    Setting("host_silence_seconds", values.seconds(10, 365 * _DAY)),
    Setting("task_environment", values.variable_names),
    Setting("task_output_mib", values.whole_number(1, 1_000_000)),
    Setting("api_concurrency", values.whole_number(1, _MANY)),
    Setting("api_concurrency_per_key", values.whole_number(1, _MANY)),
    Setting("stream_write_seconds", values.seconds(0.1, _DAY)),
    Setting("stream_comment_seconds", values.seconds(0.1, _DAY)),
    Setting("tool_items", values.one_of("mcp_call", "function_call")),
    Setting("cors_origins", addresses.origins),
    Setting("titles", values.one_of("model", "words")),
    Setting("webhooks", values.webhooks, is_secret=True),
    Setting("webhooks_allow_private", values.yes_or_no),
    Setting("web_fetch", values.yes_or_no),
    Setting("web_fetch_allow_private", values.yes_or_no),
    Setting("hooks", read_hooks, is_secret=True),
    # Eight of the largest fit into the memory for all bodies.
    Setting("hook_body_kib", values.whole_number(1, 16 * 1024)),
    Setting("mcp", read_mcp_servers, is_secret=True),
    Setting("mcp_wait_seconds", values.seconds(0, 60)),
    Setting("timezone", values.timezone),
    Setting("cron_catch_up_seconds", values.seconds(0, 365 * _DAY)),
    Setting("cron_min_seconds", values.seconds(1, 365 * _DAY)),
    Setting("telegram_token", values.secret, is_secret=True),
    Setting("telegram_mode", values.one_of("polling", "webhook")),
    Setting("discord_token", values.secret, is_secret=True),
    Setting("slack_bot_token", values.secret, is_secret=True),
    Setting("slack_app_token", values.secret, is_secret=True),
    *(setting for platform in PLATFORMS for setting in _of_platform(platform)),
    Setting("attachment_mib", values.whole_number(1, 10_000)),
    Setting("send_timeout_seconds", values.seconds(0.1, _DAY)),
    Setting("delivery_settle_seconds", values.seconds(0, 3600)),
    Setting("step_limit", values.whole_number(1, _MANY)),
    Setting("token_limit", values.whole_number(1, _MANY)),
    Setting("result_limit", values.whole_number(1_000, _MANY)),
    Setting("model_tries", values.whole_number(1, 100)),
    Setting("model_retry_seconds", values.seconds(0, _DAY)),
    Setting("model_idle_seconds", values.seconds(0.1, _DAY)),
    Setting("compact_at", values.part(0.1, 0.95)),
    Setting("compact_model", values.model),
    Setting("fallback_models", read_model_names),
    Setting("models", read_models),
    Setting("daily_spend_usd", values.dollars(0, _MANY)),
    Setting("daily_spend_hard_usd", values.dollars(0, _MANY)),
    Setting("providers", read_providers, is_secret=True),
    *_of_known_endpoints(),
]

SETTINGS_BY_NAME = {setting.name: setting for setting in _ALL}
