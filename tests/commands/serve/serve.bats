#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# `scprof serve`: what it counts is what the profiles hold; counters never go back; pages, metrics
# and pprof are what others read; bad requests and bad files stop nothing.
# about 35 s
# sleeps
# shellcheck disable=SC2030,SC2031 # each test is a subshell, as it should be

bats_require_minimum_version 1.5.0
load ../common
load serve

CHECK=$ROOT/tests/commands/serve/check_openmetrics.py
SLEEPER=$PROGRAMS/sleeper
MAKE_PROFILE=$PROFILES/make_profile

setup()
{
	common_setup
	BACKGROUND=() WINDOWS=() AGENT=
}

teardown()
{
	end_background
	if [ -n "${OPEN:-}" ]; then rm -rf "$OPEN"; fi
}

# looked_again DIRECTORY: the agent has looked there since this began: it has seen a new process.
looked_again()
{
	cp "$SLEEPER" "$T/late"
	LD_PRELOAD=$LIB SCPROF_OUT=$1 SCPROF_GROUPS=socket "$T/late" 0 1 1 >/dev/null
	await eval '[ "$(metric "processes_seen_total.*\"late\"")" = 1 ]'
}

# settled FILE: both formats of /metrics, checked.
scrape()
{
	curl -s -H 'Accept: application/openmetrics-text;version=1.0.0' "$URL/metrics" >"$1" &&
		python3 "$CHECK" openmetrics "$@"
}

@test "what it counts is what the report of the same profiles says" {
	for i in 1 2 3; do
		with_library "$SLEEPER" 0 $((i * 10)) 20 >>said
	done
	start_agent out
	scrape page
	make_report --by function --include-warm-up
	calls=$(awk '{ n += $2 } END { print n }' said)
	[ "$(metric 'calls_total.*"send".*completed')" = "$calls" ]
	[ "$(metric 'calls_total.*"send".*"error"')" = 60 ]
	[ "$(metric 'errors_total.*"send"')" = 60 ]
	[ "$(metric 'bytes_total.*"recv".*completed')" = $((calls * 64)) ]
	for outcome in completed error; do
		ticks=$(jq --arg o $outcome '.sites[] | select(.symbol == "send" and .outcome == $o) | .ticks' report.json)
		[ "$(metric "ticks_total.*\"send\".*\"$outcome\"")" = "$ticks" ]
	done
}

# Of a made profile, whose clock's rate is known.
@test "its means and their bounds are the report's, of each function and outcome" {
	"$MAKE_PROFILE" paths 40 out/scprof.server.1.scp
	start_agent out
	scrape page
	make_report --by function --include-warm-up
	python3 - page report.json <<-'END'
		import json, re, sys
		found = {}
		for line in open(sys.argv[1]):
		    row = re.match(r'scprof_(mean(?:_low|_high)?)_seconds{.*function="(\w+)".*outcome="([\w-]+)".*} (\S+)$', line)
		    if row: found[row[2], row[3], row[1]] = float(row[4]) * 1e9
		sites = json.load(open(sys.argv[2]))["sites"]
		wanted = {(s["symbol"], s["outcome"], to): s[of] for s in sites
		          for to, of in (("mean", "mean_ns"), ("mean_low", "ci_low_ns"), ("mean_high", "ci_high_ns"))}
		assert len(wanted) > 30 and wanted.keys() == found.keys(), (wanted, found)
		wrong = [(k, found[k], v) for k, v in wanted.items() if abs(found[k] - v) > 1e-9 * abs(v)]
		assert not wrong, wrong
	END
}

@test "it counts where the time went, as the report says it" {
	mkdir -p out
	"$PROFILES/make_states" rseq out/scprof.server.4711.scp
	start_agent out
	scrape page
	make_report --by function --include-warm-up
	python3 - page report.json <<-'END'
		import json, re, sys
		page = open(sys.argv[1]).read()
		def value(name, symbol, state=""):
		    return float(re.search(r'^scprof_%s{.*function="%s".*%s.*} (\S+)$' % (name, symbol, state), page, re.M)[1])
		sites = {s["symbol"]: s for s in json.load(open(sys.argv[2]))["sites"]}
		for symbol in "recv", "send", "read":
		    s, whole = sites[symbol], value("seconds_total", symbol)
		    assert value("calls_switched_total", symbol) == s["states"]["switched_calls"], symbol
		    for state in "on_cpu", "runnable", "asleep":
		        have = value("state_seconds_total", symbol, 'state="%s"' % state)
		        want = s["states"][state]["mean_ns"] * s["calls"] / 1e9
		        assert abs(have - want) <= 1e-6 * whole, (symbol, state, have, want)
	END
	[ "$(metric 'switch_detector_info.*detector="rseq"')" = 1 ]
}

