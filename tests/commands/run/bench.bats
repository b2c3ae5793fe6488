#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# `scprof bench`: what it measures stands in the right proportion, user code may
# do what it likes, and everything that it prints follows from what it measured.
# Where times matter they are made up (tests/programs/loaded/made_clock.c): a step takes a nanosecond.
# about 12 s

bats_require_minimum_version 1.5.0
load ../common
JSON=bench.json SHOWN='del(.subject_ns, .empty_ns)'

setup()
{
	common_setup
	LIBRARY=$PROGRAMS/measured.so
	# quick, and enough for proportions
	BENCH="$SCPROF bench --replications 20"
	MADE="env LD_PRELOAD=$PROGRAMS/made_clock.so MADE_CLOCK=$T/clock $BENCH --clock monotonic"
}

# json ARG...: a bench into $T/bench.json.
json()
{
	$BENCH --json "$@" >"$T/bench.json" 2>"$T/bench.err" 3>&- || {
		echo "scprof bench $*: status $?"
		cat "$T/bench.err"
		return 1
	}
}

# fails STATUS TEXT ARG...: one line that says TEXT, and the status.
fails()
{
	local wanted=$1 text=$2
	shift 2
	run $BENCH "$@" 3>&-
	if [ "$status" != "$wanted" ] || [[ $output != *"$text"* ]] || [ "${#lines[@]}" != 1 ]; then
		echo "scprof bench $*: status $status, wanted $wanted and '$text':"
		echo "$output"
		return 1
	fi
}

# made ARG...: a bench into $T/bench.json, in made-up time.
made()
{
	local BENCH="$MADE"
	json "$@"
}

@test "impossible parameters are refused in one line, status 2" {
	fails 2 "between 0 and 1" --confidence 95 "$LIBRARY:empty"
	fails 2 "between 0 and 1" --confidence nan "$LIBRARY:empty"
	fails 2 "between 0 and 1" --confidence 100% "$LIBRARY:empty"
	fails 2 "between 0 and 1" --confidence 1e400 "$LIBRARY:empty"
	fails 2 "between 0 and 1" --confidence 0x1p-1 "$LIBRARY:empty"
	fails 2 "from 0% to 99.9999%" --epsilon 1 "$LIBRARY:empty"
	fails 2 "from 0% to 99.9999%" --epsilon nan "$LIBRARY:empty"
	fails 2 "from 0% to 99.9999%" --epsilon -0.1 "$LIBRARY:empty"
	fails 2 "whole number from 2" --replications 1 "$LIBRARY:empty"
	fails 2 "whole number from 2" --replications 2.5 "$LIBRARY:empty"
	fails 2 "whole number from 1" --kbest 0 "$LIBRARY:empty"
	fails 2 "cannot be" --kbest 21 "$LIBRARY:empty"
	fails 2 "whole number from 1" --warmup 0 "$LIBRARY:empty"
	fails 2 "write a number and its unit" --min-time 5 "$LIBRARY:empty"
	fails 2 "not a time" --min-time -1ms "$LIBRARY:empty"
	fails 2 "not a time" --min-time 0s "$LIBRARY:empty"
	fails 2 "not a time" --timeout 5m "$LIBRARY:empty"
	fails 2 "not a time" --timeout 1e400s "$LIBRARY:empty"
	fails 2 "whole number from 2" --replications 1e400 "$LIBRARY:empty"
	fails 2 "whole number from 1" --warmup -1 "$LIBRARY:empty"
	fails 2 "at least 4ms" --timeout 1ms --min-time 1ms "$LIBRARY:empty"
	fails 2 "there are: tsc, monotonic" --clock page "$LIBRARY:empty"
	fails 2 "for commands" --any-status "$LIBRARY:empty"
	fails 2 "unknown option --best" --best 3 "$LIBRARY:empty"
	fails 2 "needs a value" --kbest
	fails 2 "takes no value" --json=3 "$LIBRARY:empty"
	fails 2 'unknown option --be\x0ast' $'--be\nst'
	json --confidence 90% "$LIBRARY:empty"
	holds '.confidence == 0.9'
	fails 2 "what is to be measured" --json
	fails 2 "what is to be measured" --
	fails 2 "not LIBRARY:FUNCTION" true
}

