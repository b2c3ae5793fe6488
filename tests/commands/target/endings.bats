#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# However a program ends, its status is its own and its calls are on record.
# about 15 s

load ../common

REPORT='--by function' # counts need no paths

ending()
{
	unnoticed "$PROGRAMS/endings" "$1"
	[ "$(cat with.status)" = "$2" ]
}

@test "endings 01: return from main" {
	ending return 4
}

@test "endings 02: exit, with an exit handler that makes calls" {
	ending exit 7
}

@test "endings 03: _exit" {
	ending _exit 8
}

@test "endings 04: quick_exit, with a handler that makes calls" {
	ending quick_exit 9
}

@test "endings 05: abort" {
	ending abort 134
}

@test "endings 06: a segmentation fault" {
	ending segv 139
}

@test "endings 07: SIGTERM and SIGKILL" {
	ending term 143
	rm -rf out expect.* && mkdir out
	ending kill 137
}

@test "endings 08: exit from another thread" {
	ending thread_exits 6
}

@test "endings 09: pthread_exit from main while a thread goes on" {
	ending thread_outlives 0
}

# Returned calls are counted in a shared file by the program; each thread may
# have one call more in the profile, which had been recorded but not counted.
# Where both need room at once, one may find none: such calls are counted, too.
# The instant is drawn from when the program is at work, however long it took to begin.
@test "endings 10: kill -9 at 100 random instants loses no returned call" {
	mkdir reports
	limited python3 - "$PROGRAMS/counter" "$SCPROF" "$LIB" <<-'PYTHON' 3>&- 4>&-
		import glob, os, random, struct, subprocess, sys, time
		program, scprof, library = sys.argv[1:]
		threads, dice = 2, random.Random(20260101)
		def counted():
		    with open("counter", "rb") as f:
		        return struct.unpack("%dQ" % threads, f.read(8 * threads).ljust(8 * threads, b"\0"))
		for i in range(100):
		    open("counter", "wb").close()
		    environment = {**os.environ, "LD_PRELOAD": library, "SCPROF_OUT": "out"}
		    p = subprocess.Popen([program, "counter", str(threads)], env=environment, stdin=subprocess.DEVNULL)
		    while not any(counted()):
		        assert p.poll() is None, p.returncode
		        time.sleep(0.0005)
		    time.sleep(dice.randrange(30) / 1000)
		    p.kill()
		    assert p.wait() == -9
		    profiles = glob.glob("out/*.scp")
		    report = "reports/%d-%d.json" % (i, sum(counted()))
		    subprocess.run([scprof, "report", "--format", "json", "--by", "function", "-o", report, *profiles], check=True)
		    for path in profiles:
		        os.unlink(path)
	PYTHON
	jq -r '"\(input_filename) \([.sites[] | select(.symbol == "send") | .calls] | add // 0) \(.overflow_calls)"' reports/*.json >calls
	[ "$(wc -l <calls)" = 100 ]
	awk -v threads=2 '{ split($1, part, /[-\/.]/) }
		$2 + $3 < part[3] || $2 > part[3] + threads {
			print "round " part[2] ": " part[3] " counted, " $2 " in the profile"; bad = 1
		} END { exit bad }' calls
}

@test "endings 11: nothing is read of a library that is on no call path, which another thread may close" {
	unnoticed "$PROGRAMS/hidden_headers"
	[ "$(cat with.status)" = 3 ]
	[ "$(calls_of send)" = 10 ]
}

@test "endings 12: execveat" {
	glibc_since 2.34 || skip "this libc has none"
	ending execveat 0
	holds '[.processes[].ended] | sort == ["exec", "exit"]'
}