@test "both formats of /metrics hold to their specifications, and promtool likes them" {
	background "$SLEEPER" 50
	start_agent out
	await eval '[ "$(metric "calls_total.*\"send\".*completed")" -gt 0 ]'
	scrape page
	[ "$(code -H 'Accept: application/openmetrics-text' "$URL/metrics")" = 200 ]
	grep -qi '^content-type: application/openmetrics-text; version=1.0.0; charset=utf-8' headers
	[ "$(code "$URL/metrics")" = 200 ]
	grep -qi '^content-type: text/plain; version=0.0.4; charset=utf-8' headers
	python3 "$CHECK" text answer
	command -v promtool >/dev/null || skip 'promtool is not installed'
	promtool check metrics <answer
}

@test "counters do not go back when processes end, files go away or are damaged" {
	background "$SLEEPER" 20
	background "$SLEEPER" 20
	background "$SLEEPER" 20
	"$SCPROF" run --no-report -o run.scp -- "$SLEEPER" 10 5 40 >said 2>/dev/null 3>&- 4>&- &
	run=$!
	await test -e out/scprof.sleeper."${BACKGROUND[0]}".scp
	await test -e out/scprof.sleeper."${BACKGROUND[1]}".scp
	start_agent out /dev/shm
	await eval '[ "$(metric "processes_seen_total.*\"sleeper\"")" -ge 2 ]'
	await eval '[ "$(metric "calls_total.*service=\"sleeper\".*\"send\".*completed")" -gt 0 ]'
	scrape before
	kill "${BACKGROUND[0]}"
	wait "${BACKGROUND[0]}" || true
	rm out/scprof.sleeper."${BACKGROUND[0]}".scp
	truncate -s 5000 out/scprof.sleeper."${BACKGROUND[1]}".scp
	wait "$run"
	await eval '[ "$(metric "read_failures.*content")" -gt 0 ]'
	scrape after before
	looked_again "$T/out"
	scrape again after
}

@test "a command of scprof run is counted to its last call, and its result is not counted again" {
	# in the working directory, for want of anything else to write to
	mkdir home && cd home
	start_agent /dev/shm .
	# /dev/shm is the whole machine's: a name that nobody else's programs have
	name=sleeper-$$
	cp "$SLEEPER" "$name"
	mkfifo hold
	# its last round ends when it was seen: what ended before is nobody's
	"$SCPROF" run --no-report -o scprof.sleeper.1.scp -- "./$name" 0 7 12 hold >said 2>/dev/null 3>&- 4>&- &
	run=$!
	await eval '[ "$(metric "calls_total.*\"$name\".*\"send\".*completed")" = 77 ]'
	echo go >hold
	wait "$run"
	[ "$(cat said)" = "calls 84" ]
	await eval '[ "$(metric "calls_total.*\"$name\".*\"send\".*completed")" = 84 ]'
	# the result is met by the next looks at the latest, and adds nothing
	await eval '[ "$(metric "files.*merged")" -ge 1 ]'
	looked_again .
	[ "$(metric "calls_total.*\"$name\".*\"send\".*completed")" = 84 ]
}

# calls_of_pprof FILE: sum of the first value of all samples, and the duration; wire format by hand.
calls_of_pprof()
{
	python3 - "$1" <<-'END'
		import gzip, sys
		data, at, total, lasted = gzip.open(sys.argv[1]).read(), 0, 0, 0
		def varint(data, at):
		    value = shift = 0
		    while True:
		        byte = data[at]; at += 1
		        value |= (byte & 127) << shift; shift += 7
		        if byte < 128: return value, at
		while at < len(data):
		    key, at = varint(data, at)
		    if key & 7 == 0:
		        value, at = varint(data, at)
		        lasted = value if key >> 3 == 10 else lasted
		        continue
		    length, at = varint(data, at)
		    part, at = data[at:at + length], at + length
		    if key >> 3 != 2: continue
		    i = 0
		    while i < len(part):
		        k, i = varint(part, i)
		        if k & 7 == 2:
		            n, i = varint(part, i)
		            if k >> 3 == 2: total += varint(part[i:i + n], 0)[0]
		            i += n
		        else: _, i = varint(part, i)
		print(total, lasted)
	END
}

