#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# The archive of `make dist` works wherever it is unpacked, without an environment and without the system's libraries.
# about 20 s

bats_require_minimum_version 1.5.0
load ../common

# dist: makes it; 2: a static library is missing, which $BATS_FILE_TMPDIR/made says.
dist()
{
	# shellcheck disable=SC2153 # of ../common
	SOURCE_DATE_EPOCH=1700000000 make -s -C "$ROOT" BUILD="$BUILD" dist >"$BATS_FILE_TMPDIR/made" 2>&1
}

setup_file()
{
	if dist; then
		sha256sum <"$(archive)" >"$BATS_FILE_TMPDIR/first"
	elif ! grep -q '^make dist: no lib' "$BATS_FILE_TMPDIR/made"; then
		cat "$BATS_FILE_TMPDIR/made"
		return 1
	fi
}

archive()
{
	tail -n 1 "$BATS_FILE_TMPDIR/made"
}

setup()
{
	common_setup
	[ -e "$BATS_FILE_TMPDIR/first" ] || skip "$(grep '^make dist' "$BATS_FILE_TMPDIR/made")"
	mkdir folder
	tar -xzf "$(archive)" -C folder
	D=$(echo "$T/folder"/*)
	started=
}

teardown()
{
	[ -z "$started" ] || kill -KILL "$started" 2>/dev/null || true
}

# bare ARGUMENT...: the unpacked tool, in an empty environment.
bare()
{
	limited env -i "$D/scprof" "$@"
}

@test "dist 01: no loader and no library, terms of all that is inside, names with the version" {
	[[ ${D##*/} == scprof-$(env -i "$D/scprof" --version | grep -oE '[0-9]+[.0-9]+')-linux-$(uname -m) ]]
	run readelf -lW "$D/scprof"
	[[ $output != *INTERP* ]]
	[ "$(tar -tvzf "$(archive)" | grep -vc ' 0/0 \| root/root ')" = 0 ]
	[ -s "$D/man/man1/scprof-run.1" ]
	[ -s "$D/licenses/GPL-3.0-or-later.txt" ]
	command -v dpkg >/dev/null || return 0
	for library in libdw-dev libgsl-dev libmicrohttpd-dev libc6-dev; do
		[ -s "$D/licenses/libraries/$library" ]
	done
}

@test "dist 02: run, report, symbols, top, doctor and detach" {
	bare run -o "$T/p.scp" --no-report -- "$EXAMPLES/echo_pair" 10 10
	bare report --format json "$T/p.scp" >report.json
	[ "$(calls_of send)" = 21 ]
	"$SCPROF" report --format json "$T/p.scp" | cmp - report.json
	bare symbols "$PROGRAMS/any_libc" 'qsor*' | grep -q qsort
	bare top --batch p.scp | grep -q send
	bare doctor --json >doctor.json || [ $? = 1 ]
	JSON=doctor.json holds '.checks[0] | .name == "library" and .level == "ok"' \
		'.checks[] | select(.name == "trial") | .level == "ok"'
	bare detach $$ | grep -q 'nothing to put right'
}

@test "dist 03: a process that runs is recorded" {
	[ "$(uname -m)" = x86_64 ] || skip "attach needs x86-64"
	python3 -c 'import os, time
open("ready", "w")
while True:
	os.write(1, b"x")
	time.sleep(0.001)' >/dev/null 3>&- 4>&- &
	started=$!
	await test -e ready
	attach()
	{
		bare attach -g io "$started" --for 0.3s -o "$T/at.scp" --no-report 2>attach.err
	}
	again_where_late 0 attach
	"$SCPROF" report --by function --format json at.scp >report.json
	[ "$(calls_of write)" -gt 0 ]
}

@test "dist 04: serve answers" {
	local place
	place=$(own_place)
	env -i "$D/scprof" serve --listen "$place" "$T" >serve.out 2>&1 3>&- 4>&- &
	started=$!
	await curl -sf -o metrics "http://$place/metrics"
	grep -q '^# HELP scprof' metrics
}

@test "dist 05: in a root with nothing but musl's loader and a program" {
	local loader root=$T/root
	unshare -Urm true 2>/dev/null || skip "no namespaces can be made here"
	mkdir -p "$root"/{lib,proc,tmp,dev/shm}
	musl-gcc -O1 -o "$root/program" "$ROOT/tests/programs/processes/any_libc.c"
	loader=$(readelf -lW "$root/program" | grep -oE '/lib/ld-musl[^]]*')
	cp "$loader" "$root/lib/"
	cp -r "$D" "$root/scprof"
	# shellcheck disable=SC2016 # for the inner shell
	limited env -i "$(command -v unshare)" -Urm /bin/sh -c 'mount --rbind /proc "$1/proc" && exec chroot "$1" /scprof/scprof run -o /tmp/p.scp \
		--no-report -- /program' sh "$root" >out.txt || [ $? = 3 ]
	grep -qx 'threads 8000' out.txt
	"$SCPROF" report --by function --format json root/tmp/p.scp >report.json
	[ "$(calls_of send)" = 9010 ]
}

@test "dist 06: the same sources give the same bytes" {
	rm "$BUILD"/dist/*scprof*
	dist
	sha256sum <"$(archive)" | diff "$BATS_FILE_TMPDIR/first" -
}

@test "dist 07: what is missing is named, with its packages, before anything is linked" {
	run -2 env CC=false "$ROOT/scripts/packaging/make_dist.sh" missing -lgsl -lbz2
	[ "$output" = "make dist: no libgsl.a libbz2.a: apt-get install libbz2-dev libgsl-dev" ]
	# of another processor those of Debian's name for it
	printf '#!/bin/sh\n[ "$1" != -dumpmachine ] || echo aarch64-linux-gnu\n' >cross
	[ "$(uname -m)" != aarch64 ] || return 0
	chmod +x cross
	run -2 env CC="$T/cross" "$ROOT/scripts/packaging/make_dist.sh" missing -lgsl
	[ "$output" = "make dist: no libgsl.a: apt-get install libgsl-dev:arm64" ]
}
