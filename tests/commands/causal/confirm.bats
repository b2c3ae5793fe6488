#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# `scprof causal --confirm`: both programs really run, each in a layout of its own, and what was
# predicted stands beside what came. Whether these agree is the machine's to say.

bats_require_minimum_version 1.5.0
load ../common

UNITS=$PROGRAMS/units

# What a killed tool leaves.
teardown()
{
	[ ! -e places ] || xargs rm -rf <places
}

# Both note the size of their padding, and are what is measured.
noting()
{
	printf '#!/bin/sh\necho "%s ${#SCPROF_LAYOUT}" >>runs\nexec %s\n' "$1" "$UNITS" >"$1"
	chmod +x "$1"
}

@test "confirm 01: runs of both programs in turn, and what they say of the prediction" {
	local seconds
	noting before
	noting after
	# 32 windows are enough to predict; how many there are in 1 s is the machine's to say, and whether a
	# program has a CPU in its second
	for seconds in 1 3 10 100; do
		rm -f runs
		run -0 --separate-stderr "$SCPROF" causal --progress unit --at parse --for ${seconds}s --runs 2 --json \
			--confirm parse --faster 10% --changed ./after -o report.json -- ./before
		! holds '.confirmed | .predicted.percent != null and .realised_percent.value != null' >/dev/null || break
	done
	# the experiment itself has the user's environment
	[ "$(head -n 1 runs)" = 'before 0' ]
	[ "$(grep -c ^before runs)" -eq 3 ]
	[ "$(grep -c ^after runs)" -eq 2 ]
	[ "$(tail -n 4 runs | cut -d ' ' -f 2 | sort -u | wc -l)" -ge 3 ]
	SHOWN=.confirmed holds '.confirmed | .runs == 2 and .site == "parse" and .before_s.value > 0 and
		.after_s.value > 0 and .rate_before_per_s > 0 and .rate_after_per_s > 0 and
		.predicted.percent != null and .realised_percent.value != null'
	[ -z "$(find . -name '*.scp' -o -name 'scprof-confirm*')" ]
}

@test "confirm 01b: without a prediction no program runs, and after a run that brings nothing no more do" {
	noting before
	noting after
	run -0 --separate-stderr "$SCPROF" causal --progress unit --for 0.3s --runs 3 \
		--confirm none --faster 10% --changed ./after -- ./before
	[[ $stderr == *"! no-such-site"*"--confirm"* && $stderr != *Confirmed* ]]
	[ "$(wc -l <runs)" -eq 1 ]
	rm runs # only the experiment's run works
	printf '#!/bin/sh\n[ -e runs ] || exec ./before\necho >>runs\necho one >&2\necho two >&2\n' >once
	chmod +x once
	run -0 --separate-stderr "$SCPROF" causal --progress unit --for 0.3s --runs 3 \
		--confirm parse --faster 10% --changed ./once -- ./once
	[[ $stderr == *"no more are made"*$'one\n        two'* ]]
	[ "$(wc -l <runs)" -eq 2 ]
}

confirming()
{
	[ -e pids ] && [ "$(wc -l <pids)" -ge 2 ]
}

# begin_confirming: $TOOL is in its first run after the experiment; pids: of all programs so far.
begin_confirming()
{
	local seconds
	for seconds in 1 3 10 100; do # as above: without a prediction there are no such runs
		rm -f runs pids
		TMPDIR=$T "$SCPROF" causal --progress unit --at parse --for ${seconds}s --runs 8 --confirm parse --faster 10% \
			--changed 'exec ./after' -- ./before >said 2>&1 </dev/null 3>&- 4>&- &
		TOOL=$!
		await confirming_or_over
		! confirming || return 0
	done
	return 1
}

confirming_or_over()
{
	confirming || ! kill -0 "$TOOL" 2>/dev/null
}

# last_has_ended: whoever takes in orphans need not have reaped it.
last_has_ended()
{
	! grep -qs '^State:.[^Z]' "/proc/$(tail -n 1 pids)/status"
}

@test "confirm 02: a tool that is killed leaves no program, and one whose terminal is gone begins no more" {
	noting before
	noting after
	sed -i '2s|$|; echo $$ >>pids; echo "${SCPROF_OUT%/profiles.*}" >>places|' before after
	begin_confirming
	kill -KILL "$TOOL"
	await last_has_ended
	begin_confirming
	kill -HUP "$TOOL"
	wait "$TOOL" || true
	[ "$(wc -l <pids)" -lt 17 ]
	await last_has_ended
}
