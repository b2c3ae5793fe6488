#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Displacement where something is in the way: signals, programs that leave, sandboxes,
# quotas; `scprof run --displace` and `scprof load`.
# fluid
# shellcheck disable=SC2030,SC2031 # each test is a subshell, as it should be

bats_require_minimum_version 1.5.0
load displace

teardown()
{
	[ -z "${BURNERS:-}" ] || kill -KILL "${BURNERS[@]}" 2>/dev/null || :
}

# burns PID: it has had a CPU, a hundredth of a second or more.
burns()
{
	[ "$(awk '{ print $14 + $15 }' "/proc/$1/stat")" -gt 0 ]
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
	await rmdir "$group" 2>/dev/null
	return "$status"
}

@test "a program that leaves the set is reported" {
	local cpu
	[ "$(nproc)" -gt 1 ] || skip "one CPU"
	cpu=$(first_cpu)
	# which is looked at several times a second, and with each of its turns by scprof, once that is due
	json --cpus "$cpu" -- sh -c "taskset -cp 0-$(($(nproc --all) - 1)) \$\$ >/dev/null; sleep 1
		turns() { sed -n 's/^voluntary_ctxt_switches:.//p' /proc/\$PPID/status; }
		until=\$((\$(turns) + 10))
		while [ \$(turns) -lt \$until ]; do sleep 0.05; done"
	holds '[.warnings[].code] | index("affinity-changed") != null'
}

@test "Ctrl-C gives the part that was measured, status 130, and leaves nothing" {
	# a shell without job control ignores SIGINT in what it starts
	setsid env --default-signal=INT,QUIT "${DISPLACE[@]}" --replications 50 --json \
		-o "$T/displace.json" -- sleep 1000 >"$T/out.txt" 2>"$T/err.txt" 3>&- &
	BURNERS=($!)
	local pid=$! status=0
	await pgrep -s "$pid" -x sleep >/dev/null
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
	BURNERS=($!)
	local pid=$! child
	await pgrep -P "$pid" -x sleep >/dev/null
	child=$(pgrep -P "$pid" -x sleep)
	BURNERS+=("$child")
	[ "$(cat /proc/$pid/task/*/comm | grep -c scprof-fluid)" -ge 1 ]
	kill -9 "$pid"
	wait "$pid" || true
	[ ! -e "/proc/$pid" ]
	# the command goes on, as under scprof run
	[ -e "/proc/$child" ]
	kill "$child"
}

@test "a rest is prolonged where others left the fluid hardly any of it" {
	local cpu
	json -- sleep 0.01
	holds '.replications[0].rest_s >= 0.2'
	for cpu in $(python3 -c 'import os; print(*os.sched_getaffinity(0))'); do
		taskset -c "$cpu" sh -c 'while :; do :; done' 3>&- &
		BURNERS+=($!)
	done
	for cpu in "${BURNERS[@]}"; do await burns "$cpu"; done
	json -- sleep 0.01
	timeout -k 5 900 sh -c 'echo $$ >pid; exec "$@"' sh "${DISPLACE[@]}" -- true >/dev/null 2>&1 3>&- || true
	kill "${BURNERS[@]}"
	# however long its threads waited for a CPU, no control group stays
	[ -z "$(group_of "$(cat pid)")" ]
	holds '.replications[0].rest_s > 0.9'
}

@test "how long it takes is said before" {
	json -- true
	head -n 1 "$T/err.txt" | grep -q '1 run of the command, and 0.25 s besides.*--rest'
	json -q -- true
	run ! grep -q besides "$T/err.txt"
}

