"""What a person is told about a command, word for word, and what is said of commands that stand next to it."""

from pathlib import Path

import pytest

from tests.unit.tools.commands.gate.kit import reasons_of
from wakeful.tools.commands.gate.ground import Ground

# OTHER is a folder next to the workspace with a file in it, HERE the workspace, ABOVE the folder that both are in.
Told = list[tuple[str, list[str]]]
# What is said so often that the tables have it shorter.
SHORT = {
    ", which is outside of the workspace": " (outside)",
    ", and where that is cannot be known": " (unknown)",
    "files that its text does not name": "UNNAMED",
    "throws away work that was not committed": "WORK",
}

MACHINE: Told = [
    ("mke2fs /dev/sdb", ["format_disk /dev/sdb: formats or partitions /dev/sdb"]),
    ("wipefs", ["format_disk: formats or partitions a disk"]),
    ("mkfs.ext4 /dev/sda1", ["format_disk /dev/sda1: formats or partitions /dev/sda1"]),
    ("telinit 6", ["stop_machine: stops or restarts the machine"]),
    ("init 3", []),
    ("systemctl halt", ["stop_machine: stops or restarts the machine"]),
    ("systemctl isolate rescue.target", ["stop_service: stops the service rescue.target"]),
    ("systemctl mask a b c", ["stop_service: stops the service a b"]),
    ("systemctl stop", ["stop_service: stops the service of the machine"]),
    ("service nginx stop", ["stop_service: stops the service nginx"]),
    ("service nginx status", []),
    ("kill -1 77", []),
    ("kill -9 -1", ["kill_everything: ends every process that it may"]),
    ("kill -s TERM -1", ["kill_everything: ends every process that it may"]),
    ("crontab -e", []),
    ("crontab -u me -r", ["drop_schedules: deletes all scheduled commands of the user"]),
    ("crontab", []),
    ("groupdel staff", ["remove_user: removes staff from the machine"]),
    ("deluser", ["remove_user: removes a user or a group from the machine"]),
    ("$X -rf build", ["unclear: runs $X, and which program that is cannot be known"]),
    ("$X -r build", []),
    ("$X -R -f build", ["unclear: runs $X, and which program that is cannot be known"]),
]
DATABASES: Told = [
    ("dropdb shop", ["drop_data shop: deletes the database shop"]),
    ("dropdb", ["drop_data: deletes a database"]),
    (
        "psql -c 'truncate table users'",
        ["drop_data truncate table users: deletes data of a database (truncate table users)"],
    ),
    (
        "mysql -e 'DROP SCHEMA shop; select 1'",
        ["drop_data DROP SCHEMA shop: deletes data of a database (DROP SCHEMA shop)"],
    ),
    ("mongosh --eval 'db.dropDatabase()'", ["drop_data dropDatabase(: deletes data of a database (dropDatabase()"]),
    (
        "sqlite3 a.db 'delete from users'",
        ["drop_data delete from users: deletes data of a database (delete from users)"],
    ),
    ("drop table users", ["drop_data drop table users: deletes data of a database (drop table users)"]),
]
REPOSITORIES: Told = [
    ("git push --mirror", ["force_push: overwrites what others may have in the remote repository"]),
    ("git push origin --delete x", ["force_push: overwrites what others may have in origin"]),
    ("git push -d origin x", ["force_push: overwrites what others may have in origin"]),
    ("git push origin :x", ["force_push: overwrites what others may have in origin"]),
    ("git push upstream +main", ["force_push: overwrites what others may have in upstream"]),
    ("git push origin main", []),
    ("git -c a.b=c --git-dir x push -f", ["force_push: overwrites what others may have in the remote repository"]),
    ("git --no-pager push -f", ["force_push: overwrites what others may have in the remote repository"]),
    ("git reset --merge", ["discard_work: WORK"]),
    ("git reset --keep x", ["discard_work: WORK"]),
    ("git reset --hard", ["discard_work: WORK"]),
    ("git reset --soft", []),
    ("git clean -n -f", []),
    ("git clean -fd", ["discard_work: WORK"]),
    ("git clean -d", []),
    ("git checkout -f", ["discard_work: WORK"]),
    ("git checkout .", ["discard_work: WORK"]),
    ("git checkout main", []),
    ("git switch --discard-changes x", ["discard_work: WORK"]),
    ("git switch -f x", ["discard_work: WORK"]),
    ("git switch .", []),
    ("git restore .", ["discard_work: WORK"]),
    ("git restore --staged .", []),
    ("git restore -S -W .", ["discard_work: WORK"]),
    ("git restore a.py", []),
    ("git stash drop", ["discard_work: WORK"]),
    ("git stash clear", ["discard_work: WORK"]),
    ("git stash list", []),
    ("git stash pop", []),
    (
        "git -C OTHER reset --hard",
        ["discard_work: WORK", "delete_outside OTHER: throws away changes in everything in OTHER (outside)"],
    ),
    (
        "git -C .. -C other reset --hard",
        ["discard_work: WORK", "delete_outside OTHER: throws away changes in everything in OTHER (outside)"],
    ),
    (
        "git --work-tree OTHER clean -f",
        ["discard_work: WORK", "delete_outside OTHER: throws away changes in everything in OTHER (outside)"],
    ),
    (
        "git --work-tree=OTHER clean -f",
        ["discard_work: WORK", "delete_outside OTHER: throws away changes in everything in OTHER (outside)"],
    ),
    (
        "GIT_WORK_TREE=OTHER git clean -f",
        ["discard_work: WORK", "delete_outside OTHER: throws away changes in everything in OTHER (outside)"],
    ),
    ("git -C $X clean -f", ["discard_work: WORK", "delete_outside: throws away changes in $X/* (unknown)"]),
    ("git worktree remove -f OTHER", ["delete_outside OTHER: throws away OTHER (outside)"]),
    ("git worktree remove OTHER", []),
    ("git worktree prune -f OTHER", []),
    ("git rm --cached OTHER/a", []),
    ("git rm /opt/a", ["delete_outside /opt/a: throws away /opt/a (outside)"]),
    ("git checkout x -- /opt/a b", ["delete_outside /opt/a: throws away /opt/a (outside)"]),
    ("git config core.pager x", ["runs_later: sets core.pager, which git runs by itself"]),
    ("git config --get core.pager", []),
    ("git config core.pager", []),
    ("git config credential.helper x", ["runs_later: sets credential.helper, which git runs by itself"]),
    ("git config filter.a.clean x", ["runs_later: sets filter.a.clean, which git runs by itself"]),
    ("git config diff.a.textconv x", ["runs_later: sets diff.a.textconv, which git runs by itself"]),
    ("git config user.name x", []),
    ("git config include.path x", ["runs_later: sets include.path, which git runs by itself"]),
]
DELETING: Told = [
    ("chmod -R --reference=a /opt/x", ["rights_outside /opt/x: changes the rights of everything in /opt/x (outside)"]),
    ("chmod -R u+w /opt/x", ["rights_outside /opt/x: changes the rights of everything in /opt/x (outside)"]),
    ("chown -R me /opt/x", ["rights_outside /opt/x: changes the rights of everything in /opt/x (outside)"]),
    ("chmod 777 /opt/x", []),
    ("chgrp --recursive staff OTHER", ["rights_outside OTHER: changes the rights of everything in OTHER (outside)"]),
    ("rm -rf .", ["delete_outside HERE: deletes the workspace itself"]),
    ("rm -rf $D", ["delete_outside: deletes $D (unknown)"]),
    ("rm -rf /opt/*", ["delete_outside /opt: deletes everything in /opt (outside)"]),
    ("rmdir /tmp-of-the-machine/x", []),
    ("rm -rf /tmp-of-the-machine/x", ["delete_outside /tmp-of-the-machine/x: deletes /tmp-of-the-machine/x (outside)"]),
    ("rm /tmp-of-the-machine/x", []),
    ("mv /tmp-of-the-machine/x .", []),
    ("ls | xargs rm", []),
    ("cat l | xargs rm", ["delete_outside: deletes UNNAMED (unknown)"]),
    ("fd -X rm", []),
    ("fd ../x src -x rm", []),
    ("fd . -x rm", []),
    ("fd -H x OTHER --exec rm", ["delete_outside OTHER: deletes everything in OTHER (outside)"]),
    ("fdfind x OTHER -x /bin/rm -f", ["delete_outside OTHER: deletes everything in OTHER (outside)"]),
    (
        "find OTHER /opt -delete",
        [
            "delete_outside OTHER: deletes everything in OTHER (outside)",
            "delete_outside /opt: deletes everything in /opt (outside)",
        ],
    ),
    ("find OTHER -ok rm {} ;", ["delete_outside OTHER: deletes everything in OTHER (outside)"]),
    ("find OTHER -execdir mv {} x ;", ["delete_outside OTHER: deletes everything in OTHER (outside)"]),
    ("find OTHER -name x", []),
    (
        "rsync -a --delete src/ OTHER",
        [
            "delete_outside OTHER: deletes everything in OTHER (outside)",
            "write_outside OTHER: may overwrite files in OTHER (outside)",
        ],
    ),
    ("rsync -a --del src/ host:x", ["delete_outside: deletes host:x (unknown)"]),
    ("rsync -a src/ host:x", []),
    (
        "rsync --remove-source-files OTHER/a host:/b x",
        ["delete_outside OTHER/a: takes away everything in OTHER/a (outside)"],
    ),
    ("mv -t OTHER /opt/a b", ["delete_outside /opt/a: takes away /opt/a (outside)"]),
    (
        "mv OTHER/data.txt /opt/b .",
        [
            "delete_outside OTHER/data.txt: takes away OTHER/data.txt (outside)",
            "delete_outside /opt/b: takes away /opt/b (outside)",
        ],
    ),
    ("mv x OTHER", []),
    (
        "zip -m a.zip /opt/a /opt/b",
        ["delete_outside /opt/a: takes away /opt/a (outside)", "delete_outside /opt/b: takes away /opt/b (outside)"],
    ),
    ("shred /opt/x", []),
    ("shred -u /opt/x", ["delete_outside /opt/x: deletes /opt/x (outside)"]),
    ("tar cf a.tar --remove-files /opt/x", ["delete_outside /opt/x: deletes /opt/x (outside)"]),
]
WRITING: Told = [
    ("dd if=a of=/dev/sda", ["overwrite_device /dev/sda: writes to the device /dev/sda"]),
    ("tee /dev/sdb", ["overwrite_device /dev/sdb: writes to the device /dev/sdb"]),
    ("cp a /dev/mem", ["overwrite_device /dev/mem: writes to the device /dev/mem"]),
    ("echo x > /dev/null", []),
    ("shred /dev/vda", ["overwrite_device /dev/vda: writes to the device /dev/vda"]),
    ("echo x >> OTHER/data.txt", []),
    ("tee -a OTHER/data.txt", []),
    ("tee OTHER/data.txt", ["write_outside OTHER/data.txt: overwrites OTHER/data.txt (outside)"]),
    ("cp -n a OTHER/data.txt", []),
    ("ln -s a OTHER/data.txt", []),
    ("ln -f a OTHER/data.txt", ["write_outside OTHER/data.txt: overwrites OTHER/data.txt (outside)"]),
    ("sponge OTHER/data.txt", ["write_outside OTHER/data.txt: overwrites OTHER/data.txt (outside)"]),
    ("shred OTHER/data.txt", ["write_outside OTHER/data.txt: overwrites OTHER/data.txt (outside)"]),
    ("shred -u OTHER/data.txt", ["delete_outside OTHER/data.txt: deletes OTHER/data.txt (outside)"]),
    ("cp a b OTHER", []),
    ("ln -f OTHER/data.txt", []),
    ("cp a/data.txt OTHER", ["write_outside OTHER/data.txt: overwrites OTHER/data.txt (outside)"]),
    ("cp -t OTHER a/data.txt", ["write_outside OTHER/data.txt: overwrites OTHER/data.txt (outside)"]),
    ("cp --target-directory=OTHER data.txt", ["write_outside OTHER/data.txt: overwrites OTHER/data.txt (outside)"]),
    ("install data.txt OTHER/", ["write_outside OTHER/data.txt: overwrites OTHER/data.txt (outside)"]),
    ("rsync data.txt OTHER", ["write_outside OTHER/data.txt: overwrites OTHER/data.txt (outside)"]),
    ("rsync -a src/ OTHER", ["write_outside OTHER: may overwrite files in OTHER (outside)"]),
    ("scp -r src OTHER", []),
    ("sed -i s/a/b/ a OTHER/data.txt", ["write_outside OTHER/data.txt: overwrites OTHER/data.txt (outside)"]),
    ("sed -n p OTHER/data.txt", []),
    ("sed -i -e s/a/b/ OTHER/data.txt", ["write_outside OTHER/data.txt: overwrites OTHER/data.txt (outside)"]),
    (
        "sed --in-place --expression=x OTHER/data.txt",
        ["write_outside OTHER/data.txt: overwrites OTHER/data.txt (outside)"],
    ),
    ("sed -ni.bak p OTHER/data.txt", ["write_outside OTHER/data.txt: overwrites OTHER/data.txt (outside)"]),
    ("perl -pi -e x OTHER/data.txt", ["write_outside OTHER/data.txt: overwrites OTHER/data.txt (outside)"]),
    ("perl -p x OTHER/data.txt", []),
    ("cat a > OTHER/*.txt", ["write_outside OTHER/*.txt: overwrites OTHER/*.txt (outside)"]),
    ("cat a > OTHER/*.md", []),
    ("echo x &> OTHER/data.txt", ["write_outside OTHER/data.txt: overwrites OTHER/data.txt (outside)"]),
    ("echo x &>> OTHER/data.txt", []),
    ("echo x <> OTHER/data.txt", []),
    ("echo x 2> OTHER/data.txt", ["write_outside OTHER/data.txt: overwrites OTHER/data.txt (outside)"]),
    (": >| OTHER/data.txt", ["write_outside OTHER/data.txt: overwrites OTHER/data.txt (outside)"]),
    (
        "echo x > .git/config",
        ["runs_later HERE/.git/config: changes HERE/.git/config, which git reads and runs by itself"],
    ),
    (
        "echo x > usercustomize.py",
        ["runs_later HERE/usercustomize.py: changes HERE/usercustomize.py, which every new Python runs by itself"],
    ),
    (
        "echo x > .GIT/hooks/a",
        ["runs_later HERE/.GIT/hooks/a: changes HERE/.GIT/hooks/a, which git reads and runs by itself"],
    ),
    (
        "chmod 755 .git/hooks/a",
        ["runs_later HERE/.git/hooks/a: changes HERE/.git/hooks/a, which git reads and runs by itself"],
    ),
    ("chmod 644 .git/hooks/a", []),
    ("chmod u+x .envrc", ["runs_later HERE/.envrc: changes HERE/.envrc, which direnv runs by itself"]),
    ("chmod g+r .envrc", []),
    ("chmod 0700 .envrc", ["runs_later HERE/.envrc: changes HERE/.envrc, which direnv runs by itself"]),
    ("mkdir .git", []),
    (
        "echo x > .config/git/config",
        ["runs_later HERE/.config/git/config: changes HERE/.config/git/config, which git reads and runs by itself"],
    ),
    ("echo x > .config/other", []),
    (
        "cp x /etc/hosts",
        [
            "write_to_system /etc/hosts: changes /etc/hosts, which belongs to the system or is a key of the user",
            "write_outside /etc/hosts: overwrites /etc/hosts (outside)",
        ],
    ),
    (
        "rm /usr/bin/x",
        [
            "delete_outside /usr/bin/x: deletes /usr/bin/x (outside)",
            "write_to_system /usr/bin/x: changes /usr/bin/x, which belongs to the system or is a key of the user",
        ],
    ),
    ("unzip a.zip -d OTHER", []),
    ("unzip -o a.zip", []),
    ("tar -x -f a.tar -C OTHER", ["write_outside OTHER: may overwrite files in OTHER (outside)"]),
    ("tar --extract --file a.tar --directory OTHER", ["write_outside OTHER: may overwrite files in OTHER (outside)"]),
    ("tar x --keep-old-files -f a.tar -C OTHER", []),
    ("tar --create --file OTHER/data.txt src", ["write_outside OTHER/data.txt: overwrites OTHER/data.txt (outside)"]),
    ("tar -c -f OTHER/data.txt src", ["write_outside OTHER/data.txt: overwrites OTHER/data.txt (outside)"]),
    ("tar cf - src", []),
    ("patch OTHER/data.txt a.diff", ["write_outside OTHER/data.txt: overwrites OTHER/data.txt (outside)"]),
    ("awk '{print > \"OTHER/data.txt\"}' x", ["write_outside OTHER/data.txt: overwrites OTHER/data.txt (outside)"]),
    ("gawk -i inplace x OTHER/data.txt", ["write_outside OTHER/data.txt: overwrites OTHER/data.txt (outside)"]),
    ("curl -O http://x/y", []),
    ("curl -o OTHER/data.txt x", ["write_outside OTHER/data.txt: overwrites OTHER/data.txt (outside)"]),
    ("wget -O OTHER/data.txt x", ["write_outside OTHER/data.txt: overwrites OTHER/data.txt (outside)"]),
    ("wget --output-document OTHER/data.txt x", ["write_outside OTHER/data.txt: overwrites OTHER/data.txt (outside)"]),
    ("sort --output=OTHER/data.txt a", ["write_outside OTHER/data.txt: overwrites OTHER/data.txt (outside)"]),
    ("grep -o OTHER/data.txt x", []),
    ("gcc -oOTHER/data.txt a.c", ["write_outside OTHER/data.txt: overwrites OTHER/data.txt (outside)"]),
]
WALKING: Told = [
    ("cd OTHER; echo x > data.txt", ["write_outside OTHER/data.txt: overwrites OTHER/data.txt (outside)"]),
    ("cd OTHER && cd - && rm -rf x", []),
    ("pushd OTHER; popd; rm -rf x", []),
    ("pushd; rm -rf x", ["delete_outside: deletes x (unknown)"]),
    ("popd; rm -rf x", ["delete_outside: deletes x (unknown)"]),
    ("cd OTHER || exit 1; rm -rf x", ["delete_outside OTHER/x: deletes OTHER/x (outside)"]),
    ("cd nowhere || return; rm -rf ../x", []),
    ("cd nowhere || true; rm -rf ../x", ["delete_outside ABOVE/x: deletes ABOVE/x (outside)"]),
    ("cd src & rm -rf ../x", ["delete_outside ABOVE/x: deletes ABOVE/x (outside)"]),
    ("cd nowhere | cat; rm -rf ../x", ["delete_outside ABOVE/x: deletes ABOVE/x (outside)"]),
    ("while true; do cd src; done; rm -rf x", ["delete_outside: deletes x (unknown)"]),
    ("for i in 1; do rm -rf x; done; rm -rf y", []),
    (
        "if a; then cd src; elif b; then cd OTHER; else cd /opt; fi; rm -rf x",
        ["delete_outside /opt/x: deletes /opt/x (outside)", "delete_outside OTHER/x: deletes OTHER/x (outside)"],
    ),
    ("case x in a) cd OTHER;; b) cd src;; esac; rm -rf x", ["delete_outside OTHER/x: deletes OTHER/x (outside)"]),
    ("unset D; rm -rf $D/x", ["delete_outside /x: deletes /x (outside)"]),
    (
        "D=a; D+=b; rm -rf OTHER/$D",
        ["delete_outside OTHER/a: deletes OTHER/a (outside)", "delete_outside OTHER/ab: deletes OTHER/ab (outside)"],
    ),
    ("D=${E:-/opt}; rm -rf $D", ["delete_outside: deletes ${E:-/opt} (unknown)"]),
    ("rm -rf ${D:-build}", ["delete_outside: deletes ${D:-build} (unknown)"]),
    ("D=build; rm -rf ${D%/}", ["delete_outside: deletes ${D%/} (unknown)"]),
    ("D=build; rm -rf ${D:-x}", []),
    ("rm -rf $PWD/build", []),
    ("rm -rf $PWD", ["delete_outside HERE: deletes the workspace itself"]),
    ("rm -rf $(pwd)/build", []),
    ('rm -rf "$(pwd)"', ["delete_outside HERE: deletes the workspace itself"]),
    ("cd OTHER; rm -rf $PWD/x", ["delete_outside OTHER/x: deletes OTHER/x (outside)"]),
    ("T=$(mktemp -d); rm -rf $T /opt/x", ["delete_outside /opt/x: deletes /opt/x (outside)"]),
    ("declare D=OTHER; rm -rf $D", ["delete_outside OTHER: deletes OTHER (outside)"]),
    ("local D=OTHER; rm -rf $D", ["delete_outside OTHER: deletes OTHER (outside)"]),
    ("typeset D=OTHER; rm -rf $D", ["delete_outside OTHER: deletes OTHER (outside)"]),
    ("for d in OTHER src; do rm -rf $d; done", ["delete_outside OTHER: deletes OTHER (outside)"]),
    ("select d in OTHER; do rm -rf $d; done", ["delete_outside OTHER: deletes OTHER (outside)"]),
    ("for d; do rm -rf $d; done", ["delete_outside: deletes UNNAMED (unknown)"]),
    ("mapfile L; rm -rf $L", ["delete_outside: deletes UNNAMED (unknown)"]),
    ("find OTHER | while read f; do rm $f; done", ["delete_outside OTHER: deletes everything in OTHER (outside)"]),
    ("alias r='sudo rm -rf'; r OTHER", ["delete_outside OTHER: deletes OTHER (outside)"]),
    ("A='a b'; rm -rf \"$A\"", []),
    ("os.chdir /opt; rm -rf x", ["delete_outside: deletes x (unknown)"]),
    ("env --chdir OTHER rm -rf x", ["delete_outside OTHER/x: deletes OTHER/x (outside)"]),
    ("sudo -D OTHER rm -rf x", ["delete_outside OTHER/x: deletes OTHER/x (outside)"]),
    ("nice -n 5 rm -rf build", []),
    ("git clone http://x/y.git z; cd z; rm -rf ../x", []),
    ("git clone http://x/y; cd y; rm -rf ../x", []),
    ("mkdir y; cd y; rm -rf ../x", []),
    ("mkdir done; cd done; rm -rf ../x", []),
    ("rm -rf ~nosuchuser/x", ["delete_outside: deletes ~nosuchuser/x (unknown)"]),
    ("export D E=build; rm -rf $E", []),
    (
        "for d in 1 2 3 4 5; do for e in 1 2 3 4 5; do rm -rf build$d$e; done; done",
        ["delete_outside: deletes UNNAMED (unknown)"],
    ),
    ("for d in 1 2 3 4; do for e in 1 2 3 4 5; do rm -rf build$d$e; done; done", []),
    ("rm -rf OTHER <", ["delete_outside OTHER: deletes OTHER (outside)"]),
    ("rm -rf $'a\\tb\\n' $'\\q'", []),
    ("'if' rm -rf OTHER", ["delete_outside OTHER: deletes OTHER (outside)"]),
    ("case x in a) cd src;; b) cd ..;; esac; rm -rf x", ["delete_outside ABOVE/x: deletes ABOVE/x (outside)"]),
    ("case x in a) cd src;; b) cd src;; esac; rm -rf ../x", ["delete_outside ABOVE/x: deletes ABOVE/x (outside)"]),
    ("case x in a) cd src;; *) cd src;; esac; rm -rf x", []),
    ("case x in a) cd OTHER;& b) rm -rf x;; esac", ["delete_outside OTHER/x: deletes OTHER/x (outside)"]),
    ("case x in a) cd OTHER;; b) rm -rf x;; esac", []),
    ("case x in a) cd OTHER;;& b) rm -rf x;; esac", ["delete_outside OTHER/x: deletes OTHER/x (outside)"]),
    ("case x in a) cd OTHER;; esac; rm -rf x", ["delete_outside OTHER/x: deletes OTHER/x (outside)"]),
    ("ls;; rm -rf x", []),
]
SPELLING: Told = [
    ("ssh host 'cd /; rm -rf x'", ["delete_outside: deletes x (unknown)"]),
    ("ssh host ls", []),
    ("rm -rf $'\\x2fopt\\057x'", ["delete_outside /opt/x: deletes /opt/x (outside)"]),
    ("rm -rf $'\\u002fopt'", ["delete_outside /opt: deletes /opt (outside)"]),
    ('rm -rf "$(echo "/opt")"', ['delete_outside: deletes $(echo "/opt") (unknown)']),
    ("rm -rf a\\ b", []),
    ('echo "a \\" b" > OTHER/data.txt', ["write_outside OTHER/data.txt: overwrites OTHER/data.txt (outside)"]),
    ("cat <<A <<B\nx\nA\n$(rm -rf /opt)\nB", ["delete_outside /opt: deletes /opt (outside)"]),
    ("cat <<'A'\n$(rm -rf /opt)\nA", []),
    ('cat <<A\n"$(rm -rf /opt)"\nA', ["delete_outside /opt: deletes /opt (outside)"]),
    ("rm -rf build;# /opt", []),
    ("echo a#b; rm -rf /opt", ["delete_outside /opt: deletes /opt (outside)"]),
    ("(cd OTHER; ls) && rm -rf x", []),
    ("{ cd OTHER; }; rm -rf x", ["delete_outside OTHER/x: deletes OTHER/x (outside)"]),
    ("rm -rf b{1,2} {OTHER,x}", ["delete_outside OTHER: deletes OTHER (outside)"]),
    ("rm -rf {a,b,c}{1,2,3}{x,y,z}{1,2,3}{4,5}", ["delete_outside: deletes UNNAMED (unknown)"]),
    ("echo 'rm -rf OTHER' | xargs -I{} sh -c {}", ["delete_outside OTHER: deletes OTHER (outside)"]),
    ("printf 'rm -rf OTHER' | bash", ["delete_outside OTHER: deletes OTHER (outside)"]),
    ('eval "rm -rf" OTHER', ["delete_outside OTHER: deletes OTHER (outside)"]),
    ("bash -c 'rm -rf $0' OTHER", ["delete_outside: deletes $0 (unknown)"]),
    ("docker run -v /:/x a rm -rf /x", ["delete_outside /x: deletes /x (outside)"]),
    ("docker run a rm -rf /x", []),
    ("podman run --privileged a rm -rf /x", ["delete_outside /x: deletes /x (outside)"]),
    ("grep -l x OTHER/* | xargs rm", ["delete_outside OTHER/*: deletes everything in OTHER/* (outside)"]),
    ("git ls-files | xargs rm", []),
    ("git log | xargs rm", ["delete_outside: deletes UNNAMED (unknown)"]),
    ("ls OTHER | xargs rm", ["delete_outside OTHER: deletes OTHER (outside)"]),
    ("find OTHER | sort | head | xargs rm", ["delete_outside OTHER: deletes everything in OTHER (outside)"]),
    ("find OTHER | cut -c1 | xargs rm", ["delete_outside: deletes UNNAMED (unknown)"]),
    ("find . -exec sudo reboot ;", ["stop_machine: stops or restarts the machine"]),
    ("find OTHER -exec rm {} + -print", ["delete_outside OTHER: deletes everything in OTHER (outside)"]),
    (
        "parallel rm ::: OTHER",
        ["delete_outside OTHER: deletes OTHER (outside)", "delete_outside: deletes UNNAMED (unknown)"],
    ),
    ("unlink", []),
    ("echo rm | cat", []),
]
CODE: Told = [
    ("python3 -c \"fs.rm('OTHER')\"", ["delete_outside OTHER: deletes OTHER (outside)"]),
    (
        "python3 -c \"os.rename('OTHER/data.txt', 'x')\"",
        ["delete_outside OTHER/data.txt: takes away OTHER/data.txt (outside)"],
    ),
    ('python3 -c "os.rename(a, b)"', []),
    ("python3 -c \"shutil.copytree('a', 'OTHER')\"", []),
    (
        "python3 -c \"Path('OTHER/data.txt').write_text('')\"",
        ["write_outside OTHER/data.txt: overwrites OTHER/data.txt (outside)"],
    ),
    (
        "python3 -c \"open('OTHER/data.txt', mode='x')\"",
        ["write_outside OTHER/data.txt: overwrites OTHER/data.txt (outside)"],
    ),
    ("python3 -c \"open('OTHER/data.txt')\"", []),
    ('python3 -c "rmtree(x)"', ["delete_outside: deletes UNNAMED (unknown)"]),
    (
        'perl -e \'open my $f, ">", "OTHER/data.txt"\'',
        ["write_outside OTHER/data.txt: overwrites OTHER/data.txt (outside)"],
    ),
    (
        'php -r \'file_put_contents("OTHER/data.txt", "")\'',
        ["write_outside OTHER/data.txt: overwrites OTHER/data.txt (outside)"],
    ),
]


