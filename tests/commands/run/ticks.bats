#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# The page clock's tick: what it costs, and what follows from that. No machine wakes up a thread in
# less than 200 ns, so that a tick of 20 us is always too short; the longest one cannot be. (A
# report's tick is the mean of those that fell, each of half to one and a half times the length.)

load ../common

# profile OPTION...: $T/p.scp, $T/report.json, and on $T/said what run said.
profile()
{
	"$SCPROF" run --no-report "$@" -o p.scp -- "$PROGRAMS/inner" 50 2>said &&
		"$SCPROF" report --format json -o report.json p.scp
}

@test "ticks 01: a tick that costs too much is made longer, with a word and a warning" {
	profile -c page -d 20us
	grep -q 'a tick takes .* The tick is .*, 1 %' said && grep -q -- '--exact-tick' said ||
		{ cat said && return 1; }
	holds '.clock.tick_ns > 20000 and .totals.ticker.asked_ns == 20000'
	holds '[.warnings[].code] | index("ticker-costly") != null'
	SCPROF_TICK=20us profile -c page
	holds '.clock.tick_ns > 20000 and .totals.ticker.asked_ns == 20000'
}

# The same where the ticker has ticked: a busy machine may run it too late for a short program.
profile_with_ticks()
{
	profile "$@"
	until jq -e '.totals.ticker.ticks > 0' report.json >/dev/null; do
		profile "$@" || return 1
	done
}

@test "ticks 02: --exact-tick keeps it, and the report says what it costs" {
	profile_with_ticks -c page -d 20us --exact-tick
	not grep -q 'a tick takes' said
	holds '.totals.ticker.asked_ns == null'
	holds '[.warnings[].code] | index("ticker-costly") != null'
}

@test "ticks 03: a long tick stays, without a word" {
	profile -c page -d 100ms
	not grep -q 'a tick takes' said
	holds '.totals.ticker | . == null or .asked_ns == null'
	holds '[.warnings[].code] | index("ticker-costly") == null'
}

@test "ticks 04: the slow clock of dual has its ticker, too; a fast clock has none" {
	profile -c dual -d 20us
	holds '.slow_clock.tick_ns > 20000 and .totals.ticker.asked_ns == 20000'
	profile -c tsc
	holds '.totals.ticker == null'
}

@test "ticks 05: what the ticks took is in the perturbation, and its limits enclose it" {
	profile_with_ticks -c page -d 20us --exact-tick
	holds '.totals | .ticker.taken_ns <= .ticker.most_ns and .ticker.cpu_ns > 0'
	holds '.totals | .perturbation_low_ns <= .perturbation_ns and .perturbation_ns <= .perturbation_high_ns'
	holds '.totals | .perturbation_high_ns >= 2 * .ticker.taken_ns'
}

@test "ticks 06: all of --runs have one tick, so that their sums can be added" {
	"$SCPROF" run --runs 3 -c page -d 20us -o r.scp -- "$PROGRAMS/inner" 50 >printed 2>said
	[ "$(grep -c 'a tick takes' said)" = 1 ]
	"$SCPROF" report --format json r.1.scp r.2.scp r.3.scp >report.json
}
