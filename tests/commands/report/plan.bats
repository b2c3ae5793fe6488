#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# `scprof plan`: the papers' questions from the command line, and whether what it says of
# a finished profile comes true.

load ../common

# ahead FILTER OPTION...: one value of the JSON of a plan ahead.
ahead()
{
	"$SCPROF" plan --json "${@:2}" | jq -c "$1"
}

refuses()
{
	local text=$1
	shift
	run "$SCPROF" plan "$@"
	[ "$status" = "${WANTED:-2}" ] || { echo "status $status: $*"; return 1; }
	[[ $output == *"$text"* ]] || { echo "$* says: $output"; return 1; }
	[ "${#lines[@]}" = 1 ] || { echo "$*: more than a line: $output"; return 1; }
}

@test "plan 01: impossible numbers are refused in one line" {
	local clock=(--tick 1ms --mean 50us)
	refuses "--width '0'" "${clock[@]}" --width 0
	refuses "--width '-0.1'" "${clock[@]}" --width -0.1
	refuses "--width 'nan'" "${clock[@]}" --width nan
	refuses "--width '10'" "${clock[@]}" --width 10
	refuses "--width '0.1ms'" "${clock[@]}" --width 0.1ms
	refuses "--relative '0%'" "${clock[@]}" --relative 0%
	refuses "--relative '+-200%'" "${clock[@]}" --relative +-200%
	refuses "--confidence '100'" "${clock[@]}" --confidence 100
	refuses "--confidence '100%'" "${clock[@]}" --confidence 100%
	refuses "--confidence '1'" "${clock[@]}" --confidence 1
	refuses "--confidence '0'" "${clock[@]}" --confidence 0
	refuses "--confidence '95'" "${clock[@]}" --confidence 95
	refuses "--confidence '0x1p-1'" "${clock[@]}" --confidence 0x1p-1
	refuses "--digits '0'" "${clock[@]}" --digits 0
	refuses "--digits '2.5'" "${clock[@]}" --digits 2.5
	refuses "--digits '10'" "${clock[@]}" --digits 10
}

@test "plan 02: so are durations that are none" {
	refuses "--tick '-1ms' is not a time from 1ns" --tick -1ms --mean 50us
	refuses "--mean '50' is not a time from 1ns" --tick 1ms --mean 50
	refuses "--mean '50 us' is not a time from 1ns" --tick 1ms --mean "50 us"
	refuses "--mean '50min' is not a time from 1ns" --tick 1ms --mean 50min
	refuses "--mean '' is not a time from 1ns" --tick 1ms --mean ""
	refuses "--tick '1e400s' is not a time from 1ns" --tick 1e400s --mean 50us
	refuses "--tick 'nan' is not a time from 1ns" --tick nan --mean 50us
	refuses "--tick '0.5ns' is not a time from 1ns" --tick 0.5ns --mean 50us
	refuses "--mean '99999999999999999999s' is not a time from 1ns" --tick 1ms --mean 99999999999999999999s
	refuses "--tick '0ms' is not a time from 1ns" --tick 0ms --mean 50us
	refuses "--longest '0s' is not a time from 1ns" --tick 1ms --mean 50us --longest 0s
	refuses "--longest is shorter than --mean" --tick 1ms --mean 50us --longest 49us
}

@test "plan 03: what is missing, or does not go together, is named" {
	touch p.scp
	refuses "plan what?"
	refuses "--tick is missing" --mean 50us
	refuses "--mean is missing" --tick 1ms
	refuses "give one" --tick 1ms --mean 50us --width 0.1 --digits 2
	refuses "give one" --tick 1ms --mean 50us --width 0.1 --relative 0.1
	refuses "--share is a question to a PROFILE" --tick 1ms --mean 50us --share 0.1
	refuses "--by is a question to a PROFILE" --tick 1ms --mean 50us --by site
	refuses "either --tick and --mean, or a PROFILE" --tick 1ms p.scp
	refuses "--digits is for one mean" --digits 2 p.scp
	refuses "--by 'gap'" --by gap p.scp
	refuses "--share '1'" --share 1 p.scp
	refuses "unknown option --tock; scprof plan --help" --tock 1ms
	refuses "unknown option -t;" -t 1ms
	refuses "--tick needs a value" --tick
	refuses "--json=yes takes no value" --json=yes
	WANTED=1 refuses "p.scp" p.scp
	WANTED=1 refuses "missing.scp" missing.scp
	echo text >text.scp
	WANTED=1 refuses "text.scp: is not a scprof profile. Profiles are named" text.scp
	mkdir empty
	WANTED=1 refuses "no .scp file in the directory empty" empty
	WANTED=1 refuses 'no\x0asuch.scp' $'no\nsuch.scp'
	"$SCPROF" plan --help | grep -q "TOTAL width"
}

