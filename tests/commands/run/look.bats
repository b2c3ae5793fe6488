#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# The look at groups that are off. `unseen` reads 300 times by libc and writes 200 times; it opens
# one file. Calls are exact, times are not looked at.
bats_require_minimum_version 1.5.0
load ../common

# look GROUPS HOW: JSON of all processes in report.json.
look()
{
	without_library LD_PRELOAD="$LIB" SCPROF_OUT="$T/out" SCPROF_GROUPS="$1" "$PROGRAMS/unseen" "$2"
	"$SCPROF" report --format json "$T"/out/*.scp >report.json
}

# calls FUNCTION NUMBER
calls()
{
	SHOWN=.elsewhere holds "[.elsewhere[].functions[] | select(.name == \"$1\").calls] | add == $2"
}

@test "calls of a group that is off are counted, and some are timed" {
	look socket exit
	calls read 300
	calls write 200
	SHOWN=.elsewhere holds '.elsewhere | map(.group) == ["io"] and (.[0].time_s > 0)'
}

@test "calls of a group that is on are not looked at" {
	look io exit
	SHOWN=.elsewhere holds '.elsewhere == []'
}

@test "errno is the call's own, and a program behaves as without the library" {
	record without "$PROGRAMS/unseen" exit
	[ "$(cat without.status)" = 0 ]
	SCPROF_GROUPS=socket record with "$PROGRAMS/unseen" exit
	cmp without.out with.out
	cmp without.status with.status
}

@test "a forked child is looked at when it has made some calls" {
	look socket fork
	[ "$(find out -name '*.scp' | wc -l)" = 2 ]
	calls read 537 # the child's first 63 calls passed unseen
	calls write 400
}

@test "what filters leave out is not looked at" {
	SCPROF_THREADS=nobody look socket exit
	SHOWN=.elsewhere holds '.elsewhere == []'
}

@test "while recording is stopped nothing is counted" {
	look socket stopped
	calls read 300
	calls write 201 # one after recording began again
}

@test "a merged profile has the sums" {
	look socket fork
	"$SCPROF" merge -o merged.scp out/*.scp
	"$SCPROF" report --format json merged.scp >report.json
	calls read 537
	calls write 400
}

@test "a profile without calls says what would record some, in text and HTML" {
	"$SCPROF" run -g socket -o run.scp -- "$PROGRAMS/unseen" exit >run.txt 2>&1
	tr -s ' \n' ' ' <run.txt | grep -q 'No call was recorded\..* `-g io` would record .*501 calls'
	"$SCPROF" report --format html run.scp | grep -q 'would record .*501 calls'
}
