#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# What a reader can add up: means times calls, shares of rows, in JSON and CSV of several kinds of
# profiles; and paths that --fold puts together.

load ../common

# profile OPTION... -- COMMAND...: $T/p.scp.
profile()
{
	limited "$SCPROF" run --no-report -o p.scp "$@" >run.out 2>run.err </dev/null 3>&- 4>&- || {
		echo "status $?"
		cat run.err
		return 1
	}
}

# reports NAME OPTION...: of `scprof report`, to NAME.json and NAME.csv.
reports()
{
	"$SCPROF" report --format json -o "$1.json" "${@:2}" p.scp
	"$SCPROF" report --format csv -o "$1.csv" "${@:2}" p.scp
}

# add_up OPTION...: in r.json.
add_up()
{
	reports r "$@"
	python3 "$ROOT/tests/commands/report/check_sums.py" r.json r.csv
}

# One Python for all.
add_up_in_all_ways()
{
	local by
	for by in path site function; do
		reports "$by" --by "$by"
		reports "$by.fold" --by "$by" --fold
	done
	reports warm --include-warm-up
	python3 "$ROOT/tests/commands/report/check_sums.py" {path,site,function}{,.fold}.{json,csv} warm.{json,csv}
	cp warm.json r.json
}

@test "reader's sums 01: sockets, on every clock" {
	local clock
	for clock in tsc page coarse monotonic dual; do
		echo "clock $clock"
		profile -c "$clock" -- "$EXAMPLES/echo_pair" 500 100
		# the clock is one thing, what is put together another
		case $clock in
		tsc | dual) add_up_in_all_ways ;;
		*) add_up && add_up --by function --fold ;;
		esac
	done
}

@test "reader's sums 02: regions with calls and regions inside" {
	profile -g socket,region -- "$PROGRAMS/inner" 20
	add_up_in_all_ways
	# what is in no other is 100 %; what is inside has no part in it
	JSON=r.json holds '[.sites[] | select(.symbol == "inner") | .outer_calls] == [0]'
	JSON=r.json holds '[.sites[] | select(.symbol == "outer") | .outer_calls == .calls] | all'
	"$SCPROF" report --full p.scp >text
	grep -E '^inner +20 .* inside ' text
	grep -F '~ contains 120 recorded calls of other rows' text
}

@test "reader's sums 03: a warm-up that is set aside" {
	profile -g socket,region,io -- "$PROGRAMS/warms_up"
	add_up_in_all_ways
}

@test "reader's sums 04: merged profiles, and one with no call" {
	profile -- "$EXAMPLES/echo_pair" 50 10
	cp p.scp a.scp
	profile -g socket,region -- "$PROGRAMS/inner" 20
	"$SCPROF" merge -o both.scp a.scp p.scp
	mv both.scp p.scp
	add_up_in_all_ways
	profile -- true
	add_up
}

@test "fold 01: calls from two places of a function are one row of two paths" {
	profile -g socket -- "$PROGRAMS/inner" 20
	add_up
	local rows calls
	rows=$(jq '.sites | length' r.json)
	calls=$(jq '[.sites[].calls] | add' r.json)
	add_up --fold
	[ "$(jq '.sites | length' r.json)" -lt "$rows" ]
	[ "$(jq '[.sites[].calls] | add' r.json)" = "$calls" ]
	[ "$(jq '[.sites[].paths] | add' r.json)" = "$rows" ]
	"$SCPROF" report --fold p.scp >text
	grep -E '~ [0-9]+ call paths through these functions' text
}
