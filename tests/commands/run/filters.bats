#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Filters and triggers: what is asked for is on record, all else is not, what is there adds up
# to the tick, the program notices nothing, and the report says that something was left out.
# about 16 s

# shellcheck disable=SC2317 # functions of common.bash call ours

load ../common

FILTERS=$PROGRAMS/filters

# profile OPTION... PROGRAM [ARG...]: to $T/report.json, whose account must be exact.
profile()
{
	rm -f "$T/p.scp"
	limited "$SCPROF" run --no-report -o "$T/p.scp" "$@" >"$T/out.txt" 2>"$T/err.txt" </dev/null 3>&- 4>&- || {
		echo "scprof run: status $?"
		cat "$T/err.txt"
		return 1
	}
	read_profile
}

# read_profile [OPTION...]
read_profile()
{
	"$SCPROF" report --format json "$@" "$T/p.scp" >"$T/report.json" || return 1
	adds_up
}

# The report's counts, too, for `exchanged`: one jq for both.
adds_up()
{
	local rest
	read -r rest counted < <(jq -r 'def calls(f): [.sites[] | select(.symbol == f) | .calls] | add // 0;
		([.threads[] | select(.remainder_ns != 0)] | length | tostring) + " " +
		([calls("send"), calls("recv"), .skipped_calls, .overflow_calls, .unmatched_ends] | tojson)' "$T/report.json")
	[ "$rest" = 0 ] || {
		echo "does not add up:"
		jq -c '.threads[] | [.name, .remainder_ns]' "$T/report.json"
		return 1
	}
}

# exchanged N: so many, and nothing was lost.
exchanged()
{
	[ "$counted" = "[$1,$1,0,0,0]" ] && return
	echo "sends, receives, skipped, overflow, unmatched: $counted, expected $1 of the first two"
	return 1
}

# says JQ-EXPRESSION VALUE
says()
{
	local is
	is=$(jq -c "$1" "$T/report.json")
	[ "$is" = "$2" ] && return
	echo "$1: $is, expected $2"
	return 1
}

# refused MESSAGE-PART OPTION...: status 125, nothing was started.
refused()
{
	local part=$1 status=0
	shift
	"$SCPROF" run --no-report -o "$T/p.scp" "$@" -- touch "$T/started" 2>err.txt || status=$?
	[ "$status" = 125 ] && [ ! -e "$T/started" ] && grep -qF -- "$part" err.txt && return
	echo "$*: status $status, and said:"
	cat err.txt
	return 1
}

@test "filters 01: only calls below a function, which is local to the program" {
	profile --below wanted "$FILTERS" below 20
	exchanged 40 # half of them in a thread
	says .filters.below '["wanted"]'
	says '[.sites[] | [.stack[].function] | index("wanted") != null] | all' true
	profile "$FILTERS" below 20
	exchanged 140
	says .filters null
}

@test "filters 02: functions by globs, less some, by library, in a file; none further out than paths reach" {
	profile --below 'wanted*' "$FILTERS" below 20
	exchanged 40
	says '[.warnings[].code] | index("calls-skipped") != null' true
	printf 'wanted # one\nunwanted\n' >names
	profile --below @names "$FILTERS" below 20
	exchanged 120
	profile --below wanted --below unwanted "$FILTERS" below 20
	exchanged 120
	profile --below '*wanted,!wanted' "$FILTERS" below 20
	exchanged 80
	profile --below 'filters:unwanted' "$FILTERS" below 20
	exchanged 80
	"$SCPROF" report p.scp | grep -q 'only calls below filters:unwanted: all else is left out, of it 120 recorded calls'
	profile --below 'libc:*qsort_r' -s 'libc.so*:qsort' "$FILTERS" leave-qsort 20
	exchanged 20
}

@test "filters 03: functions by their names in C++" {
	profile --below shop::browse "$PROGRAMS/filters_cxx" 5
	exchanged 50
	profile --below 'shop::cart::checkout' "$PROGRAMS/filters_cxx" 5
	exchanged 6
	profile --below 'shop::cart::checkout(long)' "$PROGRAMS/filters_cxx" 5
	exchanged 5
	profile --below 'shop::*,!shop::exchange*,!shop::cart*' "$PROGRAMS/filters_cxx" 5
	exchanged 50
}

@test "filters 04: a function that is on no path leaves all calls out, and that is said" {
	profile --below 'wantde,wanted,!wanted' "$FILTERS" below 20
	exchanged 0
	says '[.warnings[] | select(.code == "setting-ignored") | .text | contains("wantde")]' '[true]'
	says '[.warnings[].code] | index("no-calls") != null' true
	profile --below nosuchlibrary:wanted "$FILTERS" below 20
	exchanged 0
}

@test "filters 05: forked children, their threads and what exec makes of them have the filters" {
	profile --below wanted "$FILTERS" fork-and-exec 20
	exchanged 80
	says '.filters | [.below, .differ]' '[["wanted"],false]'
	profile --depth 1 --thread 'filters,exe' "$FILTERS" fork-and-exec 20
	says '[.sites[].path] | unique' '["limited"]'
}

@test "filters 06: threads by the names that they take themselves, or are given" {
	profile --thread 'worker-*' "$FILTERS" threads 20
	exchanged 60
	says '[.threads[].name] | unique - ["worker-1","worker-2","worker-3"]' '[]'
	profile --thread filters "$FILTERS" threads 20
	exchanged 60
	profile --thread idle --thread don? "$FILTERS" threads 20
	exchanged 40
	profile --thread 'nobody' "$FILTERS" threads 20
	exchanged 0
	says '[.warnings[].code]' '["no-calls"]'
}

@test "filters 07: the innermost frames alone: fewer paths, all calls" {
	local whole
	profile "$FILTERS" below 20
	whole=$(jq '.sites | length' report.json)
	profile --depth 000002 "$FILTERS" below 20
	exchanged 140
	[ "$(jq '.sites | length' report.json)" -lt "$whole" ]
	says '[.sites[] | select(.path == "limited") | .stack | map(select(.inlined | not)) | length] | unique' '[2]'
	says '[.sites[].path] | index("truncated")' null
	says '[.warnings[].code] | index("cut-paths")' null
	"$SCPROF" report "$T/p.scp" | grep -q 'the innermost 2 frames of each path: all else is left out'
	"$SCPROF" report --full "$T/p.scp" | grep -q '(outer frames left out: --depth)'
	profile --depth 192 "$FILTERS" below 20
	says '[.sites[].path] | unique' '["complete","limited"]'
}

@test "filters 08: a call in the place of one inside a call that was left is not inside it" {
	for depth in 1 192; do
		profile --depth $depth -s 'libc.so*:qsort' "$FILTERS" leave-qsort 20
		grep -q 'the same place' out.txt
		exchanged 40
		says .abandoned_calls 20
		read_profile --by gap # one before each of the calls outside of qsort, one at the end
		says '[.gaps[].calls] | add' 41
	done
}

@test "filters 09: SCPROF_STOP and SCPROF_START, on every clock" {
	for clock in tsc coarse dual; do
		profile -c $clock "$FILTERS" stop-and-start 20
		exchanged 120 # 80 by main, 40 by the thread
		says '[.sites[] | select(.library == "region") | [.symbol, .calls]] | sort' '[["after",1],["one -> two",1]]'
		says .recorded.windows 2
		says '.recorded | .recorded_s > 0 and .recorded_s < .lived_s - 0.2' true # a pause of 0.25 s, less a tick
	done
	"$SCPROF" report "$T/p.scp" | grep -q 'recorded .* that the process lived, .*; begun 2 times'
}

@test "filters 10: a pause is in no gap" {
	profile "$FILTERS" stop-between 50
	exchanged 50
	says .recorded.windows 51
	read_profile --by gap
	# from the start of each window to its send, and from that to its receive; nothing between
	says '[.gaps[] | select(.from != "(thread start)" and .to != "(thread end)") | [.from, .to, .calls]]' '[["send","recv",50]]'
	says '[.gaps[] | select(.from == "(thread start)") | .calls] | add' 50
}

@test "filters 11: stopped from the beginning, until the program starts it; children inherit that" {
	profile --stopped "$FILTERS" start 20
	exchanged 20
	says '.filters.stopped' '["1"]'
	says .recorded.windows 1
	profile "$FILTERS" fork-stopped 20
	exchanged 40
}

teardown()
{
	touch "$T/stop"
}

# endless OPTION...: in the background, with the program begun; its pid in $tool.
endless()
{
	rm -f stop rounds
	: >out.txt
	"$SCPROF" run -o "$T/p.scp" "$@" "$FILTERS" endless 5 >out.txt 2>err.txt </dev/null 3>&- 4>&- &
	tool=$!
	await grep -q begun out.txt
}

# rounds on|off CHANGES N: N rounds were made since recording became so by so many changes.
rounds()
{
	local state changes number
	read -r state changes number <rounds || return 1
	[ "$state" = "$1" ] && [ "$changes" = "$2" ] && [ "$number" -ge "$3" ]
}

# ended: the program, by the file `stop`. Its exchanges are on record that it made between two looks at
# which recording was on, perhaps those round a change, and no others.
ended()
{
	local must may sends
	touch stop
	wait "$tool" || return 1
	read_profile || return 1
	read -r must _ may _ < <(grep 'on record' out.txt)
	sends=$(calls_of send)
	[ "$sends" -ge "$must" ] && [ "$sends" -le "$may" ] && return
	echo "$sends sends, expected $must to $may"
	return 1
}

# for_a_time TRIAL...: again, where a busy machine gave the program no CPU for a whole round while recording was on.
for_a_time()
{
	local must=0
	until [ "$must" != 0 ]; do
		"$@" && await rounds off 2 2 && ended && read -r must _ < <(grep 'on record' out.txt) || return 1
	done
}

@test "filters 12: from a time on, for a time" {
	for_a_time endless --after 200ms --for 200ms
	says .recorded.windows 1
	says '.filters | [.after, .for]' '[["200ms"],["200ms"]]'
	says '.recorded | .recorded_s >= 0.199 and .recorded_s < .lived_s' true
	endless --after 200ms
	await rounds on 1 2
	ended
	says '.recorded.recorded_s < .recorded.lived_s and .totals.calls > 0' true
	profile --after 3600s "$FILTERS" below 10
	exchanged 0
	says .recorded.recorded_s 0
}

@test "filters 13: a signal to scprof stops and starts recording; the program gets none" {
	endless --signal USR2
	await rounds on 0 2
	kill -USR2 "$tool"
	await rounds off 1 2
	sleep 0.5 # so long at least is the pause
	kill -USR2 "$tool"
	await rounds on 2 2
	ended # with status 0: USR2 would have killed it
	grep -q "done" out.txt
	says .recorded.windows 2
	says '.recorded | .recorded_s < .lived_s - 0.5' true
	says '.totals.calls > 0' true
}

@test "filters 14: begun stopped, a signal starts, and it stops by itself" {
	signalled()
	{
		endless --stopped --signal SIGUSR1 --for 300ms && await rounds off 0 2 && kill -USR1 "$tool"
	}
	for_a_time signalled
	says .recorded.windows 1
	says '.recorded | .recorded_s >= 0.299 and .recorded_s < .lived_s' true
}

@test "filters 15: regions and points are recorded below the function only, and hide no call" {
	profile --below in_region "$FILTERS" regions 20
	exchanged 20
	says '[.sites[] | select(.library == "region") | [.symbol, .calls]]' '[["inner",20]]'
	says '.totals.nested_ns > 0' true # in "inner", but not in "outer", which is not recorded
	read_profile --by gap # of the time at calls that are left out nothing is told
	says '[([.gaps[].symbol] | unique), .loops]' '[[],null]'
	profile "$FILTERS" regions 20
	says '[.sites[] | select(.library == "region") | .calls] | sort' '[1,19,19,20,20]'
}

# bare VARIABLE=VALUE... PROGRAM [ARG...]
bare()
{
	rm -f out/*
	with_library "$@" >out.txt
	mapfile -t files < <(find out -name '*.scp')
	"$SCPROF" report --format json "${files[@]}" >report.json
	adds_up
}

@test "filters 16: a bare LD_PRELOAD takes them from the environment, as far as it can" {
	bare SCPROF_BELOW=wanted "$FILTERS" below 20
	exchanged 40
	bare SCPROF_BELOW='filters:wanted*,!*far' "$FILTERS" below 20
	exchanged 40
	bare SCPROF_THREADS='worker-*,idle' "$FILTERS" threads 20
	exchanged 80
	bare SCPROF_DEPTH=1 "$FILTERS" below 20
	says '[.sites[].path] | unique' '["limited"]'
	bare SCPROF_STOPPED=1 SCPROF_GROUPS=socket "$FILTERS" start 20
	exchanged 20
}

@test "filters 17: what a bare LD_PRELOAD cannot do, it says" {
	bare SCPROF_BELOW=no_such_function "$FILTERS" below 20
	exchanged 0
	says '[.warnings[] | select(.code == "setting-ignored") | .text | split(" ")[0]]' '["--below:"]'
	bare SCPROF_BELOW=@names "$FILTERS" below 20 # only scprof run reads files
	exchanged 140
	says '[.warnings[] | select(.code == "setting-ignored") | .text | split(" ")[0]]' '["SCPROF_BELOW"]'
	bare SCPROF_AFTER=1s SCPROF_FOR=1s SCPROF_DEPTH=deep "$FILTERS" below 20
	exchanged 140
	says '[.warnings[] | select(.code == "setting-ignored") | .text | split(" ")[0]] | sort' \
		'["SCPROF_AFTER","SCPROF_DEPTH","SCPROF_FOR"]'
	"$SCPROF" report out/*.scp | grep '^  filters ' && return 1
	true
}

@test "filters 18: SCPROF_SIGNAL stops and starts a bare LD_PRELOAD by a signal to the program" {
	local last
	SCPROF_SIGNAL=USR1 LIMIT=300 with_library "$FILTERS" endless 5 >out.txt &
	await rounds on 0 2
	file=$(echo out/*.scp)
	pid=${file%.scp}
	pid=${pid##*.}
	for _ in 1 2; do
		kill -USR1 "$pid"
		read -r _ _ last <rounds
		await rounds on 0 $((last + 3)) # the signal came before the second of these at the latest
		sleep 0.5 # so long at least is the pause
	done
	touch stop
	wait
	grep -q "done" out.txt
	"$SCPROF" report --format json "$file" >report.json
	adds_up
	says .recorded.windows 2
	says '.recorded | .recorded_s < .lived_s - 0.5' true
}

@test "filters 19: programs do the same, whatever is left out" {
	export SCPROF_DEPTH=2
	for variables in SCPROF_BELOW=wanted SCPROF_THREADS='worker-*'; do
		export "${variables?}"
		for what in fork-and-exec threads stop-and-start leave-qsort; do
			same_either_way "$FILTERS" $what 20
		done
		unset "${variables%%=*}"
	done
}

@test "filters 20: values that mean nothing are refused before the program starts" {
	refused "no thread can be called" --thread a-name-of-twenty-characters
	refused "without a name" --thread 'a,,b'
	refused "not a number of frames from 1 to 192" --depth 0
	refused "not a number of frames from 1 to 192" --depth 193
	refused "not a number of frames from 1 to 192" --depth 2x
	refused "is not a time" --after 5
	refused "is not a time" --for 0s
	refused "neither USR1 nor USR2" --signal KILL
	refused "Leave one of them out" --stopped --after 1s
	refused "chooses no function" --below '!main'
	refused "too long" --below "$(printf 'a_long_name%.0s,' {1..80})"
	SCPROF_DEPTH=0 refused "not a number of frames" --below main
}

@test "filters 21: profiles with other filters are not taken for the same, merged or compared" {
	profile --below wanted "$FILTERS" below 20
	mv p.scp a.scp
	profile --below unwanted "$FILTERS" below 20
	mv p.scp b.scp
	"$SCPROF" merge -o p.scp a.scp b.scp
	read_profile
	says '.filters | [.below, .differ]' '[["wanted","unwanted"],true]'
	says '[.warnings[].code] | index("profiles-differ") != null' true
	"$SCPROF" diff a.scp b.scp | grep -q profiles-differ
	"$SCPROF" diff a.scp a.scp | grep profiles-differ && return 1
	"$SCPROF" merge -o q.scp a.scp a.scp
	"$SCPROF" report --format json q.scp >report.json
	says .filters.differ false
}

@test "filters 22: a path that cannot be followed to the function is left out, and that is said" {
	profile --below 'wanted*' "$FILTERS" unseen 20
	exchanged 20
	says '[.warnings[].code] | index("calls-skipped") != null' true
	profile --below 'helper,wanted*' "$FILTERS" unseen 20 # who is near enough is seen
	exchanged 40
	says '[.warnings[].code] | index("calls-skipped")' null
}

@test "filters 23: stopped, started and renamed all the time: no call is skipped, and none has no end" {
	for options in "-c tsc" "-c coarse --depth 3" "-c dual --thread odd" "-c tsc --below exchange_below"; do
		# shellcheck disable=SC2086 # options are words
		profile $options "$FILTERS" storm 20
		# for path after path four threads at once may need room, and one of them find none
		says '[.skipped_calls, .unmatched_ends]' '[0,0]'
		says '.totals.calls > 0 and .recorded.windows > 1' true
	done
}
