#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# The harnesses here see what they look for: a stand-in for scprof does it. By hand: tests/run --build build tests/bench/attach/trials.bats
# about 40 s

load ../../commands/common
load ../../commands/attach/real

setup()
{
	common_setup
	TRIED=$ROOT/tests/bench/attach/fake_scprof
	export FAULT=none
}

# faulty TEXT HARNESS WORD...: it ends with status 1 and says TEXT.
faulty()
{
	local status=0
	trial "${@:2}" || status=$?
	[ $status = 1 ] && grep -qE -- "$1" trial.out
}

# leaves NUMBER TEXT: what the program left does is seen.
leaves()
{
	FAULT=leave WHAT=$1 faulty "$2" state left 1 --any-slots --for 0.3 --rest 0.2
}

@test "trials 01: nothing is wrong where nothing is done" {
	trial cycles torture 3 --size 0.1
	trial cycles blocked 3
	trial kills blocked 3
	trial state left 1 --any-slots --rest 0.2 --for 0.2
}

@test "trials 02: a call that comes back with EINTR is seen" {
	FAULT=interrupt faulty 'EINTR, and no signal was sent' cycles blocked 2
}

@test "trials 03: a process that stays stopped, one that dies, and a file that is left are seen" {
	FAULT=stop faulty 'is stopped' cycles blocked 2
	FAULT='kill' faulty 'crashed: ended with status -9' cycles blocked 2
	FAULT=left faulty 'left over: /dev/shm/scprof-left' cycles blocked 2
	rm -f /dev/shm/scprof-left.*
}

@test "trials 04: wrong answers and crashes of the program are seen" {
	TORTURE_FLAW=wrong faulty '1 wrong answers' cycles torture 12 --size 0.1
	TORTURE_FLAW=crash faulty 'crashed: ended with status -6' cycles torture 12 --size 0.1
}

@test "trials 05: a refusal is seen" {
	FAULT=refuse faulty 'ended with status 1: scprof: not now' cycles blocked 2
	FAULT=refuse FAULT_AT=detach faulty 'ended with status 1: scprof: not now' kills blocked 3
}

@test "trials 06: what is left in the process is seen" {
	leaves 1 'descriptor [0-9]+: .pipe'
	leaves 2 'status SigCgt'
	leaves 3 'status Threads: .2. instead of .1.'
	leaves 4 'environ of libc: .*SCPROF_LEFT=1'
	leaves 5 'thread [0-9]+ SigBlk'
	leaves 6 'mapping .* is now rw-p r--p'
	leaves 7 'slot of getppid'
	leaves 8 'the word at .* is 6712000000000000'
	leaves 9 'status Umask'
	leaves 10 "cwd: '/'"
	leaves 11 'status SigIgn'
}

@test "trials 07: lost connections and wrong values of a server are seen" {
	FAULT=wrong faulty 'wrong: k[0-9]' cycles memcached 2
	FAULT='kill' faulty 'lost connections' cycles memcached 2
}
