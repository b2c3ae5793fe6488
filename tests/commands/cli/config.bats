#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# The configuration file: who beats whom, what is refused, and who never reads it.

bats_require_minimum_version 1.5.0
load ../common

setup()
{
	common_setup
	umask 022 # a file that its group may write is refused
	export XDG_CONFIG_HOME=$T/home
	mkdir -p home/scprof
	unset SCPROF_CONFIG
	[ ! -e /etc/scprof.conf ] || skip 'this machine has an /etc/scprof.conf'
}

# config LINE...: the user's file.
config()
{
	printf '%s\n' "$@" >home/scprof/config
}

profile()
{
	SCPROF_CONFIG=/dev/null "$SCPROF" run -o p.scp --no-report -- "$EXAMPLES/echo_pair" 100 10 2>/dev/null
}

# refused STATUS TEXT WORD...: the tool ends with that status, and TEXT is in its one line.
refused()
{
	local wanted=$1 text=$2
	shift 2
	run "-$wanted" "$SCPROF" "$@"
	[ "${#lines[@]}" = 1 ] && [[ $output == *"$text"* ]] || { echo "$output"; return 1; }
}

@test "config 01: a default is in force, and the command line beats it" {
	profile
	config '[report]' 'format = json' 'confidence = 99%' 'by = function'
	[ "$("$SCPROF" report p.scp | jq .confidence)" = 0.99 ]
	[ "$("$SCPROF" report --confidence 0.9 p.scp | jq .confidence)" = 0.9 ]
	"$SCPROF" report --format=text p.scp | grep -q '99 % intervals'
	[ "$(SCPROF_CONFIG=/dev/null "$SCPROF" report --format json p.scp | jq .confidence)" = 0.95 ]
}

@test "config 02: the environment beats the file, and the file what is built in" {
	local clock
	config '[run]' 'clock = coarse' 'no-report = yes' 'groups = socket'
	clock() { "$SCPROF" report --format json q.scp | jq -r .clock.name; }
	"$SCPROF" run -o q.scp -- "$EXAMPLES/echo_pair" 10 10 2>err
	not grep -q FUNCTION err
	[ "$(clock)" = coarse ]
	SCPROF_CLOCK=monotonic "$SCPROF" run -o q.scp -- "$EXAMPLES/echo_pair" 10 10
	[ "$(clock)" = monotonic ]
	SCPROF_CLOCK=coarse "$SCPROF" run -c monotonic -o q.scp -- "$EXAMPLES/echo_pair" 10 10
	[ "$(clock)" = monotonic ]
	config '[run]' 'tick = 500us' # no matter where the clock does not tick, as in the environment
	"$SCPROF" run -c monotonic -o q.scp -- "$EXAMPLES/echo_pair" 10 10
	config '[run]' 'no-report = no'
	"$SCPROF" run -o q.scp -- "$EXAMPLES/echo_pair" 10 10 2>&1 | grep -q FUNCTION
}

@test "config 03: one file by SCPROF_CONFIG instead of both; a relative path is refused" {
	profile
	config '[report]' 'format = json'
	printf '[report]\nformat = csv\n' >other
	SCPROF_CONFIG=$T/other "$SCPROF" report p.scp | head -n 1 | grep -q ,
	SCPROF_CONFIG=other refused 2 'absolute path' report p.scp
	# nothing in the working directory, whatever it is called
	cp other scprof.conf
	cp other .scprof.conf
	mkdir -p .config/scprof scprof
	cp other .config/scprof/config
	cp other scprof/config
	"$SCPROF" report p.scp | jq -e .schema >/dev/null
	XDG_CONFIG_HOME=. HOME=. "$SCPROF" report p.scp | grep -q FUNCTION
}

@test "config 04: an error names its line and what is right, and nothing is done" {
	local at=$T/home/scprof/config
	profile
	config '# mine' '[report]' 'confidnce = 0.9'
	refused 2 "$at:3: scprof report has no option --confidnce; did you mean 'confidence'?" report p.scp
	config '[reprot]'
	refused 2 "$at:1: no options can be set of 'reprot'" report p.scp
	config 'format = json'
	refused 2 "$at:1: which command's?" report p.scp
	config '[report]' 'json'
	refused 2 "$at:2: neither" report p.scp
	config '[report]' 'include-warm-up = maybe'
	refused 2 "$at:2: --include-warm-up takes no value" report p.scp
	config '[report]' 'output = precious'
	refused 2 "$at:2: --output is for the command line only" report p.scp
	config '[report]' 'format ='
	refused 2 "$at:2: format = ... needs a value" report p.scp
	config '[report]' $'fo\033rmat = 1'
	refused 2 "$at:2:" report p.scp
	[[ $output != *$'\033'* ]]
	config '[nothing]' 'a = 1' '[report]' 'top = 3' # for run as well, and only said once
	refused 125 "$at:1:" run -o q.scp -- touch ran
	[ ! -e ran ]
	[ ! -e q.scp ]
	[ ! -e precious ]
	"$SCPROF" report --help | grep -q usage # help helps
}