@test "plan 04: Beilner's Table 15 with exact factors, and the duration of the experiment" {
	[ "$(ahead .calls --tick 1ms --mean 50us --confidence 90%)" = 20563 ]
	[ "$(ahead .calls --tick 1ms --mean 50us --width 5%)" = 116781 ]
	[ "$(ahead .calls --tick 10ms --mean 50us --confidence 0.99 --width 0.01)" = 52813777 ]
	[ "$(ahead .calls --tick 1ms --mean 50us --relative ±2.5%)" = 116781 ]
	[ "$(ahead .method --tick 1ms --mean 50us)" = '"beilner-14b"' ]
	[ "$(ahead .method --tick 1ms --mean 2500us --width 1%)" = '"beilner-14a"' ]
	ahead '[.ticks_expected, .duration_s]' --tick 1ms --mean 50us --longest 2500us |
		jq -e '.[0] == 29196 / 20 and .[1] == 29196 * 0.0025'
	# the longest, 2.5 ticks: (10b) is (10a) there
	ahead .longest --tick 1ms --mean 50us --longest 2500us |
		jq -e '(.width / (3.919928 / (2.5 * 2 * (29196 | sqrt))) - 1 | fabs < 1e-6) and
			.confidence > 0.9999'
	"$SCPROF" plan --tick 1ms --mean 50us --longest 2500us >text
	grep -q '29,196   Beilner (14b)' text
	grep -q '73 s   at 2.5 ms a call' text
}

@test "plan 05: Danzig and Melvin's Figure 2" {
	local us digits wanted
	while read -r us digits wanted; do
		ahead '[.calls, .method]' --tick 20ms --mean "${us}us" --digits "$digits" |
			jq -e --argjson n "$wanted" '.[1] == "danzig-melvin-4" and
				((.[0] / $n) > 0.9 and (.[0] / $n) < 1.07)' || { echo "$us $digits"; return 1; }
	done <<-END
		10 3 8e7
		10 2 8e5
		100 3 8e6
		100 2 8e4
		1000 3 7e5
		1000 2 7e3
		10000 3 4e4
		10000 2 4e2
	END
}

@test "plan 06: where ticks are few the limits are exact, and it says so" {
	# 1.01 ticks: by (14a) 15 calls, of which 0.15 would show two ticks
	ahead '[.calls, .method, .normal_calls, .remarks[0].code]' --tick 1ms --mean 1010us |
		jq -e '.[0] >= 60 and .[0] <= 70 and .[1:] == ["clopper-pearson", 15, "few-ticks"]'
	ahead '[.calls, .normal_calls]' --tick 1ms --mean 50us --width 1 | jq -e '.[0] > .[1]'
	[ "$(ahead '.remarks' --tick 1ms --mean 50us)" = '[]' ]
	# what holds for any fraction of a tick is never fewer than what holds for this one
	ahead '[.calls, .bound_calls, .page_clock_calls]' --tick 1ms --mean 10ms |
		jq -e '.[0] > 1 and .[1] >= .[0] and .[2] >= .[0]'
	# a whole number of ticks needs calls all the same
	ahead .calls --tick 1ms --mean 2ms --width 0.01 | jq -e '. > 100'
}

@test "plan 07: the page clock's irregular ticks need more calls above half a tick" {
	[ "$(ahead .page_clock_calls --tick 1ms --mean 400us)" = null ]
	ahead '[.page_clock_calls, .bound_calls]' --tick 1ms --mean 10500us --width 1% |
		jq -e '.[0] / .[1] > 3.5 and .[0] / .[1] < 4.5'
}

