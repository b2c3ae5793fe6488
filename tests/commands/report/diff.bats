#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# `scprof diff`: which sites of two runs belong together, what it reports for them, and its exit
# status. How often it errs is measured by tests/bench/diff_pairs.py (docs/diff.md).

load ../common
load thirty

# record NAME CLOCK COMMAND...: a profile NAME.scp.
record_as()
{
	local name=$1 clock=$2
	shift 2
	limited "$SCPROF" run -c "$clock" --no-report -o "$name.scp" -- "$@" \
		</dev/null >/dev/null 2>"$name.err" 3>&- 4>&- || {
		cat "$name.err"
		return 1
	}
}

# Two senders; the first stretch of lines and the body of `second` can be filled.
source_with()
{
	cat <<-END
		#include <stdlib.h>
		#include <sys/socket.h>
		static int pair[2];
		static char room[64];
		$1
		__attribute__((noinline)) void first(int n)
		{
			for (int i = 0; i < n; i++) {
				send(pair[0], room, 1, 0);
				recv(pair[1], room, 1, 0);
			}
		}
		__attribute__((noinline)) void second(int n)
		{
			for (int i = 0; i < n; i++) {
				$2
				send(pair[0], room, 8, 0);
				recv(pair[1], room, 8, 0);
			}
		}
		int main(int argc, char **argv)
		{
			if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) || argc < 2)
				return 1;
			first(atoi(argv[1]));
			$3
			return 0;
		}
	END
}

# build NAME: from standard input, as NAME/app, so that both are called app.
build()
{
	mkdir -p "$1"
	cat >"$1/app.c"
	"${CC:-cc}" -O1 -g -w -o "$1/app" "$1/app.c"
}

# says FILTER: of out.json, raw.
says()
{
	jq -r "$1" out.json
}

# diff_json STATUS ARGUMENT...: into out.json; the exit status is as expected.
diff_json()
{
	local wanted=$1 status=0
	shift
	"$SCPROF" diff --format json "$@" >out.json 2>err || status=$?
	[ "$status" = "$wanted" ] || {
		echo "scprof diff $*: status $status, not $wanted"
		cat err
		jq -c '.verdict, (.sites[] | [.symbol, .verdict, .stack[1].function])' out.json
		return 1
	}
}

# compares ARGUMENT...: into out.json. Whether times differ is not asked here; the exit status is what
# the file says, and follows from its rows.
compares()
{
	local status=0
	"$SCPROF" diff --format json "$@" >out.json 2>err || status=$?
	jq -e --argjson status "$status" '.exit_status == $status and
		($status == 1) == (any(.sites[]; .status == "slower" or .status == "faster" or .counts or
			.per_unit.changed) or .per.changed == true)' out.json >/dev/null || {
		echo "scprof diff $*: status $status"
		cat err
		jq -c '.exit_status, .verdict, .totals' out.json
		return 1
	}
}

refuses()
{
	local text=$1
	shift
	run "$SCPROF" diff "$@"
	[ "$status" = 2 ] || { echo "status $status: $*"; return 1; }
	[[ $output == *"$text"* ]] || { echo "$* says: $output"; return 1; }
	[ "${#lines[@]}" -le 3 ] || { echo "$*: too long: $output"; return 1; }
}

@test "diff 01: a profile against itself shows no change, status 0" {
	thirty a
	diff_json 0 a.scp a.scp
	SHOWN='.totals, .verdict' JSON=out.json holds '(.totals | .slower == 0 and .faster == 0 and .no_change_seen > 0 and .only_in_base + .only_in_new == 0) and
		(.verdict | startswith("no significant change at ")) and
		([.sites[] | select(.ratio != null and (.ratio < 0.999999 or .ratio > 1.000001))] | length == 0)'
	run "$SCPROF" diff a.scp a.scp
	[ "$status" = 0 ]
	[[ ${lines[0]} == "no significant change at "* ]]
}

@test "diff 02: one site of thirty that costs five times as much is named, status 1" {
	thirty base
	thirty new 17 400
	diff_json 1 base.scp new.scp
	SHOWN='.sites[0]' JSON=out.json holds '.exit_status == 1 and (.sites[0] |
		.status == "slower" and .stack[1].function == "site_17" and .ci_low > 3 and .ci_high < 8 and .q < 0.05)'
	diff_json 1 new.scp base.scp
	SHOWN='.sites[0]' JSON=out.json holds '.sites[0] | .status == "faster" and .stack[1].function == "site_17"'
	run "$SCPROF" diff base.scp new.scp
	[ "$status" = 1 ]
	[[ $output == *"slower by "* ]]
	[[ $output == *site_17* ]]
}

