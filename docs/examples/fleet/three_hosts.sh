#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Three hosts and a Prometheus on one machine: network namespaces on a bridge, a few profiled
# processes and an agent in each, then the fleet's means and intervals by PromQL beside what
# `scprof merge` and `scprof report` say of the same profiles.
#
# three_hosts.sh [--build DIR] [--seconds N] [--keep DIR]
# FLEET_CLOCK=coarse: the programs' clock (default: tsc).
# Needs root, the tests' programs (make all tests), ip (iproute2), prometheus, curl, jq, python3. Removes what it made, whatever happens.
# Exit status: 0 the numbers agree; 1 they do not, or something failed; 2 wrong usage; 3 something
# that it needs is missing here.
set -euo pipefail

build=build seconds=20 keep=
while [ $# -gt 0 ]; do
	case $1 in
	--build) build=${2:?} && shift 2 ;;
	--seconds) seconds=${2:?} && shift 2 ;;
	--keep) keep=${2:?} && shift 2 ;;
	*)
		echo 'usage: three_hosts.sh [--build DIR] [--seconds N] [--keep DIR]' >&2
		exit 2
		;;
	esac
done
here=$(cd "$(dirname "$0")" && pwd)
scprof=$(realpath "$build")/scprof library=$(realpath "$build")/libscprof.so
program=$(realpath "$build")/tests/programs/sleeper
tag=scp$$

missing()
{
	echo "three_hosts: $1" >&2
	exit 3
}
[ "$(id -u)" = 0 ] || missing 'needs root, for network namespaces'
for command in ip prometheus curl jq python3; do
	command -v "$command" >/dev/null || missing "$command is not installed"
done
for file in "$scprof" "$library" "$program"; do
	[ -e "$file" ] || {
		echo "three_hosts: $file is not built: make all tests (or --build DIR)" >&2
		exit 1
	}
done
ip netns add "$tag-test" 2>/dev/null || missing 'network namespaces cannot be made here'
ip netns delete "$tag-test"

work=$(mktemp -d)
pids=()
clean()
{
	local pid i
	for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
	for pid in "${pids[@]}"; do wait "$pid" 2>/dev/null || true; done
	for i in 1 2 3 0; do ip netns delete "$tag-$i" 2>/dev/null || true; done
	ip link delete "${tag}br" 2>/dev/null || true
	if [ -n "$keep" ]; then mkdir -p "$keep" && cp -r "$work"/. "$keep"; fi
	rm -rf "$work"
}
trap clean EXIT
trap 'exit 1' INT TERM

# Namespace 0 is where Prometheus is; it holds the bridge, so the machine's own network stays as
# it was.
make_network()
{
	local i
	ip netns add "$tag-0"
	ip -n "$tag-0" link add br0 type bridge
	ip -n "$tag-0" addr add 10.90.0.1/24 dev br0
	ip -n "$tag-0" link set br0 up
	ip -n "$tag-0" link set lo up
	for i in 1 2 3; do
		ip netns add "$tag-$i"
		ip -n "$tag-0" link add "host$i" type veth peer name eth0 netns "$tag-$i"
		ip -n "$tag-0" link set "host$i" master br0 up
		ip -n "$tag-$i" addr add "10.90.0.1$i/24" dev eth0
		ip -n "$tag-$i" link set eth0 up
		ip -n "$tag-$i" link set lo up
	done
}

# Host i runs i programs, which are busier the higher i is: means and counts differ by host.
start_host()
{
	local i=$1 n
	mkdir -p "$work/host$i"
	ip netns exec "$tag-$i" "$scprof" serve --listen "10.90.0.1$i:9464" "$work/host$i" >"$work/agent$i.log" 2>&1 &
	pids+=($!)
	for n in $(seq "$i"); do
		ip netns exec "$tag-$i" env LD_PRELOAD="$library" SCPROF_OUT="$work/host$i" SCPROF_GROUPS=socket \
			SCPROF_CLOCK="${FLEET_CLOCK:-tsc}" "$program" 20 $((20 * i + n)) >/dev/null 2>&1 &
		pids+=($!)
		programs+=($!)
	done
}

ask()
{
	ip netns exec "$tag-0" curl -s --get http://127.0.0.1:9090/api/v1/query --data-urlencode "query=$1"
}