@test "arguments that are not understood are refused in one line, status 2" {
	fails 2 "not an integer" "$LIBRARY:steps" int:5x
	fails 2 "not an integer" "$LIBRARY:steps" int:
	fails 2 "64 bits" "$LIBRARY:steps" int:18446744073709551616
	fails 2 "not a size" "$LIBRARY:steps" buf:0
	fails 2 "not a size" "$LIBRARY:steps" buf:4kB
	fails 2 "not a size" "$LIBRARY:steps" buf:2G
	fails 2 "not a number" "$LIBRARY:steps" f64:one
	fails 2 "too large for a double" "$LIBRARY:steps" f64:1e400
	fails 2 "too large for a double" "$LIBRARY:steps" f64:-1e400
	fails 2 "too large for a float" "$LIBRARY:steps" f32:1e39
	fails 2 "known type" "$LIBRARY:steps" 5
	fails 2 "known type" "$LIBRARY:steps" long:5
	fails 2 "at most 6" "$LIBRARY:steps" int:1 int:2 int:3 int:4 int:5 int:6 null
	fails 2 "at most 8" "$LIBRARY:steps" f64:1 f64:2 f64:3 f64:4 f64:5 f64:6 f64:7 f64:8 f32:9
}

@test "what does not exist is status 2" {
	fails 2 "No such file" ./none.so:f
	fails 2 "its whole name, as in libz.so.1" libnone:f
	fails 2 "undefined symbol: nothing" "$LIBRARY:nothing"
	fails 2 "is data" "$LIBRARY:some_data"
	fails 2 'undefined symbol: no\x0athing' "$LIBRARY:no"$'\n'"thing"
	fails 2 "cannot run" -- ./no-such-command
	fails 2 "cannot run ''" -- ""
	echo text >text.so
	fails 2 "cannot load the library" ./text.so:f
	fails 2 "cannot load the library" "$T:f"
	cp "$LIBRARY" here.so
	fails 2 "written with ./" here.so:empty
}

@test "arguments arrive as they were written" {
	$BENCH "$LIBRARY:mixed" f64:1.5 int:-5 str:hello f32:-2 buf:100 null int:0xff f64:3
	$BENCH "$LIBRARY:all_fourteen" int:1 int:2 int:3 int:4 int:5 int:6 \
		f64:1 f64:2 f64:3 f64:4 f64:5 f64:6 f64:7 f64:8
	# and a wrong one would have been noticed
	fails 3 "signal 6" "$LIBRARY:mixed" f64:1.5 int:-6 str:hello f32:-2 buf:100 null int:0xff f64:3
}

@test "what reading the clock takes is not in the result" {
	export MADE_CLOCK_READ_NS=4000
	made "$LIBRARY:steps" int:300
	holds '.result.mean_ns == 300 and .kbest.value_ns == 300'
	holds '.empty.mean_ns == 4000 / .calls and .uncompensated.mean_ns == 300 + 4000 / .calls'
}

@test "eight times the work takes eight times as long" {
	made "$LIBRARY:steps" int:500
	holds '.result.mean_ns == 500 and .kbest.value_ns == 500'
	made "$LIBRARY:steps" int:4000
	holds '.result.mean_ns == 4000 and .kbest.value_ns == 4000'
}

# Each call lasts for 20 us or more by CLOCK_MONOTONIC, and all loops together no longer than the
# replications took by it, whatever the machine does: the factor is for what a rate may be wrong by where
# all tries of a pairing are interrupted. tests/unit/collector/test_bench_clock.c asks for the exact rate.
@test "the counter tells the same time as the other clock" {
	json "$LIBRARY:last" int:20000
	[ "$(jq -r .clock.name bench.json)" = tsc ] || skip "the counter is not trusted here"
	holds '(.subject_ns | min) > 0.5 * 20000'
	holds '.calls * (.subject_ns + .empty_ns | add) < 2 * .took_s * 1e9'
}

@test "every figure follows from the listed replications" {
	json --kbest 2 --epsilon 0.05 "$LIBRARY:steps" int:300
	holds '.schema == "scprof-bench/1" and (.subject_ns | length) == 20 and (.empty_ns | length) == 20'
	holds '(((.subject_ns | add) - (.empty_ns | add)) / 20 - .result.mean_ns | fabs) < 1e-6'
	holds '((.subject_ns | add) / 20 - .uncompensated.mean_ns | fabs) < 1e-6'
	holds '((.subject_ns | min) - (.empty_ns | min) - .kbest.value_ns | fabs) < 1e-6'
	holds '((.subject_ns | sort)[1] <= 1.05 * (.subject_ns | min)) == .kbest.converged'
	# Student: t with 19 degrees of freedom at 95 % is 2.093024; paired differences
	holds '([.subject_ns, .empty_ns] | transpose | map(.[0] - .[1])) as $d | ($d | add / 20) as $m |
		($d | map((. - $m) * (. - $m)) | add / 19 / 20 | sqrt) as $e |
		(.result.ci_high_ns - $m) / (2.093024 * $e) | . > 0.9999 and . < 1.0001'
	holds '.fence_ns as $f | (.subject_ns | map(select(. > $f)) | length) ==
		([.outliers[] | select(.loop == "subject")] | length)'
}

