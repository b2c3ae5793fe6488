#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Programs that generate code, handle SIGSEGV and stacks themselves, and run collectors beside
# their threads: unharmed with everything timed. scripts/setup.sh --runtimes installs them.
# about 15 s

# shellcheck disable=SC2317,SC2030,SC2031 # functions of common.bash call ours; each test is a subshell

bats_require_minimum_version 1.5.0
load ../common
load ../selected/selected

setup()
{
	common_setup
	[[ $(uname -m) =~ ^(x86_64|aarch64)$ ]] || skip "chosen symbols need x86-64 or AArch64"
	SOURCES=$ROOT/tests/programs/runtimes
	SYMBOLS=malloc
	export SCPROF_GROUPS=all
}

bare()
{
	"$SCPROF" symbols --stubs "$T/stubs.so" "$(command -v "$1")" "$SYMBOLS"
	limited env LD_PRELOAD="$T/stubs.so:$LIB" SCPROF_OUT="$T/out" "$@" \
		</dev/null 3>&- 4>&- >"$T/with.out" 2>"$T/with.err" || echo $? >"$T/with.status"
	cmp "$T/without.out" "$T/with.out" && cmp "$T/without.err" "$T/with.err" &&
		cmp "$T/without.status" "$T/with.status"
}

@test "runtimes 01: Node.js: a server under load, workers, a child, errors, a signal" {
	command -v node >/dev/null || skip "there is no Node.js here"
	same_either_way node "$SOURCES/server.js" 300
	[ "$(cat with.status)" = 3 ]
	make_report --by function
	[ "$(calls_of malloc)" -gt 10000 ]
	[ "$(calls_of writev)" -ge 300 ]
	bare node "$SOURCES/server.js" 300
}

@test "runtimes 02: Java: null pointers, stack overflows, the collector, a child" {
	[ -e "$PROGRAMS/java/Catches.class" ] || skip "there is no Java development kit here"
	# A crash would write hs_err_pidN.log here.
	same_either_way java -Xmx64m -cp "$PROGRAMS/java" Catches 3000
	[ "$(cat with.status)" = 6 ]
	make_report --by function
	[ "$(calls_of malloc)" -gt 10000 ]
	bare java -Xmx64m -cp "$PROGRAMS/java" Catches 3000
	[ -z "$(find . -name 'hs_err*')" ]
}
