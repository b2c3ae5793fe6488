#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# `scprof top`: what it attaches to, its pictures as text, its screen on a pseudo-terminal; and
# `scprof run --live`, --until, progress. Counts are compared with what the program must have
# done; no rate is.
# about 30 s
# sleeps

load ../common

setup()
{
	common_setup
	export LC_ALL=C.UTF-8
	export SCPROF_GROUPS=socket # the programs pace themselves by waiting
	started=
}

teardown()
{
	local pid
	for pid in $started; do
		kill "$pid" 2>/dev/null || true
	done
}

# Programs go on until a test ends them, however long that takes to get there.
HOUR=3600

# watched: tests/programs/traffic under `scprof run`, in the background: $run, and when it records,
# $pid. Its profile becomes p.scp.
watched()
{
	"$SCPROF" run --no-report -o p.scp -- "$PROGRAMS/traffic" $HOUR >run.out 2>run.err </dev/null 3>&- &
	run=$!
	started="$started $run"
	wait_for_child
	await grep -q begun run.out
}

child_records()
{
	pid=$(tr -d ' \n' <"/proc/$run/task/$run/children" 2>/dev/null)
	[ -n "$pid" ] && grep -q 'scprof\..*\.scp' "/proc/$pid/maps" 2>/dev/null
}

wait_for_child()
{
	await child_records || { cat run.err && return 1; }
}

# mind PID: it is ended with the test.
mind()
{
	started="$started $1"
}

# bare: the same under a bare LD_PRELOAD: $pid.
bare()
{
	bare_program "$PROGRAMS/traffic" $HOUR
}

# bare_program PROGRAM ARGUMENT...: traffic by any name, into $T/out.
bare_program()
{
	: >bare.out
	LD_PRELOAD=$LIB SCPROF_OUT=$T/out "$@" >bare.out </dev/null 3>&- &
	pid=$!
	mind "$pid"
	await grep -q begun bare.out
}

# Until a picture is in top.out, which a top in the background writes.
wait_for_picture()
{
	await grep -q '^scprof top:' top.out
}

# top STATUS ARGUMENT...: its output in top.out, errors in top.err.
top()
{
	local wanted=$1 status=0
	shift
	timeout -k 5 300 "$SCPROF" top "$@" >top.out 2>top.err </dev/null || status=$?
	[ $status = "$wanted" ] || {
		echo "status $status instead of $wanted: scprof top $*"
		cat top.out top.err
		return 1
	}
}

# refused ARGUMENTS MESSAGE: before good.scp.
refused()
{
	# shellcheck disable=SC2086
	top 2 $1 good.scp
	grep -qF -- "$2" top.err || {
		echo "for $1:"
		cat top.err
		return 1
	}
}

# ends PID: of itself; else it is ended.
ends()
{
	await has_ended "$1" || { kill "$1" && return 1; }
}

# pty SIZE SCRIPT COMMAND...
pty()
{
	timeout -k 5 900 python3 "$BATS_TEST_DIRNAME/pty_screen.py" "$@" 3>&-
}

# hasnt PATTERN FILE: grep finds nothing.
hasnt()
{
	if grep "$@"; then
		return 1
	fi
}

# has_rows FILE: the four sites of traffic.
has_rows()
{
	local site
	for site in 'send .*often' 'recv .*often' 'send .*seldom' 'recv .*seldom'; do
		grep -q "$site" "$1" || {
			echo "no $site in:"
			cat "$1"
			return 1
		}
	done
}

@test "top 01: by process, of the program and of scprof run, by directory and by file" {
	watched
	top 0 -n 2 -d 200ms --width 150 "$pid"
	has_rows top.out
	grep -q "traffic $HOUR ($pid)" top.out
	top 0 -n 2 -d 200ms --width 150 "$run"
	has_rows top.out
	local file
	file=$(awk '/\.scp$/ { print $6; exit }' "/proc/$pid/maps")
	top 0 -n 1 -d 200ms --width 150 "$file"
	has_rows top.out
	top 0 -n 1 -d 200ms --width 150 "$(dirname "$file")"
	has_rows top.out
}

@test "top 02: of a bare LD_PRELOAD" {
	bare
	top 0 -n 1 -d 200ms --width 150 "$pid"
	has_rows top.out
	top 0 -n 1 -d 200ms --width 150 "$T/out"
	has_rows top.out
	kill -9 "$pid"
	wait "$pid" || true
	# and of a dead program there is the last picture
	top 0 -b --width 150 "$T/out"
	has_rows top.out
	grep -q 'has ended: this is the last picture of it. `scprof report`' top.out
	grep -q 'paths; it had ended: no rates' top.out
	hasnt 'no interval yet' top.out
	[ "$(grep -c '^scprof top:' top.out)" = 1 ]
}

