#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# What a killed `scprof run` leaves.
# shellcheck disable=SC2030,SC2031 # each test is a subshell, and ends with what it set
load ../common

setup()
{
	common_setup
	target=
	cat >calls.c <<-'C'
		#include <stdio.h>
		#include <sys/socket.h>
		int main(void)
		{
			int pair[2];
			char c;
			if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
				return 1;
			for (int i = 0; i < 1000; i++)
				if (send(pair[0], "x", 1, 0) != 1 || recv(pair[1], &c, 1, 0) != 1)
					return 1;
			puts("called");
			fflush(stdout);
			return fgetc(stdin) == EOF ? 0 : 1; /* until the other end is closed */
		}
	C
	cc -o calls calls.c
	mkfifo in
	exec 7<>in
}

teardown()
{
	exec 7>&-
	[ -z "$target" ] || kill -9 "$target" 2>/dev/null || true
	[ -z "${directory:-}" ] || rm -rf "$directory"
}

# kill_a_run OPTION...: of ./calls, after its thousand calls. $target lives on; $directory is the run's.
kill_a_run()
{
	mkfifo said
	"$SCPROF" run --no-report "$@" -- ./calls <in >said 2>killed.err 3>&- 7>&- &
	local run=$!
	read -r line <said
	[ "$line" = called ]
	target=$(pgrep -P "$run" -x calls)
	directory=$(tr '\0' '\n' <"/proc/$target/environ" | sed -n 's/^SCPROF_OUT=//p' | sed 's|/profiles\..*||')
	[ -d "$directory" ]
	kill -9 "$run"
	wait "$run" || true
}

end_target()
{
	kill -9 "$target"
	# whose child it is now may take its time to ask for its status
	while grep -q '^State:[[:space:]]*[^ZX[:space:]]' "/proc/$target/status" 2>/dev/null; do :; done
	target=
}

@test "leftovers 01: scprof doctor names what a killed run left, and how to save it" {
	kill_a_run -o wanted.scp
	end_target
	"$SCPROF" doctor --json >doctor.json || [ $? = 1 ]
	jq -e '.checks[] | select(.name == "leftovers") | .level == "note" and (.found | contains("killed run"))' doctor.json
	[ -d "$directory" ]
	find "$directory" -name '*.scp' -exec "$SCPROF" merge -o out/saved.scp {} +
	make_report --by function
	[ "$(calls_of send)" = 1000 ]
	[ "$(calls_of recv)" = 1000 ]
}

@test "leftovers 02: a run that lives leaves nothing, although its command was killed" {
	mkfifo said
	"$SCPROF" run --no-report -o wanted.scp -- ./calls <in >said 2>first.err 3>&- 7>&- &
	run=$!
	read -r line <said
	target=$(pgrep -P "$run" -x calls)
	directory=$(tr '\0' '\n' <"/proc/$target/environ" | sed -n 's/^SCPROF_OUT=//p' | sed 's|/profiles\..*||')
	kill -9 "$target"
	wait "$run" || [ $? = 137 ]
	target=
	[ ! -e "$directory" ]
	mv wanted.scp out/
	make_report --by function
	[ "$(calls_of send)" = 1000 ]
}

@test "leftovers 03: a profile of another run, that a process of this one puts there, is left out, told of and kept" {
	local plant old kept
	"$SCPROF" run --no-report -o merged.scp -- "$EXAMPLES/echo_pair" 20 10 2>err
	SCPROF_OUT=$T/out LD_PRELOAD=$LIB "$EXAMPLES/echo_pair" 20 10
	old=$(find "$T/out" -name "*.scp" | sort | head -n 1)
	for plant in merged.scp "$old"; do
		# shellcheck disable=SC2016 # the run's
		"$SCPROF" run --no-report -o this.scp -- \
			sh -c 'cp "$1" "$SCPROF_OUT/scprof.echo_pair.1.scp"; exec cat /dev/null' sh "$plant" 2>err
		grep -q 'scprof.echo_pair.1.scp: was not recorded in this run' err || { cat err && false; }
		"$SCPROF" report --by process --format json this.scp |
			jq -e '[.programs[].name] | index("cat") and (index("echo_pair") | not)'
		kept=$(sed -n 's/.*what could not be read is kept in //p' err)
		cmp "$plant" "$kept/scprof.echo_pair.1.scp"
		rm -r "$kept"
	done
}

@test "leftovers 04: a pipe in place of the file that says how far a run is holds nobody" {
	# shellcheck disable=SC2016 # the run's
	LIMIT=300 limited "$SCPROF" run --until 0.01% --no-report -o p.scp -- sh -c '
		until [ -e "$SCPROF_OUT/until" ]; do sleep 0.1; done
		mkfifo "$SCPROF_OUT/pipe"
		mv -f "$SCPROF_OUT/pipe" "$SCPROF_OUT/until"
		exec sleep 3' 2>err || { cat err && false; }
}
