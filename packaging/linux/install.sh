#!/usr/bin/env bash
# Tells the desktop of whoever runs this about the program: menu entry, icon, and that
# .pmlda files are its own.  The program stays where it is; --remove undoes everything.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
program=$(dirname -- "$here")/pmlda-gui
data=${XDG_DATA_HOME:-$HOME/.local/share}
id=io.github.pmlda_gui

entry=$data/applications/$id.desktop
icon=$data/icons/hicolor/512x512/apps/$id.png
metadata=$data/metainfo/$id.metainfo.xml
types=$data/mime/packages/$id.xml

refresh() {
    if command -v update-desktop-database >/dev/null 2>&1; then
        update-desktop-database "$data/applications"
    fi
    if command -v update-mime-database >/dev/null 2>&1; then update-mime-database "$data/mime"; fi
}

if [ "${1:-}" = --remove ]; then
    rm -f "$entry" "$icon" "$metadata" "$types"
    refresh
    echo "The menu entry is gone; delete $(dirname "$program") to remove the program too."
    exit 0
fi

# A menu entry is lines of UTF-8, so a path that is not one line of it cannot stand there.
refuse() {
    echo "The menu cannot hold the folder's name, because $1: move the program and try again." >&2
    exit 1
}
case $program in
    *[[:cntrl:]]*) refuse "it has a line break or another control character" ;;
esac
[ -x "$program" ] || refuse "its end is a line break, or the program is not in it"
if command -v iconv >/dev/null 2>&1; then
    printf '%s' "$program" | iconv -f UTF-8 -t UTF-8 >/dev/null 2>&1 || refuse "it is not UTF-8"
fi

mkdir -p "$(dirname "$entry")" "$(dirname "$icon")" "$(dirname "$metadata")" "$(dirname "$types")"
# What is special inside a quoted argument gets a backslash, each backslash is doubled
# because the entry's own reader takes one away, and % would begin a field code.
quoted=$(printf '%s' "$program" | LC_ALL=C sed -e 's/[\\"`$]/\\&/g' -e 's/\\/\\\\/g' -e 's/%/%%/g')
while IFS= read -r line || [ -n "$line" ]; do
    case $line in
        Exec=pmlda-gui*) printf 'Exec="%s"%s\n' "$quoted" "${line#Exec=pmlda-gui}" ;;
        *) printf '%s\n' "$line" ;;
    esac
done <"$here/$id.desktop" >"$entry"
cp "$here/pmlda-gui.png" "$icon"
cp "$here/$id.metainfo.xml" "$metadata"
cp "$here/$id.xml" "$types"
refresh
echo "pmlda_gui is in the menu now, and opens .pmlda files."