# As in a container that changed its root after it had its mounts: the kernel shows us paths from
# the root of that namespace.
bare_below_another_root()
{
	mkdir inside
	: >bare.out
	unshare -m sh -c 'mount --rbind / inside && mount -t tmpfs none "inside$1" &&
		exec chroot inside env LD_PRELOAD="$2" SCPROF_OUT="$1" "$3" "$4"' \
		sh "$T/out" "$LIB" "$PROGRAMS/traffic" $HOUR >bare.out </dev/null 3>&- &
	pid=$!
	mind "$pid"
	await grep -q begun bare.out
}

@test "top 20: of a program below another root in a mount namespace" {
	unshare -m chroot / true 2>/dev/null || skip 'no mount namespaces here'
	bare_below_another_root
	[ -z "$(ls out)" ]
	top 0 -n 1 -d 200ms --width 150 "$pid"
	has_rows top.out
}

@test "top 03: what it says at the end is what the profile has" {
	watched
	timeout -k 5 300 "$SCPROF" top -b -d 300ms --rows 0 --width 200 "$run" >top.out </dev/null 3>&- &
	local watcher=$!
	mind $watcher
	wait_for_picture
	kill "$pid"
	wait $watcher
	wait "$run"
	grep -q 'has ended' top.out
	# calls of the last picture by function, and of the profile
	awk '/^scprof top:/ { delete calls } $NF ~ /^traffic.c:/ { for (i = 1; i < NF; i++)
		if ($i == "send" || $i == "recv") { gsub(",", "", $(i - 1)); calls[$i] += $(i - 1) } }
		END { print calls["send"], calls["recv"] }' top.out >got
	"$SCPROF" report --format json p.scp >report.json
	echo "$(calls_of send) $(calls_of recv)" >wanted
	diff got wanted
	# the counts never fall, from picture to picture
	awk '/ calls, [0-9]+ paths/ { gsub(",", "", $1); if ($1 + 0 < last) exit 1; last = $1 + 0 }' top.out
}

@test "top 22: where the time of calls went, as the profile has it; nothing of profiles that do not know it" {
	local row
	"$PROFILES/make_states" rseq switched.scp
	"$SCPROF" top --batch --width 170 -n 1 switched.scp >top.out
	grep -qx 'in calls that work: on CPU 6.1 %, runnable 65.2 %, asleep 28.7 %' top.out
	for row in '2/ 98/  0 +1.005 µs .* send ' '9/  4/ 87 +1.005 µs .* recv ' '100/  0/  0 +1.004 µs .* read ' '0/  0/100 +- .* connect '; do
		grep -Eq " $row" top.out
	done
	"$SCPROF" top --batch --width 90 -n 1 switched.scp >narrow.out
	grep -q 'mean of the run' narrow.out
	[ "$(wc -L <narrow.out)" -le 100 ]
	"$PROFILES/make_profile" paths 5 some.scp
	"$SCPROF" top --batch --width 170 -n 1 some.scp >some.out
	if grep -E 'in calls that work:|cpu/run/slp' some.out; then return 1; fi
}

@test "top 04: keys for sorting, rows, groupings, filters and paths" {
	watched
	top 0 -n 1 -d 300ms --width 150 --sort bytes "$pid"
	# seldom moves as much in a call as often in forty: both functions are there; sort by name
	top 0 -n 1 -d 300ms --width 150 --sort name --rows 1 "$pid"
	grep -q 'recv ' top.out
	hasnt 'send ' top.out
	grep -q 'sorted by name' top.out
	top 0 -n 1 -d 300ms --width 150 --sort cpu "$pid"
	grep -q 'sorted by CPU time/s' top.out
	top 0 -n 1 -d 300ms --width 150 --filter seldom "$pid"
	[ "$(grep -c 'seldom at' top.out)" = 2 ]
	hasnt 'often at' top.out
	top 0 -n 1 -d 300ms --width 150 --filter seldom --paths "$pid"
	[ "$(grep -c 'from main at traffic.c' top.out)" = 2 ]
	top 0 -n 1 -d 300ms --width 150 --by function "$pid"
	grep -q ', 2 functions;' top.out
}

