#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# What functions take that are there to wait stands apart from work, wherever times and shares are.
# sleeps

load ../common
load ../serve/serve

# The program takes two seconds: it waits. With all groups, with waits alone, without, and preloaded.
setup_file()
{
	cd "$BATS_FILE_TMPDIR" || return 1
	T=$BATS_FILE_TMPDIR
	"$SCPROF" run -g socket,io,wait --no-report -o p.scp -- "$PROGRAMS/timeouts" >/dev/null &
	"$SCPROF" run -g wait --no-report -o only.scp -- "$PROGRAMS/timeouts" >/dev/null &
	"$SCPROF" run -g socket --no-report -o without.scp -- "$PROGRAMS/timeouts" >/dev/null &
	"$SCPROF" run --no-report -o default.scp -- "$PROGRAMS/timeouts" >/dev/null &
	mkdir out default
	with_library "$PROGRAMS/timeouts" >/dev/null &
	LD_PRELOAD=$LIB SCPROF_OUT=$T/default "$PROGRAMS/timeouts" >/dev/null
	local program
	for program in $(jobs -p); do
		wait "$program"
	done
}

setup()
{
	common_setup
	BACKGROUND=() WINDOWS=() AGENT=
	ln -s "$BATS_FILE_TMPDIR"/*.scp .
}

teardown()
{
	end_background
}

WAITS='["poll", "ppoll", "select", "pselect", "epoll_wait", "epoll_pwait", "epoll_pwait2"]'

@test "waiting 01: shares are of the work, and rows that wait come last, in JSON and CSV" {
	"$SCPROF" report --format json p.scp >report.json
	holds "all(.sites[]; .waits == ([.symbol] | inside($WAITS)))"
	holds '[.sites[] | select(.waits | not) | .share] | add | . - 1 | fabs < 1e-9'
	holds 'all(.sites[]; (.share == null) == .waits and (.waiting_share != null) == .waits)'
	holds '[.sites[].waits] | . == sort and any and (all | not)'
	holds '([.sites[] | select(.waits) | .raw_mean_ns * .calls] | add) / .totals.waiting_ns - 1 | fabs < 1e-9'
	holds '.totals.waiting_ns / ([.threads[].waiting_ns] | add) - 1 | fabs < 1e-9'
	"$SCPROF" report --format csv p.scp | python3 -c '
import csv, json, sys
rows, sites = list(csv.DictReader(sys.stdin)), json.load(open("report.json"))["sites"]
assert [(r["symbol"], r["waits"] in ("1", "true"), r["share"] == "") for r in rows] == \
    [(s["symbol"], s["waits"], s["waits"]) for s in sites], rows[0]'
}

@test "waiting 02: the text says how much is work, and marks what waits" {
	"$SCPROF" report --full --by function p.scp >text
	grep -q '^  calls .* of work, ' text
	sed -n '/^FUNCTION/,$p' text | awk 'NR > 1 && NF { print /waits/ ? "waits" : "works" }' | uniq >kinds
	[ "$(head -n 2 kinds | tr '\n' ' ')" = "works waits " ]
	"$SCPROF" report --by thread p.scp | grep -q WAITING
}

@test "waiting 03: top lists what waits last and counts its time apart" {
	"$SCPROF" top --batch -n 1 --rows 0 --width 200 --by function --sort total p.scp >text
	awk 'f && NF { print /(poll|select|epoll)/ ? "waits" : "works" } /mean of the run/ { f = 1 }' text | uniq >kinds
	[ "$(tr '\n' ' ' <kinds)" = "works waits " ]
	grep -q 'poll \[waits\]' text
}

@test "waiting 04: a plan asks nothing of what waits, unless there is nothing else" {
	"$SCPROF" plan --share 0 --by function --json p.scp >plan.json
	JSON=plan.json holds "(.sites | length) > 2 and all(.sites[]; [.symbol] | inside($WAITS) | not)"
	"$SCPROF" plan --by function --json only.scp >plan.json
	JSON=plan.json holds "(.sites | length) > 2 and all(.sites[]; [.symbol] | inside($WAITS))"
}

@test "waiting 05: metrics have a label for what waits" {
	start_agent "$BATS_FILE_TMPDIR/out"
	curl -s "$URL/metrics" >page
	grep -q 'scprof_calls_total{.*function="poll".*kind="wait".*} 5$' page
	grep -q 'function="connect"' page
	[ "$(grep 'function="connect"' page | grep -c kind=)" = 0 ]
	[ "$(curl -s "$URL/" | grep -c '<td class=number>waits</td>')" -gt 0 ]
}

@test "waiting 06: it is recorded unless groups are named, with the tool and without" {
	for file in default.scp "$BATS_FILE_TMPDIR"/default/*.scp; do
		"$SCPROF" report --format json --by function "$file" >report.json
		holds '[.sites[].symbol] | index("epoll_wait") != null and index("connect") != null'
	done
	"$SCPROF" report --format json --by function without.scp >report.json
	holds '[.sites[].symbol] | index("epoll_wait") == null'
}
