"""Commands in bubblewrap: what they see, and that they are kept, ended and adopted as without it."""

import os
import signal
from collections.abc import AsyncIterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import orjson
import pytest

from tests.unit.tools.processes.kit import Ledger, end_all_below, ended, group_members, keeping, new_task, until
from wakeful.model.tasks.task import Task
from wakeful.tools.processes.folder import ProcessFolder
from wakeful.tools.processes.keeper import ProcessKeeper
from wakeful.tools.processes.sandbox import Sandbox, SandboxSetting, choose_sandbox
from wakeful.tools.processes.settings import ProcessSettings


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home = tmp_path / "home"
    for folder in ("workspace", "results/sess_1", "results/sess_2", "tasks"):
        (home / folder).mkdir(parents=True)
    for file in ("key", "wakeful.db", "workspace/mine", "results/sess_1/long", "results/sess_2/other"):
        (home / file).write_text("secret")
    return home


@pytest.fixture
def settings(home: Path) -> ProcessSettings:
    choice = choose_sandbox(SandboxSetting.BWRAP, home)
    if choice.sandbox is None:
        pytest.skip(choice.why)
    return ProcessSettings(home / "tasks", kill_grace=5.0, sandbox=choice.sandbox)


@pytest.fixture
async def keeper(settings: ProcessSettings) -> AsyncIterator[ProcessKeeper]:
    async with keeping(Ledger(), settings) as keeper:
        yield keeper
    end_all_below(settings.root)


async def run(
    keeper: ProcessKeeper, command: str, home: Path, workdir: str = "", *, pty: bool = False
) -> tuple[str, int]:
    opened = [str(home / "workspace"), str(home / "results/sess_1")]
    result = await keeper.foreground.run(
        command, workdir or str(home / "workspace"), timeout=20, pty=pty, opened=opened
    )
    return result.output, result.exit_code


async def test_the_servers_files_are_not_there_and_those_of_the_session_are(keeper: ProcessKeeper, home: Path) -> None:
    output, _ = await run(keeper, f"cd {home}; ls; ls results; cat workspace/mine results/sess_1/long", home)

    listed = output.split()
    assert listed[:4] == ["results", "tasks", "workspace", "sess_1"]
    assert listed[4:] == ["secretsecret"]
    for name in ("key", "wakeful.db", "wakeful.sock", "results/sess_2/other"):
        assert (await run(keeper, f"cat {home}/{name}", home))[1] == 1


async def test_what_a_command_writes_in_the_workspace_and_elsewhere_stays(
    keeper: ProcessKeeper, home: Path, tmp_path: Path
) -> None:
    await run(keeper, f"echo 1 >new; echo 2 >{tmp_path}/beside", home)
    refused, code = await run(keeper, f"echo 3 >{home}/key", home)

    assert ((home / "workspace/new").read_text(), (tmp_path / "beside").read_text()) == ("1\n", "2\n")
    assert (code, (home / "key").read_text()) == (1, "secret")
    assert "ead-only" in refused


async def test_the_server_process_is_not_there(keeper: ProcessKeeper, home: Path) -> None:
    output, _ = await run(keeper, f"ls -d /proc/[0-9]* | wc -l; kill -0 {os.getpid()}; ls /proc/{os.getpid()}", home)

    seen, *refusals = output.splitlines()
    assert int(seen) < 10
    assert ["o such process" in refusals[0], "o such file" in refusals[1]] == [True, True]


async def test_hidden_files_cannot_be_brought_back(keeper: ProcessKeeper, home: Path) -> None:
    for command in (
        f"umount {home}",
        f"umount -l {home}",
        f"mount -t tmpfs x {home}/workspace",
        "mount -o remount,rw /",
    ):
        assert (await run(keeper, command, home))[1] != 0
    assert (await run(keeper, f"unshare -rm sh -c 'umount -l {home}; cat {home}/key'", home))[1] != 0


