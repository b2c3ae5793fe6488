#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# The contract of `scprof run`: the command's own status, 125, 126, 127.

load ../common

teardown()
{
	[ -z "${TOOL:-}" ] || kill -KILL -- "-$TOOL" 2>/dev/null || true
}

# run_gives STATUS ARGUMENT...: of scprof run.
run_gives()
{
	local wanted=$1 status=0
	shift
	limited "$SCPROF" run -o "$T/p.scp" "$@" >run.out 2>run.err </dev/null || status=$?
	rm -f p.scp
	[ $status = "$wanted" ] || {
		echo "status $status instead of $wanted: scprof run $*"
		cat run.err
		return 1
	}
}

@test "run 01: the command's own exit status" {
	run_gives 0 -- true
	run_gives 3 -- sh -c 'exit 3'
	run_gives 255 sh -c 'exit 255'
}

@test "run 02: 128+N after a signal" {
	run_gives 143 -- sh -c 'kill -TERM $$'
	run_gives 137 -- sh -c 'kill -KILL $$'
	run_gives 139 -- "$PROGRAMS/endings" segv
}

@test "run 03: 127 for a command that is not there, 126 for one that cannot run" {
	run_gives 127 -- nonexistent-command
	run_gives 127 -- ./nonexistent
	echo data >data
	run_gives 126 -- ./data
	run_gives 126 -- /
}

@test "run 04: 125 for its own failures" {
	run bash -c 'ulimit -n 8; exec "$@"' sh "$SCPROF" run --no-report -o "$T/few.scp" -- true
	[ "$status" = 125 ] && [[ $output == *"Too many open files."*"ulimit -n"* ]]
	run_gives 125 --nonsense -- true
	run_gives 125 -c nonsense -- true
	run_gives 125 -d nonsense -- true
	run_gives 125
	mkdir p.scp
	local status=0
	"$SCPROF" run -o /nonexistent/p.scp -- true >run.out 2>run.err || status=$?
	[ $status = 125 ]
	[ "$(wc -l <run.err)" -le 3 ]
	grep -q 'the folder /nonexistent/: No such file' run.err
	grep -q 'mkdir -p' run.err
}

@test "run 16: a folder that takes no profile is named in full" {
	mkdir locked
	chmod 555 locked
	chmod 755 . "$BATS_TEST_TMPDIR"
	[ "$(id -u)" = 0 ] || skip "needs a second user"
	local status=0
	(cd locked && setpriv --reuid 65534 --clear-groups "$SCPROF" run -- true) 2>run.err || status=$?
	[ -s run.err ] || skip "that user cannot come here"
	[ "$status" = 125 ]
	grep -q "the folder /.*/locked: Permission denied" run.err || {
		cat run.err
		return 1
	}
}

@test "run 05: the report goes to standard error, the command's output stays its own" {
	run_gives 0 -- "$EXAMPLES/echo_pair" 100 100
	[ "$(cat run.out)" = "100 rounds of 100 bytes" ]
	grep -q recv run.err
	run_gives 0 --no-report -- "$EXAMPLES/echo_pair" 100 100
	run grep -q recv run.err
	[ "$status" = 1 ]
}

@test "run 06: -o names one file that reads back" {
	"$SCPROF" run -o mine.scp --no-report -- "$EXAMPLES/echo_pair" 100 100
	"$SCPROF" report --format json mine.scp >report.json
	[ "$(calls_of send)" = 201 ]
	[ "$(ls)" = "$(printf '%s\n' mine.scp out report.json)" ]
}

@test "run 07: standard input reaches the command" {
	[ "$(echo hello | "$SCPROF" run -o p.scp --no-report -- cat)" = hello ]
}

@test "run 08: the command's arguments and environment arrive unchanged" {
	# shellcheck disable=SC2016 # for the inner shell
	VARIABLE='a b' "$SCPROF" run -o p.scp --no-report -- \
		sh -c 'printf "%s|" "$@" "$VARIABLE"' sh 'x  y' '' '--' '*' >run.out
	[ "$(cat run.out)" = 'x  y||--|*|a b|' ]
}

@test "run 09: a statically linked program runs, with a word on why nothing is measured" {
	echo 'int main(void) { return 42; }' >static.c
	cc -static -o static static.c || skip "no static C library here"
	run_gives 42 -- ./static
	grep -qi static run.err
}

@test "run 10: a program of another C library runs, with a word" {
	echo 'int main(void) { return 42; }' >other.c
	cp "$(readelf -l /proc/self/exe | sed -n 's/.*interpreter: \(.*\)]/\1/p')" uclibc.so
	cc -Wl,--dynamic-linker="$PWD/uclibc.so" -o other other.c
	run_gives 42 -- ./other
	[ -s run.err ]
}

@test "run 11: a set-user-id program runs, with a word" {
	[ "$(id -u)" = 0 ] || skip "making one needs root"
	cp "$EXAMPLES/echo_pair" setuid
	chown nobody setuid
	chmod u+s setuid
	run_gives 0 -- ./setuid 10 10
	grep -qiE 'set-?user|setuid|privilege' run.err
}

@test "run 12: a program for another machine cannot run: 126, with the reason" {
	echo 'void _start(void) { __builtin_trap(); }' >arm.c
	aarch64-linux-gnu-gcc -nostdlib -static -o arm arm.c || skip "no cross compiler here"
	local status=0
	./arm 2>/dev/null || status=$?
	[ $status -lt 128 ] || skip "this machine runs it"
	run_gives 126 -- ./arm
	grep -q "another architecture" run.err
}