@test "top 05: wrong usage, and nothing to watch" {
	top 2
	grep -q 'watch what' top.err
	top 1 /nonexistent
	grep -q 'No such file' top.err
	top 1 $$
	grep -q 'writes no profile' top.err
	grep -q "scprof top --attach $$\." top.err
	top 1 4194305
	grep -q 'no process has the number\|No such file' top.err
	mkdir empty
	top 1 empty
	grep -q 'there is no profile' top.err
	echo text >text
	top 1 text
	grep -q 'is not a scprof profile' top.err
	# of a profile that there is nothing wrong with
	"$SCPROF" run --no-report -o good.scp -- "$PROGRAMS/traffic" 0.1 >/dev/null 2>&1 </dev/null
	top 0 -n 1 -d 100ms --confidence 95% --by function --sort calls good.scp
	refused '-d 1' "--interval '1' is not a time"
	refused '-d 10ms' "--interval '10ms' is not a time"
	refused '-d 61s' "--interval '61s' is not a time"
	refused '--sort speed' "--sort 'speed' is unknown; there are: time,"
	refused '--by thread' "--by 'thread' is unknown; there are: path, site, function"
	refused '-n 0' "--pictures '0' is not a whole number, 1 or more"
	refused '--rows x' "--rows 'x' is not a whole number"
	refused '--width 19' "--width '19' is not a whole number from 20"
	refused '--confidence 95' "--confidence '95' is not a number between 0 and 1"
	refused good.scp 'one target at a time'
	top 0 --help
	grep -q 'usage: scprof top' top.out
	[ "$(wc -l <top.err)" = 0 ]
}

@test "top 06: the screen: sort, open a path, pause, filter, help, resize, quit" {
	watched
	pty 150x32 "
		wait often at traffic
		wait sorted by time
		count (send|recv) +(often|seldom) at 4
		key n
		wait sorted by name
		wait calls/s[^\\n]*\\n[^\\n]*recv\\b
		key c
		wait sorted by calls
		key g
		wait 4 sites
		key g
		wait 2 functions
		key g
		wait 4 paths
		key HOME
		key ENTER
		count from main at traffic 1
		key ENTER
		count from main at traffic 0
		key o
		count from main at traffic 4
		key o
		count from main at traffic 0
		key /
		key seldom
		count often at traffic 0
		key ENTER
		wait only rows with: seldom
		count seldom at traffic 2
		key ESC
		count often at traffic 2
		key h
		wait choose a row
		key h
		gone choose a row
		key \x20
		wait PAUSED
		still 0.7
		key \x20
		gone PAUSED
		resize 70x12
		wait ^q quit
		count called from 1
		screen small
		resize 150x40
		wait calls  function
		count (send|recv) +(often|seldom) at 4
		key q
		end 0" "$SCPROF" top -d 200ms "$run"
	[ "$(wc -L <small)" -le 70 ]
}

@test "top 07: a program that ends leaves its last picture" {
	watched
	pty 130x20 "
		wait often at traffic
		shell kill $pid
		wait has ended: this is the last picture
		count (send|recv) +(often|seldom) at 4
		still 0.7
		key q
		end 0" "$SCPROF" top -d 200ms "$run"
}

@test "top 08: a new path shows up while one watches" {
	bare
	pty 130x20 "
		wait often at traffic
		count when_asked 0
		shell kill -USR1 $pid
		wait send +when_asked
		key q
		end 0" "$SCPROF" top -d 200ms "$pid"
}

@test "top 09: hostile names stay text" {
	# the pty driver fails at any sequence that ncurses would not have written
	# without symbols, so that frames have the file's name
	strip -o $'bad\e]0;owned\a\e[31mname' "$PROGRAMS/traffic"
	bare_program ./$'bad\e]0;owned\a\e[31mname' $HOUR $'\e[2J'
	pty 150x20 "
		wait scprof top: .*bad.x1b.0;owned.x07.x1b
		wait bad.x1b.0;owned.x07.x1b.*name[+]0x
		key q
		end 0" "$SCPROF" top -d 200ms "$pid"
	# all files of a directory where nothing lives, the damaged one, too
	kill "$pid"
	wait "$pid"
	echo text >"$T/out/"$'scprof.\e[2Jdamaged.1.scp'
	top 0 -b --width 300 --paths "$T/out"
	hasnt $'\e' top.out
	grep -q 'file left out: .*x1b.*damaged' top.out
	grep -q 'x1b.*name+0x' top.out
}

