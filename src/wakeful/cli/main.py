"""The `wakeful` command. Each subcommand is imported only when it is used, so that quick ones stay quick."""

import gc
import sys
from importlib import import_module
from typing import NoReturn

import click

from wakeful.errors import ConfigError, MessageUnusable, WakefulError
from wakeful.tools.processes.kernel.libc import make_undumpable

# Each command: module:function, and its line in `wakeful --help`.
_COMMANDS = {
    "serve": ("wakeful.cli.serve:serve", "Run the server."),
    "chat": ("wakeful.cli.chat.chat:chat", "Talk to an agent."),
    "ask": ("wakeful.cli.ask:ask", "Ask one question and print the answer."),
    "sessions": ("wakeful.cli.sessions:sessions", "List the sessions."),
    "tasks": ("wakeful.cli.tasks:tasks", "List background work, end it, or read what it says."),
    "approvals": ("wakeful.cli.approvals:approvals", "List what agents ask you, and answer it."),
    "grants": ("wakeful.cli.grants:grants", "List what runs without asking, and revoke it."),
    "cron": ("wakeful.cli.cron:cron", "Schedule prompts, and see how they went."),
    "attach": ("wakeful.cli.attach:attach", "Watch a session live."),
    "pair": ("wakeful.cli.pair:pair", "List who may talk on messaging platforms, and let people in."),
    "doctor": ("wakeful.cli.doctor.doctor:doctor", "Check the settings, the database and the platforms."),
    "login": ("wakeful.cli.login:login", "Print a link that opens the web page."),
    "logins": ("wakeful.cli.logins:logins", "List the browsers that are logged in, or log them out."),
    "key": ("wakeful.cli.key:key", "Print the local key."),
}

# These only ask the server, and hold no secret that their caller cannot read. They stay dumpable, so that the server
# can inspect its callers.
_OPEN = frozenset({"sessions", "approvals", "grants", "pair", "login", "key"})


class _Commands(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        if cmd_name not in _OPEN:
            # Before the command reads any key.
            make_undumpable()
        module, _, function = _COMMANDS[cmd_name][0].partition(":")
        # What imports create stays. Searching it for garbage, here and later on, takes a seventh of the start.
        gc.disable()
        command: click.Command = getattr(import_module(module), function)
        gc.freeze()
        gc.enable()
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands from the table: click's own listing would import them all."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, sentence) for name, (_, sentence) in _COMMANDS.items()])


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="wakeful", message="%(prog)s %(version)s")
def wakeful() -> None:
    """A self-hosted agent server in which nothing that an agent has started is ever lost."""


def main() -> NoReturn:
    for stream in (sys.stdout, sys.stderr):
        # Replace characters that the terminal's encoding lacks, instead of failing.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    sys.exit(_exit_code())


def _exit_code() -> int:
    try:
        code = wakeful.main(prog_name="wakeful", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (ConfigError, MessageUnusable) as error:
        return _say(error, 2)
    except WakefulError as error:
        return _say(error, 1)
    except (KeyboardInterrupt, click.Abort):
        return 130
    return code if isinstance(code, int) else 0


def _say(error: WakefulError, code: int) -> int:
    click.echo(f"wakeful: {error}", err=True)
    return code
