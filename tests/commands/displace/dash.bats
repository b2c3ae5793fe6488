#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# The DASH experiment (docs/results/dash.md): all intervals are there, and the tables add up. How long
# anything took is nobody's business here.

load ../common

RUN=$ROOT/docs/examples/dash/run
STEPS1='(1,2) (2,3) (3,4) (4,11)* (11,12) (12,1)'
STEPS2='(5,6) (6,7) (7,8) (8,9) (9,10) (10,5)*'

setup_file()
{
	export DASH=$BATS_FILE_TMPDIR
	"$RUN" --build "$BUILD" --cycles 500 --replications 2 --pace 0.05 --ordinary \
		--keep "$DASH/kept" >"$DASH/out" 2>"$DASH/err" 3>&- 4>&-
}

# table TITLE: its lines, up to the next blank one.
table()
{
	awk -v title="$1" 'index($0, title) == 1 { on = 1 } on && /^$/ { exit } on' "$DASH/out"
}

# labels TITLE: of its rows, in order.
labels()
{
	table "$1" | grep -oE '^\([0-9]+,[0-9]+\)\*? ' | tr -d '\n'
}

@test "dash 01: each table has both processes' cycles and all twelve intervals" {
	[ ! -s "$DASH/err" ]
	for title in 'Table 17a: clock' 'Table 17a from the tsc' 'Table 17b:' 'Intervals of 95%'; do
		[ "$(labels "$title")" = "(1,1) $STEPS1 (5,5) $STEPS2 " ]
	done
	[ "$(table 'Table 17a: clock' | grep -c '^(4,5)+(10,11) ')" = 1 ]
}

