"""Quick commands stay quick: they do not load what only the chat needs."""

import subprocess
import sys


def test_only_the_chat_loads_what_draws_the_screen() -> None:
    heavy = "{'rich', 'prompt_toolkit', 'markdown_it', 'pygments'}"
    quick = "wakeful.cli.main, wakeful.cli.sessions, wakeful.cli.tasks, wakeful.cli.approvals"

    loaded = subprocess.run(
        [sys.executable, "-c", f"import sys, {quick}; print(sorted({heavy} & sys.modules.keys()))"],
        capture_output=True,
        text=True,
        check=True,
    )

    assert loaded.stdout == "[]\n"


def test_no_server_loads_the_package_of_mcp_servers_before_one_of_them_starts() -> None:
    package = "{'mcp', 'mcp_types', 'pydantic', 'httpx2', 'anyio._backends._asyncio'}"
    parts = "wakeful.cli.serve, wakeful.building.mcp, wakeful.tools.mcp.servers"

    loaded = subprocess.run(
        [sys.executable, "-c", f"import sys, {parts}; print(sorted({package} & sys.modules.keys()))"],
        capture_output=True,
        text=True,
        check=True,
    )

    assert loaded.stdout == "[]\n"
