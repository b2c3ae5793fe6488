#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Recording that begins and ends, again and again, in a process that runs.
load ../common

# check_profiles FILE: each line is a profile, and how many calls of write it has at least and most.
check_profiles()
{
	local profile least most calls
	while read -r profile least most; do
		"$SCPROF" report --by function --top 0 --format json "$profile" >report.json
		jq -e '.totals.remainder_ns == 0' report.json >/dev/null
		calls=$(jq '[.sites[] | select(.symbol == "write") | .calls] | add // 0' report.json)
		least=$((least - $(jq '.skipped_calls + .overflow_calls' report.json)))
		[ "$calls" -ge "$least" ] && [ "$calls" -le "$most" ] ||
			{ echo "$profile: $calls calls of $least to $most" && return 1; }
	done < <(grep '^/' "$1")
}

@test "threads that call, block, end, leave and fork go from one session to the next" {
	limited "$PROGRAMS/sessions" "$LIB" "$T/out" 120 20 >sessions.txt
	[ "$(grep -c '^/' sessions.txt)" -eq 6 ]
	check_profiles sessions.txt
	grep -q ' 0 descriptors' sessions.txt
}

@test "a thread that is in libunwind when its session ends does not meet the next one's there" {
	[ -e "$BUILD/libscprof-unwind.so" ] || skip "built without libunwind"
	ORDER=SCPROF_VERIFY_PATHS=1 limited "$PROGRAMS/sessions" "$LIB" "$T/out" 40 20 >sessions.txt
	[ "$(grep -c '^/' sessions.txt)" -eq 2 ]
	check_profiles sessions.txt
}

@test "the address of a stub is good in later sessions, which select other functions or none" {
	local calls profile
	"$SCPROF" symbols --stubs many.so "$PROGRAMS/stubs" ten_integers
	"$SCPROF" symbols --stubs few.so "$PROGRAMS/stubs" factorial
	limited "$PROGRAMS/stubs" "$LIB" "$T/out" "$T/many.so" "$T/few.so" >sessions.txt
	for calls in '["ten_integers",20]' '["factorial",10]' '' '["ten_integers",20]'; do
		read -r profile
		"$SCPROF" report --by function --format json "$profile" >report.json
		SHOWN='[.sites[] | [.symbol, .calls]]' holds \
			"[.sites[] | select(.library == \"chosen_lib.so\") | [.symbol, .calls]] == [$calls]"
	done <sessions.txt
}

@test "a profile says that recording ended, and that the process went on" {
	limited "$PROGRAMS/sessions" "$LIB" "$T/out" 1 1 >sessions.txt
	read -r profile _ <sessions.txt
	run "$SCPROF" report "$profile"
	[[ $output == *'recording ended: detached'* ]]
}

@test "opened later, without an order, nothing is recorded" {
	limited "$PROGRAMS/sessions" "$LIB" "$T/out" 0 >sessions.txt
	[ -z "$(ls -A out)" ]
}

@test "children forked while another thread holds the loader's lock end recording without it" {
	mkdir -p out
	limited "$PROGRAMS/forked_locked" "$LIB" "$T/out"
}