@test "run 13: scripts, with and without a first line" {
	printf '#!/bin/sh\nexit 5\n' >script
	chmod +x script
	run_gives 5 -- ./script
	printf 'exit 6\n' >bare
	chmod +x bare
	run_gives 6 -- ./bare
	printf '#!/usr/bin/env python3\nimport sys; sys.exit(7)\n' >snake
	chmod +x snake
	run_gives 7 -- ./snake
}

@test "run 14: each clock measures the same calls" {
	local clock
	for clock in tsc coarse page monotonic thread-cpu dual; do
		limited "$SCPROF" run -c $clock -o $clock.scp --no-report -- "$EXAMPLES/echo_pair" 300 100
		"$SCPROF" report --format json $clock.scp >report.json
		[ "$(calls_of send)" = 601 ]
		[ "$(calls_of recv)" = 602 ]
	done
}

# counted: the program has counted a call.
counted()
{
	[ -s counter ] && [ "$(od -An -tu8 -N8 counter)" -gt 0 ]
}

# The whole process group gets it, as from a terminal.
@test "run 15: an interrupt from the keyboard ends the command, and the report still comes" {
	local status=0
	# an asynchronous command of a shell ignores the interrupt; not so with job control, where it has its group
	set -m
	env --default-signal=INT "$SCPROF" run -o p.scp -- "$PROGRAMS/counter" counter 1 >run.out 2>run.err </dev/null 3>&- &
	set +m
	TOOL=$!
	await counted
	kill -INT -- "-$TOOL"
	wait "$TOOL" || status=$?
	TOOL=
	[ $status = 130 ]
	grep -q send run.err
	"$SCPROF" report --by function --format json p.scp >report.json
	[ "$(calls_of send)" -gt 0 ]
}

# interrupts HOW: how many the command gets of one that the terminal sends to the whole group
# (terminal), or that a process sends to scprof alone (kill).
interrupts()
{
	limited python3 - "$1" "$SCPROF" <<-'END' 3>&- 4>&-
		import os, pty, signal, sys, time
		command = """if True:
		    import signal, time
		    got = []
		    signal.signal(signal.SIGINT, lambda *_: got.append(1))
		    open('ready', 'w')
		    while not got: time.sleep(0.01)
		    end = time.monotonic() + 1
		    while time.monotonic() < end: time.sleep(0.01)
		    open('got', 'w').write(str(len(got)))
		"""
		for name in "ready", "got":
		    if os.path.exists(name): os.remove(name)
		pid, terminal = pty.fork()
		if not pid:
		    signal.signal(signal.SIGINT, signal.SIG_DFL)
		    os.execv(sys.argv[2], ["scprof", "run", "--no-report", "-o", "p.scp", "--", sys.executable, "-c", command])
		while not os.path.exists("ready"): time.sleep(0.05)
		if sys.argv[1] == "kill": os.kill(pid, signal.SIGINT)
		else: os.write(terminal, b"\x03")
		try:
		    while os.read(terminal, 1000): pass
		except OSError: pass # its other end is closed
		assert os.waitpid(pid, 0)[1] == 0
		print(open("got").read())
	END
}

@test "run 18: an interrupt comes to the command once, from the keyboard or sent to scprof alone" {
	[ "$(interrupts terminal)" = 1 ]
	[ "$(interrupts kill)" = 1 ]
}

# Everybody sees the names in /dev/shm. A process that has become somebody else finds its
# directory by what it was told; who was told nothing neither lists nor guesses it.
@test "run 17: nobody else finds where root's run keeps its profiles" {
	[ "$(id -u)" = 0 ] || skip "only root's programs become somebody else"
	chmod 711 "$BATS_RUN_TMPDIR" # everybody can pass to $T, for where /dev/shm is small
	run_gives 0 -- sh -c 'echo "$SCPROF_OUT"; stat -c %a "$SCPROF_OUT" "$SCPROF_OUT/.."
		! setpriv --reuid 65534 --clear-groups ls "$SCPROF_OUT/.." && setpriv --reuid 65534 --clear-groups touch "$SCPROF_OUT/mine"
		rm "$SCPROF_OUT/mine"'
	grep -qxE '.*/\.?scprof\.[[:alnum:]]{6}/profiles\.[0-9a-f]{32}' run.out
	[ "$(sed -n 2,3p run.out | xargs)" = "1777 711" ]
	cp run.out first.out
	run_gives 0 -- sh -c 'echo "$SCPROF_OUT"'
	[ "$(basename "$(head -n 1 run.out)")" != "$(basename "$(head -n 1 first.out)")" ]
}

@test "run 19: what programs that are not measured start, one after the other, is one run" {
	cat >starts.c <<-'END'
		#include <sys/wait.h>
		#include <unistd.h>
		static void run(char **argv, int own) /* in a child of a child: they have no parent in common */
		{
			if (fork() == 0) {
				if (own)
					run(argv, 0);
				else
					execv(argv[0], argv);
				_exit(own ? 0 : 127);
			}
			wait(NULL);
		}
		int main(int argc, char **argv)
		{
			(void)argc;
			run(argv + 1, 1);
			run(argv + 1, 1);
		}
	END
	cc -static -o starts starts.c || skip "no static C library here"
	"$SCPROF" run -g socket --no-report -o p.scp -- ./starts "$EXAMPLES/echo_pair" 5 10
	"$SCPROF" report --format json p.scp >report.json
	holds '[.processes[].ppid] | length >= 2 and (unique | length) >= 2'
	"$SCPROF" report p.scp >report.txt
	[ "$(grep -cE '(of|between) [0-9]+ runs' report.txt)" = 0 ]
}
