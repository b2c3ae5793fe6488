#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# SCPROF_SYMBOLS under a bare LD_PRELOAD: the library executes the program once more, with
# stubs. The program must not be able to tell, and where it cannot be done it must run as it is.

# shellcheck disable=SC2317,SC2030,SC2031 # functions of common.bash call ours; each test is a subshell

bats_require_minimum_version 1.5.0
load ../common

setup()
{
	common_setup
	[[ $(uname -m) =~ ^(x86_64|aarch64)$ ]] || skip "chosen symbols need x86-64 or AArch64"
	[ "$(awk '/^Seccomp:/ { print $2 }' /proc/self/status)" = 0 ] ||
		skip "this machine filters system calls: the library refuses"
	SYMBOLS=chosen_once
	REPORT='--by function' # of unnoticed: counts need no paths
}

with_library()
{
	limited env LD_PRELOAD="$LIB" SCPROF_TEST_PRELOAD="$LIB" SCPROF_OUT="$T/out" \
		SCPROF_SYMBOLS="$SYMBOLS" "$@" </dev/null 3>&- 4>&-
}

# No stub object is left anywhere.
nothing_left()
{
	[ -z "$(find "$T" "${TMPDIR:-/tmp}" /var/tmp -maxdepth 2 -name 'scprof-once-*' -newer "$T/begun" 2>/dev/null)" ]
}

