#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Python functions between C frames, and the options that say which of both a path has. Each Python
# that is here.
# about 6 s
bats_require_minimum_version 1.5.0
load ../common
load python

# for_each COMMAND...: with each Python as $python.
for_each()
{
	local python tried=0
	for python in $(pythons_with_ctypes); do
		tried=$((tried + 1))
		echo "$python"
		"$@" || return 1
	done
	[ "$tried" -gt 0 ] || skip "no Python from 3.8 to 3.15"
}

# record DEPTH [OPTION...]: report.json of the program that recurses so deep.
record()
{
	local depth=$1
	shift
	limited "$SCPROF" run -g io --no-report -o p.scp "$@" -- "$python" -I -S \
		"$ROOT/tests/programs/python/between.py" "$depth" 2>run.err || { cat run.err; return 1; }
	"$SCPROF" report --format json --include-warm-up p.scp >report.json
	paths >found
}

# Paths of writes to /dev/null: Python functions as they are, C functions of other objects as `c`, the
# interpreter's own as `own`.
paths()
{
	jq -r '.sites[] | select(.symbol == "write") | select([.stack[] | .function] | index("leaf")) |
		[.stack[] | if .language == "python" then .function
			elif .function // "" | test("^_PyEval_EvalFrameDefault") then "loop"
			elif (.module // "" | test("/(libpython|python)[^/]*$")) and .function != "_start" then "own" else "c" end] | join(" ")' \
		report.json | sed 's/\( c\)* *$//' | sort | uniq
}

has()
{
	grep -qxE "$1" found || { echo "none of these paths is $1:"; cat found; return 1; }
}

merged()
{
	record 3 --verify-paths || return 1
	has 'own( own)? leaf back through_c main <module>' && has 'own( own)? leaf deep deep deep deep main <module>' &&
		has 'own( own)? leaf handler main <module>' && has 'own( own)? leaf (Thread\.)?run (Thread\.)?_bootstrap_inner (Thread\.)?_bootstrap' &&
		SHOWN=.paths holds '.paths.differ == 0 and .paths.verified > 0'
}

@test "Python functions stand where the interpreter's loop executes them, and its own frames are left out" {
	for_each merged
}

# A compiler may leave a small part of the loop where its symbol is: the rest has no name.
loop_is_named()
{
	! readelf -W --dyn-syms "$python" | grep ' _PyEval_EvalFrameDefault$' | awk '$3 < 8192' | grep -q .
}

native()
{
	loop_is_named || return 0
	record 3 --native || return 1
	has 'own.* loop leaf (own )*(loop )?back own.* loop through_c .*main (own )*(loop )?<module>( own)+' &&
		holds '.filters.native == ["1"]'
}

@test "--native keeps the interpreter's own frames, each loop before what it executes" {
	for_each native
}

without()
{
	record 3 --no-python || return 1
	holds '[.sites[].stack[].language] | index("python") == null' '.filters.python == ["off"]' \
		'[.sites[].stack[].function] | any(. == "_PyEval_EvalFrameDefault" or . == null)'
}

@test "--no-python records C frames only" {
	for_each without
}

# 60 Python functions are 180 C frames and more on CPython 3.8: what is left out does not count.
depth_kept()
{
	record 60 || return 1
	has "own( own)? leaf( deep){61} main <module>" && holds '[.sites[].path] | index("truncated") == null' || return 1
	record 60 --depth 5 || return 1
	has 'own( own)? leaf( deep){2,3}' && SHOWN='[.sites[].stack[].function]' holds '[.sites[].stack | map(select(.inlined | not)) | length] | max == 5'
}

@test "frames that are left out do not count for the depth that is kept" {
	for_each depth_kept
}

@test "--native and --no-python exclude each other" {
	run -125 "$SCPROF" run --native --no-python -- true
	[[ $output == *"C frames alone are what --no-python records"* ]]
	run -0 --separate-stderr "$SCPROF" run --no-report --native -- printenv SCPROF_NATIVE
	[ "$output" = 1 ]
	run -0 --separate-stderr "$SCPROF" run --no-report --no-python -- printenv SCPROF_PYTHON
	[ "$output" = off ]
}

@test "an interpreter that is not read is told" {
	local python older=
	for python in "$HOME"/.pyenv/versions/3.[67].*/bin/python3; do
		[ ! -x "$python" ] || older=$python
	done
	[ -n "$older" ] || skip "no Python older than 3.8"
	python=$older record 3
	SHOWN=.warnings holds '[.warnings[] | select(.code == "python-cut")] | length == 1'
	SHOWN=.paths holds 'all(.sites[].stack[]; .language == null)'
}
