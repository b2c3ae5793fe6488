#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# A file's name says what is in it, for `scprof report` and `scprof run`; and what is asked for
# wrongly fails before the command runs.

bats_require_minimum_version 1.5.0
load ../common

setup()
{
	common_setup
	"$PROFILES/make_states" rseq p.scp
}

# What a file of each name begins with.
looks_like()
{
	case $1 in
	*.html) head -c 15 "$1" | grep -qi '<!doctype html>' ;;
	*.svg) sed -n 2p "$1" | grep -q '^<svg ' && python3 -c 'import sys, xml.dom.minidom as m; m.parse(sys.argv[1])' "$1" ;;
	*.speedscope | *.speedscope.json) jq -e '.exporter == "scprof" and .profiles[0].type == "sampled"' "$1" ;;
	*.json) jq -e '.schema == "scprof-report/1"' "$1" ;;
	*.csv) head -n 1 "$1" | grep -q '^[a-z_]*,[a-z_]*,' ;;
	*.pb.gz) gzip -t "$1" ;;
	*.folded) grep -Eq ' [0-9]+$' "$1" ;;
	*.callgrind) head -n 1 "$1" | grep -q '^# callgrind format' ;;
	*.txt) grep -q FUNCTION "$1" ;;
	esac
}

@test "outputs 01: the name of -o gives the format" {
	for end in html svg json csv pb.gz folded callgrind speedscope speedscope.json txt; do
		"$SCPROF" report -o "out.$end" p.scp
		looks_like "out.$end"
	done
	"$SCPROF" report -o OUT.JSON p.scp
	jq -e .schema OUT.JSON
}

@test "outputs 02: --format beats the name" {
	"$SCPROF" report --format json -o out.html p.scp
	jq -e .schema out.html
}

@test "outputs 03: run writes the report that -o names, and keeps the profile beside it" {
	mkdir to
	for end in html json svg; do
		"$SCPROF" run -g all -o "to/out.$end" -- "$EXAMPLES/echo_pair" 20 10 2>err
		looks_like "to/out.$end"
		grep -q '^scprof: report: .*to/out\.'"$end" err
		grep -q FUNCTION err
	done
	[ "$(find to -name 'scprof.echo_pair.*.scp' | wc -l)" = 3 ]
}

@test "outputs 04: run prints the report as report does" {
	"$SCPROF" run -g socket --by function --sort calls --top 1 --format json -o p2.scp -- \
		"$EXAMPLES/echo_pair" 20 10 2>err
	sed '/^scprof: /,$d' err | jq -e '.sites | length == 1'
	"$SCPROF" report --by function --sort calls --top 1 --format json p2.scp | jq .sites >again
	sed '/^scprof: /,$d' err | jq .sites | diff - again
}

@test "outputs 05: sort by each column; names rise, all else falls" {
	"$SCPROF" run -g all --no-report -o s.scp -- "$EXAMPLES/echo_pair" 50 10
	sorted()
	{
		"$SCPROF" report --sort "$1" --format json s.scp |
			jq -e "[.sites[] | select(.waits | not) | $2] | . == (sort$3)"
	}
	sorted calls .calls '| reverse'
	sorted bytes '(.bytes // 0)' '| reverse'
	sorted max .max_ns '| reverse'
	sorted name .symbol ''
	run -2 "$SCPROF" report --sort calls --by gap s.scp
	[[ $output == *"--sort goes with"* ]]
	run -2 "$SCPROF" report --sort calls --format folded s.scp
	[[ $output == *"--sort goes with"* ]]
}

@test "outputs 06: a folder that takes no file fails before the command runs, for root, too" {
	cd /proc
	run -125 "$SCPROF" run -- touch "$T/ran"
	[[ $output == *"cannot write a profile into the folder /proc"* ]]
	[ ! -e "$T/ran" ]
	cd "$T"
	run -125 "$SCPROF" run -o /proc/x.html -- touch "$T/ran"
	[ ! -e "$T/ran" ]
}

