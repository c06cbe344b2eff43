#!/usr/bin/env bash
# For other scripts: what this machine lacks is installed where that is allowed (Debian, as
# root), and otherwise only named.

may_install() { command -v apt-get >/dev/null 2>&1 && [ "$(id -u)" = 0 ]; }

install_packages() {
    apt-get update -qq >/dev/null 2>&1 || true
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" \
        >/dev/null 2>&1
}

# need COMMAND PACKAGE: the command is there, or its Debian package is installed for it.
need() {
    command -v "$1" >/dev/null 2>&1 && return
    if may_install && install_packages "$2"; then
        echo "Installed $2 for $1."
    else
        echo "$1 is missing; on Debian or Ubuntu: sudo apt install $2" >&2
        return 1
    fi
}