# until SECONDS COMMAND...: until it succeeds.
within()
{
	local end=$((SECONDS + $1))
	shift
	until "$@"; do
		[ $SECONDS -lt $end ] || {
			echo "three_hosts: not in time: $*" >&2
			return 1
		}
		sleep 0.2
	done
}

# evaluated_since SECONDS: each group of rules has been evaluated, beginning after that time of day.
evaluated_since()
{
	ip netns exec "$tag-0" curl -s http://127.0.0.1:9090/api/v1/rules | jq -e --argjson since "$1" '
		.data.groups | length > 0 and all(.[]; .lastEvaluation |
			capture("(?<s>[^.Z]*)(?<f>[.][0-9]*)?Z") | (.s + "Z" | fromdate) + ("0" + (.f // "") | tonumber) > $since)' >/dev/null
}

value_is()
{
	[ "$(ask "$1" | jq -r '.data.result[0].value[1] // "none"')" = "$2" ]
}

grafana_variables()
{
	cat <<-'END'
		s/$service/(sleeper)/g
		s/$function/.*/g
		s/$__rate_interval/1m/g
	END
}

# Every query of the dashboard, with its variables as Grafana fills them in, has an answer.
ask_dashboard()
{
	local query queries=0
	while read -r query; do
		queries=$((queries + 1))
		[ "$(ask "$query" | jq '.data.result | length')" -gt 0 ] || {
			echo "three_hosts: the dashboard has no data for: $query" >&2
			return 1
		}
	done < <(jq -r '.panels[].targets[]?.expr' "$here/grafana-dashboard.json" | sed -f <(grafana_variables))
	echo "the dashboard's $queries queries have data"
}

start_prometheus()
{
	sed 's/: 15s/: 500ms/' "$here/prometheus.yml" >"$work/prometheus.yml"
	cp "$here/scprof.rules.yml" "$work"
	ip netns exec "$tag-0" env TZ=UTC prometheus --config.file="$work/prometheus.yml" --storage.tsdb.path="$work/tsdb" \
		--web.listen-address=127.0.0.1:9090 >"$work/prometheus.log" 2>&1 &
	pids+=($!)
}

programs=()
make_network
for i in 1 2 3; do start_host "$i"; done
start_prometheus
within 120 value_is 'sum(up{job="scprof"})' 3
# A window's interval needs a few readings of each host.
while [ $SECONDS -lt "$seconds" ]; do sleep 0.3; done
within 120 value_is 'count(scprof_batches_total{function="recv",outcome="completed"} >= 4)' 3
# The programs end while they are watched: their last calls count as well.
for pid in "${programs[@]}"; do kill "$pid" 2>/dev/null || true; done
for pid in "${programs[@]}"; do wait "$pid" 2>/dev/null || true; done
"$scprof" merge -o "$work/fleet.scp" "$work"/host*/*.scp
"$scprof" report --format json --by function --include-warm-up "$work/fleet.scp" >"$work/report.json"
wanted=$(jq '[.sites[] | select(.symbol == "recv" and .outcome == "completed") | .calls] | add' "$work/report.json")
within 120 value_is 'sum(scprof_calls_total{function="recv",outcome="completed"})' "$wanted"
within 120 value_is 'sum(service_function:scprof_calls:fleet{function="recv",outcome="completed"})' "$wanted"
# The groups that draw on these follow in turn.
for ((i = 0; i < $(grep -c '  - name:' "$here/scprof.rules.yml"); i++)); do
	within 60 evaluated_since "$(date +%s.%N)"
done

for name in calls seconds square_seconds overhead_seconds mean_seconds half_width half_width_independent half_width_hosts \
	wilson_low_seconds wilson_high_seconds; do
	ask "service_function:scprof_$name:fleet" >"$work/$name.json"
done
for name in half_width freedom quantile; do
	ask "service_function:scprof_$name:fleet5m" >"$work/${name}_5m.json"
done
ask 'sum by (function, outcome) (scprof_ticks_total)' >"$work/ticks.json"
ask 'sum by (function, outcome) (scprof_bytes_total)' >"$work/bytes.json"
ask_dashboard
python3 "$here/compare.py" "$work"
