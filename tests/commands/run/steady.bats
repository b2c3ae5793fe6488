#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Steadiness of calls whose durations are given: what came first is excluded, and put back on request.

load ../common

# sends REPORT-OPTION...: the site of send as JSON.
sends()
{
	"$SCPROF" report --format json "$@" p.scp | jq '.sites[] | select(.symbol == "send")'
}

# recorded ARGUMENT...: of given_time, into p.scp.
recorded()
{
	"$SCPROF" run -c monotonic -o p.scp --no-report -- "$PROGRAMS/given_time" "$@"
}

@test "a warm-up is excluded, and its calls and time are reported" {
	recorded warms_up 3000
	# of 3000 calls, in batches of 256
	sends | jq -e '.steadiness.warm_up | .set_aside and .calls == 3072'
	# the two means and counts make up the whole
	sends | jq -e '(.mean_ns * (.calls - .steadiness.warm_up.calls)
		+ .steadiness.warm_up.mean_ns * .steadiness.warm_up.calls) / .total_ns
		| . > 0.999999 and . < 1.000001'
	"$SCPROF" report --full p.scp >text
	grep -q '~ warm-up: first .* not in the mean' text
	grep -q '^warning: warm-up' text
}

@test "a warm-up is put back on request" {
	recorded warms_up 3000
	sends --include-warm-up | jq -e '(.steadiness.warm_up.set_aside | not)
		and (.mean_ns * .calls / .total_ns | . > 0.999999 and . < 1.000001)'
	"$SCPROF" report --include-warm-up --format json p.scp |
		jq -e '.warm_up == "included" and ([.warnings[].code] | index("warm-up") | not)'
	"$SCPROF" report --full --include-warm-up p.scp >text
	grep -q '~ warm-up: first .* in the mean' text
}

@test "percentiles lie within their limits, and outliers add up to a share" {
	recorded even 16000
	sends | jq -e 'def within($ci): $ci[0] <= . and . <= $ci[1];
		.percentiles_ns | (.p50_ci as $ci | .p50 | within($ci)) and (.p90_ci as $ci | .p90 | within($ci))
		and (.p99_ci as $ci | .p99 | within($ci)) and (.p99_ci[0] <= .p999 and .p99 <= .p999)'
	sends | jq -e '.steadiness | .outliers.share_of_time >= 0 and .outliers.share_of_time < 1
		and .outliers.calls <= 1600 and .longest_after_s >= 0'
	sends | jq -e '.max_ns >= .percentiles_ns.p99'
}
