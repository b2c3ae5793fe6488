#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Where scprof cannot run, `make setup` and `make demo` say so before anything is installed.

bats_require_minimum_version 1.5.0
load ../common

# shellcheck disable=SC2016 # what others expand
# on MACHINE LIBC COMMAND...: as if this were that processor and C library (none: another one).
on()
{
	mkdir -p stubs
	printf '#!/bin/sh\n[ "$1" = -s ] && echo Linux || echo %s\n' "$1" >stubs/uname
	printf '#!/bin/sh\n[ "$1" = LONG_BIT ] && echo 64 && exit\n[ %s != none ] && echo glibc %s\n' "$2" "$2" >stubs/getconf
	printf '#!/bin/sh\necho "$0 $*" >>%s/installed\nexit 1\n' "$T" >stubs/apt-get
	cp stubs/apt-get stubs/dnf
	chmod +x stubs/*
	PATH=$T/stubs:$PATH BUILD=$T/build run "${@:3}"
}

# refused WORDS: in one line, before anything was asked of the package manager.
refused()
{
	[ "$status" = 1 ] && [ "${#lines[@]}" = 1 ] && [[ ${lines[0]} == "setup: scprof "*"$1"* ]] && [ ! -e installed ]
}

@test "setup 01: too old a C library, another one and another processor are refused in one line" {
	on x86_64 2.30 "$ROOT/scripts/setup.sh"
	refused 'needs glibc 2.31 or later'
	[[ $output == *"this system has glibc 2.30." ]]
	on x86_64 2.9 "$ROOT/scripts/setup.sh"
	refused 'needs glibc 2.31 or later'
	on x86_64 none "$ROOT/scripts/setup.sh"
	refused 'another C library'
	on riscv64 2.36 "$ROOT/scripts/setup.sh"
	refused 'this is riscv64'
}

@test "setup 02: make demo ends there, and builds nothing" {
	on x86_64 2.30 make -s -C "$ROOT" BUILD="$T/build" demo
	[ "$status" = 2 ]
	[[ ${lines[0]} == "setup: scprof needs glibc 2.31 or later"* ]]
	[ ! -e installed ] && [ ! -e build ]
}

@test "setup 03: what is supported is all there where this was built" {
	local libc
	for libc in 2.31 2.100; do
		on x86_64 $libc "$ROOT/scripts/setup.sh"
		[ "$status" = 0 ] && [ -z "$output" ] && [ ! -e installed ]
	done
}
