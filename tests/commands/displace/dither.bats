#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# `scprof run --displace --dither`: what is asked for is checked, what came of it is told, and the
# command does not notice. How much it brings nobody asserts.
# fluid

bats_require_minimum_version 1.5.0
load ../common
SHOWN='.sites[] | del(.stack, .steadiness, .percentiles_ns)'

setup()
{
	common_setup
	PORT=$(own_place)
	PORT=${PORT##*:} # the sink listens at every address
}

teardown()
{
	[ -z "${SINK:-}" ] || kill "$SINK" 2>/dev/null || true
}

# refuses TEXT OPTION...
refuses()
{
	local text=$1

	shift
	run "$SCPROF" run "$@" -- true
	[ "$status" = 125 ]
	[[ $output == *"$text"* ]]
}

begin_sink()
{
	timeout -k 5 900 "$EXAMPLES/two_sites" sink "$PORT" >"$T/sink.txt" 2>&1 3>&- &
	SINK=$!
	await grep -q ready "$T/sink.txt"
}

@test "options that make no sense are one clear error" {
	refuses "--dither varies the rates of calls for --displace: add it" --dither
	refuses "'50%' is not a share from 0.5% to 25%" --displace --dither=50%
	refuses "'0.001' is not a share" --displace --dither=0.001
	refuses "'much' is not a share" --displace --dither=much
}

@test "what a dither did is told" {
	begin_sink
	run --separate-stderr timeout -k 5 900 "$SCPROF" run --displace --dither=25% -o "$T/p.scp" -- \
		"$EXAMPLES/two_sites" threads 127.0.0.1 "$PORT" 2 5000 2000 3>&-
	[ "$status" = 0 ]
	[[ $output == udp*tcp*cpu_s* ]]
	[[ $stderr == *"sites were delayed in "*" windows"* ]]
	"$SCPROF" report --format json "$T/p.scp" >"$T/report.json"
	holds '[.sites[] | select(.symbol == "send" and .outcome == "completed")] | length == 2'
}
