#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Several recordings with one command: each has a profile, and the report is of all. How intervals
# of several runs come about is tested by tests/unit/report/test_run_to_run.c.

bats_require_minimum_version 1.5.0
load ../common

setup()
{
	common_setup
	WORK=
}

teardown()
{
	[ -z "$WORK" ] || { kill -9 "$WORK" && wait "$WORK"; } 2>/dev/null || true
}

@test "runs 01: the command runs so often, with a profile each, and one report" {
	"$SCPROF" run --runs 3 -g io -o r.scp --format json -- sh -c 'echo once; read -r line' >said 2>err <<-END
		a
		b
		c
	END
	[ "$(grep -c '^once$' said)" = 3 ]
	[ "$(ls)" = "$(printf '%s\n' err out r.1.scp r.2.scp r.3.scp said)" ]
	sed -n '/^{/,/^}/p' err >report.json
	holds '.schema == "scprof-report/1" and .program.runs == 3'
	grep -q 'run 3 of 3' err
	"$SCPROF" report r.?.scp | tr -s ' \n' ' ' | grep -q '95 % intervals between 3 runs'
	"$SCPROF" report r.1.scp | tr -s ' \n' ' ' | grep -q '95 % intervals about this run: 3 runs tell about the next'
}

@test "runs 02: the first status that is not 0 is the status; what cannot be executed runs once" {
	run -7 "$SCPROF" run --runs 3 --no-report -o r.scp -- sh -c 'echo x >>count; case $(wc -l <count) in 1) exit 0 ;; 2) exit 7 ;; *) exit 9 ;; esac'
	[ "$(wc -l <count)" = 3 ]
	echo older >s.1.scp
	run -127 "$SCPROF" run --runs 3 -o s.scp -- ./nowhere
	[ "$(grep -c 'run . of 3' <<<"$output")" = 1 ]
	[ "$(cat s.1.scp)" = older ]
	[[ $output != *'1 profiles'* ]]
}

@test "runs 03: a page is of all runs, their profiles lie beside it" {
	"$SCPROF" run --runs 3 -g io -o page.html -- cat /dev/null 2>err
	grep -q 'between 3 runs' page.html
	[ "$(find . -name 'scprof.cat.*.[123].scp' | wc -l)" = 3 ]
}

@test "runs 04: an interrupt ends the run and those that would follow; the report is of what there is" {
	local status=0
	env --default-signal=INT "$SCPROF" run --runs 50 -g io -o r.scp --format json -- sh -c 'echo >>begun; [ $(wc -l <begun) -lt 3 ] || exec sleep 1000' \
		>/dev/null 2>err </dev/null 3>&- 4>&- &
	WORK=$!
	third() { [ "$(wc -l <begun)" -ge 3 ]; }
	await third 2>/dev/null
	kill -INT "$WORK"
	wait "$WORK" || status=$?
	WORK=
	[ $status = 130 ]
	[ "$(wc -l <begun)" = 3 ]
	sed -n '/^{/,/^}/p' err >report.json
	holds '.program.runs >= 2'
}

@test "runs 05: what does not go together is refused before anything runs" {
	local option
	for option in --live --displace; do
		run -125 "$SCPROF" run --runs 2 $option -- touch ran
		[[ $output == *"--runs and $option"* ]]
	done
	run -125 "$SCPROF" run --runs 0 -- touch ran
	run -125 "$SCPROF" attach --windows 3 $$
	[[ $output == *'--windows needs a length: --for 5s'* ]]
	[ ! -e ran ]
}

@test "runs 06: windows of a process that runs" {
	"$PROGRAMS/counter" counter 1 >/dev/null 2>&1 </dev/null 3>&- 4>&- &
	WORK=$!
	await grep -q libc "/proc/$WORK/maps"
	"$SCPROF" doctor | grep -q '^ok *attach' || skip "processes cannot be traced here"
	two() { limited "$SCPROF" attach --windows 2 --for 200ms -o w.scp --format json "$WORK" >report.json 2>attach.err </dev/null 3>&- 4>&-; }
	again_where_late 0 two
	kill -0 "$WORK"
	holds '.program.runs == 2'
	[ -e w.1.scp ] && [ -e w.2.scp ]
	"$SCPROF" report w.1.scp w.2.scp >text
	grep -q "^  process  *$WORK, recorded 2 times, in all " text
	grep -q '^  attached  *to 2 threads in 2 recordings' text
}

@test "runs 07: diff records both commands in turn and compares the profiles" {
	local status=0
	export TMPDIR=$T/tmp
	mkdir "$TMPDIR"
	printf '#!/bin/sh\necho $1 >>%s/order\nexec cat /dev/null\n' "$T" >noting
	chmod +x noting
	"$SCPROF" diff --runs 3 -g io --json -- ./noting old -- ./noting new >diff.json 2>err || status=$?
	[ $status -le 2 ] # whatever so few calls say
	JSON=diff.json holds '.schema == "scprof-diff/1" and (.base | length) == 3 and (.new | length) == 3'
	[ "$(sort order | uniq -c | tr -s ' ' | tr '\n' ',')" = ' 3 new, 3 old,' ]
	[ "$(sed -n 1,2p order | sort | tr '\n' ' ')" = 'new old ' ]
	run -2 "$SCPROF" diff --runs 2 -- false -- true
	[[ $output == *'OLD, false, ended with status 1'* ]]
	for wrong in '' '-- a' '-- a --' '-- -- a' 'a -- b'; do
		# shellcheck disable=SC2086 # words
		run -2 "$SCPROF" diff --runs 2 $wrong
		[[ $output == *'--runs takes two commands'* ]]
	done
	run -2 "$SCPROF" diff --runs 2 --most 3 -- a -- b
	[ -z "$(ls "$TMPDIR")" ]
}

@test "runs 08: a process without a recorded call that computed is in the report beside others that have calls" {
	# shellcheck disable=SC2016 # the other shell expands it
	"$SCPROF" run -g socket --no-report -o p.scp -- sh -c '"$1" here 20; exec awk "BEGIN { for (i = 0; i < 3000000; i++) s += i }"' sh "$PROGRAMS/computes"
	"$SCPROF" report --format json p.scp >report.json
	holds 'any(.processes[]; .argv[0] == "awk")' 'any(.programs[]; .argv[0] == "awk" and .calls == 0 and .cpu_s > 0.01)' \
		'any(.programs[]; .argv[0] != "awk" and .calls > 0)'
}
