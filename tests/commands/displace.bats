#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# `scprof displace`, `scprof run --displace` and `scprof load`: accounts add up, the
# command does not notice, nothing is left behind, odd machines get one clear line.
# No time is held against an absolute one.

bats_require_minimum_version 1.5.0
load common

setup()
{
	common_setup
	DISPLACE=("$SCPROF" displace --rest 100ms)
	BESIDE=()
}

# json ARG...: into $T/displace.json, started by BESIDE; the status is to be STATUS.
json()
{
	local status=0
	timeout -k 5 60 "${BESIDE[@]}" "${DISPLACE[@]}" --json -o "$T/displace.json" "$@" >"$T/out.txt" 2>"$T/err.txt" 3>&- || status=$?
	[ "$status" = "${STATUS:-0}" ] || {
		echo "scprof displace $*: status $status"
		cat "$T/err.txt"
		return 1
	}
}

# holds FILTER: true of the result.
holds()
{
	jq -e "$1" "$T/displace.json" >/dev/null || {
		echo "does not hold: $1"
		jq -c 'del(.replications)' "$T/displace.json"
		return 1
	}
}

# fails STATUS TEXT ARG...: one line that says TEXT, and the status.
fails()
{
	local wanted=$1 text=$2 said status=0
	shift 2
	# not `run`, which warns of status 127
	said=$(timeout -k 5 60 "$@" 2>&1 3>&-) || status=$?
	if [ "$status" != "$wanted" ] || [[ $said != *"$text"* ]] || [[ $said == *$'\n'* || $said == *'\x'* ]]; then
		echo "$*: status $status, wanted $wanted and '$text':"
		echo "$said"
		return 1
	fi
}

first_cpu()
{
	taskset -cp $$ | sed 's/.*: //; s/[,-].*//'
}

@test "bad options are refused in one line, status 125" {
	fails 125 "is not a count" "$SCPROF" displace --loops 0 -- true
	fails 125 "is not a count" "$SCPROF" displace --replications x -- true
	fails 125 "is not a count" "$SCPROF" displace --replications 1e3 -- true
	fails 125 "is not a list of CPUs" "$SCPROF" displace --cpus 1-0 -- true
	fails 125 "offline or does not exist" "$SCPROF" displace --cpus 1000 -- true
	fails 125 "there are fluid and wall" "$SCPROF" displace --method water -- true
	fails 125 "between 0 and 1" "$SCPROF" displace --confidence 95 -- true
	fails 125 "not a time" "$SCPROF" displace --rest 5 -- true
	fails 125 "which command" "$SCPROF" displace
	fails 125 "needs a value" "$SCPROF" displace --cpus
	fails 125 "unknown option --wat" "$SCPROF" displace --wat
	fails 125 "goes with --method fluid" "$SCPROF" displace --method wall --confirm -- true
	fails 2 "not a number of seconds" "$SCPROF" load 0
	fails 2 "not a number of seconds" "$SCPROF" load nan
	fails 2 "offline or does not exist" "$SCPROF" load --cpus 1000
	fails 2 "is enough" "$SCPROF" load 1 1
}

@test "exit statuses are those of scprof run" {
	STATUS=7 json -- sh -c 'exit 7'
	STATUS=137 json -- sh -c 'kill -9 $$'
	fails 127 "no-such-command" "$SCPROF" displace -- no-such-command
	touch "$T/plain"
	fails 126 "plain" "$SCPROF" displace -- "$T/plain"
	fails 127 "no-such-command" "$SCPROF" displace --method wall -- no-such-command
	STATUS=3 json --method wall --replications 1 -- sh -c 'exit 3'
}

@test "the account of each CPU adds up to its wall time" {
	json -- sh -c 'i=0; while [ $i -lt 30000 ]; do i=$((i + 1)); done; sleep 0.1'
	holds '.schema == "scprof-displace/1" and .method == "fluid"'
	holds 'all(.cpus[], .all_cpus; (.program_s + .others_s + .scprof_s + .interrupts_s + .stolen_s
		+ .idle_s + .remainder_s - .wall_s) | fabs < 1e-9)'
	holds 'all(.cpus[], .all_cpus; (.interrupts_program_s + .interrupts_rest_s + .switching_s
		- .interrupts_s) | fabs < 1e-9)'
	holds '.all_cpus as $a | (([.cpus[].wall_s] | add) - $a.wall_s | fabs) < 1e-9'
	holds 'all(.cpus[]; .idle_s >= 0 and .stolen_s >= 0 and .program_s >= 0)'
	holds '.program.elapsed_s as $e | all(.cpus[]; (.wall_s - $e | fabs) < 1e-6)'
	holds '[.cpus[].cpu] == ([.cpus[].cpu] | sort)'
}

@test "the accountings agree about a program of one process" {
	json -- sh -c 'i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done'
	holds '.accounting.rusage_s > 0'
	# exact clocks of one kernel, read a little before and after its end
	holds '.accounting | (.schedstat_s - .rusage_s | fabs) < 0.02 + 0.05 * .rusage_s'
	holds '.accounting | .task_clock_s == null or .task_clock_s > 0.9 * .rusage_s - 0.02'
	holds '.accounting | .task_clock_s != null or (.task_clock_missing | length > 0)'
	holds '.accounting | .taskstats_s != null or (.taskstats_missing | length > 0)'
	holds '.accounting.schedstat_first_thread_only == false'
	holds '.program.cpu_s >= .accounting.rusage_s'
}

