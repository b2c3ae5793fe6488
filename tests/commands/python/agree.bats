# shellcheck shell=bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Call paths of a program that knows its own Python stack at each call, and of one whose stack is garbage.
# tests/bench/python/agree does the first for a million calls. Each Python that is here.
# about 8 s
bats_require_minimum_version 1.5.0
load ../common
load python

# for_each COMMAND...: with each Python as $python. All are tried; one that fails fails the test.
for_each()
{
	local python tried=0 failed=
	for python in $(pythons_with_ctypes); do
		tried=$((tried + 1))
		rm -rf known.* path.scp
		"$@" || failed="$failed $python"
	done
	[ "$tried" -gt 0 ] || skip "no Python from 3.8 to 3.15 that has ctypes"
	[ -z "$failed" ] || { echo "fails with$failed"; return 1; }
}

# Two rounds: in the second one paths are remembered.
knows()
{
	limited "$SCPROF" run -g io --no-report -o path.scp -- "$python" -W ignore \
		"$ROOT/tests/programs/python/knows.py" 2 known 2>run.err || { cat run.err; return 1; }
	echo "$python"
	"$ROOT/tests/commands/python/agree.py" "$SCPROF" path.scp known.*.json
}

# Calls are counted, whatever the chain holds; paths that end where it is garbage say so.
survives_garbage()
{
	local mode=$1
	limited "$SCPROF" run -g io --no-report -o path.scp -- "$python" \
		"$ROOT/tests/programs/python/garbage.py" "$PROGRAMS/python_garbage.so" "$mode" >known.garbage 2>run.err ||
		{ echo "$python: status $?"; cat run.err; return 1; }
	"$SCPROF" report --format json --include-warm-up path.scp >report.json
	local marked='"hammer"'
	[ "$mode" = hammer ] || marked='[.sites[] | select(.path | contains("python"))] | length > 0'
	echo "$python $mode"
	SHOWN='[.sites[] | select(.symbol | startswith("pwrite"))] | group_by(.path)[] | {path: .[0].path, calls: map(.calls) | add}' holds \
		"[.sites[] | select(.symbol | startswith(\"pwrite\")) | .calls] | add == $(sed 's/.*"calls": \([0-9]*\).*/\1/' known.garbage)" "$marked"
}

@test "the call path of each call of a program that knows its stack has these functions and lines" {
	for_each knows
}

@test "garbage in the interpreter's memory ends a path, which says so" {
	for_each survives_garbage words
}

@test "garbage that comes and goes during the walk harms nobody" {
	for_each survives_garbage hammer
}

@test "a frame chain that leads to memory which is gone since harms nobody" {
	for_each survives_garbage dangling
}
