#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Root attaches to processes of somebody who does not want that, or wants root to do something for
# him: what lies in their memory, maps, names and folders neither stops nor leads the tool, and nothing
# of it reaches the terminal.
# about 60 s
# shellcheck disable=SC2030,SC2031

load ../common
load reachable

setup_file()
{
	[ "$(id -u)" != 0 ] || make_reachable "$PROGRAMS"/hostile_{maps,files,races,library.so}
}

teardown_file()
{
	rm -rf "${REACHABLE:-/none}"
}

setup()
{
	common_setup
	export LC_ALL=C.UTF-8
	started=
	[ "$(id -u)" = 0 ] || skip 'only root can attach to other users processes'
	nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups)
	SCPROF=$REACHABLE/scprof LIB=$REACHABLE/libscprof.so PROGRAMS=$REACHABLE
	"${nobody[@]}" cmp "$LIB" "$LIB" || skip 'other users cannot open files of /tmp'
	not grep -q 'built without' <("$SCPROF" detach $$ 2>&1) || skip "scprof was built without it"
	PLACE=$(mktemp -d /tmp/scprof-hostile.XXXXXX) # which nobody can reach
	chmod 777 "$PLACE"
}

teardown()
{
	local pid
	for pid in $started; do
		kill -KILL "$pid" 2>/dev/null || true
	done
	rm -rf "${PLACE:-/none}"
}

# hostile PROGRAM ARGUMENT...: in the background, as nobody: $pid.
hostile()
{
	rm -f target.out # what an earlier one wrote
	(cd "$PLACE" && exec "${nobody[@]}" "$@") >target.out </dev/null 2>&1 3>&- &
	pid=$!
	started="$started $pid"
	await grep -q begun target.out
}

once()
{
	limited "$SCPROF" attach --for 300ms -o "$T/out" "$@" "$pid" >attach.out 2>attach.err </dev/null 3>&-
}

# Until the target says that it is ready.
until_laid()
{
	local tool
	# env: a shell's background command ignores SIGINT
	env --default-signal=INT "$SCPROF" attach -o "$T/out" "$@" "$pid" >attach.out 2>attach.err </dev/null 3>&- &
	tool=$!
	started="$started $tool"
	await laid_or_ended "$tool" && { kill -INT "$tool" || true; } && wait "$tool"
}

laid_or_ended()
{
	grep -q laid target.out && grep -q 'recording process' attach.err || not kill -0 "$1" 2>/dev/null
}

# attach STATUS ARGUMENT...: its output in attach.out, messages in attach.err; nothing of both is more
# than text.
attach()
{
	again_where_late "$1" "${ATTACH:-once}" "${@:2}"
	not grep -aP '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]' attach.out attach.err
}

is_left()
{
	kill -0 "$pid" && not grep -q 'scprof\..*/profiles' <(ls -l "/proc/$pid/fd")
}

@test "hostile 01: a memory map of lies, with 20000 regions, and functions chosen in it" {
	hostile "$PROGRAMS/hostile_maps" "$PLACE" 20000
	attach 0
	attach 0 -g all
	attach 0 -s '*.so*:*e*'
	is_left
}

@test "hostile 02: tables of libc and of the library that lead anywhere" {
	hostile "$PROGRAMS/hostile_maps" "$PLACE" 10 libc.so.6
	attach 0
	is_left
	kill -KILL "$pid"
	rm -rf "${PLACE:?}"/*
	hostile "$PROGRAMS/hostile_maps" "$PLACE" 10 libscprof.so
	attach 125
	is_left
}

@test "hostile 03: a page by a name that leads to somebody else's is not written" {
	hostile "$PROGRAMS/hostile_maps" "$PLACE" 10
	mkdir -m 700 secret
	cp "$PLACE/scprof.x/control" secret/control
	cp secret/control before
	rm -r "$PLACE/scprof.x"
	ln -s "$T/secret" "$PLACE/scprof.x"
	attach 0
	cmp before secret/control
	"$SCPROF" detach "$pid"
	cmp before secret/control
}

@test "hostile 04: links, pipes and huge files among the profiles" {
	echo secret >victim
	chmod 600 victim
	hostile "$PROGRAMS/hostile_files" "$T/victim"
	ATTACH=until_laid attach 0 -g all
	grep -q laid target.out
	[ "$(cat victim)" = secret ]
	[ "$(stat -c '%u %a %h' victim)" = '0 600 1' ]
	[ "$(find out -type f -printf x)" = x ]
	is_left
}

@test "hostile 05: what is looked at changes meanwhile: objects, threads, children, signals" {
	hostile "$PROGRAMS/hostile_races" 300 "$SCPROF"
	for _ in 1 2 ${LONG:+3 4 5}; do
		attach 0 -g all
	done
	attach 0 -g all --children
	is_left
}

@test "hostile 06: names that are control characters and options" {
	local name=$'\e[2J\e]0;x\a\n-o --help %n'
	cp "$PROGRAMS/hostile_races" "$PLACE/$name"
	hostile "$PLACE/$name" 1 "$SCPROF"
	attach 0
	[ "$(find out -type f -printf x)" = x ]
	not grep -P '[\x00-\x1f\x7f]' <(find out -type f -printf %f)
	"$SCPROF" detach "$pid" >detach.out 2>&1
	not grep -aP '[\x00-\x08\x0b-\x1f\x7f]' detach.out
}

@test "hostile 07: a library that never answers, faults or ends the process" {
	local how
	cp "$PROGRAMS/hostile_library.so" "$PLACE/libscprof.so"
	chmod 755 "$PLACE/libscprof.so"
	for how in calls fault exit return; do
		hostile env LD_PRELOAD="$PLACE/libscprof.so" HOSTILE=$how "$PROGRAMS/hostile_races" 1 "$SCPROF"
		attach 125
		grep -q "process $pid" attach.err
		kill -KILL "$pid" 2>/dev/null || true
	done
}
