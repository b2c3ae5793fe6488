#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# A forked child has a profile when it has proven to live on: until then it pays for none, and what it
# calls is counted in its parent's.
# about 5 s

load ../common

SOON_GONE='fails leaves executes'

# early GROUPS KIND...: recorded under the tool.
early()
{
	local groups=$1
	shift
	"$PROGRAMS/prepares" "$@" >plain.out 2>plain.pids
	"$SCPROF" run --no-report -g "$groups" -o run.scp -- "$PROGRAMS/prepares" "$@" >with.out 2>with.err
	cmp plain.out with.out
	"$SCPROF" report --format json --by process run.scp >processes.json
	"$SCPROF" report --format json run.scp >report.json
}

# children TRACE PIDS: names of the system calls that the children made, in their order; without those that
# make nothing: signals are held, a process asks for its id, a descriptor for its kind, a page whether it is there.
children()
{
	awk 'NR == FNR { child[$1]; next } ($1 in child) { sub(/\(.*/, "", $2); print $2 }' <(grep -x '[0-9]*' "$2") "$1" |
		grep -vE '^(rt_sigprocmask|futex|getpid|getsockopt|<\.\.\.|\+\+\+)'
}

@test "a child that executes another program, or fails to, opens, maps and writes nothing of ours" {
	command -v strace >/dev/null || skip 'strace is not installed'
	local options
	# shellcheck disable=SC2086 # words are meant
	strace -f -qq -e signal=none -o plain.trace "$PROGRAMS/prepares" $SOON_GONE 2>plain.pids >plain.out
	children plain.trace plain.pids >plain.calls
	[ "$(grep -c '^openat' plain.calls)" -ge 9 ]
	for options in '-g socket,wait' '-g all' '-g all,alloc' '-c page --states exact' '-g all,alloc -c page --states exact'; do
		# shellcheck disable=SC2086
		strace -f -qq -e signal=none -o with.trace "$SCPROF" run $options --no-report -o run.scp -- \
			"$PROGRAMS/prepares" $SOON_GONE 2>with.pids >with.out
		cmp plain.out with.out
		children with.trace with.pids >with.calls
		diff plain.calls with.calls || { echo "with $options" && return 1; }
	done
}

@test "what such a child calls is counted in its parent's profile, and it has none" {
	# shellcheck disable=SC2086
	early all $SOON_GONE
	holds '.skipped_calls == 8 + 7 + 7'
	JSON=processes.json holds '.processes | length == 1'
	# shellcheck disable=SC2086
	early all,alloc $SOON_GONE
	holds '.skipped_calls == 3 * 6 + 8 + 7 + 7'
	JSON=processes.json holds '.processes | length == 1'
}

@test "a child that lives on is recorded from the call on that shows it" {
	early all receives
	holds '.skipped_calls == 7'
	holds '[.sites[] | select(.symbol == "send" or .symbol == "recv") | .calls] == [1, 1]'
	JSON=processes.json holds '[.processes[].calls] | sort == [0, 2]'
}

@test "a child that gives up its rights, or forbids itself system calls, is recorded afterwards" {
	local how
	for how in confined drops; do
		[ $how != drops ] || [ "$EUID" = 0 ] || continue
		early all $how
		holds '[.sites[] | select(.symbol == "send" or .symbol == "recv") | .calls] == [1, 1]'
	done
}

@test "a process that gave up its rights has room for the paths that it takes afterwards" {
	[ "$EUID" = 0 ] || skip "gives up root's rights"
	[ "$(stat -fc %T /dev/shm)" = tmpfs ] || skip "no memory that files can be in"
	early all roams
	JSON=processes.json holds '.overflow_calls == 0 and ([.processes[].calls] | add == 8192)'
}

@test "a child that writes is recorded" {
	early all writes
	holds '.skipped_calls == 1' # in the handler
	holds '[.sites[] | select(.symbol == "write") | .calls] == [1]'
}

@test "a child that closes for long is recorded from its 64th call on" {
	early all closes
	holds '.skipped_calls == 63'
	holds '[.sites[] | select(.symbol == "close") | .calls] | add == 44'
}
