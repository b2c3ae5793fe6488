# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# Which Pythons are there: for the tests of this folder. They are asked once a suite.

# The oldest and the newest; with PYTHONS=all (CI, check-long) all: six interpreters take half a minute more.
chosen()
{
	if [ "${PYTHONS-}" = all ]; then cat; else sed -n '1p;$p' | uniq; fi
}

# Paths of those from 3.8 on, a line each, the first of each version, the oldest first.
all_pythons()
{
	local python version list=$BATS_FILE_TMPDIR/pythons.all
	declare -A seen
	[ ! -e "$list" ] || { cat "$list" && return; }
	for python in "$HOME"/.pyenv/versions/*/bin/python3 /usr/bin/python3 "$(command -v python3)"; do
		[ -x "$python" ] || continue
		version=$("$python" -I -S -c 'import sys; sys.version_info < (3, 8) and sys.exit(1); print(*sys.version_info[:2], sys.prefix == "/usr")') || continue
		[ -z "${seen[$version]-}" ] || continue
		seen[$version]=yes
		echo "$version $python"
	done | sort -V | cut -d' ' -f4- >"$list"
	cat "$list"
}

pythons()
{
	all_pythons | chosen
}

# Those from 3.8 to 3.15 that have ctypes.
pythons_with_ctypes()
{
	local python list=$BATS_FILE_TMPDIR/pythons.ctypes
	[ ! -e "$list" ] || { cat "$list" && return; }
	for python in $(all_pythons); do
		"$python" -I -S -c 'import ctypes, sys; sys.exit(not (3, 8) <= sys.version_info[:2] <= (3, 15))' 2>/dev/null || continue
		echo "$python"
	done | chosen >"$list"
	cat "$list"
}
