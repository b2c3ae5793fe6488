#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Delays at call sites, and counts of progress: the library's side of include/scprof_causal.h. The
# program plays the tool, and says what is wrong.
# about 8 s

load ../common

# plays TEST [VARIABLE=VALUE...]: and all times add up exactly, delays or not.
plays()
{
	local name=$1
	shift
	limited env SCPROF_OUT="$T/out" "$@" "$PROGRAMS/delays" "$T/page" "$LIB" "$name"
	make_report --by function
	holds '[.threads[].remainder_ns] | all(. == 0)'
}

# The sites that were entered in the page so far.
sites()
{
	"$PROGRAMS/delays" "$T/page" count
}

# with_page COMMAND...: under the library.
with_page()
{
	limited env SCPROF_OUT="$T/out" SCPROF_CAUSAL="$T/page" LD_PRELOAD="$LIB" "$@"
}

@test "delays 01: calls are delayed where it is said, and counted; so is progress" {
	plays calls
	holds '.filters.ignored == null'
	rm -f out/*
	plays outcome
}

@test "delays 02: by any clock" {
	local clock
	for clock in coarse monotonic dual; do
		rm -f out/*
		plays regions SCPROF_CLOCK=$clock
		rm -f out/*
		plays points SCPROF_CLOCK=$clock
	done
}

@test "delays 03: errno stays" {
	plays errno
}

@test "delays 04: regions and points" {
	plays regions
	rm -f out/*
	plays points
}

@test "delays 05: never in a signal handler" {
	plays handler
}

@test "delays 06: not beyond any limit" {
	plays bounds
}

@test "delays 07: garbage in the page harms nobody" {
	plays garbage
}

@test "delays 08: forked children count in blocks of their own" {
	plays forks
}

@test "delays 08a: where no block is free, one of the dead is taken" {
	plays dead
}

@test "delays 09: ten thousand short threads leave no block behind" {
	plays short_threads
}

@test "delays 10: threads that find no block share the last one" {
	plays many_threads
}

@test "delays 11: a handler leaves a delay by longjmp" {
	plays longjmp
}

@test "delays 12: code is unloaded meanwhile" {
	plays dlclose
}

@test "delays 13: none once the counter may not be read" {
	plays forbidden
}

@test "delays 14: a site is the same one in all processes, wherever they are loaded" {
	plays again
	local once
	once=$(sites)
	[ "$once" -gt 0 ]
	with_page "$PROGRAMS/delays" "$T/page" "$LIB" again inside
	[ "$(sites)" = "$once" ]
}

@test "delays 15: sites of Python are known by line, in each process for itself" {
	cat >one.py <<-'END'
		import os, socket
		def talk(s):
		    s.send(b"x")
		    s.send(b"y")
		a, b = socket.socketpair()
		talk(a)
		os._exit(0)
	END
	"$PROGRAMS/delays" "$T/page" make site
	with_page SCPROF_GROUPS=socket python3 "$T/one.py"
	[ "$(sites)" = 2 ]
	with_page SCPROF_GROUPS=socket python3 -c 'import runpy, socket, sys; a, b = socket.socketpair(); a.send(b"z"); runpy.run_path(sys.argv[1])' "$T/one.py"
	[ "$(sites)" = 5 ]
}

@test "delays 16: a page that is none, or cannot be written, delays nothing, and the profile says so" {
	local page
	"$PROGRAMS/delays" "$T/page" make site
	printf 'SCPCAU2\n' >short
	ln -s page link
	cp page other && printf X | dd of=other conv=notrunc status=none
	for page in short link other absent .; do
		rm -f out/*
		limited env SCPROF_OUT="$T/out" SCPROF_CAUSAL="$T/$page" LD_PRELOAD="$LIB" \
			"$PROGRAMS/delays" "$T/page" "$LIB" again inside
		make_report --by function
		SHOWN=.filters holds '.filters.ignored == ["SCPROF_CAUSAL"]'
		[ "$(calls_of send)" = 5 ]
	done
	[ "$(sites)" = 0 ]
}

@test "delays 17: selected functions" {
	[[ $(uname -m) =~ ^(x86_64|aarch64)$ ]] || skip "chosen symbols need x86-64 or AArch64"
	local library
	library=$("$SCPROF" symbols "$PROGRAMS/delays" sem_wait | sed 's/:.*//;q') # env may have none
	"$PROGRAMS/delays" "$T/page" make site
	limited "$SCPROF" run -s "srand,$library:sem_wait" -o "$T/p.scp" env SCPROF_CAUSAL="$T/page" \
		"$PROGRAMS/delays" "$T/page" - selected inside
	"$SCPROF" report --format json --by function "$T/p.scp" >report.json
	holds '[.threads[].remainder_ns] | all(. == 0)'
}

@test "delays 18: sessions with delays and without, while threads call, leave, end and fork" {
	"$PROGRAMS/delays" "$T/page" make
	DELAYS=$T/page limited "$PROGRAMS/sessions" "$LIB" "$T/out" 40 8 >sessions.txt
	[ "$(grep -c '^/' sessions.txt)" -eq 5 ]
	while read -r profile _; do
		"$SCPROF" report --by function --top 0 --format json "$profile" >report.json
		holds '.totals.remainder_ns == 0'
	done < <(grep '^/' sessions.txt)
	grep -q ' 0 descriptors' sessions.txt
	[ "$(sites)" -gt 0 ]
}
