#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Nothing in a profile is trusted: what is damaged is refused with a message of
# one to three lines and status 1, and never takes the reader down.
# about 12 s

load ../common

# How many mutants: `make check-long` says more, and `make fuzz` takes new ones each time.
MUTANTS=${MUTANTS:-300}

setup_file()
{
	T=$BATS_FILE_TMPDIR
	mkdir "$T/out"
	SCPROF_SLOWEST=50 with_library "$PROGRAMS/many_threads" 8 >/dev/null
	mv "$T"/out/*.scp "$T/good.scp"
}

setup()
{
	common_setup
	good=$BATS_FILE_TMPDIR/good.scp
}

refused()
{
	local status=0 lines wanted=${WANTED:-1}
	"$SCPROF" report "$@" >refused.out 2>refused.err || status=$?
	lines=$(wc -l <refused.err)
	[ "$status" = "$wanted" ] && [ ! -s refused.out ] && [ "$lines" -ge 1 ] && [ "$lines" -le 3 ] || {
		echo "status $status, $lines lines:"
		cat refused.err
		return 1
	}
}

@test "damaged 01: the profile as it was is read" {
	"$SCPROF" report "$good" >/dev/null
}

@test "damaged 02: a file that is not there, a folder, an empty file, a text" {
	refused nothing.scp
	mkdir empty
	refused empty
	: >empty.scp
	refused empty.scp
	echo "this is no profile" >text.scp
	refused text.scp
	refused /dev/null
}

@test "damaged 03: a profile cut short" {
	local size
	for size in 1 8 100 1000 8191 8192; do
		head -c $size "$good" >cut.scp
		refused cut.scp
	done
}

@test "damaged 04: another version, another byte order" {
	cp "$good" other.scp
	printf '\143' | dd of=other.scp bs=1 seek=8 conv=notrunc status=none
	refused other.scp
	grep -qi version refused.err
	cp "$good" other.scp
	printf '\001\002\003\004' | dd of=other.scp bs=1 seek=12 conv=notrunc status=none
	refused other.scp
}

@test "damaged 05: damaged files alone are refused, however many" {
	head -c 5000 "$good" >cut.scp
	refused cut.scp cut.scp
}

# mutations SEED PROFILE: and some of them with the symbols and debug information of this machine's
# files, which takes 100 times as long.
mutations()
{
	"$BUILD/tests/fuzz/mutate" -c $((MUTANTS / 6)) -s "$1" "$2"
	"$BUILD/tests/fuzz/mutate" -y -k 1 -c $((1 + MUTANTS / 500)) -s "$1" "$2"
}

# The second profile has every kind of record: slow sums, phases, lines.
@test "damaged 06: mutants of recorded profiles end in a documented status" {
	mutations 1 "$good"
	SCPROF_SLOWEST=50 SCPROF_CLOCK=dual with_library "$PROGRAMS/sizes" 400 >/dev/null
	"$PROFILES/dump_entries" out/*.scp >entries
	grep -q '^phase' entries && grep -q '^line' entries
	mutations 2 out/*.scp
}

@test "damaged 07: mutants of small profiles end so in every command, format and grouping" {
	"$PROFILES/make_profile" paths 12 paths.scp
	"$PROFILES/make_profile" displaced 7 displaced.scp
	"$PROFILES/make_profile" ticks ticks.scp
	"$PROFILES/make_profile" hostile hostile.scp
	"$PROFILES/make_states" rseq switched.scp
	"$PROFILES/make_states" sampled sampled.scp
	"$PROFILES/make_paths" family 12 family.scp
	"$PROFILES/make_paths" chain 200 chain.scp
	"$BUILD/tests/fuzz/mutate" -c "$MUTANTS" -s 3 paths.scp displaced.scp ticks.scp hostile.scp \
		switched.scp sampled.scp family.scp chain.scp
}

@test "damaged 08: wrong options are status 2" {
	local WANTED=2
	refused
	refused --format nonsense "$good"
	refused --by nonsense "$good"
	refused --confidence 2 "$good"
	refused --nonsense "$good"
}

@test "damaged 09: profiles crafted to hang or to end a command do neither, in any format" {
	"$BUILD/tests/fuzz/mutate" -r "$ROOT"/tests/fuzz/corpus/*
}

# Each reading of the profiles that are left is a report or a refusal.
read_or_refused()
{
	local file status
	for file in out/*.scp; do
		status=0
		limited "$SCPROF" report "$file" >/dev/null 2>&1 || status=$?
		[ $status = 0 ] || [ $status = 1 ] || {
			echo "$file: status $status"
			return 1
		}
	done
}

@test "damaged 10: a program does not notice what is written over its profile while it records" {
	local variables status
	for variables in SCPROF_CLOCK=tsc SCPROF_CLOCK=coarse SCPROF_CLOCK=dual SCPROF_GROUPS=all,alloc \
		"SCPROF_SLOWEST=20 SCPROF_SLOWER_THAN=1us SCPROF_SLOWEST_OF=libc*:*,plug* SCPROF_GROUPS=all" \
		"SCPROF_BELOW=descend,plugin_a,work_in_thread" SCPROF_THREADS=overwritten; do
		rm -f out/*
		status=0
		# shellcheck disable=SC2086 # several variables
		limited env SCPROF_OUT="$T/out" $variables LD_PRELOAD="$LIB" "$PROGRAMS/overwritten" \
			"$PROGRAMS/plugin_a.so" >with.out 2>&1 </dev/null 3>&- 4>&- || status=$?
		[ $status = 5 ] && [ "$(cat with.out)" = "done" ] || {
			echo "$variables: status $status"
			cat with.out
			return 1
		}
		read_or_refused
	done
}

# Two seconds of a processor, or minutes where each box looks through all.
@test "damaged: a flame graph of many paths is drawn" {
	"$PROFILES/make_profile" paths 100000 paths.scp
	(ulimit -t 60 && "$SCPROF" report --format svg -o paths.svg paths.scp)
	[ "$(tail -n 1 paths.svg)" = "</svg>" ]
}
