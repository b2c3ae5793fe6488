#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# `scprof clocks`: what it prints, whatever this machine's clocks are worth.
# about 18 s

load ../common

# Once for the tests that only look at it: it takes seconds.
setup_file()
{
	limited "$SCPROF" clocks --json >"$BATS_FILE_TMPDIR/clocks.json" </dev/null
	limited env -u LC_ALL LANG=C.UTF-8 COLUMNS=140 "$SCPROF" clocks \
		>"$BATS_FILE_TMPDIR/clocks.txt" </dev/null
}

# holds FILE FILTER...: each filter says true of the JSON file.
holds()
{
	local file=$BATS_FILE_TMPDIR/$1 filter
	shift
	for filter; do
		jq -e "$filter" "$file" >/dev/null || {
			echo "not so: $filter"
			jq -c . "$file"
			return 1
		}
	done
}

# has_no PATTERN FILE
has_no()
{
	if LC_ALL=C.UTF-8 grep -nP "$1" "$2"; then
		echo "the lines above should not be in $2"
		return 1
	fi
}

# at_most_100_columns FILE
at_most_100_columns()
{
	has_no '^.{101}' "$BATS_FILE_TMPDIR/$1"
}

@test "clocks 01: every clock with every field of the contract" {
	holds clocks.json '.schema == "scprof-clocks/1"' \
		'[.clocks[].name] == ["tsc", "coarse", "monotonic", "page", "thread-cpu"]' \
		'.default as $d | [.clocks[].name] | index($d) != null' \
		'(.reason | length) > 0'
	local field
	for field in usable verdict resolution_ns claimed_resolution_ns read_ns read_ci_low_ns \
		read_ci_high_ns read_alone_ns smallest_mean_ns cpus_compared comparisons backward \
		backward_max_ns step_readings steps step_max_ns drift_ppm drift_error_ppm rate_hz \
		rate_error_ppm late_mean_ns late_max_ns late_share ticks; do
		holds clocks.json "[.clocks[] | has(\"$field\")] | all" || return 1
	done
}

@test "clocks 02: costs of reading lie in their intervals, and intervals are not points" {
	holds clocks.json '.read_rounds >= 10' '.confidence == 0.95' \
		'[.clocks[] | .read_ci_low_ns <= .read_ns and .read_ns <= .read_ci_high_ns] | all' \
		'[.clocks[] | .read_ci_low_ns < .read_ci_high_ns] | all' \
		'[.clocks[] | .read_alone_ci_low_ns < .read_alone_ns and
			.read_alone_ns < .read_alone_ci_high_ns] | all'
}

@test "clocks 03: steps were looked for, and drift has an error" {
	# ticks of the coarse clocks may all be missed where other work has the CPUs
	holds clocks.json '[.clocks[] | select(.name == "tsc" or .name == "monotonic") |
			.step_readings > 0] | all' '[.clocks[].step_readings >= 0] | all' \
		'.interrupted_share >= 0 and .interrupted_share <= 1' \
		'.watch_s > 0' '.window_s > 0' \
		'[.clocks[] | select(.name == "tsc" or .name == "monotonic") |
			.drift_error_ppm > 0] | all' \
		'[.clocks[] | select(.name == "tsc") | .rate_hz > 0 and .rate_error_ppm > 0] | all' \
		'[.clocks[] | select(.name != "tsc") | .rate_hz == null] | all'
}

@test "clocks 04: only the coarse clocks have ticks, which are what was observed" {
	holds clocks.json '[.clocks[] | select(.ticks != null) | .name] - ["coarse", "page"] == []' \
		'[.clocks[] | .ticks // empty | .mean_ns > 0 and .count > 0] | all' \
		'[.clocks[] | .ticks // empty | select(.ci_low_ns != null) |
			.ci_low_ns <= .mean_ns and .mean_ns <= .ci_high_ns] | all' \
		'[.clocks[] | .ticks // empty | select(.p50_ns != null) | .min_ns <= .p10_ns and
			.p10_ns <= .p50_ns and .p50_ns <= .p90_ns and .p90_ns <= .max_ns] | all'
}

