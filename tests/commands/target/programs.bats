#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Each target program gives the same output and status with and without the
# library, and its profile has the calls that it made.
# about 12 s

load ../common

@test "programs 01: a program may close every descriptor it did not open" {
	unnoticed "$PROGRAMS/close_all"
}

@test "programs 02: daemonising twice loses neither calls nor status" {
	unnoticed "$PROGRAMS/daemon_twice"
}

@test "programs 03: a handler on the smallest alternate stack makes the first call" {
	unnoticed "$PROGRAMS/small_altstack" cold
}

# same_for_each PROGRAM: its output and status are the same either way for each line of arguments on standard input.
# (One shell for all: what same_either_way starts for a program takes longer than such a program does.)
same_for_each()
{
	cat >lines
	# shellcheck disable=SC2016 # for the inner shell
	local kind each='export EXPECT; [ "$1" = without ] || export LD_PRELOAD=$2 SCPROF_GROUPS=socket,wait
		while read -r line; do echo "$line"; "$0" $line; echo "status $?"; done'
	for kind in without with; do
		EXPECT=$T/expect.$kind SCPROF_OUT=$T/out limited bash -c "$each" "$1" $kind "$LIB" \
			<lines >$kind.each 2>&1 3>&- 4>&-
	done
	diff without.each with.each
	not grep -q '^status 99' with.each
}

@test "programs 04: a handler on the smallest alternate stack makes later calls" {
	unnoticed "$PROGRAMS/small_altstack" warm
	# with hardly any stack left the calls are not recorded, and that is all
	{
		printf '%s\n' {cold,warm,places,disarmed}' '{512..1344..64}
		printf '%s\n' object' '{640..1472..64}" $PROGRAMS/plugin_a.so" thread' '{640..1280..32}
	} | same_for_each "$PROGRAMS/small_altstack"
	printf '%s\n' {cold,warm,places}' 512' thread' '{640..1280..32} |
		SCPROF_STATES=off same_for_each "$PROGRAMS/small_altstack"
}

@test "programs 05: C++ exceptions and cancellation unwind through wrapped calls" {
	unnoticed "$PROGRAMS/exceptions"
}

@test "programs 06: threads end by pthread_cancel and pthread_exit" {
	unnoticed "$PROGRAMS/cancel"
}

@test "programs 07: coroutines on stacks that come, go and shrink" {
	unnoticed "$PROGRAMS/coroutines"
}

@test "programs 08: a handler longjmps out of wrapped calls, 3000 times" {
	unnoticed "$PROGRAMS/longjmp_handler"
}

@test "programs 09: a handler makes a call and longjmps out of wrapped calls" {
	unnoticed "$PROGRAMS/longjmp_handler" busy
}

@test "programs 10: a program that unwinds with libunwind sees the same frames" {
	unnoticed "$PROGRAMS/uses_libunwind"
}

@test "programs 11: chains of fork, vfork, posix_spawn, system and exec" {
	unnoticed "$PROGRAMS/spawn_chain"
}

@test "programs 12: fork by the bare system call" {
	unnoticed "$PROGRAMS/raw_fork"
}

@test "programs 13: fork while other threads are inside wrapped calls" {
	unnoticed "$PROGRAMS/fork_in_threads"
}

@test "programs 14: 10 000 short threads" {
	unnoticed "$PROGRAMS/many_threads" 10000
}

@test "programs 15: descriptors that change between socket and file" {
	unnoticed "$PROGRAMS/fd_reuse"
}