@test "diff 03: every field that is documented is there" {
	thirty a
	diff_json 0 a.scp a.scp
	[ "$(jq -r --arg whole "schema verdict exit_status by confidence threshold run_to_run base new totals common sites warnings" \
		--arg site "symbol library outcome status verdict reason ratio ci_low ci_high p q detectable of against effect_ns waits
			lines_differ base new stack" \
		'[(($whole | splits("[ \n\t]+")) as $k | select(has($k) | not) | $k),
			(($site | splits("[ \n\t]+")) as $k | select(.sites | all(has($k)) | not) | "site." + $k)] | join(" ")' out.json)" = "" ]
	[ "$(says .schema)" = scprof-diff/1 ]
	python3 -c 'import json; json.load(open("out.json"))'
}

@test "diff 04: a rebuilt program whose code and lines moved still matches" {
	source_with "" "" "second(atoi(argv[1]));" | build old
	source_with $'void more(void) { asm volatile(".fill 5000, 1, 0x90"); }\n\n\n\n' "" \
		"second(atoi(argv[1]));" | build new
	record_as base tsc old/app 50
	record_as new tsc new/app 50
	compares base.scp new.scp
	[ "$(says '.totals.only_in_base, .totals.only_in_new' | tr -d '\n')" = 00 ]
	[ "$(says '[.sites[] | select(.symbol == "send" or .symbol == "recv") | .stack[0].function] | sort | unique | join(" ")')" = "first second" ]
	[ "$(says '[.sites[] | select(.lines_differ)] | length')" = 0 ]
	[ "$(says '[.sites[] | select(.base.calls == 50 and .new.calls == 50)] | length')" = 4 ]
}

@test "diff 05: a function that was edited keeps its calls, in their order" {
	source_with "" "" "second(atoi(argv[1]));" | build old
	source_with "" $'\n\n\n' "second(atoi(argv[1]));" | build new
	record_as base tsc old/app 50
	record_as new tsc new/app 50
	compares base.scp new.scp
	[ "$(says '.totals.only_in_base, .totals.only_in_new' | tr -d '\n')" = 00 ]
	[ "$(says '[.sites[] | select(.lines_differ) | .stack[0].function] | unique | join(" ")')" = second ]
	[ "$(says '[.sites[] | select(.lines_differ | not) | .stack[0].function] | unique | join(" ") | test("first")')" = true ]
}

@test "diff 06: sites that came or went are named; rare ones are a change on request" {
	source_with "" "" "" | build old
	source_with "" "" "second(atoi(argv[1]));" | build new
	record_as base tsc old/app 50
	record_as new tsc new/app 50
	compares base.scp new.scp
	[ "$(says '.totals.only_in_new')" = 2 ]
	[ "$(says '[.sites[] | select(.status == "only-in-new") | .stack[0].function] | unique | join(" ")')" = second ]
	compares new.scp base.scp
	[ "$(says '.totals.only_in_base')" = 2 ]
	[ "$(says '[.sites[] | select(.status == "only-in-base") | .verdict] | unique | join(",")')" = "gone: only in base" ]
	diff_json 1 --strict-sites new.scp base.scp
}

@test "diff 07: nothing in common is status 2, and said" {
	source_with "" "" "" | build app
	record_as base tsc app/app 50
	cat >other.c <<-'END'
		#include <poll.h>
		int main(void) { for (int i = 0; i < 50; i++) poll(0, 0, 0); return 0; }
	END
	"${CC:-cc}" -O1 -g -o other other.c
	record_as new tsc ./other
	diff_json 2 base.scp new.scp
	[[ "$(says .verdict)" == "nothing could be compared: no site is in both"* ]]
}

@test "diff 08: files that are absent, damaged or no profiles are status 2" {
	thirty a
	echo hello >text
	head -c 5000 a.scp >cut.scp
	refuses "missing.scp" a.scp missing.scp
	refuses "missing.scp" missing.scp a.scp
	refuses "cut.scp" a.scp cut.scp
	refuses "text" text a.scp
	# a verdict from fewer runs would be another one: all that cannot be read are named
	refuses "cut.scp" a.scp cut.scp -- a.scp missing.scp
	refuses "missing.scp" a.scp cut.scp -- a.scp missing.scp
	refuses "cannot write" -o /nonexistent/out a.scp a.scp
}

