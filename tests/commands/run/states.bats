#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Where a call's time went, of programs whose calls certainly sleep, or certainly do not. What the
# scheduler takes from them besides is no part of any verdict. How good the estimates are is measured
# by tests/bench/run (docs/estimates.md).

bats_require_minimum_version 1.5.0
load ../common
SHOWN='{switches, warnings: [.warnings[].code], sites: [.sites[:4][] | {symbol, calls, mean_ns, states}]}'

# recorded OPTIONS PROGRAM...: what it says in $T/said, its report in $T/report.json.
recorded()
{
	# shellcheck disable=SC2086 # options are words
	limited "$SCPROF" run -g socket,wait,region -c "${CLOCK:-tsc}" $1 --no-report -o p.scp -- \
		"${@:2}" >said </dev/null
	"$SCPROF" report --format json --include-warm-up p.scp >report.json
}

# of SYMBOL FILTER: true of the states of all its sites, of which there is one at least. $kept pauses did not sleep,
# as the kernel counts.
of()
{
	holds "$(awk '$1 == "kept" { n += $2 } END { print n + 0 }' said) as \$kept |
		[.sites[] | select(.symbol == \"$1\")] | length > 0 and all(.[]; $2)"
}
ALL_SWITCHED='.states.switched_calls >= .calls - $kept and .states.switched_calls <= .calls and .states.asleep.mean_ns > 0'
NEVER_ASLEEP='.states.asleep.mean_ns == 0'
IN_ALL='(.states | .on_cpu.mean_ns + .runnable.mean_ns + .asleep.mean_ns) as $all | ($all - .mean_ns | fabs) < 0.01'

@test "states 01: every call that sleeps for 1 ms was switched, and slept" {
	recorded "--states exact" "$PROGRAMS/slept" pause 20
	of poll ".calls == 20 and $ALL_SWITCHED and .states.unswitched.calls <= \$kept"
	of poll "$IN_ALL"
}

# Where it is not known which of the switched calls are aside, nothing is.
@test "states 02: with the first calls set aside, nothing wrong is said of the rest" {
	recorded "--states exact" "$PROGRAMS/slept" warming 22
	"$SCPROF" report --format json p.scp >report.json
	of poll '.states == null or (.states.unswitched.calls <= $kept and .states.asleep.mean_ns > 0)'
}

@test "states 03: within a budget, too" {
	recorded "--states budget" "$PROGRAMS/slept" pause 500
	of poll ".calls == 500 and $ALL_SWITCHED and $IN_ALL"
}

@test "states 04: a thread was asleep in a call for as long as another one saw it sleep" {
	local ns
	recorded "--states exact" "$PROGRAMS/slept" seen 20
	ns=$(awk '/_ns / { print $2 }' said)
	[ "$ns" -ge 100000000 ]
	of recv "$ALL_SWITCHED"
	# less what the host may have stolen, by its share of the little that these calls ran
	of recv ".states.asleep.mean_ns * .calls >= 0.9 * $ns and .states.asleep.mean_ns < .mean_ns"
}

@test "states 05: calls that kept their CPU were on it, and never asleep, to the nanosecond" {
	recorded "--states budget" "$PROGRAMS/slept" never 67
	holds '[.sites[].calls] | add == 2 * 150 * 67'
	holds 'any(.sites[]; .states.switched_calls == 0)'
	holds 'all(.sites[] | select(.states.switched_calls == 0); .states |
		.asleep.mean_ns == 0 and .runnable.mean_ns == 0 and .on_cpu.mean_ns == .unswitched.mean_ns)'
	# what recording costs may have been measured in a bad moment: then no mean is told
	holds "all(.sites[]; (.mean_code == \"below-resolution\" or $IN_ALL) and
		.states.unswitched.calls + .states.switched_calls == .calls)"
}

@test "states 06: so it is with a slow clock" {
	CLOCK=page recorded "--states exact" "$PROGRAMS/slept" pause 20
	of poll ".calls == 20 and $ALL_SWITCHED and $IN_ALL"
}

@test "states 07: nothing is said of states where they are off, by option or by variable" {
	recorded "--states off" "$PROGRAMS/slept" pause 3
	holds 'all(.sites[]; .states == null) and all(.totals.threads_s[]; . == null)'
	SCPROF_STATES=off recorded "" "$PROGRAMS/slept" pause 3
	holds 'all(.sites[]; .states == null)'
	SCPROF_STATES=exact recorded "" "$PROGRAMS/slept" pause 3
	of poll "$ALL_SWITCHED"
}

@test "states 08: without rseq another detector is found, and named" {
	glibc_since 2.35 || skip "what an older glibc does not register no tunable takes away"
	recorded "--states exact" "$PROGRAMS/slept" pause 20
	jq -r .switches.detector report.json >usual
	grep -qx rseq usual || skip "rseq cannot be used here"
	recorded "--states exact" env GLIBC_TUNABLES=glibc.pthread.rseq=0 "$PROGRAMS/slept" pause 20
	holds '.switches.detector != "rseq" and (.switches.flags | index("disabled"))'
	holds '.switches.detector == "perf" or any(.warnings[]; .code == "no-switch-detector")'
	of poll '.states.asleep.mean_ns > 0'
}

@test "states 09: where there is no detector, a warning says why, and calls are asked at random" {
	glibc_since 2.35 || skip "what an older glibc does not register no tunable takes away"
	export GLIBC_TUNABLES=glibc.pthread.rseq=0 SCPROF_DETECTOR=rseq
	recorded "--states exact" "$PROGRAMS/slept" pause 20
	holds '.switches.detector == "sampled" and any(.warnings[]; .code == "no-switch-detector")'
	of poll ".states.asleep.mean_ns > 0 and $IN_ALL"
}

