#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# What is computed between calls. Programs run until they had so much CPU time that a function of a
# tenth of it is missed with a probability of less than 1e-9 (0.9^200), or one of nine tenths (0.1^50);
# nothing else that depends on when samples fall is part of a verdict. They are no more frequent than
# rings hold while the tool waits for a CPU. How good the shares are is measured, not tested.
# about 20 s

bats_require_minimum_version 1.5.0
load ../common
load ../python/python

setup()
{
	common_setup
	unset SCPROF_SAMPLE
}

allowed()
{
	"$SCPROF" doctor | grep -q '^ok *perf' || skip "perf events are forbidden here"
}

# sampled OPTIONS PROGRAM...: the report in report.json.
sampled()
{
	# shellcheck disable=SC2086 # options are words
	limited "$SCPROF" run -g socket $1 --no-report -o p.scp -- "${@:2}" >said </dev/null
	"$SCPROF" report --format json p.scp >report.json
}

# Samples are in rows, in calls, or of recording; shares add up to 1, and lie in their intervals.
adds_up()
{
	holds '.computing | .samples == .in_calls + .recording.samples + ([.rows[].samples] | add // 0)'
	holds '.computing | .samples == .in_calls or
		(([.rows[].share] | add // 0) + .recording.share - 1 | fabs < 1e-9)'
	holds '.computing | [.rows[], .recording] | all(.[]; .share_low <= .share and .share <= .share_high)'
	holds '.computing | (([.rows[].cpu_s] | add // 0) + .recording.cpu_s - .cpu_s | fabs < 1e-9)'
}

# has_row FUNCTION CALLER
has_row()
{
	holds ".computing.rows[] | select(.function == \"$1\") |
		.path == \"complete\" and .stack[0].function == \"$1\" and .stack[1].function == \"$2\""
}

@test "sample 01: functions that compute have rows, with their callers" {
	allowed
	sampled "--sample 1ms" "$PROGRAMS/computes" here 300
	adds_up
	has_row computes_little outer
	has_row computes_much outer
	holds '.computing.rows[0].function == "computes_much" and .computing.period_ns == 1000000'
	"$SCPROF" report p.scp >text
	grep -q '^COMPUTING .*SHARE .*CPU TIME' text
	grep -q '^computes_much ' text
	grep -q 'A function with' text
	run ! grep -q 'perf record' text
}

@test "sample 02: so it is of a thread, and of a forked child, which is its parent's" {
	allowed
	for place in thread child; do
		sampled "--sample 1ms" "$PROGRAMS/computes" "$place" 100
		adds_up
		has_row computes_much outer
	done
}

@test "sample 03: a sample in a recorded call is the call's, and none of computing" {
	allowed
	sampled "--sample 1ms" "$PROGRAMS/computes" calls 100
	adds_up
	holds '.computing | .of == "user-space" or .in_calls > 0' # the kernel does what takes long
	holds '[.computing.rows[].stack[].module // ""] | all(.[]; test("libscprof") | not)'
	holds '[.computing.rows[] | select(.stack[].function == "calls") | .stack[0].function // ""] |
		all(.[]; test("send$|recv$") | not)'
}

@test "sample 04: a call that passes through unrecorded is computing" {
	allowed
	limited "$SCPROF" run -g wait --sample 1ms --no-report -o p.scp -- "$PROGRAMS/computes" calls 100 >said
	"$SCPROF" report --format json p.scp >report.json
	holds '.computing | .in_calls == 0 and (.of == "user-space" or
		any(.rows[]; (.function // "" | test("^calls$") | not) and any(.stack[]; .function // "" | test("send|recv")) and
			any(.stack[]; .function == "calls")))'
}

@test "sample 05: without samples computing is null, and nothing warns where none were asked for" {
	sampled "--sample off" "$PROGRAMS/computes" here 20
	holds '.computing == null and ([.warnings[].code] | index("not-sampled") | not)'
	SCPROF_SAMPLE=off limited "$SCPROF" run --no-report -o q.scp -- "$PROGRAMS/computes" here 20
	"$SCPROF" report --format json q.scp >report.json
	holds '.computing == null'
}

@test "sample 06: where the program starts recording itself, what each process computes from then on is sampled" {
	allowed
	sampled "--sample 1ms --stopped" "$PROGRAMS/computes" starts 100
	adds_up
	has_row computes_much outer
	holds '[.computing.rows[].function] | index("computes_forked") and (index("computes_unseen") | not)'
	sampled "--sample 1ms --stopped" "$PROGRAMS/computes" here 100
	holds '.computing.samples == 0'
}

@test "sample 07: a time that is none is refused" {
	for time in 5 1us 2s often; do
		run -125 "$SCPROF" run --sample "$time" -- true
		[[ $output == *"--sample: '$time' is neither off nor a time between 100us and 1s"* ]]
	done
}

@test "sample 08: merging keeps all samples; other rates are not mixed" {
	allowed
	sampled "--sample 1ms" "$PROGRAMS/computes" here 100
	cp p.scp one.scp
	jq .computing.samples report.json >count
	sampled "--sample 1ms" "$PROGRAMS/computes" thread 100
	jq .computing.samples report.json >>count
	"$SCPROF" merge -o both.scp one.scp p.scp
	"$SCPROF" report --format json both.scp >report.json
	adds_up
	holds ".computing.samples == $(awk '{ n += $1 } END { print n }' count)"
	has_row computes_much outer
	sampled "--sample 2ms" "$PROGRAMS/computes" here 20
	"$SCPROF" report --format json one.scp p.scp >report.json
	holds '.computing == null and ([.warnings[].code] | index("not-sampled"))'
}

@test "sample 09: without an option there are samples, and --below has those below the function" {
	allowed
	limited "$SCPROF" run --no-report -o p.scp -- "$PROGRAMS/computes" here 500 >said
	"$SCPROF" report --format json p.scp >report.json
	adds_up
	has_row computes_much outer
	holds '.computing.period_ns == 5000000'
	sampled "--sample 1ms --below outer" "$PROGRAMS/computes" here 100
	adds_up
	has_row computes_much outer
	holds '[.computing.rows[].stack[].function] | any(. == "_dl_start") | not'
}

@test "sample 10: what a tool that is killed had sampled harms nobody: the program ends as ever" {
	allowed
	mkdir out2
	# shellcheck disable=SC2016 # the other shell expands them
	"$SCPROF" run -o out2/p.scp -- sh -c 'echo "$SCPROF_OUT" >begun; "$1" here 300; echo "$?" >ended' sh "$PROGRAMS/computes" &
	local pid=$!
	await [ -s begun ]
	kill -9 "$pid"
	wait "$pid" || true
	directory=$(cat begun)
	await [ -s ended ]
	[ "$(cat ended)" = 0 ]
}

# The directory of a run's profiles, once its command is computes. The command goes on, as $target.
begin_a_run()
{
	"$SCPROF" run --sample 1ms -g socket --no-report -o out/p.scp -- "$PROGRAMS/computes" here 600000 3>&- &
	run=$!
	await run_is_known
}

# It has the command's name before its environment can be read.
run_is_known()
{
	target=$(pgrep -P "$run" -x computes) &&
		directory=$(tr '\0' '\n' <"/proc/$target/environ" | sed -n 's/^SCPROF_OUT=//p') && [ -n "$directory" ]
}

teardown()
{
	[ -z "${target:-}" ] || kill -9 "$target" 2>/dev/null || true
	[ -z "${directory:-}" ] || rm -rf "${directory%/profiles.*}"
}

# saved FILE...: they have samples in computes_much, as those of their only process.
saved()
{
	"$SCPROF" merge -o saved.scp "$@" && "$SCPROF" report --format json saved.scp >report.json &&
		has_row computes_much outer
}

# charged FILE...: the same, and its CPU time is the kernel's, in ticks: more than a few.
charged()
{
	saved "$@" && holds ".computing | $(getconf CLK_TCK) * (.cpu_s + .in_calls_cpu_s) |
		. > 4.5 and (. - round | fabs) < 1e-6" >/dev/null
}

@test "sample 11: what a tool that is killed had sampled is in the profile of what it left" {
	allowed
	begin_a_run
	await charged "$directory" # a run that lives is read so, too
	jq .computing.samples report.json >before
	kill -9 "$run"
	wait "$run" || true
	charged "$directory"
	adds_up
	holds ".computing.samples >= $(cat before) and .computing.period_ns == 1000000" \
		'.processes | length == 1'
	kill -9 "$target"
	find "$directory" -name 'scprof.*' -exec "$SCPROF" merge -o calls.scp {} +
	saved calls.scp "$directory/samples.scp"
	"$SCPROF" report "$directory/samples.scp" 2>err && false
	grep -q 'has samples alone' err
}

@test "sample 12: a run that ends leaves no file of samples" {
	allowed
	# shellcheck disable=SC2016 # the other shell expands them
	sampled "--sample 1ms" sh -c 'echo "$SCPROF_OUT" >where; "$1" here 100
		until [ -e "$SCPROF_OUT/samples.scp" ]; do sleep 0.05; done' sh "$PROGRAMS/computes"
	has_row computes_much outer
	[ ! -e "$(cat where)" ]
	[ "$(ls)" = "$(printf '%s\n' out p.scp report.json said where)" ]
}

@test "sample 13: where a signal starts and stops recording, what is computed meanwhile is sampled" {
	allowed
	sampled "--sample 1ms --stopped --signal USR1" "$PROGRAMS/computes" windows 300
	adds_up
	has_row computes_much outer
	holds '[.computing.rows[].function] | index("computes_unseen") | not' \
		'.computing.cpu_s < 0.75' # of 0.9 s in all, and 0.3 s while it was on
}

@test "sample 14: before the time that recording begins nothing is sampled, and after it all is" {
	allowed
	sampled "--sample 1ms --after 7200s" "$PROGRAMS/computes" here 100
	holds '.computing.samples == 0'
	sampled "--sample 1ms --for 7200s" "$PROGRAMS/computes" here 100
	adds_up
	has_row computes_much outer
}

attach_once()
{
	limited "$SCPROF" attach "$target" -g socket,wait,io --sample 1ms --for 300ms --no-report -o p.scp 2>attach.err
}

# $target was sampled. On a busy machine it may have had no CPU in so short a time.
attached()
{
	again_where_late 0 attach_once && [ -e p.scp ] && "$SCPROF" report --format json p.scp >report.json && has_row computes_much outer >/dev/null
}

@test "sample 15: a process that runs already" {
	allowed
	"$SCPROF" doctor | grep -q '^ok *attach' || skip "ptrace is forbidden here"
	"$PROGRAMS/computes" here 600000 3>&- 4>&- &
	target=$!
	await attached
	adds_up
}

# A Python function's row: its name, file and a line of it.
has_python_row()
{
	holds "[.computing.rows[] | select(.language == \"python\" and .module == null and
		(.function // \"\" | test(\"(^|[.])$1\$\")))] | length == 1 and (.[0].stack | any(.[]; .language == \"python\" and
		(.function // \"\" | test(\"(^|[.])$1\$\")) and (.file | endswith(\"computes.py\")) and .line >= $2 and .line <= $3))"
}

# Between much, outer and the module there is nothing of the interpreter.
WHOLE_MUCH='.computing.rows[] | select(.language == "python" and (.function // "" | test("(^|[.])much$"))) |
	[.stack[].language == "python"] | .[index(true):][:3] == [true, true, true]'

# A module's C functions are rows, called from Python, unless it is a part of the interpreter.
python_rows_are_known()
{
	local decode='any(.computing.rows[]; .function // "" | test("raw_decode$"))'
	! "$1" -c 'import _json; _json.__file__' 2>/dev/null || decode='any(.computing.rows[]; (.module // "" | test("/_json[^/]*$")) and
		any(.stack[]; .language == "python" and (.function // "" | test("raw_decode$"))))'
	has_python_row little 16 18 && has_python_row much 24 26 && has_python_row matches 30 31 && holds "$WHOLE_MUCH" "$decode"
}

@test "sample 16: Python's functions have rows, with C functions below those that call them" {
	allowed
	local python until tried=0
	for python in $(pythons_with_ctypes); do
		echo "$python"
		until=$((SECONDS + 120))
		# What is looked at too late, as on a busy machine, teaches nothing of the interpreter's frames: once more.
		while :; do
			sampled "--sample 1ms" "$python" "$ROOT/tests/programs/python/computes.py" 0.4
			adds_up
			! python_rows_are_known "$python" >why && [ $SECONDS -lt $until ] || break
		done
		python_rows_are_known "$python"
		# What the interpreter does for a function is that function's; its C code lies further in.
		holds '.computing.rows[] | select(.function == "matches") | .stack[0].language == null'
		tried=$((tried + 1))
	done
	[ "$tried" -gt 0 ] || skip "no Python from 3.8 to 3.15"
}

@test "sample 17: garbage in an interpreter's memory harms no sampler" {
	allowed
	local python tried=0
	for python in $(pythons_with_ctypes); do
		echo "$python"
		sampled "--sample 250us" "$python" "$ROOT/tests/programs/python/garbage.py" "$PROGRAMS/python_garbage.so"
		holds '.computing | .samples == .in_calls + .recording.samples + ([.rows[].samples] | add // 0)'
		tried=$((tried + 1))
	done
	[ "$tried" -gt 0 ] || skip "no Python from 3.8 to 3.15"
}

@test "sample 18: diff compares what functions compute; one that came is a change, which no samples hide" {
	allowed
	sampled "--sample 1ms" "$PROGRAMS/computes" here 300
	cp p.scp new.scp
	# in user space: the kernel's part is not for everybody to see
	sampled "--sample 1ms" "$PROGRAMS/computes" elsewhere 300
	cp p.scp base.scp
	run -1 "$SCPROF" diff --json -o diff.json base.scp new.scp
	mv diff.json report.json
	holds '.exit_status == 1 and (.verdict | contains("Computing: "))'
	holds '.computing.rows[] | select(.function == "computes_much") |
		.status == "only-in-new" and .counts and .base.samples == 0 and .new.samples > 20 and
		(.module // "" | endswith("/computes")) and .new.share > 0.5 and .new.cpu_ns > 1e8'
	"$SCPROF" diff base.scp new.scp >text || true
	grep -q '^COMPUTING .*SHARE NEW' text
	grep -q '^computes_much .* new' text
	"$SCPROF" diff -o page.html base.scp new.scp || true
	grep -q 'Computing: ' page.html
	sampled "--sample off" "$PROGRAMS/computes" here 20
	"$SCPROF" diff --json p.scp new.scp >report.json || true
	holds '.computing == null and ([.warnings[].code] | index("not-sampled"))'
	"$SCPROF" diff --json p.scp p.scp >report.json || true
	holds '.computing == null and ([.warnings[].code] | index("not-sampled") | not)'
}

@test "sample 19: a library and a child that the kernel could not tell of are found" {
	allowed
	sampled "--sample 1ms" "$PROGRAMS/computes" maps 300
	holds '.computing | .lost > 0 and .samples == .in_calls + .recording.samples + ([.rows[].samples] | add // 0)'
	holds '[.computing.rows[] | select(.stack[0].module // "" | test("/libm[.-]")) | .samples] | add > 50' \
		'[.computing.rows[] | select(.module == null) | .samples] | add // 0 | . < 20'
}

@test "sample 20: a program that cuts the page by which it tells when it records harms no sampler" {
	allowed
	# shellcheck disable=SC2016 # for the inner shell
	sampled "--sample 1ms --stopped" sh -c ': >"$SCPROF_STOPPED" && exec "$0" here 100' "$PROGRAMS/computes" 2>err
	grep -F 'cut the page that stops and starts recording' err
}

# The kernel copies Python's frames, which takes BPF and the numbers of processes that it sees itself.
copies_frames()
{
	[ "$(stat -Lc %i /proc/self/ns/pid)" = 4026531836 ] || return
	"$1" - <<-'EOF'
		import ctypes, platform, struct, sys
		calls = {"x86_64": 321, "aarch64": 280}
		kind_key_value_entries = ctypes.create_string_buffer(struct.pack("4I", 1, 4, 8, 1), 144)
		number = ctypes.c_long(calls.get(platform.machine(), -1))
		sys.exit(ctypes.CDLL(None).syscall(number, ctypes.c_long(0), kind_key_value_entries, ctypes.c_long(144)) < 0)
	EOF
}

# Samples before the first look have no copy, and that may come late on a busy machine; of what is read afterwards about half is
# cut, and some have another's callers.
callers_known()
{
	holds '.computing | .samples >= 100 and .cut <= .samples / 5' &&
		"$SCPROF" report --format folded --weight computing p.scp >paths &&
		grep -qE ';loops[^;]*;middle[^;]*;tiny' paths &&
		grep -qE ';takes[^;]*;makes[^;]*;tiny' paths &&
		grep -qE ';sorts[^;]*;.*key[^;]*;tiny' paths &&
		! grep -E ';(loops|takes)[^;]*;.*key|;(takes|sorts)[^;]*;.*middle|;(loops|sorts)[^;]*;.*makes' paths
}

@test "sample 21: where the kernel copies frames, callers of short Python functions are known, of each sample" {
	allowed
	local python seconds tried=0
	for python in $(pythons_with_ctypes); do
		"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' && copies_frames "$python" || continue
		echo "$python"
		for seconds in 1 2 4 8; do
			sampled "--sample 1ms" "$python" "$ROOT/tests/programs/python/callers.py" "$seconds"
			adds_up
			! callers_known >why || break
		done
		callers_known || { cat why; return 1; }
		tried=$((tried + 1))
	done
	[ "$tried" -gt 0 ] || skip "no Python since 3.11, or BPF is forbidden here"
}
