#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# --slowest: single calls, the longest of all, with when and from where. Where the list could have no room for the
# late replies because a busy machine stretches others, time is made up (tests/programs/loaded/made_clock.c): a reply
# takes as long as it is late, and all else no longer than the clock is read. In real time only runs are made of which
# the list holds every call that may be so long.

load ../common

setup()
{
	common_setup
	unset SCPROF_SLOWEST SCPROF_SLOWER_THAN SCPROF_SLOWEST_OF
	export MADE=$PROGRAMS/made_clock.so MADE_CLOCK=$T/clock MADE_CLOCK_READ_NS=1000
}

# real MODE OPTION...: $T/report.json of tests/programs/slowest MODE.
real()
{
	run_slowest "${@:2}" -- "$PROGRAMS/slowest" "$1"
}

# slowest MODE OPTION...: the same in made-up time.
slowest()
{
	# shellcheck disable=SC2016 # the inner shell expands it
	run_slowest -c "${CLOCK:-monotonic}" "${@:2}" -- sh -c 'LD_PRELOAD=$LD_PRELOAD:$MADE exec "$@"' sh "$PROGRAMS/slowest" "$1"
}

run_slowest()
{
	rm -f p.scp
	limited "$SCPROF" run --no-report -o p.scp "$@" >run.out 2>run.err </dev/null
	"$SCPROF" report --format json p.scp >report.json
}

# bare FOLDER MODE VARIABLE=VALUE...: under a bare LD_PRELOAD, in made-up time, with a page clock that has no other.
bare()
{
	rm -rf "${1:?}" page && mkdir -p "$1"
	"$PROGRAMS/made_ticks" page page
	limited env LD_PRELOAD="$LIB:$MADE" SCPROF_OUT="$T/$1" SCPROF_CLOCK=monotonic SCPROF_CLOCK_PAGE="$T/page" \
		"${@:3}" "$PROGRAMS/slowest" "$2" >run.out 2>run.err </dev/null 3>&- 4>&-
}

# true_of EXPRESSION: of $T/report.json; with `calls(NAME)` those from the function NAME.
true_of()
{
	jq -e 'def calls($f): [.slowest[] | select(.stack[0].function == $f)];
		def ms: 1000000; '"$1" report.json >/dev/null || {
		echo "not so: $1"
		jq -c '.slowest_asked, (.slowest[:25][] | [.symbol, .outcome, .duration_ns, .began_s, .pid,
			.thread, .stack[0].function])' report.json
		return 1
	}
}

# The three late replies are in the list, each once, from their own functions.
lists_the_three()
{
	true_of '[calls("early", "middle", "late") | length] == [1, 1, 1]' &&
		true_of '[calls("early", "middle", "late")[0] | .symbol, .outcome] |
		. == ["recv", "completed", "recv", "completed", "recv", "completed"]'
}

# And took 30, 60 and 120 ms: so long (==, in made-up time), or at least.
has_the_three()
{
	lists_the_three && true_of "[calls(\"early\", \"middle\", \"late\")[0].duration_ns / ms] | .[0] ${1:->=} 30 and
		.[1] ${1:->=} 60 and .[2] ${1:->=} 120"
}

@test "slowest 01: the slow calls of many, longest first, each with its path" {
	slowest calls --slowest 20
	has_the_three '=='
	true_of '.slowest | length == 20'
	true_of '[.slowest[].duration_ns] | . == (sort | reverse)'
	true_of 'calls("late")[0].stack | map(.function) | .[:3] == ["late", "all_three", "main"]'
	true_of '[.slowest[] | .bytes] | all(. == 1)'
	# the longest of them is the longest that its site has had
	true_of '.slowest[0].duration_ns as $d | [.sites[].max_ns] | max | . - $d | fabs < 1'
	true_of '.slowest_asked == {count: 20, least_ns: 0, chosen: false}'
}

@test "slowest 02: when they began, after the start and by the time of day" {
	local before after
	before=$(date -u +%FT%T)
	real threads --slowest 20
	after=$(date -u -d '1 second' +%FT%T) # by another clock than the profile's
	true_of 'calls("early")[0].ended_s <= calls("middle")[0].began_s and
		calls("middle")[0].ended_s <= calls("late")[0].began_s'
	true_of 'calls("early")[0].began < calls("middle")[0].began and
		calls("middle")[0].began < calls("late")[0].began'
	true_of '.slowest | all(.began_s >= 0 and ((.ended_s - .began_s) * 1000 * ms - .duration_ns | fabs) < ms)'
	jq -e --arg b "$before" --arg a "$after" \
		'.slowest | all(.began[:19] >= $b and .ended[:19] <= $a)' report.json
}

