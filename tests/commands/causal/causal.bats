#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# `scprof causal`: options, exit statuses, what is printed and where, and that nothing is left
# behind. What an experiment finds depends on the machine: that is in tests/unit/cli, from made-up
# results.

bats_require_minimum_version 1.5.0
load ../common

UNITS=$PROGRAMS/units

# refused WORDS ARGUMENT...: one line that has them, status 125.
refused()
{
	local words=$1
	shift
	run -125 --separate-stderr "$SCPROF" causal "$@"
	[ "${#stderr_lines[@]}" -eq 1 ] && [[ $stderr == *"$words"* ]] || {
		echo "$stderr"
		return 1
	}
}

@test "causal 01: bad options are refused in one line, status 125" {
	refused "what is progress" -- true
	refused "which command" --progress unit
	refused "no outcome is called 'done'" --progress recv@done -- true
	refused "is not the name" --progress '' -- true
	refused "one only" --progress a --progress b -- true
	refused "is not a share from 0.1% to 50%" --progress a --slowdown 60% -- true
	refused "from 1 to 63" --progress a --sites 64 -- true
	refused "has an empty name" --progress a --at 'read,' -- true
	refused "needs call paths" --progress a --at read@main --by function -- true
	refused "there are: path, site, function" --progress a --by thread -- true
	refused "--end: when" --progress a --end -- true
	refused "one of them" --progress a --attach 1 -- true
	refused "is not the number of a process" --progress a --attach x
	refused "other names need --format" --progress a -o x.pdf -- true
	refused "other names need --format" --progress a -o x.csv -- true
	refused "unknown option" --progress a --wat -- true
	SCPROF_DISABLE=1 refused "SCPROF_DISABLE" --progress a -- true
}

@test "causal 01b: a result that cannot be written is refused before the command runs" {
	refused "cannot write nowhere/x.html" --progress a -o nowhere/x.html -- touch ran
	mkdir -p folder
	refused "cannot write folder" --progress a --json -o folder -- touch ran
	run -125 "$SCPROF" displace -o nowhere/x -- touch ran
	run -2 "$SCPROF" diff --runs 2 -o nowhere/x -- touch ran -- touch ran
	[ ! -e ran ]
}

@test "causal 02: --confirm says what it needs" {
	refused "--changed 'COMMAND'" --progress a --confirm read --faster 10% --for 1s -- true
	refused "--faster 10%" --progress a --confirm read --changed true --for 1s -- true
	refused "--for T" --progress a --confirm read --changed true --faster 10% -- true
	refused "at which site" --progress a --faster 10% -- true
	refused "at which site" --progress a --changed true -- true
	refused "--attach does not go with it" --progress a --confirm read --changed true \
		--faster 10% --for 1s --attach 1
}

@test "causal 03: the exit status is the command's own, and standard output is the command's" {
	run -127 "$SCPROF" causal --progress unit -- ./none
	touch plain
	run -126 "$SCPROF" causal --progress unit -- ./plain
	run -3 --separate-stderr "$SCPROF" causal --progress unit -- "$UNITS" 0.1 3
	[ "$output" = begun ]
	[[ $stderr == *"! too-short"* ]]
	[ "$(find . -name '*.scp')" = "" ]
}

@test "causal 04: what never completes is said, with what did" {
	run -0 --separate-stderr "$SCPROF" causal --progress nothing -- "$UNITS" 0.3
	[[ $stderr == *"! no-progress"*"nothing never completed"*parse* ]]
}

@test "causal 04b: that the unit does not complete is said while it is waited for" {
	"$SCPROF" causal --progress nothing -- "$UNITS" >/dev/null 2>err.txt &
	pid=$!
	await grep -q 'nothing has not completed once in .* these have: .*parse' err.txt
	kill -TERM $pid
	wait $pid || true
}

@test "causal 04c: the groups of the unit and of --at are added, and JSON goes to standard output" {
	local seconds
	for seconds in 1 10 60; do
		run -0 --separate-stderr "$SCPROF" causal --progress write --at read --for ${seconds}s --end --json -- \
			dd if=/dev/zero of=/dev/null bs=4k
		echo "$output" >report.json
		! holds '.windows > 0' >/dev/null || break
	done
	holds '.progress.rate_per_s > 0' '[.sites[].symbol] | unique == ["read"]'
}

