"""Builds the settings of commands, and the sandbox that they run in."""

import os
from pathlib import Path

from wakeful.config.config import Config
from wakeful.errors import ConfigError
from wakeful.gateway.entrance.local_key import local_key
from wakeful.tools.processes.environment import secrets_in
from wakeful.tools.processes.sandbox import Sandbox, SandboxChoice, SandboxSetting, choose_sandbox
from wakeful.tools.processes.settings import MIB, ProcessSettings


def build_sandbox(config: Config) -> SandboxChoice:
    """Raises ConfigError where the setting wants a sandbox that does not work."""
    choice = choose_sandbox(config.sandbox, config.home)
    if choice.sandbox is None and config.sandbox is SandboxSetting.BWRAP:
        raise ConfigError(f"{config.origins.get('sandbox', 'sandbox')} is bwrap, but {choice.why}.")
    return choice


def build_process_settings(config: Config, sandbox: Sandbox | None) -> ProcessSettings:
    return ProcessSettings(
        root=process_root(config),
        secrets=frozenset(config.secrets | {local_key(config.home)} | _secrets_around(config)),
        extra_environment=config.task_environment,
        output_cap=config.task_output_mib * MIB,
        sandbox=sandbox,
    )


def process_root(config: Config) -> Path:
    return config.home / "tasks"


def _secrets_around(config: Config) -> set[str]:
    """Return the secrets of other programs that happen to be in our environment."""
    return secrets_in(os.environ, passed_on=config.task_environment)