# sleeps N SEED OUT: N waits, one in ten 30 times as long, of a program that gives the clock.
sleeps()
{
	limited "$SCPROF" run -g wait -c monotonic --no-report -o "$3" -- \
		"$PROGRAMS/given_time" waits "$1" "$2" 2>run.err || { cat run.err; return 1; }
}

# planned COMMAND SEED: a plan from 90 calls, then the calls that it asks for: COMMAND CALLS SEED OUT
# makes the profiles. The plans are SEED.1 and SEED.2.
planned()
{
	local more
	"$1" 90 "$2" first.scp || return 1
	"$SCPROF" plan --by function --relative 20% --json first.scp >"$2.1"
	more=$(jq '.sites[0].more_calls' "$2.1")
	[ "$more" -gt 0 ] || return 1
	"$1" "$more" $(($2 + 1000)) second.scp || return 1
	"$SCPROF" plan --by function --relative 20% --json first.scp second.scp >"$2.2"
}

# Of all pairs of plans, each called $before and $after.
PAIRS='[inputs] | [range(0; length; 2) as $i | .[$i] as $before | .[$i + 1] as $after |'
ASKED='($before | .schema == "scprof-plan/1" and (.sites | length) == 1 and .sites[0].calls == 90 and
	.factor > 1 and (.sites[0].state | . == "more" or . == "at-least")) and
	$after.sites[0].calls == $before.sites[0].calls_needed'

@test "plan 08: what a program is asked for is what it then has made" {
	planned sleeps 100
	jq -en "$PAIRS $ASKED and (\$before | .brief == (.running_s < 10))] == [true]" 100.1 100.2 || {
		cat 100.1 100.2
		return 1
	}
}

# waits CALLS SEED OUT: what such a program leaves behind, by a generator of random numbers.
waits()
{
	"$PROFILES/make_ticks" waits "$1" "$2" "$3"
}

# A tick of three waits, so that an interval is made of ticks and little else. Some 30 ticks do not
# know their own spread well: of these 30 pairs, always the same, 29 second intervals are 0.25 to 1.16
# times as wide as was asked for, 0.78 times in the median; one is 2.74 times: batches that happen to
# depend on each other make it wider than the first run could tell.
@test "plan 18: it gives the interval that was asked for, in the time that was told" {
	local seed
	for seed in $(seq 101 130); do
		planned waits "$seed"
	done
	jq -cn "$PAIRS"' {asked: ('"$ASKED"'), within: ($after.sites[0].width / 0.4), reason: $after.sites[0].reason,
		told: ($after.running_s / ($before.running_s + $before.more_s))}]' ./1??.[12] >pairs
	jq -e 'length == 30 and all(.[]; .asked and .within < 3 and (.told - 1 | fabs) < 1e-9)' pairs &&
		jq -e '[.[].within] | sort | .[28] < 1.2 and .[14] > 0.6 and .[14] < 0.95' pairs || {
		cat pairs
		return 1
	}
}

@test "plan 09: the sentence, the table and the JSON say the same" {
	sleeps 60 3 p.scp
	"$SCPROF" plan --by function --relative 10% p.scp >text
	"$SCPROF" plan --by function --width 0.2 --json p.scp >json
	grep -q "more calls, about .* for ±10 % at every site above 1 % of the time in calls" text ||
		grep -q "more calls, about .* for +-10 % at every site above 1 % of the time in calls" text
	grep -q "from 60 calls of all kinds" text
	jq -e '(.more_calls - (.factor - 1) * .calls | fabs <= 1) and
		(.more_s / .running_s / (.factor - 1) - 1 | fabs < 1e-9) and
		(.sites[0] | .more_calls == .calls_needed - .calls) and
		(.sites[0] | .width * .mean_ns / (.ci_high_ns - .ci_low_ns) - 1 | fabs < 1e-9)' json
	jq -e '.far == (.factor > 4)' json
	"$SCPROF" plan --by function --relative 1% p.scp | grep -q "^far: .* times what this run saw"
	"$SCPROF" plan --by function --relative 1% --json p.scp | jq -e '.far and .factor > 4'
	# what is wide enough needs nothing more, whatever else may be doubted
	"$SCPROF" plan --by function --width 2 --json p.scp >json
	if jq -e '.sites[0].width <= 2' json; then
		jq -e '.more_calls == 0 and .factor == 1 and (.sites[0] |
			(.reason == null) == (.state == "reached"))' json
		"$SCPROF" plan --by function --width 2 p.scp | grep -q "^No more calls are needed"
	fi
}

