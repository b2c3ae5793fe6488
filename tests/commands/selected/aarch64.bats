#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Chosen symbols on AArch64, and call paths with signed return addresses: the tool of this machine writes
# the stubs, and qemu-user runs the programs, of which `make tests` has two sets (tests/programs/build.mk):
# with and without branch protection.
# about 60 s

# shellcheck disable=SC2317,SC2030,SC2031 # functions of common.bash call ours; each test is a subshell

bats_require_minimum_version 1.5.0
load ../common

ARM=$BUILD/aarch64/libscprof.so
# Of it every page is guarded: indirect jumps arrive at landing pads, or the program ends.
ARM_GUARDED=$BUILD/aarch64/tests/libscprof_bti.so
SETS=("$BUILD/aarch64/tests/programs" "$BUILD/aarch64/protected/tests/programs")
SYSROOT=/usr/aarch64-linux-gnu

setup()
{
	common_setup
	[ "$(uname -m)" != aarch64 ] || skip "the other suites run on AArch64 itself"
	command -v qemu-aarch64 >/dev/null || skip "no qemu-aarch64 here"
	[ -e "${SETS[1]}/frames" ] || skip "no cross compiler here"
}

# Before 2.35 (libc-2.31.so) libc does not tell of its objects, and qemu shows no page as code.
needs_objects()
{
	[ -z "$(find $SYSROOT/lib -name 'libc-2.*.so')" ] || skip "what is loaded is not told here"
}

arm()
{
	limited qemu-aarch64 -cpu max -L $SYSROOT "$@" </dev/null 3>&- 4>&-
}

symbols()
{
	SCPROF_LIB=$ARM "$SCPROF" symbols --sysroot $SYSROOT "$@"
}

without_library()
{
	arm "$@"
}

# With $SYMBOLS chosen; none: the wrappers alone.
with_library()
{
	local preload=$LIB
	if [ "$SYMBOLS" ]; then
		rm -f "$T/stubs.so"
		symbols --stubs "$T/stubs.so" "$1" "$SYMBOLS" || return 1
		preload=$T/stubs.so:$LIB
	fi
	SCPROF_OUT=$T/out SCPROF_CLOCK=${CLOCK:-monotonic} arm -E LD_PRELOAD="$preload" "$@"
}

