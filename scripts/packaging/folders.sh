#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The folders above the places of installed files, for `make install` and `make uninstall`:
#	scripts/packaging/folders.sh missing ROOT PLACE...	prints those that are not there yet
#	scripts/packaging/folders.sh remove ROOT PLACE...	removes those that standard input names, if
#							nothing is in them
# ROOT comes before each place; what is read and printed goes without it.
set -eu

verb=$1 root=$2
shift 2

# The deepest first.
above()
{
	for place; do
		while place=${place%/*} && [ -n "$place" ]; do
			echo "$place"
		done
	done | sort -ru
}

case $verb in
missing)
	above "$@" | while read -r folder; do
		[ -d "$root$folder" ] || echo "$folder"
	done
	;;
remove)
	named=$(cat)
	above "$@" | while read -r folder; do
		! printf '%s\n' "$named" | grep -qxF "$folder" || rmdir "$root$folder" 2>/dev/null || :
	done
	;;
*)
	echo "usage: scripts/packaging/folders.sh missing|remove ROOT PLACE..." >&2
	exit 2
	;;
esac
