#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# `scprof report --by gap` shows what each thread does over and over: of programs whose loops are
# known, the states and branches are those, and what is printed adds up to 100.0 %.

load ../common

# profile COMMAND...: $T/p.scp; GROUPS_ASKED and CLOCK choose.
profile()
{
	limited "$SCPROF" run --no-report -o p.scp -c "${CLOCK:-tsc}" \
		-g "${GROUPS_ASKED:-socket,region}" -- "$@" >run.out 2>run.err </dev/null 3>&- 4>&- || {
		echo "status $?"
		cat run.err
		return 1
	}
}

# printed [WIDTH]: as text in out.txt, and its sums checked; as JSON in r.json.
printed()
{
	COLUMNS=${1:-100} LC_ALL=${2:-C} "$SCPROF" report --by gap p.scp >out.txt
	"$SCPROF" report --by gap --format json p.scp >r.json
	adds_up
}

# The same of threads without a loop, which have no table.
unsummed()
{
	COLUMNS=100 LC_ALL=C "$SCPROF" report --by gap p.scp >out.txt
	"$SCPROF" report --by gap --format json p.scp >r.json
}

# Every table's shares, to the tenth as they are printed; in JSON shares and times besides.
adds_up()
{
	awk '/^STEP/ { sum = 0; inside = 1; next }
		inside && /^in all/ { inside = 0; tables++; if (sum != 1000) bad = bad " " sum }
		inside && $NF == "%" && $(NF - 1) ~ /^-?[0-9]+[.][0-9]$/ { v = $(NF - 1); sub(/[.]/, "", v); sum += v }
		END { if (!tables) print "no table"; if (bad != "") print "sums:" bad; exit !tables || bad != "" }' out.txt || return 1
	jq -e '[.loops[] | ([.cycles[] | (.states[], .edges[], (.scprof // empty)) | .percent * 10 | round] + [(.outside // {percent: 0}).percent * 10 | round]) | add] |
		all(. == 1000)' r.json >/dev/null || {
		echo "percentages of JSON do not add up"
		return 1
	}
	jq -e '.loops | all(. as $l | (([.cycles[].total_ns] | add) + (.outside.total_ns // 0) + .recording_ns + .remainder_ns - .time_ns | fabs) < 1e-6 * $l.time_ns)' r.json >/dev/null || {
		echo "times of JSON do not add up"
		return 1
	}
	jq -e '[.loops[].cycles[] | .edges | group_by([.from_site, .from]) | .[] | [.[].chance_percent * 10 | round] | add] | all(. == 1000)' r.json >/dev/null || {
		echo "chances do not add up"
		return 1
	}
}

absent()
{
	[ "$(LC_ALL=C grep -cE -- "$1" "$2")" = 0 ]
}

# way N: the states of the main way of loop N, its passes first.
way()
{
	jq -r ".loops[$1].cycles[0] | \"\(.passes): \([.states[] | select(.way == 1) | .symbol] | join(\" \"))\"" r.json
}

@test "loops 01: client and server of the echo example" {
	local CLOCK
	for CLOCK in tsc coarse; do
		profile "$EXAMPLES/echo_pair" 3000 100
		printed
		[ "$(jq '.loops | length' r.json)" = 2 ]
		{ way 0; way 1; } | sort >ways
		printf '3000: recv send\n3000: send recv\n' | diff - ways
		jq -e '[.loops[] | .remainder_ns == 0] | all' r.json
	done
	[ "$(grep -c '3,000 passes' out.txt)" = 2 ]
	# a tick that falls into scprof's own work makes a line longer than the screen
	[ "$(tr -s ' \n' ' ' <out.txt | grep -o ': exact' | wc -l)" = 3 ]
}

@test "loops 02: points are steps that touch" {
	profile "$EXAMPLES/regions" 20000
	printed
	[ "$(way 0)" = "20000: received -> parsed parsed -> stored stored -> answered answered -> received" ]
	# what the points enclose, and their cycle, is nested; nothing lies between them
	[ "$(jq '.loops[0].cycles[0].states | length' r.json)" = 4 ]
	jq -e '.loops[0].cycles[0].edges | all(.total_ns == 0 and .chance_percent == 100)' r.json
	grep -q '^received -> parsed ' out.txt
	absent '^ +-> ' out.txt
}

@test "loops 03: fifty threads of one loop are shown once" {
	profile "$PROGRAMS/loops" 1000
	printed
	jq -e '.loops | map(select(.threads | length > 1)) | length == 1' r.json
	jq '.loops[] | select(.threads | length > 1)' r.json >fifty.json
	jq -e '[.threads[].threads] | add == 50' fifty.json
	jq -e '.cycles[0].passes == 50000' fifty.json
	# every tenth recv is followed by one that finds nothing
	jq -e '.cycles[0].edges | map(select(.from == "recv" and .to == "recv")) | .[0].calls == 5000 and .[0].chance_percent == 10' fifty.json
	jq -e '.cycles[0].states | map(select(.outcome == "would-block")) | .[0].calls == 5000 and .[0].calls_per_pass == 0.1' fifty.json
	[ "$(grep -c 'more of that name' out.txt)" = 1 ]
	grep -q -- '(10.0 %)' out.txt
}

