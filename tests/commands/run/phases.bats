#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Where in the tick calls begin: programs whose answer is known, because they give the clock
# (tests/programs/given_time), and what can be said of any other.

bats_require_minimum_version 1.5.0
load ../common

# dump CLOCK PROGRAM...: the entries of one run in $T/entries.
dump()
{
	rm -f out/*
	SCPROF_CLOCK=$1 limited env LD_PRELOAD="$LIB" SCPROF_OUT="$T/out" \
		SCPROF_GROUPS=socket,io "${@:2}" >/dev/null </dev/null 3>&- 4>&-
	"$PROFILES/dump_entries" out/*.scp >entries
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

@test "phases 01: a program paced by the tick begins its calls in one place" {
	dump coarse "$PROGRAMS/given_time" paced 500
	expect '$1 >= 16 && $2 == 1 && $3 == 0 && $4 == 32'
}

# Two of three calls are sampled, at random: of 5000 calls a bin has 3330 +-33 samples, and is never a fifth off.
@test "phases 02: a program that knows nothing of the tick begins them anywhere" {
	dump coarse "$PROGRAMS/given_time" anywhere 5000
	expect '$1 >= 16000 && $3 > 0.8 && $4 < 1.2'
}

@test "phases 03: samples of an entry are two ticks apart or more" {
	dump coarse "$PROGRAMS/given_time" often 5000
	awk '$1 == "tick" { apart = 2 * $2 }
		$1 == "entry" { ns[$2] = $10 - $9 }
		$1 == "phase" {
			n = 0
			for (i = 3; i <= NF; i++) n += $i
			if (n < 2 || n > ns[$2] / apart + 1) { print n, ns[$2], $0; bad = 1 }
		} END { exit bad || NR < 65 }' entries
}

@test "phases 04: the slow clock of a dual run is sampled just so" {
	dump dual "$PROGRAMS/given_time" paced 500
	expect '$1 >= 16 && $2 == 1 && $3 == 0 && $4 == 32'
}

@test "phases 05: clocks without fixed ticks of their own are not sampled" {
	local clock
	for clock in tsc monotonic thread-cpu; do
		dump "$clock" "$PROGRAMS/asynchronous" 0.1
		grep -q '^entry' entries
		run ! grep -q '^phase' entries
	done
	"$SCPROF" run -c page -o page.scp --no-report -- "$PROGRAMS/asynchronous" 0.1
	"$PROFILES/dump_entries" page.scp >entries
	grep -q '^entry' entries
	run ! grep -q '^phase' entries
}

@test "phases 06: nor is any where CLOCK_MONOTONIC would be a system call" {
	local source=/sys/devices/system/clocksource/clocksource0/current_clocksource
	echo acpi_pm >"$T/acpi_pm"
	unshare -m mount --bind "$T/acpi_pm" $source 2>/dev/null || skip "needs the right to mount"
	export -f dump limited
	export T LIB PROFILES
	unshare -m bash -c "mount --bind $T/acpi_pm $source && dump coarse $PROGRAMS/asynchronous 0.2"
	grep -q '^entry' entries
	run ! grep -q '^phase' entries
}

@test "phases 07: a merged profile has the samples of all" {
	dump coarse "$PROGRAMS/given_time" anywhere 500
	expect '$1 > 0'
	"$SCPROF" merge -o merged.scp out/*.scp out/*.scp
	"$PROFILES/dump_entries" merged.scp >merged
	cat entries entries >twice
	[ "$(grep -c '^phase' merged)" = "$(grep -c '^phase' twice)" ]
	diff <(grep '^phase' merged | cut -d' ' -f3-) <(grep '^phase' twice | cut -d' ' -f3-)
}