@test "config 05: a bad value is refused as one that was typed" {
	profile
	config '[report]' 'format = jsno'
	run -2 "$SCPROF" report p.scp
	[[ $output == *"no format 'jsno'"* ]]
	config '[run]' 'clock = sundial'
	run -125 "$SCPROF" run -o q.scp -- true
	[[ $output == *sundial* ]]
}

# Each option that takes a value, with one that none can mean: who complains of the value names its
# line. Patterns and the like may mean anything.
@test "config 12: who complains of a value names its line, whatever command it is" {
	local at=$T/home/scprof/config command name told=0 bad=0 arguments
	profile
	config '[report]' '# mine' 'confidence = 7'
	refused 2 "$at:3: --confidence '7' is not a number" report p.scp
	config '[report]' 'top = 3'
	refused 2 "scprof report: no format 'x'" report --format x p.scp # that was typed
	config '[run]' 'depth = 3' 'clock = sundial'
	run -125 "$SCPROF" run -o q.scp -- true
	[[ ${lines[0]} == "scprof: $at:3: "*"'sundial'"* ]]
	SCPROF_CLOCK=moondial run -125 "$SCPROF" run -o q.scp -- true
	[[ ${lines[0]} == *"'moondial'"* && $output != *"$at"* ]]
	for command in report diff plan top serve run displace bench; do
		case $command in
		run | displace | bench) arguments=(true) ;;
		diff) arguments=(p.scp p.scp) ;;
		*) arguments=(p.scp) ;;
		esac
		for name in $("$SCPROF" describe "$command" | awk -F'\t' '$1 == "option" { print $3 }'); do
			config "[$command]" "$name = ~odd~"
			"$SCPROF" config >/dev/null 2>&1 || continue # for the command line only, or a switch
			timeout 300 "$SCPROF" "$command" "${arguments[@]}" >/dev/null 2>err </dev/null 3>&- || true
			grep '^scprof' err | grep -qF "'~odd~'" || continue
			told=$((told + 1))
			grep -qF "$at:2: " err || { echo "$command: $(cat err)"; bad=1; }
		done
	done
	echo "$told complaints"
	[ "$told" -ge 20 ] && [ $bad = 0 ]
}

@test "config 06: a file of somebody else's, one that others may write, a FIFO, a large one: not read" {
	profile
	config '[report]' 'format = json'
	chmod 666 home/scprof/config
	refused 2 'may be written by others' report p.scp
	chmod 600 home/scprof/config
	"$SCPROF" report p.scp | jq -e .schema >/dev/null
	if [ "$(id -u)" = 0 ]; then
		chown 65534 home/scprof/config
		refused 2 'belongs to somebody else' report p.scp
		refused 2 'SCPROF_CONFIG=/dev/null' report p.scp
		SCPROF_CONFIG=/dev/null "$SCPROF" report p.scp >/dev/null
	fi
	rm home/scprof/config
	mkfifo home/scprof/config
	refused 2 'not a regular file' report p.scp
	rm home/scprof/config
	head -c 70000 /dev/zero | tr '\0' '#' >home/scprof/config
	refused 2 'larger than 64 KiB' report p.scp
	# a regular file whose reading fails
	SCPROF_CONFIG=/proc/self/mem refused 2 'cannot be read: ' report p.scp
}

@test "config 07: plan's aims are one choice: what is typed leaves out what another file says" {
	config '[plan]' 'relative = 2%'
	"$SCPROF" plan --tick 1ms --mean 50us --json | jq -e '.width == 0.04' >/dev/null ||
		{ "$SCPROF" plan --tick 1ms --mean 50us --json; false; }
	"$SCPROF" plan --tick 1ms --mean 50us --digits 2 >/dev/null
	config '[plan]' 'mean = 5us'
	refused 2 'for the command line only' plan --tick 1ms --mean 50us
}

