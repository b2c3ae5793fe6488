#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Recorded calls inside recorded intervals are counted, on every clock and way, so that what
# recording them costs can be subtracted from the interval around them.

load ../common

# expect NAME CALLS INNER ...: of a symbol's rows together.
expect()
{
	printf '%s\n' "$@" | jq -Rne --slurpfile report "$T/report.json" '
		[inputs] | [range(0; length; 3) as $i | .[$i] as $f | (.[$i + 1:$i + 3] | map(tonumber)) as $wanted |
			[$report[0].sites[] | select(.symbol == $f)] |
			[([.[].calls] | add // 0), ([.[].inner_calls] | add // 0)] |
			select(. != $wanted) | "\($f): calls and calls inside are \(.), expected \($wanted)"] |
		if . == [] then true else (.[] | debug), false end' >/dev/null
}

profile()
{
	"$SCPROF" run --no-report -o "$T/p.scp" "$@" 2>/dev/null &&
		"$SCPROF" report --by function --format json -o "$T/report.json" "$T/p.scp"
}

@test "inner 01: calls inside regions and between points, on every clock" {
	local clock
	for clock in tsc page coarse monotonic dual; do
		echo "clock $clock"
		profile -c "$clock" -g socket,region -- "$PROGRAMS/inner" 20
		expect outer 20 120 inner 20 40 hollow 21 0 left 0 0 signalled 20 60 recv 320 0 \
			"first -> second" 20 80 "second -> first" 20 0 "first -> first (cycle)" 20 80
	done
}

@test "inner 02: without the calls there is nothing inside" {
	profile -g region -- "$PROGRAMS/inner" 20
	expect outer 20 20 inner 20 0 signalled 20 0 "first -> second" 20 0
}

@test "inner 03: chosen symbols inside one another" {
	profile -g region -s raise -- "$PROGRAMS/inner" 20
	expect signalled 20 20 raise 20 0
	profile -g socket -s raise -- "$PROGRAMS/inner" 20
	expect raise 20 40 recv 320 0
	profile -g socket,region -s raise -- "$PROGRAMS/inner" 20
	expect signalled 20 80 raise 20 40 recv 320 0
}

# In made-up time: a reading of the clock takes 1 us, and nothing else takes any.
@test "inner 04: what they cost is measured, and subtracted" {
	export MADE=$PROGRAMS/made_clock.so MADE_CLOCK=$T/clock MADE_CLOCK_READ_NS=1000
	# shellcheck disable=SC2016 # the inner shell expands it
	profile -c monotonic -g socket,region -- sh -c 'LD_PRELOAD=$LD_PRELOAD:$MADE exec "$@"' sh "$PROGRAMS/inner" 2000
	SHOWN=.totals holds '.totals | .overhead_inner_ns > 0 and .overhead_inner_error_ns > 0' \
		'.totals.overhead_inner_ns as $each | .sites[] | select(.symbol == "outer") |
		((.inner_overhead_ns - 6 * $each) | fabs) < 1e-6 * $each and
		(if .mean_ns != null then ((.raw_mean_ns - .overhead_ns - .mean_ns) | fabs) < 1e-6 * .raw_mean_ns
		 else .mean_code == "below-resolution" and .raw_mean_ns - .overhead_ns < .mean_below_ns end) and
		.overhead_ns > .inner_overhead_ns' \
		'.sites[] | select(.symbol == "hollow") | .inner_overhead_ns == 0'
}
