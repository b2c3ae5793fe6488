#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# `scprof dump`: what each thread of a process that hangs does, that nobody notices, and what is refused;
# and what `scprof attach` shows where no call ends.
# about 20 s
bats_require_minimum_version 1.5.0
load ../common
load ../python/python

setup()
{
	common_setup
	export LC_ALL=C.UTF-8
	started=''
	not grep -q 'built without' <("$SCPROF" detach $$ 2>&1) || skip "scprof was built without it"
}

teardown()
{
	local pid
	for pid in $started; do
		kill -KILL "$pid" 2>/dev/null || true
	done
}

# target COMMAND...: in the background: $pid. Its first line is "begun".
target()
{
	rm -f target.out # what an earlier one wrote
	"$@" >target.out </dev/null 2>&1 3>&- &
	pid=$!
	started="$started $pid"
	await grep -q begun target.out
}

dump()
{
	limited "$SCPROF" dump "$@" 3>&-
}

# settles FILTER...: the process's threads soon are where these say: the last ones have to come there.
settles()
{
	local filter all=true
	for filter; do
		all+=" and ($filter)"
	done
	dump --json "$pid" >report.json && jq -e "$all" report.json >/dev/null
}

# all_are LETTER: the state of each thread.
all_are()
{
	not grep -qv "^State:.$1" <(grep -h ^State: /proc/"$pid"/task/*/status)
}

hung()
{
	target "$PROGRAMS/hung"
	# shellcheck disable=SC2016
	await settles '[.threads[] | select(.syscall == "futex")] | length == 5' \
		'any(.threads[]; .name == "watches" and .syscall != null)' \
		'any(.threads[]; .name == "hung" and .syscall != null)' \
		'any(.threads[]; .name == "reads" and .syscall == "read")' \
		'[.threads[] | select(.waits_for_thread)] | length == 2'
}

@test "each thread's call, its descriptor, lock and path are told" {
	hung
	# shellcheck disable=SC2016
	holds '.schema == "scprof-dump/1"' '.threads | length == 9' \
		'all(.threads[]; has("tid") and has("state") and has("for_s") and has("stack"))' \
		'def of($n): .threads[] | select(.name == $n);
		 of("hung") | .syscall == "accept" and .fd.kind == "socket" and .stack[-1] != null' \
		"any(.threads[]; .fd.what == \"TCP 127.0.0.1:$(cut -d' ' -f2 target.out), which listens\")" \
		'any(.threads[]; .name == "reads" and .fd.kind == "pipe" and any(.stack[]; .function == "reads"))' \
		'any(.threads[]; .name == "watches" and .fd.kind == "eventpoll" and .fd.what == "1 descriptor")' \
		'[.threads[] | select(.name | startswith("takes-")) | {tid, of: .waits_for_thread}] |
		 length == 2 and .[0].of == .[1].tid and .[1].of == .[0].tid' \
		'all(.threads[] | select(.name == "reads"); .state == "asleep" and .for_s >= 0 and .for_s < 1000)'
}

@test "who called a function that waits is found behind the library's wrapper, too" {
	export LD_PRELOAD=$LIB SCPROF_GROUPS=all SCPROF_OUT=$T
	hung
	unset LD_PRELOAD
	# shellcheck disable=SC2016
	holds 'def on($n; $f): any(.threads[] | select(.name == $n) | .stack[]; .function == $f);
	       on("hung"; "record_accept") and on("hung"; "main") and on("reads"; "record_read") and
	       on("reads"; "reads") and on("watches"; "record_epoll_wait") and on("watches"; "watches")'
}

@test "equal threads are one row, and a deadlock is called so" {
	hung
	dump "$pid" >text
	grep -q '3 wait for a condition variable' <(head -n 1 text)
	grep -Eq '^[0-9]+ waits, [0-9]+ waits, [0-9]+ waits: 3 threads$' text
	grep -A1 ': 3 threads$' text | not grep -q 'in all' # all are listed
	[ "$(grep -c '^  asleep.*that thread [0-9]* (takes-.*) holds: a deadlock' text)" = 2 ]
	[ "$(grep -c '^      lock_other' text)" = 2 ]
}

@test "equal threads: how long is that of all, and each one's descriptor is no other's" {
	# one has something to read now and then, the other has not
	target python3 -c 'import os, threading, time
def reads(end):
	while True: os.read(end, 1)
pipes = [os.pipe(), os.pipe()]
for end, _ in pipes: threading.Thread(target=reads, args=(end,), daemon=True).start()
print("begun", flush=True)
while True:
	os.write(pipes[0][1], b"x")
	time.sleep(0.2)'
	two_rows()
	{
		dump "$pid" >text && grep -q "^[0-9]* [^,]*, [0-9]* [^,]*: 2 threads$" text &&
			grep -Eq '^  asleep for [0-9.]+ [mu]?s to [0-9.]+ [mu]?s: waits in read on .* \(pipe each\)$' text
	}
	await two_rows || { cat text && return 1; }
}

@test "many sockets and pipes are told apart, and what the kernel lists is read once for all" {
	command -v strace >/dev/null || skip 'strace is not installed'
	# the child has the other end of one pipe; two threads wait for one socket, two for the same 900 descriptors
	target python3 -c 'import os, select, socket, threading, time
shared, alone = os.pipe(), os.pipe()
if os.fork() == 0:
	os.close(alone[0]), os.close(alone[1])
	time.sleep(900)
tcp = socket.create_server(("127.0.0.1", 0))
path, other = socket.socketpair()
watched = select.epoll()
for _ in range(900): watched.register(os.dup(alone[0]), select.EPOLLIN)
for f in watched.poll, watched.poll, tcp.accept, tcp.accept, lambda: path.recv(1), lambda: os.read(shared[0], 1), lambda: os.read(alone[0], 1):
	threading.Thread(target=f, daemon=True).start()
print("begun", tcp.getsockname()[1], flush=True)
time.sleep(900)'
	started="$started $(pgrep -P "$pid")"
	# shellcheck disable=SC2016
	await settles "[.threads[] | select(.fd.what == \"TCP 127.0.0.1:$(cut -d' ' -f2 target.out), which listens\")] | length == 2" \
		'[.threads[].fd | select(. != null) | .what] | sort | map(select(startswith("TCP") | not)) |
		 length == 5 and .[:2] == ["900 descriptors", "900 descriptors"] and
		 .[3] == "a pipe that no other process that can be seen has" and
		 (.[2] | test("^a pipe shared with process [0-9]+ [(]python")) and (.[4] | test("^unix socket"))'
	strace -f -e trace=openat -o opened "$SCPROF" dump "$pid" >/dev/null
	[ "$(grep -c "/proc/$pid/net/tcp\"" opened)" = 1 ]
	[ "$(grep -c "/proc/$pid/fdinfo/" opened)" = 1 ]
	[ "$(grep -c '"/proc/1/fd"' opened)" -le 1 ]
}

@test "a descriptor that was closed while a thread waits for it is called so" {
	target python3 -c '
import os, signal, threading
ends = os.pipe()
signal.signal(signal.SIGUSR1, lambda *_: os.close(ends[0]))
threading.Thread(target=os.read, args=(ends[0], 1), daemon=True).start()
print("begun", flush=True)
while True: signal.pause()'
	await settles 'any(.threads[]; .fd.kind == "pipe")'
	kill -USR1 "$pid"
	await settles 'any(.threads[]; .syscall == "read" and .fd.kind == "closed")'
	dump "$pid" >text
	grep -q 'waits in read on a descriptor closed meanwhile (descriptor [0-9]*, closed)' text
}

@test "a call with a time limit has its name, too, when it was interrupted and goes on" {
	target python3 -c '
import os, select, threading
threading.Thread(target=threading.Event().wait, args=(900,), daemon=True).start()
poll = select.poll()
poll.register(os.pipe()[0], select.POLLIN)
print("begun", flush=True)
poll.poll(900000)'
	await settles 'any(.threads[]; .syscall == "poll")' 'any(.threads[]; .syscall == "futex")'
	kill -STOP "$pid"
	await all_are T
	kill -CONT "$pid"
	await all_are S
	dump --json "$pid" >report.json
	holds '[.threads[].syscall] | sort == ["futex", "poll"]' 'any(.threads[]; .fd.kind == "pipe")'
}

@test "a thread that runs is named, and no call of the process is interrupted" {
	hung
	# which is asleep now and then, and may have no CPU to stop on when it is looked at
	for _ in 1 2 3 4; do
		await settles 'any(.threads[]; .name == "computes" and .state != "asleep" and any(.stack[]; .function == "computes"))'
		holds '.threads | length == 9'
	done
	kill -0 "$pid" # status 3 otherwise
	[ "$(awk '/^TracerPid/ { print $2 }' "/proc/$pid/status")" = 0 ]
}

@test "Python's functions and lines stand where they are executed" {
	local python tried=0
	cat >hang.py <<-'PY'
		import socket, threading
		lock = threading.Lock()
		lock.acquire()
		def locked():
		    with lock:
		        pass
		def serve():
		    s = socket.socket()
		    s.bind(("127.0.0.1", 0))
		    s.listen(1)
		    print("begun", flush=True)
		    s.accept()
		threading.Thread(target=locked, daemon=True).start()
		list(map(lambda f: f(), [serve]))
	PY
	for python in $(pythons_with_ctypes); do
		echo "$python"
		target "$python" hang.py
		# each thread comes there in its own time
		await settles 'any(.threads[]; [.stack[] | select(.language == "python") | "\(.function):\(.line)"] as $p |
			($p | any(. == "serve:12")) and ($p | any(. == "<lambda>:14")) and ($p[-1] == "<module>:14"))' \
			'any(.threads[]; [.stack[] | select(.language == "python") | "\(.function):\(.line)"][0] == "locked:5")'
		grep -q '1 waits for a lock' <(dump "$pid")
		kill -KILL "$pid"
		rm target.out
		tried=$((tried + 1))
	done
	[ "$tried" -gt 0 ] || skip "no Python from 3.8 to 3.15"
}

@test "a process in another pid namespace has its own numbers, and its names" {
	unshare --pid --fork --kill-child true 2>/dev/null || skip "no pid namespace can be made here"
	target unshare --pid --fork --kill-child "$PROGRAMS/hung"
	pid=$(pgrep -P "$pid")
	await settles '[.threads[] | select(.syscall == "futex")] | length == 5' \
		'[.threads[] | select(.waits_for_thread)] | length == 2'
	holds '[.threads[] | select(.waits_for_thread) | {tid, of: .waits_for_thread}] |
		length == 2 and .[0].of == .[1].tid' 'any(.threads[]; any(.stack[]; .function == "lock_other"))'
}

@test "a process is called as its first thread is, without what would change the terminal" {
	target sh -c "printf '\\033[31mred' >/proc/\$\$/comm; echo begun; sleep 100 & wait"
	started="$started $(pgrep -P "$pid")"
	dump "$pid" >text
	grep -qF "process $pid (\\x1b[31mred), 1 thread" text
	unshare --pid --fork --kill-child --mount-proc sh -c 'echo 999 >/proc/sys/kernel/ns_last_pid' 2>/dev/null ||
		skip "numbers of processes cannot be chosen here"
	mkfifo begun # read by the shell itself: what it would start meanwhile takes numbers, too
	# shellcheck disable=SC2016
	limited unshare --pid --fork --kill-child --mount-proc sh -c '
		echo 999 >/proc/sys/kernel/ns_last_pid
		"$1" -c "import ctypes, threading, time
open(\"/proc/sys/kernel/ns_last_pid\", \"w\").write(\"99\")
def later():
	ctypes.CDLL(None).prctl(15, b\"later\")
	print(\"begun\", flush=True)
	time.sleep(100)
threading.Thread(target=later, daemon=True).start()
time.sleep(100)" >begun & read -r _ <begun
		exec "$2" dump $!' sh python3 "$SCPROF" >text 3>&-
	grep -q '^process 1000 (python3), 2 threads' text
	grep -q '^100 later' text
}

@test "what cannot be looked into is refused in one line" {
	run -2 --separate-stderr dump
	grep -q 'usage: scprof dump' <<<"$stderr"
	run -2 dump name
	run -1 --separate-stderr dump 2147483647
	[ "$(wc -l <<<"$stderr")" = 1 ]
	grep -q 'there is none of that number' <<<"$stderr"
	[ "$(id -u)" = 0 ] || skip 'only root can be somebody else'
	target sh -c 'echo begun; sleep 100'
	run -1 --separate-stderr setpriv --reuid=65534 --regid=65534 --clear-groups "$SCPROF" dump "$pid"
	[ "$(wc -l <<<"$stderr")" = 1 ]
	grep -Eq "another user's|does not let" <<<"$stderr"
	unshare -m true 2>/dev/null || skip 'no mount namespaces here'
	# shellcheck disable=SC2016
	run -1 --separate-stderr unshare -m sh -c 'mount -t proc -o hidepid=2 proc /proc &&
		exec setpriv --reuid=65534 --regid=65534 --clear-groups "$@"' sh "$SCPROF" dump "$pid"
	[ "$(wc -l <<<"$stderr")" = 1 ]
	grep -q 'hidepid' <<<"$stderr"
}

@test "attach shows what is in progress where no call ended" {
	hung
	again_where_late 0 eval 'limited "$SCPROF" attach -g resolve --for 1s "$pid" >attach.out 2>attach.err 3>&-'
	grep -q '^No call ended; at the end: process .*9 threads' attach.out
	grep -Eq "of the threads' time on CPU, .* asleep" attach.out
	grep -q 'waits in accept on TCP 127.0.0.1' attach.out
}

records_or_ended()
{
	grep -q 'recording process' attach.err || not kill -0 "$1" 2>/dev/null
}

# has_slept COUNT: the target's first thread did so more often.
has_slept()
{
	[ "$(sleeps)" -gt "$1" ]
}

sleeps()
{
	sed -n 's/^voluntary_ctxt_switches:\t//p' "/proc/$pid/status"
}

# while_it_sleeps COUNT: attach, until the target has slept so often more; output in attach.out.
while_it_sleeps()
{
	local tool
	: >attach.err
	# env: a shell's background command ignores SIGINT
	env --default-signal=INT "$SCPROF" attach "$pid" >attach.out 2>attach.err </dev/null 3>&- &
	tool=$!
	started="$started $tool"
	await records_or_ended $tool && grep -q 'recording process' attach.err || return 1
	await has_slept $(($(sleeps) + $1)) && kill -INT $tool && wait $tool
}

@test "attach counts those calls alone as in progress that were it all the while" {
	# "begun" once the thread sleeps in its wait: it is switched no more
	target python3 -c 'import select, threading, time
thread = threading.Thread(target=threading.Event().wait, daemon=True)
thread.start()
def asleep():
    status = open("/proc/self/task/%d/status" % thread.native_id).read()
    return "State:\tS" in status and status[status.index("voluntary_ctxt"):]
seen = ""
while not seen or seen != asleep():
    seen = asleep()
    time.sleep(0.05)
print("begun", flush=True)
while True: select.poll().poll(100)'
	again_where_late 0 while_it_sleeps 5
	grep -q "^In progress all the while, and in no row: process $pid, 1 thread: 1 waits for a lock$" attach.out ||
		{ cat attach.out attach.err && return 1; }
	not grep -q "of the threads' time on CPU" attach.out
}

@test "a thread that was awake a moment ago is not asleep for no time at all" {
	target python3 -c 'import time; print("begun", flush=True)
while True: time.sleep(1e-4)'
	for _ in {1..25}; do
		dump --json "$pid" | jq '.threads[0].for_s'
	done >for_s
	not grep -qx 0 for_s
}

@test "where a process slept outside of recorded calls the next step is to ask where" {
	target python3 -c 'import select, threading; print("begun", flush=True)
while True: select.poll().poll(0); threading.Event().wait(0.3)' # by a semaphore: no recorded call
	# once more where it mostly waited for a CPU
	is_told()
	{
		again_where_late 0 while_it_sleeps 4 &&
			grep -A 1 'waiting that was not recorded:' attach.out | grep -q "scprof dump $pid$"
	}
	await is_told || { cat attach.out && return 1; }
}