@test "diff 09: wrong usage is status 2 and says what is right" {
	touch a b c
	refuses "which profiles?"
	refuses "with which other profile?" a
	refuses "BASE... -- NEW..." a b c
	refuses "one side has no profile" a b --
	refuses "one side has no profile" -- a b
	refuses "path, site, function" --by thread a b
	refuses "text, json" --format xml a b
	refuses "between 0 and 1" --confidence 95 a b
	refuses "--threshold '-1'" --threshold=-1 a b
	refuses "--threshold 'nan'" --threshold nan a b
	refuses "--top" --top -1 a b
}

@test "diff 10: processor time and elapsed time are not compared" {
	source_with "" "" "" | build app
	record_as base tsc app/app 50
	record_as new thread-cpu app/app 50
	refuses "thread-cpu" base.scp new.scp
	record_as monotonic monotonic app/app 50
	compares base.scp monotonic.scp
	[ "$(says '[.warnings[].code] | index("profiles-differ") != null')" = true ]
}

@test "diff 11: several runs a side, each on its own" {
	local run
	for run in 1 2 3; do
		thirty "base$run"
		thirty "new$run" 4 400
	done
	diff_json 1 base1.scp base2.scp base3.scp -- new1.scp new2.scp new3.scp
	[ "$(says '.sites[0].stack[1].function')" = site_4 ]
	[ "$(says '.sites[0].status')" = slower ]
	[ "$(says '.base | length')" = 3 ]
	[ "$(says '.sites[0].new.runs | length')" = 3 ]
	diff_json 0 base1.scp base2.scp base3.scp -- base1.scp base2.scp base3.scp
	diff_json 0 base1.scp base2.scp --by function -- base2.scp base1.scp
	[ "$(says .by)" = function ]
}

@test "diff 12: a result file is whole, and what was asked for" {
	thirty a
	"$SCPROF" diff --format json --top 2 -o out.json a.scp a.scp
	[ "$(says '.sites | length')" = 2 ]
	COLUMNS=60 "$SCPROF" diff --top 3 a.scp a.scp >text
	grep -q '^3 of [0-9]* rows' text
}

@test "diff 13: a build that is gone leaves its frames untold, and says so" {
	source_with "" "" "second(atoi(argv[1]));" | build old
	source_with $'void more(void) { asm volatile(".fill 5000, 1, 0x90"); }\n' "" \
		"second(atoi(argv[1]));" | build new
	record_as base tsc old/app 50
	record_as new tsc new/app 50
	cp new/app named
	strip new/app
	compares base.scp new.scp
	[ "$(says '.warnings[] | select(.code == "missing-module") | .text' | grep -c 'no names on one of them')" = 1 ]
	mv named new/app
	rm old/app
	compares base.scp new.scp
	[ "$(says '[.warnings[].code] | index("missing-module") != null')" = true ]
	[ "$(says '.totals.only_in_base, .totals.only_in_new' | tr -d '\n')" = 00 ]
	[ "$(says '[.sites[] | select(.symbol == "send") | .base.calls] | join(" ")')" = 100 ]
}

# made NAME [FUNCTION cpu|runnable PERCENT]: profiles NAME.scp whose switched calls are known, and
# NAME.none.scp of the same calls, of which nothing is known.
made()
{
	"$BUILD/tests/profiles/make_states" rseq "$1.scp" "${@:2}"
	"$BUILD/tests/profiles/make_states" none "$1.none.scp" "${@:2}"
}

# three STATUS BASE NEW: compares three runs a side.
three()
{
	diff_json "$1" "$2" "$2" "$2" -- "$3" "$3" "$3"
}

@test "diff 15: a change of CPU time is found where waiting for a CPU hides it in elapsed time" {
	made base
	made new send cpu 3
	three 1 base.scp new.scp
	[ "$(says '.totals | "\(.slower) \(.faster)"')" = "1 0" ]
	jq -e '.sites[0] | .symbol == "send" and .status == "slower" and (.of | startswith("unswitched"))
		and .cpu.status == "slower" and .cpu.ci_low < 1.03 and .cpu.ci_high > 1.0295
		and .elapsed.status == "no-change-seen" and .ratio == .cpu.ratio and .q == .cpu.q' out.json
	[ "$(says '.sites[0].verdict')" = "CPU time slower by 2.98 to 2.99 %" ]
	[ "$(says '.sites[0].other')" = "elapsed time: no significant change" ]
	jq -e '.sites[0].new | .unswitched_mean_ns > 1034 and .unswitched_mean_ns < 1036 and .mean_ns > 40000' out.json
	jq -e '.sites[0].new.runs[0] | .unswitched_calls == 2016 and (.runnable_mean_ns | round) == 46875
		and .asleep_mean_ns == 0' out.json
	COLUMNS=200 "$SCPROF" diff base.scp base.scp base.scp -- new.scp new.scp new.scp >text || [ $? = 1 ]
	grep -q 'CPU  *CPU NEW' text
	grep -q ' (elapsed time: no significant change)$' text
	# without the states it cannot be seen
	three 0 base.none.scp new.none.scp
}

