#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# However a program ends, its status is its own and its calls are on record.
# about 15 s

load common

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

# Returned calls are counted in a shared file by the program; each thread may
# have one call more in the profile, which had been recorded but not counted.
# What the reports say is read by one jq for all, which is quicker by half.
@test "endings 10: kill -9 at 200 random instants loses no returned call" {
	local i pid threads=2 sent delay report
	RANDOM=20260101
	# more of them where the program is slow to begin: 100 are to be of a program that runs
	: >rounds
	mkdir reports
	for ((i = 0; i < 200 || (i < 1000 && $(wc -l <rounds) < 100); i++)); do
		rm -rf out counter && mkdir out
		LD_PRELOAD=$LIB SCPROF_OUT=$T/out "$PROGRAMS/counter" counter $threads >counter.log 2>&1 3>&- &
		pid=$!
		printf -v delay '0.%03d' $((RANDOM % 40))
		sleep "$delay"
		kill -9 $pid
		wait $pid || true
		[ -s counter ] || continue # killed before main
		sent=$(od -An -v -t u8 -w8 -N $((8 * threads)) counter | awk '{ s += $1 } END { print s + 0 }')
		[ "$sent" -gt 0 ] || continue
		report=reports/$i-$sent.json
		"$SCPROF" report --format json --by function out/*.scp >"$report"
		echo "$i" >>rounds
	done
	[ "$(wc -l <rounds)" -ge 100 ]
	jq -r '"\(input_filename) \([.sites[] | select(.symbol == "send") | .calls] | add // 0)"' reports/*.json >calls
	[ "$(wc -l <calls)" = "$(wc -l <rounds)" ]
	awk -v threads=$threads '{ split($1, part, /[-\/.]/) }
		$2 < part[3] || $2 > part[3] + threads {
			print "round " part[2] ": " part[3] " counted, " $2 " in the profile"; bad = 1
		} END { exit bad }' calls
}