# How long a window takes is the machine's to say: longer, until there are some, whose means have an order.
@test "causal 05: JSON has what its schema says; --end ends the command, status 0" {
	local seconds sampled='(.computing != null and .computing.samples > 0) or any(.warnings[]; .code == "not-sampled")'
	for seconds in 1 10 60; do
		SCPROF_SAMPLE=1ms run -0 --separate-stderr "$SCPROF" causal --progress unit --at 'parse,store@st*' --for ${seconds}s \
			--seed 7 --end -o report.json -- env "$UNITS" # env leaves a profile without a call
		! holds '.windows > 0' "$sampled" 'all(.sites[]; .delay_ns.high >= .delay_ns.low)' >/dev/null || break
	done
	[ "$output" = begun ]
	holds '.schema == "scprof-causal/1" and .progress.symbol == "unit" and .progress.rate_per_s > 0' \
		'.windows > 0 and .window_s > 0 and .asked_percent == 5 and .seed == 7 and .confirmed == null'
	holds '[.sites[].symbol] | sort == ["parse", "store"]'
	holds '[.sites[].stack[0].function] | sort == ["parse", "store"]'
	holds 'all(.sites[]; .calls_per_unit > 0 and .mean_ns > 0 and (.levels | length) == 3 and
		.delay_ns.high >= .delay_ns.low)'
	holds "$sampled"
	gone "$UNITS"
	# the distribution's, which has its jsonschema
	/usr/bin/python3 "$ROOT/tests/commands/report/formats/check_schema.py" \
		"$ROOT/docs/scprof-causal.schema.json" report.json
}

@test "causal 06: a page needs no script and nothing from elsewhere" {
	local seconds
	for seconds in 0.5 10 60; do
		run -0 --separate-stderr "$SCPROF" causal --progress unit --for ${seconds}s --end -o page.html -- "$UNITS"
		! grep -q '<h2><bdi>' page.html || break
	done
	grep -q '<!doctype html>' page.html
	grep -q '</html>' page.html
	not grep -qi '<script\|src=\|http:\|https:\|@[A-Z]*@' page.html
	grep -q '<h2><bdi>' page.html
}

@test "causal 07: a site of --at that is not called is said" {
	run -0 --separate-stderr "$SCPROF" causal --progress unit --at none@main --for 0.3s --end -- "$UNITS"
	[[ $stderr == *"! no-such-site"* ]]
}

@test "causal 08: a process that runs is left as it was" {
	local seconds
	"$UNITS" >begun &
	pid=$!
	await grep -q begun begun
	for seconds in 0.5 10 60; do
		run -0 --separate-stderr "$SCPROF" causal --progress parse --for ${seconds}s --json --attach $pid
		kill -0 $pid
		echo "$output" >report.json
		! holds '[.sites[].symbol] | index("store") != null' >/dev/null || break
	done
	kill $pid
	holds '.schema == "scprof-causal/1" and .progress.symbol == "parse"'
	# a region that is progress is not a site of its own
	holds '[.sites[].symbol] | index("parse") == null and index("store") != null'
}

@test "causal 08b: the report does not wait for a daemon beyond the experiment" {
	run -0 --separate-stderr timeout 120 "$SCPROF" causal --progress unit --for 0.3s --end -- \
		sh -c '"$1" >/dev/null & echo $! >daemon' sh "$UNITS"
	kill "$(cat daemon)"
	[[ $stderr == *"left running: $(cat daemon) "* ]]
}

@test "causal 09: numbers that cannot be are refused by name, and nothing is said of the experiment" {
	run -125 --separate-stderr "$SCPROF" causal --progress send --for 600s --end --json -- "$PROGRAMS/harms_page" garbage /causal
	[ -z "$output" ]
	[[ $stderr == *"the page of delays holds 9.19e+18 "*" after "* ]] || { echo "$stderr"; false; }
}

@test "causal 10: a page that the target cuts ends the experiment, not the tool" {
	run -3 --separate-stderr "$SCPROF" causal --progress send -- "$PROGRAMS/harms_page" cut /causal
	[[ $stderr == *"the page of delays was cut short"* ]] || { echo "$stderr"; false; }
}
