#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Several programs, several runs, several files: what is added up, and what is not.

load ../common

SLEEPER=$PROGRAMS/sleeper

setup()
{
	common_setup
	cp "$SLEEPER" "$T/alpha"
	cp "$SLEEPER" "$T/beta"
}

# record FILE COMMAND...
record()
{
	local file=$1
	shift
	"$SCPROF" run -g socket --no-report -o "$file" -- "$@" >/dev/null 2>&1
}

# calls FILTER: of completed send
calls()
{
	jq "[.sites[] | select(.symbol == \"send\" and .outcome == \"completed\") | $1] | add // 0" report.json
}

json()
{
	"$SCPROF" report --format json "$@" >report.json
}

two()
{
	mkdir -p dir
	record dir/a.scp ./alpha 0 10 20
	record dir/b.scp ./beta 0 10 20
}

@test "rows of two programs are added up only with --together" {
	two
	for by in path site function; do
		json --by $by dir
		holds '.apart and (.programs | map(.name) | sort) == ["alpha", "beta"]'
		[ "$(jq '[.sites[] | select(.symbol == "send" and .outcome == "completed") | .program] | sort | unique | length' report.json)" = 2 ]
	done
	each=$(calls 'select(.program == 0) | .calls')
	both=$(calls .calls)
	[ "$both" -gt "$each" ]
	json --together --by function dir
	holds '.apart == false and ([.sites[].program] | unique) == [null]'
	[ "$(jq '[.sites[] | select(.symbol == "send" and .outcome == "completed")] | length' report.json)" = 1 ]
	[ "$(calls .calls)" = "$both" ]
}

@test "the text has a list, and a section for each program" {
	two
	"$SCPROF" report dir >text
	grep -q '^  programs  *2 profiles of 2 programs, reported apart; --together pools them$' text
	grep -Eq '^alpha +1 ' text
	grep -q '^./alpha 0 10 20$' text
	grep -q '^./beta 0 10 20$' text
	"$SCPROF" report --together dir >text
	not grep -q '^./beta 0 10 20$' text
	"$SCPROF" report dir/a.scp >text
	not grep -q 'programs' text
}

@test "--program leaves the others out, and says where there is none" {
	two
	json dir
	want=$(jq -c '[.programs[] | select(.name == "beta") | .calls, .sites]' report.json)
	json --program 'b*' dir
	holds '.programs | length == 1 and .[0].name == "beta"'
	[ "$(jq -c '[.totals.calls, .totals.sites]' report.json)" = "$want" ]
	run "$SCPROF" report --program gamma dir
	[ "$status" = 1 ]
	[[ $output == *"--program 'gamma': no such program"* ]]
}

@test "several runs of one program are added up, and the time between them is not theirs" {
	mkdir dir
	record dir/a.scp ./alpha 0 10 20
	cp dir/a.scp dir/b.scp
	json dir
	one=$(jq .program.wall_s report.json)
	# the same pid, parent and time: one run, told twice. As another file's it is another
	holds '.program.runs == 2 and (.programs | length) == 1 and .apart == false'
	json dir/a.scp
	python3 -c 'import sys; a, b = map(float, sys.argv[1:]); sys.exit(abs(a - 2 * b) > 1e-6)' "$one" "$(jq .program.wall_s report.json)"
	"$SCPROF" report dir >text
	grep -q 'of 2 runs, in all' text
}

@test "a directory stands for the profiles in it" {
	two
	mkdir dir/below empty
	cp dir/a.scp dir/below/c.scp
	cp dir/a.scp dir/.hidden.scp
	json dir
	holds '.programs | length == 2'
	holds '[.programs[].processes] == [1, 1]'
	echo junk >dir/bad.scp
	run "$SCPROF" report -o text dir
	[ "$status" = 1 ]
	[[ $output == *"left out: dir/bad.scp"* ]]
	run "$SCPROF" report empty
	[ "$status" = 1 ]
	[ "$output" = "scprof report: no .scp file in the directory empty" ]
	rm dir/bad.scp
	"$SCPROF" merge -o dir/all.scp dir
	run "$SCPROF" merge -o dir/all.scp dir
	[ "$status" = 2 ]
	[[ $output == *"would replace"* ]]
	json dir/all.scp
	holds '.programs | length == 2'
}

@test "what a script starts and becomes is not mixed with the script" {
	cat >script <<-'END'
		#!/bin/bash
		for i in 1 2 3; do ./alpha 0 1 1; done
		exec ./beta 0 10 20
	END
	chmod +x script
	record s.scp ./script
	json s.scp
	holds '.program.runs == 1 and .program.name == "beta" and .programs[0].name == "beta"'
	holds '[.programs[] | select(.name == "alpha") | .processes] == [3]'
	"$SCPROF" report s.scp >text
	head -1 text | grep -qx './beta 0 10 20'
	grep -q '^  others ' text
	not grep -q '^./alpha 0 1 1' text
}