@pytest.fixture
def above(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    # The test runs in a temporary folder, which must not count as one.
    monkeypatch.setattr(Ground, "temporary", ("/tmp-of-the-machine",))
    (tmp_path / "workspace/src").mkdir(parents=True)
    (tmp_path / "other").mkdir()
    (tmp_path / "other/data.txt").touch()
    return tmp_path


TOPICS = [MACHINE, DATABASES, REPOSITORIES, DELETING, WRITING, WALKING, SPELLING, CODE]


@pytest.mark.parametrize("topic", TOPICS, ids=lambda topic: topic[0][0].split()[0])
def test_a_person_is_told_what_a_command_does(topic: Told, above: Path) -> None:
    assert [(command, _told(command, above)) for command, _ in topic] == topic


def _told(command: str, above: Path) -> list[str]:
    names = {str(above / "other"): "OTHER", str(above / "workspace"): "HERE", str(above): "ABOVE", **SHORT}
    workspace = above / "workspace"
    told = []
    for reason in reasons_of(command.replace("OTHER", str(above / "other")), workspace, workspace):
        text = f"{reason.kind} {reason.path}: {reason.reason}" if reason.path else f"{reason.kind}: {reason.reason}"
        for words, name in names.items():
            text = text.replace(words, name)
        told.append(text)
    return told