@test "config 08: scprof config shows what is in force, from where, and what the environment beats" {
	config '[report]' 'top = 3' 'top = 5 # five' '[run]' 'clock = coarse' 'stopped = no'
	SCPROF_CLOCK=tsc "$SCPROF" config >shown
	grep -qxF "top = 5  # $T/home/scprof/config:3" shown
	not grep -q 'top = 3' shown
	grep -q "^clock = coarse .*beaten by the environment's SCPROF_CLOCK" shown
	grep -q "^# /etc/scprof.conf: not there" shown
	[ "$("$SCPROF" config report | grep -c =)" = 1 ]
	SCPROF_CLOCK=tsc "$SCPROF" config --json >json
	jq -e '.schema == "scprof-config/1" and (.entries | length) == 3 and .entries[0].value == "5" and
		.entries[1].beaten_by == "SCPROF_CLOCK" and .files[1].there' json >/dev/null || { cat json; false; }
	# what it prints can be read again
	cp shown again
	SCPROF_CONFIG=$T/again "$SCPROF" config | grep -v '^#' | sed 's/ *#.*//' |
		diff - <(grep -v '^#' shown | sed 's/ *#.*//')
	config '[run]' 'clok = tsc'
	run -2 "$SCPROF" config
	[[ $output == *":2: "*"did you mean 'clock'?"* ]]
}

@test "config 09: the preloaded library reads no configuration" {
	config '[run]' 'clock = coarse' 'groups = wait'
	strace -f -o trace -e trace=openat,open,access,stat,newfstatat \
		env LD_PRELOAD="$LIB" SCPROF_OUT="$T/out" "$EXAMPLES/echo_pair" 10 10 >/dev/null 2>&1 || skip 'strace cannot trace here'
	[ -n "$(ls out/*.scp)" ]
	not grep -E 'scprof/config|scprof\.conf' trace
}

@test "config 10: scprof config knows every option that can be set, by its documented name" {
	# each long option of each command, but for those that are questions
	local command name bad=0
	"$SCPROF" describe | awk -F'\t' '$1 == "command" { print $3 }' | grep -vxE 'detach|doctor|config|explain' >names
	while read -r command; do
		for name in $("$SCPROF" describe "$command" | awk -F'\t' '$1 == "option" { print $3 }'); do
			config "[$command]" "$name = yes"
			"$SCPROF" config >shown 2>err || grep -qE 'command line only' err ||
				{ echo "$command $name: $(cat err)"; bad=1; }
		done
	done <names
	[ $bad = 0 ]
}

# clock_of WORD...: the clock that scprof run records with, given these words.
clock_of()
{
	"$SCPROF" run -o q.scp --no-report "$@" >/dev/null 2>&1
	"$SCPROF" report --format json q.scp | jq -r .clock.name
}

@test "config 11: only what getopt takes for an option beats a default" {
	config '[run]' 'clock = coarse'
	# the command's own words
	local command=(sh -c '"$0" 10 10' "$EXAMPLES/echo_pair")
	[ "$(clock_of "${command[@]}" --clock=tsc)" = coarse ]
	[ "$(clock_of -g socket "${command[@]}" --clock tsc)" = coarse ]
	[ "$(clock_of -- "${command[@]}" --clock tsc)" = coarse ]
	[ "$(clock_of --groups socket --clock monotonic "$EXAMPLES/echo_pair" 10 10)" = monotonic ]
	[ "$(clock_of --clo=monotonic "$EXAMPLES/echo_pair" 10 10)" = monotonic ]
	[ "$(clock_of -gsocket -cmonotonic "$EXAMPLES/echo_pair" 10 10)" = monotonic ]
	# a name that is the beginning of another
	config '[run]' 'slowest-of = send'
	"$SCPROF" run --slowest=5 --no-report -o q.scp -- env 2>/dev/null >variables
	grep -qx 'SCPROF_SLOWEST_OF=send' variables
	"$SCPROF" run --slowest=5 --slowest-of=recv --no-report -o q.scp -- env 2>/dev/null >variables
	grep -qx 'SCPROF_SLOWEST_OF=recv' variables
	# an option's value that looks like another option
	profile
	config '[report]' 'format = json'
	"$SCPROF" report -o --format p.scp
	head -c 1 ./--format | grep -q '{'
}
