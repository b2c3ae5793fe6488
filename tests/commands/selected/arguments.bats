#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Arguments on the stack of selected functions: all of them reach the original, whatever frame the
# caller has; or the call is made without being recorded, and that is said.
# about 8 s

# shellcheck disable=SC2317,SC2030,SC2031 # functions of common.bash call ours; each test is a subshell

bats_require_minimum_version 1.5.0
load ../common
load selected

setup()
{
	common_setup
	[ "$(uname -m)" = x86_64 ] || skip "chosen symbols need x86-64"
}

# recorded KIND OPTION...: the program has the same results with its functions selected, which every
# clock and option in OPTION... keeps so.
recorded()
{
	"$PROGRAMS/stacked_$1" 12 >expected.txt
	"$SCPROF" run --no-report -o "$T/out/p.scp" -s "stacked_lib_$1.so:*" "${@:2}" \
		-- "$PROGRAMS/stacked_$1" 12 >found.txt 2>err.txt
	diff expected.txt found.txt
	make_report --by function
}

# every_call: all calls that the program made are in the report's rows, with those that were not copied.
every_call()
{
	jq -r '.sites[] | "\(.symbol) \(.calls)"' report.json | sort >rows.txt
	awk 'NR == FNR { calls[$1] = $2; next } NF == 2 { missing += $2 - calls[$1] } END { print missing + 0 }' \
		rows.txt expected.txt >missing.txt
	jq -r '.uncopied_calls' report.json | diff - missing.txt
}

@test "arguments 01: all are passed on and recorded where debug information tells how many there are" {
	for clock in tsc page monotonic dual coarse; do
		recorded known -c "$clock"
		every_call
		SHOWN=.uncopied_calls holds '.uncopied_calls == 0'
	done
}

@test "arguments 02: all are passed on where nothing is known of the functions" {
	for clock in tsc page monotonic dual coarse; do
		recorded unknown -c "$clock"
		every_call
	done
	# A frame with an array of 10 000 bytes and 12 000 bytes of arguments is too large; that of a
	# small function is not.
	SHOWN='[.uncopied_calls, .warnings]' holds '.uncopied_calls >= 12 and
		([.warnings[] | select(.code == "calls-skipped") | .text] |
			length == 1 and (.[0] | contains("the first of many_by_value")))'
	[ "$(calls_of tail_call)" = 12 ]
}

@test "arguments 03: with states off, on, and of every call" {
	for states in off budget exact; do
		recorded known -c tsc --states "$states"
		every_call
		recorded unknown -c tsc --states "$states"
		every_call
	done
}

@test "arguments 04: while recording is stopped all are passed on" {
	for kind in known unknown; do
		recorded "$kind" -c tsc --stopped
		SHOWN=.totals holds '.uncopied_calls == 0 and ([.sites[].calls] | add // 0) == 0'
	done
}

@test "arguments 05: a function that is known to have many has them copied; else its calls are counted" {
	for kind in known unknown; do
		"$PROGRAMS/stacked_$kind" 12 too_many >expected.txt
		"$SCPROF" run --no-report -c tsc -o "$T/out/p.scp" -s "stacked_lib_$kind.so:*" \
			-- "$PROGRAMS/stacked_$kind" 12 too_many >found.txt 2>err.txt
		diff expected.txt found.txt
		make_report --by function
		echo "$kind $(jq -c '[.uncopied_calls, ([.sites[].calls] | add // 0)]' report.json)"
	done >counts.txt
	diff counts.txt - <<<$'known [0,12]\nunknown [12,0]'
}

@test "arguments 06: from generated code, up to the end of the stack's memory" {
	for kind in known unknown; do
		"$PROGRAMS/stacked_$kind" 12 generated >expected.txt
		"$SCPROF" run --no-report -c tsc -o "$T/out/p.scp" -s "stacked_lib_$kind.so:*" \
			-- "$PROGRAMS/stacked_$kind" 12 generated >found.txt 2>err.txt
		diff expected.txt found.txt
		make_report --by function
		[ "$(calls_of by_value)" = 12 ]
	done
}

@test "arguments 07: a stack that cannot hold them twice" {
	for kind in known unknown; do
		"$PROGRAMS/stacked_$kind" 12 small_stack >expected.txt
		"$SCPROF" run --no-report -c tsc -o "$T/out/p.scp" -s "stacked_lib_$kind.so:*" \
			-- "$PROGRAMS/stacked_$kind" 12 small_stack >found.txt 2>err.txt
		diff expected.txt found.txt
		make_report --by function
		SHOWN=.uncopied_calls holds '.uncopied_calls == 12'
	done
}

@test "arguments 08: in a signal handler, on alternate stacks" {
	for kind in known unknown; do
		"$PROGRAMS/stacked_$kind" 12 handler >expected.txt
		"$SCPROF" run --no-report -c tsc -o "$T/out/p.scp" -s "stacked_lib_$kind.so:*" \
			-- "$PROGRAMS/stacked_$kind" 12 handler >found.txt 2>err.txt
		diff expected.txt found.txt
		make_report --by function
		[ "$(($(calls_of by_value) + $(calls_of of_forty) + $(jq .uncopied_calls report.json)))" = 48 ]
		[ "$(calls_of by_value)" -ge 12 ]
	done
}