@test "outputs 07: alone it lists the commands; -v is a version" {
	run -2 "$SCPROF"
	[[ $output == *"run a command, write its profile"* ]]
	run -0 "$SCPROF" -v
	[[ $output == "scprof "* ]]
}

@test "outputs 08: no name breaks the picture" {
	"$PROFILES/make_hostile" hostile.scp "$PROFILES/hostile.so" 0x3000 0x3010 0x3020 0x3030
	"$SCPROF" report -o hostile.svg hostile.scp
	looks_like hostile.svg
}

@test "outputs 09: a weight that nothing has writes no file, and says so; the text is printed" {
	"$SCPROF" run --states off --weight asleep -o w.folded -- "$EXAMPLES/echo_pair" 20 10 2>err
	grep -q 'choose another --weight' err
	[ ! -e w.folded ]
	grep -q FUNCTION err
}

# lost STATUS ARGUMENT...: standard output is full, and then closed: that status, and one line says why.
lost()
{
	local wanted=$1 status where
	shift
	for where in '>/dev/full' '>&-'; do
		status=0
		timeout 900 sh -c "exec \"\$@\" $where" sh "$SCPROF" "$@" 2>err </dev/null 3>&- || status=$?
		[ "$status" = "$wanted" ] && [ "$(grep -c 'cannot write' err)" = 1 ] || {
			echo "status $status, not $wanted: $* $where"
			cat err
			return 1
		}
	done
}

@test "outputs 10: what cannot be printed is status 1; 2 where 1 is an answer; 125 where the command's own is the status" {
	[ -w /dev/full ] || skip 'no /dev/full here'
	local command target
	lost 1 --help
	lost 1 --version
	lost 1 help report
	for command in $("$SCPROF" describe | awk -F'\t' '$1 == "command" { print $3 }'); do
		case $command in
		run | attach | detach | causal | displace) lost 125 "$command" --help ;;
		diff | doctor | symbols) lost 2 "$command" --help ;;
		*) lost 1 "$command" --help ;;
		esac
	done
	lost 1 report p.scp
	lost 1 report --format json p.scp
	lost 1 report p.scp none.scp
	lost 2 diff p.scp p.scp
	lost 1 explain
	lost 2 symbols "$PROGRAMS/traffic"
	lost 1 plan p.scp
	lost 1 plan --json p.scp
	lost 1 bench --replications 5 --min-time 1us libc.so.6:getppid
	lost 1 bench --json --replications 5 --min-time 1us libc.so.6:getppid
	lost 1 clocks
	lost 2 doctor
	lost 2 doctor --json
	lost 1 config
	lost 1 config --json
	lost 1 serve --listen 127.0.0.1:0 .
	lost 1 top -n 1 p.scp
	sleep 100 3>&- &
	target=$!
	lost 125 detach "$target"
	kill "$target"
	# what goes elsewhere is not lost
	"$SCPROF" report -o there.txt p.scp >&-
	"$SCPROF" run --no-report -o r.scp -- true >&- 2>err
}

@test "outputs 11: where the disk is full, it is said where the profile is, and no command names a file that is not there" {
	unshare --mount true 2>/dev/null || skip 'no mount namespace can be made here'
	mkdir full
	run -125 unshare --mount sh -c 'mount -t tmpfs -o size=16k none full && head -c 16k /dev/zero >full/all &&
		exec "$1" run -o full/r.scp -- "$2" 20 10 2>err' sh "$SCPROF" "$EXAMPLES/echo_pair"
	grep -q 'full/r.scp: cannot write: No space left on device' err
	grep -q 'No file was made' err
	kept=$(sed -n 's/.*single processes are kept in //p' err)
	not grep -q 'scprof report.* /.*full/r.scp' err
	"$SCPROF" merge -o merged.scp "$kept"
	"$SCPROF" report --format json merged.scp | jq -e '.totals.calls > 0'
	rm -r "$(dirname "$kept")"
}