@test "children count, and schedstat says that it lacks them" {
	json -- sh -c 'sh -c "i=0; while [ \$i -lt 100000 ]; do i=\$((i + 1)); done"; true'
	holds '.accounting.rusage_s > .accounting.schedstat_s'
	holds '.accounting.taskstats_s == null or .accounting.schedstat_first_thread_only'
}

@test "no number is printed where nothing supports it" {
	json -- true
	holds '[.warnings[].code] | index("too-short") != null'
	holds '.unaccounted.mean_s == null and .displacement.mean_s == null'
	holds '.unaccounted.share_of_rusage == null and .unaccounted.ci_low_s == null'
	holds '.sentence | startswith("Nothing can be said")'
	run timeout 60 "${DISPLACE[@]}" -- true
	[[ $output == *"Nothing can be said"* && $output == *"no interval can be given"* ]]
	[[ $output != *nan* && $output != *inf* ]]
}

@test "replications are listed, loops give the cost of an operation" {
	json --replications 3 --loops 1000 --confidence 90% -- sleep 0.05
	holds '(.replications | length) == 3 and .runs == 3 and .loops == 1000'
	holds '.confidence == 0.9'
	holds '.per_operation_us.rusage_us as $o | .accounting.rusage_s as $r
		| ($o - $r * 1000 | fabs) < 1e-6'
	holds '([.replications[].program_s] | add / 3) as $m | (.program.cpu_s - $m | fabs) < 1e-9'
	holds '.unaccounted as $u | $u.mean_s == null or
		($u.ci_low_s <= $u.mean_s and $u.mean_s <= $u.ci_high_s)'
}

@test "the command is confined to the set, and what it prints is its own" {
	local cpu
	cpu=$(first_cpu)
	run --separate-stderr timeout 60 "${DISPLACE[@]}" --cpus "$cpu" -- grep Cpus_allowed_list /proc/self/status
	[ "$(cut -f2 <<<"$output")" = "$cpu" ]
	[[ $stderr == *"on CPU $cpu"* ]]
	# one object on standard output, the command's words beside it
	run --separate-stderr timeout 60 "${DISPLACE[@]}" --json -- echo hello
	[ "$(jq -r .schema <<<"$output")" = scprof-displace/1 ]
	[[ $stderr == *hello* ]]
}

@test "input reaches the command; signals and scheduling are as without" {
	local what='grep -E "^Sig(Blk|Ign)" /proc/self/status; cut -d" " -f41 /proc/self/stat'
	[ "$(echo word | timeout 60 "${DISPLACE[@]}" -o /dev/null -- cat)" = word ]
	[ "$(timeout 60 "${DISPLACE[@]}" -o /dev/null -- sh -c "$what")" = "$(timeout 60 sh -c "$what")" ]
}

@test "a program that leaves the set is told of" {
	local cpu
	[ "$(nproc)" -gt 1 ] || skip "one CPU"
	cpu=$(first_cpu)
	json --cpus "$cpu" -- sh -c "taskset -cp 0-$(($(nproc --all) - 1)) \$\$ >/dev/null
		i=0; while [ \$i -lt 300000 ]; do i=\$((i + 1)); done"
	holds '[.warnings[].code] | index("affinity-changed") != null'
}

@test "Ctrl-C gives the part that was measured, status 130, and leaves nothing" {
	# a shell without job control ignores SIGINT in what it starts
	setsid env --default-signal=INT,QUIT "${DISPLACE[@]}" --replications 50 --json \
		-o "$T/displace.json" -- sleep 3 >"$T/out.txt" 2>"$T/err.txt" 3>&- &
	local pid=$! i status=0
	for i in $(seq 400); do
		pgrep -s "$pid" -x sleep >/dev/null && break
		sleep 0.05
	done
	kill -INT -- "-$pid"
	wait "$pid" || status=$?
	[ "$status" = 130 ] || {
		echo "status $status"
		cat "$T/err.txt"
		return 1
	}
	holds '.runs == 1 and .replications[0].interrupted'
	grep -q "of 50 runs" "$T/err.txt"
	[ "$(pgrep -c -s "$pid")" = 0 ]
}

@test "a killed scprof leaves no fluid" {
	"${DISPLACE[@]}" -- sleep 1000 >/dev/null 2>&1 3>&- &
	local pid=$! i child=
	for i in $(seq 400); do
		child=$(pgrep -P "$pid" -x sleep) && break
		sleep 0.05
	done
	[ "$(cat /proc/$pid/task/*/comm | grep -c scprof-fluid)" -ge 1 ]
	kill -9 "$pid"
	wait "$pid" || true
	[ ! -e "/proc/$pid" ]
	# the command goes on, as under scprof run
	[ -e "/proc/$child" ]
	kill "$child"
}

