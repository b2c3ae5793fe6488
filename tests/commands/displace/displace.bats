#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# `scprof displace`, `scprof run --displace` and `scprof load`: accounts add up, the
# command does not notice, nothing is left behind, odd machines get one clear line.
# No time is compared with an absolute one.
# fluid

bats_require_minimum_version 1.5.0
load displace

teardown()
{
	[ -z "${BURNER:-}" ] || kill "$BURNER" 2>/dev/null || :
}

@test "bad options are refused in one line, status 125" {
	fails 125 "is not a whole number" "$SCPROF" displace --loops 0 -- true
	fails 125 "is not a whole number" "$SCPROF" displace --replications x -- true
	fails 125 "is not a whole number" "$SCPROF" displace --replications 1e3 -- true
	fails 125 "is not a list of CPUs" "$SCPROF" displace --cpus 1-0 -- true
	fails 125 "offline or does not exist" "$SCPROF" displace --cpus 1000 -- true
	fails 125 "unknown option --method" "$SCPROF" displace --method wall -- true
	fails 125 "between 0 and 1" "$SCPROF" displace --confidence 95 -- true
	fails 125 "not a time" "$SCPROF" displace --rest 5 -- true
	fails 125 "which command" "$SCPROF" displace
	fails 125 "needs a value" "$SCPROF" displace --cpus
	fails 125 "unknown option --wat" "$SCPROF" displace --wat
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

@test "there are the accountings of a program of one process" {
	json -- sh -c 'i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done'
	# how well, depends on how long the machine takes between readings of one clock and of the other
	holds '.accounting | .rusage_s > 0 and .schedstat_s > 0'
	holds '.accounting | .task_clock_s == null or .task_clock_s > 0'
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

# A task gives itself its name, and other users' tasks are listed.
@test "what a name has in it reaches no terminal" {
	local odd=$'ev\033[31m'
	cp /bin/sh "$odd"
	taskset -c "$(first_cpu)" "./$odd" -c 'while :; do :; done' 3>&- &
	BURNER=$!
	# until the burner has had the CPU while the command ran: its turn comes when the scheduler says so
	while :; do
		run timeout -k 5 900 "${DISPLACE[@]}" --cpus "$(first_cpu)" -- "./$odd" -c :
		[[ $output == *'scprof displace: ./ev\x1b[31m on CPU'* ]]
		[[ $output != *$'\033'* ]]
		[[ $output != *'ev\x1b[31m '[0-9]* ]] || break
	done
}

# Of `true`, unless the machine makes a long program of it: then once more.
too_short()
{
	json -- true && holds '[.warnings[].code] | index("too-short") != null' >/dev/null
}

says_nothing()
{
	run timeout -k 5 900 "${DISPLACE[@]}" -- true
	[[ $output == *"Nothing can be said"* ]]
}

@test "no number is printed where nothing supports it" {
	await too_short
	holds '.unaccounted.mean_s == null and .displacement.mean_s == null' \
		'.unaccounted.share_of_rusage == null and .unaccounted.ci_low_s == null' \
		'.sentence | startswith("Nothing can be said")'
	await says_nothing
	[[ $output == *"no interval can be given"* && $output != *nan* && $output != *inf* ]]
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

@test "perf's counter is beside the first run only, or left out" {
	json --replications 2 -- sh -c 'i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done'
	holds '.replications[1].accounting.task_clock_s == null'
	holds '.accounting.task_clock_s == .replications[0].accounting.task_clock_s'
	# the program's time is known by CPU all the same
	holds 'all(.replications[]; .program_s as $p | ([.cpus[].program_s] | add) - $p | fabs < 1e-9)'
	json --no-task-clock -- true
	holds '.accounting.task_clock_s == null and (.accounting.task_clock_missing | contains("left out"))'
}

@test "the fluid's control group is gone afterwards" {
	local pid
	"${DISPLACE[@]}" -- sh -c 'find /sys/fs/cgroup -type d -name "scprof-fluid-$PPID" >group' >out.txt 2>err.txt 3>&- &
	pid=$!
	wait "$pid"
	[ -z "$(group_of "$pid")" ]
	[ -s group ] || skip "no control group can be made here"
}

@test "the command is confined to the set, and what it prints is its own" {
	local cpu
	cpu=$(first_cpu)
	run --separate-stderr timeout -k 5 900 "${DISPLACE[@]}" --cpus "$cpu" -- grep Cpus_allowed_list /proc/self/status
	[ "$(cut -f2 <<<"$output")" = "$cpu" ]
	[[ $stderr == *"on CPU $cpu"* ]]
	# one object on standard output, the command's words beside it
	run --separate-stderr timeout -k 5 900 "${DISPLACE[@]}" --json -- echo hello
	[ "$(jq -r .schema <<<"$output")" = scprof-displace/1 ]
	[[ $stderr == *hello* ]]
}

@test "input reaches the command; signals and scheduling are as without" {
	local what='grep -E "^Sig(Blk|Ign)" /proc/self/status; cut -d" " -f41 /proc/self/stat'
	[ "$(echo word | timeout -k 5 900 "${DISPLACE[@]}" -o /dev/null -- cat)" = word ]
	sh -c "$what" >"$T/without"
	timeout -k 5 900 "${DISPLACE[@]}" -o /dev/null --replications 2 -- sh -c "$what" >"$T/with"
	diff <(cat "$T/without" "$T/without") "$T/with" # the second run, too
}