async def test_a_command_cannot_name_a_program_that_the_kernel_runs_outside(keeper: ProcessKeeper, home: Path) -> None:
    assert (await run(keeper, "cat /proc/sys/kernel/core_pattern && ! test -w /proc/sys/kernel/core_pattern", home))[
        1
    ] == 0


async def test_a_link_to_a_hidden_file_is_not_opened(keeper: ProcessKeeper, home: Path) -> None:
    (home / "workspace").rename(home / "old")
    (home / "workspace").symlink_to("key")

    assert (await run(keeper, f"cat {home}/key", home, "/"))[1] != 0


async def test_a_workdir_may_be_anywhere_and_a_hidden_one_is_told(
    keeper: ProcessKeeper, home: Path, tmp_path: Path
) -> None:
    assert (await run(keeper, "pwd", home, str(tmp_path)))[0] == f"{tmp_path}\n"
    output, code = await run(keeper, "pwd", home, str(home / "results/sess_2"))
    assert code != 0
    assert "chdir" in output


@pytest.mark.parametrize(("command", "code"), [("exit 7", 7), ("kill -KILL $$", 137), ("kill -TERM $$", 143)])
async def test_exit_codes_are_the_same(keeper: ProcessKeeper, home: Path, command: str, code: int) -> None:
    assert (await run(keeper, command, home))[1] == code


async def test_a_terminal_and_typed_input_work(keeper: ProcessKeeper, home: Path) -> None:
    assert "tty" in (await run(keeper, "test -t 0 && echo a tty", home, pty=True))[0]
    for pty in (False, True):
        task = opened(new_task("read x; echo got $x; exit 3", pty=pty), home)
        await keeper.start(None, task)
        await keeper.write(task.id, b"words\n")
        row = await ended(keeper, task.id)
        assert row.exit_code == 3
        assert "got words" in (await keeper.outputs.tail(task.id, 1000))[0]


async def test_a_kill_lets_the_command_clean_up_and_leaves_nothing_behind(keeper: ProcessKeeper, home: Path) -> None:
    script = (
        "trap 'sleep 0.2; echo clean >done; exit 0' TERM; (setsid sleep 1000 &) ; echo on; while :; do sleep 0.05; done"
    )
    task = opened(new_task(script, home / "workspace"), home)
    started = await keeper.start(None, task)
    await until(lambda: (home / "tasks" / task.id / "output").read_text() == "on\n")

    await keeper.kill(task.id)

    assert (home / "workspace/done").read_text() == "clean\n"
    assert started.pid is not None
    pid = started.pid
    await until(lambda: group_members(pid) == [])
    await until(lambda: not any("sleep\0001000" in line for line in _command_lines()))


async def test_a_process_outlives_its_server_and_its_end_is_told_once(settings: ProcessSettings, home: Path) -> None:
    ledger, task = Ledger(), opened(new_task("read x; exit 5", home / "workspace"), home)
    try:
        async with keeping(ledger, settings) as first:
            await first.start(None, task)
            await until(lambda: ProcessFolder(settings.root / task.id).holder() is not None)
        async with keeping(ledger, settings) as second:
            await second.adopt()
            await second.write(task.id, b"go\n")
            row = await ended(second, task.id)
        async with keeping(ledger, settings) as third:
            await third.adopt()
    finally:
        end_all_below(settings.root)
    assert row.exit_code == 5
    assert ledger.outcome(task.id).exit_code == 5


async def test_a_wrapper_that_is_killed_takes_the_process_space_with_it(keeper: ProcessKeeper, home: Path) -> None:
    task = opened(new_task("(setsid sleep 2000 &); sleep 1000", home / "workspace"), home)
    started = await keeper.start(None, task)
    assert started.pid is not None
    await until(lambda: any("sleep\0002000" in line for line in _command_lines()))
    os.kill(started.pid, signal.SIGKILL)
    await ended(keeper, task.id)
    await until(lambda: not any("sleep\0002000" in line for line in _command_lines()))


