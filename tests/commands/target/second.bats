# shellcheck shell=bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Call paths are walked twice, by libunwind, too (--verify-paths); and what follows a frame that has
# no unwind tables.
bats_require_minimum_version 1.5.0
load ../common

setup()
{
	common_setup
	[ -e "$BUILD/libscprof-unwind.so" ] || skip "built without libunwind"
}

# recorded COMMAND...: one process; what is noted about its paths is in `checks`.
recorded()
{
	SCPROF_VERIFY_PATHS=${ONE_IN-1} SCPROF_OUT=$T/out SCPROF_GROUPS=${GROUPS_OF:-io,socket} LD_PRELOAD="${PRELOAD:-$LIB}" "$@" >output
	"$PROFILES/dump_checks" "$T"/out/*.scp paths >checks
	cat checks
}

# count NAME: of the counters in `checks`, over all files.
count()
{
	awk -v name="$1" '$1 == name { sum += $2 } END { print sum + 0 }' "$T/checks"
}

# agreed COMMAND...: every path was walked twice, alike.
agreed()
{
	recorded "$@"
	[ "$(count unwinder)" = 1 ]
	[ "$(count verified)" -gt 0 ]
	[ "$(count differ)" = 0 ]
	[ "$(count undecided)" = 0 ]
	[ "$(count cut)" = 0 ]
}

@test "libunwind finds the paths of C, C++ with exceptions, and Python" {
	agreed "$PROGRAMS/paths"
	rm "$T"/out/*
	agreed "$PROGRAMS/exceptions"
	rm "$T"/out/*
	GROUPS_OF=all,alloc agreed /usr/bin/python3 -S -c 'import json; json.loads(json.dumps({"a": [1, 2.5, "x"]}))
open("/etc/passwd").read()'
}

@test "a program whose segments lie apart has whole paths, in one module" {
	agreed "$PROGRAMS/far_segment"
	[ "$(grep -c '^module .*/far_segment$' checks)" = 1 ]
	grep -qE '^path 1 flags 0: 1\+0x80000[0-9a-f]+ 1\+0x40[0-9a-f]+ 1\+0x40' checks
}

@test "a path is whole where a program begins without a table" {
	recorded "$PROGRAMS/bare_entry"
	[ "$(count cut)" = 0 ]
	grep -qE '^path 1 flags 0: 1\+\S+ (2\+\S+ ){1,2}1\+\S+$' checks
}

@test "where libunwind walks another way the first frame that differs is told, and both ways" {
	[ "$(uname -m)" = x86_64 ] || skip "x86-64 assembly"
	recorded "$PROGRAMS/val_offset"
	[ "$(count verified)" = 1 ]
	[ "$(count differ)" = 1 ]
	decoy=$(nm "$PROGRAMS/val_offset" | sed -n 's/^0*\([0-9a-f]*\) . decoy_return$/\1/p')
	grep -E "^different 3 [0-9x+a-f ]+ \| 1\+0x$decoy\$" checks
}

@test "the path of a coroutine ends at the function that makecontext returns to" {
	recorded "$PROGRAMS/coroutines"
	[ "$(count verified)" -gt 20 ]
	[ "$(count differ)" = 0 ]
	[ "$(count undecided)" = 0 ]
	libc=$(sed -n 's/^module \([0-9]*\) .*\/libc[-.].*/\1/p' checks)
	grep -E "^path 1 flags 1: 1\+\S+ 1\+\S+ $libc\+\S+\$" checks
}

