#!/usr/bin/env bash
# setup.sh [VENV [EXTRA]]: makes a virtual environment with what the extra of pyproject.toml
# asks for, in exactly the files that the lock for this Python names, and looks after the system libraries that Qt loads at run time: installs them
# where it may, and otherwise says which are missing.
set -eu
. "$(dirname "$0")/system_packages.sh"
venv=${1:-.venv}
extra=${2:-test}

find_python() {
    for candidate in "${PYTHON:-}" python3 python3.13 python3.12 python3.11 python; do
        [ -n "$candidate" ] && command -v "$candidate" >/dev/null 2>&1 || continue
        if "$candidate" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' \
            2>/dev/null; then
            echo "$candidate"
            return
        fi
    done
}

python=$(find_python)
if [ -z "$python" ]; then
    echo "pmlda_gui needs Python 3.11, 3.12 or 3.13, and none was found." >&2
    echo "Install one, or name it: make PYTHON=/path/to/python3.12" >&2
    exit 1
fi

if [ ! -x "$venv/bin/python" ]; then
    if ! "$python" -m venv "$venv" 2>/dev/null; then
        rm -rf "$venv"
        version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
        if ! { may_install && install_packages "python$version-venv" &&
            "$python" -m venv "$venv"; }; then
            echo "$python cannot make virtual environments; on Debian: apt install python$version-venv" >&2
            exit 1
        fi
    fi
fi
echo "Setting up $venv with $("$venv/bin/python" --version) ..."
pip_install() {
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check "$@"
}

# Every file must have a hash that the lock names.  Where not all of them can be had, on a
# system nobody has built them for, say, the ranges of pyproject.toml have to do; a file that
# is another than the lock says is never accepted.
install_locked() {
    lock=locks/$extra-$("$venv/bin/python" -c 'import sys; print("%d.%d" % sys.version_info[:2])').txt
    [ -f "$lock" ] || return 1
    said=$(pip_install --require-hashes --only-binary :all: --requirement "$lock" 2>&1) && return
    case $said in *"DO NOT MATCH THE HASHES"*)
        echo "$said" >&2
        echo "A file is not the one that $lock names: find out where it comes from." >&2
        exit 1
        ;;
    esac
    return 1
}

if install_locked; then
    pip_install --no-deps --no-build-isolation --editable .
else
    echo "The files named in locks/ cannot all be had here: installing what pyproject.toml allows."
    pip_install --editable ".[$extra]"
fi

# What Qt's xcb and off-screen platforms load, by library and by Debian package.
missing_packages() {
    "$venv/bin/python" - <<'PYTHON'
import ctypes

NEEDED = {
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libfontconfig.so.1": "libfontconfig1",
    "libdbus-1.so.3": "libdbus-1-3",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-image.so.0": "libxcb-image0",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-randr.so.0": "libxcb-randr0",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-xinerama.so.0": "libxcb-xinerama0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
}
for library, package in NEEDED.items():
    try:
        ctypes.CDLL(library)
    except OSError:
        print(package)
PYTHON
}

fonts_missing() { [ -z "$(find /usr/share/fonts /usr/local/share/fonts -name '*.[ot]tf' -print -quit 2>/dev/null)" ]; }

if [ "$(uname -s)" = Linux ]; then
    packages=$(missing_packages | tr '\n' ' ')
    fonts_missing && packages="$packages fonts-dejavu-core"
    if [ -n "${packages// /}" ]; then
        # shellcheck disable=SC2086
        if may_install && install_packages $packages; then
            echo "Installed for Qt: $packages"
        else
            echo "Qt needs system libraries that are missing here. On Debian or Ubuntu:" >&2
            echo "    sudo apt install $packages" >&2
            echo "Without them the window does not open; the command line works all the same." >&2
        fi
    fi
fi
touch "$venv/.ready"
