#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# What intervals, doubts and prices say of real programs whose answer is known: by how
# they are made, never by a time that another machine would not show (docs/estimates.md).
# serial: a program that waits for the tick must get its processor then

load common

# run_json OPTIONS... -- COMMAND...: the report of one run in $T/report.json, and as text
# in $T/report.txt.
run_json()
{
	rm -f p.scp
	timeout -k 5 60 "$SCPROF" run --no-report -o p.scp "$@" >"$T/command.out" 2>"$T/run.err" </dev/null 3>&- 4>&-
	"$SCPROF" report --by function --format json p.scp >"$T/report.json"
	"$SCPROF" report --by function p.scp >"$T/report.txt"
}

# holds FILTER: on the report.
holds()
{
	jq -e "$1" "$T/report.json" >/dev/null || {
		echo "not so: $1"
		return 1
	}
}

# undisturbed COMMAND...: tried three times, since others may take the processor just when
# it matters. Status 2 of it: the intervals are too wide to tell anything.
undisturbed()
{
	local attempt status=0
	for attempt in 1 2 3; do
		status=0
		"$@" || status=$?
		[ "$status" != 0 ] || return 0
	done
	[ "$status" != 2 ] || skip "others took too much of the CPUs: no interval is narrow enough"
	return "$status"
}

paced_is_named()
{
	run_json -c coarse -g io -- "$PROGRAMS/tick_paced" 400
	holds '.clock.synchronous == true' &&
		holds 'any(.warnings[]; .code == "clock-synchronous")' &&
		holds '.sites[] | select(.symbol == "read") | .doubts | index("clock-synchronous")' &&
		grep -q '^ *! clock-synchronous' "$T/report.txt" &&
		grep -q '^warning: clock-synchronous' "$T/report.txt"
}

@test "estimates 01: a program paced by the tick is named, in JSON and in text" {
	undisturbed paced_is_named
}

# Two rows (send, recv) are held against a chance of 1 in 1000 each, so one run in 500 may be
# named wrongly, and two of three runs in 80 000.
@test "estimates 02: one that knows nothing of the tick is not" {
	local named=0
	for _ in 1 2 3; do
		run_json -c coarse -- "$PROGRAMS/asynchronous" 0.5
		holds '.clock.synchronous == false and all(.warnings[]; .code != "clock-synchronous") or
			(.clock.synchronous == true and any(.warnings[]; .code == "clock-synchronous"))'
		if grep -q 'clock-synchronous' "$T/report.txt"; then
			holds '.clock.synchronous == true'
			named=$((named + 1))
		else
			holds '.clock.synchronous == false'
		fi
	done
	[ "$named" -le 1 ]
}

# The same calls on the randomised page clock and on the counter. Three times the
# interval's width: a chance of one in a million even where it is a third too narrow.
paced_is_measured()
{
	local slow='.sites[] | select(.symbol == "read") | .mean_ns as $fast | .slow |'
	run_json -c dual -d 250us -g io -- "$PROGRAMS/tick_paced" 400
	holds "$slow .ci_high_ns - .ci_low_ns < .mean_ns / 2" || return 2
	holds '.slow_clock.randomized == true' &&
		holds 'all(.warnings[]; .code != "clock-synchronous")' &&
		holds "$slow .mean_ns - 3 * (.mean_ns - .ci_low_ns) < \$fast" &&
		holds "$slow .mean_ns + 3 * (.ci_high_ns - .mean_ns) > \$fast"
}

@test "estimates 03: the randomised page clock measures it" {
	undisturbed paced_is_measured
}

# Two functions, so and so many steps a call (the same), one and four steps a byte. That
# four is four must come out of intervals that are narrow enough to say so.
PRICES='[.sites[] | select(.symbol == "sendto")][0] as $one |
	[.sites[] | select(.symbol == "recvfrom")][0] as $four |
	def half(p; k): (p[k + "_ci_high_ns"] - p[k + "_ci_low_ns"]) / 2;
	def hypot(a; b): (a * a + b * b | sqrt);
	hypot(half($four; "per_byte"); 4 * half($one; "per_byte")) as $wide |
	($four.per_byte_ns - 4 * $one.per_byte_ns | fabs) as $off |
	hypot(half($four; "per_call"); half($one; "per_call")) as $wide_call |
	($four.per_call_ns - $one.per_call_ns | fabs) as $off_call |'

prices_are_told_apart()
{
	run_json "$@" -- "$BUILD/bench/calibrated_call" 10 line 500 4096 82000
	holds "$PRICES \$wide < \$four.per_byte_ns / 4" || return 2
	holds "$PRICES \$off < 3 * \$wide" && holds "$PRICES \$off_call < 3 * \$wide_call" &&
		holds '.sites[] | select(.symbol == "sendto") | .per_byte_ci_low_ns > 0'
}

@test "estimates 04: a byte that costs four times as much is priced so, by a fast clock" {
	undisturbed prices_are_told_apart -c tsc
}

@test "estimates 05: and by a slow one" {
	undisturbed prices_are_told_apart -c page -d 100us
}