@test "slowest 03: a threshold" {
	slowest calls --slowest 50 --slower-than 50ms
	true_of '[.slowest[].duration_ns] == [120 * ms, 60 * ms]'
	true_of '[calls("middle", "late") | length] == [1, 1]'
	slowest calls --slower-than 50ms
	true_of '.slowest_asked | .count == 20 and .least_ns == 50 * ms'
	slowest calls --slower-than 1000s
	true_of '.slowest == []'
	"$SCPROF" report p.scp >report.txt
	grep -q 'slowest calls: no call of 1000.* s or more was found' report.txt
}

@test "slowest 04: without the option there is no list" {
	slowest calls
	true_of '.slowest == [] and .slowest_asked.count == 0'
	"$SCPROF" report p.scp >report.txt
	[ "$(grep -c '^slowest calls' report.txt)" = 0 ]
}

@test "slowest 05: of all threads, with their names" {
	real threads --slowest 10
	has_the_three
	true_of '[calls("early", "middle", "late")[0].thread] == ["early", "middle", "late"]'
	true_of '[calls("early", "middle", "late")[0].tid] | unique | length == 3'
	real threads --slowest 1
	true_of '.slowest | length == 1'
}

@test "slowest 06: of all processes, forked and executed" {
	real fork --slowest 10
	has_the_three
	true_of '[calls("early", "middle", "late")[0].pid] | unique | length == 3'
	true_of '.program.pids as $p | [calls("early", "middle", "late")[0].pid] - $p == []'
	true_of 'calls("early")[0].ended_s <= calls("middle")[0].began_s and
		calls("middle")[0].ended_s <= calls("late")[0].began_s'
	real exec --slowest 10
	has_the_three
}

@test "slowest 07: a killed process loses none that had finished" {
	local status=0
	bare out kill SCPROF_SLOWEST=20 || status=$?
	[ $status = 137 ]
	make_report
	has_the_three '=='
	true_of '.slowest | length == 20'
}

@test "slowest 08: functions whose work is to wait are left out, unless they are named" {
	slowest waits -g socket,wait --slowest 5
	true_of '[.slowest[].symbol] | index("poll") == null and index("recv") != null'
	slowest waits -g socket,wait --slowest 5 --slowest-of poll
	true_of '[.slowest[].symbol] == ["poll"] and .slowest[0].duration_ns == 80 * ms'
	true_of '.slowest_asked.chosen'
	slowest waits -g socket,wait --slowest 5 --slowest-of '*'
	true_of '[.slowest[].symbol] | index("poll") != null and index("recv") != null'
	slowest waits -g socket,wait --slowest 5 --slowest-of '!recv'
	true_of '[.slowest[].symbol] | unique == ["send"]'
	slowest waits -g socket,wait --slowest 5 --slowest-of 'libnothing*:*'
	true_of '.slowest == []'
}

@test "slowest 09: regions and chosen symbols take part" {
	slowest region --slowest 4
	true_of '[.slowest[] | select(.symbol == "the work" and .library == "region")] |
		length == 1 and .[0].duration_ns >= 50 * ms and .[0].duration_ns < 51 * ms'
	true_of '[.slowest[] | select(.symbol == "recv")] | length >= 1'
	real region -s nanosleep --slowest 4 --slowest-of 'libc*:nanosleep'
	true_of '[.slowest[].symbol] | unique == ["nanosleep"]'
	true_of '.slowest[0].duration_ns >= 20 * ms'
}

seen_by_ticks()
{
	lists_the_three
	true_of 'calls("late")[0] | .duration_high_ns >= 60 * ms and .duration_low_ns > 0'
	true_of '.clock.tick_ns as $d | .slowest | all(.ticks >= 2 and .duration_low_ns < .duration_ns and
		.duration_ns < .duration_high_ns and .duration_high_ns - .duration_low_ns >= 1.99 * $d)'
}

