# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# Which Pythons are there: for the tests of this folder.

# Their paths, a line each, the first of each version. They are asked once a suite.
pythons()
{
	local python version list=$BATS_FILE_TMPDIR/pythons
	declare -A seen
	[ ! -e "$list" ] || { cat "$list" && return; }
	for python in "$HOME"/.pyenv/versions/*/bin/python3 /usr/bin/python3 "$(command -v python3)"; do
		[ -x "$python" ] || continue
		version=$("$python" -I -S -c 'import sys; sys.version_info < (3, 8) and sys.exit(1); print(sys.version_info[:2], sys.prefix == "/usr")') || continue
		[ -z "${seen[$version]-}" ] || continue
		seen[$version]=yes
		echo "$python"
	done >"$list"
	cat "$list"
}

# Those from 3.8 to 3.13 that have ctypes.
pythons_with_ctypes()
{
	local python list=$BATS_FILE_TMPDIR/pythons.ctypes
	[ ! -e "$list" ] || { cat "$list" && return; }
	for python in $(pythons); do
		"$python" -I -S -c 'import ctypes, sys; sys.exit(not (3, 8) <= sys.version_info[:2] <= (3, 13))' 2>/dev/null || continue
		echo "$python"
	done >"$list"
	cat "$list"
}
