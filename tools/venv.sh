#!/bin/sh
# Makes .venv with this package and what its tests need; does nothing where it is up to date. No root.
set -eu
venv=$1
shift
python=${PYTHON:-}
if [ -z "$python" ]; then
    for candidate in python3 python3.13 python3.12 python3.11 python3.10; do
        if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
            python=$candidate
            break
        fi
    done
fi
[ -n "$python" ] || { echo "xpuasm: Python 3.10 or newer is needed; set PYTHON=/path/to/python3" >&2; exit 1; }

if ! [ -x "$venv/bin/python" ] || ! "$venv/bin/python" -c 'import pip' 2>/dev/null; then
    echo "xpuasm: making $venv with $("$python" --version): 135 MB to download, 600 MB on disk" >&2
    rm -rf "$venv"
    if ! "$python" -m venv "$venv" >/dev/null 2>&1; then
        # Debian's python3 has no ensurepip; its pip wheel can be unpacked without root.
        rm -rf "$venv"
        "$python" -m venv --without-pip "$venv"
        if "$python" -c 'import pip' 2>/dev/null; then
            "$python" -m pip --python "$venv/bin/python" install --quiet pip
        else
            work=$(mktemp -d)
            trap 'rm -rf "$work"' EXIT
            wheel=$("$python" tools/pip_wheel.py "$work") || {
                echo "xpuasm: no pip here and none could be fetched; install python3-venv" >&2
                exit 1
            }
            PYTHONPATH=$wheel "$venv/bin/python" -m pip install --quiet pip
        fi
    fi
fi
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check --editable . "$@"