@test "the loop is doubled until it lasts long enough" {
	made --min-time 50us "$LIBRARY:steps" int:200
	holds '.calls == 256'
	# all calls of the doubling were excluded: each number twice, and once more to warm up
	holds '.warmup.calls >= 2 * (256 + 128)'
	made --min-time 3200us "$LIBRARY:steps" int:200
	holds '.calls == 16384'
}

@test "a disturbed replication is listed, counted, and set apart" {
	made --replications 100 "$LIBRARY:hiccup" int:700
	# one call of 50 ms more among those of 10 us
	holds '.calls as $n | [.outliers[] | select(.loop == "subject")] | length == 1 and
		.[0].ns == 10000 + 50e6 / $n and .[0].factor == .[0].ns / 10000'
	holds '.result.replications == 100 and .undisturbed.replications == 99'
	holds '.undisturbed.mean_ns == 10000 and .result.mean_ns == 10000 + 50e6 / .calls / 100'
	holds '[.warnings[].code] == ["outliers"]'
	run $MADE --replications 100 "$LIBRARY:hiccup" int:700
	[[ $output == *"above the fence, counted"*"times the median"* ]]
}

@test "a slow first call is excluded and reported" {
	made "$LIBRARY:slow_start"
	holds '.warmup.first_ns == 20001000 and .warmup.first_factor == 20001'
	holds '.result.mean_ns == 1000'
}

@test "replications that take longer and longer are flagged" {
	made --replications 50 --min-time 20us "$LIBRARY:tire"
	holds '[.warnings[].code] | index("drift") != null'
	holds '.drift.change > 0.2 and .drift.p < 0.01'
	# and such that do not are not
	made --replications 50 --min-time 20us "$LIBRARY:steps" int:500
	holds '.warnings == [] and .drift.change == 0'
}

@test "user code that ends its process is one line and status 3" {
	fails 3 "signal 11 (Segmentation fault), in its first call" "$LIBRARY:crash"
	fails 3 "in a loop of" "$LIBRARY:crash_at" int:100
	fails 3 "ended its process with status 0, in its first call" "$LIBRARY:leave" int:0
	fails 3 "ended its process with status 7" "$LIBRARY:leave" int:7
}

@test "a function that never returns is ended: one line, status 4, no process left" {
	fails 4 "did not return within 300ms, in its first call" --timeout 300ms "$LIBRARY:endless"
	cp /bin/sleep "$T/sleeper"
	fails 4 "did not return" --timeout 300ms -- "$T/sleeper" 600
	gone "$T/sleeper"
}

@test "a function that forks is refused before it multiplies" {
	fails 3 "leaves a child process behind" "$LIBRARY:multiply"
	gone "$LIBRARY:multiply"
}

@test "a signal that ends scprof ends what it measures" {
	local status=0
	cp /bin/sleep "$T/sleeper"
	"$SCPROF" bench -- "$T/sleeper" 600 3>&- 4>&- &
	await pgrep -f "^$T/sleeper" >/dev/null
	kill -TERM $!
	wait $! || status=$?
	[ $status = 143 ]
	gone "$T/sleeper"
}

@test "what user code prints does not come between" {
	run $BENCH "$LIBRARY:print" str:noise 3>&-
	[ "$status" = 0 ]
	[ "$(grep -c '^noise' <<<"$output")" = 0 ]
	[[ $output == "print(str:noise) of "* ]]
}

@test "a command is measured, and nothing is subtracted" {
	json -- true
	holds '.subject.kind == "command" and .subject.argv == ["true"] and .subtracted == false'
	holds '.result == .uncompensated and .empty == null and .empty_ns == null'
	# and what it takes is what is reported
	made -- sleep 0.003
	holds '.result.mean_ns == .uncompensated.mean_ns and (.result.mean_ns - 3e6 | fabs) <= 1' # some round 0.003 up
}

@test "a command that fails is one line and status 3, or measured on request" {
	fails 3 "status 1" -- false
	fails 3 "signal 9" -- sh -c 'kill -9 $$'
	json --any-status -- false
	holds '.result.mean_ns > 0'
}

@test "a result that cannot be written is a failure" {
	run sh -c "$BENCH $LIBRARY:empty >/dev/full"
	[ "$status" = 1 ]
	[[ $output == *"cannot write"* ]]
}
