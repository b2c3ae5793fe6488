#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# What is kept of sizes batch by batch, of first calls and of the longest ones: the
# sizes that tests/programs/calls/sizes.c sends are known here, too.

bats_require_minimum_version 1.5.0
load ../common

# dump PROGRAM...: the entries of one run in $T/entries.
dump()
{
	with_library "$@" >/dev/null
	"$PROFILES/dump_entries" out/*.scp >entries
}

# check_line INDEX FIRST: every slot of the entry's line is the sum over the calls of its
# batch; calls below FIRST sent 700 bytes. Sums stay below 2^53: awk is exact.
check_line()
{
	awk -v i="$1" -v same="$2" '
	$1 == "entry" && $2 == i { calls = $5 }
	$1 == "batch" && $2 == i { n[$3] = $4; slots++ }
	$1 == "line" && $2 == i { bytes[$3] = $4; squares[$3] = $5; lines++ }
	END {
		call = 0
		for (k = 0; k < slots; k++) {
			b = q = 0
			for (c = 0; c < n[k]; c++) {
				size = call < same ? 700 : (call * call * 31) % 1009 + 1
				b += size; q += size * size; call++
			}
			if (b != bytes[k] || q != squares[k]) {
				printf "entry %d slot %d: %d, %d expected %d, %d\n",
					i, k, bytes[k], squares[k], b, q
				bad = 1
			}
		}
		if (!slots || lines != slots) { printf "entry %d: %d lines of %d slots\n", i, lines, slots; bad = 1 }
		if (calls - call >= n[0]) { print "calls are missing from the batches"; bad = 1 }
		exit bad
	}' entries
}

has_line()
{
	grep -q "^line $1 " entries
}

@test "lines 01: each slot is about the calls of its batch, wherever sizes begin to vary" {
	local calls
	for calls in 8 9 127 128 1000 4097; do
		rm -f out/*
		dump "$PROGRAMS/sizes" "$calls"
		check_line 0 0
		check_line 3 3
		if [ "$calls" -gt 300 ]; then check_line 2 300; fi
	done
}

@test "lines 02: neither equal sizes nor few calls have a line record" {
	dump "$PROGRAMS/sizes" 1000
	has_line 0
	run ! has_line 1
	run ! has_line 4
	rm -f out/*
	dump "$PROGRAMS/sizes" 300
	run ! has_line 2
}

@test "lines 03: the sums with time are those of the entry, on each clock" {
	local clock
	for clock in tsc monotonic coarse dual; do
		rm -f out/*
		SCPROF_CLOCK=$clock dump "$PROGRAMS/sizes" 1024
		# 32 batches of 32 calls are all calls
		awk '$1 == "batch" && $2 == 0 { n += $4; units += $5 }
			$1 == "line" && $2 == 0 { least += $6 }
			$1 == "entry" && $2 == 0 { calls = $5; all = $6 }
			END { exit !(n == 1024 && calls == n && units == all && least >= units) }' entries
	done
}

@test "first 01: the first call and the longest one are noted" {
	dump "$PROGRAMS/sizes" 1000
	# index function outcome calls units first longest first_at last_at longest_at
	awk '$1 == "entry" && $3 == "send" {
		n++
		if (!($7 > 0 && $7 <= $8 && $11 >= $9 + $8 && $11 <= $10)) { print; bad = 1 }
		if ($8 == $7 && $11 != $9 + $7) { print "the first is the longest:", $0; bad = 1 }
	} END { exit bad || n != 5 }' entries
	rm -f out/*
	dump "$PROGRAMS/many_calls" 1
	awk '$1 == "entry" { n++; if ($7 != $6 || $8 != $6 || $11 != $10) bad = 1 }
		END { exit bad || n != 2 }' entries
}

@test "first 02: a merged profile keeps them, and the lines" {
	dump "$PROGRAMS/sizes" 1000
	"$SCPROF" merge -o merged.scp out/*.scp
	"$PROFILES/dump_entries" merged.scp >merged
	diff entries merged
}
