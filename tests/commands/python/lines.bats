# shellcheck shell=bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Lines and columns of instructions are what the interpreter says, in each of the versions that are here.
# about 4 s
bats_require_minimum_version 1.5.0
load ../common
load python

@test "the line of each instruction of code of the standard library is what PyCode_Addr2Line says, and columns are what co_positions says" {
	local python tried=0
	for python in $(pythons_with_ctypes); do
		echo "$python"
		"$python" -S "$ROOT/tests/programs/python/dump_lines.py" contextlib.py asyncio/streams.py json/encoder.py >dump
		"$PROGRAMS/check_lines" <dump | tee counted
		grep -qE '^[0-9]{2,} code objects, [0-9]{4,} instructions, .* 0 differ$' counted
		tried=$((tried + 1))
	done
	[ "$tried" -gt 0 ] || skip "no Python from 3.8 to 3.15 that has ctypes"
}