# A window of a second, as was asked for, has calls; a program that found no processor had none in it.
window_with_calls()
{
	local calls lasted
	[ "$(code "$URL/debug/pprof/profile?seconds=1")" = 200 ] || return 1
	read -r calls lasted < <(calls_of_pprof answer)
	echo "$calls calls in $lasted ns"
	[ "$lasted" = 1000000000 ] && [ "$calls" -gt 0 ] && [ "$calls" -lt 6000 ]
}

@test "a window's pprof holds the calls of that window" {
	with_library "$SLEEPER" 0 1000 3 >/dev/null
	background "$SLEEPER" 20
	start_agent out
	await eval '[ "$(metric "calls_total.*\"send\".*completed")" -gt 3000 ]'
	await window_with_calls
	[ "$(code "$URL/debug/pprof/profile?seconds=0")" = 200 ]
	[ "$(calls_of_pprof answer | cut -d' ' -f1)" -gt 6000 ] # 3 003 sends and 3 000 receives had ended before

}

@test "the pages name hostile programs and functions as text" {
	"$MAKE_PROFILE" hostile out/scprof.hostile.1.scp
	start_agent out
	scrape page
	[ "$(code "$URL/metrics")" = 200 ]
	python3 "$CHECK" text answer
	[ "$(code "$URL/")" = 200 ]
	lacks answer '<img\|<script'
	grep -qi "^content-security-policy: default-src 'none'; style-src 'self'" headers
	grep -q '&lt;/script&gt;&lt;img src=x' answer
	service=$(grep -o '/service?[^"]*' answer | head -n 1 | sed 's/&amp;/\&/g')
	[ "$(code "$URL$service")" = 200 ]
	grep -q 'Content-Security-Policy' answer
	lacks answer '<img src=x'
}

@test "a service's page is the report of its processes, and comes again if asked to" {
	background "$SLEEPER" 50
	start_agent out
	await eval '[ "$(metric "calls_total.*\"send\".*completed")" -gt 0 ]'
	[ "$(code "$URL/service?service=sleeper&refresh=7")" = 200 ]
	grep -qi '^refresh: 7' headers
	grep -q scprof-html/1 answer
	[ "$(code "$URL/service?service=nobody")" = 404 ]
	grep -q nobody answer
}

@test "names beyond the limits are summed as other, and said to be" {
	"$MAKE_PROFILE" paths 200 out/scprof.server.1.scp
	start_agent --max-functions 3 out
	scrape page
	[ "$(metric 'functions_limited')" = 1 ]
	named=$(curl -s "$URL/metrics" | grep '^scprof_calls_total' | grep -o 'function="[^"]*"' | sort -u | wc -l)
	[ "$named" = 4 ]
	total=$(curl -s "$URL/metrics" | grep '^scprof_calls_total' | awk '{ n += $NF } END { print n }')
	make_report --by function
	[ "$total" = "$(jq '[.sites[].calls] | add' report.json)" ]
}

@test "requests that make no sense get a status and a line" {
	start_agent out
	[ "$(code -X POST -d x "$URL/metrics")" = 405 ]
	grep -qi '^allow: GET, HEAD' headers
	[ "$(code -X DELETE "$URL/")" = 405 ]
	[ "$(code -I "$URL/metrics")" = 200 ]
	[ "$(code "$URL/nothing")" = 404 ]
	[ "$(code "$URL/debug/pprof/profile?seconds=x")" = 400 ]
	[ "$(code "$URL/debug/pprof/profile?seconds=0")" = 404 ]
	grep -q 'no profile is here' answer
	[ "$(code "$URL/?$(head -c 3000 /dev/zero | tr '\0' a)")" = 400 ]
	[ "$(code "$URL/$(head -c 100000 /dev/zero | tr '\0' a)")" != 200 ]
	[ "$(code -H 'Host: evil.example' "$URL/metrics")" = 403 ]
	[ "$(code -H 'Sec-Fetch-Site: cross-site' -H 'Sec-Fetch-Dest: image' "$URL/metrics")" = 403 ]
	lacks headers '^access-control'
	[ "$(code -H 'Host: localhost' "$URL/metrics")" = 200 ]
	printf 'rubbish\r\n\r\n\0\377' | timeout 120 python3 -c '
import socket, sys
s = socket.create_connection(sys.argv[1].split(":"))
s.sendall(sys.stdin.buffer.read())
s.recv(1000)' "${URL#http://}" || true
	[ "$(code "$URL/healthz")" = 200 ]
	[ "$(cat answer)" = ok ]
}

