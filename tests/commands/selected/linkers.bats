#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Chosen symbols in programs of several linkers, and where the loader calls the program's code
# before anything is ready.

# shellcheck disable=SC2317,SC2030,SC2031 # functions of common.bash call ours; each test is a subshell

bats_require_minimum_version 1.5.0
load ../common
load selected

setup()
{
	common_setup
	[[ $(uname -m) =~ ^(x86_64|aarch64)$ ]] || skip "chosen symbols need x86-64 or AArch64"
}

# Those that are here: none but the first is needed for anything else.
linkers()
{
	local linker
	for linker in bfd gold lld mold; do
		! command -v "ld.$linker" >/dev/null || echo $linker
	done
}

# with_linker LINKER OUTPUT SOURCE FLAG...
with_linker()
{
	cc -O2 -g -D_GNU_SOURCE -Wno-psabi -fno-builtin -fuse-ld="$1" -I"$ROOT/tests/programs" \
		-o "$2" "$ROOT/tests/programs/selected/$3" "${@:4}" -Wl,-rpath,"$PROGRAMS" -Wl,-rpath,"$T"
}

@test "linkers 01: programs of the linkers bfd, gold, lld and mold" {
	local linker REPORT='--by function'
	for linker in $(linkers); do
		with_linker "$linker" "$T/by_$linker" chosen.c "$PROGRAMS/chosen_lib.so" -lpthread -Wl,-z,now
		chosen 'chosen_lib:*' "$T/by_$linker" arguments 5
		with_linker "$linker" "$T/by_$linker" chosen.c "$PROGRAMS/chosen_lib.so" -lpthread -Wl,-z,lazy
		chosen 'chosen_lib:*,qsort' "$T/by_$linker" callbacks 5
	done
}

@test "linkers 02: resolvers of IFUNCs call chosen functions before anything is ready" {
	local linker expected
	SYMBOLS=strlen,memcpy,memmove,labs,strchr,strnlen,getenv
	for linker in $(linkers); do
		with_linker "$linker" "$T/early_$linker.so" ifunc.c -DLIBRARY -fPIC -shared -fno-plt -Wl,-z,now
		with_linker "$linker" "$T/early_$linker" ifunc.c "$T/early_$linker.so" -fno-plt -Wl,-z,now
		same_either_way "$T/early_$linker"
		[ "$(cat with.status)" = 3 ]
		make_report --by function
		# the one in main
		SHOWN='[.sites[] | [.symbol, .calls]]' holds '[.sites[] | select(.symbol == ("strlen", "getenv")) | .calls] == [1, 1]'
		SYMBOLS="*,$T/early_$linker.so:*" record with "$T/early_$linker"
		cmp without.out with.out
		make_report --by function
		# of which ten are the library's own, which newer linkers bind inside it
		expected=10
		! readelf -rW "$T/early_$linker.so" | grep -q library_picked || expected=20
		[ "$(calls_of library_picked)" = $expected ]
	done
	[ -z "$(find . -maxdepth 1 -name 'scprof.*.scp')" ] # the environment was not known then
}

@test "linkers 03: programs that are linked statically are refused" {
	echo 'int main(void) { return 7; }' >static.c
	cc -static -o fixed static.c
	cc -static-pie -o moving static.c
	local program
	for program in fixed moving; do
		run -125 "$SCPROF" run -s strlen "./$program"
		[[ $output == *"is linked statically, or no program"* ]]
		run -2 "$SCPROF" symbols "./$program"
		[[ $output == *"is linked statically, or no program"* ]]
	done
}
