#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# The words by which the loader binds, led to the library and put back, in a program that is linked
# in four ways: bound at once behind RELRO, lazily behind RELRO in part, lazily without, and at a
# fixed address. tests/programs/attach/slots.c looks at its own memory.
# about 10 s

bats_require_minimum_version 1.5.0
load ../common

KINDS=(now lazy norelro nopie)

# slots SCENARIO [OBJECT]: in each kind of program.
slots()
{
	local kind
	for kind in "${KINDS[@]}"; do
		echo "$kind"
		SCPROF_OUT=$T/out SCPROF_GROUPS=${GROUPS_WANTED-io,region} limited \
			"$PROGRAMS/slots_$kind" "$PROGRAMS/slots/libscprof.so" "$@" </dev/null || return 1
	done
}

@test "the first session leaves every byte that the loader wrote as it was" {
	GROUPS_WANTED=io slots first
}

@test "hundreds of sessions leave every byte, every mapping and its protection as they were" {
	slots restored
}

@test "32 threads call on while slots are written and put back" {
	slots threads
}

@test "a pointer that the program wrote meanwhile is left, and counted" {
	slots changed
}

@test "what is opened, closed and opened again leads to the library, what is in another namespace does not" {
	slots later "$PROGRAMS/slots_late.so"
}

@test "a forked child goes on, and does not look through what it opens" {
	slots forked "$PROGRAMS/slots_late.so"
}

@test "regions begin to report, and their slots stay" {
	slots regions
}

@test "calls are recorded from the first to the last moment, by slot and by pointer" {
	slots calls
	for profile in out/*.scp; do
		"$SCPROF" report --format json "$profile" >report.json
		SHOWN='[.sites[] | [.symbol, .calls]]' holds '[.sites[] | select(.symbol == "read") | .calls] | add == 30'
	done
}

@test "calls of selected functions go through a stub object that was opened later, and is used again" {
	"$SCPROF" run --no-report -s lseek -o run-stubs.scp -- sh -c 'cp "${LD_PRELOAD%%:*}" stubs.so'
	slots calls "$T/stubs.so"
	cp stubs.so same.so
	slots again "$T/stubs.so" "$T/same.so"
}
