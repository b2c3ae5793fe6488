#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Python frames of processes that run already, and what is left in them afterwards; a program that
# embeds an interpreter, and ends and begins it again. The oldest and the newest Python that are here.
# about 10 s

load ../common
load python

setup_file()
{
	find_ends >"$BATS_FILE_TMPDIR/ends"
}

ends()
{
	cat "$BATS_FILE_TMPDIR/ends"
}

setup()
{
	common_setup
	export LC_ALL=C.UTF-8
	started=
}

teardown()
{
	local pid
	for pid in $started; do
		pkill -KILL -P "$pid" || true
		kill -KILL "$pid" 2>/dev/null || true
	done
}

# The first and the last version, a line each.
find_ends()
{
	local python
	for python in $(pythons); do
		"$python" -I -S -c 'import sys; v = sys.version_info; (3, 8) <= v[:2] <= (3, 15) and print(v[1], sys.executable)'
	done | sort -n | cut -d' ' -f2 | sed -n '1p;$p' | uniq
}

# What tp_dealloc is, seen from outside.
dealloc()
{
	dd "if=/proc/$pid/mem" bs=8 skip=$((slot / 8)) count=1 status=none | od -An -tx8
}

# serves PYTHON [ARGUMENT...]: $pid, and $slot.
serves()
{
	local python=$1
	shift
	rm -f target.out # what an earlier one wrote
	"$python" -I -S "$ROOT/tests/programs/python/serves.py" "$@" >target.out 2>target.err </dev/null 3>&- &
	pid=$!
	started="$started $pid"
	await grep -q begun target.out
	slot=$(sed -n 's/^begun //p' target.out)
}

# replaced OLD: tp_dealloc is another.
replaced()
{
	[ "$(dealloc)" != "$1" ]
}

more_than()
{
	[ "$(wc -l <target.out)" -gt "$1" ]
}

records_or_ended()
{
	grep -q recording attach.err || not kill -0 "$1" 2>/dev/null
}

begins()
{
	: >attach.err
	# env: a shell's background command ignores SIGINT
	env --default-signal=INT "$SCPROF" attach -o p.scp "$@" "$pid" >attach.out 2>attach.err </dev/null 3>&- &
	tool=$!
	started="$started $tool"
	await records_or_ended "$tool" && grep -q recording attach.err
}

# Status: the tool's, which is not 0 where it was late for one of several processes.
until_read()
{
	local tool lines
	begins "$@" || return 1
	await replaced "$before"
	lines=$(wc -l <target.out)
	await more_than $((lines + 1))
	kill -INT "$tool"
	wait "$tool"
}

# Recorded until Python frames were read, and left. OPTION...
record_once()
{
	local before
	before=$(dealloc)
	again_where_late 0 until_read "$@" || return 1
	[ "$(dealloc)" = "$before" ] || { echo "tp_dealloc is not what it was"; return 1; }
	kill -0 "$pid"
}

recorded()
{
	limited "$SCPROF" report --format json --include-warm-up p.scp >report.json
	SHOWN='[.sites[] | [.symbol, .path, ([.stack[].function] | join(" "))]]' \
		holds '[.sites[] | select(.symbol == "send" or .symbol == "recv")] | length > 0 and all(.[]; .path == "complete" and any(.stack[]; .language == "python"))'
}

@test "python attach 01: Python frames are there from the first call, tp_dealloc is put back, and again" {
	local python
	not grep -q 'built without' <("$SCPROF" detach $$ 2>&1) || skip "scprof was built without it"
	[ -n "$(ends)" ] || skip "no Python from 3.8 to 3.15"
	for python in $(ends); do
		echo "$python"
		serves "$python"
		record_once -g socket || return 1
		record_once -g socket || return 1
		recorded || return 1
	done
}

@test "python attach 02: forked workers" {
	local python
	not grep -q 'built without' <("$SCPROF" detach $$ 2>&1) || skip "scprof was built without it"
	python=$(ends | tail -n 1)
	[ -n "$python" ] || skip "no Python from 3.8 to 3.15"
	serves "$python" 2
	record_once -g socket --children || return 1
	recorded || return 1
	holds '.attach.processes == 3 and .attach.detached'
}

# embed PYTHON
embed()
{
	local library home
	library=$("$1" -c 'import sysconfig as s; print(s.get_config_var("LIBDIR") + "/" + s.get_config_var("INSTSONAME"))')
	home=$("$1" -c 'import sys; print(sys.base_prefix)')
	[ -f "$library" ] && [ "${library%.a}" = "$library" ] || return 0
	embedded=yes
	PYTHONHOME=$home limited "$SCPROF" run --no-report -g socket -o p.scp -- ./embeds "$library" >embeds.out 2>&1 || true
	grep -qx 'done' embeds.out || { cat embeds.out; return 1; }
	limited "$SCPROF" report --format json --include-warm-up p.scp >report.json
	# 3.12 and later have no function for a comprehension
	SHOWN='[.sites[] | [.symbol, .calls, .path, ([.stack[].function] | join(" "))]]' holds '[.sites[] | select(.symbol == "send")] |
		(map(.calls) | add) == 1800 and all(.[]; .path == "complete" and
		([.stack[].function | select(test("listcomp") | not)] | join(" ") | startswith("send_here innermost between through_c outermost <module> run ")))'
}

@test "python embedded 01: C and Python in turn, in threads of C; ended and begun again, closed and opened again" {
	local python embedded=
	# shellcheck disable=SC2086 # it may have options
	command -v ${CC:-cc} >/dev/null || skip "no compiler"
	${CC:-cc} -O1 -g -o embeds "$ROOT/tests/programs/python/embeds.c" -ldl -lpthread
	for python in $(ends); do
		echo "$python"
		embed "$python" || return 1
	done
	[ -n "$embedded" ] || skip "no shared libpython"
}
