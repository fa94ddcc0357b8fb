"""The table of settings: the least that each number may be, and which are secrets."""

from pathlib import Path

from wakeful.config.load import forget_secrets, load_config
from wakeful.config.setting import SETTINGS_BY_NAME, VARIABLE_PREFIX, Setting
from wakeful.config.values import Unfit
from wakeful.errors import ConfigError

# None at all, not at all, at once.
_FROM_ZERO = {
    "port", "stop_grace_seconds", "wake_company_seconds", "resume_limit", "delegation_depth", "undo_seconds",
    "undo_days", "mcp_wait_seconds", "cron_catch_up_seconds", "delivery_settle_seconds", "model_retry_seconds",
    "daily_spend_usd", "daily_spend_hard_usd",
}  # fmt: skip
# With none of it nothing would work.
_FROM_ONE = {
    "turn_seconds", "concurrent_turns", "wake_budget_per_hour", "wake_retry_limit", "approval_seconds",
    "delegation_limit", "delegation_seconds", "task_output_mib", "api_concurrency", "api_concurrency_per_key",
    "hook_body_kib", "cron_min_seconds", "attachment_mib", "step_limit", "token_limit", "model_tries",
}  # fmt: skip
_SECRETS = {
    "database_url", "api_keys", "password", "webhooks", "hooks", "mcp", "providers",
    "telegram_token", "discord_token", "slack_bot_token", "slack_app_token",
    "openai_base_url", "openai_api_key", "anthropic_base_url", "anthropic_api_key", "gemini_api_key",
    "openrouter_api_key", "mistral_api_key", "groq_api_key", "deepseek_api_key", "xai_api_key",
}  # fmt: skip


def numbers_that_take(value: int) -> set[str]:
    """Return the settings that are numbers and take this one, named as in the environment, but in small letters."""
    taking = (
        one for one in SETTINGS_BY_NAME.values() if "number" in _complaint(one, ()) and not _complaint(one, value)
    )
    return {setting.variable.removeprefix(VARIABLE_PREFIX).lower() for setting in taking}


def _complaint(setting: Setting, value: object) -> str:
    try:
        setting.read(value)
    except (Unfit, ConfigError) as error:
        return str(error)
    return ""


def test_a_number_of_which_there_may_be_none_begins_at_zero() -> None:
    assert numbers_that_take(0) == _FROM_ZERO
    assert numbers_that_take(-1) == set()


def test_a_number_of_which_there_must_be_some_begins_at_one() -> None:
    assert numbers_that_take(1) >= _FROM_ONE


def test_what_may_hold_a_key_or_a_password_is_forgotten_and_nothing_else_is(tmp_path: Path) -> None:
    variables = {setting.variable: name for name, setting in SETTINGS_BY_NAME.items()}
    kept = dict(variables)

    forget_secrets(kept, load_config({"WAKEFUL_HOME": str(tmp_path)}))

    assert set(variables.values()) - set(kept.values()) == _SECRETS


def test_only_keys_and_addresses_of_models_share_their_variables_with_other_programs() -> None:
    shared = {name for name, setting in SETTINGS_BY_NAME.items() if setting.variable == name.upper()}

    assert shared == {name for name in _SECRETS if name.endswith(("_api_key", "_base_url"))}
