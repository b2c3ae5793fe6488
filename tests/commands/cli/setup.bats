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

# lacks PACKAGE VERSION...: as if no header were here, and the distribution had these versions, of others 99.
lacks()
{
	mkdir -p stubs
	printf '#!/bin/sh\nexit 1\n' >stubs/cc
	printf '#!/bin/sh\n[ "$1" != tee ] || exec cat >/dev/null\n[ "$1" = env ] || [ "$1" = apt-get ] || exit 0\nexec "$@"\n' >stubs/sudo
	printf '#!/bin/sh\necho "$*" >>%s/asked\n[ "$1" = update ]\n' "$T" >stubs/apt-get
	{
		printf '#!/bin/sh\nv=99\ncase $2 in\n'
		printf '%s) v="%s" ;;\n' "$@"
		printf 'esac\nprintf "%%s:\\n  Installed: (none)\\n  Candidate: %%s\\n" "$2" "$v"\n'
	} >stubs/apt-cache
	chmod +x stubs/*
	PATH=$T/stubs:$PATH BUILD=$T/build run "$ROOT/scripts/setup.sh" --tests
}

@test "setup 04: what the distribution lacks, or has too old, is named in one line before anything is installed" {
	lacks libgsl-dev '(none)' libmicrohttpd-dev 1:0.9.66-2
	[ "$status" = 1 ]
	[[ $output == *"setup: scprof cannot be built here: "*" lacks libgsl-dev, libmicrohttpd-dev 0.9.71 (it has 0.9.66)." ]]
	[ "$(cat asked)" = "update -q" ]
	# what tests alone need is gone without
	lacks libcmocka-dev '(none)'
	[[ $output == *"lacks libcmocka-dev: tests that need it are skipped or fail."* ]]
	grep -q '^install .*libgsl-dev' asked
	not grep -q '^install .*libcmocka-dev' asked
}