@test "dash 02: intervals add up to the cycles, in ticks, in every replication" {
	table 'Table 17a: clock' | awk -v steps1="$STEPS1" -v steps2="$STEPS2" '
	/^\(/ { for (k = 2; k <= NF; k++) ticks[$1, k] = $k
		columns = NF
		total = 0
		for (k = 2; k < NF; k++) total += $k
		if (total != $NF) { print "sums: " $0; bad = 1 } }
	function check(steps, cycle,   n, i, k, name, sum) {
		n = split(steps, name, " ")
		for (k = 2; k <= columns; k++) {
			sum = 0
			for (i = 1; i <= n; i++) sum += ticks[name[i], k]
			if (sum != ticks[cycle, k]) { print cycle, "column", k, "sum", sum; bad = 1 } } }
	END { check(steps1, "(1,1)"); check(steps2, "(5,5)")
		for (k = 2; k <= columns; k++)
			if (ticks["(4,5)+(10,11)", k] != ticks["(4,11)*", k] - ticks["(5,6)", k] - ticks["(6,7)", k] - ticks["(7,8)", k] - ticks["(8,9)", k] - ticks["(9,10)", k]) {
				print "the switches, column", k; bad = 1 }
		exit bad || columns != 4 }'
	[ "$(grep -c '^check: .* in all 2 replications: exactly, in ' "$DASH/out")" = 2 ]
}

# The tick's length is each replication's own where that was measured, as it is where ticks come late. To the last
# digit printed of the smallest and largest row.
@test "dash 03: the means of Table 17b are those of the ticks (equation 6), and what (10a) gives for them" {
	d=$(for k in 001 002; do "$SCPROF" report --format json --top 1 "$DASH/kept/$k.scp"; done | jq -r .slow_clock.tick_ns | xargs)
	{ table 'Table 17a: clock'; echo next; table 'Table 17b:'; } | awk -v ticks_ns="$d" '
	function near(a, b, text) { if ((a - b) ^ 2 > (0.0006 + 0.0051 * b) ^ 2) { print text, a, b; bad = 1 } }
	BEGIN { split(ticks_ns, ns, " "); d = (ns[1] + ns[2]) / 2000 }
	/^next/ { b = 1 }
	/^\([0-9]+,[0-9]+\)\*? / && !b { mean[$1] = (ns[1] * $2 + ns[2] * $3) / 1e6 }
	/^\([0-9]+,[0-9]+\)\*? / && b { m = mean[$1]; f = m / d - int(m / d + 1e-9)
		near($2, m, $1 " mean"); near($3, d * sqrt(f > 0 ? (f - f * f) / 500 : 0), $1 " (10a)"); rows++ }
	END { exit bad || rows != 14 }'
}

@test "dash 04: the verdict counts what the tables show" {
	below=$(table 'Table 17b:' | awk '/^\(/ && $1 != "(1,1)" && $1 != "(5,5)" && $3 > 0 { all++; if ($6 <= 1) below++ }
		END { print below + 0 " of " all " intervals" }')
	held=$(table 'Intervals of 95%' | awk '/^\(/ && $1 != "(1,1)" && $1 != "(5,5)" { a += $2; b += $4 } END { print a, b }')
	verdict=$(sed -n '/^Verdict/,$p' "$DASH/out" | tr -s ' \n' ' ')
	[[ $verdict == *"below that of (10a) in $below;"* ]]
	[[ $verdict == *"Of 24 intervals of 95% for the twelve, those of (10a) hold the tsc's mean in ${held% *} ("*", the report's in ${held#* } ("* ]]
}

@test "dash 05: profiles that were kept give the same tables" {
	[ "$(find "$DASH/kept" -name '*.scp' | wc -l)" = 2 ]
	"$RUN" --build "$BUILD" --read "$DASH/kept" >again
	diff "$DASH/out" again
}

@test "dash 06: every cycle passes every point once, and nothing is lost" {
	"$SCPROF" report --format json --by function "$DASH/kept/001.scp" >r.json
	[ "$(jq -c '[.sites[].calls] | unique' r.json)" = '[500]' ]
	[ "$(jq -c '[.skipped_calls, .overflow_calls, .abandoned_calls, .unmatched_ends]' r.json)" = '[0,0,0,0]' ]
	[ "$(jq '[.threads[] | select(.remainder_ns != 0)] | length' r.json)" = 0 ]
	[ "$(jq '.threads | length' r.json)" = 2 ]
}

@test "dash 07: on the kernel's coarse clock: the same tables, and no mention of ticks that vary" {
	"$RUN" --build "$BUILD" --cycles 500 --replications 2 --pace 0.05 --ordinary --clock coarse >regular.txt
	grep -q 'coarse clock, ticks are regular' regular.txt
	[ "$(grep -c randomised regular.txt)" = 0 ]
	[ "$(grep -c randomised "$DASH/out")" -gt 0 ]
	[ "$(grep -c '^check: .* in all 2 replications: exactly, in ' regular.txt)" = 2 ]
	[ "$(grep -c '^([0-9]*,[0-9]*)\*\? ' regular.txt)" = 56 ]
}

@test "dash 08: the pair does the same without the library, and says so when used wrongly" {
	[ "$("$EXAMPLES/dash_pair" 50)" = "50 cycles" ]
	for wrong in 0 x '10 -1' '10 0 x' '1 2 3 4'; do
		status=0
		# shellcheck disable=SC2086 # several arguments
		"$EXAMPLES/dash_pair" $wrong >out.txt 2>err.txt || status=$?
		[ "$status" = 2 ]
		[ "$(wc -l <err.txt)" = 1 ]
	done
}

teardown()
{
	[ -z "${PAIR:-}" ] || kill -KILL "${PAIR[@]}" 2>/dev/null || :
}

# A quarter of an hour's work, if it goes on.
@test "dash 09: when one process of the pair dies, so does the other" {
	local victim pair second status
	for victim in second first; do
		"$EXAMPLES/dash_pair" 100000 1 >out.txt 2>err.txt 3>&- 4>&- &
		pair=$!
		PAIR=("$pair")
		await pgrep -P $pair >/dev/null
		second=$(pgrep -P $pair)
		PAIR+=("$second")
		if [ $victim = second ]; then
			kill -KILL "$second"
			await has_ended $pair
			status=0
			wait $pair || status=$?
			[ "$status" = 1 ]
			grep -qF 'ended early' err.txt
		else
			kill -KILL $pair
			await has_ended "$second"
			wait $pair || true
		fi
	done
}

# refuses STATUS TEXT OPTION...: one line on standard error, nothing on standard output.
refuses()
{
	local wanted=$1 text=$2 status=0
	shift 2
	"$RUN" "$@" >out.txt 2>err.txt || status=$?
	sed -i '/no real-time priority here/d' err.txt # is said to who may not have it
	[ "$status" = "$wanted" ] && [ ! -s out.txt ] && [ "$(wc -l <err.txt)" = 1 ] && grep -qF "$text" err.txt && return
	echo "status $status:"
	cat out.txt err.txt
	return 1
}

@test "dash 10: without its products, or with other profiles, it says why it cannot" {
	refuses 2 'is not there: build it' --build "$T" --replications 2
	refuses 2 'two or more are needed' --build "$BUILD" --read "$T"
	refuses 2 'No such file' --build "$BUILD" --read "$T/none"
	refuses 2 'is there already' --build "$BUILD" --keep "$DASH/kept" --cycles 500 --pace 0
	mkdir other
	for i in 1 2; do
		"$SCPROF" run -c dual -o other/$i.scp --no-report -- "$EXAMPLES/regions" 100 >regions.out 2>&1
	done
	refuses 1 'not a profile of this experiment' --build "$BUILD" --read "$T/other"
}
