# shellcheck shell=bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Where the library looks for the interpreter's words is where the headers of the Pythons that are here say.
# about 5 s
bats_require_minimum_version 1.5.0
load ../common

# Folders with headers, internal ones, too.
headers()
{
	local folder
	for folder in "$HOME"/.pyenv/versions/*/include/python3.* /usr/include/python3.*; do
		[ ! -e "$folder/internal/pycore_pystate.h" ] || echo "$folder"
	done
}

@test "offsets into the interpreter's structures are those of its headers" {
	local folder minor tried=0
	for folder in $(headers); do
		minor=${folder##*/python3.}
		minor=${minor%%[!0-9]*}
		"$PROGRAMS/show_layout" "$minor" >ours || continue
		"${CC:-cc}" -w -I "$folder" -idirafter "$folder/internal" -o header_layout \
			"$ROOT/tests/programs/python/header_layout.c"
		echo "$folder"
		diff <(sort ours) <(./header_layout | sort)
		tried=$((tried + 1))
	done
	[ "$tried" -gt 0 ] || skip "no headers of a Python from 3.8 to 3.15"
}
