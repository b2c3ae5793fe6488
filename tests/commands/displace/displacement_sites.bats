#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# `scprof run --displace` by call site: what is printed, saved and read again fits together, and
# the command does not notice. How large a cost is nobody asserts: a machine that is busy
# gives no number, and then says why.
# fluid

bats_require_minimum_version 1.5.0
load ../common
SHOWN='.sites[] | del(.stack, .steadiness, .percentiles_ns)'

# Both sites for two seconds, once for the tests that look at what came of it.
setup_file()
{
	export PORT D=$BATS_FILE_TMPDIR
	PORT=$(own_place)
	PORT=${PORT##*:} # the sink listens at every address
	timeout -k 5 900 "$EXAMPLES/two_sites" sink "$PORT" >"$D/sink.txt" 2>&1 3>&- &
	export SINK=$!
	await grep -q ready "$D/sink.txt"
	timeout -k 5 900 "$SCPROF" run --displace -o "$D/p.scp" -- \
		"$EXAMPLES/two_sites" both 127.0.0.1 "$PORT" 2 5000 2000 >"$D/out.txt" 2>"$D/err.txt" 3>&-
	"$SCPROF" report --format json "$D/p.scp" >"$D/report.json"
}

teardown_file()
{
	kill "$SINK" 2>/dev/null || true
}

@test "each site has a cost, or a reason why not; partners name each other" {
	cp "$D/report.json" .
	# the account stands beside the report
	grep -q "where the CPUs' time went" "$D/err.txt"
	grep -qF "profile: $D/p.scp" "$D/err.txt"
	tr '\n' ' ' <"$D/out.txt" | grep -q 'udp.*tcp.*cpu_s'
	holds '[.sites[] | select(.symbol == "send" and .outcome == "completed")] | length == 2'
	holds 'all(.sites[]; .displacement | IN("known", "rare", "steady", "too-few-windows"))'
	holds 'all(.sites[] | select(.displacement == "known");
		.uncharged_ci_low_ns < .uncharged_ns and .uncharged_ns < .uncharged_ci_high_ns and
		.true_cost_ci_low_ns < .true_cost_ns and .true_cost_ns < .true_cost_ci_high_ns and
		.uncharged_error_ns > 0 and (.uncharged_significant | type) == "boolean" and
		.displacement_spans >= 24 and .variance_inflation >= 0.99)'
	# a site of its own, all of whose calls were watched
	holds 'all(.sites[] | select(.displacement == "known" and .charged_ns != null and .inseparable_with == []);
		(.both_ns - .charged_ns.mean_ns - .uncharged_ns | fabs) < 0.01 and
		.both_ci_low_ns < .both_ns and .both_ns < .both_ci_high_ns)'
	holds 'all(.sites[] | select(.displacement != "known");
		.uncharged_ns == null and .both_ns == null and .true_cost_ns == null and .inseparable_with == [])'
	holds 'all(.sites[]; .displacement_windows_kept >= 0 and .displacement_windows_kept <= 1)'
	# called once each
	holds 'all(.sites[] | select(.symbol == "connect" or .symbol == "socket");
		.displacement | IN("rare", "too-few-windows"))'
	holds '.sites as $s | all(range(0; $s | length) as $i | $s[$i].inseparable_with[] |
		{i: $i, k: .}; .k != .i and (.i as $i | $s[.k].inseparable_with | index($i)) != null)'
}

@test "the saved profile says it again, after a merge of one, too; rows of several sites say nothing" {
	cp "$D/report.json" "$D/p.scp" .
	jq -c '[.sites[] | [.symbol, .calls, .displacement, .uncharged_ns, .true_cost_ns]]' "$T/report.json" >"$T/first.txt"
	"$SCPROF" merge -o "$T/merged.scp" "$T/p.scp"
	"$SCPROF" report --format json "$T/merged.scp" |
		jq -c '[.sites[] | [.symbol, .calls, .displacement, .uncharged_ns, .true_cost_ns]]' >"$T/second.txt"
	cmp "$T/first.txt" "$T/second.txt"
	# text and JSON agree on whether there is a table
	known=$(jq '[.sites[] | select(.displacement == "known")] | length' "$T/report.json")
	run "$SCPROF" report "$T/p.scp"
	[ "$status" = 0 ]
	[[ $output == *"by displacement, a call:"* ]]
	if [ "$known" -gt 0 ]; then
		[[ $output == *"UNCHARGED"* ]]
	else
		[[ $output != *"UNCHARGED"* ]]
	fi
}

@test "without --displace nothing is said of it" {
	timeout -k 5 900 "$SCPROF" run --no-report -o "$T/p.scp" -- \
		"$EXAMPLES/two_sites" both 127.0.0.1 "$PORT" 0.3 2>/dev/null 3>&-
	"$SCPROF" report --format json "$T/p.scp" >"$T/report.json"
	holds 'all(.sites[]; .displacement == null and .uncharged_ns == null and .inseparable_with == [])'
	run "$SCPROF" report "$T/p.scp"
	[[ $output != *"displacement"* ]]
	"$SCPROF" report --by function --format json "$T/p.scp" >"$T/report.json"
	holds '[.sites[] | select(.symbol == "send")][0] | .displacement == null'
}

@test "a command that ends at once leaves a sound profile" {
	run --separate-stderr timeout -k 5 900 "$SCPROF" run --displace -o "$T/p.scp" -- \
		"$EXAMPLES/two_sites" both 127.0.0.1 "$PORT" 0 3>&-
	[ "$status" = 0 ]
	"$SCPROF" report --format json "$T/p.scp" >"$T/report.json"
	holds 'all(.sites[]; .uncharged_ns == null)'
}
