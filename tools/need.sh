#!/usr/bin/env bash
# need.sh COMMAND PACKAGE [COMMAND PACKAGE ...]: sees to it that the commands are there.
set -eu
. "$(dirname "$0")/system_packages.sh"
missing=0
while [ $# -ge 2 ]; do
    need "$1" "$2" || missing=1
    shift 2
done
exit $missing
