#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Totals of processes beside what was recorded: a program with known numbers of reads and writes, by
# libc and by direct system calls.
bats_require_minimum_version 1.5.0
load ../common

teardown()
{
	[ -z "${endless:-}" ] || kill -9 "$endless" 2>/dev/null || true
}

# record GROUPS HOW: JSON of all processes in report.json, text in report.txt.
record()
{
	without_library LD_PRELOAD="$LIB" SCPROF_OUT="$T/out" SCPROF_GROUPS="$1" "$PROGRAMS/unseen" "$2"
	report_of "$T"/out/*.scp
}

report_of()
{
	"$SCPROF" report --format json "$@" >report.json
	"$SCPROF" report --full "$@" >report.txt
}

expect()
{
	SHOWN=.ledger holds ".ledger | [.reads, .reads_share, .writes, .writes_share] == $1"
}

@test "the share of reads and writes is of those that the process made, not of the recorded ones" {
	for how in exit _exit; do
		rm -f out/*
		record io $how
		expect '[400, 0.75, 800, 0.25]'
	done
	tr -s ' \n' ' ' <report.txt | grep -q '75.0 % of 400 reads, 25.0 % of 800 writes'
}

# Before glibc 2.32 nothing says that a process has had one thread only: what it read itself is not
# told apart from what a child did that it has waited for.
expect_with_child()
{
	glibc_since 2.32 || set -- '[null, null, null, null]'
	expect "$1"
}

@test "each process begins at nothing: after exec, and in a forked child" {
	for how in exec fork; do
		rm -f out/*
		record io $how
		set -- out/*
		[ $# = 2 ]
		[ $how = exec ] || break
		expect '[800, 0.75, 1600, 0.25]'
	done
	expect_with_child '[800, 0.75, 1600, 0.25]'
}

@test "a merged profile has the shares of its parts" {
	record io fork
	"$SCPROF" merge -o merged.scp out/*.scp
	report_of merged.scp
	expect_with_child '[800, 0.75, 1600, 0.25]'
}

@test "where the group was not recorded the report names it" {
	record socket exit
	expect '[400, 0, 800, 0]'
	tr -s ' \n' ' ' <report.txt | grep -q 'no-calls.*`-g io` would record .*501 calls (' # 300 reads, 200 writes, an open; named are the longest
}

@test "what is done while recording is stopped counts on neither side" {
	record io,region stopped
	expect "[400, 0.75, 801, $(jq -n '201 / 801')]"
}

@test "a run's profile has the totals, and HTML shows them" {
	"$SCPROF" run -g io -o run.scp -- "$PROGRAMS/unseen" exit
	report_of run.scp
	expect '[400, 0.75, 800, 0.25]'
	"$SCPROF" report --format html run.scp >report.html
	grep -q '75.0 % of 400 reads' report.html
}

@test "asynchronous reads and mapped files are in no total" {
	for how in aio mapped; do
		rm -f out/*
		record io $how
		expect '[100, 1, 0, null]'
	done
}

@test "CPU time by its own clock has a share, and without a detector of switches no other has" {
	SCPROF_CLOCK=thread-cpu record io exit
	SHOWN=.ledger holds '.ledger | .cpu_s > 0 and .cpu_share > 0 and .cpu_share <= 1 and .waits >= 0'
}

known_reads()
{
	report_of "$T"/out/*.scp 2>/dev/null && holds '.ledger.reads > 0' >/dev/null
}

@test "a running process's totals are kept up to date, and are there when it is killed" {
	SCPROF_GROUPS=io LD_PRELOAD=$LIB SCPROF_OUT=$T/out "$PROGRAMS/unseen" for-ever </dev/null 3>&- 4>&- &
	endless=$!
	await known_reads
	kill -9 $endless
	wait $endless || true
	endless=
	report_of "$T"/out/*.scp
	SHOWN=.ledger holds '.ledger | .reads > 0 and .reads_share == 1 and .writes == 0'
}

@test "without /proc there are no totals of reads, and the report goes without" {
	unshare --user --map-root-user --mount true 2>/dev/null || skip "no namespaces here"
	# shellcheck disable=SC2016 # expanded inside
	SCPROF_GROUPS=io SCPROF_OUT=$T/out LIBRARY=$LIB unshare --user --map-root-user --mount sh -c \
		'mount -t tmpfs none /proc && LD_PRELOAD=$LIBRARY exec "$0" exit' "$PROGRAMS/unseen" </dev/null
	report_of "$T"/out/*.scp
	expect '[null, null, null, null]'
	SHOWN=.ledger holds '.ledger.cpu_s > 0'
	not grep -Eq '^  elsewhere|% of [0-9,]+ reads' report.txt
}

@test "a sandboxed program's totals end with its system calls, so it has none" {
	run -4 with_library "$PROGRAMS/sandbox" prctl-errno warm
	report_of "$T"/out/*.scp
	SHOWN='[.ledger, .warnings]' holds 'any(.warnings[]; .code == "sandboxed") and .ledger.reads == null and .ledger.cpu_s == null'
}
