#!/bin/sh
# Make or renew .venv exactly as requirements.lock says: with uv where it is there, else with Python's own venv and pip.
set -eu
cd "$(dirname "$0")/.."

fail() {
    printf 'make venv: %s\n' "$1" >&2
    exit 3
}

usable() {  # a Python from 3.11 on that can make environments
    "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1
}

python=
for candidate in ${PYTHON:-python3.11 python3.12 python3.13 python3 python}; do
    if command -v "$candidate" >/dev/null 2>&1 && usable "$candidate"; then
        python=$candidate
        break
    fi
done
[ -n "$python" ] || fail "no Python 3.11 or later was found (tried ${PYTHON:-python3.11 python3.12 python3.13 python3 python}).
  Install one (Debian, Ubuntu: apt-get install python3 python3-venv), or name it: make PYTHON=/path/to/python3.11 …"

if [ -x .venv/bin/python ] && ! usable .venv/bin/python; then
    fail "the Python of .venv does not run or is older than 3.11; remove the folder .venv and run make again"
fi

if command -v uv >/dev/null 2>&1; then
    [ -x .venv/bin/python ] || uv venv --quiet --python "$python" .venv
    uv pip install --quiet --python .venv/bin/python --require-hashes --no-deps -r requirements.lock
    uv pip install --quiet --python .venv/bin/python --no-deps --no-build-isolation --editable .
else
    if [ ! -x .venv/bin/python ]; then
        "$python" -c 'import ensurepip, venv' >/dev/null 2>&1 ||
            fail "$python cannot make environments: its modules venv and ensurepip are missing (Debian, Ubuntu: apt-get install python3-venv)"
        "$python" -m venv .venv
    fi
    .venv/bin/python -m pip --version >/dev/null 2>&1 ||
        fail "there is no pip in .venv (it was made by uv, which is gone now); remove the folder .venv and run make again"
    .venv/bin/python -m pip install --quiet --disable-pip-version-check --no-compile --require-hashes --no-deps -r requirements.lock
    # on all processors; a file for another Python that cannot be compiled is one that nothing imports
    .venv/bin/python -m compileall -qq -j 0 .venv/lib || true
    .venv/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
fi