@test "programs 16: plugins that replace each other keep their own calls" {
	unnoticed "$PROGRAMS/plugins" "$PROGRAMS/plugin_a.so" "$PROGRAMS/plugin_b.so"
	local by_plugin='[.sites[] | select(.symbol == "send")
		| select(any(.stack[]; (.module // "") | endswith($p))) | .calls] | add // 0'
	[ "$(jq --arg p plugin_a.so "$by_plugin" "$T/report.json")" = 1000 ]
	[ "$(jq --arg p plugin_b.so "$by_plugin" "$T/report.json")" = 2000 ]
}

@test "programs 17: errno, signal mask, descriptors and floating point are kept" {
	same_either_way "$PROGRAMS/preserves"
	rm -r "$T"/out/*
	same_either_way "$PROGRAMS/no_vdso"
}

@test "programs 18: fortified calls are recorded under their plain names" {
	unnoticed "$PROGRAMS/fortify" fine
}

@test "programs 19: fortified calls that overflow abort with the usual message" {
	local call
	for call in recv read poll recvfrom; do
		rm -rf out expect.* && mkdir out
		unnoticed "$PROGRAMS/fortify" $call
		grep -q 'buffer overflow detected' with.err
		[ "$(cat with.status)" = 134 ]
	done
}

@test "programs 20: paths that differ only further up are distinguished" {
	unnoticed "$PROGRAMS/paths"
	local by_side='[.sites[] | select(.symbol == "send")
		| select(any(.stack[]; .function == $f)) | .calls] | add // 0'
	[ "$(jq --arg f north "$by_side" report.json)" = 1000 ]
	[ "$(jq --arg f east "$by_side" report.json)" = 2000 ]
	[ "$(jq --arg f south "$by_side" report.json)" = 3000 ]
	[ "$(jq --arg f west "$by_side" report.json)" = 500 ]
}

@test "programs 21: a thread that forbids the time-stamp counter may end" {
	unnoticed "$PROGRAMS/corners" tsc
	unnoticed "$PROGRAMS/corners" tsc-raw
}

@test "programs 22: a forked child whose exec failed is recorded" {
	unnoticed "$PROGRAMS/corners" exec
}

@test "programs 23: a sandboxed process forks without a system call of ours, with any clock" {
	unnoticed "$PROGRAMS/corners" sandbox
	rm -rf out expect.* && mkdir out
	SCPROF_CLOCK=thread-cpu unnoticed "$PROGRAMS/corners" sandbox
}

@test "programs 24: a handler that longjmps out of first calls does not keep paths out" {
	same_either_way "$PROGRAMS/new_paths"
	make_report --by function
	[ "$(jq .overflow_calls report.json)" = 0 ]
}

@test "programs 25: execl and its kin hand over their lists" {
	same_either_way "$PROGRAMS/exec_list"
	grep -q '^one two$' "$T/with.out"
	# children that called nothing recorded leave no file
	[ "$(find "$T/out" -name 'scprof.exec_list.*.scp' | wc -l)" = 1 ] # the parent's alone
}

@test "programs 26: handlers call, fork and longjmp on small stacks and coroutines while plugins come and go" {
	unnoticed "$PROGRAMS/stressed" 300 "$PROGRAMS/plugin_a.so" "$PROGRAMS/plugin_b.so"
	not grep 'left out' report.err
}

@test "programs 27: in a forked child another thread than the one that forked may begin" {
	same_either_way "$PROGRAMS/forked_beside"
	grep -q "^the child's status: 0$" "$T/with.out"
}

@test "programs 28: what lies above a stack is unmapped between two calls from it" {
	unnoticed "$PROGRAMS/beyond_stack"
}

@test "programs 29: a file that takes the number of one of our descriptors, which were closed, stays as it is" {
	head -c 100000 /dev/zero | tr '\0' x >file
	limited env LD_PRELOAD="$LIB" SCPROF_OUT="$T/out" "$PROGRAMS/shares_files" file >said || true
	cat said
	cmp file <(head -c 100000 /dev/zero | tr '\0' x)
	not grep FAILED said
	grep -q '^many uses$' said || skip "no process can be traced here"
}

@test "programs 30: a handler that leaves while the header is brought up to date stops no clock" {
	local reading
	for reading in {2..8}; do
		SCPROF_STATES=off limited env LD_PRELOAD="$LIB" SCPROF_OUT="$T/out" "$PROGRAMS/leaves_refresh" "$reading"
		make_report --by function
		SHOWN=.program holds '.processes[0].wall_s >= 0.3' # it has slept so long
		rm out/*
	done
}
