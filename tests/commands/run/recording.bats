#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# What the library takes where something is new: in no call, told, and in the account.

load ../common

# profile CLOCK PROGRAM ARGUMENTS...: $T/p.scp, and $T/report.json of its longest rows.
profile()
{
	"$SCPROF" run --no-report --states off -g socket,region -c "$1" -o p.scp -- "${@:2}" 2>/dev/null &&
		"$SCPROF" report --format json --top 2 -o report.json p.scp
}

# Each reading of the clock takes 1 us: of two readings around a recording one is in it, the other
# before it, and each call reads twice. Twice a second the header's readings come on top.
@test "recording 01: 50000 new paths inside a region do not lengthen it" {
	SHOWN='.totals, [.sites[] | {symbol, raw_mean_ns}]'
	profile monotonic "$PROGRAMS/new_inside" 50000
	holds '.totals.recordings > 150000' '.totals | .recording_ns == .recordings * 1000' \
		'([.sites[].symbol] | sort) == ["cold", "warm"]' \
		'([.sites[].raw_mean_ns] | add) - (100000 * 2 + .totals.recordings) * 1000 |
		-20000 < . and . < 50000000'
}

@test "recording 02: calls, gaps and recording are the time of each thread, on every clock" {
	local clock
	for clock in tsc page coarse monotonic dual; do
		echo "clock $clock"
		profile "$clock" "$PROGRAMS/new_inside" 1000
		holds '.totals.recordings > 3000' 'all(.threads[]; .remainder_ns == 0)'
		profile "$clock" "$PROGRAMS/inner" 50
		holds 'all(.threads[]; .remainder_ns == 0)'
	done
}

@test "recording 03: the report tells it as a part of what scprof took" {
	profile tsc "$PROGRAMS/new_inside" 3000
	"$SCPROF" report --full --top 2 p.scp | tr -s ' \n' ' ' >text
	grep -q "recording new paths: [0-9.]* [munµ]*s, .* of the threads' time (.* times .*); in no call's time" text ||
		{ cat text && return 1; }
	holds '.totals | .recording_ns > 0 and .perturbation_ns > .recording_ns'
	holds '.totals.recording_ns as $all | [.threads, .processes] | all(.[]; ([.[].recording_ns] | add) / $all - 1 | fabs < 1e-9)'
}

@test "recording 04: merged profiles hold what each of them took" {
	local one
	profile tsc "$PROGRAMS/new_inside" 500
	one=$(jq '.totals.recordings' report.json)
	cp p.scp q.scp
	"$SCPROF" merge -o both.scp p.scp q.scp
	"$SCPROF" report --format json -o report.json both.scp
	SHOWN=.totals holds ".totals.recordings == 2 * $one and .totals.recording_ns > 0"
	holds 'all(.threads[]; .remainder_ns == 0)'
}