@test "diff 16: a change of waiting alone is one of elapsed time, and not of CPU time" {
	made base
	made new send runnable 60
	three 1 base.scp new.scp
	jq -e '.sites[0] | .symbol == "send" and .elapsed.status == "slower" and .of == "mean"
		and .cpu.status == "no-change-seen" and .cpu.ratio == 1' out.json
	[ "$(says '.sites[0].other')" = "CPU time: no significant change" ]
	[[ "$(says '.sites[0].verdict')" == "elapsed time slower by "* ]]
}

@test "diff 17: where one side does not know its switched calls, all calls are compared as before" {
	made base
	made new read cpu 3
	three 1 base.scp new.none.scp
	jq -e '.sites[0] | .symbol == "read" and .verdict == "slower by 2.99 to 2.99 %"' out.json
	jq -e '.sites | all(.cpu.reason == "states-unknown" and .cpu.p == null and .other == null
		and .new.unswitched_mean_ns == null)' out.json
	jq -e '.sites[] | select(.symbol == "read") | .base.runs[0].undisturbed_ns != null' out.json
	# where both do, what was not switched takes the place of what was not disturbed
	three 1 base.scp new.scp
	jq -e '.sites[] | select(.symbol == "read") | .base.runs[0] |
		.undisturbed_ns == null and .unswitched_undisturbed_ns != null' out.json
}

@test "diff 18: plan says how many calls each of CPU time and elapsed time needs" {
	made a
	"$SCPROF" plan --json --share 0 --width 1% a.scp >plan.json
	jq -e '.sites[] | select(.symbol == "send") | .calls_needed > 80 * .cpu.calls_needed
		and .cpu.calls_needed == .calls and .cpu.more_calls == 0 and .cpu.width < 0.01' plan.json
	jq -e '.cpu.factor == 1 and .cpu.more_calls == 0 and .factor > 80' plan.json
	"$SCPROF" plan --share 0 --width 1% a.scp | grep -qx 'For their CPU time, of calls that are not switched: no more'
	"$SCPROF" plan --json --share 0 --width 1% a.none.scp >plan.json
	jq -e '.cpu == null and (.sites | all(.cpu == null))' plan.json
}

# Times are not asked for: only who came and went, and how often.
says_sides()
{
	says '[.totals.gone, .totals.came, .exit_status] | join(" ")'
}

@test "diff 19: a frequent site that went is a change, and the headline" {
	source_with "" "" "" | build old
	source_with "" "" "second(atoi(argv[1]));" | build new
	record_as base tsc old/app 400
	record_as new tsc new/app 400
	compares base.scp new.scp
	[ "$(says_sides)" = "0 2 1" ]
	[[ "$(says .sides)" == "2 sites new: "*"(400 calls)"* ]]
	compares new.scp base.scp
	[ "$(says_sides)" = "2 0 1" ]
	run "$SCPROF" diff new.scp base.scp
	[ "$status" = 1 ]
	[[ ${lines[0]} == "2 sites gone: "*"(400 calls)"* ]]
	[ "$("$SCPROF" diff --sites none --format json new.scp base.scp | jq '.totals.gone + .totals.came')" = 0 ]
	# 255 calls in one of its runs are rare
	record_as few tsc new/app 255
	compares few.scp base.scp
	[ "$(says '.totals.gone, .totals.only_in_base' | tr -d '\n')" = 02 ]
	compares few.scp new.scp -- base.scp base.scp
	[ "$(says .totals.gone)" = 0 ]
}

@test "diff 20: a function that only moved to another path did not come or go" {
	source_with "" "" "" | build old
	source_with "" "" "" | sed 's/first/third/' | build new
	record_as base tsc old/app 400
	record_as new tsc new/app 400
	diff_json 2 base.scp new.scp
	[ "$(says '.totals.only_in_base, .totals.only_in_new, .totals.gone, .totals.came' | tr -d '\n')" = 2200 ]
}

