#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Calls by octaves of their duration, batch by batch, as the library leaves them.

bats_require_minimum_version 1.5.0
load ../common

dump()
{
	with_library "$@" >/dev/null
	"$PROFILES/dump_entries" out/*.scp >entries
}

# Slots from before call 512 are not known; all others hold the calls of their batch.
check_tails()
{
	awk '$1 == "batch" { n[$2] = $4 }
	$1 == "tail" {
		entries[$2] = 1
		calls = 0
		for (k = 5; k <= NF; k++) calls += $k
		want = $3 * n[$2] < 512 ? 0 : n[$2]
		if (calls != want || NF != 4 + 15) { print "expected", want, "calls:", $0; bad = 1 }
	}
	END { for (i in entries) found++; exit bad || !found }' entries
}

@test "tails 01: each slot holds the calls of its batch" {
	local calls
	for calls in 513 1000 4097 30000; do
		rm -f out/*
		dump "$PROGRAMS/sizes" "$calls"
		check_tails
	done
}

@test "tails 02: neither few calls nor a slow clock have a tail record" {
	dump "$PROGRAMS/sizes" 500
	run ! grep -q '^tail' entries
	rm -f out/*
	SCPROF_CLOCK=coarse dump "$PROGRAMS/sizes" 5000
	run ! grep -q '^tail' entries
}

@test "tails 03: a merged profile keeps them" {
	dump "$PROGRAMS/sizes" 5000
	"$SCPROF" merge -o merged.scp out/*.scp
	"$PROFILES/dump_entries" merged.scp >merged
	grep -q '^tail' merged
	diff entries merged
}
