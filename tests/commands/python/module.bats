#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# scprof.py, the regions of Python programs: each installed Python does the same with and without
# the library; every region is on record under its own name and outcome.
# about 12 s

load ../common
load python

REGIONS="$ROOT/tests/programs/python/regions.py $ROOT/docs/examples/python"

# The calls of each region, NAME OUTCOME CALLS.
counts()
{
	jq -r '[.sites[] | select(.library == "region")] | group_by([.symbol, .outcome])[] |
		"\(.[0].symbol) \(.[0].outcome) \(map(.calls) | add)"' "$T/report.json"
}

@test "python module 01: regions of threads, generators, tasks and exceptions, with each Python" {
	local python
	cat >expected <<-END
		a -> a (cycle) completed 3
		a -> b completed 4
		b -> a completed 3
		depth completed 62
		left open exception 1
		pairs completed 2
		raises completed 2
		raises exception 3
		task completed 12
	END
	while read -r python; do
		echo "$python"
		rm -rf out && mkdir out
		# shellcheck disable=SC2086
		LD_PRELOAD=$LIB SCPROF_OUT=$T/out SCPROF_GROUPS=region limited "$python" $REGIONS >said
		[ "$(cat said)" = 'as told' ]
		make_report
		counts | diff expected -
		holds '[.threads[] | select(.remainder_ns != 0)] | length == 0'
	done < <(pythons)
}

@test "python module 02: without the library, and dormant, it does nothing" {
	local python
	while read -r python; do
		echo "$python"
		# shellcheck disable=SC2086
		[ "$(limited "$python" $REGIONS)" = 'as told' ]
		# nothing is imported for it
		limited "$python" -c 'import sys; sys.path.insert(0, sys.argv[1]); before = set(sys.modules); import scprof
with scprof.region("x"): pass
assert set(sys.modules) - before == {"scprof"}, set(sys.modules) - before' "$ROOT/docs/examples/python"
		LD_PRELOAD=$LIB SCPROF_OUT=$T/out SCPROF_STOPPED=1 limited "$python" -c 'import sys; sys.path.insert(0, sys.argv[1]); import scprof
@scprof.region("kept")
def kept(): pass
for i in range(300):
    with scprof.region("x"): kept()' "$ROOT/docs/examples/python"
		[ -z "$(ls out)" ]
	done < <(pythons)
}

@test "python module 03: a region that was made while nothing was recorded is one when recording begins" {
	LD_PRELOAD=$LIB SCPROF_OUT=$T/out SCPROF_STOPPED=1 SCPROF_GROUPS=region limited python3 -c 'import sys; sys.path.insert(0, sys.argv[1]); import scprof
@scprof.region("kept")
def kept(): pass
kept()
scprof.start()
kept()
scprof.stop()
kept()
for i in range(4200): # more names than there is room for
    with scprof.region(str(i)): pass' "$ROOT/docs/examples/python"
	make_report
	[ "$(counts)" = 'kept completed 1' ]
}

@test "what the interpreter calls while it is asked for its state is no call of the program, and none passes through" {
	local python library tried=0
	for python in $(pythons); do
		library=$(ldd "$python" 2>/dev/null | sed -n 's/.*libpython3.* => \(\/[^ ]*\).*/\1/p')
		# its own calls must be ones that can be wrapped
		[ -n "$library" ] && readelf -rW "$library" | grep -q PyObject_GetAttr || continue
		echo "$python"
		limited "$SCPROF" run --no-report -s 'libpython*:PyThread_tss_*,libpython*:PyObject_GetAttr' -o p.scp -- "$python" -I -S -c pass
		limited "$SCPROF" report --format json p.scp >report.json
		SHOWN='[.skipped_calls, .totals.walks]' holds '.skipped_calls == 0 and .totals.walks > 100' || return 1
		tried=$((tried + 1))
	done
	[ "$tried" -gt 0 ] || skip "no shared libpython"
}