def test_the_setting_decides_and_says_why(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert choose_sandbox(SandboxSetting.OFF, home).why == "sandbox is off"
    monkeypatch.setattr("os.getuid", lambda: 0)
    assert "runs as root" in choose_sandbox(SandboxSetting.AUTO, home).why
    monkeypatch.setenv("PATH", "/nowhere")
    choice = choose_sandbox(SandboxSetting.BWRAP, home)
    assert (choice.kind, choice.why) == ("none", "bubblewrap is not installed")
    monkeypatch.setattr("os.getuid", lambda: 1_000)
    assert choose_sandbox(SandboxSetting.AUTO, home).why == "bubblewrap is not installed"


def test_root_keeps_less_inside_and_only_folders_of_the_server_are_opened(home: Path) -> None:
    (home / "link").symlink_to(home / "key")
    opened = [str(home / "workspace"), str(home / "link"), str(home), "/etc", str(home / "workspace")]

    def arguments(*, is_root: bool) -> list[str]:
        return Sandbox("bwrap", "env", home, is_root).around(["true"], "/", opened)

    bound = [after for before, after in pairwise(arguments(is_root=False)) if before == "--bind-try"]
    assert bound == [str(home / "workspace")]
    assert arguments(is_root=False)[4:7] == ["--dev-bind", "/dev", "/dev"]
    assert "--cap-drop" not in arguments(is_root=False)
    assert arguments(is_root=True)[4:11] == ["--dev", "/dev", "--ro-bind", "/sys", "/sys", "--cap-drop", "ALL"]
    assert ("--ro-bind-try" in arguments(is_root=True), "--ro-bind-try" in arguments(is_root=False)) == (True, False)
    assert "cap_sys_admin" not in arguments(is_root=True)


@pytest.mark.parametrize("has_services", [True, False])
def test_the_sandbox_hides_the_server_and_the_users_services(
    home: Path, monkeypatch: pytest.MonkeyPatch, has_services: bool
) -> None:
    monkeypatch.setattr(os, "getuid", lambda: 4_242)
    monkeypatch.setattr(os.path, "isdir", lambda path: has_services)

    arguments = Sandbox("bwrap", "env", home).around(["make", "all"], "/srv", [str(home / "workspace")])

    assert arguments == [
        *("bwrap", "--bind", "/", "/", "--dev-bind", "/dev", "/dev", "--unshare-pid", "--proc", "/proc"),
        *(["--tmpfs", "/run/user/4242"] if has_services else []),
        *("--tmpfs", str(home), "--bind-try", str(home / "workspace"), str(home / "workspace")),
        *("--remount-ro", str(home), "--chdir", "/srv"),
        *("--", "env", "--default-signal=HUP,INT,QUIT,TERM,USR1,USR2", "make", "all"),
    ]


def test_a_program_that_cannot_start_is_no_sandbox(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake = tmp_path / "bin" / "bwrap"
    fake.parent.mkdir()
    fake.write_text("#!/nowhere\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{fake.parent}:{os.environ['PATH']}")

    assert choose_sandbox(SandboxSetting.BWRAP, home).why == "bubblewrap does not start: FileNotFoundError"


def test_a_sandbox_that_does_not_work_is_not_used(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake = tmp_path / "bin" / "bwrap"
    fake.parent.mkdir()
    fake.write_text("#!/bin/sh\necho 'No permissions to create a new namespace' >&2\nexit 1\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{fake.parent}:{os.environ['PATH']}")

    choice = choose_sandbox(SandboxSetting.BWRAP, home)

    assert choice.sandbox is None
    assert choice.why == "bubblewrap does not work here: No permissions to create a new namespace"


def opened(task: Task, home: Path) -> Task:
    spec = orjson.loads(task.spec) | {"opened": [str(home / "workspace")]}
    return replace(task, spec=orjson.dumps(spec))


def _command_lines() -> list[str]:
    lines = []
    for pid in filter(str.isdecimal, os.listdir("/proc")):
        try:
            lines.append(Path(f"/proc/{pid}/cmdline").read_text())
        except OSError:
            pass
    return lines
