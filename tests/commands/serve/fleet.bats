#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Three hosts in network namespaces and one Prometheus: sums of calls, ticks, bytes and squares add up
# over hosts, and what follows from them is what scprof reports for the merged profiles. And one agent
# that it scrapes by itself. It takes what the real program needs: `make check-long` runs this.
# about 20 s
# sleeps

load ../common
load serve

FLEET=$ROOT/docs/examples/fleet

setup()
{
	common_setup
	BACKGROUND=() WINDOWS=() AGENT=
}

teardown()
{
	end_background
}

@test "the fleet's sums, means and errors by PromQL are those of the merged profiles" {
	status=0
	# shellcheck disable=SC2016 # for the inner shell, whose number its namespaces have
	timeout 900 sh -c 'echo $$ >number; exec "$@"' sh "$FLEET/three_hosts.sh" --build "$BUILD" --seconds 4 >out.txt 2>err.txt 3>&- 4>&- || status=$?
	cat out.txt err.txt
	[ "$status" != 3 ] || skip "$(cat err.txt)"
	[ "$status" = 0 ]
	[ "$(grep -c ' calls ' out.txt)" = 3 ]
	[ "$(grep -c ' quantile, ' out.txt)" -ge 2 ]
	grep -q '^the dashboard.s 1[0-9] queries have data' out.txt
	# nothing of it is left
	if ip netns list | grep "^scp$(cat number)-"; then false; fi
}

@test "what is not built is said before anything is made" {
	[ "$(id -u)" = 0 ] || skip 'needs root'
	mkdir empty
	run "$FLEET/three_hosts.sh" --build empty
	[ "$status" != 0 ]
	[[ "$output" == *"empty/scprof is not built: make all tests"* || "$output" == *"is not installed"* ]]
}

@test "a number that does not add up is found" {
	mkdir made
	for name in calls ticks bytes seconds overhead_seconds mean_seconds half_width half_width_independent half_width_hosts wilson_low_seconds wilson_high_seconds \
		half_width_5m freedom_5m quantile_5m; do
		jq -n '{data: {result: [{metric: {function: "send", outcome: "completed"}, value: [0, "1"]}]}}' >made/$name.json
	done
	jq -n '{sites: [{symbol: "send", outcome: "completed", calls: 1, ticks: 1, bytes: 1, mean_ns: 1e9, overhead_ns: 1e9,
		standard_error_ns: 510213, overhead_error_ns: 0, design_effect: 1, ci_low_ns: 0, ci_high_ns: 2e9, method: "x"}]}' >made/report.json
	run "$FLEET/compare.py" made
	[ "$status" = 1 ]
	[[ "$output" == *WRONG* ]]
}

@test "Prometheus takes the configuration, the rules and the dashboard's queries" {
	jq -e '.panels | length > 5' "$FLEET/grafana-dashboard.json"
	command -v promtool >/dev/null || skip 'promtool is not installed'
	(cd "$FLEET" && promtool check config prometheus.yml)
	promtool check rules "$FLEET/scprof.rules.yml"
	# each query of the dashboard, as a rule; its variables as Grafana fills them in
	jq '{groups: [{name: "dashboard", rules: [[.panels[].targets[].expr | gsub("\\$(service|function)"; ".*") | gsub("\\$__rate_interval"; "1m")] | to_entries[] | {record: "x\(.key)", expr: .value}]}]}' \
		"$FLEET/grafana-dashboard.json" >queries.yml
	promtool check rules queries.yml
}

# Prometheus finds the agent, scrapes it every second, and knows its series.
@test "a real Prometheus scrapes it" {
	command -v prometheus >/dev/null || skip 'prometheus is not installed'
	background "$PROGRAMS/sleeper" 20
	start_agent out
	cat >prometheus.yml <<-END
		global: {scrape_interval: 1s}
		scrape_configs:
		  - job_name: scprof
		    static_configs: [{targets: ["${URL#http://}"]}]
	END
	place=$(own_place)
	prometheus --config.file=prometheus.yml --storage.tsdb.path=tsdb --web.listen-address="$place" \
		>prometheus.log 2>&1 3>&- 4>&- &
	BACKGROUND+=($!)
	ask()
	{
		curl -s --get "http://$place/api/v1/query" --data-urlencode "query=$1" | jq -r '.data.result[0].value[1] // empty'
	}
	await eval '[ "$(ask "up{job=\"scprof\"}")" = 1 ]'
	await eval '[ -n "$(ask "rate(scprof_calls_total{function=\"send\",outcome=\"completed\"}[10s]) > 0")" ]'
	[ "$(ask 'count(scprof_mean_low_seconds{function="send",outcome="completed"} < scprof_mean_high_seconds)')" = 1 ]
	# it asked for OpenMetrics, and dropped nothing of it
	[ "$(ask 'scrape_samples_scraped - scrape_samples_post_metric_relabeling')" = 0 ]
	[ "$(ask 'scrape_samples_scraped')" -gt 30 ]
}
