"""Quick commands stay quick: they do not load what only the chat needs."""

import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    "module", ["wakeful.cli.main", "wakeful.cli.sessions", "wakeful.cli.tasks", "wakeful.cli.approvals"]
)
def test_only_the_chat_loads_what_draws_the_screen(module: str) -> None:
    heavy = "{'rich', 'prompt_toolkit', 'markdown_it', 'pygments'}"

    loaded = subprocess.run(
        [sys.executable, "-c", f"import sys, {module}; print(sorted({heavy} & sys.modules.keys()))"],
        capture_output=True,
        text=True,
        check=True,
    )

    assert loaded.stdout == "[]\n"
