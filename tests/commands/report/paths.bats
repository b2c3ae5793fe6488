#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Call paths: how frames were found, what came of walking paths twice, and paths that share frames.

load ../common

setup()
{
	common_setup
	"$PROFILES/make_paths" family 40 family.scp
}

@test "paths 01: a frame that no unwind table led to is marked, and the mark explained once" {
	"$SCPROF" report --full --frames 20 --top 0 family.scp >text
	grep -q '^ *? server' text
	[ "$(grep -c '^warning: heuristic-paths' text)" = 1 ]
	grep -q '"?" stands before' text
	"$SCPROF" report --format html -o page.html family.scp
	grep -q '"? server' page.html
	grep -q 'heuristic-paths' page.html
}

@test "paths 02: JSON marks heuristic frames alone, and counts their paths" {
	"$SCPROF" report --format json family.scp >report.json
	[ "$(jq '[.sites[] | select(any(.stack[]; .heuristic))] | length' report.json)" -gt 0 ]
	[ "$(jq '[.sites[].stack[] | select(has("heuristic") and .heuristic != true)] | length' report.json)" = 0 ]
	[ "$(jq '[.sites[].stack[] | select(has("heuristic") | not)] | length' report.json)" -gt 0 ]
	jq -e '.paths == {seen: 40, verified: 40, differ: 2, undecided: 0, heuristic: .paths.heuristic}' report.json
	[ "$(jq .paths.heuristic report.json)" = "$(jq -r '.warnings[].text' report.json | grep -o '[0-9]* call paths have frames to which' | cut -d' ' -f1)" ]
}

@test "paths 03: a line says how many paths were walked twice" {
	"$SCPROF" report family.scp >text
	grep -q '^ *paths *40, all walked twice: 2 differ' text
	"$PROFILES/make_profile" paths 10 plain.scp
	"$SCPROF" report plain.scp >text
	run ! grep -q '^ *paths ' text
}

@test "paths 04: merged, paths and checks are as before, and the checks of two files add up" {
	"$SCPROF" merge -o merged.scp family.scp
	for format in json csv folded; do
		"$SCPROF" report --format $format family.scp >one.$format
		"$SCPROF" report --format $format merged.scp >two.$format
	done
	cmp one.csv two.csv
	cmp one.folded two.folded
	[ "$(jq -c '[.paths, .sites]' one.json)" = "$(jq -c '[.paths, .sites]' two.json)" ]
	"$SCPROF" merge -o both.scp family.scp family.scp 2>told
	grep -q '^scprof merge: process [0-9]* is in family.scp and in family.scp: its calls count twice$' told
	"$SCPROF" report both.scp | grep -q '^ *paths *40, all walked twice: 4 differ'
}

# 100 000 paths of 192 frames in 26 MB.
@test "paths 05: very long chains of shared frames are read" {
	"$PROFILES/make_paths" chain 100000 chain.scp
	(
		ulimit -s 1024
		"$SCPROF" report chain.scp >text
	)
	grep -q '100,000 in ' text
}

@test "paths 06: a path that was met before is not walked again" {
	limited "$SCPROF" run --no-report -g socket -o p.scp -- "$PROGRAMS/paths_again" >/dev/null 2>&1 </dev/null
	"$SCPROF" report --format json p.scp >r.json
	# All were met 20 times. A memory that grows forgets: three times here, of all paths so far.
	jq -e '(.sites | length) as $n | $n > 8000 and .totals.calls > 19 * $n and .totals.walks < 2.5 * $n' r.json
}