@test "the published procedure prints its quantities and its four errors" {
	json --method wall --replications 2 --loops 100 --cpus "$(first_cpu)" -- sleep 0.05
	holds '.method == "wall" and (.replications | length) == 2'
	holds '.l_f > 0 and .tau_f.mean_ns > 0 and .errors.start_s > 0'
	holds 'all(.errors.daemons_us, .errors.cache_us, .errors.resolution_us, .errors.start_us;
		type == "number")'
	# T_PUT = T_F(2) - L_F(2) tau_F, of one CPU
	holds 'all(.replications[]; (.t_put_s - (.step2.t_f_s - .step2.l_f * .tau_f_ns / 1e9) | fabs)
		< 1e-9)'
	holds 'all(.replications[]; .step1.l_f == .step2.l_f)'
	run timeout 60 "${DISPLACE[@]}" --method wall --replications 2 -- sleep 0.05
	[[ $output == *e_daemons* && $output == *e_cache* && $output == *e_res* && $output == *e_start* ]]
}

@test "confirmation says why it cannot confirm" {
	json --confirm -- sleep 0.2
	holds '.confirm.saturated == false and .confirm.rusage_off == null or .confirm.idle_share < 0.03'
	holds '(.confirm.elapsed_s | length) == 1'
	json -- true
	holds '.confirm == null'
}

@test "run --displace gives the account beside the report" {
	run --separate-stderr timeout 60 "$SCPROF" run --displace -o "$T/p.scp" -- "$EXAMPLES/echo_pair" 2000 100
	[ "$status" = 0 ]
	[ -s "$T/p.scp" ]
	[[ $stderr == *"where the CPUs' time went"* ]]
	[[ $stderr == *"profile: $T/p.scp"* ]]
	# a program that cannot be preloaded is measured, too
	run --separate-stderr timeout 60 env SCPROF_DISABLE=1 "$SCPROF" run --displace -- sh -c 'exit 5'
	[ "$status" = 5 ]
	[[ $stderr == *"where the CPUs' time went"* ]]
}

@test "load: what the fluid got and did not get is all there was" {
	timeout 60 "$SCPROF" load --json 0.3 >"$T/displace.json" 3>&-
	holds '.schema == "scprof-load/1"'
	holds 'all(.cpus[]; (.idle_s + .others_s + .interrupts_s + .stolen_s - .wall_s | fabs) < 1e-6)'
	holds 'all(.cpus[]; .load <= 1.01 and .load > -0.01)'
	run timeout 60 "$SCPROF" load 0.2
	[ "$status" = 0 ]
	[[ $output == *"by /proc/stat"* ]]
}

@test "refused affinity and SCHED_IDLE are named, and nothing is started" {
	"$PROGRAMS/forbid" probe || skip "no seccomp here"
	fails 125 "permission to set affinities" "$PROGRAMS/forbid" affinity \
		"$SCPROF" displace -- touch "$T/started"
	fails 125 "SCHED_IDLE is refused" "$PROGRAMS/forbid" scheduler \
		"$SCPROF" displace -- touch "$T/started"
	fails 125 "cannot run a fluid" "$PROGRAMS/forbid" affinity \
		"$SCPROF" displace --method wall -- touch "$T/started"
	[ ! -e "$T/started" ]
}

@test "without perf the rest is measured all the same" {
	"$PROGRAMS/forbid" probe || skip "no seccomp here"
	BESIDE=("$PROGRAMS/forbid" perf)
	json -- sh -c 'i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done'
	holds '.accounting.task_clock_s == null'
	holds '.accounting.task_clock_missing | contains("perf_event_open")'
	holds '.accounting.rusage_s > 0 and (.all_cpus.program_s > 0)'
}

# in_quota CPUS COMMAND...: in a control group of v1 that may use so many CPUs; 99: cannot.
in_quota()
{
	local group=/sys/fs/cgroup/cpu/scprof-test-$$ status=0
	mkdir "$group" 2>/dev/null || return 99
	(
		echo $(($1 * 100000 / 100)) >"$group/cpu.cfs_quota_us" &&
			echo "$BASHPID" >"$group/cgroup.procs" || exit 99
		shift
		exec "$@"
	) || status=$?
	for _ in $(seq 100); do
		rmdir "$group" 2>/dev/null && break
		sleep 0.05
	done
	return "$status"
}

@test "a quota in the way is refused, with its file" {
	run in_quota 50 timeout 60 "${DISPLACE[@]}" -- touch "$T/started"
	[ "$status" != 99 ] || skip "no control group of v1 can be made here"
	[ "$status" = 125 ]
	[[ $output == *"may use 0.5 CPUs"*"cpu.cfs_quota_us"* ]]
	[ "${#lines[@]}" = 1 ]
	[ ! -e "$T/started" ]
	run in_quota 50 timeout 60 "${DISPLACE[@]}" --ignore-quota -- touch "$T/started"
	[ "$status" = 0 ]
	[ -e "$T/started" ]
	# enough for the set is none in the way
	run in_quota 100 timeout 60 "${DISPLACE[@]}" --cpus "$(first_cpu)" -- true
	[ "$status" = 0 ]
}
