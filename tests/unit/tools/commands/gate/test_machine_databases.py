"""What a person is told about commands that harm the machine or a database."""

from pathlib import Path

from tests.unit.tools.commands.gate.kit import Told, told

TOLD: Told = [
    ("kill -1", []),
    ("kill -1 -1", ["kill_everything: ends every process that it may"]),
    ("kill -9 12 -1", ["kill_everything: ends every process that it may"]),
    ("kill -- -1", ["kill_everything: ends every process that it may"]),
    ("service stop", []),
    ("service a b stop", ["stop_service: stops the service a"]),
    ("systemctl", []),
    ("systemctl --now stop a", ["stop_service: stops the service a"]),
    ("systemctl status stop", []),
    ("systemctl reboot --force", ["stop_machine: stops or restarts the machine"]),
    ("init 6", ["stop_machine: stops or restarts the machine"]),
    ("init", []),
    ("init 60", []),
    ("telinit 0", ["stop_machine: stops or restarts the machine"]),
    ("crontab -l x", []),
    ("crontab -V", []),
    ("crontab -u me", ["drop_schedules: replaces all scheduled commands of the user"]),
    ("crontab -", ["drop_schedules: replaces all scheduled commands of the user"]),
    ("ls | crontab", ["drop_schedules: replaces all scheduled commands of the user"]),
    ("crontab -i -r", ["drop_schedules: deletes all scheduled commands of the user"]),
    ("mkfs", ["format_disk: formats or partitions a disk"]),
    ("userdel -r a b", ["remove_user: removes a b from the machine"]),
    ("$X -f -R a", ["unclear: runs $X, and which program that is cannot be known"]),
    ("$X -fr a", ["unclear: runs $X, and which program that is cannot be known"]),
    ("${X} -rf a", ["unclear: runs ${X}, and which program that is cannot be known"]),
    ("$(which rm) -rf a", ["unclear: runs $(which rm), and which program that is cannot be known"]),
    ("dropdb -h a b", ["drop_data b: deletes the database b"]),
    ("psql -f x", []),
    ("psql -c 'DELETE FROM a'", ["drop_data DELETE FROM a: deletes data of a database (DELETE FROM a)"]),
    ("psql -c 'delete from a where b'", []),
    (
        "psql -c 'drop table a; drop table b'",
        [
            "drop_data drop table a: deletes data of a database (drop table a)",
            "drop_data drop table b: deletes data of a database (drop table b)",
        ],
    ),
    ("psql -c 'drop  table\n a'", ["drop_data drop table: deletes data of a database (drop table)"]),
    ("mysql <<< 'truncate table a'", ["drop_data truncate table a: deletes data of a database (truncate table a)"]),
    ("delete from a", ["drop_data delete from a: deletes data of a database (delete from a)"]),
    ("truncate table a", ["drop_data truncate table a: deletes data of a database (truncate table a)"]),
    ("truncate -s 0 a", []),
    ("DROP TABLE a", ["drop_data DROP TABLE a: deletes data of a database (DROP TABLE a)"]),
    ("mycli -e 'drop table a'", []),
]


def test_a_person_is_told_what_harms_the_machine_or_a_database(above: Path) -> None:
    assert [(command, told(command, above)) for command, _ in TOLD] == TOLD
