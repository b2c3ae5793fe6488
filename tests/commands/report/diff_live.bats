#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# `scprof diff --live`: how commands are run, what ends it, what it prints. Nothing here depends on
# how long anything takes: verdicts are tested by tests/unit/report/test_diff_watch.c, and how often
# they err by tests/bench/live (docs/diff.md).

load ../common

setup()
{
	common_setup
	export TMPDIR=$T/tmp
	mkdir "$TMPDIR"
}

# live STATUS OPTION...: its output in said, its messages in err.
live()
{
	local want=$1 status=0
	shift
	limited "$SCPROF" diff --live "$@" </dev/null >said 2>err 3>&- 4>&- || status=$?
	[ $status = "$want" ] || { echo "status $status, not $want"; cat said err; return 1; }
	[ -z "$(ls "$TMPDIR")" ] || { echo "left behind:"; ls "$TMPDIR"; return 1; }
}

@test "two runs of each say nothing, and say so: text, JSON, status 2" {
	live 2 --most 2 true true
	grep -q '^too few runs to say anything$' said
	grep -q '^2 runs of each in .* and one before them; the most that were asked for' said
	live 2 --most 2 --json true 'true  x'
	JSON=said holds '.schema == "scprof-diff-live/1" and .exit_status == 2 and .end == "most"'
	JSON=said holds '.runs == 2 and .base == "true" and .new == "true  x" and .changed == 0'
	JSON=said holds '.whole.status == "not-compared" and .whole.ci_low == null and (.sites | type) == "array"'
	live 2 --most 1 -o out.json true true
	JSON=out.json holds '.runs == 1'
}

@test "each run has an environment size of its own; words need no shell, all else gets one" {
	cat >note <<-'END'
		#!/bin/sh
		echo "$1 ${#SCPROF_LAYOUT}" >>"$2"
	END
	chmod +x note
	live 2 --most 2 "./note base $T/notes" "./note \"ne w\" $T/notes"
	[ "$(grep -c '^base [0-9]*$' notes)" = 3 ]
	[ "$(grep -c '^ne w [0-9]*$' notes)" = 3 ]
	# six equal lengths of 4097 are no chance
	[ "$(sed 's/.* //' notes | sort -u | wc -l)" -gt 1 ]
}

@test "a command's output goes nowhere; a command that fails ends it, and what it said is shown" {
	live 2 --most 1 'echo hidden' 'echo hidden'
	not grep -q hidden said err
	live 2 'echo because >&2; exit 3' true
	grep -q 'BASE, echo because .*, ended with status 3: nothing is compared' err
	grep -q 'because$' err
	# that profile is removed
	not grep -q 'profile: ' err
	[ ! -s said ]
	live 2 true ./nothing-there
	grep -q 'NEW, ./nothing-there, ended with status 127' err
}

@test "SIGTERM ends it with the verdict so far" {
	"$SCPROF" diff --live --json true "echo \$\$ >$T/began; exec sleep 1000" >said 2>err 3>&- 4>&- &
	await test -s began
	kill -TERM $!
	# the signal is given on to the run
	await not kill -0 "$(cat began)" || { kill "$(cat began)"; return 1; }
	local status=0
	wait $! || status=$?
	[ $status = 2 ]
	JSON=said holds '.end == "interrupted" and .runs == 0 and .whole == null'
	[ -z "$(ls "$TMPDIR")" ]
}

@test "options of --live need it, and two commands" {
	live 2 true
	grep -q -- '--live takes two commands' err
	live 2 true true true
	grep -q -- '--live takes two commands' err
	live 2 true ' '
	grep -q 'a command is empty' err
	live 2 --format html true true
	grep -q 'prints text or JSON' err
	live 2 --per recv true true
	grep -q -- '--per is of profiles' err
	live 2 --most 0 true true
	run -2 "$SCPROF" diff --most 5 a.scp b.scp
	[[ $output == *'--most is of --live'* ]]
	# where a command has -- in it, too, nothing is run before it is clear which one is meant
	run -2 "$SCPROF" diff --runs 1 -- touch -- a -- touch -- b
	[[ $output == *'which -- begins NEW?'* ]]
	[ ! -e a ]
}

@test "recording options are those of scprof run" {
	live 2 --most 1 -c thread-cpu -g socket --json true true
	JSON=said holds '.sites == []'
	live 2 --most 1 -c nothing true true
	grep -q "no clock is called 'nothing'" err
}
