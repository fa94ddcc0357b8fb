"""What a person is told about commands that delete, move or change rights."""

from pathlib import Path

from tests.unit.tools.commands.gate.kit import Told, told

TOLD: Told = [
    ("chmod -R -w OTHER", ["rights_outside OTHER: changes the rights of everything in OTHER (outside)"]),
    ("chmod -R", []),
    ("chmod -R 755", []),
    ("chmod -R --reference=a OTHER src", ["rights_outside OTHER: changes the rights of everything in OTHER (outside)"]),
    ("chown -R a:b .", []),
    ("chmod -R 755 src OTHER", ["rights_outside OTHER: changes the rights of everything in OTHER (outside)"]),
    ("chmod --recursive a OTHER", ["rights_outside OTHER: changes the rights of everything in OTHER (outside)"]),
    ("rm", []),
    ("rm -rf", []),
    ("rm -rf '' x", ["delete_outside HERE: deletes the workspace itself"]),
    ("rm -- -rf", []),
    (
        "rm -f /tmp-of-the-machine/*",
        ["delete_outside /tmp-of-the-machine: deletes everything in /tmp-of-the-machine (outside)"],
    ),
    ("rm -rf /tmp-of-the-machine", ["delete_outside /tmp-of-the-machine: deletes /tmp-of-the-machine (outside)"]),
    ("rm /tmp-of-the-machine", ["delete_outside /tmp-of-the-machine: deletes /tmp-of-the-machine (outside)"]),
    ("rimraf /tmp-of-the-machine/x", ["delete_outside /tmp-of-the-machine/x: deletes /tmp-of-the-machine/x (outside)"]),
    ("rmdir -p /opt/x", ["delete_outside /opt/x: deletes /opt/x (outside)"]),
    ("rmdir --recursive /tmp-of-the-machine/x", []),
    ("unlink /tmp-of-the-machine/x", []),
    (
        "ls /tmp-of-the-machine/a | xargs rm",
        ["delete_outside /tmp-of-the-machine/a: deletes /tmp-of-the-machine/a (outside)"],
    ),
    (
        "find /tmp-of-the-machine/a | xargs rm",
        ["delete_outside /tmp-of-the-machine/a: deletes everything in /tmp-of-the-machine/a (outside)"],
    ),
    ("rsync --delete-after src/ OTHER", ["delete_outside OTHER: deletes everything in OTHER (outside)"]),
    ("rsync --delay-updates src/ OTHER/x", []),
    ("rsync -a --delete OTHER/ src", []),
    ("rsync --delete", []),
    ("rsync -a --delete a b", []),
    ("rsync --remove-source-files OTHER/ x", ["delete_outside OTHER: takes away everything in OTHER (outside)"]),
    (
        "rsync --remove-source-files /tmp-of-the-machine/x y",
        ["delete_outside /tmp-of-the-machine/x: takes away everything in /tmp-of-the-machine/x (outside)"],
    ),
    ("tar cf a.tar --remove-files src", []),
    ("fd", []),
    ("fd -x rm", []),
    ("fd a b OTHER -x rm", ["delete_outside OTHER: deletes everything in OTHER (outside)"]),
    ("fd a -x ls OTHER rm", []),
    ("fd a OTHER -x ls", []),
    ("fd a OTHER --exec-batch rm", ["delete_outside OTHER: deletes everything in OTHER (outside)"]),
    ("find OTHER -exec rm {} ;", ["delete_outside OTHER: deletes everything in OTHER (outside)"]),
    ("find OTHER -exec ls {} ;", []),
    ("find OTHER src -name x -delete", ["delete_outside OTHER: deletes everything in OTHER (outside)"]),
    ("find -delete", []),
    ("find OTHER -deleted", []),
    ("mv", []),
    ("mv a", []),
    ("mv OTHER/data.txt", []),
    ("mv -t src OTHER/data.txt", ["delete_outside OTHER/data.txt: takes away OTHER/data.txt (outside)"]),
    ("mv $X src", []),
    ("mv /tmp-of-the-machine/x /opt/y .", ["delete_outside /opt/y: takes away /opt/y (outside)"]),
    (
        "mv --target-directory src OTHER/data.txt",
        ["delete_outside OTHER/data.txt: takes away OTHER/data.txt (outside)"],
    ),
    ("ls OTHER | xargs mv -t src", []),
    ("zip -m OTHER/a.zip b", []),
    ("zip a.zip OTHER/b", []),
    ("zip -m a.zip /tmp-of-the-machine/x", []),
    ("zip -m", []),
    ("rm -rf ..", ["delete_outside ABOVE: deletes ABOVE (outside)"]),
    ("rm -rf ../workspace", ["delete_outside HERE: deletes the workspace itself"]),
    ("rm -rf ../workspace/", ["delete_outside HERE: deletes the workspace itself"]),
    ("rm -rf link", []),
    ("rm -rf link/", ["delete_outside OTHER: deletes OTHER (outside)"]),
    ("rm -rf link/..", ["delete_outside ABOVE: deletes ABOVE (outside)"]),
    ("rm -rf ./", ["delete_outside HERE: deletes the workspace itself"]),
    (
        "rm -rf /",
        [
            "delete_outside /: deletes / (outside)",
            "home /: reads or changes all below /, where the server keeps its key and its data",
        ],
    ),
    ("rm -rf //opt", ["delete_outside /opt: deletes /opt (outside)"]),
    ("rm -rf /opt/../opt/x/.", ["delete_outside /opt/x: deletes /opt/x (outside)"]),
    ("rm -rf a/../..", ["delete_outside ABOVE: deletes ABOVE (outside)"]),
    ("rm -rf 'a`b`'", ["delete_outside: deletes a`b` (unknown)"]),
    ("rm -rf ~+/x", []),
    ("rm -rf ~+/..", ["delete_outside ABOVE: deletes ABOVE (outside)"]),
]


def test_a_person_is_told_what_is_deleted_or_moved_away(above: Path) -> None:
    assert [(command, told(command, above)) for command, _ in TOLD] == TOLD