@test "loops 04: a thread without a loop, with one call, with none" {
	profile "$PROGRAMS/loops" straight
	unsummed
	jq -e '.loops[0].cycles == [] and .loops[0].calls == 3' r.json
	grep -q 'no loop, 3 calls' out.txt
	profile python3 -c 'import os, socket; s = socket.socket(); os._exit(0)'
	unsummed
	jq -e '[.loops[].calls] | add == 1' r.json
	grep -q 'no loop, 1 call$' out.txt
	profile sh -c :
	"$SCPROF" report --by gap p.scp | grep -q no-calls
}

@test "loops 05: lines keep to COLUMNS, and are ASCII where the locale is" {
	local width
	profile "$PROGRAMS/loops" 200
	for width in 40 60 80 132; do
		printed "$width" C
		sed -n '/^next:/q; /^Thread/,$p' out.txt >loops.txt
		[ -s loops.txt ]
		[ "$(wc -L <loops.txt)" -le "$width" ]
		absent '[^ -~]' loops.txt
		grep -q -- '->' loops.txt
		printed "$width" C.UTF-8
		sed -n '/^next:/q; /^Thread/,$p' out.txt >loops.txt
		[ "$(LC_ALL=C.UTF-8 wc -L <loops.txt)" -le "$width" ]
		grep -q '→' loops.txt
		absent '->' loops.txt
	done
}

@test "loops 06: only by gap; --top folds the text and leaves the sum" {
	profile "$PROGRAMS/loops" 200
	"$SCPROF" report --format json p.scp | jq -e 'has("loops") and .loops == null'
	COLUMNS=100 LC_ALL=C "$SCPROF" report --by gap --top 2 p.scp >out.txt
	"$SCPROF" report --by gap --format json p.scp >r.json
	adds_up
	grep -q 'rarer: ' out.txt
	COLUMNS=100 LC_ALL=C "$SCPROF" report --by gap --top 0 p.scp >out.txt
	adds_up
	absent 'rarer: ' out.txt
}

@test "loops 07: a Python server" {
	cat >server.py <<-'END'
		import http.server, threading, urllib.request
		class Quiet(http.server.SimpleHTTPRequestHandler):
		    def log_message(self, *a): pass
		s = http.server.HTTPServer(('127.0.0.1', 0), Quiet)
		t = threading.Thread(target=s.serve_forever, daemon=True)
		t.start()
		for i in range(100):
		    urllib.request.urlopen('http://127.0.0.1:%d/server.py' % s.server_port).read()
		s.shutdown()
	END
	GROUPS_ASKED=socket,io,wait profile env -u http_proxy python3 server.py
	printed 80
	# the thread that polls, accepts and answers: each a hundred times, and polls in vain where nobody asks for long
	jq -e '[.loops[].cycles[] | select([.states[] | select(.way == 1) | .symbol] | contains(["poll", "accept4", "recv", "shutdown"]))] |
		length == 1 and .[0].passes >= 100 and
		([.[0].states[] | select(.symbol == "accept4") | .calls] | add) == 100' r.json || { jq -c '.loops[].cycles[] | [.passes, (.states[] | [.symbol, .calls])]' r.json; return 1; }
}

# redis_loop: of redis-server's loops one is a wait, a read and a write.
redis_loop()
{
	GROUPS_ASKED=socket,io,wait profile sh load.sh
	printed 80
	jq -e '[.loops[] | select([.threads[].name] | any(startswith("redis-server"))) | .cycles[] |
		select([.states[] | select(.way == 1) | .symbol] | . == ["epoll_wait", "read", "write"])] | length == 1' r.json
}

# One client: of several, how many requests one wait yields is the scheduler's, as it is of what waits for the
# server's start: again, where it cut a loop up. What found nothing to do for a while is a loop of its own.
@test "loops 08: redis-server under load" {
	local _
	command -v redis-server redis-benchmark redis-cli >/dev/null || skip "no redis"
	cat >load.sh <<-'END'
		redis-server --port 0 --unixsocket "$PWD/s" --save "" --appendonly no --daemonize no >/dev/null &
		until redis-cli -s "$PWD/s" ping >/dev/null 2>&1; do sleep 0.1; done
		redis-benchmark -s "$PWD/s" -t get -n 5000 -c 1 -q >/dev/null
		redis-cli -s "$PWD/s" shutdown nosave
		wait
	END
	for _ in 1 2 3; do
		! redis_loop || return 0
		jq -c '.loops[] | [.threads, [.cycles[] | [.passes, (.states[] | [.symbol, .way])]]]' r.json
	done
	return 1
}