@test "slowest 10: every clock keeps them" {
	CLOCK=coarse slowest calls --slowest 20
	seen_by_ticks
	bare out calls SCPROF_CLOCK=page SCPROF_SLOWEST=20
	make_report
	seen_by_ticks
	slowest calls --slowest 20
	true_of '.slowest | all(.slow_ticks == null and .duration_low_ns == .duration_ns)'
	# of two clocks the fast one is real, and sees next to nothing
	bare out threads SCPROF_CLOCK=dual SCPROF_SLOWEST=20
	make_report
	lists_the_three
	true_of 'calls("late")[0].slow_ticks | 80 <= . and . <= 240'
	real calls -c thread-cpu --slowest 20
	true_of '.slowest | length == 20 and all(.began == null and .began_s == null and .ended != null)'
}

# Four and four take 40 ms, at least.
known_path()
{
	true_of '[calls("again")[] | select(.symbol == "recv" and .duration_high_ns >= 20 * ms)] | length >= 4' &&
		true_of '[calls("inner")[] | select(.duration_high_ns >= 20 * ms)] | length >= 4'
}

# The first calls on a path take another way through the library than the later ones. For a late one to have no room
# here, a thousand others would have to take 20 ms each.
@test "slowest 11: on a path taken many times, and inside a region" {
	local clock
	for clock in tsc dual; do
		real again -c $clock --slowest 1000 --slower-than 20ms
		known_path
	done
	bare out again SCPROF_CLOCK=page SCPROF_SLOWEST=20
	make_report
	known_path
}

@test "slowest 12: profiles of single processes are merged" {
	bare out calls SCPROF_SLOWEST=6
	mv out six
	bare out fork SCPROF_SLOWEST=6
	mv six/*.scp out
	"$SCPROF" merge -o merged.scp out/*.scp
	"$SCPROF" report --format json merged.scp >report.json
	true_of '[.slowest[].duration_ns / ms] == [120, 120, 60, 60, 30, 30]'
	true_of '[calls("late") | length] == [2] and ([calls("late")[].pid] | unique | length == 2)'
	jq .slowest report.json >merged.json
	"$SCPROF" report --format json out/*.scp | jq .slowest >apart.json
	diff merged.json apart.json
	true_of '[.warnings[].code] | index("profiles-differ") == null'
	bare other threads SCPROF_SLOWEST=7
	"$SCPROF" report --format json merged.scp other/*.scp >report.json
	true_of '[.warnings[].code] | index("profiles-differ") != null'
	true_of '.slowest | length == 7'
}

@test "slowest 13: the terminal's width is kept to" {
	local columns
	slowest calls --slowest 12
	for columns in 46 50 80 100 200; do
		COLUMNS=$columns "$SCPROF" report p.scp | sed -nE '/^slowest calls/,/^(! |next:)/{/^(! |next:)/d;p}' >report.txt
		grep -q ' recv ' report.txt
		grep -qE '^ *12 ' report.txt
		[ "$(grep -o 'as #' report.txt | wc -l)" -ge 1 ]
		[ "$(LC_ALL=C.UTF-8 wc -L <report.txt)" -le "$columns" ]
	done
	# what a word in the list means is said where it is there
	[ "$(grep -c 'ms  switched ' report.txt)" -eq 0 ] || grep -q 'switched: it lost its CPU or slept' report.txt
}

@test "slowest 14: what cannot be meant is one line, before the command starts" {
	local status
	refuses() {
		status=0
		"$SCPROF" run -o p.scp "$@" -- touch started 2>run.err || status=$?
		[ $status = 125 ] && [ ! -e started ] && [ "$(wc -l <run.err)" = 1 ] || {
			echo "status $status: $*"
			cat run.err
			return 1
		}
	}
	refuses --slowest 0
	refuses --slowest 1001
	refuses --slowest twenty
	refuses --slowest ''
	refuses --slower-than 5
	refuses --slower-than fast
	refuses --slowest-of ''
	refuses --slowest-of 'send,,recv'
	refuses --slowest-of '!'
	refuses --slowest-of "$(printf '%01024d' 0)"
	SCPROF_SLOWEST=0 refuses
	SCPROF_SLOWER_THAN=x refuses
}

@test "slowest 15: a bare LD_PRELOAD that is asked for nonsense says so in the profile" {
	bare out threads SCPROF_SLOWEST=many
	[ ! -s run.err ]
	make_report
	true_of '.slowest == [] and ([.warnings[].code] | index("setting-ignored") != null)'
}
