#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# A wait that ended because its time was over has an outcome of its own.
# sleeps

load ../common

# outcomes FUNCTION: "completed 3, timeout 5, ..." of $T/report.json.
outcomes()
{
	jq -r --arg f "$1" '[.sites[] | select(.symbol == $f)] | group_by(.outcome) |
		map("\(.[0].outcome) \(map(.calls) | add)") | join(", ")' report.json
}

# The program takes a second or more: it waits for the kernel to give up a connection.
@test "timeouts 01: each function that waits: timed out, asked without waiting, satisfied; a connection that the kernel gave up" {
	same_either_way "$PROGRAMS/timeouts"
	make_report --by function
	# not every libc has the last one
	for f in poll ppoll select pselect epoll_wait epoll_pwait $(nm -D "$PROGRAMS/timeouts" | grep -o 'epoll_pwait2'); do
		echo "$f: $(outcomes "$f")"
		[ "$(outcomes "$f")" = "completed 3, timeout 5, would-block 7" ]
	done
	[[ $(outcomes connect) = *"timeout 1" ]]
	# merged the profile tells timeouts, and says would-block to readers that do not know them
	"$SCPROF" merge -o merged.scp out/*.scp
	"$SCPROF" report --format json --by function merged.scp >report.json
	[ "$(outcomes poll)" = "completed 3, timeout 5, would-block 7" ]
	# outcome and flags stand in the record's words 5 and 22
	python3 - merged.scp out/*.scp <<-'END'
		import struct, sys
		for name in sys.argv[1:]:
		    data, found = open(name, "rb").read(), set()
		    for at in range(8192, len(data) - 192, 64):
		        kind, size = struct.unpack_from("<II", data, at)
		        outcome, = struct.unpack_from("<I", data, at + 20)
		        flags, = struct.unpack_from("<Q", data, at + 120)
		        calls, = struct.unpack_from("<Q", data, at + 32)
		        if kind == 5 and size == 192 and flags & 2:
		            found.add((outcome, calls))
		    assert found == {(1, 5), (1, 1)}, (name, found)
	END
}

@test "timeouts 02: a timeout that another thread takes away meanwhile, and one that is nowhere" {
	unnoticed "$PROGRAMS/timeouts_gone"
}

@test "timeouts 03: what is called by its number: futex(2) where it waits, several messages at once" {
	unnoticed "$PROGRAMS/by_number"
	[ "$(outcomes futex)" = "error 20, timeout 40, would-block 20" ]
	[ "$(outcomes sendmmsg)" = "completed 20" ]
	[ "$(outcomes recvmmsg)" = "completed 20, would-block 20" ]
	holds '[.sites[] | select(.symbol | test("mmsg")) | .bytes] | add == 2 * 20 * (8 + 9 + 10)'
	holds 'all(.sites[] | select(.symbol == "futex"); .stack[0].function == "wait_each_way")'
	# not chosen, it passes
	rm -rf out
	with_library() { SCPROF_GROUPS=resolve SCPROF_OUT=$T/out LD_PRELOAD=$LIB "$@"; }
	same_either_way "$PROGRAMS/by_number"
}
