"""The page's modules that need no browser, under node's own test runner."""

import shutil
import subprocess
from pathlib import Path

import pytest

_FOLDER = Path(__file__).parent / "js"


@pytest.mark.parametrize(
    "file", sorted(_FOLDER.glob("*.test.mjs")), ids=lambda file: file.name.removesuffix(".test.mjs")
)
def test_modules_of_the_page(file: Path) -> None:
    node = shutil.which("node")
    assert node is not None, "The tests of the page's modules need node: install Debian's package nodejs."
    ran = subprocess.run([node, "--test", str(file)], capture_output=True, text=True, timeout=120, check=False)
    assert ran.returncode == 0, ran.stdout[-4000:] + ran.stderr[-2000:]
    assert "# fail 0" in ran.stdout