# chosen SYMBOLS PROGRAM ARGUMENT...: the program of both sets is the same either way, and the counts
# are those that it expects.
chosen()
{
	local set
	SYMBOLS=$1
	for set in "${SETS[@]}"; do
		LIB=$ARM
		[ "$set" = "${SETS[0]}" ] || LIB=$ARM_GUARDED
		rm -rf "$T"/expect.* "$T"/out/*
		REPORT='--by function' unnoticed "$set/$2" "${@:3}" || return 1
	done
}

# In each way of linking.
chosen_each()
{
	local kind
	for kind in lazy now nopie; do
		chosen "$1" "chosen_$kind" "${@:2}" || return 1
	done
}

@test "aarch64 01: arguments and results of every kind" {
	chosen_each 'chosen_lib:*' arguments 4
}

@test "aarch64 02: each clock" {
	for CLOCK in tsc coarse; do
		chosen 'chosen_lib:*' chosen_now arguments 200
	done
}

@test "aarch64 03: callbacks into the program, and recursion" {
	CLOCK=tsc
	chosen 'chosen_lib:*,qsort' chosen_lazy callbacks 5
	SHOWN=.threads holds 'all(.threads[]; .remainder_ns == 0)'
}

@test "aarch64 04: left by longjmp" {
	chosen call_back chosen_now jumps 5
	SHOWN=.abandoned_calls holds '.abandoned_calls == 5'
}

@test "aarch64 05: a thread ends inside, by pthread_exit and by cancellation" {
	chosen call_back chosen_nopie threads 4
}

@test "aarch64 06: every function of libc and of the program's libraries at once" {
	chosen '*' chosen_lazy arguments 3
	chosen '*' chosen_now threads 4
	jq -e '[.sites[].symbol] | contains(["vsnprintf"])' report.json
}

@test "aarch64 07: exceptions are an outcome, of C++ methods by demangled names" {
	needs_objects
	local set
	SYMBOLS='chosen::Counter::*' LIB=$ARM
	for set in "${SETS[@]}"; do
		rm -rf "$T"/out/*
		same_either_way "$set/chosen_cxx"
		make_report --by function
		SHOWN='[.sites[] | [.symbol, .outcome, .calls]]' holds 'def calls($f; $o): [.sites[] |
			select(.symbol == "chosen::Counter::" + $f and .outcome == $o) | .calls] | add;
			[calls("add(int)"; "completed", "exception"), calls("visit(int (*)(int), int)"; "completed", "exception"),
			.abandoned_calls // 0] == [15, 25, 3, 7, 0]'
	done
}

@test "aarch64 08: plugins opened later: what dlsym finds is timed" {
	needs_objects
	local set LIB=$ARM
	for set in "${SETS[@]}"; do
		rm -rf "$T"/expect.* "$T"/out/*
		SYMBOLS="$set/chosen_late_a.so:late_function"
		unnoticed "$set/chosen_late" "$set"
	done
}

@test "aarch64 09: a resolver of an IFUNC calls chosen functions before anything is ready" {
	needs_objects
	local set LIB=$ARM
	for set in "${SETS[@]}"; do
		rm -rf "$T"/out/*
		SYMBOLS=strlen,memcpy,memmove,labs,strchr,strnlen,getenv,other
		same_either_way "$set/early"
		[ "$(cat with.status)" = 3 ]
		make_report --by function
		[ "$(calls_of strlen)" = 1 ] # the one in main
		rm -rf "$T"/out/*
		SYMBOLS="*,$set/early.so:*" record with "$set/early"
		cmp without.out with.out
		make_report --by function
		[ "$(calls_of library_picked)" = 10 ]
	done
}

@test "aarch64 10: functions with vectors of their own calling standard are refused" {
	cat >vectors.c <<-'C'
		#include <arm_neon.h>
		__attribute__((aarch64_vector_pcs)) float64x2_t odd(float64x2_t v) { return v + v; }
		float64x2_t even(float64x2_t v) { return v + v; }
	C
	echo 'int main(void) { return 0; }' >main.c
	aarch64-linux-gnu-gcc -O1 -fPIC -shared -o libvectors.so vectors.c -Wl,-soname,libvectors.so
	aarch64-linux-gnu-gcc -o main main.c -Wl,--no-as-needed -L. -lvectors -Wl,-rpath,"\$ORIGIN"
	symbols ./main 'libvectors:*' >list
	[ "$(cat list)" = libvectors.so:even ]
	run -1 symbols ./main odd
	[[ $output == *"odd cannot be chosen: it passes vectors in a way of its own"* ]]
}

# As in arguments.bats: a call that is not in the report's rows is one that was not copied.
@test "aarch64 11: all arguments on the stack reach the original, however many" {
	needs_objects
	local each set kind LIB=$ARM
	for each in 0:known:tsc 0:unknown:monotonic 1:known:monotonic 1:unknown:tsc; do
		IFS=: read -r set kind CLOCK <<<"$each"
		set=${SETS[set]}
		rm -rf "$T"/out/*
		SYMBOLS="stacked_lib_$kind.so:*" same_either_way "$set/stacked_$kind" 12
		make_report --by function
		jq -r '"uncopied \(.uncopied_calls)", (.sites[] | "\(.symbol) \(.calls)")' report.json >rows.txt
		awk 'NR == FNR { calls[$1] = $2; next } NF == 2 { missing += $2 - calls[$1] }
			END { exit missing + 0 != calls["uncopied"] || calls["tail_call"] != 12 }' rows.txt with.out || { cat rows.txt && return 1; }
	done
}

@test "aarch64 12: what is another processor's, or not there, is named" {
	local program=${SETS[0]}/chosen_now
	run -2 "$SCPROF" symbols --sysroot $SYSROOT "$program"
	[[ $output == *"is for another processor than"*"SCPROF_LIB"* ]]
	mkdir -p nothing/lib
	aarch64-linux-gnu-gcc -x c -c -o nothing/lib/libc.so.6 /dev/null # not a shared object
	run -2 env SCPROF_LIB="$ARM" "$SCPROF" symbols --sysroot nothing "$program"
	[[ $output == *"needs lib"*.so.*", which is not found for its processor below"*"nothing"* ]]
}

# paths: of the calls in send_one, as "complete: send_one FUNCTION main".
paths()
{
	jq -r '.sites[] | select(.stack[0].function == "send_one")
		| "\(.path): \([.stack[].function][:3] | join(" "))"' report.json | sort -u
}

@test "aarch64 13: paths are complete through signed return addresses, however tables tell of them" {
	needs_objects
	local program LIB=$ARM
	# What the linker of today would not let through: instructions 0x2c, 0x2b, augmentation 'G'.
	python3 - "${SETS[1]}/frames" told <<-'PY'
		import sys
		code = open(sys.argv[1], "rb").read()
		for old, new in ((b"\x2e\x7d", b"\x2c\x00"), (b"\x2e\x7c\x00", b"\x2b\x01\x00"), (b"zRB\0", b"zRG\0")):
		    assert code.count(old) > 0
		    code = code.replace(old, new)
		open(sys.argv[2], "wb").write(code)
	PY
	chmod +x told
	for program in "${SETS[0]}/frames" "${SETS[1]}/frames" ./told; do
		rm -rf "$T"/expect.* "$T"/out/*
		SYMBOLS='' unnoticed "$program"
		paths | diff <(printf 'complete: send_one %s main\n' in_register key_a key_b not_told set_state vectors with_pc) -
	done
}

@test "aarch64 14: what is called by its number" {
	local set
	SYMBOLS=''
	for set in "${SETS[@]}"; do
		LIB=$ARM
		[ "$set" = "${SETS[0]}" ] || LIB=$ARM_GUARDED
		rm -rf "$T"/expect.* "$T"/out/*
		REPORT='--by function' unnoticed "$set/by_number"
	done
}