# Whether other tasks had 5 % of the time is not for this test to know: text and JSON agree about it.
@test "beside busy tasks a result is a lower bound in text and JSON" {
	local cpu
	json -- sleep 0.2
	holds 'all(.displacement, .unaccounted; has("bound"))' '.unaccounted.bound == .displacement.bound' \
		'(.unaccounted.bound == null) or (.unaccounted.bound == "lower")' \
		'.all_cpus as $a | ($a.others_s > 0.1 * $a.wall_s | not) or .unaccounted.bound == "lower"' \
		'.unaccounted.bound == null or .unaccounted.ci_high_s == null or
		(.sentence | test("at least|No uncharged time was seen"))'
	for cpu in $(python3 -c 'import os; print(*os.sched_getaffinity(0))'); do
		taskset -c "$cpu" sh -c 'while :; do :; done' 3>&- &
		BURNERS+=($!)
	done
	for cpu in "${BURNERS[@]}"; do await burns "$cpu"; done
	json -- sh -c 'i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done'
	kill "${BURNERS[@]}"
	holds '.unaccounted.bound == "lower" and .unaccounted.hidden_s > 0.05 * .all_cpus.wall_s'
	holds 'any(.warnings[]; .code == "others-busy") and (.warnings | map(.text) | join(" ") | test("lower bound"))'
	# where nothing was seen the limit is what others may have hidden, and no more
	holds '.unaccounted.ci_high_s == null or .unaccounted.ci_high_s >= .unaccounted.hidden_s'
}

@test "in a container the tasks outside of it are not seen, and the result may be a bound" {
	unshare --pid --fork --mount-proc true || skip "needs root: a namespace of PIDs"
	BESIDE=(unshare --pid --fork --mount-proc)
	json -- sleep 0.2
	holds 'any(.warnings[]; .code == "processes-hidden" and (.text | contains("container")))' \
		'.accounting.taskstats_missing | contains("container")' \
		'.unaccounted.bound == null or any(.warnings[]; .code == "others-busy")'
}

@test "confirmation says why it cannot confirm" {
	json --confirm -- sleep 0.2
	holds '.confirm.confirms == false and .confirm.had_share < 0.85 and .confirm.rusage_off == null' \
		'(.confirm.elapsed_s | length) == 1' '.confirm.fluid_effect.ratio > 0 and .confirm.fluid_effect.ci_low == null'
	run timeout -k 5 900 "${DISPLACE[@]}" --confirm -- sleep 0.1
	[[ $output == *"CPU time beside it is"* && $output == *"elapsed time says nothing"* ]]
	json -- true
	holds '.confirm == null'
}

@test "run --displace measures a program that cannot be preloaded, too" {
	run --separate-stderr timeout -k 5 900 env SCPROF_DISABLE=1 "$SCPROF" run --displace -- sh -c 'exit 5'
	[ "$status" = 5 ]
	[[ $stderr == *"where the CPUs' time went"* ]]
}

@test "load: what the fluid got and did not get is all there was" {
	timeout -k 5 900 "$SCPROF" load --json 0.3 >"$T/displace.json" 3>&-
	holds '.schema == "scprof-load/1"'
	holds 'all(.cpus[]; (.idle_s + .others_s + .interrupts_s + .stolen_s - .wall_s | fabs) < 1e-6)'
	holds 'all(.cpus[]; .load - (.others_s + .interrupts_s) / .wall_s | fabs < 1e-9)'
	run timeout -k 5 900 "$SCPROF" load 0.2
	[ "$status" = 0 ]
	[[ $output == *"by /proc/stat"* ]]
}

@test "refused affinity and SCHED_IDLE are named, and nothing is started" {
	"$PROGRAMS/forbid" probe || skip "no seccomp here"
	fails 125 "permission to set affinities" "$PROGRAMS/forbid" affinity \
		"$SCPROF" displace -- touch "$T/started"
	fails 125 "SCHED_IDLE is refused" "$PROGRAMS/forbid" scheduler \
		"$SCPROF" displace -- touch "$T/started"
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

@test "a quota in the way is refused, with its file" {
	run in_quota 50 timeout -k 5 900 "${DISPLACE[@]}" -- touch "$T/started"
	[ "$status" != 99 ] || skip "no control group of v1 can be made here"
	[ "$status" = 125 ]
	[[ $output == *"may use 0.5 CPUs"*"cpu.cfs_quota_us"* ]]
	[ "${#lines[@]}" = 1 ]
	[ ! -e "$T/started" ]
	run in_quota 50 timeout -k 5 900 "${DISPLACE[@]}" --ignore-quota -- touch "$T/started"
	[ "$status" = 0 ]
	[ -e "$T/started" ]
	# a quota that is enough for the set prevents nothing
	run in_quota 100 timeout -k 5 900 "${DISPLACE[@]}" --cpus "$(first_cpu)" -- true
	[ "$status" = 0 ]
}