# refused TEXT COMMAND...: same as without the library, nothing timed, and the profile says why.
refused()
{
	rm -f "$T"/out/*
	same_either_way "${@:2}"
	find out -name '*.scp' ! -name 'scprof.started.*' -delete # what starts it
	make_report --by function
	jq -r '.warnings[] | select(.code == "setting-ignored") | .text' report.json >why.txt
	grep -qF -- "$1" why.txt || {
		cat why.txt
		return 1
	}
	[ "$(calls_of chosen_once)" = 0 ]
}

@test "reexec 01: the program is the same, begun once, and its functions are timed" {
	touch "$T/begun"
	unnoticed "$PROGRAMS/started" one "two words" ''
	grep -qx begun with.out
	[ "$(grep -cx begun with.out)" = 1 ]
	jq -e '[.warnings[].code] | contains(["setting-ignored"]) | not' report.json
	nothing_left
}

@test "reexec 02: argv[0], a relative path, a search in PATH, a link, an empty environment" {
	ln -s "$PROGRAMS/started" alias
	unnoticed bash -c 'exec -a other "$0"' "$PROGRAMS/started"
	rm -f out/* expect.*
	unnoticed env PATH="$T:$PATH" alias
	rm -f out/* expect.*
	unnoticed ./alias x
	rm -f out/* expect.*
	# shellcheck disable=SC2016
	unnoticed bash -c 'exec env -i LD_PRELOAD="$LD_PRELOAD" SCPROF_SYMBOLS="$SCPROF_SYMBOLS" \
		SCPROF_OUT="$SCPROF_OUT" EXPECT="$EXPECT" "$0"' "$PROGRAMS/started"
}

@test "reexec 03: a script keeps its interpreter, its argument, and its own name" {
	printf '#!%s\n' "$PROGRAMS/started" >plain
	printf '#! %s  an argument  \n' "$PROGRAMS/started" >argument
	printf '#!/usr/bin/env %s\n' "$PROGRAMS/started" >by_env
	chmod +x plain argument by_env
	unnoticed ./plain one two
	grep -q 'comm plain' with.out
	rm -f out/* expect.*
	unnoticed "$T/argument" three
	grep -qx 'argv an argument' with.out
	rm -f out/* expect.*
	unnoticed ./by_env four
}

@test "reexec 04: pid, descriptors, signals: blocked, ignored, none at the child's end" {
	# shellcheck disable=SC2016
	unnoticed bash -c 'trap "" CHLD USR1; export STARTED_PID=$$; exec 5</dev/null 7>&1; exec "$0"' \
		"$PROGRAMS/started"
	rm -f out/* expect.*
	unnoticed bash -c 'exec "$0" 0<&- 5</dev/null' "$PROGRAMS/started"
	rm -f out/* expect.*
	unnoticed python3 -c 'import os, signal, sys
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD, signal.SIGALRM, signal.SIGTERM})
os.execv(sys.argv[1], sys.argv[1:])' "$PROGRAMS/started"
}

@test "reexec 05: every program of a tree has its own functions looked up" {
	unnoticed sh -c '"$0" a; "$0" b; exec "$0" c' "$PROGRAMS/started"
	[ "$(calls_of chosen_once)" = 21 ]
	rm -f out/* expect.*
	SYMBOLS=qsort
	with_library sh -c '"$0" callbacks 5; true' "$PROGRAMS/chosen_now" >/dev/null
	make_report --by function
	[ "$(calls_of qsort)" = 5 ]
}

@test "reexec 06: all groups, ready-made ones and negation as in scprof run" {
	SYMBOLS='*,!printf'
	unnoticed "$PROGRAMS/started"
	rm -f out/* expect.*
	SYMBOLS='!free'
	with_library env SCPROF_GROUPS=socket,alloc sh -c 'exec ls /' >/dev/null
	make_report --by function
	[ "$(calls_of malloc)" -gt 10 ]
	[ "$(calls_of free)" = 0 ]
}

@test "reexec 07: a name that matches nothing: unmeasured, and the profile says which are near" {
	SYMBOLS=chosen_onc
	refused "'chosen_onc' matches no function" "$PROGRAMS/started"
	grep -q 'Near: chosen_once' why.txt
	SYMBOLS=setjmp
	refused 'setjmp cannot be chosen' "$PROGRAMS/started"
	SYMBOLS=@nothing
	refused 'cannot read the patterns' "$PROGRAMS/started"
	"$SCPROF" merge -o merged.scp out/*.scp
	"$SCPROF" report --full merged.scp | grep -q 'cannot read the patterns'
}

@test "reexec 08: no tool beside the library, one that fails, one that lies" {
	mkdir alone
	cp "$LIB" alone/libscprof.so
	LIB=$T/alone/libscprof.so
	refused 'the tool scprof is not beside' "$PROGRAMS/started"
	printf '#!/bin/sh\necho oops >&2\nexit 1\n' >alone/scprof
	chmod +x alone/scprof
	refused 'could not be run, or failed' "$PROGRAMS/started"
	printf '#!/bin/sh\ncat\nkill -9 $$\n' >alone/scprof
	refused 'could not be run, or failed' "$PROGRAMS/started"
	# An object without the table: not tried again and again.
	echo 'int nothing_of_ours;' >empty.c
	cc -shared -fPIC -o empty.so empty.c
	printf '#!/bin/sh\ncp %s/empty.so %s/scprof-once-1.so && echo ok %s/scprof-once-1.so\n' \
		"$T" "$T" "$T" >alone/scprof
	refused 'the loader did not take the object' "$PROGRAMS/started"
	[ ! -e scprof-once-1.so ]
}

@test "reexec 09: SCPROF_DISABLE, and stubs that are preloaded already" {
	touch begun
	SCPROF_DISABLE=1 with_library "$PROGRAMS/started" >disabled.txt || [ $? = 3 ]
	[ -z "$(ls out)" ]
	rm -f expect.*
	"$SCPROF" symbols --stubs "$T/stubs.so" "$PROGRAMS/started" chosen_once
	LIB=$T/stubs.so:$LIB
	unnoticed "$PROGRAMS/started"
}

@test "reexec 10: a seccomp filter, the dynamic linker as a command: as they are" {
	refused 'seccomp filter' "$PROGRAMS/filtered" "$PROGRAMS/started"
	local loader
	loader=$(readelf -lW "$PROGRAMS/started" | sed -n 's/.*interpreter: \(.*\)\]/\1/p')
	refused 'cannot be repeated' "$loader" "$PROGRAMS/started"
}

@test "reexec 11: opened in a running program, the library does not begin it again" {
	cat >open.py <<-'PY'
		import ctypes, os, sys
		print('begun', flush=True)
		ctypes.CDLL(sys.argv[1])
		print('loaded')
	PY
	SCPROF_OUT=$T/out SCPROF_SYMBOLS=strlen python3 open.py "$LIB" >out.txt
	[ "$(cat out.txt)" = $'begun\nloaded' ]
}

@test "reexec 12: other preloaded libraries stay where they are" {
	cat >other.c <<-'C'
		#include <stdlib.h>
		#include <unistd.h>
		static void __attribute__((constructor)) begin(void) { if (write(1, "other\n", 6) != 6) _exit(9); }
		void chosen_once(void); void chosen_once(void) {}
	C
	cc -shared -fPIC -o other.so other.c
	cp "$PROGRAMS/started_lib.so" .
	for list in "$T/other.so:$LIB" "$LIB:$T/other.so" "$LIB $T/other.so"; do
		rm -f out/* expect.*
		touch begun
		env LD_PRELOAD="$list" SCPROF_TEST_PRELOAD="$list" SCPROF_OUT="$T/out" SCPROF_SYMBOLS=chosen_once \
			"$PROGRAMS/started" >out.txt || [ $? = 3 ]
		[ "$(grep -cx other out.txt)" = 1 ]
		[ "$(grep -c 'LD_PRELOAD is' out.txt)" = 0 ]
		make_report --by function
		case $list in # the first definition is the one that is called
		"$LIB"*) [ "$(calls_of chosen_once)" = 7 ] ;;
		*) [ "$(calls_of chosen_once)" = 0 ] ;;
		esac
		nothing_left
	done
}

@test "reexec 13: a program at a fixed address, with copies of the loader's variables" {
	cc -O2 -fno-pie -no-pie -D_GNU_SOURCE -I"$ROOT/tests/programs" -o fixed \
		"$ROOT/tests/programs/selected/started.c" "$PROGRAMS/started_lib.so" -Wl,-rpath,"$PROGRAMS"
	readelf -rW fixed | grep -q 'COPY.*__libc_stack_end'
	readelf -rW fixed | grep -q 'COPY.*_r_debug'
	unnoticed ./fixed
}

@test "reexec 14: where the tool is preloaded, too, it does not ask itself" {
	mkdir alone
	cp "$LIB" alone/libscprof.so
	LIB=$T/alone/libscprof.so
	printf '#!/bin/sh\necho asked >>%s/asked\n[ $(wc -l <%s/asked) -lt 5 ] || exit 1\nLD_PRELOAD=%s %s preload-stubs "$2"\n' \
		"$T" "$T" "$LIB" "$SCPROF" >alone/scprof
	chmod +x alone/scprof
	SCPROF_LIB=$LIB unnoticed "$PROGRAMS/started"
	[ "$(cat asked)" = asked ]
}

@test "reexec 15: the tool is found from where it is installed" {
	for place in lib lib/scprof; do
		rm -rf installed out/* expect.*
		mkdir -p "installed/bin" "installed/$place"
		cp "$BUILD/libscprof.so" "installed/$place/"
		cp "$SCPROF" installed/bin/
		LIB=$T/installed/$place/libscprof.so
		unnoticed "$PROGRAMS/started"
	done
}

# memcheck_errors [VARIABLE=VALUE...] -- COMMAND...: the status, and what memcheck counts.
memcheck_errors()
{
	local status=0 variables=()
	while [ "$1" != -- ]; do
		variables+=("$1")
		shift
	done
	limited env "${variables[@]}" valgrind --error-exitcode=9 --log-file="$T/valgrind.log" \
		"${@:2}" >/dev/null </dev/null 3>&- 4>&- || status=$?
	echo "$status $(sed -n 's/.*ERROR SUMMARY: \([0-9,]* errors from [0-9]*\) .*/\1/p' "$T/valgrind.log")"
}

