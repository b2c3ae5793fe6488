#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# One libscprof.so for glibc and musl.

load ../common

setup_file()
{
	cd "$BATS_FILE_TMPDIR" || return
	musl-gcc -O1 -o musl "$ROOT/tests/programs/processes/any_libc.c"
	musl-gcc -O1 -o own_area "$ROOT/tests/programs/states/own_area.c"
}

# calls FUNCTION: completed ones, in all processes of run.json.
calls()
{
	jq "[.sites[] | select(.symbol == \"$1\" and .outcome == \"completed\") | .calls] | add" run.json
}

@test "libc 01: the library needs no other, and no version of a symbol" {
	run readelf -dW "$LIB"
	[[ $output != *NEEDED* ]]
	[[ $output != *VERNEED* ]]
	run readelf -rW "$LIB"
	[[ $output != *IRELATIV* ]] # musl's loader has no resolvers
}

@test "libc 02: a program of musl does the same, and its calls are counted" {
	for program in "$BATS_FILE_TMPDIR/musl" "$PROGRAMS/any_libc"; do
		record without "$program"
		record with "$program"
		[ "$(<with.status)" = 3 ]
		cmp without.out with.out
		[ ! -s with.err ]
		grep -qx 'threads 8000' with.out
		grep -qx 'child 7' with.out
		"$SCPROF" report --format json out/*.scp >run.json
		[ "$(calls send)" = 9010 ]
		[ "$(calls recv)" = 9001 ]
		rm out/*
	done
}

@test "libc 03: shells and programs of one libc start those of the other" {
	local status=0 musl=$BATS_FILE_TMPDIR/musl glibc=$PROGRAMS/any_libc
	limited "$SCPROF" run --no-report -o run.scp -- sh -c "'$musl' '$glibc'; '$glibc' '$musl'; exit 5" >out.txt || status=$?
	[ $status = 5 ]
	[ "$(grep -cx 'threads 8000' out.txt)" = 4 ]
	"$SCPROF" report --format json run.scp >run.json
	[ "$(calls send)" = 36040 ]
}

@test "libc 04: functions of musl are selected as those of other libraries" {
	limited "$SCPROF" run -s qsort -g socket --format json -o run.json -- "$BATS_FILE_TMPDIR/musl" >out.txt 2>err.txt || [ $? = 3 ]
	[ "$(calls qsort)" = 100 ]
	[ "$(calls send)" = 9010 ]
	"$SCPROF" symbols "$BATS_FILE_TMPDIR/musl" 'qsor*' >symbols.txt
	grep -q "ld-musl.*:qsort" symbols.txt
}

@test "libc 05: threads of musl are watched by rseq, and may register areas of their own at any time" {
	same_either_way "$BATS_FILE_TMPDIR/own_area"
	grep -q 'registered 8, known 8, once 8, removed 8; child 7' with.out || skip "rseq cannot be used here"
	limited "$SCPROF" run -g socket --format json -o run.json -- "$BATS_FILE_TMPDIR/musl" >out.txt || [ $? = 3 ]
	[ "$(jq -r .switches.detector run.json)" = rseq ]
	[ "$(jq .switches.missed run.json)" = 0 ]
}

teardown()
{
	[ -z "${DORMANT-}" ] || kill "$DORMANT"
}

# It made calls while it was attached to. On a busy machine it may have had no CPU in so short a time.
woken()
{
	limited "$SCPROF" attach "$DORMANT" --for 0.3s --format json -o run.json && [ -e run.json ] && [ "$(calls send)" -gt 0 ]
}

@test "libc 06: a program of musl that began dormant is recorded by its wake page" {
	mkdir -p wake
	SCPROF_OUT=$PWD/wake SCPROF_STOPPED=1 LD_PRELOAD=$LIB "$BATS_FILE_TMPDIR/own_area" for ever 3>&- 4>&- &
	DORMANT=$!
	await compgen -G 'wake/*.wake'
	await woken
}

# As musl is since 1.2.4, whose loader leads those names to the others.
@test "libc 07: functions whose names end in 64 need not be libc's" {
	local loader
	loader=$(readelf -lW "$BATS_FILE_TMPDIR/musl" | sed -n 's/.*interpreter: \(.*\)]/\1/p')
	musl-gcc -Wl,--unresolved-symbols=ignore-all -o names "$ROOT/tests/programs/processes/names_64.c"
	LC_ALL=C sed 's/open64/open_4/g; s/pread64/pread_4/g' "$loader" >libc.so
	chmod +x libc.so
	limited env LD_PRELOAD="$LIB" SCPROF_OUT="$T/out" ./libc.so ./names "$ROOT/Makefile" >out.txt
	diff out.txt - <<<$'read 4\nsame 1'
}