# answered STATUS[|STATUS] REQUEST: once, of a request as it is written, with \r, \n and \0; a silence is none.
answered()
{
	local got
	got=$(printf '%b' "$2" | timeout 120 python3 -c '
import socket, sys
s = socket.create_connection(sys.argv[1].split(":"))
s.sendall(sys.stdin.buffer.read())
answer = s.makefile("rb").read()
assert answer.count(b"HTTP/1.1 ") == 1, answer
print(answer.split()[1].decode())' "${URL#http://}") || got=silence
	[[ $got =~ ^($1)$ ]] || {
		echo "$got, not $1: $2"
		return 1
	}
}

@test "a connection has one request: what two readers could understand in two ways begins no other one" {
	start_agent out
	get='GET /healthz HTTP/1.1\r\n'
	answered 200 "${get}Host: localhost\r\n\r\n"
	answered 200 "${get}X:  two : words\r\nHost:127.0.0.1:1\r\nCookie: a=b; c=%20d\r\nEmpty:\r\n\r\n"
	answered 200 "${get}Host: localhost\r\n\r\n${get}Host: localhost\r\n\r\n"
	answered '200|400' "${get}Host: localhost\r\nX: a\0b\r\nContent-Length: 3\r\n\r\nabc${get}\r\n"
	answered 403 "${get}Host: evil.example\r\nHost: localhost\r\n\r\n"
	answered 405 "POST /metrics HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n"
	[ "$(code "$URL/healthz")" = 200 ]
}

@test "many idle connections, and windows beyond the limit, leave it answering" {
	background "$SLEEPER" 50
	start_agent out
	await eval '[ "$(metric "calls_total.*\"send\".*completed")" -gt 0 ]'
	timeout -k 5 300 python3 - "${URL#http://}" "$AGENT" <<-'END' 3>&- 4>&-
		import http.client, os, signal, socket, sys, threading, time, urllib.error, urllib.request
		address, agent = sys.argv[1], int(sys.argv[2])
		stopping, late = False, time.monotonic() + 120
		def ask(path):
		    """The answer's text. What is closed, while idle connections are still counted, is asked again."""
		    while True:
		        try:
		            return urllib.request.urlopen(f"http://{address}{path}").read()
		        except urllib.error.HTTPError as error:
		            return error.read()
		        except (OSError, http.client.HTTPException):
		            if stopping or time.monotonic() > late: return b"about to end: the connection"
		            time.sleep(0.1)
		# as many as one address may have are held by a thread each; the server closes more
		idle = [socket.create_connection(address.split(":")) for _ in range(200)]
		for s in idle: s.close()
		answers = []
		threads = [threading.Thread(target=lambda: answers.append(ask("/debug/pprof/profile?seconds=3600"))) for _ in range(12)]
		for t in threads: t.start()
		while len(answers) < 4 and time.monotonic() < late: time.sleep(0.1)
		assert len(answers) == 4 and all(b"being taken already" in a for a in answers), answers
		assert ask("/healthz") == b"ok\n"
		stopping = True
		os.kill(agent, signal.SIGTERM)
		for t in threads: t.join()
		assert sum(b"about to end" in a for a in answers) == 8, answers
	END
	stop_agent
}

@test "half-sent requests give way to others, while a window is waited for" {
	background "$SLEEPER" 50
	start_agent out
	await eval '[ "$(metric "calls_total.*\"send\".*completed")" -gt 0 ]'
	timeout -k 5 300 python3 - "${URL#http://}" <<-'END' 3>&- 4>&-
		import select, socket, sys
		def connect(text):
		    s = socket.create_connection(sys.argv[1].split(":"))
		    s.sendall(text)
		    return s
		request = b"GET %s HTTP/1.1\r\nHost: localhost\r\n"
		window = connect(request % b"/debug/pprof/profile?seconds=3600" + b"\r\n")
		half = [connect(request % b"/healthz") for _ in range(20)]
		for s in half:
		    assert s.recv(1000)[:12] in (b"", b"HTTP/1.1 408"), "answered"
		assert not select.select([window], [], [], 0)[0], "the window was over before"
	END
	[ "$(code "$URL/healthz")" = 200 ]
}

@test "an address that has too many connections leaves some to others" {
	start_agent out
	timeout -k 5 300 python3 - "${URL#http://}" <<-'END' 3>&- 4>&-
		import socket, sys
		def ask(text, address="127.0.0.1"):
		    s = socket.create_connection(sys.argv[1].split(":"), source_address=(address, 0))
		    s.sendall(text)
		    return s
		request = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
		# half-sent requests give way after some seconds
		for _ in range(20):
		    half = [ask(b"GET /") for _ in range(32)]
		    try:
		        answer = ask(request).recv(1000)
		    except ConnectionError: answer = b""
		    if not answer: break
		assert answer == b"", answer
		assert ask(request, "127.0.0.2").recv(1000).startswith(b"HTTP/1.1 200 ")
	END
}

@test "without file descriptors clients wait, and it goes on when there are some again" {
	start_agent out
	timeout -k 5 300 python3 - "${URL#http://}" "$AGENT" <<-'END' 3>&- 4>&-
		import os, resource, socket, sys, time
		agent = int(sys.argv[2])
		def send(path):
		    s = socket.create_connection(sys.argv[1].split(":"))
		    s.sendall(b"GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n" % path)
		    return s
		assert b" 200 " in send(b"/healthz").recv(1000)
		before = resource.prlimit(agent, resource.RLIMIT_NOFILE)
		resource.prlimit(agent, resource.RLIMIT_NOFILE, (3, before[1]))
		# a client that waits in vain keeps no CPU busy
		waiting = [send(b"/healthz") for _ in range(5)]
		used = lambda: sum(int(t) for t in open(f"/proc/{agent}/stat").read().rsplit(")")[-1].split()[11:13])
		before_wait = used()
		time.sleep(2)
		assert (used() - before_wait) / os.sysconf("SC_CLK_TCK") < 1, used() - before_wait
		resource.prlimit(agent, resource.RLIMIT_NOFILE, before)
		for s in waiting: assert b" 200 " in s.recv(1000)
	END
	[ "$(code "$URL/healthz")" = 200 ]
}

@test "a window whose client leaves makes room for the next one" {
	background "$SLEEPER" 50
	start_agent out
	await eval '[ "$(metric "calls_total.*\"send\".*completed")" -gt 0 ]'
	for _ in 1 2 3 4 5 6 7 8; do open_window; done
	await windows_taken 8
	[ "$(code "$URL/debug/pprof/profile?seconds=0")" = 503 ]
	leave_windows
	await eval '[ "$(code "$URL/debug/pprof/profile?seconds=0")" = 200 ]'
}

@test "SIGTERM ends it cleanly, in the middle of a window too" {
	background "$SLEEPER" 50
	start_agent out
	await eval '[ "$(metric "calls_total.*\"send\".*completed")" -gt 0 ]'
	open_window
	await windows_taken 1
	stop_agent
	[ ! -s agent.err ]
}

@test "SIGTERM ends it after the file at hand, however many are to be read" {
	for i in 1 2 3; do with_library "$SLEEPER" 0 10 2 >/dev/null; done
	export HOLD_READING=$T/hold
	touch hold
	LD_PRELOAD=$PROGRAMS/hold_reading.so launch_agent out
	await test -s hold.log
	kill -TERM "$AGENT"
	rm hold
	stop_agent
	[ "$(sort -u hold.log | wc -l)" = 1 ]
}

# two_services: `a` and `b`, and an agent whose renderings stop themselves while there is a file stop.
two_services()
{
	local name
	for name in a b; do
		cp "$SLEEPER" "$T/$name"
		with_library "$T/$name" 0 10 2 >/dev/null
	done
	export STOP_RENDERER=$T/stop
	LD_PRELOAD=$PROGRAMS/stop_renderer.so start_agent "$@" out
	touch stop
}

@test "a rendering that does not go on holds up neither those of other services nor the end" {
	two_services
	for path in 'service?service=a' 'debug/pprof/profile?seconds=0&service=a' 'debug/pprof/profile?seconds=0'; do
		curl -s "$URL/$path" -o /dev/null 3>&- 4>&- &
		WINDOWS+=($!)
	done
	await renderers_stopped 3
	stopped=$(renderers)
	rm stop
	[ "$(code "$URL/service?service=b")" = 200 ]
	grep -q '<html' answer
	[ "$(code "$URL/debug/pprof/profile?seconds=0&service=b")" = 200 ]
	[ "$(code "$URL/debug/pprof/profile?seconds=0.1&service=b")" = 200 ]
	[ "$(code "$URL/")" = 200 ]
	[ "$(code "$URL/healthz")" = 200 ]
	renderers_stopped 3
	stop_agent
	for pid in $stopped; do await has_ended "$pid"; done
	leave_windows
}

@test "a rendering that takes too long is answered 504, and /healthz counts" {
	two_services --max-seconds 1
	[ "$(code "$URL/service?service=a")" = 504 ]
	[ "$(cat answer)" = 'this was not made: it took longer than 1 s' ]
	[ "$(code "$URL/debug/pprof/profile?seconds=0&service=b")" = 504 ]
	[ -z "$(renderers)" ]
	[ "$(code "$URL/healthz")" = 200 ]
	[ "$(head -n 1 answer)" = ok ]
	[ "$(wc -l <answer)" = 2 ]
	grep -Eq "^2 pages or pprof profiles were not made since 20[0-9-]+ [0-9:]+ UTC; the last one, of 'b': it took longer than 1 s$" answer
}

@test "a renderer that is killed costs one answer" {
	two_services
	curl -s -w '%{http_code}' "$URL/service?service=a" >killed 3>&- 4>&- &
	WINDOWS+=($!)
	await renderers_stopped 1
	kill -KILL "$(renderers)"
	wait "${WINDOWS[0]}"
	grep -q 'its process was ended by signal 9' killed
	[ "$(tail -n 1 killed)" = 503 ]
	rm stop
	[ "$(code "$URL/service?service=a")" = 200 ]
	grep -q '<html' answer
}

@test "a rendering whose client leaves is ended" {
	two_services
	curl -s "$URL/service?service=a" -o /dev/null 3>&- 4>&- &
	WINDOWS+=($!)
	await renderers_stopped 1
	leave_windows
	await eval '[ -z "$(renderers)" ]'
	[ "$(code "$URL/healthz")" = 200 ]
	[ "$(cat answer)" = ok ]
}

@test "an agent that is killed leaves no renderer" {
	two_services
	curl -s "$URL/service?service=a" -o /dev/null 3>&- 4>&- &
	WINDOWS+=($!)
	await renderers_stopped 1
	rm stop
	open_window
	await windows_taken 1
	left=$(renderers)
	kill -KILL "$AGENT"
	# the kernel makes them go on only where their new parent is of another session
	for pid in $left; do kill -CONT "$pid" 2>/dev/null || true; done
	for pid in $left; do await has_ended "$pid"; done
}

@test "bad usage is one line and status 2; a port in use is one line and status 1" {
	check()
	{
		local expected=$1 text=$2 status=0
		shift 2
		timeout 120 "$SCPROF" serve "$@" >o 2>e || status=$?
		[ "$status" = "$expected" ] && [ "$(wc -l <e)" = 1 ] && grep -q -- "$text" e || {
			echo "status $status for: $*" && cat e && return 1
		}
	}
	check 2 'not an IP address' --listen example.com:80
	check 2 'that is empty' --listen ''
	check 2 'from 0 to 65535' --listen 127.0.0.1:99999
	check 2 'whole number' --max-services 0
	check 2 'whole number' --max-functions 1x
	check 2 'whole number' --max-seconds 0
	check 2 'unknown option' --port 1
	check 2 'needs a value' --listen
	check 2 'No such file' nowhere
	check 2 'not a directory' "$SCPROF"
	check 2 'between 0 and 1' --confidence 95
	check 1 'does not have that address' --listen 192.0.2.1:0 out
	start_agent out
	check 1 'another program listens there' --listen "${URL#http://}" out
	"$SCPROF" serve --help | grep -q -- --listen
}

@test "without a libmicrohttpd that can be loaded it says so, with status 1, and other commands work" {
	mkdir lib
	: >lib/libmicrohttpd.so.12
	run --separate-stderr env LD_LIBRARY_PATH="$T/lib" timeout 300 "$SCPROF" serve --listen 127.0.0.1:0
	[ "$status" = 1 ]
	[ -z "$output" ]
	[[ $stderr == "scprof serve: cannot load libmicrohttpd.so.12: "*"install libmicrohttpd"* ]]
	LD_LIBRARY_PATH=$T/lib "$SCPROF" --version
}

@test "another address than loopback is warned about" {
	start_agent --listen 0.0.0.0:0 out
	grep -q 'everybody who reaches it' agent.err
	[ "$(code -H 'Host: any.example' "http://127.0.0.1:${URL##*:}/healthz")" = 200 ]
}

computes_metric()
{
	[ -n "$(metric '^scprof_computing_cpu_seconds\{service="computes(@65534)?",function="computes_much",library="computes"\} [0-9.]+$')" ]
}

# It goes on until the test ends; which of its functions computes is known.
@test "what a sampled run computes is a gauge by function, while the run goes on" {
	"$SCPROF" doctor | grep -q '^ok *perf' || skip "perf events are forbidden here"
	SCPROF_SAMPLE=1ms "$SCPROF" run --no-report -o p.scp -- "$PROGRAMS/computes" here 3600000 >run.out 2>&1 </dev/null 3>&- 4>&- &
	BACKGROUND+=($!)
	await run_of $!
	start_agent "$DIRECTORY"
	await computes_metric
	scrape page
	kill "$TARGET"
}

# run_of PID: the directory of the run whose tool that is, in $DIRECTORY, and its command, in $TARGET.
run_of()
{
	TARGET=$(tr -d ' \n' <"/proc/$1/task/$1/children" 2>/dev/null)
	DIRECTORY=$(sed -n 's|.* \(/.*\)/scprof\.[^/]*\.scp$|\1|p' "/proc/$TARGET/maps" 2>/dev/null | head -n 1)
	[ -n "$DIRECTORY" ]
}

@test "names of what another user's run computes are found with that user's rights, by another process" {
	[ "$(id -u)" = 0 ] || skip 'only root reads what others have'
	"$SCPROF" doctor | grep -q '^ok *perf' || skip "perf events are forbidden here"
	nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups)
	# by a shell: setpriv itself may yet look into root's folders
	"${nobody[@]}" sh -c '"$0" --version' "$SCPROF" >/dev/null 2>&1 || skip 'nobody cannot run the tool from here'
	OPEN=$(mktemp -d /tmp/scprof-serve.XXXXXX)
	chmod 1777 "$OPEN"
	install -o 65534 -m 500 "$PROGRAMS/computes" "$OPEN/computes"
	install -m 700 "$PROGRAMS/computes" "$OPEN/sekretes"
	cd "$OPEN"
	SCPROF_SAMPLE=1ms "${nobody[@]}" "$SCPROF" run --no-report -o p.scp -- "$OPEN/computes" here 3600000 >"$T/run.out" 2>&1 </dev/null 3>&- 4>&- &
	BACKGROUND+=($!)
	await run_of $!
	BACKGROUND+=("$TARGET")
	start_agent "$DIRECTORY"
	await computes_metric
	# The same, but it leads to a file that only root may read.
	mkdir -m 755 scprof.abcdef
	cp -a "$DIRECTORY"/scprof.*.scp scprof.abcdef
	sed "s|$OPEN/computes|$OPEN/sekretes|g" "$DIRECTORY/samples.scp" >scprof.abcdef/samples.scp
	chown 65534 scprof.abcdef/*
	stop_agent
	start_agent "$OPEN"
	await eval '[ -n "$(metric "^scprof_computing_cpu_seconds.*library=\"sekretes\"")" ]'
	[ -z "$(metric '^scprof_computing_cpu_seconds.*computes_much')" ]
}

@test "files of others are not read, except by root" {
	[ "$(id -u)" = 0 ] || skip 'only root can make files of somebody else'
	nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups)
	"${nobody[@]}" "$SCPROF" --version >/dev/null 2>&1 || skip 'nobody cannot run the tool from here'
	OPEN=$(mktemp -d /tmp/scprof-serve.XXXXXX)
	with_library "$SLEEPER" 0 10 2 >/dev/null
	mv out/*.scp "$OPEN"
	chmod -R a+rX "$OPEN"
	"${nobody[@]}" "$SCPROF" serve --listen 127.0.0.1:0 "$OPEN" >agent.out 2>agent.err </dev/null 3>&- 4>&- &
	AGENT=$!
	await grep -q http agent.out
	find_url
	[ "$(metric 'files.*refused')" = 1 ]
	[ "$(metric 'read_failures.*owner')" -ge 1 ]
	[ -z "$(metric '^scprof_calls_total')" ]
}
