#!/usr/bin/env bash
# Tells the desktop of whoever runs this about the program: menu entry, icon, and that
# .pmlda files are its own.  The program stays where it is; --remove undoes everything.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
program=$(dirname "$here")/pmlda-gui
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

mkdir -p "$(dirname "$entry")" "$(dirname "$icon")" "$(dirname "$metadata")" "$(dirname "$types")"
# The path may hold spaces; in a desktop entry a quoted one may.
sed "s|^Exec=pmlda-gui|Exec=\"$program\"|" "$here/$id.desktop" >"$entry"
cp "$here/pmlda-gui.png" "$icon"
cp "$here/$id.metainfo.xml" "$metadata"
cp "$here/$id.xml" "$types"
refresh
echo "pmlda_gui is in the menu now, and opens .pmlda files."
