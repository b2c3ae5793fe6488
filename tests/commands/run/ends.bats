#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# What `scprof run` knows of how the processes of a command ended, where they could not say it.

load ../common

# ended COMMAND...: under scprof run: the report's words for the process, and report.json.
ended()
{
	limited "$SCPROF" run --no-report -c monotonic -o p.scp -- "$@" >run.out 2>run.err </dev/null 3>&- || true
	"$SCPROF" report --format json --by process p.scp >report.json
	"$SCPROF" report --top 1 p.scp >report.txt
}

says()
{
	grep -Eq "$1" report.txt || {
		echo "not said: $1"
		head -3 report.txt
		return 1
	}
}

@test "ends 01: a killed command: signal and wall time, and no warning" {
	ended sh -c 'kill -9 $$'
	says '^  process .*, killed by signal 9 \(SIGKILL\); wall time [0-9]'
	holds '.program.ended == {how: "killed", status: null, signal: 9} and .program.wall_s > 0'
	holds '[.warnings[].code] | index("not-ended") == null'
	ended "$PROGRAMS/endings" segv
	says 'killed by signal 11 \(SIGSEGV\)'
	holds '.processes | length == 1 and .[0].ended == "killed" and .[0].signal == 11'
}

@test "ends 02: a command that leaves by a bare system call: status and wall time" {
	ended "$PROGRAMS/endings" bare
	says 'exited by its own system call, status 5; wall time [0-9]'
	holds '.program.ended == {how: "bare-exit", status: 5, signal: null} and .program.wall_s > 0'
	holds '[.warnings[].code] | index("not-ended") == null'
}

@test "ends 03: the status of the usual ends" {
	ended "$PROGRAMS/endings" exit
	says 'exited, status 7'
	holds '.program.ended == {how: "exit", status: 7, signal: null}'
	ended "$PROGRAMS/endings" _exit
	says 'left by _exit, status 8'
	holds '.program.ended == {how: "quick-exit", status: 8, signal: null}'
	ended "$PROGRAMS/endings" abort
	says 'killed by signal 6 \(SIGABRT\)'
}

@test "ends 04: after exec the end is that of the last program" {
	ended sh -c "exec $PROGRAMS/endings bare"
	holds '.program.ended.how == "bare-exit" and .program.ended.status == 5'
	ended env "$PROGRAMS/endings" kill
	holds '.program.ended.signal == 9'
}

@test "ends 05: a child that nobody saw end is gone; a merged profile keeps the ends" {
	ended sh -c "$PROGRAMS/endings bare & $PROGRAMS/endings kill; true"
	holds '[.processes[] | select(.name == "endings") | .ended] == ["not-seen", "not-seen"]'
	holds '[.warnings[].code] | index("not-ended") == null'
	ended "$PROGRAMS/endings" kill
	"$SCPROF" merge -o merged.scp p.scp
	"$SCPROF" report --format json --by process merged.scp >report.json
	holds '.processes[0].ended == "killed"'
}

# The run is told to stop waiting for it.
@test "ends 06: a daemon that survives still runs" {
	mkfifo ready
	limited "$SCPROF" run --no-report -o p.scp -- python3 -c 'import os, select, sys
if os.fork(): os._exit(0)
os.setsid()
print(os.getpid(), flush=True)
while True: select.select([], [], [], 1)' >daemon 2>run.err </dev/null 3>&- &
	local run=$!
	await grep -q 'still runs' run.err
	kill -TERM "$(pgrep -P $run)"
	wait $run || true
	"$SCPROF" report --format json --by process p.scp >report.json
	kill -9 "$(cat daemon)"
	holds '[.processes[] | .ended] | index("running") != null'
	holds '[.warnings[].code] | index("not-ended") != null'
}

@test "ends 07: a daemon is waited for that has made no recorded call yet" {
	mkfifo go
	limited "$SCPROF" run --no-report -o p.scp -- python3 -c 'import os, socket, sys
a, b = socket.socketpair()
if os.fork(): os._exit(0)
os.setsid()
open("go").read()
a.send(b"12345")' 2>run.err </dev/null 3>&- &
	local run=$!
	await grep -q 'still runs' run.err
	echo >go
	wait $run
	"$SCPROF" report --format json p.scp >report.json
	holds '[.sites[] | select(.symbol == "send") | .calls] == [1]'
}

# What was read of it has page tables.
@test "ends 09: of a process that says that its environment is all of its memory little is read" {
	mkfifo said
	limited "$SCPROF" run --no-report -o p.scp -- sh -c "LD_PRELOAD= $PROGRAMS/vast_environment >pid & read -r go" <said 3>&- &
	local run=$! vast
	exec 8>said
	await test -s pid
	vast=$(cat pid)
	exec 8>&-
	[ "$vast" != none ] || skip "the kernel does not let it"
	wait $run || true
	[ "$(sed -n 's/^VmPTE:[[:space:]]*\([0-9]*\) kB/\1/p' "/proc/$vast/status")" -lt 1000 ]
	kill -9 "$vast"
}

begun()
{
	"$SCPROF" report out/*.scp >/dev/null 2>&1
}

@test "ends 08: a bare LD_PRELOAD knows that a process still runs, and no more" {
	LD_PRELOAD=$LIB SCPROF_OUT=$T/out sleep 1000 3>&- &
	local pid=$!
	await grep -q scprof "/proc/$pid/maps"
	await begun
	"$SCPROF" report out/*.scp >text
	grep -q 'still running;' text
	grep -q '1 of 1 processes still run$' text
	kill -9 $pid
	wait $pid || true
	"$SCPROF" report out/*.scp | grep -q 'still running or killed;'
}

# hung_up COMMAND...: as the leader of a session, whose terminal goes away when the command says "begun".
# Its exit status.
hung_up()
{
	limited python3 -c 'import os, pty, sys
pid, fd = pty.fork()
if not pid: os.execv(sys.argv[1], sys.argv[1:])
said = b""
while b"begun" not in said: said += os.read(fd, 1000)
os.close(fd)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))' "$@" 3>&-
}

@test "ends 10: a terminal that goes away ends the command, as without scprof, and the profile is kept" {
	local status command=(sh -c 'echo begun; while :; do :; done') more
	for more in '' '--runs 2'; do
		status=0
		# shellcheck disable=SC2086
		hung_up "$SCPROF" run $more -g io --no-report -o hup.scp -- "${command[@]}" || status=$?
		[ "$status" = 129 ]
	done
	"$SCPROF" report --format json hup.scp >report.json
	holds '.program.ended.signal == 1'
	"$SCPROF" report --format json hup.1.scp >report.json
	holds '.program.ended.signal == 1'
	[ ! -e hup.2.scp ]
}

@test "ends 11: as the first process of a container it waits for what others leave, and passes signals on" {
	unshare -pf --mount-proc true 2>/dev/null || skip 'no pid namespaces here'
	local status=0
	# one process is left by its parent; then the first one gets a signal
	limited unshare -pf --mount-proc "$SCPROF" run -g io --no-report -o p.scp -- sh -c '
		trap "exit 9" USR1
		sh -c "true & echo \$! >left"
		for i in $(seq 600); do [ -e /proc/$(cat left) ] || break; sleep 0.1; done
		[ ! -e /proc/$(cat left) ] || exit 1
		sh -c "kill -USR1 1"
		for i in $(seq 600); do sleep 0.1; done' 3>&- || status=$?
	[ "$status" = 9 ]
}