# Where others have the CPUs, a ticker may have none; test_collector_ticker counts them.
@test "clocks 05: lateness at several ticks, left alone and with all CPUs busy" {
	holds clocks.json '[.lateness[] | [.busy, .tick_ns]] | unique | length == 6' \
		'([.lateness[] | select(.busy) | .tick_ns] | sort) ==
			([.lateness[] | select(.busy | not) | .tick_ns] | sort)' \
		'[.lateness[] | .late_mean_ns <= .late_max_ns and .late_share <= 1] | all' \
		'[.lateness[] | .ticks > 0 or (.late_mean_ns == 0 and .late_share == 0)] | all' \
		'.busy_cpus >= 1' '[.lateness[].scheduling | length > 0] | all'
}

@test "clocks 06: the text is one page of 100 columns with a verdict a clock" {
	at_most_100_columns clocks.txt
	[ "$(wc -l <"$BATS_FILE_TMPDIR/clocks.txt")" -le 48 ]
	local clock
	for clock in tsc coarse monotonic page thread-cpu; do
		grep -qE "^$clock +(good|usable|not usable): " "$BATS_FILE_TMPDIR/clocks.txt" || {
			echo "no verdict on $clock"
			return 1
		}
	done
	grep -qE '^tsc +[0-9.]+ ns +[0-9.]+ ±[0-9.]+ ns ' "$BATS_FILE_TMPDIR/clocks.txt"
	grep -q '^default ' "$BATS_FILE_TMPDIR/clocks.txt"
}

@test "clocks 07: a narrow or an ASCII terminal gets fewer columns, not longer lines" {
	env LC_ALL=C COLUMNS=72 "$SCPROF" clocks >narrow.txt
	has_no '^.{73}' narrow.txt
	has_no '[^\x00-\x7f]' narrow.txt
	grep -q '^thread-cpu ' narrow.txt
}

@test "clocks 08: one CPU is enough, and compared with nothing" {
	command -v taskset >/dev/null || skip "needs taskset"
	local cpu
	cpu=$(taskset -cp $$ | sed 's/.*: *\([0-9]*\).*/\1/')
	taskset -c "$cpu" "$SCPROF" clocks --json >one.json
	jq -e '[.clocks[] | .cpus_compared == 0 and .comparisons == 0] | all' one.json >/dev/null
	jq -e '.busy_cpus == 1' one.json >/dev/null
}

@test "clocks 09: wrong usage is one clear line and status 2" {
	local argument status
	for argument in --jsno --json=all -x -1 extra nan $'a\nb' $'--a\nb' ''; do
		status=0
		"$SCPROF" clocks "$argument" >clocks.out 2>clocks.err || status=$?
		[ $status = 2 ] && [ ! -s clocks.out ] && grep -q '^scprof clocks: ' clocks.err &&
			grep -q -- '--help\|takes no value' clocks.err &&
			[ "$(wc -l <clocks.err)" = 1 ] || {
			echo "status $status: scprof clocks '$argument'"
			cat clocks.out clocks.err
			return 1
		}
	done
}

@test "clocks 10: output that cannot be written is a failure" {
	[ -e /dev/full ] || skip "needs /dev/full"
	local arguments status
	for arguments in --json --help; do
		status=0
		# shellcheck disable=SC2086 # two words
		"$SCPROF" clocks $arguments >/dev/full 2>err || status=$?
		[ $status = 1 ] && grep -q 'cannot write to standard output' err || {
			echo "status $status: scprof clocks $arguments"
			cat err
			return 1
		}
	done
}

@test "clocks 11: a /tmp that cannot be written to, as in containers, is no obstacle" {
	unshare --mount true || skip "needs root: a /tmp of its own"
	run limited unshare --mount sh -c 'mount --bind /tmp /tmp && mount -o remount,bind,ro /tmp &&
		exec "$1" clocks --json' sh "$SCPROF"
	[ "$status" = 0 ]
}

@test "clocks 12: run says of a counter that is asked for that it is not trusted" {
	[ "$(uname -m)" = x86_64 ] || skip "another counter"
	unshare --mount true || skip "needs root: a /sys of its own"
	local clock
	for clock in tsc dual; do
		unshare --mount sh -c 'mount -t tmpfs none /sys && exec "$@"' sh \
			"$SCPROF" run -c $clock --no-report -o p.scp -- true 2>err
		grep -q -- "-c $clock: what the kernel thinks of the TSC cannot be read.*times may be wrong" err
	done
}