@test "reexec 16: memcheck finds no error of ours: all groups, all clocks, disabled, functions" {
	local variable found
	for variable in 'SCPROF_GROUPS=socket SCPROF_CLOCK=coarse' 'SCPROF_GROUPS=all SCPROF_CLOCK=dual' SCPROF_DISABLE=1 \
		SCPROF_GROUPS=all,alloc SCPROF_SYMBOLS=malloc; do
		# shellcheck disable=SC2086 # one or two
		found=$(memcheck_errors LD_PRELOAD="$LIB" SCPROF_OUT="$T/out" $variable -- /bin/true)
		[ "$found" = '0 0 errors from 0' ] || {
			echo "$variable: $found"
			return 1
		}
		[[ $variable != SCPROF_DISABLE* ]] || continue
		find out -name '*.scp' ! -name 'scprof.true.*' -delete # valgrind's own
		make_report --by function
		jq '[.warnings[] | select(.code == "setting-ignored") | .text]' report.json >ignored.txt
		case $variable in
		*alloc | *SYMBOLS*) grep -q valgrind ignored.txt ;;
		*) [ "$(cat ignored.txt)" = '[]' ] ;;
		esac
		rm out/*
	done
}

@test "reexec 17: memcheck counts the same errors of python with and without us" {
	local plain python with
	python=$(python3 -I -S -c 'import sys; print(sys.executable)') # which may be a script that looks for it
	plain=$(memcheck_errors -- "$python" -I -S -c 'print(1)')
	[[ $plain == ?*errors* ]]
	with=$(memcheck_errors LD_PRELOAD="$LIB" SCPROF_OUT="$T/out" SCPROF_GROUPS=all -- "$python" -I -S -c 'print(1)')
	[ "$plain" = "$with" ] || { echo "plain: $plain; with the library: $with" && cat "$T/valgrind.log" && false; }
	[ -n "$(find out -name '*python*.scp')" ]
}

# gdb counts how often its shell and the program are executed before it sets breakpoints.
@test "reexec 18: gdb above us sets its breakpoints, and the profile says why no function is timed" {
	local where
	for where in "set environment LD_PRELOAD $LIB" "set exec-wrapper env LD_PRELOAD=$LIB"; do
		rm -f out/*
		limited env SCPROF_OUT="$T/out" SCPROF_GROUPS=socket,alloc gdb -nx -batch -ex "$where" \
			-ex 'break main' -ex run -ex backtrace -ex continue --args "$PROGRAMS/started" \
			>gdb.out 2>&1 </dev/null 3>&- 4>&- || true
		grep -q '^Breakpoint 1, main' gdb.out
		grep -q '^#0  main' gdb.out
		not grep -q 'Cannot insert breakpoint' gdb.out
		find out -name '*.scp' ! -name 'scprof.started.*' -delete
		make_report --by function
		jq -r '.warnings[] | select(.code == "setting-ignored") | .text' report.json | grep -q debugger
	done
}

@test "reexec 19: strace above us sees one execution" {
	limited strace -qq -f -e trace=execve -o trace env LD_PRELOAD="$LIB" SCPROF_OUT="$T/out" \
		SCPROF_SYMBOLS=chosen_once "$PROGRAMS/started" >/dev/null 2>&1 </dev/null 3>&- 4>&- || true
	[ "$(grep -c "execve(\"$PROGRAMS/started\"" trace)" = 1 ]
}
