"""The table of settings: the least that each number may be, and what is never shown."""

import pytest

from wakeful.config.setting import SETTINGS_BY_NAME
from wakeful.config.values import Unfit

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


def takes(name: str, value: object) -> bool:
    try:
        SETTINGS_BY_NAME[name].read(value)
    except Unfit:
        return False
    return True


def is_number(name: str) -> bool:
    with pytest.raises(Unfit) as wanted:
        SETTINGS_BY_NAME[name].read(())
    return "number" in str(wanted.value)


def test_a_number_of_which_there_may_be_none_begins_at_zero() -> None:
    assert {name for name in SETTINGS_BY_NAME if is_number(name) and takes(name, 0)} == _FROM_ZERO
    assert not {name for name in _FROM_ZERO if takes(name, -1)}


def test_a_number_of_which_there_must_be_some_begins_at_one() -> None:
    assert {name for name in _FROM_ONE if takes(name, 1) and not takes(name, 0)} == _FROM_ONE


def test_what_may_hold_a_key_or_a_password_is_a_secret_and_all_else_is_shown() -> None:
    assert {setting.name for setting in SETTINGS_BY_NAME.values() if setting.is_secret} == _SECRETS


def test_only_keys_and_addresses_of_models_share_their_variables_with_other_programs() -> None:
    shared = {name for name, setting in SETTINGS_BY_NAME.items() if setting.variable == name.upper()}

    assert shared == {name for name in _SECRETS if name.endswith(("_api_key", "_base_url"))}
