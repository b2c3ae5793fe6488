#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# A bare LD_PRELOAD where functions are chosen: the object of `scprof symbols --stubs` has them
# timed; SCPROF_SYMBOLS alone does not, and the profile says so. Under valgrind and gdb, too.
# about 15 s

# shellcheck disable=SC2317,SC2030,SC2031 # functions of common.bash call ours; each test is a subshell

bats_require_minimum_version 1.5.0
load ../common

setup()
{
	common_setup
	[[ $(uname -m) =~ ^(x86_64|aarch64)$ ]] || skip "chosen symbols need x86-64 or AArch64"
	SYMBOLS=chosen_once
	REPORT='--by function' # of unnoticed: counts need no paths
}

with_library()
{
	limited env LD_PRELOAD="$LIB" SCPROF_TEST_PRELOAD="$LIB" SCPROF_OUT="$T/out" \
		SCPROF_SYMBOLS="$SYMBOLS" "$@" </dev/null 3>&- 4>&-
}

@test "preloaded 01: SCPROF_SYMBOLS alone: executed once, nothing of it timed, and the profile says so" {
	same_either_way "$PROGRAMS/started" one "two words" ''
	[ "$(grep -cx begun with.out)" = 1 ]
	make_report --by function
	jq -r '.warnings[] | select(.code == "setting-ignored") | .text' report.json | grep -q 'symbols --stubs FILE PROGRAM'
	[ "$(calls_of chosen_once)" = 0 ]
	rm out/*
	SYMBOLS='' with_library env SCPROF_GROUPS=socket,alloc "$PROGRAMS/started" >/dev/null || [ $? = 3 ]
	make_report --by function
	jq -e '.warnings[] | select(.code == "setting-ignored") | .text | contains("in SCPROF_GROUPS")' report.json
}

@test "preloaded 02: SCPROF_DISABLE, and stubs that are preloaded" {
	SCPROF_DISABLE=1 with_library "$PROGRAMS/started" >disabled.txt || [ $? = 3 ]
	[ -z "$(ls out)" ]
	"$SCPROF" symbols --stubs "$T/stubs.so" "$PROGRAMS/started" chosen_once
	LIB=$T/stubs.so:$LIB
	unnoticed "$PROGRAMS/started"
	jq -e '[.warnings[].code] | contains(["setting-ignored"]) | not' report.json
}

@test "preloaded 03: opened in a running program, the library leaves it as it is" {
	cat >open.py <<-'PY'
		import ctypes, os, sys
		print('begun', flush=True)
		ctypes.CDLL(sys.argv[1])
		print('loaded')
	PY
	SCPROF_OUT=$T/out SCPROF_SYMBOLS=strlen python3 open.py "$LIB" >out.txt
	[ "$(cat out.txt)" = $'begun\nloaded' ]
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

@test "preloaded 04: valgrind finds no error of ours and no system call to tell of: all groups, all clocks, disabled, functions" {
	local variable found
	for variable in 'SCPROF_GROUPS=socket SCPROF_CLOCK=coarse SCPROF_SYMBOLS=malloc' 'SCPROF_GROUPS=all SCPROF_CLOCK=dual' \
		SCPROF_DISABLE=1 SCPROF_GROUPS=all,alloc; do
		# shellcheck disable=SC2086 # several
		found=$(memcheck_errors LD_PRELOAD="$LIB" SCPROF_OUT="$T/out" $variable -- /bin/true)
		[ "$found" = '0 0 errors from 0' ] && ! grep -v '^==' "$T/valgrind.log" || {
			echo "$variable: $found"
			return 1
		}
		[[ $variable != SCPROF_DISABLE* ]] || continue
		find out -name '*.scp' ! -name 'scprof.true.*' -delete # valgrind's own
		make_report --by function
		jq '[.warnings[] | select(.code == "setting-ignored") | .text]' report.json >ignored.txt
		case $variable in
		*alloc | *SYMBOLS*) grep -q 'symbols --stubs' ignored.txt ;;
		*) [ "$(cat ignored.txt)" = '[]' ] ;;
		esac
		rm out/*
	done
}

@test "preloaded 05: memcheck counts the same errors of python with and without us" {
	local plain python with
	python=$(python3 -I -S -c 'import sys; print(sys.executable)') # which may be a script that looks for it
	# Its own allocator looks at what memcheck knows nothing of, as chance has it.
	plain=$(memcheck_errors PYTHONMALLOC=malloc -- "$python" -s -S -c 'print(1)')
	[[ $plain == ?*errors* ]]
	with=$(memcheck_errors LD_PRELOAD="$LIB" SCPROF_OUT="$T/out" SCPROF_GROUPS=all PYTHONMALLOC=malloc -- "$python" -s -S -c 'print(1)')
	[ "$plain" = "$with" ] || { echo "plain: $plain; with the library: $with" && cat "$T/valgrind.log" && false; }
	[ -n "$(find out -name '*python*.scp')" ]
}

# gdb counts how often its shell and the program are executed before it sets breakpoints.
@test "preloaded 06: gdb above us sets its breakpoints" {
	local where
	for where in "set environment LD_PRELOAD $LIB" "set exec-wrapper env LD_PRELOAD=$LIB"; do
		rm -f out/*
		limited env SCPROF_OUT="$T/out" SCPROF_GROUPS=socket,alloc gdb -nx -batch -ex "$where" \
			-ex 'break main' -ex run -ex backtrace -ex continue --args "$PROGRAMS/started" \
			>gdb.out 2>&1 </dev/null 3>&- 4>&- || true
		grep -q '^Breakpoint 1, main' gdb.out
		grep -q '^#0  main' gdb.out
		not grep -q 'Cannot insert breakpoint' gdb.out
		[ -n "$(find out -name 'scprof.started.*')" ]
	done
}