@test "states 10: every thread has its own detector" {
	recorded "--states exact" "$PROGRAMS/slept" threads 10
	of poll "$ALL_SWITCHED"
	holds '[.sites[] | select(.symbol == "poll") | .calls] | add == 40'
}

@test "states 11: so has a forked child, and its parent keeps his" {
	recorded "--states exact" "$PROGRAMS/slept" forked 10
	of poll "$ALL_SWITCHED"
	holds '[.sites[] | select(.symbol == "poll") | .calls] | add == 30'
}

@test "states 12: a call that sleeps makes the region around it sleep, and not the next one" {
	recorded "--states exact" "$PROGRAMS/slept" nested 20
	of poll "$ALL_SWITCHED"
	of outer "$ALL_SWITCHED and $IN_ALL"
	of computing "$NEVER_ASLEEP"
}

@test "states 13: what a handler sleeps is the interrupted call's, and not the next one's" {
	recorded "--states exact" "$PROGRAMS/slept" handler 20
	of poll "$ALL_SWITCHED"
	of interrupted "$ALL_SWITCHED and $IN_ALL"
	of computing "$NEVER_ASLEEP"
}

@test "states 14: a call that longjmp left asleep is in no later call's time, but in the threads'" {
	local ns
	recorded "--states exact" "$PROGRAMS/slept" jumped 20
	of poll ".calls == 20 and $ALL_SWITCHED"
	of computing ".calls == 20 and $NEVER_ASLEEP"
	holds '.abandoned_calls >= 20 and all(.sites[]; .symbol != "recv")'
	ns=$(awk '/_ns / { print $2 }' said)
	holds ".totals.threads_s.not_recorded * 1e9 >= 0.9 * $ns"
}

# absent: the program cannot use rseq here.
absent()
{
	grep -qx absent "$1"
}

@test "states 15: a program's own restartable sequences work as without the library" {
	same_either_way "$PROGRAMS/own_rseq" count 200000
	SCPROF_STATES=exact same_either_way "$PROGRAMS/own_rseq" count 200000
	! absent with.out || skip "rseq cannot be used here"
}

@test "states 16: and where they leave rseq_cs, nothing is asleep that was not" {
	recorded "--states exact" "$PROGRAMS/own_rseq" regions 20
	! absent said || skip "rseq cannot be used here"
	of counting ".calls == 20 and $NEVER_ASLEEP"
	of pausing ".calls == 20 and $ALL_SWITCHED and $IN_ALL"
}

@test "states 17: what a handler calls in the middle of a reading is left out, and counted" {
	recorded "--states exact" "$PROGRAMS/interrupted" nested
	holds '[.sites[] | select(.symbol == "send") | .calls] | add == 20'
	holds '.skipped_calls > 0'
}

# perf_only: no other detector is to be had.
perf_only()
{
	export GLIBC_TUNABLES=glibc.pthread.rseq=0 SCPROF_DETECTOR=perf SCPROF_STATES=exact
}

@test "states 18: a child that is forked in the middle of a reading goes on without its parent's perf event" {
	perf_only
	same_either_way "$PROGRAMS/interrupted" forking
	diff - with.out </dev/null
}

@test "states 19: a thread that has shut itself in makes no system call for its perf event" {
	perf_only
	same_either_way "$PROGRAMS/interrupted" shut_in
}

@test "states 20: a thread whose vfork child makes the first calls is asked for its own time" {
	recorded "--states exact" "$PROGRAMS/interrupted" vforked
	of poll ".calls == 10 and $ALL_SWITCHED"
}

# The program hides switches between its calls, as a newer kernel might.
@test "states 21: a detector that misses a switch is given up, for the next one that works" {
	local next
	recorded "--states budget" "$PROGRAMS/hides_switches"
	grep -q "done" said || skip "$(cat said)"
	next=$(SCPROF_DETECTOR=perf "$SCPROF" run --no-report -o q.scp -- true && "$SCPROF" report --format json q.scp | jq -r .switches.detector)
	holds ".switches.missed > 0 and .switches.detector == \"$next\""
	holds '[.warnings[].code] | index("no-switch-detector") != null'
	SCPROF_DETECTOR=rseq recorded "--states budget" "$PROGRAMS/hides_switches"
	holds '.switches.missed > 0 and .switches.detector == "sampled"'
}

# Whatever the readings say of calls and gaps: what the kernel charged to another thread is in neither.
@test "states 23: rows, gaps and threads without a call add up to the CPU time of the process" {
	local ns
	SHOWN=.totals
	recorded "--states exact" "$PROGRAMS/slept" beside 20
	ns=$(awk '/_ns / { print $2 }' said)
	[ "$ns" -ge 50000000 ]
	holds ".totals.charged_s | .not_recorded * 1e9 >= 0.9 * $ns and .threads > 0 and .in_calls + .outside > 0"
	holds '.totals | .charged_difference as $off | .charged_s |
		((.in_calls + .outside + .recording + .not_recorded) / .processes - 1 - $off | fabs) < 1e-9'
	holds '.totals.charged_s.processes == .ledger.cpu_s'
	"$SCPROF" report --full p.scp | tr -s ' \n' ' ' | grep -q 'charged calls [^:]* + not recorded [^:]*, by the kernel [^:]*: off by '
}

@test "states 24: of calls that nobody watches nothing is charged" {
	SHOWN=.totals
	recorded "--states off" "$PROGRAMS/slept" pause 20
	holds '.totals | .charged_difference == null and .charged_s.in_calls == null and .charged_s.threads == null'
	holds '.totals.charged_s.processes > 0'
	"$SCPROF" report --full p.scp >report.txt
	run ! grep -q '^  charged' report.txt
}
