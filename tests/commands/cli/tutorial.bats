#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# docs/tutorial.md: the very lines that it prints, made shorter, still do what it says. What runs
# here is read from the document, so a line that no longer works there fails here.
# about 13 s

load ../common

TUTORIAL=$ROOT/docs/tutorial.md

setup()
{
	common_setup
	PATH=$PATH:/usr/sbin
	export LC_ALL=C.UTF-8
	if ! command -v nginx >/dev/null || ! command -v wrk >/dev/null; then
		skip "needs nginx and wrk"
	fi
	HERE=$(own_place)
	cp -r "$ROOT/docs/examples/tutorial" "$T/site"
	cd "$T/site" || return 1
	# root's nginx gives its worker another user, who may not look into this folder
	[ "$(id -u)" != 0 ] || sed -i '1i user root;' plain.conf tuned.conf
}

teardown()
{
	[ ! -s "$T/site/nginx.pid" ] || kill "$(cat "$T/site/nginx.pid")" 2>/dev/null || true
}

# printed PATTERN: the one command of the tutorial that matches, for this folder, address and tool, on
# any CPU, and a second of load instead of ten, of which `send_load` takes a part.
printed()
{
	local found
	found=$(sed -n 's/^[$#] //p' "$TUTORIAL" | grep -E -- "$1")
	[ "$(wc -l <<<"$found")" = 1 ] && [ -n "$found" ] || {
		echo "docs/tutorial.md has not one command like $1: '$found'" >&2
		return 1
	}
	sed -E "s|/tmp/site|$T/site|g; s|taskset -c [01] ||; s|(^\| )scprof |\1$SCPROF |; s|127.0.0.1:8088|$HERE|g; s|-d 10s|-d 1s|" <<<"$found"
}

# A part of the load: the program ends it as Ctrl-C would. Again, until so many requests were answered.
# Status 2: it was ended before it could count them; the next one takes longer.
ENOUGH=500 LOAD_MS=150
send_load()
{
	local requests=0 tries
	for tries in {1..200}; do
		timeout -s INT -k 120 "$(printf '%d.%03d' $((LOAD_MS / 1000)) $((LOAD_MS % 1000)))" bash -c "exec $1" >"$2.part" 3>&- ||
			[ $? = 124 ]
		grep -q ' requests in ' "$2.part" || { LOAD_MS=$((LOAD_MS * 2)) && return 2; }
		cat "$2.part" >>"$2"
		requests=$(awk '$2 == "requests" { n += $1 } END { print n + 0 }' "$2")
		[ "$requests" -lt $ENOUGH ] || return 0
	done
	echo "$requests requests in $tries tries" && return 1
}

# measure PROFILE CONF: steps 2 of the tutorial, again where it is not known how many requests there were.
measure()
{
	local status
	for _ in {1..8}; do
		status=0
		measure_once "$@" || status=$?
		[ $status = 2 ] || return $status
	done
	return 1
}

measure_once()
{
	local run load quit status=0
	rm -f "$1.wrk"
	run=$(printed 'scprof run -g') && load=$(printed '-d 10s') && quit=$(printed '-s quit') || return 1
	run=${run/plain.scp/$1} run=${run/plain.conf/$2} quit=${quit/plain.conf/$2}
	sed -i "s/127.0.0.1:8088/$HERE/" "$2"
	timeout 900 bash -c "$run" >"$1.out" 2>"$1.err" 3>&- &
	await curl -s -o got.html "http://$HERE/page.html" || { cat "$1.err"; return 1; }
	cmp got.html page.html || return 1
	send_load "$load" "$1.wrk" || status=$?
	timeout 120 bash -c "$quit" >"$1.quit" 2>&1 3>&- || return 1
	wait
	return $status
}

# run_printed PATTERN [MORE]: the command's output, and its status; with more words at its end.
run_printed()
{
	local line
	line=$(printed "$1") || return 1
	run timeout 300 bash -c "$line${2:-}" 3>&-
}

@test "tutorial 01: the printed commands measure nginx, and show its loop as the text describes it" {
	measure plain.scp plain.conf
	grep -q '^writev' plain.scp.err
	"$SCPROF" report --by function --format json plain.scp >plain.json
	# one of each a request: wrk's, curl's one, and of each of the 16 connections of a load perhaps one
	# that wrk closed in the middle
	read -r requests loads < <(awk '$2 == "requests" { n += $1; loads++ } END { print n, loads }' plain.scp.wrk)
	jq -e --argjson n "$requests" --argjson loads "$loads" '[.sites[] | select(.outcome == "completed" and .symbol == ("writev", "sendfile64", "write")) |
		.calls - $n - 1] | $n > 0 and length == 3 and all(. >= 0 and . <= 16 * $loads)' plain.json || {
		jq -c '.sites[] | [.symbol, .outcome, .calls]' plain.json
		cat plain.scp.wrk
		return 1
	}
	run_printed '--by gap'
	[ "$status" = 0 ]
	# where wrk closed a connection in the middle a sendfile64 fails, and the step has a chance before its name
	[[ "$output" =~ →\ (\([0-9.]+\ %\)\ )?sendfile64 && "$output" == *': exact'* ]]
	run_printed 'scprof report -o'
	[ "$status" = 0 ]
	grep -q sendfile64 plain.html
}

@test "tutorial 02: the verdict names what the other configuration does without" {
	local i
	for i in 1 2; do
		measure "p$i.scp" plain.conf
		measure "t$i.scp" tuned.conf
		measure "q$i.scp" plain.conf
	done
	cp p1.scp plain.scp
	run_printed 'scprof diff .*t[?]'
	[ "$status" = 0 ] # echo's
	[[ "$output" =~ gone:\ .*sendfile64 ]]
	# whether two seconds show a change of the others is not asserted
	[ "${lines[-1]}" = 1 ]
	run_printed 'scprof diff .*q[?]'
	[[ ! "$output" =~ sendfile64\ +gone ]]
	run_printed 'scprof plan'
	[ "$status" = 0 ]
	# of how much of the time a site is depends on how long the server waited
	run_printed 'scprof plan' ' --share 0'
	[[ "$output" == *writev* ]]
}

@test "tutorial 03: server and load are one command for scprof displace" {
	local line
	line=$(sed -n 's/^# scprof \(displace .*\) 4$/\1 1/p' "$TUTORIAL" | sort -u)
	[ "$line" = 'displace -- ./serve.sh plain.conf 1' ]
	unshare --net true 2>/dev/null || skip "needs a network namespace"
	# as few as one CPU, others' quotas, a busy machine: what is found is not asserted
	run timeout 300 unshare --net bash -c "ip link set lo up && exec '$SCPROF' ${line/displace/displace --ignore-quota}" 3>&-
	[ "$status" = 0 ]
	[[ "$output" == *'Requests/sec'* && "$output" == *getrusage* ]]
}