@test "diff 21: calls and time a unit of work; runs of any length compare" {
	local run
	source_with "" "" "second(atoi(argv[1]));" | build old
	source_with "" "send(pair[0], room, 8, 0); recv(pair[1], room, 8, 0);" "second(atoi(argv[1]));" | build new
	for run in 1 2 3; do
		record_as "base$run" tsc old/app $((run * 300))
		record_as "new$run" tsc new/app $((run * 200))
	done
	compares --by function --per recv base1.scp base2.scp base3.scp -- new1.scp new2.scp new3.scp
	[ "$(says '.per | [.symbol, .outcome, .base_units, .new_units, .base_calls, .new_calls] | join(" ")')" = \
		"recv completed 1200 1200 2 2" ]
	diff_json 1 --per send base1.scp base2.scp base3.scp -- new1.scp new2.scp new3.scp
	# of 3 calls of send, 2 are where 1 of 2 was: 1 / 2, then 1 / 3
	[ "$(says '[.sites[] | select(.stack[0].function == "first") | .per_unit |
		[.base_calls, (3 * .new_calls | round), .changed] | join(" ")] | unique | join(",")')" = "0.5 1 true" ]
	run "$SCPROF" diff --per send base1.scp base2.scp base3.scp -- new1.scp new2.scp new3.scp
	[[ $output == *"for each send: 2 calls, then 2; "*" in calls that work, then "* ]]
	# what the status says, the verdict does
	[[ $(says .verdict) == *"; at 4 sites calls for each send changed"* ]]
	refuses "no such call in" --per nothing base1.scp new1.scp
	refuses "no such call in" --per recv@error base1.scp new1.scp
	# one run a side tells no chance from a change
	compares --per send base1.scp new1.scp
	[ "$(says '[.sites[].per_unit.changed] | any')" = false ]
}

@test "diff 22: rows that cannot tell fill no screen" {
	source_with "" "" "second(5);" | build app
	record_as base tsc app/app 3000
	record_as new tsc app/app 3000
	# what can be told of the others depends on the machine
	"$SCPROF" diff base.scp new.scp >text || true
	grep -q ' of 4 rows; of the others, many have too few calls' text
	not grep -q 'second' text
	"$SCPROF" diff --full base.scp new.scp >text || true
	grep -q 'second' text
}

@test "diff 23: a program or a script of another name still matches, beside others, too" {
	source_with "" "" "second(atoi(argv[1]));" | build old
	mkdir new
	cp old/app old/one
	cp old/app new/two
	record_as base tsc sh -c 'old/app 50; old/one 50'
	record_as new tsc sh -c 'old/app 50; new/two 50'
	compares base.scp new.scp
	[ "$(says '.totals.only_in_base, .totals.only_in_new' | tr -d '\n')" = 00 ]
	for name in one two; do
		cat >$name.py <<-END
			import socket
			a, b = socket.socketpair()
			def work(n):
			    for i in range(n):
			        a.send(b"x")
			        b.recv(1)
			work(50)
		END
		record_as $name tsc python3 $name.py
	done
	compares one.scp two.scp
	[ "$(says '[.sites[] | select(.symbol == "send" or .symbol == "recv") | [.base.calls, .new.calls]] | unique | tostring')" = "[[50,50]]" ]
}

@test "diff 24: a copy that a compiler made of a function is that function" {
	local name
	for name in put put.constprop.0; do
		mkdir "$name"
		cat >app.c <<-END
			#include <sys/socket.h>
			int put(int fd) __asm__("$name");
			__attribute__((noinline)) int put(int fd)
			{
				return send(fd, "x", 1, 0) + 1;
			}
			int main(void)
			{
				int pair[2], sent = 0;
				if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
					return 1;
				for (int i = 0; i < 50; i++)
					sent += put(pair[0]);
				return sent != 100;
			}
		END
		"${CC:-cc}" -O1 -w -o "$name/app" app.c
		record_as "$name" tsc "$name/app"
	done
	compares put.scp put.constprop.0.scp
	[ "$(says '[.sites[] | select(.symbol == "send") | [.base.calls, .new.calls]] | tostring')" = "[[50,50]]" ]
}

@test "diff 25: what went with much of the time is on the screen, however seldom it was called" {
	source_with "" "" "second(5);" | build old
	source_with "" "" "shutdown(pair[0], SHUT_RDWR);" | build new
	record_as base tsc old/app 0
	record_as new tsc new/app 0
	"$SCPROF" diff base.scp new.scp >text || true
	grep -q 'gone: only in base' text
	grep -q 'new: only in new' text
	grep -q 'second' text
	[[ "$(head -1 text)" == *"only in base"* ]]
}
