#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# about 30 s
# Programs that begin dormant (SCPROF_STOPPED=1) and are woken by their page, without ptrace.

bats_require_minimum_version 1.5.0
load ../common

WAKE=$BUILD/tests/attach/wake
NO_PTRACE=$BUILD/tests/attach/no_ptrace

setup()
{
	common_setup
	PYTHON=$(python3 -c 'import sys; print(sys.executable)')
	started=()
	mkfifo to from
}

teardown()
{
	exec 7>&- 8<&- 9>&-
	[ ${#started[@]} = 0 ] || kill -KILL "${started[@]}" 2>/dev/null || true
}

# begin COMMAND...: dormant, its standard input and output at fds 7 and 8.
begin()
{
	LD_PRELOAD=$LIB SCPROF_OUT=${OUT-$T/out} SCPROF_STOPPED=1 "$@" <to >from 3>&- 4>&- &
	started+=($!)
	exec 7>to 8<from
}

# begin_exchange [COMMAND...]: exchange.py, its process $pid, and the child of its start $child, as
# they see themselves.
begin_exchange()
{
	begin "$@" "$PYTHON" "$ROOT/tests/attach/exchange.py"
	read -r -t 900 _ pid child <&8
	started+=("$child")
}

# step WHAT...: it does each, one after the other.
step()
{
	for what in "$@"; do
		echo "$what" >&7
		read -r -t 900 line <&8
		[ "$line" = "done $what" ]
	done
}

page()
{
	find "$T/out" -name "scprof.*.$1.wake"
}

# exchanged PID N: what its profiles have of send and recv.
exchanged()
{
	mapfile -t files < <(find "${3:-$T/out}" -name "scprof.*.$1.scp" -o -name "scprof.*.$1.[0-9]*.scp")
	if [ ${#files[@]} = 0 ]; then
		[ "$2" = 0 ] || { echo "no profile of $1"; return 1; }
		return 0
	fi
	"$SCPROF" report --by function --format json "${files[@]}" >report.json
	local send recv
	send=$(calls_of send) recv=$(calls_of recv)
	[ "$send" = "$2" ] && [ "$recv" = "$2" ] || { echo "$1: send $send recv $recv, not $2"; return 1; }
}

nothing_left()
{
	[ -z "$(find "$T/out" -type f)" ]
}

nothing_but_profiles()
{
	[ -z "$(find "$T/out" -name '*.wake')" ]
}

profiles()
{
	find "$T/out" -name '*.scp' | wc -l
}

@test "dormant 01: there is no profile, and one page for the process and its children, until all have ended" {
	begin_exchange
	step main thread fork child
	[ "$(profiles)" = 0 ]
	[ "$(find out -type f | wc -l)" = 1 ]
	[ "$(stat -c '%a %s' "$(page "$pid")")" = "600 8192" ]
	[ "$("$WAKE" "$pid" state)" = "ordered 0 held 0 holders 2 answer 0 0" ]
	step bad-exec
	[ "$("$WAKE" "$child" state)" = "ordered 0 held 0 holders 2 answer 0 0" ]
	echo exit >&7
	exec 7>&-
	await nothing_left
}

@test "dormant 02: the page goes with its process, however that ends but by a signal" {
	for way in 'os._exit(0)' 'os.execve("/bin/true", ["true"], {})' 'exit()' 'os.posix_spawn("/bin/true", ["true"], {})'; do
		LD_PRELOAD=$LIB SCPROF_OUT=$T/out SCPROF_STOPPED=1 "$PYTHON" -c "import os; $way"
		nothing_left
	done
	begin_exchange
	kill -KILL "$child" # and its parent alone is left to say that it is gone
	echo _exit >&7
	await has_ended "$pid"
	await has_ended "$child" # else it holds the pipes that others are to begin with
	rm out/*
	exec 7>&- 8<&-
	begin "$PYTHON" -c 'if True:
		import os
		def bad_exec():
			try:
				os.execv("/there/is/none", ["none"])
			except OSError:
				pass
		bad_exec()
		bad_exec()
		os.write(1, b"%d\n" % os.getpid())
		for line in iter(lambda: os.read(0, 10), b""):
			os.write(1, b"x\n")'
	read -r -t 900 pid <&8
	[ "$("$WAKE" "$pid" state)" = "ordered 0 held 0 holders 1 answer 0 0" ]
	"$WAKE" "$pid" begin SCPROF_GROUPS=io
	echo >&7
	read -r -t 900 _ <&8
	"$WAKE" "$pid" state | grep -q "answer $pid 0"
	exec 7>&-
	await nothing_but_profiles
	rm out/*
	LD_PRELOAD=$LIB SCPROF_OUT=$T/out SCPROF_STOPPED=1 "$PYTHON" -c 'import os; os.kill(os.getpid(), 9)' || true
	[ "$(find out -type f | wc -l)" = 1 ]
}

@test "dormant 03: an order wakes it at its next call, and another one ends it, again and again" {
	begin_exchange
	step main
	for round in 1 2 3; do
		"$WAKE" "$pid" begin SCPROF_GROUPS=socket
		step main thread
		[ "$(profiles)" = "$round" ]
		"$WAKE" "$pid" end
		step main thread child
	done
	[ "$(profiles)" = 3 ]
	exchanged "$pid" 120
	holds '.skipped_calls == 0 and .overflow_calls == 0'
	[ "$("$WAKE" "$pid" state)" = "ordered 0 held 0 holders 2 answer $pid 0" ]
}

@test "dormant 04: the process alone, with what it forks meanwhile, or all that share the page" {
	begin_exchange
	"$WAKE" "$pid" begin SCPROF_GROUPS=socket
	step main child fork
	exchanged "$pid" 20
	exchanged "$child" 0
	[ "$(profiles)" = 2 ] # of the one that was forked
	"$WAKE" "$pid" end
	step main child fork
	[ "$(profiles)" = 2 ]
	"$WAKE" "$child" begin SCPROF_GROUPS=socket
	step main child
	exchanged "$pid" 20
	exchanged "$child" 20
	"$WAKE" "$child" begin -a SCPROF_GROUPS=socket # the tool of the order before is gone
	step main child main child
	"$WAKE" "$child" end
	step main child
	exchanged "$pid" 60
	exchanged "$child" 60
}

@test "dormant 05: a daemon whose parent has ended is woken" {
	begin_exchange
	echo daemon >&7
	read -r -t 900 _ daemon <&8
	started+=("$daemon")
	read -r -t 900 _ <&8
	"$WAKE" "$daemon" begin SCPROF_GROUPS=socket
	step main
	"$WAKE" "$daemon" end
	exchanged "$daemon" 20
	exchanged "$pid" 0
}

@test "dormant 06: where the order's folder cannot be had it records into its own; a bad order is said" {
	begin_exchange
	"$WAKE" "$pid" begin SCPROF_GROUPS=socket SCPROF_OUT=/there/is/none
	step main
	exchanged "$pid" 20
	"$WAKE" "$pid" end
	mkdir other
	"$WAKE" "$pid" begin SCPROF_OUT="$T/other" SCPROF_GROUPS=socket
	step main
	exchanged "$pid" 20 "$T/other"
	exchanged "$pid" 20
	"$WAKE" "$pid" end
	step main
	"$WAKE" "$pid" begin SCPROF_GROUPS=none
	step main
	[ "$("$WAKE" "$pid" state)" = "ordered 1 held 0 holders 2 answer $pid 1" ]
	"$WAKE" "$pid" begin SCPROF_GROUPS=socket
	step main
	exchanged "$pid" 40
}

@test "dormant 07: a folder that cannot be written to: the program runs, and nothing is recorded" {
	OUT=/there/is/none begin_exchange
	step main thread fork child
	[ "$("$WAKE" "$pid" state)" = "no page" ]
	nothing_left
}

@test "dormant 08: a tool that was killed is told from one that lives, and the next one puts it right" {
	begin_exchange
	mkfifo stay
	"$WAKE" "$pid" hold SCPROF_GROUPS=socket <stay >held 3>&- 4>&- &
	tool=$!
	exec 9>stay
	await grep -q begun held
	"$WAKE" "$pid" state | grep -q "ordered 1 held 1"
	not "$WAKE" "$pid" begin SCPROF_GROUPS=socket >refused
	grep -q "another scprof records here" refused
	step main
	kill -KILL $tool
	wait $tool || true
	step main
	"$WAKE" "$pid" state | grep -q "ordered 1 held 0"
	"$WAKE" "$pid" end
	step main
	exchanged "$pid" 40
}

@test "dormant 09: neither tool nor program needs ptrace" {
	begin_exchange
	"$NO_PTRACE" "$WAKE" "$pid" begin -a SCPROF_GROUPS=socket
	step main thread child
	"$NO_PTRACE" "$WAKE" "$pid" state | grep -q "ordered 1"
	"$NO_PTRACE" "$WAKE" "$pid" end
	step main
	exchanged "$pid" 40
	exchanged "$child" 20
}

# In a mount and a pid namespace of its own, where the folder $T is other/ of ours.
begin_exchange_elsewhere()
{
	unshare -Urmpf --mount-proc true 2>/dev/null || skip "no namespaces can be made here"
	mkdir -p other/out
	cat >inside.sh <<-EOF
		mount --bind "$T/other" "$T"
		mount -t tmpfs none /dev/shm
		exec "\$@"
	EOF
	begin_exchange env -u LD_PRELOAD unshare -Urmpf --kill-child --mount-proc \
		sh inside.sh env LD_PRELOAD="$LIB"
}

@test "dormant 10: another mount and pid namespace: by the process, and by a folder that both have" {
	begin_exchange_elsewhere
	[ "$(find out -type f)" = "" ]
	[ "$(find other/out -name '*.wake')" = "other/out/scprof.${PYTHON##*/}.$pid.wake" ]
	# The page's owner is known by another number inside.
	local outer
	for outer in $(pgrep -f "^$PYTHON $ROOT/tests/attach/exchange.py"); do
		"$WAKE" "$outer" state 2>/dev/null | grep -q "^ordered" &&
			[ "$(awk '/^NSpid/ { print $NF }' /proc/"$outer"/status)" = "$pid" ] &&
			[ "$(readlink /proc/"$outer"/ns/mnt)" != "$(readlink /proc/self/ns/mnt)" ] &&
			[ -e "/proc/$outer/root$T/out/scprof.${PYTHON##*/}.$pid.wake" ] &&
			find other/out -samefile "/proc/$outer/root$T/out/scprof.${PYTHON##*/}.$pid.wake" |
				grep -q . && break
	done
	"$WAKE" "$outer" begin SCPROF_GROUPS=socket
	step main child
	"$WAKE" "$outer" end
	step main
	exchanged "$pid" 20 other/out
	exchanged "$child" 0 other/out
	"$WAKE" "other/out/scprof.${PYTHON##*/}.$pid.wake" begin SCPROF_GROUPS=socket
	step main child
	"$WAKE" "other/out/scprof.${PYTHON##*/}.$pid.wake" end
	exchanged "$pid" 40 other/out
	exchanged "$child" 20 other/out
}

@test "dormant 11: the program itself starts it, by SCPROF_SIGNAL, too" {
	SCPROF_SIGNAL=USR1 SCPROF_GROUPS=socket begin_exchange
	step main
	[ "$(profiles)" = 0 ]
	kill -USR1 "$pid"
	step main main # the signal came before the second at the latest
	[ "$(profiles)" = 1 ]
	exchanged "$pid" 40 || exchanged "$pid" 20
}

@test "dormant 12: a root directory of its own" {
	unshare -Urm true 2>/dev/null || skip "no namespaces can be made here"
	mkdir root
	cat >inside.sh <<-EOF
		mount --rbind / "$T/root"
		cd "$T/root$T"
		exec chroot "$T/root" "\$@"
	EOF
	begin_exchange env -u LD_PRELOAD unshare -Urm sh inside.sh env LD_PRELOAD="$LIB"
	[ "$(readlink /proc/"$pid"/root)" = "$T/root" ]
	"$WAKE" "$pid" begin SCPROF_GROUPS=socket
	step main
	"$WAKE" "$pid" end
	step main
	exchanged "$pid" 20
}

@test "dormant 13: redis and nginx: woken again and again under load, and right each time" {
	local place port outer debug=(--enable-debug-command yes)
	[[ $(redis-server --version) != *v=[0-6].* ]] || debug=() # allowed always
	place=$(own_place) port=${place##*:}
	export LD_PRELOAD=$LIB SCPROF_OUT=$T/out SCPROF_STOPPED=1
	chmod 1777 out
	if command -v redis-server >/dev/null; then
		redis-server --bind "${place%:*}" --port "$port" --save '' "${debug[@]}" \
			>redis.log 2>&1 3>&- 4>&- &
		started+=($!)
		outer=$!
		unset LD_PRELOAD
		await redis-cli -h "${place%:*}" -p "$port" ping >/dev/null 2>&1
		for round in 1 2 3 4 5 6 7 8; do
			"$WAKE" "$outer" begin SCPROF_GROUPS=socket,io,wait
			redis-benchmark -h "${place%:*}" -p "$port" -n 2000 -c 5 -t set,incr -q >bench.log 2>&1 &
			redis-cli -h "${place%:*}" -p "$port" eval \
				"for i = 1, 500 do redis.call('set', 'k' .. i, i * $round) end return 0" 0 >/dev/null
			"$WAKE" "$outer" end
			wait %%
			grep -q INCR bench.log
		done
		redis-cli -h "${place%:*}" -p "$port" get k500 | grep -qx 4000
		redis-cli -h "${place%:*}" -p "$port" shutdown nosave || true
		await nothing_but_profiles
		[ "$(profiles)" = 8 ]
		rm out/*
	fi
	if command -v nginx >/dev/null; then
		head -c 100000 /dev/urandom >page
		cat >nginx.conf <<-EOF
			user $(id -un); worker_processes 2; pid $T/nginx.pid; error_log $T/err.log;
			events { worker_connections 64; }
			http { access_log off; server { listen $place; root $T; } }
		EOF
		chmod a+rx "$T"
		LD_PRELOAD=$LIB nginx -c "$T/nginx.conf" -p "$T" 3>&- 4>&-
		await test -s nginx.pid
		outer=$(cat nginx.pid)
		started+=("$outer")
		for round in 1 2 3 4 5 6 7 8; do
			"$WAKE" "$outer" begin -a SCPROF_GROUPS=socket,io,wait
			for request in 1 2 3 4 5 6; do
				curl -s "http://$place/page" | cmp - page
			done
			"$WAKE" "$outer" end
		done
		kill -QUIT "$outer"
		await has_ended "$outer"
		await nothing_but_profiles
		"$SCPROF" report --by function --format json out/*.scp >report.json
		[ "$(calls_of accept4)" -gt 0 ]
	fi
}

@test "dormant 14: behind a filter of its own a program does not begin to record, but ends" {
	[ "$(uname -m)" = x86_64 ] || skip "system calls have other numbers"
	begin_exchange
	"$WAKE" "$pid" begin -a SCPROF_GROUPS=socket
	step main child sandbox main
	"$WAKE" "$pid" end
	step main child
	"$WAKE" "$pid" begin -a SCPROF_GROUPS=socket
	step main
	"$WAKE" "$pid" state | grep -qE "answer ($pid 5|$child 0)$" # whoever was the last
	step child main
	exchanged "$pid" 40
	exchanged "$child" 40
}

# by_file NAME FILE COMMAND...: scprof attach to it as an argument of the command, into NAME.scp.
by_file()
{
	rm -f attach.err # what an earlier one said
	# unshare before util-linux 2.37 leaves its command with SIGINT ignored
	limited "${@:3}" env --default-signal=INT "$SCPROF" attach -g socket --no-report -o "$T/$1.scp" "$2" >attach.out 2>attach.err 3>&- 4>&- 7>&- 8<&- &
	started+=($!)
	tool=$!
	await grep -q '^scprof: recording' attach.err
}

told_to_stop()
{
	"$WAKE" "$1" state | grep -q "ordered 0"
}

@test "dormant 15: by the page's file, from where neither the processes nor their names of folders are seen" {
	begin_exchange_elsewhere
	local file
	file=$(echo other/out/*.wake)
	by_file first "$file" unshare -Urpf --kill-child --mount-proc
	grep -q "recording process $pid (${PYTHON##*/}) until" attach.err
	step main child
	not "$SCPROF" attach --for 1s "$file" 2>second.err
	grep -q 'another scprof records here' second.err
	not "$SCPROF" detach "$file" 2>second.err
	grep -q 'another scprof records here' second.err
	kill -INT "$(pgrep -of "^$SCPROF attach .*$file")"
	await told_to_stop "$file"
	step main child # they end their profiles
	wait $tool
	"$SCPROF" report --by function --format json first.scp >report.json
	[ "$(calls_of send)" = 40 ] || { calls_of send; false; }
	holds '.attach.woken and .attach.detached' '.program.pids | length == 2'
	[ "$(ls other/out)" = "${file##*/}" ]
	# a tool that is killed is followed by its guard
	by_file second "$file" env
	kill -KILL "$(pgrep -of "^$SCPROF attach .*$file")"
	wait $tool || true
	await told_to_stop "$file"
	"$SCPROF" detach "$file" | grep -q 'nothing to put right'
	"$WAKE" "$file" begin SCPROF_GROUPS=socket
	"$SCPROF" detach "$file" | grep -q 'told to stop'
}

@test "dormant 16: a file that is no page, or stands beside others, is refused" {
	head -c 8192 /dev/zero >x.wake
	run -125 "$SCPROF" attach x.wake
	[[ $output == *"x.wake is not a page that wakes a process, of this version"* || $output == *"x.wake: is not a page"* ]]
	run -125 "$SCPROF" attach none.wake
	[[ $output == *"none.wake: cannot open the page"* ]]
	run -125 "$SCPROF" attach x.wake 1
	[[ $output == *"x.wake stands alone"* ]]
	run -125 "$SCPROF" attach -s qsort x.wake
	[[ $output == *"by ptrace only"* ]]
}

@test "dormant 17: nothing is read of a library that is on no call path, which may be closed meanwhile" {
	local status=0
	begin "$PROGRAMS/hidden_headers"
	pid=${started[0]}
	read -r -t 900 _ <&8
	"$WAKE" "$pid" begin SCPROF_GROUPS=socket
	echo >&7
	read -r -t 900 _ <&8
	"$WAKE" "$pid" end
	exec 7>&-
	wait "$pid" || status=$?
	[ $status = 3 ]
	exchanged "$pid" 10
}

profile_of()
{
	[ -n "$(find out -name "scprof.*.$1.scp")" ]
}

@test "dormant 18: a child that was forked while another thread began to record is woken like others" {
	local status=0 child
	# the first file of each thread gets its name late
	strace -f -qq -o /dev/null -e signal=none -e trace=renameat2 -e inject=renameat2:delay_enter=700000:when=1 \
		-E LD_PRELOAD="$LIB" -E SCPROF_OUT="$T/out" -E SCPROF_STOPPED=1 \
		"$PROGRAMS/forks_when_told" <to >from 3>&- 4>&- &
	exec 7>to 8<from
	read -r -t 900 pid <&8
	started=("$pid")
	"$WAKE" "$pid" begin SCPROF_GROUPS=socket 7>&- &
	sleep 0.3
	echo >&7
	read -r -t 900 child <&8
	started+=("$child")
	wait $!
	"$WAKE" "$child" begin SCPROF_GROUPS=socket
	await profile_of "$child"
	exec 7>&-
	wait %1 || status=$?
	[ $status = 3 ]
}

@test "dormant 19: threads whose exec fails at the same time make one page between them" {
	local status
	for _ in {1..5}; do
		status=0
		limited env LD_PRELOAD="$LIB" SCPROF_OUT="$T/out" SCPROF_STOPPED=1 "$PROGRAMS/execs_fail" >said || status=$?
		[ "$status $(cat said)" = "3 0 descriptors are left" ]
	done
}

@test "dormant 20: nothing is left of a process that ends, or executes, while its threads try to execute" {
	for _ in {1..5}; do
		for how in ends executes; do
			limited env LD_PRELOAD="$LIB" SCPROF_OUT="$T/out" SCPROF_STOPPED=1 "$PROGRAMS/execs_fail" $how
			ls -A out
			[ -z "$(ls -A out)" ]
		done
	done
}
