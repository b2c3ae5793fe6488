#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# However a program ends, its status is its own and its calls are on record.
# about 15 s

load ../common

teardown()
{
	[ -z "${COUNTER:-}" ] || kill -9 "$COUNTER" 2>/dev/null || :
}

ending()
{
	unnoticed "$PROGRAMS/endings" "$1"
	[ "$(cat with.status)" = "$2" ]
}

@test "endings 01: return from main" {
	ending return 4
}

@test "endings 02: exit, with an exit handler that makes calls" {
	ending exit 7
}

@test "endings 03: _exit" {
	ending _exit 8
}

@test "endings 04: quick_exit, with a handler that makes calls" {
	ending quick_exit 9
}

@test "endings 05: abort" {
	ending abort 134
}

@test "endings 06: a segmentation fault" {
	ending segv 139
}

@test "endings 07: SIGTERM and SIGKILL" {
	ending term 143
	rm -rf out expect.* && mkdir out
	ending kill 137
}

@test "endings 08: exit from another thread" {
	ending thread_exits 6
}

@test "endings 09: pthread_exit from main while a thread goes on" {
	ending thread_outlives 0
}

# sent THREADS: calls that the program has counted.
sent()
{
	od -An -v -t u8 -w8 -N $((8 * $1)) counter | awk '{ s += $1 } END { print s + 0 }'
}

# Returned calls are counted in a shared file by the program; each thread may
# have one call more in the profile, which had been recorded but not counted.
# The instant is drawn from when the program is at work, however long it took to begin.
# What the reports say is read by one jq for all, which is quicker by half.
@test "endings 10: kill -9 at 100 random instants loses no returned call" {
	local i threads=2 delay report
	RANDOM=20260101
	mkdir reports
	for ((i = 0; i < 100; i++)); do
		rm -rf out counter && mkdir out
		LD_PRELOAD=$LIB SCPROF_OUT=$T/out "$PROGRAMS/counter" counter $threads >counter.log 2>&1 3>&- &
		COUNTER=$!
		until [ -s counter ] && ! cmp -s -n $((8 * threads)) counter /dev/zero; do kill -0 $COUNTER; done
		printf -v delay '0.%03d' $((RANDOM % 30))
		sleep "$delay"
		kill -9 $COUNTER
		wait $COUNTER || [ $? = 137 ]
		report=reports/$i-$(sent $threads).json
		"$SCPROF" report --format json --by function out/*.scp >"$report"
	done
	jq -r '"\(input_filename) \([.sites[] | select(.symbol == "send") | .calls] | add // 0)"' reports/*.json >calls
	[ "$(wc -l <calls)" = 100 ]
	awk -v threads=$threads '{ split($1, part, /[-\/.]/) }
		$2 < part[3] || $2 > part[3] + threads {
			print "round " part[2] ": " part[3] " counted, " $2 " in the profile"; bad = 1
		} END { exit bad }' calls
}
