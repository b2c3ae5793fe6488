#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Where in the tick calls begin: programs whose answer is known.
# On a busy machine a program that waits for the tick is woken late now and then: of three runs
# one must show its place (at random a quarter of the tick holds 0.25 to 0.4 of the calls).
# serial: a program that waits for the tick must get its processor then

bats_require_minimum_version 1.5.0
load common

# dump CLOCK PROGRAM...: the entries of one run in $T/entries.
dump()
{
	rm -f out/*
	SCPROF_CLOCK=$1 timeout -k 5 60 env LD_PRELOAD="$LIB" SCPROF_OUT="$T/out" \
		SCPROF_GROUPS=socket,io "${@:2}" >/dev/null </dev/null 3>&- 4>&-
	"$BUILD/tests/unit/dump_entries" out/*.scp >entries
}

# All samples, the share of the fullest quarter of the tick (anywhere on the circle), and
# the least and the most of the 32 bins as shares of their mean.
summary()
{
	awk '$1 == "phase" { for (i = 0; i < 32; i++) { bin[i] += $(i + 3); all += $(i + 3) } }
	END {
		if (!all) { print "0 0 0 0"; exit }
		least = bin[0]
		for (i = 0; i < 32; i++) {
			quarter = 0
			for (k = 0; k < 8; k++) quarter += bin[(i + k) % 32]
			if (quarter > fullest) fullest = quarter
			if (bin[i] < least) least = bin[i]
			if (bin[i] > most) most = bin[i]
		}
		printf "%d %.3f %.3f %.3f\n", all, fullest / all, least * 32 / all, most * 32 / all
	}' entries
}

# expect CONDITION: on the fields of the summary, as awk has them.
expect()
{
	summary | awk "{ print; exit !($1) }"
}

# paced CLOCK: a run of the program that waits for the tick has most calls in one quarter of it.
paced()
{
	local i
	for i in 1 2 3; do
		dump "$1" "$PROGRAMS/tick_paced" 500
		expect '$1 >= 16 && $2 > 0.7' && return
	done
	return 1
}

@test "phases 01: a program paced by the tick begins its calls in one place" {
	paced coarse
}

# Samples of one program are not independent (the sixteen paths of a round follow each other
# closely): of ten runs of one for three seconds, 2450 samples each, the emptiest of the 32 bins had
# 0.52 to 0.78 of the mean and the fullest 1.22 to 1.56. Two programs at once, which know nothing of
# each other, give two thirds more in less time.
@test "phases 02: a program that knows nothing of the tick begins them anywhere" {
	dump coarse sh -c '"$0" 2.5 & "$0" 2.5; wait' "$PROGRAMS/asynchronous"
	expect '$1 >= 500 && $2 < 0.4 && $3 > 0.3 && $4 < 2'
}

@test "phases 03: samples of an entry are two ticks apart or more" {
	dump coarse "$PROGRAMS/asynchronous" 1
	awk '$1 == "tick" { apart = 2 * $2 }
		$1 == "entry" { ns[$2] = $10 - $9 }
		$1 == "phase" {
			n = 0
			for (i = 3; i <= NF; i++) n += $i
			if (n < 2 || n > ns[$2] / apart + 1) { print n, ns[$2], $0; bad = 1 }
		} END { exit bad || NR < 65 }' entries
}

@test "phases 04: the slow clock of a dual run is sampled just so" {
	paced dual
}

@test "phases 05: clocks without fixed ticks of their own are not sampled" {
	local clock
	for clock in tsc monotonic thread-cpu; do
		dump "$clock" "$PROGRAMS/asynchronous" 0.1
		grep -q '^entry' entries
		run ! grep -q '^phase' entries
	done
	"$SCPROF" run -c page -o page.scp --no-report -- "$PROGRAMS/asynchronous" 0.1
	"$BUILD/tests/unit/dump_entries" page.scp >entries
	grep -q '^entry' entries
	run ! grep -q '^phase' entries
}

@test "phases 06: nor is any where CLOCK_MONOTONIC would be a system call" {
	local source=/sys/devices/system/clocksource/clocksource0/current_clocksource
	echo acpi_pm >"$T/acpi_pm"
	unshare -m mount --bind "$T/acpi_pm" $source 2>/dev/null || skip "needs the right to mount"
	export -f dump
	export T LIB BUILD
	unshare -m bash -c "mount --bind $T/acpi_pm $source && dump coarse $PROGRAMS/asynchronous 0.2"
	grep -q '^entry' entries
	run ! grep -q '^phase' entries
}

@test "phases 07: a merged profile has the samples of all" {
	dump coarse "$PROGRAMS/asynchronous" 0.5
	expect '$1 > 0'
	"$SCPROF" merge -o merged.scp out/*.scp out/*.scp
	"$BUILD/tests/unit/dump_entries" merged.scp >merged
	cat entries entries >twice
	[ "$(grep -c '^phase' merged)" = "$(grep -c '^phase' twice)" ]
	diff <(grep '^phase' merged | cut -d' ' -f3-) <(grep '^phase' twice | cut -d' ' -f3-)
}
