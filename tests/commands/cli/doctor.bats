#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# scprof doctor: what is said to be there is there, and what is taken away is missed.
# What this machine has nobody knows, so each test makes the lack that it looks for.

bats_require_minimum_version 1.5.0
load ../common

# doctor STATUS... [--] WORD...: runs it; $T/doctor.json; its status is one of those given.
doctor()
{
	local wanted=$1 status=0
	shift
	"${WITH[@]}" "$SCPROF" doctor --json "$@" >doctor.json 2>doctor.err </dev/null 3>&- || status=$?
	[[ " $wanted " == *" $status "* ]] || { echo "status $status, not $wanted:"; cat doctor.json doctor.err; return 1; }
	[ "$(jq .status doctor.json)" = "$status" ]
	[ "$(jq -r .schema doctor.json)" = scprof-doctor/1 ]
}

# level CHECK LEVEL [TEXT]: it has that level, and TEXT is in what was found.
level()
{
	jq -e --arg n "$1" --arg l "$2" --arg t "${3:-}" \
		'.checks[] | select(.name == $n) | .level == $l and (.found | contains($t))' doctor.json >/dev/null ||
		{ jq -c --arg n "$1" '.checks[] | select(.name == $n)' doctor.json; return 1; }
}

WITH=()

@test "doctor 01: finds the library of this build, tries it, and leaves nothing behind" {
	mkdir tmp
	TMPDIR=$T/tmp doctor '0 1'
	level library ok 'libscprof.so, version'
	level trial ok
	[ ! -e "$BUILD/libscprof-unwind.so" ] || level libunwind ok found
	level profiles ok
	[ -z "$(ls tmp)" ]
	[ -z "$(ls out)" ]
	jq -e '.checks | length >= 13 and (map(.name) | length == (unique | length))' doctor.json >/dev/null
	jq -e '[.checks[] | select(.level == "limited" or .level == "missing") | .remedy] | all' doctor.json >/dev/null
}

@test "doctor 02: text and JSON say the same, and the worst level is the status" {
	local status=0
	# how much room there is, what the host takes away and what killed runs left may change in between
	local moment='^(profiles|tmpfs|leftovers|steal)$'
	doctor '0 1'
	jq -e '.status == (if any(.checks[]; .level == "limited") then 1 else 0 end)' doctor.json
	"$SCPROF" doctor >text || status=$?
	jq -r --arg moment "$moment" '.checks[] | (if .name | test($moment) then "" else .level + " " end) + .name' doctor.json >wanted
	awk -v moment="$moment" '/^(ok|note|limited|missing) / { print ($2 ~ moment ? "" : $1 " ") $2 }' text | diff wanted -
	if grep -q '^limited ' text; then
		[ "$status" = 1 ]
	else
		[ "$status" = 0 ]
	fi
}

@test "doctor 03: no library: missing, status 2, and how to get it" {
	WITH=(env SCPROF_LIB=/nowhere/libscprof.so)
	doctor 2
	level library missing /nowhere/libscprof.so
	jq -e '.checks[] | select(.name == "library") | .remedy | contains("SCPROF_LIB")' doctor.json >/dev/null
}

@test "doctor 04: a library that records nothing fails the trial; one of another version is reported" {
	echo 'int nothing;' | cc -shared -fPIC -x c - -o libscprof.so
	WITH=(env SCPROF_LIB="$T/libscprof.so")
	doctor 2
	level trial missing 'left no profile'
	level library limited 'version unknown'
	objcopy --update-section scprof_version=<(printf '9.9.9\0') "$LIB" other.so
	WITH=(env SCPROF_LIB="$T/other.so")
	doctor 1
	level library limited 'version 9.9.9'
	level trial ok
}

@test "doctor 05: a folder that cannot be written to, a limit of file size, SCPROF_DISABLE" {
	WITH=(env SCPROF_OUT=/nowhere SCPROF_DISABLE=1)
	doctor 1
	level profiles limited /nowhere
	level session limited SCPROF_DISABLE
	level trial ok # it is asked for by the doctor, not by the session
	WITH=(env TMPDIR=/nowhere) # a run has its files in memory
	doctor '0 1'
	level trial ok
	WITH=(bash -c 'ulimit -f 100; exec "$@"' bash)
	doctor 2
	level trial missing 'left no profile'
}