@test "top 10: it only reads, and the program is undisturbed by its end" {
	command -v strace >/dev/null || skip 'no strace here'
	watched
	timeout -k 5 300 strace -f -qq -e trace=openat,open,kill,ptrace,process_vm_readv -o trace \
		"$SCPROF" top -n 3 -d 200ms "$pid" >top.out </dev/null
	hasnt -E 'O_WRONLY|O_RDWR|O_CREAT|ptrace|process_vm' trace
	hasnt -E 'kill\(' trace
	rm top.out
	"$SCPROF" top -b -d 100ms "$pid" >top.out </dev/null 3>&- &
	local watcher=$! status=0
	wait_for_picture
	kill -9 $watcher
	kill "$pid"
	wait "$run" || status=$?
	[ $status = 0 ]
}

# In front of a command: what the terminal is set to, before and after it, in the files of these
# names.
# shellcheck disable=SC2016
REMEMBERING=(sh -c 'stty -g >before; "$@"; status=$?; stty -g >after; exit $status' sh)

@test "top 11: a signal that ends it leaves the terminal as it was" {
	local signal
	bare
	for signal in INT QUIT TERM HUP; do
		pty 130x20 "
			wait often at traffic
			shell kill -$signal \$(pgrep -P \$PID)
			end 0" "${REMEMBERING[@]}" "$SCPROF" top -d 200ms "$pid"
		[ -s before ]
		diff before after
	done
}

# pictures COUNT: so many are in top.out.
pictures()
{
	[ "$(grep -c '^scprof top:' top.out)" -ge "$1" ]
}

@test "top 12: after a delay it goes on as before, with no crowd of short intervals" {
	local watcher
	bare
	"$SCPROF" top -b -d 300ms --rows 1 --width 150 "$pid" >top.out </dev/null 3>&- &
	watcher=$!
	mind $watcher
	await pictures 2
	kill -STOP $watcher
	sleep 1 # three intervals
	kill -CONT $watcher
	await pictures $(($(grep -c '^scprof top:' top.out) + 8))
	kill $watcher
	wait $watcher || true
	# in seconds; one may be short, as its beginning was late, but not two in a row: two are due an interval
	# apart at least, and none comes before it is due
	sed -n 's/.*; in the last \([0-9.]* [^ ]*s\): .*/\1/p' top.out | awk '
		{ s = $1 * ($2 == "s" ? 1 : $2 == "ms" ? 1e-3 : $2 == "us" ? 1e-6 : 1e-9)
		  if (NR > 1 && s + last < 0.29) { print "line " NR ": " last ", " s; exit 1 }
		  last = s } END { if (NR < 8) exit 1 }' || {
		cat top.out
		return 1
	}
}

@test "top 13: a picture does not wait for a server of debug information" {
	command -v strace >/dev/null || skip 'no strace here'
	# the file of the program is gone: a report would ask for it
	cp "$PROGRAMS/traffic" gone
	bare_program ./gone $HOUR
	kill "$pid"
	wait "$pid"
	rm gone
	DEBUGINFOD_URLS=http://127.0.0.1:9 DEBUGINFOD_CACHE_PATH=$T/cache timeout -k 5 300 \
		strace -f -qq -e trace=connect -o trace "$SCPROF" top -b "$T/out" >top.out </dev/null
	grep -q '^scprof top:' top.out
	hasnt AF_INET trace
}

# watched_program ARGUMENT... of scprof run: as `watched`, of any program.
watched_program()
{
	"$SCPROF" run --no-report -o p.scp "$@" >run.out 2>run.err </dev/null 3>&- &
	run=$!
	started="$started $run"
	wait_for_child
}

# same_as_report: the mean of the run, its +-% and the warnings of all rows of a picture of p.scp are
# those of `scprof report` of the same file, to the digits that are shown; the last picture that was
# made while the program lived has the same calls, warm-up and warnings. (What was subtracted from its
# means may have been measured again since.)
same_as_report()
{
	"$SCPROF" report --format json p.scp >report.json
	python3 "$BATS_TEST_DIRNAME/top_report.py" --counts top.out report.json
	"$SCPROF" top -b --rows 0 --paths --width 220 p.scp >file.out
	python3 "$BATS_TEST_DIRNAME/top_report.py" file.out report.json
}

