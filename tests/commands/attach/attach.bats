#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# `scprof attach` and `detach`: options and errors, a process that is recorded and left, what reports
# say of it, children, `top --attach`, `serve --allow-attach`. Counts are not compared with times.
# about 30 s
# sleeps
# shellcheck disable=SC2030,SC2031

bats_require_minimum_version 1.5.0
load ../common

# Targets go on until a test ends them, however long that takes to get there.
HOUR=3600

setup()
{
	common_setup
	export LC_ALL=C.UTF-8 SCPROF_OUT=$T/out
	started='' sockets='' BY=
	not grep -q 'built without' <("$SCPROF" detach $$ 2>&1) || skip "scprof was built without it"
}

teardown()
{
	local pid
	for pid in $started; do
		kill -KILL "$pid" 2>/dev/null || true
	done
	rm -rf "${OPEN:-$T/none}"
	if [ -n "$sockets" ]; then xargs rm -f <<<"$sockets"; fi
}

# target [PROGRAM ARGUMENT...]: traffic in the background, without the library: $pid.
target()
{
	[ $# -gt 0 ] || set -- "$PROGRAMS/traffic" $HOUR
	rm -f target.out # what an earlier one wrote
	"$@" >target.out </dev/null 2>&1 3>&- &
	pid=$!
	started="$started $pid"
	await grep -q begun target.out
}

# once COMMAND ARGUMENT...: of the tool, in the foreground.
once()
{
	limited "$SCPROF" "$@" >attach.out 2>attach.err </dev/null 3>&-
}

# attach STATUS ARGUMENT...: its output in attach.out, messages in attach.err.
attach()
{
	again_where_late "$1" once attach "${@:2}"
}

# detach PID: its output, of all tries where it was late, in detach.out.
detach()
{
	: >detach.out
	again_where_late 0 detach_once "$1"
}

detach_once()
{
	"$SCPROF" detach "$1" >>detach.out 2>attach.err
}

# turns: how often the process's threads were given a CPU, and for how many ms in all.
turns()
{
	cat "/proc/$pid"/task/*/schedstat 2>/dev/null | awk '{ ms += $1 / 1e6; turns += $3 } END { print turns + int(ms / 2) }'
}

had_turns()
{
	[ "$(turns)" -ge "$1" ]
}

# records_or_ended TOOL
records_or_ended()
{
	grep -q 'recording process' attach.err || not kill -0 "$1" 2>/dev/null
}

# begins OPTION...: attach in the background: $tool. True: it records.
begins()
{
	: >attach.err # what an earlier one said
	# env: a shell's background command ignores SIGINT
	env --default-signal=INT ${BY:+"$BY"} "$SCPROF" attach "$@" "$pid" >attach.out 2>attach.err </dev/null 3>&- &
	tool=$!
	started="$started $tool"
	await records_or_ended "$tool" && grep -q 'recording process' attach.err
}

while_it_calls()
{
	begins "$@" && await had_turns $(($(turns) + 50)) && kill -INT "$tool" && wait "$tool"
}

# attach_while_it_calls OPTION...: as `attach 0`, until the process has had its turn often enough to have called.
# Of the program $BY, where that is set.
attach_while_it_calls()
{
	local tool
	again_where_late 0 while_it_calls "$@"
}

# start_tool OPTION...: attach in the background, when it records: $tool.
start_tool()
{
	again_where_late 0 begins "$@"
}

# kill_all_of TOOL: and of what it started, lest that put the processes right.
kill_all_of()
{
	pkill -KILL -P "$1" || true
	kill -KILL "$1"
	wait "$1" || true
}

# has_waited COUNT: the target, which waits after each round of calls, did so more often.
has_waited()
{
	[ "$(waits)" -gt "$1" ]
}

waits()
{
	sed -n 's/^voluntary_ctxt_switches:\t//p' "/proc/$pid/status"
}

# records_nothing: the target makes calls, and its profile stays as it is.
records_nothing()
{
	local file before
	before=$(waits)
	await has_waited $((before + 2)) # the call that it was in may have been recorded yet
	file=$(sed -n 's|^[^/]*\(/.*\.scp\)$|\1|p' "/proc/$pid/maps" | head -n 1)
	"$SCPROF" report --format json "$file" | jq .totals.calls >before.calls
	before=$(waits)
	await has_waited $((before + 100))
	"$SCPROF" report --format json "$file" | jq .totals.calls | cmp - before.calls
}

says()
{
	grep -Eq "$1" "${2:-attach.err}" || {
		echo "not said: $1"
		cat "${2:-attach.err}"
		return 1
	}
}

# No descriptor, no profile: what a process that was left has of ours is memory.
is_left()
{
	kill -0 "$pid" && not grep -q 'scprof' <(ls -l "/proc/$pid/fd")
}

@test "attach 01: wrong usage is 125, and says what is right" {
	attach 125
	says 'which process\?.*scprof attach'
	attach 125 x1
	says "'x1' is not the number of a process"
	attach 125 0
	attach 125 99999999999999999999
	attach 125 --for 1y $$
	says 'not a time'
	attach 125 --no-such $$
	attach 125 $(seq 8000001 8001024) # no kernel gives a process such a number
	says 'process 8000001'
	attach 125 $(seq 8000001 8001025)
	says 'more than 1024 processes at a time: give some of their numbers'
}

@test "attach 02: run -p and --pid name attach in one line" {
	local status=0
	"$SCPROF" run -p 17 2>run.err || status=$?
	[ "$status" = 125 ]
	says 'scprof attach 17' run.err
	[ "$(wc -l <run.err)" = 1 ]
	status=0
	"$SCPROF" run --pid=17 -- true 2>run.err || status=$?
	[ "$status" = 125 ]
	says 'scprof attach 17' run.err
}

@test "attach 03: a process is recorded for a while, and left" {
	target
	attach_while_it_calls --for 1000s --format json -o p.scp
	mv attach.out report.json
	is_left
	holds '.attach.detached and .attach.processes == 1 and .attach.threads >= 1'
	holds '.attach.stopped_ms > 0 and .attach.stopped_total_ms >= .attach.stopped_ms'
	holds '.attach.slots | .written > 0 and .written == .put_back + .gone + .changed + .kept'
	holds '.attach.in_calls <= .attach.threads'
	holds '.program.ended.how == "detached" and .filters == null'
	holds '[.sites[].symbol] | index("send") != null'
	holds '[.warnings[].code] | index("attached") != null'
	says 'recording process [0-9]+ \(traffic\) for 1000s'
	not grep -q 'scprof\..*/' "/proc/$pid/environ"
	"$SCPROF" report p.scp >report.txt
	says '^  attached +to [0-9]+ threads?, (which|of which one at a time) was held up for .* at most' report.txt
	tr -s '\n ' ' ' <report.txt >line.txt
	says " process $pid, recorded for .* to ..:..:..; it runs since 20" line.txt
	not grep -q '^  recorded' report.txt
	holds '.attach.ran_s >= 0'
	not grep -q '^! attached' report.txt
	"$SCPROF" report --full p.scp >report.txt
	says 'warning: attached' report.txt
}

@test "attach 04: a second time, and merged" {
	target
	attach 0 --for 300ms -o a.scp "$pid"
	attach 0 --for 300ms -o b.scp "$pid"
	is_left
	"$SCPROF" merge -o c.scp a.scp b.scp
	"$SCPROF" report --format json c.scp >report.json
	holds '.attach.processes == 2 and .attach.detached'
}

@test "attach 05: Ctrl-C, SIGTERM and SIGHUP end recording, and the process is left" {
	local signal tool status
	target
	for signal in INT TERM HUP; do
		start_tool -o "$signal.scp"
		kill -"$signal" "$tool"
		kill -"$signal" "$tool" || true
		status=0
		wait "$tool" || status=$?
		[ "$status" = 0 ]
		is_left
		[ -s "$signal.scp" ]
	done
}

@test "attach 06: detach puts right what a killed scprof left; twice: nothing to do" {
	local tool
	target
	"$SCPROF" detach "$pid" >detach.out
	says 'nothing to put right' detach.out
	start_tool
	kill_all_of "$tool"
	await records_nothing
	detach "$pid"
	says "process $pid: recording is stopped, and [0-9]+ of [0-9]+ slots are as they were" detach.out
	is_left
	"$SCPROF" detach "$pid" >detach.out
	says 'nothing to put right' detach.out
	start_tool
	local status=0
	"$SCPROF" attach --for 300ms "$pid" 2>second.err || status=$?
	[ "$status" = 125 ]
	says 'another scprof records process' second.err
	kill_all_of "$tool"
	attach 0 --for 300ms "$pid"
	is_left
}

@test "attach 06b: what a tool left whose files are gone is put right by the next attach" {
	local tool
	target
	start_tool
	kill_all_of "$tool"
	files=$(sed -n 's|^.* \(/.*\)/control$|\1|p' "/proc/$pid/maps" | head -n 1)
	[ -f "$files/control" ]
	rm -r "$files"
	attach 0 --for 300ms "$pid"
	is_left
}

@test "attach 06c: of detaches at once one puts right, and the others find nothing to do" {
	local tool i others=()
	target
	for _ in 1 2 3 4; do
		start_tool
		kill_all_of "$tool"
		for i in 1 2 3 4; do
			"$SCPROF" detach "$pid" >"detach.$i" 2>&1 3>&- &
			others[i]=$!
		done
		wait "${others[@]}" || true
		await "$SCPROF" detach "$pid" >detach.5
		[ "$(cat detach.* | grep -c 'recording is stopped')" = 1 ] || {
			head -n 20 detach.*
			return 1
		}
	done
	is_left
}

@test "attach 06d: where the tool alone is killed all is put back by itself" {
	local tool guard
	target
	start_tool
	guard=$(pgrep -P "$tool")
	kill -0 "$guard"
	kill -HUP "$guard" # as from a terminal that is closed
	kill -KILL "$tool"
	wait "$tool" || true
	await has_ended "$guard"
	"$SCPROF" detach "$pid" >detach.out
	says 'nothing to put right' detach.out
	is_left
}

@test "detach of a zombie says that it has ended" {
	target python3 -c 'import os, time
pid = os.fork() or os._exit(0)
os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
print("begun", pid, flush=True)
time.sleep(1000)'
	read -r _ zombie <target.out
	run -125 "$SCPROF" detach "$zombie"
	[[ $output == "scprof detach: process $zombie has ended" ]]
}

@test "attach 07: the target ends meanwhile: the report is of what there is" {
	local tool
	target
	start_tool --for 1000s -o killed.scp
	await grep -q 'scprof\..*scp' "/proc/$pid/maps"
	kill -KILL "$pid"
	wait "$tool"
	says 'the process has ended'
	"$SCPROF" report --format json killed.scp >report.json
	holds '.attach.detached == false and .attach.processes == 1'
	"$SCPROF" report killed.scp >killed.txt # nobody saw when it ended
	says "^  process +$pid, recorded for at least .*, from [-0-9]* ..:..:..; ended, not seen how" killed.txt
}

# Those of the latest report have calls: called SYMBOL...
called()
{
	local symbol
	for symbol in "$@"; do
		SHOWN='[.sites[] | [.symbol, .calls]]' SYMBOL=$symbol holds \
			'[.sites[] | select(.symbol == env.SYMBOL) | .calls] | add > 0'
	done
}

@test "attach 08: functions that are selected while they run, by one selection after another" {
	export SYMBOL SHOWN
	target "$PROGRAMS/chosen_always" $HOUR
	for _ in 1 2; do
		attach_while_it_calls -s 'libc*:malloc,libc*:free,snprintf' --format json
		mv attach.out report.json
		called malloc free snprintf
		is_left
	done
	attach_while_it_calls -s 'libc*:qsort,libstdc++*:*basic_string*append*' --format json
	mv attach.out report.json
	called qsort
	holds '[.sites[] | select(.symbol == "malloc")] == []'
	holds '[.sites[] | select(.symbol | test("append")) | .calls] | add > 0'
	holds '[.sites[] | select(.symbol == "qsort") | .outcome] | unique == ["exception"]'
	attach_while_it_calls -s 'libc*:malloc,libc*:free,snprintf' --format json
	mv attach.out report.json
	called malloc free snprintf
	is_left
	[ "$(grep -c 'r-x.*scprof-symbols' "/proc/$pid/maps")" = 2 ]
	attach 125 --for 300ms -s no_such_function_at_all "$pid"
	says 'matches no function'
}

@test "attach 08b: clocks and filters" {
	target
	attach_while_it_calls -c monotonic --depth 2 --format json
	mv attach.out report.json
	holds '.clock.name == "monotonic" and .filters.depth == ["2"]'
	is_left
	attach_while_it_calls -c page --below main --verify-paths --format json
	mv attach.out report.json
	holds '.clock.name == "page" and .filters.below == ["main"]'
	holds '[.sites[].calls] | add > 0'
	is_left
}

@test "attach 08c: regions and points of a loop that runs already" {
	target "$PROGRAMS/units"
	attach_while_it_calls --format json
	mv attach.out report.json
	holds '[.sites[].symbol] | (index("parse") != null) and index("unit -> unit") != null'
	is_left
}

both_began()
{
	[ "$(grep -c begun target.out)" = 2 ]
}

@test "attach 09: children that run already: one line, or --children" {
	target bash -c "$PROGRAMS/traffic $HOUR & sleep $HOUR & exec -a parent $PROGRAMS/traffic $HOUR"
	await both_began
	started="$started $(pgrep -P "$pid" | tr '\n' ' ')"
	attach 0 --for 300ms --format json "$pid"
	says '1 child of process .* --children adds it'
	mv attach.out report.json
	holds '.attach.processes == 1'
	attach 0 --for 300ms --children --format json "$pid"
	not grep -q 'adds it' attach.err
	mv attach.out report.json
	holds '.attach.processes == 2'
}

@test "attach: nothing is said of children that end before it is their turn" {
	target python3 -c 'import os, time; print("begun", flush=True)
while True:
	for i in range(16): os.fork() or (time.sleep(0.0005 * i), os._exit(0))
	for i in range(16): os.wait()'
	for _ in 1 2 3; do
		attach 0 --for 200ms --children --no-report --sample off "$pid"
		not grep 'cannot attach' attach.err
	done
}

@test "attach 09b: all processes of a name, those that cannot be recorded left out, and the head says the name" {
	local name=nm$$ titles
	cp "$PROGRAMS/traffic" "$T/$name"
	attach 125 "$name"
	says "scprof attach --name $name"
	attach 125 --name "$name" --for 1s
	says 'no process is called so'
	for titles in one two; do
		target bash -c "exec -a 'traffic: $titles' '$T/$name' $HOUR"
	done
	attach_named()
	{
		once attach --name "$name" --for 300ms -o named.scp && "$SCPROF" report --format json named.scp >named.json
	}
	again_where_late 0 attach_named
	JSON=named.json holds '(.program.pids | length) == 2'
	head -n 1 attach.out | grep -qx "$name"
	# a third, which ptrace is forbidden to by another tracer
	command -v strace >/dev/null || return 0
	strace -f -qq -o /dev/null -e trace=none -p "$pid" 3>&- &
	started="$started $!"
	await grep -q "TracerPid:.$!" "/proc/$pid/status"
	again_where_late 0 attach_named
	JSON=named.json holds '(.program.pids | length) == 1'
	says "process $pid"
	is_left
}

@test "attach 10: top --attach shows pictures, and leaves the process" {
	target
	again_where_late 0 once top --attach "$pid" -n 2 -d 200ms
	says '^scprof top: ' attach.out
	is_left
	[ -z "$(find "$SCPROF_OUT" -name '*.scp')" ]
	again_where_late 0 once top --attach "$pid" -d 200ms -- --for 1s
	says '^Recording has ended' attach.out
	is_left
	again_where_late 0 once top --attach "$pid" -n 1 -- -c monotonic -o kept.scp
	says 'clock monotonic' attach.out
	[ -s kept.scp ]
	is_left
	local status=0
	limited "$SCPROF" top --attach 1x 2>top.err || status=$?
	[ "$status" = 1 ]
	says 'not the number of a process' top.err
}

# serving [OPTION...]: scprof serve in the background: $place, and $socket where it attaches.
serving()
{
	place=$(own_place)
	: >serve.out
	"${TOOL:-$SCPROF}" serve --listen "$place" "$@" "$T/out" >serve.out 2>serve.err </dev/null 3>&- &
	server=$!
	started="$started $server"
	await grep -q http serve.out
	socket=$(sed -n 's|.*POST /attach by ||p' serve.out)
	sockets="$sockets $socket"
}

# post STATUS QUERY [OPTION...]: answer.json; of user $AS (ours), over TCP where there is no socket.
post()
{
	again_where_late 0 post_once "$@"
}

post_once()
{
	local wanted=$1 query=$2 got by=()
	shift 2
	[ -z "$socket" ] || by=(--unix-socket "$socket")
	got=$(${AS:+setpriv "--reuid=$AS" --regid=65534 --clear-groups} curl -s -m 900 -o - -w '\n%{http_code}' -X POST "${by[@]}" \
		"$@" "http://$place/attach$query" >answer.both && tail -n 1 answer.both)
	sed '$d' answer.both >answer.json
	[ "$got" = "$wanted" ] || {
		echo "$query: $got, not $wanted"
		head -c 600 answer.json >attach.err # what the server's tool said
		return 1
	}
}

@test "attach 11: serve attaches only where it was told so, and not for browsers" {
	target
	serving
	post 403 "?pid=$pid&for=1s"
	[ "$(curl -s -o /dev/null -w '%{http_code}' -X POST "http://$place/metrics")" = 405 ]
	serving --allow-attach
	[ -S "$socket" ]
	[ "$(curl -s -o /dev/null -w '%{http_code}' "http://$place/attach?pid=$pid")" = 405 ]
	post 403 "?pid=$pid&for=1s" -H 'Origin: http://evil.example'
	post 403 "?pid=$pid&for=1s" -H 'Origin;'
	post 403 "?pid=$pid&for=1s" -H 'Sec-Fetch-Site: same-site'
	post 403 "?pid=$pid&for=1s" -H 'Sec-Fetch-Site: cross-site' -H 'Sec-Fetch-Dest: document'
	[ "$(curl -s -o /dev/null -w '%{http_code}' --unix-socket "$socket" "http://$place/metrics")" = 403 ]
	post 422 "?pid=$server&for=1s"
	post 400 "?for=1s"
	post 400 "?pid=$pid&for=301s"
	post 400 "?pid=$pid&for=1s&groups=--children"
	post 400 "?pid=$pid&symbols=x"
	post 403 "?pid=4194304"
	says 'has no process 4194304' answer.json
	post 200 "?pid=$pid&for=500ms"
	JSON=answer.json holds '.attach.detached and .attach.processes == 1'
	is_left
}

is_held()
{
	grep -q 'scprof\..*control' "/proc/$pid/maps"
}

is_held_or_ended()
{
	is_held || not kill -0 "$1" 2>/dev/null
}

# asks_for_long: the process is recorded for user $AS (ours) by now, for long: $asker waits for it.
asks_for_long()
{
	${AS:+setpriv "--reuid=$AS" --regid=65534 --clear-groups} curl -s -X POST --unix-socket "$socket" \
		"http://$place/attach?pid=$pid&for=300s" >attach.err 3>&- &
	asker=$!
	started="$started $asker"
	await is_held_or_ended $asker && is_held
}

@test "attach 12: serve: one at a time for a process, and who leaves ends it" {
	target
	serving --allow-attach
	again_where_late 0 asks_for_long
	post 409 "?pid=$pid&for=1s"
	pkill -STOP -P "$server" # as the user may whose process records
	kill "$asker"
	is_free()
	{
		post 200 "?pid=$pid&for=100ms" >/dev/null
	}
	await is_free
	is_left
}

woken_and_left()
{
	mv attach.out report.json
	holds '.attach.woken and .attach.detached and .attach.stopped_ms == 0'
	holds '[.sites[].symbol] | index("send") != null'
	[ -z "$(find page -name '*.scp')" ]
	[ "$(find page -name '*.wake' | wc -l)" = 1 ]
}

@test "attach 13: a dormant process is woken, without ptrace, and is dormant again" {
	mkdir -p page
	target env LD_PRELOAD="$LIB" SCPROF_STOPPED=1 SCPROF_OUT="$T/page" "$PROGRAMS/traffic" $HOUR
	attach_while_it_calls --format json
	woken_and_left
	BY=$BUILD/tests/attach/no_ptrace attach_while_it_calls --format json
	woken_and_left
	"$SCPROF" detach "$pid" >detach.out
	says 'nothing to put right' detach.out
}

@test "attach 14: a dormant process that makes no call is not recorded, and that is said" {
	mkdir page
	target env LD_PRELOAD="$LIB" SCPROF_STOPPED=1 SCPROF_OUT="$T/page" \
		python3 -c 'import signal; print("begun", flush=True); signal.sigwait([signal.SIGUSR1])'
	await grep -q '^State:.S' "/proc/$pid/status" # it has begun to wait
	attach 0 --for 300ms "$pid"
	says '0 of 1 processes that were told to record had made a call'
	says 'no profile'
}

@test "attach 15: root directories and mount namespaces of their own: --copy-to, or woken there" {
	unshare -Urm true 2>/dev/null || skip "no namespaces can be made here"
	mkdir -p root page
	cat >inside.sh <<-EOF
		mount --rbind / "$T/root"
		mount -t tmpfs none "$T/root/dev/shm"
		mount -t tmpfs none "$T/root/mnt"
		exec chroot "$T/root" "\$@"
	EOF
	target unshare -Urm sh inside.sh "$PROGRAMS/traffic" $HOUR
	attach 125 --for 500ms "$pid"
	says 'does not see .*--copy-to DIR'
	attach 125 --for 500ms --copy-to mnt "$pid"
	says 'absolute path'
	attach 125 --for 500ms --copy-to /there/is/none "$pid"
	says 'cannot make files in /there/is/none'
	attach_while_it_calls --copy-to /mnt --format json
	mv attach.out report.json
	holds '.attach.detached and .attach.woken == false'
	holds '[.sites[].symbol] | index("send") != null'
	[ -z "$(ls -A "/proc/$pid/root/mnt")" ]
	is_left
	again_where_late 0 once top --attach "$pid" -n 1 -- --copy-to /mnt
	says '^scprof top: ' attach.out
	is_left
	target unshare -Urm sh inside.sh env LD_PRELOAD="$LIB" SCPROF_STOPPED=1 \
		SCPROF_OUT="$T/page" "$PROGRAMS/traffic" $HOUR
	attach_while_it_calls -c page --format json
	woken_and_left
}

@test "attach 15b: functions of a library that only the process's own files have" {
	unshare -Urm true 2>/dev/null || skip "no namespaces can be made here"
	mkdir own
	cat >inside.sh <<-EOF
		mount -t tmpfs none "$T/own"
		cp "$PROGRAMS/chosen_lib.so" "$T/own/there.so"
		LD_PRELOAD="$T/own/there.so" exec "\$@"
	EOF
	target unshare -Urm sh inside.sh "$PROGRAMS/traffic" $HOUR
	attach 0 --for 300ms -s there:a_float "$pid"
	attach 0 --for 300ms -s "$T/own/there.so:a_float" "$pid"
	is_left
}

@test "attach 16: a child born while the loader's locks were held is left, too" {
	local tool child
	target "$PROGRAMS/forked_locked"
	start_tool -g io
	kill -USR1 "$pid"
	await grep -q '^child' target.out
	child=$(sed -n 's/^child //p' target.out)
	started="$started $child"
	kill_all_of "$tool"
	detach "$child"
	says "process $child: recording is stopped, and ([1-9][0-9]*) of \\1 slots are as they were" detach.out
	says "process $pid: recording is stopped" detach.out
	kill -0 "$child"
}

@test "attach 17: serve over TCP: nobody without a token, which is in a file that only its user reads" {
	target
	serving --allow-attach
	local path=$socket
	socket=
	post 403 "?pid=$pid&for=1s"
	grep -q "ask by the socket $path" answer.json
	kill "$server"
	await not test -e "$path" # a server that ends takes it away
	(umask 077 && echo 0123456789abcdef >token)
	serving --allow-attach --attach-token token
	socket=
	post 401 "?pid=$pid&for=1s"
	post 401 "?pid=$pid&for=1s" -H 'Authorization: Bearer 0123456789abcde'
	post 401 "?pid=$pid&for=1s" -H 'Authorization: Bearer 0123456789abcdeg'
	post 401 "?pid=$pid&for=1s" -H 'Authorization: Bearer 0123456789abcdef0'
	post 403 "?pid=$pid&for=1s" -H 'Authorization: Bearer 0123456789abcdef' -H 'Host: evil.example'
	post 200 "?pid=$pid&for=300ms" -H 'Authorization: Bearer 0123456789abcdef'
	JSON=answer.json holds '.attach.detached'
	is_left
	refused()
	{
		local status=0
		limited "$SCPROF" serve --listen 127.0.0.1:0 "$@" out >o 2>e || status=$?
		[ "$status" = 2 ] && [ "$(wc -l <e)" = 1 ]
	}
	refused --attach-token token
	refused --allow-attach= --attach-token token
	refused --allow-attach --attach-token nowhere
	chmod 640 token
	refused --allow-attach --attach-token token
	chmod 600 token
	ln -s token link
	refused --allow-attach --attach-token link
	echo short >token
	refused --allow-attach --attach-token token
	mkfifo -m 600 fifo
	refused --allow-attach --attach-token fifo
}

# What other users can open, and only root can record for them: $OPEN, $TOOL.
for_others()
{
	[ "$(id -u)" = 0 ] || skip 'only root can record for others'
	OPEN=$(mktemp -d /tmp/scprof-attach.XXXXXX)
	cp "$SCPROF" "$LIB" "$PROGRAMS/traffic" "$OPEN"
	chmod -R a+rX "$OPEN"
	TOOL=$OPEN/scprof
}

@test "attach 18: serve of root records for each user what is theirs, with their rights" {
	for_others
	local root his other mixed
	target "$OPEN/traffic" $HOUR && root=$pid
	target setpriv --reuid=65533 --regid=65534 --clear-groups "$OPEN/traffic" $HOUR && other=$pid
	target setpriv --reuid=65534 --regid=65533 --clear-groups "$OPEN/traffic" $HOUR && mixed=$pid
	target setpriv --reuid=65534 --regid=65534 --clear-groups "$OPEN/traffic" $HOUR && his=$pid
	SCPROF_LIB=$OPEN/libscprof.so serving --allow-attach="$OPEN/attach.sock"
	AS=65534 post 403 "?pid=$root&for=1s"
	AS=65534 post 403 "?pid=$other&for=1s"
	# its user is right and its group is not: only the kernel sees that
	AS=65534 post 422 "?pid=$mixed&for=1s"
	AS=65534 post 200 "?pid=$his&for=300ms"
	JSON=answer.json holds '.attach.detached and .attach.processes == 1'
	[ -z "$(find out -name '*.scp')" ]
	AS=65533 post 403 "?pid=$his&for=1s"
	post 200 "?pid=$his&for=300ms"
	[ "$(find out -name '*.scp' | wc -l)" = 1 ]
	is_left
}

# held_by USER: its process is being recorded for it, for long: $pid.
held_by()
{
	target setpriv "--reuid=$1" --regid=65534 --clear-groups "$OPEN/traffic" $HOUR
	AS=$1 again_where_late 0 asks_for_long
}

@test "attach 18b: serve of root leaves a place to root, however many others ask" {
	for_others
	SCPROF_LIB=$OPEN/libscprof.so serving --allow-attach="$OPEN/attach.sock"
	held_by 65534
	grep -q "^Max file size  *$((256 << 20)) " "/proc/$(pgrep -P "$server" | head -n 1)/limits" # of its report
	held_by 65534
	target setpriv --reuid=65534 --regid=65534 --clear-groups "$OPEN/traffic" $HOUR
	AS=65534 post 503 "?pid=$pid&for=1s"
	held_by 65533
	target setpriv --reuid=65532 --regid=65534 --clear-groups "$OPEN/traffic" $HOUR
	AS=65532 post 503 "?pid=$pid&for=1s"
	target "$OPEN/traffic" $HOUR
	post 200 "?pid=$pid&for=300ms"
}

@test "attach 19: serve: a socket that a killed server left is taken again, and that of a living one is not" {
	serving --allow-attach="$T/attach.sock"
	status=0
	limited "$SCPROF" serve --listen 127.0.0.1:0 --allow-attach="$T/attach.sock" out >o 2>e || status=$?
	[ "$status" = 1 ]
	says 'another program listens there' e
	[ -S attach.sock ]
	kill -KILL "$server"
	await has_ended "$server"
	serving --allow-attach="$T/attach.sock"
	post 403 '?pid=4194304'
	echo kept >file
	status=0
	limited "$SCPROF" serve --listen 127.0.0.1:0 --allow-attach="$T/file" out >o 2>e || status=$?
	[ "$status" = 1 ]
	[ "$(cat file)" = kept ]
	# 107 bytes are the longest path: that of a longer one is nobody's
	local long
	printf -v long '/%*s' $((106 - ${#T})) ''
	long=$T${long// /x}
	echo kept >"$long"
	status=0
	limited "$SCPROF" serve --listen 127.0.0.1:0 --allow-attach="$long.sock" out >o 2>e || status=$?
	[ "$status" = 1 ]
	says 'at most 107 bytes' e
	[ "$(cat "$long")" = kept ]
}

@test "attach 20: 125 where no profile can be read, and where the report cannot be printed" {
	target
	start_tool
	local profile
	profile=$(sed -n 's|.* \(/[^ ]*\.scp\)$|\1|p' "/proc/$pid/maps" | head -n 1)
	printf '\377\377\377\377' | dd of="$profile" bs=1 seek=8 conv=notrunc status=none # of which version it is
	kill -TERM "$tool"
	status=0
	wait "$tool" || status=$?
	says 'none of the files could be read; they are kept in '
	[ "$status" = 125 ]
	[ -e "$profile" ]
	rm -r "${profile%/*}"
	[ -w /dev/full ] || skip 'no /dev/full here'
	cannot_print()
	{
		local status=0
		limited sh -c "exec \"\$@\" $1" sh "$SCPROF" attach --for 100ms "$pid" 2>attach.err </dev/null 3>&- || status=$?
		[ "$status" = 125 ] && says 'cannot write to standard output' && says 'profile: ' &&
			not grep 'Input/output error' attach.err
	}
	for where in '>/dev/full' '>&-'; do
		again_where_late 0 cannot_print "$where"
	done
	is_left
}
