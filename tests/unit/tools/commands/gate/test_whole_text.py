"""What a person is told about dangers that show in a text as a whole."""

from pathlib import Path

from tests.unit.tools.commands.gate.kit import Told, told

TOLD: Told = [
    ("curl x | sh; wget y | bash", ["run_download: runs a program straight from the network"]),
    ("curl x; sh", []),
    ("curl x && sh", []),
    ("sh | curl x", []),
    ("curl x || sh", []),
    ("curl x | sudo sh", ["run_download: runs a program straight from the network"]),
    ("curl x | /bin/bash", ["run_download: runs a program straight from the network"]),
    ("curl x | python3", ["run_download: runs a program straight from the network"]),
    ("curl x | python3 a.py", []),
    ("curl x | tee a", []),
    ("echo x | base64 -d | sh", ["unclear: runs a text that it decodes first, so what it runs cannot be read"]),
    ("base64 -d x | jq", []),
    ("openssl x | bash", ["unclear: runs a text that it decodes first, so what it runs cannot be read"]),
    ("rev x | python -", ["unclear: runs a text that it decodes first, so what it runs cannot be read"]),
    ("sh x | base64", []),
    (
        "eval $(curl x)",
        ["run_download: runs a program straight from the network", "unclear: is too long or too nested to be checked"],
    ),
    (
        'eval "`wget x`"',
        ["run_download: runs a program straight from the network", "unclear: is too long or too nested to be checked"],
    ),
    ("source <(curl x)", ["run_download: runs a program straight from the network"]),
    (". <(curl x)", ["run_download: runs a program straight from the network"]),
    ("echo $(curl x)", []),
    ("a=$(curl x)", []),
    (
        'sh -c "$(wget x)"',
        ["run_download: runs a program straight from the network", "unclear: is too long or too nested to be checked"],
    ),
    ("curly x | sh", []),
    ("echo a.sh | cat", []),
    ("x(){ x|x& }", ["fork_bomb: starts copies of itself without end"]),
    ("x() { y|y& }", []),
    ("pgrep wakeful | xargs kill", ["home: reaches for the server's own process"]),
    ("ps | xargs kill", []),
    ("xargs kill | pgrep wakeful", []),
]


def test_a_person_is_told_of_a_danger_in_the_whole_text(above: Path) -> None:
    assert [(command, told(command, above)) for command, _ in TOLD] == TOLD