@test "doctor 06: fewer CPUs than there are" {
	WITH=(taskset -c "$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')")
	doctor '0 1'
	if [ "$(getconf _NPROCESSORS_ONLN)" -gt 1 ]; then level cpus limited; else level cpus ok; fi
	unshare --mount true || skip "needs root: a /sys of its own"
	WITH=(unshare --mount sh -c 'mount -t tmpfs none /sys && exec "$@"' sh "${WITH[@]}")
	doctor 1
	if [ "$(getconf _NPROCESSORS_ONLN)" -gt 1 ]; then level cpus limited; else level cpus ok; fi
	[ "$(uname -m)" != x86_64 ] || level counter limited 'displace and load cannot measure'
}

@test "doctor 11: no /proc is said to be the reason, whatever else is missed then" {
	unshare --mount true || skip "needs root: a /proc of its own"
	run -2 unshare --mount sh -c 'mount -t tmpfs none /proc && exec "$@"' sh "$SCPROF" doctor
	[[ $output == *"/proc is not mounted here"*"mount -t proc proc /proc"* ]]
}

@test "doctor 07: programs: one that loads the library, static, set-user-id, 32-bit, another libc, none" {
	doctor '0 1' sh
	level program ok 'takes libscprof.so'
	doctor 2 "$PROGRAMS/regions_static"
	level program missing 'linked statically'
	doctor 2 /nowhere/program
	level program missing
	cp "$EXAMPLES/echo_pair" setuid
	chmod u+s setuid
	if [ "$(id -u)" = 0 ]; then chown 65534 setuid; chmod u+s setuid; fi
	doctor '0 1 2' ./setuid
	[ "$(id -u)" != 0 ] || level program missing 'gains privileges'
	# heads of files of another kind, which the kernel is not asked to run
	printf '\177ELF\1\1\1\0\0\0\0\0\0\0\0\0\2\0\3\0\1\0\0\0' >thirty_two
	head -c 200 /dev/zero >>thirty_two
	chmod +x thirty_two
	doctor 2 ./thirty_two
	level program missing
	patch_loader "$EXAMPLES/echo_pair" other /lib/ld-uClibc.so.0
	doctor 2 ./other
	level program missing
}

# patch_loader FROM TO LOADER: the same program, asking for another loader.
patch_loader()
{
	python3 - "$@" <<'PYTHON'
import sys
source, to, loader = sys.argv[1:]
data = open(source, "rb").read()
at = data.index(b"/lib64/ld-linux-x86-64.so.2\0")
old = data[at:data.index(b"\0", at) + 1]
new = loader.encode() + b"\0"
assert len(new) <= len(old)
open(to, "wb").write(data[:at] + new.ljust(len(old), b"\0") + data[at + len(old):])
PYTHON
	chmod +x "$2"
}

@test "doctor 08: PROGRAM is not run" {
	printf '#!/bin/sh\ntouch %s/ran\n' "$T" >script
	chmod +x script
	doctor '0 1' ./script
	doctor '0 1' touch
	[ ! -e ran ]
}

# A program names any file as its loader, and asking is running it.
@test "doctor 12: a loader that others can write is not run, nor for the list of symbols" {
	local loader
	loader=$(mktemp /tmp/ld.so.XXXXXX)
	printf '#!/bin/sh\ntouch %s/ran\n' "$T" >"$loader"
	patch_loader "$EXAMPLES/echo_pair" other "$loader"
	chmod 0777 "$loader"
	doctor 2 ./other
	level program missing 'somebody else can write'
	run "$SCPROF" symbols ./other
	[ "$status" = 2 ]
	[[ $output == *"names $loader as its loader"*"it is not run"* ]]
	[ ! -e ran ]
	chmod 0755 "$loader"
	run "$SCPROF" symbols ./other
	rm "$loader"
	[ -e ran ]
}

@test "doctor 09: what a name has in it reaches no terminal" {
	SCPROF_OUT=$'/nowhere/out\033[31m' run "$SCPROF" doctor $'evil\033[31mname'
	[ "$status" = 2 ]
	[[ $output != *$'\033'* ]]
	[[ $output == *evil* ]]
	[[ $output == *nowhere/out* ]]
}

@test "doctor 10: wrong usage is one line and status 2" {
	local words
	for words in '--jsno' 'one two' '--json=1'; do
		# shellcheck disable=SC2086 # words apart
		run -2 "$SCPROF" doctor $words
		[ "${#lines[@]}" = 1 ]
		[[ $output == 'scprof doctor: '* ]]
	done
}
