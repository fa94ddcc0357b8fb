"""The sandbox that the settings want is there, or the server does not start."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.unit.building.kit import config_in
from wakeful.building import processes
from wakeful.building.processes import build_process_settings, build_sandbox
from wakeful.errors import ConfigError
from wakeful.tools.processes.sandbox import Sandbox, SandboxChoice, SandboxSetting


def test_a_sandbox_that_is_wanted_and_does_not_work_stops_the_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(ConfigError, match=r"^WAKEFUL_SANDBOX is bwrap, but bubblewrap is not installed\.$"):
        build_sandbox(config_in(tmp_path, SANDBOX="bwrap"))
    for setting in ("auto", "off"):
        assert build_sandbox(config_in(tmp_path, SANDBOX=setting)).sandbox is None


def test_a_sandbox_that_works_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sandbox = Sandbox("/usr/bin/bwrap", "/usr/bin/env", tmp_path)
    asked: list[tuple[SandboxSetting, Path]] = []

    def choose(setting: SandboxSetting, home: Path) -> SandboxChoice:
        asked.append((setting, home))
        return SandboxChoice(sandbox, "it works")

    monkeypatch.setattr(processes, "choose_sandbox", choose)
    assert build_sandbox(config_in(tmp_path, SANDBOX="bwrap")).sandbox == sandbox
    assert asked == [(SandboxSetting.BWRAP, tmp_path)]


def test_commands_see_no_secret_of_the_settings_or_of_the_server(tmp_path: Path) -> None:
    config = config_in(tmp_path, API_KEYS="ann=the-key-of-somebody-else", TASK_OUTPUT_MIB="2")

    settings = build_process_settings(replace(config, task_environment=("CUDA_HOME",)), None)

    assert {"the-key-of-somebody-else", (tmp_path / "key").read_text().strip()} <= settings.secrets
    assert (settings.root, settings.output_cap) == (tmp_path / "tasks", 2 * 2**20)
    assert settings.extra_environment == ("CUDA_HOME",)