@test "plan 10: two runs one after the other count for the time that both took" {
	sleeps 20 4 a.scp
	sleep 0.5
	sleeps 20 5 b.scp
	"$SCPROF" plan --json a.scp >a
	"$SCPROF" plan --json b.scp >b
	"$SCPROF" plan --json a.scp b.scp |
		jq -e --slurpfile a a --slurpfile b b '.running_s / ($a[0].running_s + $b[0].running_s) |
			. > 0.999 and . < 1.001'
}

@test "plan 11: for a program locked to the tick no number of calls helps" {
	"$PROFILES/make_ticks" paced 500 out/paced.scp
	"$SCPROF" plan out/*.scp >text
	grep -q "never: clock-synchronous" text
	grep -q "^No number of calls gives" text
	"$SCPROF" plan --json out/*.scp |
		jq -e '.states.never == 1 and .more_calls == 0 and
			(.sites[0] | .reason == "clock-synchronous" and .calls_needed == null)'
}

@test "plan 12: the share says which sites count" {
	SCPROF_CLOCK=monotonic with_library "$PROGRAMS/many_calls" 5000
	"$SCPROF" plan --share 0 --json out/*.scp | jq -e '[.sites[].symbol] | sort == ["recv", "send"]'
	# which is of the calls' time; the one shown is of the threads', as everywhere
	local share='s/^(send|recv) [^%]* (<?[0-9.]+) %.*/\1 \2/p'
	"$SCPROF" plan --share 0 out/*.scp | sed -nE "$share" | sort >planned
	[ "$(wc -l <planned)" = 2 ]
	"$SCPROF" report out/*.scp | sed -nE "$share" | sort | diff - planned
	# they have a half each, more or less
	"$SCPROF" plan --share 99.99% out/*.scp | grep -q "^Nothing to plan: no site above 99.99 % of the time in calls"
	"$SCPROF" plan --share 99.99% --json out/*.scp | jq -e '.sites == [] and .more_calls == 0'
}

@test "plan 13: a profile without a call is no plan" {
	"$SCPROF" run -g resolve --no-report -o empty.scp -- sh -c : 2>/dev/null
	WANTED=1 refuses "no finished call" empty.scp
}

@test "plan 14: numbers that overflow, underflow or ask for more than there is are refused" {
	local clock=(--tick 1ms --mean 50us) option
	for option in width relative confidence; do
		refuses "--$option '1e400'" "${clock[@]}" --$option 1e400
		refuses "--$option '1e-400'" "${clock[@]}" --$option 1e-400
		refuses "--$option ''" "${clock[@]}" --$option ""
	done
	refuses "at least 1e-09" "${clock[@]}" --width 1e-10
	refuses "at least 5e-10" "${clock[@]}" --relative 1e-10
	refuses "at most 0.999999999" "${clock[@]}" --confidence 0.9999999999
	refuses "--digits '1e400'" "${clock[@]}" --digits 1e400
	refuses "--share '1e400'" --share 1e400 p.scp
	refuses "--share '-1%'" --share -1% p.scp
	# the extremes that remain have a finite answer
	ahead .calls --tick 584y --mean 1ns 2>&1 | grep -q "not a time"
	ahead .calls --tick 18446744073709551615ns --mean 1ns --width 1e-9 --confidence 0.999999999 |
		jq -e '. > 1e30'
}

@test "plan 15: what was typed cannot break the line, or write to the terminal" {
	refuses "--tick '1ms\x0a'" --tick $'1ms\n' --mean 50us
	refuses "--width '\x1b[31m'" --tick 1ms --mean 50us --width $'\e[31m'
	refuses "option --fr\x0aob" $'--fr\nob'
}