# looks: how often the thread has waited that looks for --until.
looks()
{
	sed -n 's/^voluntary_ctxt_switches:\t//p' "$(dirname "$(grep -lx scprof-watch "/proc/$run"/task/*/comm)")/status"
}

# It has looked, from the beginning to the end, since this began.
looked_again()
{
	local before
	before=$(looks)
	await eval '[ "$(looks)" -gt $((before + 2)) ]'
}

# last_picture PATTERN [COMMAND]: the program of `watched_program` is ended when a picture has the
# pattern and the command is over.
last_picture()
{
	timeout -k 5 300 "$SCPROF" top -b -d 300ms --rows 0 --paths --width 220 "$run" >top.out </dev/null 3>&- &
	local watcher=$!
	mind $watcher
	await grep -q "$1" top.out
	"${2:-true}"
	kill "$pid"
	wait $watcher
	wait "$run"
}

@test "top 14: the mean of the run, its interval and warnings are the report's, a warm-up excluded" {
	watched_program -c tsc -- "$PROGRAMS/warms_up" slowly $HOUR
	last_picture '^scprof top:'
	same_as_report
}

@test "top 15: calls synchronous with the clock's tick are marked, and --until does not stop at it" {
	watched_program -c coarse -g socket --until 20% -- "$PROGRAMS/given_time" paced 0
	# 256 calls of a site are enough for a look to count
	last_picture '[0-9],[0-9]* calls, 2 paths' looked_again
	same_as_report
	tail -n 1 top.out | grep -q '^!: the interval may not contain the true mean (.*clock-synchronous'
	grep -q 'which was not reached (.*clock-synchronous' run.err
}

@test "top 16: Ctrl-Z gives the terminal back, fg takes it again, Ctrl-C ends it" {
	bare
	# the shell's own job control: settings before, while it is stopped, and afterwards
	cat >session <<-'END'
		set -m
		stty -g >before
		"$@"
		stty -g >stopped
		echo 'stopped here'
		read -r _
		fg >/dev/null
		stty -g >after
		echo 'over'
	END
	pty 130x20 "
		wait often at traffic
		key \x1a
		wait stopped here
		left
		resize 100x16
		key \n
		wait often at traffic
		wait ^q quit
		key \x03
		wait over
		end 0" bash session "$SCPROF" top -d 200ms "$pid"
	[ -s before ]
	diff before stopped
	diff before after
}

# ncurses would, while it draws: a key pressed then had no effect.
@test "top 21: Ctrl-Z is at no moment ignored" {
	command -v strace >/dev/null || skip 'no strace here'
	bare
	pty 130x20 "
		wait often at traffic
		sleep 1
		key q
		end 0" strace -o trace -e trace=rt_sigaction "$SCPROF" top -d 100ms "$pid"
	grep -q 'rt_sigaction(SIGTSTP' trace
	hasnt 'SIGTSTP, {sa_handler=SIG_IGN' trace
}

@test "top 17: a terminal that goes ends it, even where the signal of that is ignored" {
	bare
	pty 130x20 "
		wait often at traffic
		hang up" "$SCPROF" top -d 200ms "$pid"
	# the kernel tells the leader of the session, and that one does not mind; the job begins in the foreground,
	# for bash continues none that it does not know to be stopped
	pty 130x20 "
		wait often at traffic
		hang up" bash -c 'trap "" HUP; set -m
		sh -c "echo \$\$ >watcher; exec \"\$@\"" sh "$@"; :' sh "$SCPROF" top -d 200ms "$pid"
	ends "$(cat watcher)"
}

@test "top 18: a program that becomes another by exec is followed" {
	mkfifo fifo
	"$SCPROF" run --no-report -o p.scp -- sh -c 'read -r _ <fifo; exec "$@"' sh "$PROGRAMS/traffic" $HOUR \
		>run.out 2>run.err </dev/null 3>&- &
	run=$!
	started="$started $run"
	wait_for_child
	pty 130x20 "
		wait scprof top: sh
		shell echo go >fifo
		count (send|recv) +(often|seldom) at 4
		wait scprof top: /[^ ]*traffic $HOUR
		shell kill $pid
		wait has ended: this is the last picture
		key q
		end 0" "$SCPROF" top -d 200ms "$run"
}

@test "top 23: on an overlay, as in containers, the profile of a process is found" {
	mkdir mounted
	unshare -m sh -c 'mount -t tmpfs none mounted && mkdir mounted/a mounted/b mounted/c &&
		mount -t overlay -o lowerdir=out,upperdir=mounted/a,workdir=mounted/b none mounted/c' ||
		skip 'no overlay can be mounted here'
	unshare -m sh -ec "mount -t tmpfs none mounted
		mkdir mounted/a mounted/b mounted/c
		mount -t overlay -o lowerdir=out,upperdir=mounted/a,workdir=mounted/b none mounted/c
		mkfifo begun
		LD_PRELOAD=$LIB SCPROF_OUT=$T/mounted/c '$PROGRAMS/traffic' $HOUR >begun </dev/null 3>&- &
		read -r line <begun
		status=0
		'$SCPROF' top --batch --pictures 1 \$! >top.txt || status=\$?
		kill \$!
		exit \$status"
	grep -qE '(often|seldom) at' top.txt
}

@test "top 19: a terminal without cursor addressing is refused" {
	local status=0
	bare
	TERM=dumb timeout -k 5 300 script -qec "$SCPROF top -d 200ms $pid" /dev/null >out.txt </dev/null || status=$?
	[ $status = 1 ]
	grep -q "the terminal 'dumb' (TERM) cannot show a full screen" out.txt
	hasnt 'often at' out.txt
}

@test "run --live: the picture on the terminal, the program's output in a file" {
	pty 130x24 "
		wait often at traffic
		wait output goes to .*scprof.sh.log
		shell kill \$(pgrep -P \$(pgrep -P \$PID -x sh) -x traffic)
		wait has ended: this is the last picture
		key q
		end 3" "$SCPROF" run --live -o "$T/p.scp" -- \
		sh -c 'echo said; echo complained >&2; '"$PROGRAMS/traffic $HOUR"'; exit 3'
	grep -qx said scprof.sh.log
	grep -qx complained scprof.sh.log
	# the report comes on the terminal afterwards
	grep -q 'profile: .*p.scp' normal
	grep -q 'scprof.sh.log' normal
	"$SCPROF" report --format json p.scp >report.json
	[ "$(calls_of send)" -gt 40 ] # those of the first round
}

# The command goes as soon as a file appears, its child when that is gone again.
@test "run --live: what happens after the picture was quit is said on the terminal" {
	pty 130x24 "
		wait called from
		key q
		wait runs on; Ctrl-C ends it. The report comes when it ends
		shell touch $T/go
		wait the command has ended, but 1 process of it still runs
		shell touch $T/done
		end 0" "$SCPROF" run --live -o "$T/p.scp" -- \
		python3 -c 'import os, select, sys, time
if os.fork():
    while not os.path.exists(sys.argv[1]): select.select([], [], [], 0.05)
else:
    while not os.path.exists(sys.argv[2]): time.sleep(0.05)' "$T/go" "$T/done"
	grep -q 'profile: .*p.scp' normal
}

@test "top: a narrow window has the mean and its interval, whatever else goes" {
	local width
	"$PROFILES/make_states" rseq made.scp
	for width in 40 50 60 70 80 200; do
		"$SCPROF" top --batch -n 1 --width $width made.scp >narrow.txt
		grep -q 'mean of the run.* function' narrow.txt
		grep -Eq '(±|\+-|\[[0-9.]+, [0-9.]+\]).* send' narrow.txt # a skewed interval has two ends
		[ "$(wc -L <narrow.txt)" -le $width ]
	done
	hasnt 'called from' <("$SCPROF" top --batch -n 1 --width 40 made.scp)
	"$SCPROF" top --batch -n 1 --width 80 made.scp | grep 'calls/s.*time/s.*mean of the run.*called from'
}

@test "run --live: a picture that is killed leaves the terminal as it was" {
	pty 130x24 "
		wait often at traffic
		shell kill -9 \$(pgrep -f -P \$(pgrep -P \$PID) 'scprof watch-run')
		shell kill \$(pgrep -P \$(pgrep -P \$PID) -x traffic)
		end 0" "${REMEMBERING[@]}" "$SCPROF" run --live --no-report -o "$T/p.scp" -- "$PROGRAMS/traffic" $HOUR
	[ -s before ]
	diff before after
}

@test "run --live: who quits the picture leaves the program be; without a terminal it says so" {
	pty 130x24 "
		wait often at traffic
		key q
		wait traffic .pid [0-9]*. runs on; Ctrl-C ends it. The profile is saved when it ends
		shell kill \$(pgrep -P \$PID -x traffic)
		end 0" "$SCPROF" run --live --no-report -o "$T/p.scp" -- "$PROGRAMS/traffic" $HOUR </dev/null
	"$SCPROF" report --format json p.scp >report.json
	[ "$(calls_of send)" -gt 40 ]
	local status=0
	setsid -w "$SCPROF" run --live -- true >out.txt 2>err.txt </dev/null || status=$?
	[ $status = 125 ]
	grep -q 'needs a terminal' err.txt
}

# The program waits for the end of recording, whenever that comes, and gives the clock: what its calls
# take is the same on every machine.
@test "run --until: stops the measurement, not the program" {
	local waits
	timeout -k 5 300 "$SCPROF" run -c monotonic --until 50% --until-least 1s --until-of 'po*,send' -g wait -o p.scp -- "$PROGRAMS/until_stopped" \
		>run.out 2>run.err </dev/null
	grep -q 'known to +-50 %, which was reached after .* (1 site)' run.err
	"$SCPROF" report --format json p.scp >report.json
	jq -e '.filters.until[0] | test("reached after")' report.json
	jq -e '.recorded.until | .relative == 0.5 and .reached and .after_s > 1 and .sites == 1' report.json
	# the program went on for as many waits of a real millisecond: 256 at least
	jq -e '.recorded.recorded_s < .recorded.lived_s - 0.256 and .recorded.windows == 1' report.json
	jq -e '.recorded.recorded_s > 1 and ([.sites[].calls] | add >= 256)' report.json
	waits=$(sed -n 's/ waits while it was recorded//p' run.out)
	jq -e --argjson waits "$waits" '[.sites[].calls] | add | . == $waits or . == $waits - 1' report.json
	"$SCPROF" report p.scp >report.txt
	grep -q 'until the means were known to +-50 %' report.txt
}

@test "run --until: what is not reached is said; bad wishes are refused" {
	# again where the machine made more than 10 s of it
	is_too_short()
	{
		"$SCPROF" run --until 0.01% --no-report -o p.scp -- "$PROGRAMS/traffic" 0.5 2>run.err </dev/null
		grep -q 'which was not reached (.*; none counts in the first 10 s' run.err
	}
	await is_too_short || { cat run.err && return 1; }
	"$SCPROF" report --format json p.scp >report.json
	jq -e '.filters.until[0] | test("not reached")' report.json
	jq -e '.recorded.until | .relative == 0.0001 and (.reached | not) and .after_s == null' report.json
	local bad status
	for bad in '--until 0' '--until 60%' '--until x' '--until -1%' '--until-of send' \
		'--until 5% --until-of ,' '--until-least 20s' '--until 5% --until-least 99ms' \
		'--until 5% --until-least x'; do
		status=0
		# shellcheck disable=SC2086
		"$SCPROF" run $bad -- true 2>err.txt </dev/null || status=$?
		[ $status = 125 ] || {
			echo "status $status: $bad"
			return 1
		}
	done
}

# Days: the program is ended as soon as that was said.
@test "run --until: when it will end at the latest is said in a pipe, too" {
	"$SCPROF" run --until 0.01% --until-least 1s --no-report -o p.scp -- "$PROGRAMS/traffic" $HOUR >/dev/null 2>run.err </dev/null &
	local run=$!
	await grep -q 'Recording ends after [0-9.]* [a-z]* at the latest; --for T sets another limit' run.err
	grep -q 'interval .*, wanted +-0.01 %' run.err
	pkill -P $run -x traffic
	wait $run || true
	[ "$(grep -c 'at the latest' run.err)" = 1 ]
}

@test "run --until: it ends with the load, which is said at once, and the command goes on" {
	mkfifo go
	# shellcheck disable=SC2016
	"$SCPROF" run --until 0.01% --no-report -o p.scp -- sh -c '"$0" 1; read -r _ <go; echo went on' "$PROGRAMS/traffic" \
		>run.out 2>run.err </dev/null &
	local run=$!
	await grep -q 'the load is over' run.err
	echo >go
	wait $run
	grep -q 'went on' run.out
	"$SCPROF" report --format json p.scp >report.json
	jq -e '.recorded.until | .ended_by == "load" and (.reached | not)' report.json
	jq -e '.recorded.recorded_s < .recorded.lived_s' report.json
}

# Programs that end when the line was seen.
@test "progress: a bar on a terminal, nothing in a pipe or where escapes are shown as they are" {
	"$SCPROF" run --for 1500ms --no-report -o p.scp -- "$PROGRAMS/traffic" 2 2>run.err </dev/null 3>&- &
	local in_a_pipe=$! recording
	mkdir recording until
	(cd recording && pty 100x24 "
		wait scprof run: \[#+-+\] .* recording
		shell pkill -P \$PID -x traffic
		end 0" "$SCPROF" run --for 60s --no-report -o "$T/q.scp" -- "$PROGRAMS/traffic" $HOUR) &
	recording=$!
	(cd until && pty 100x24 "
		wait interval now \+-.* %, wanted \+-0.01 %
		shell pkill -P \$PID -x traffic
		end 0" "$SCPROF" run --until 0.01% --no-report -o "$T/r.scp" -- "$PROGRAMS/traffic" $HOUR)
	TERM=dumb limited python3 -c 'import pty, sys; pty.spawn(sys.argv[1:])' "$SCPROF" run --for 60s --no-report -o s.scp -- \
		"$PROGRAMS/traffic" 2 >dumb.out </dev/null 3>&-
	grep -q begun dumb.out
	hasnt $'\033' dumb.out
	wait "$recording"
	wait "$in_a_pipe"
	hasnt 'recording' run.err
	hasnt $'\r' run.err
}

# shows_computing NAME TARGET
shows_computing()
{
	"$SCPROF" top "$2" -d 100ms -n 1 >text && grep -qE "^ +[0-9.]+ %  [0-9.]+ to [0-9.]+  $1\$" text
}

# Which functions compute is known beforehand; how much of it, to a share of one in a million missed.
@test "top: what a sampled program computes stands below its calls, in text and on the screen" {
	"$SCPROF" doctor | grep -q '^ok *perf' || skip "perf events are forbidden here"
	export SCPROF_SAMPLE=1ms
	"$SCPROF" run --no-report -o p.scp -- "$PROGRAMS/computes" here 3600000 >run.out 2>run.err </dev/null 3>&- &
	run=$!
	started="$started $run"
	wait_for_child
	await shows_computing computes_much "$run"
	grep -q '^computing outside of calls, of the whole run: .* of CPU time, .* samples$' text
	await shows_computing computes_much "$pid"
	[ "$(grep -n computing text | cut -d: -f1)" -gt "$(grep -n 'called from' text | cut -d: -f1)" ]
	pty 100x30 "
		wait computing outside of calls
		wait to .* computes_much
		resize 100x12
		gone computing outside of calls
		key q
		end 0" "$SCPROF" top "$run"
	kill "$pid"
	wait "$run" || true
	"$SCPROF" top p.scp -n 1 >text
	hasnt computing text
}

@test "top: a program without symbols that computes has the name that it was started by, not its file's" {
	"$SCPROF" doctor | grep -q '^ok *perf' || skip "perf events are forbidden here"
	export SCPROF_SAMPLE=1ms
	strip -o file "$PROGRAMS/computes"
	ln -s file server
	"$SCPROF" run --no-report -o p.scp -- ./server here 3600000 >run.out 2>run.err </dev/null 3>&- &
	run=$!
	started="$started $run"
	wait_for_child
	await shows_computing 'server \(no symbols\)' "$run"
	kill "$pid"
	wait "$run" || true
}

@test "top: without samples nothing is said of computing; what lies in their place is not believed" {
	watched
	directory=$(sed -n 's|.* \(/.*\)/scprof\.[^/]*\.scp$|\1|p' "/proc/$pid/maps" | head -n 1)
	[ ! -e "$directory/samples" ]
	head -c 5000 /dev/urandom >"$directory/samples"
	"$SCPROF" top "$run" -d 100ms -n 2 >text
	hasnt computing text
	rm "$directory/samples"
	mkfifo "$directory/samples"
	limited "$SCPROF" top "$run" -d 100ms -n 2 >text
	hasnt computing text
	rm "$directory/samples"
}

@test "top --attach: what the process computes meanwhile is sampled" {
	"$SCPROF" doctor | grep -q '^ok *perf' || skip "perf events are forbidden here"
	"$SCPROF" doctor | grep -q '^ok *attach' || skip "ptrace is forbidden here"
	"$PROGRAMS/computes" here 3600000 &
	mind $!
	export SCPROF_SAMPLE=1ms
	local pid=$! count=10
	# again, for longer, where the tool was late, or the process had no CPU meanwhile
	shows_attached()
	{
		count=$((count * 2))
		limited "$SCPROF" top --attach "$pid" -d 100ms -n $count -- -g io,socket,wait >text 2>err && grep -q 'called from' text &&
			grep -qE '^ +[0-9.]+ %  [0-9.]+ to [0-9.]+  computes_much$' text
	}
	await shows_attached || { cat text err && return 1; }
}

@test "top --attach: the pictures as text end with the process" {
	"$SCPROF" doctor | grep -q '^ok *attach' || skip "ptrace is forbidden here"
	"$PROGRAMS/traffic" $HOUR >/dev/null 3>&- &
	local pid=$! picture status=0
	mind "$pid"
	"$SCPROF" top --attach "$pid" --batch -d 100ms >text 2>err </dev/null 3>&- &
	picture=$!
	mind "$picture"
	await eval 'grep -q "^running for" text || has_ended "$picture"'
	kill -KILL "$pid"
	await has_ended "$picture"
	wait "$picture" || status=$?
	[ "$status" = 0 ] || { cat err && return 1; }
	[ "$(grep -c 'this is the last picture' text)" = 1 ]
}