@test "a thread that is cancelled at any instant leaves libunwind to others" {
	recorded "$PROGRAMS/cancel_async"
	for file in "$T"/out/*.scp; do "$PROFILES/dump_checks" "$file"; done >checks
	[ "$(awk '$1 == "verified" && $2 >= 256' checks | wc -l)" = 10 ]
}

@test "the program does not see libunwind: its names are in no scope but their own" {
	agreed /usr/bin/python3 -S -c 'import ctypes; scope = ctypes.CDLL(None)
print(hasattr(scope, "write"), hasattr(scope, "_Ux86_64_step"), hasattr(scope, "unw_backtrace"))'
	[ "$(cat output)" = "True False False" ]
}

@test "without the object beside the library nothing is verified, and the profile says so" {
	mkdir alone
	cp "$LIB" alone/
	PRELOAD=$T/alone/libscprof.so recorded "$PROGRAMS/paths"
	[ "$(count one_in)" = 1 ]
	[ "$(count unwinder)" = 0 ]
	[ "$(count verified)" = 0 ]
	[ "$(count undecided)" -gt 0 ]
}

@test "what the loader allocates for libunwind is not recorded" {
	[ "$(uname -m)" = x86_64 ] || skip "selected functions"
	"$SCPROF" symbols --stubs "$T/stubs.so" "$PROGRAMS/untabled_pointers" malloc,calloc,realloc,free
	PRELOAD=$T/stubs.so:$LIB recorded "$PROGRAMS/untabled_pointers"
	[ "$(count unwinder)" = 1 ]
	not grep -E '^module .*/ld-linux' checks
}

@test "libunwind is not loaded unless it is asked for" {
	ONE_IN='' LD_DEBUG=files LD_DEBUG_OUTPUT=$T/files recorded "$PROGRAMS/paths"
	[ "$(count one_in)" = 0 ]
	[ -n "$(cat files.*)" ]
	not grep -l libunwind files.*
}

@test "one new path in so many is verified" {
	recorded "$PROGRAMS/paths"
	all=$(count verified)
	rm "$T"/out/*
	ONE_IN=3 recorded "$PROGRAMS/paths"
	[ "$(count verified)" = $(((all + 2) / 3)) ]
}

@test "a program that counts on its registers, errno and results runs as without" {
	agreed "$PROGRAMS/preserves"
}

@test "code without tables: frame pointers lead on, marked, until there are tables again" {
	recorded "$PROGRAMS/untabled_pointers"
	[ "$(count heuristic)" = 1 ]
	[ "$(count cut)" = 0 ]
	[ "$(count verified)" = 1 ]
	[ "$(count differ)" = 0 ]
	lib=$(sed -n 's/^module \([0-9]*\) .*untabled_lib.*/\1/p' checks)
	program=$(sed -n 's/^module \([0-9]*\) .*untabled_pointers$/\1/p' checks)
	libc=$(sed -n 's/^module \([0-9]*\) .*\/libc[-.].*/\1/p' checks)
	grep -E "^path 1 flags 16: $lib\+\S+ ~$lib\+\S+ ~$program\+\S+ ($libc\+\S+ ){1,2}$program\+\S+\$" checks
}

@test "code with .debug_frame alone and no frame pointers: the path ends there, nothing is guessed" {
	recorded "$PROGRAMS/untabled_debug"
	[ "$(count heuristic)" = 0 ]
	[ "$(count cut)" = 1 ]
	[ "$(count differ)" = 0 ]
	grep -E '^path 1 flags 1: 1\+\S+$' checks
}

@test "run --verify-paths asks the library for it, and refuses what is not a number" {
	run -0 --separate-stderr "$SCPROF" run --no-report --verify-paths -- printenv SCPROF_VERIFY_PATHS
	[ "$output" = 1 ]
	run -0 --separate-stderr "$SCPROF" run --no-report --verify-paths=7 -- printenv SCPROF_VERIFY_PATHS
	[ "$output" = 7 ]
	for n in 0 x '' -1 4294967296; do
		run -125 "$SCPROF" run --verify-paths="$n" -- true
		[[ $output == *"is not a number from 1 to 4294967295"* ]]
	done
}

@test "run --verify-paths reports how many paths were walked twice, and how many differ" {
	"$SCPROF" run -g io --verify-paths -o p.scp -- "$PROGRAMS/far_segment" 2>report >output
	grep -E 'paths +2, all walked twice: 0 differ$' report
	if [ "$(uname -m)" = x86_64 ]; then
		"$SCPROF" run -g io --verify-paths -o d.scp -- "$PROGRAMS/val_offset" 2>report >output
		grep -E 'paths +1, all walked twice: 1 differ$' report
	fi
	mkdir alone
	cp "$SCPROF" "$LIB" alone/
	alone/scprof run -g io --verify-paths -o u.scp -- "$PROGRAMS/far_segment" 2>report >output
	grep -E 'paths .*, none walked twice, without libunwind: 0 differ' report
}
