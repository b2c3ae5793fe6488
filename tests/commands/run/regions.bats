#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Regions and points of scprof.h, and -finstrument-functions: programs do the same with and
# without the library; every interval is on record, and all of them add up.

# shellcheck disable=SC2317 # functions of common.bash call ours

load ../common

with_library()
{
	rm -rf "$T/out" && mkdir "$T/out"
	limited env LD_PRELOAD="$LIB" SCPROF_OUT="$T/out" SCPROF_CLOCK="${CLOCK:-tsc}" \
		SCPROF_GROUPS="${GROUPS_ASKED-socket,region}" "$@" </dev/null 3>&- 4>&-
}

# measured COMMAND...: same as ever, and what is in the profile adds up to the unit.
measured()
{
	same_either_way "$@" || return 1
	make_report --by function || return 1
	jq -e '[.threads[] | select(.remainder_ns != 0)] | length == 0' report.json >/dev/null || {
		echo "does not add up:"
		jq -c '.threads[] | [.name, .remainder_ns]' report.json
		return 1
	}
}

# counts NAME COUNT...: of regions, in $T/report.json.
counts()
{
	printf '%s\n' "$@" | jq -Rne --slurpfile report "$T/report.json" '
		[inputs] | [range(0; length; 2) as $i | .[$i] as $f | (.[$i + 1] | tonumber) as $n |
			([$report[0].sites[] | select(.symbol == $f and .library == "region" and
				.outcome == "completed") | .calls] | add // 0) |
			select(. != $n) | "\($f): \(.), expected \($n)"] |
		if . == [] then true else (.[] | debug), false end' >/dev/null
}

lost()
{
	[ "$(jq -c '[.skipped_calls, .overflow_calls, .abandoned_calls, .unmatched_ends]' report.json)" = "$1" ] && return
	echo "skipped, overflow, abandoned, unmatched:"
	jq -c '[.skipped_calls, .overflow_calls, .abandoned_calls, .unmatched_ends]' report.json
	return 1
}

@test "regions 01: regions inside one another, with calls inside and between" {
	measured "$PROGRAMS/regions" nested 100
	counts outer 100 inner 100
	lost '[0,0,0,0]'
	[ "$(calls_of send)" = 301 ]
	# outermost are each outer, and the send and recv after it
	make_report --by gap
	[ "$(jq '[.gaps[].calls] | add' report.json)" = 303 ]
}

@test "regions 02: a chain of points: intervals and cycles, calls inside" {
	measured "$PROGRAMS/regions" chain 100
	counts 'a -> b' 100 'b -> c' 100 'c -> a' 100 'a -> a (cycle)' 100
	lost '[0,0,0,0]'
}

# units NAME...: the sum of their entries' units.
units()
{
	"$PROFILES/dump_entries" out/*.scp >entries
	sed 's/^entry \([0-9]*\) \(.*\) \([0-9]* [0-9]* [0-9]* [0-9]* [0-9]* [0-9]* [0-9]* [0-9]*\)$/\2|\3/; t; d' entries |
		awk -F'|' -v names="$1" 'BEGIN { n = split(names, want, ",") }
		{ for (i = 1; i <= n; i++) if ($1 == want[i]) { split($2, f, " "); sum += f[3] } }
		END { printf "%d\n", sum }'
}

@test "regions 03: the intervals of a chain are its cycles, to the tick, on every clock" {
	for CLOCK in tsc coarse monotonic; do
		measured "$PROGRAMS/regions" chain 5000
		[ "$CLOCK" = coarse ] || [ "$(units 'a -> b')" -gt 0 ]
		[ "$(units 'a -> b,b -> c,c -> a')" = "$(units 'a -> a (cycle)')" ]
	done
}

@test "regions 04: overlapping regions, ends without beginnings, beginnings without ends" {
	measured "$PROGRAMS/regions" crooked 100
	counts first 100 second 100 early 100 forgotten 1
	lost '[0,0,99,3]'
}

# So many that there would be no room if each stayed open until the end.
@test "regions 05: what longjmp leaves is given up" {
	measured "$PROGRAMS/regions" jumps 10000
	counts left 0 early 10000
	lost '[0,0,10000,0]'
}

@test "regions 06: names that are made at run time, and overwritten" {
	measured "$PROGRAMS/regions" names 100
	counts 'name 0' 20 'name 4' 20 'name 0 -> name 1' 20 'name 4 -> name 0' 19
	lost '[0,0,0,0]'
}

@test "regions 07: in signal handlers" {
	measured "$PROGRAMS/regions" handlers 100
	counts handler 200 interrupted 100
}

@test "regions 08: each thread has its own; what is open when it ends is given up" {
	measured "$PROGRAMS/regions" threads 1000
	counts 'left -> right' 4000 'right -> left' 3996 'left -> left (cycle)' 3996 'until the end' 0
	lost '[0,0,4,0]'
}

@test "regions 09: across a fork: the child's profile has the child's" {
	measured "$PROGRAMS/regions" forks 50
	counts across 1 outer 100 inner 100
	[ "$(find out -name '*.scp' | wc -l)" = 2 ]
}

@test "regions 10: callbacks out of a region" {
	measured "$PROGRAMS/regions" callback 20
	counts sort 20
	[ "$(calls_of compare)" -gt 1000 ]
}

@test "regions 11: deeper than there is room: the outer ones are recorded, ends still match" {
	measured "$PROGRAMS/regions" deep 10000
	counts deep 8192 plain 8192
	lost '[0,3618,0,0]'
	jq -e '.warnings[] | select(.code == "overflow") | tostring | test("regions is full") and test("8,192 open")' report.json >/dev/null
}

@test "regions 12: in C++: return, exceptions, guards by hand, templates" {
	measured "$PROGRAMS/regions_cxx" 30
	counts outer 30 middle 30 caught 10 'by hand' 30 plain 30 twice 21 'number 1' 10
	lost '[0,0,0,0]'
}

@test "regions 13: in each way of linking; in a static program markers do nothing" {
	for kind in nopie O0; do
		measured "$PROGRAMS/regions_$kind" nested 20
		counts outer 20 inner 20
	done
	[ "$("$PROGRAMS/regions_static" nested 20)" = "nested worked" ]
}

@test "regions 14: with other linkers" {
	local linker tried=0
	for linker in gold lld; do
		command -v "ld.$linker" >/dev/null || continue
		for how in -pie '-fno-pie -no-pie'; do
			# shellcheck disable=SC2086 # options
			cc -O1 $how "-fuse-ld=$linker" -I"$ROOT/include" -o linked \
				"$ROOT/tests/programs/regions/regions.c" -lpthread
			measured ./linked nested 20
			counts outer 20 inner 20
			tried=1
		done
	done
	[ $tried = 1 ] || skip "no other linker"
}

@test "regions 15: the header in strict and old dialects, and turned off" {
	local include=$ROOT/include
	printf '#include <scprof.h>\nint f(void);\nint f(void)\n{\n%s\nreturn 0;\n}\n' \
		'SCPROF_BEGIN("a"); SCPROF_POINT("b"); SCPROF_END_OF("a"); SCPROF_POINT_STOP;' >old.c
	# shellcheck disable=SC2016
	printf '#include <scprof.h>\nint f(const char *);\nint f(const char *n)\n{\n%s\nreturn 0;\n}\n' \
		'SCPROF_SCOPE("a"); SCPROF_SCOPE_NAMED(n); SCPROF_END; SCPROF_END_OF_NAMED(n); { SCPROF_SCOPE("c"); }
		SCPROF_POINT_NAMED(n); SCPROF_BEGIN_NAMED(n);' >new.c
	cc -std=c90 -Wall -Wextra -Wpedantic -Wno-comment -Werror -isystem "$include" -c old.c
	for off in '' -DSCPROF_OFF; do
		for std in c99 c11 gnu17; do
			cc -std=$std $off -Wall -Wextra -Werror -Wno-unused-parameter -I"$include" -c new.c
		done
		c++ -x c++ -std=c++11 $off -Wall -Wextra -Wpedantic -Wold-style-cast -Werror \
			-Wno-unused-parameter -I"$include" -c new.c
	done
	printf '#include <scprof.h>\nvoid f(const char *n);\nvoid f(const char *n) { SCPROF_BEGIN(n); }\n' >none.c
	if cc -I"$include" -c none.c 2>/dev/null; then
		echo "a name that is no literal was taken"
		return 1
	fi
}

@test "regions 16: not asked for, not recorded" {
	GROUPS_ASKED=socket
	measured "$PROGRAMS/regions" nested 20
	[ "$(jq '[.sites[] | select(.library == "region")] | length' report.json)" = 0 ]
	[ "$(calls_of send)" = 61 ]
	GROUPS_ASKED=
	measured "$PROGRAMS/regions" nested 20
	counts outer 20
}

@test "regions 17: -finstrument-functions: every function by name, longjmp and recursion" {
	GROUPS_ASKED=functions
	measured "$PROGRAMS/regions_functions" 60000
	[ "$(calls_of main)" = 1 ]
	[ "$(calls_of branch)" = 54000 ]
	[ "$(calls_of leaf)" = 54000 ]
	[ "$(calls_of recurse)" = 51 ]
	lost '[0,0,12000,0]'
}

@test "regions 18: -finstrument-functions: a program's own hooks go on being called" {
	GROUPS_ASKED=functions
	measured "$PROGRAMS/regions_own_hooks" 100
	GROUPS_ASKED=region
	measured "$PROGRAMS/regions_functions" 100
	[ "$(jq '.sites | length' report.json)" = 0 ]
}

@test "regions 19: a merged profile names instrumented functions, and adds up" {
	GROUPS_ASKED=functions with_library "$PROGRAMS/regions_functions" 100 >/dev/null
	cp out/*.scp one.scp
	GROUPS_ASKED=functions with_library "$PROGRAMS/regions_functions" 100 >/dev/null
	"$SCPROF" merge -o out/all.scp one.scp out/*.scp
	"$SCPROF" report --format json --by function out/all.scp >report.json
	[ "$(calls_of branch)" = 180 ]
}

@test "regions 20: scprof run -g takes the groups" {
	"$SCPROF" run -g region -c tsc -o r.scp --no-report -- "$PROGRAMS/regions" chain 10 2>/dev/null
	"$SCPROF" report --format json --by function r.scp >report.json
	counts 'a -> b' 10
	[ "$(calls_of send)" = 0 ]
}

@test "regions 21: on the dual and the page clock" {
	"$SCPROF" run -c dual -o d.scp --no-report -- "$PROGRAMS/regions" chain 2000 2>/dev/null
	"$SCPROF" report --format json --by function d.scp >report.json
	counts 'a -> b' 2000 'a -> a (cycle)' 2000
	"$SCPROF" run -c page -o p.scp --no-report -- "$PROGRAMS/regions" nested 2000 2>/dev/null
	"$SCPROF" report --format json --by function p.scp >report.json
	counts outer 2000 inner 2000
	[ "$(jq '[.threads[] | select(.remainder_ns != 0)] | length' report.json)" = 0 ]
}
