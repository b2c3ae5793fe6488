#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# What a killed `scprof run` leaves, and who takes care of it.
# serial: any other run of this user would do so
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

next_run()
{
	"$SCPROF" run --no-report -o next.scp -- true 2>next.err
}

@test "leftovers 01: the next run saves the profile of a killed one and removes its directory" {
	kill_a_run -o wanted.scp
	end_target
	next_run
	[ ! -e "$directory" ]
	[ ! -e wanted.scp ]
	grep -q "$T/wanted.killed.scp" next.err
	mv wanted.killed.scp out/
	make_report --by function
	[ "$(calls_of send)" = 1000 ]
	[ "$(calls_of recv)" = 1000 ]
	next_run
	not grep -q killed next.err
}

@test "leftovers 02: nothing is removed while the command still runs" {
	kill_a_run -o wanted.scp
	next_run
	[ -d "$directory" ]
	[ ! -e wanted.killed.scp ]
	not grep -q killed next.err
	end_target
	next_run
	[ ! -e "$directory" ]
	[ -e wanted.killed.scp ]
}

@test "leftovers 03: nothing is removed while the run lives, although its command has ended" {
	mkfifo said
	"$SCPROF" run --no-report -o wanted.scp -- ./calls <in >said 2>first.err 3>&- 7>&- &
	run=$!
	read -r line <said
	target=$(pgrep -P "$run" -x calls)
	directory=$(tr '\0' '\n' <"/proc/$target/environ" | sed -n 's/^SCPROF_OUT=//p' | sed 's|/profiles\..*||')
	kill -STOP "$run"
	kill -9 "$target"
	next_run
	[ -d "$directory" ]
	[ ! -e wanted.killed.scp ]
	kill -CONT "$run"
	wait "$run" || [ $? = 137 ]
	target=
	[ ! -e "$directory" ]
	mv wanted.scp out/
	make_report --by function
	[ "$(calls_of send)" = 1000 ]
}

@test "leftovers 04: what exists is not written over, and where nothing can be saved the files are kept" {
	touch taken.scp taken.killed.scp
	kill_a_run -o taken.scp
	end_target
	next_run
	[ ! -s taken.killed.scp ] && [ ! -s taken.scp ]
	[ -s taken.killed.1.scp ]
	rm said
	mkdir there
	kill_a_run -o there/wanted.scp
	end_target
	# Its folder is gone: beside the next run's. Where /dev/shm is small, the files were in that folder.
	mv there elsewhere
	"$SCPROF" run --no-report -o elsewhere/next.scp -- true 2>next.err
	[ -s elsewhere/wanted.killed.scp ]
}

@test "leftovers 05: scprof doctor tells of them, and removes nothing" {
	kill_a_run -o wanted.scp
	end_target
	"$SCPROF" doctor --json >doctor.json || [ $? = 1 ]
	jq -e '.checks[] | select(.name == "leftovers") | .level == "note" and (.found | contains("killed run"))' doctor.json
	[ -d "$directory" ]
	next_run
	"$SCPROF" doctor --json >doctor.json || [ $? = 1 ]
	[ ! -e "$directory" ]
}

@test "leftovers 06: what is not a run's is left alone: no mark, a link, a file that nobody knows" {
	directory=$(mktemp -d /dev/shm/scprof.XXXXXX)
	touch "$directory/scprof.x.1.scp" # no mark
	mkdir mine
	touch mine/run mine/scprof.x.1.scp
	ln -s "$T/mine" "$T/.scprof.linked"
	mkdir -m 700 .scprof.other
	touch .scprof.other/run .scprof.other/unknown
	next_run
	[ -e "$directory/scprof.x.1.scp" ]
	[ -e mine/run ] && [ -e mine/scprof.x.1.scp ]
	[ -e .scprof.other/unknown ]
}

@test "leftovers 07: what cannot be read is kept and reported once" {
	kill_a_run -o wanted.scp
	end_target
	profiles=$(find "$directory" -name '*.scp' -printf '%h\n' | head -n 1)
	echo garbage >"$profiles/scprof.bad.1.scp"
	next_run
	[ -s wanted.killed.scp ]
	[ "$(find "$directory" -type f)" = "$profiles/scprof.bad.1.scp" ]
	grep -q "kept in $profiles" next.err
	next_run
	[ -e "$profiles/scprof.bad.1.scp" ]
	not grep -q kept next.err
}

@test "leftovers 08: nothing is removed while a process has a file of it mapped, whoever that is" {
	kill_a_run -o wanted.scp
	end_target
	mkfifo mapped
	python3 -c '
import mmap, sys
with open(sys.argv[1], "rb") as f:
    m = mmap.mmap(f.fileno(), 4096, prot=mmap.PROT_READ)
print("mapped", flush=True)
sys.stdin.read()' "$(find "$directory" -name '*.scp')" <in >mapped 3>&- 7>&- &
	target=$!
	read -r line <mapped
	next_run
	[ -d "$directory" ]
	[ ! -e wanted.killed.scp ]
	kill "$target"
	wait "$target" || true
	target=
	next_run
	[ ! -e "$directory" ]
	[ -s wanted.killed.scp ]
}

@test "leftovers 09: what another machine's run made is left alone: here nobody sees whether it lives" {
	kill_a_run -o wanted.scp
	end_target
	cp "$directory/run" mark
	sed '1s/.*/another start/; 2s/.*/another host/' mark >"$directory/run"
	next_run
	[ -n "$(find "$directory" -name '*.scp')" ]
	[ ! -e wanted.killed.scp ]
	cp mark "$directory/run"
	next_run
	[ ! -e "$directory" ]
	[ -s wanted.killed.scp ]
}

@test "leftovers 10: a profile of another run, that a process of this one puts there, is left out, told of and kept" {
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
