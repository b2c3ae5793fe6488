#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# The displacement paper's experiments, in tiny versions: each prints a complete table and
# leaves the machine as it was. What the figures say is for docs/results/displacement.md.
# fluid

load ../common

DISPLACEMENT=$(realpath "$ROOT/docs/examples/displacement")

setup()
{
	common_setup
	[ "$(nproc)" -ge 2 ] || skip 'one CPU'
	settings >"$T/settings.before"
}

# The experiment undoes what it did, whatever ends it.
teardown()
{
	[ -z "${EXPERIMENT:-}" ] || kill -TERM -- "-$EXPERIMENT" 2>/dev/null || :
}

# What an experiment could have left changed.
settings()
{
	local file
	for file in /sys/class/net/*/queues/rx-*/rps_cpus; do
		echo "$file $(cat "$file")"
	done
	ls -d /sys/class/net/wire /sys/class/net/peer 2>/dev/null || true
	pgrep -af "$BUILD/examples/put |$DISPLACEMENT/wire.sh" || true
}

# experiment COMMAND ARG...: in $T/said and $T/complaint, its files in $T/kept.
experiment()
{
	local command=$1
	shift
	status=0
	timeout -k 5 900 "$DISPLACEMENT/$command" --build "$BUILD" --out "$T/kept" --rest 100ms "$@" \
		>"$T/said" 2>"$T/complaint" 3>&- 4>&- </dev/null || status=$?
	cat "$T/said" "$T/complaint"
	[ "$status" = 0 ] || not_possible
	[ "$status" = 0 ]
}

# not_possible: skips where that is why the experiment ended.
not_possible()
{
	! grep -q 'no network namespace\|needs root\|needs tc' "$T/complaint" || skip "$(tail -1 "$T/complaint")"
}

# complete NAME ROWS COLUMNS: what is kept has so many rows, all columns filled (figures that
# the windows do not support are NaN), and what was printed is what is kept.
complete()
{
	local kept=$T/kept/$1
	diff "$T/said" "$kept.txt" || return 1
	[ "$(grep -vc '^#' "$kept.dat")" = "$2" ] || {
		echo "not $2 rows in $1.dat"
		return 1
	}
	grep -v '^#' "$kept.dat" | awk -F '\t' -v columns="$3" 'NF != columns { print "columns:", NF; bad = 1 } END { exit bad }'
}

# positive NAME COLUMN: getrusage's figure is there whatever the machine does.
positive()
{
	grep -v '^#' "$T/kept/$1.dat" | awk -F '\t' -v column="$2" '!($column > 0) { print; bad = 1 } END { exit bad }'
}

is_as_it_was()
{
	settings >"$T/settings.after"
	diff "$T/settings.before" "$T/settings.after"
}

# What was killed may take a moment to be gone.
as_it_was()
{
	await is_as_it_was >/dev/null || is_as_it_was
}

@test "Table 1 is complete, drawn where gnuplot is, and nothing is left running" {
	experiment table1.py --sizes 400 --loops 100 --replications 1
	complete table1 1 9
	positive table1 2
	grep -q 'no plot figure2.svg' "$T/complaint" || grep -q '</svg>' "$T/kept/figure2.svg"
	as_it_was
}

@test "Table 2 has loopback and veth with steering off, and on where root, and undoes all" {
	experiment table2.py --sizes 1000 --loops 200 --replications 1
	local rows=4
	[ "$(id -u)" = 0 ] || rows=$((rows - 2))
	grep -q 'no rows with a wire' "$T/complaint" || rows=$((rows + 1))
	complete table2 $rows 11
	positive table2 4
	as_it_was
}

@test "Table 3 is complete and its wire is gone" {
	experiment table3.py --sizes 2000 --loops 50 --replications 1
	complete table3 1 17
	positive table3 3
	as_it_was
}

@test "Table 4 is complete" {
	experiment table4.py --counts 50 --replications 2
	complete table4 1 10
	positive table4 7
	as_it_was
}

@test "The claims' measurements are complete, and the burner ends with them" {
	experiment goals.py burner --loops 50 --replications 1
	complete goals-burner 1 7
	experiment goals.py known --loops 50 --replications 1
	complete goals-known 1 9
	experiment goals.py fluid --loops 50 --replications 1
	complete goals-fluid 3 16
	as_it_was
}

@test "Receive steering's measurement is complete and the machine's own steering untouched" {
	experiment goals.py steering --loops 200 --replications 1
	complete goals-steering 3 10
	as_it_was
}

# at_work: the experiment's program has had a CPU for 50 ms: it has begun long ago, and ends with what started it. Or the
# experiment could not begin.
at_work()
{
	local program
	kill -0 "$EXPERIMENT" 2>/dev/null || return 0
	program=$(pgrep -o -f "^$BUILD/examples/put (compute|send) $LOOPS") || return 1
	[ "$(awk '{ print $14 + $15 }' "/proc/$program/stat")" -ge 5 ]
}

# cut_short SIGNAL COMMAND ARG...: once its program is at work, INT goes to all of the experiment,
# as Ctrl-C does, another signal to the experiment alone.
cut_short()
{
	local signal=$1 command=$2
	shift 2
	setsid env --default-signal=INT "$DISPLACEMENT/$command" --build "$BUILD" --rest 100ms "$@" \
		>"$T/said" 2>"$T/complaint" 3>&- 4>&- </dev/null &
	EXPERIMENT=$!
	await at_work || { cat "$T/complaint"; return 1; }
	kill -0 "$EXPERIMENT" 2>/dev/null || not_possible
	if [ "$signal" = INT ]; then kill -INT -- "-$EXPERIMENT"; else kill -"$signal" "$EXPERIMENT"; fi
	wait "$EXPERIMENT" || true
	as_it_was
}

@test "Ctrl-C or a kill in the midst leaves no process, no namespace and no setting" {
	LOOPS=100000000
	cut_short INT goals.py burner --loops $LOOPS
	cut_short INT table2.py --loops $LOOPS
	cut_short TERM table2.py --loops $LOOPS
	cut_short KILL table2.py --loops $LOOPS
}

@test "An experiment that cannot run says what it needs" {
	run "$DISPLACEMENT/table1.py" --build "$T/nowhere"
	[ "$status" = 1 ]
	[[ $output == *'build first'* ]]
	run "$DISPLACEMENT/table1.py" --build "$BUILD" --cpus 0,100000
	[ "$status" = 1 ]
	[[ $output == *'two CPUs are needed'* ]]
}
