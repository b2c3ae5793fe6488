#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Error messages: one to three lines that say what and what to do, with nothing
# of an argument obeyed by the terminal, and the documented status.

bats_require_minimum_version 1.5.0
load ../common

# is_plain TEXT: no byte in it but those of text, tabs and ends of lines.
is_plain()
{
	local LC_ALL=C
	[[ $1 != *[$'\x01'-$'\x08\x0b'-$'\x1f\x7f']* ]]
}

# complains STATUS TEXT WORD...: as this file's head says, and TEXT is in it. By the shell alone, for it
# is asked a hundred times.
complains()
{
	local wanted=$1 text=$2 status=0 lines said
	shift 2
	"$SCPROF" "$@" >said.out 2>said.err </dev/null 3>&- || status=$?
	mapfile lines <said.err
	printf -v said %s "${lines[@]}"
	[ "$status" = "$wanted" ] && [ ! -s said.out ] && [[ $said == scprof*"$text"*$'\n' ]] &&
		[ ${#lines[@]} -le 3 ] && is_plain "$said" && return
	echo "scprof $*: status $status, not $wanted, or not '$text':"
	cat -v said.out said.err
	return 1
}

commands()
{
	"$SCPROF" describe | awk -F'\t' '$1 == "command" { print $3 }'
}

status_of()
{
	case $1 in run | attach | causal | displace) echo 125 ;; *) echo 2 ;; esac
}

@test "messages 01: an unknown option of any command: its name, the nearest, where they are listed" {
	local command option
	for command in $(commands); do
		option=$("$SCPROF" describe "$command" | awk -F'\t' '$1 == "option" && length($3) > 3 { print $3; exit }')
		complains "$(status_of "$command")" "did you mean --$option?" "$command" "--${option%?}x${option: -1}"
		complains "$(status_of "$command")" "scprof $command --help" "$command" --nothing-like-that
		complains "$(status_of "$command")" 'unknown option' "$command" $'--evil\033[31m'
	done
}

@test "messages 02: an option without its value, and one with a value that takes none" {
	local command option
	for command in $(commands); do
		for option in $("$SCPROF" describe "$command" | awk -F'\t' '$1 == "option" && $4 !~ /^(-$|\[=)/ && $3 != "-" { print $3 }'); do
			complains "$(status_of "$command")" 'needs a value' "$command" "--$option"
		done
		complains "$(status_of "$command")" '--help' "$command" --help=1
	done
	complains 125 'option --live=1 takes no value' run --live=1 -- true
}

@test "messages 03: values that nobody could mean are refused with what would be right" {
	local evil=$'\033[31mx\ny'
	: >empty.scp
	complains 2 'there are: text, json' report --format "$evil" p.scp
	complains 2 'there are: path, site' report --by "$evil" p.scp
	complains 2 '0.95 or 95%' report --confidence "$evil" p.scp
	complains 2 'whole number, 0 or more' report --top "$evil" p.scp
	complains 2 'time, calls, bytes' report --weight "$evil" p.scp
	complains 1 'empty.scp' report empty.scp
	complains 1 'No such file' report "$evil"
	complains 1 'No such file' merge -o out.scp "$evil"
	complains 2 'No such file' diff "$evil" "$evil"
	complains 2 'there are: path, site, function' diff --by "$evil" a b
	complains 2 'not a time' plan --tick "$evil" --mean 1ms
	complains 2 'there are: tsc, monotonic' bench --clock "$evil" -- true
	complains 2 'there are int:5' bench libc.so.6:getpid "$evil"
	complains 2 'number of seconds' load "$evil"
	complains 2 'there are: path, site, function' top --by "$evil" p.scp
	complains 2 'a whole number from 20 to 1000' top --width "$evil" p.scp
	complains 2 'cannot listen' serve --listen "$evil"
	complains 125 'There are: tsc' run -c "$evil" true
	complains 125 'its unit' run -d "$evil" -c page true
	complains 125 'There are: socket' run -g "$evil" true
	complains 125 'USR1' run --signal "$evil" true
	complains 125 'is not a list of CPUs' displace --cpus "$evil" true
	complains 127 'not found' run "$evil"
	complains 125 'with -o' run -o "/nowhere/$evil" true
}

@test "messages 04: nothing said of what: each command asks for what it lacks" {
	complains 125 'which command?' run
	complains 125 'which command?' displace
	complains 2 'which profile?' report
	complains 2 'which profiles?' diff
	complains 2 'where to?' merge p.scp
	complains 2 'which profiles?' merge -o out.scp
	complains 2 'plan what?' plan
	complains 2 'what is to be measured?' bench
	complains 2 'of which PROGRAM?' symbols
	complains 2 'watch what?' top
	complains 2 'stubs of which functions?' symbols --stubs x.so true
}

@test "messages 05: an output that cannot be written is named, with another way" {
	"$SCPROF" run -o p.scp --no-report -- "$EXAMPLES/echo_pair" 10 10 2>/dev/null
	complains 1 'name another place with -o' report -o /nowhere/x p.scp
	complains 2 'name another place with -o' diff -o /nowhere/x p.scp p.scp
	complains 125 'Create it first' run -o /nowhere/x true
}

# shows_newlines COMMAND...: the newline of a name is shown, and no line begins with what follows it.
shows_newlines()
{
	"$@" >named.out 2>named.err </dev/null 3>&- || true
	grep -qF 'a\x0ab' named.err && not grep -q '^ *b\b' named.err && return
	echo "$*:"
	cat -v named.err
	return 1
}

@test "messages 06: a newline in the name of a program, a file or a folder begins no line" {
	local name=$'a\nb'
	cp "$EXAMPLES/echo_pair" "./$name"
	shows_newlines "$SCPROF" run --no-report "./$name" 10 10
	"$SCPROF" run -o "$name.scp" --no-report -- "$EXAMPLES/echo_pair" 10 10 2>/dev/null
	head -c 5000 "$name.scp" >"$name.cut"
	shows_newlines "$SCPROF" run --no-report -o "$name.scp" true
	shows_newlines "$SCPROF" run -o "$name/$name" true
	shows_newlines "$SCPROF" report "$name.cut"
	shows_newlines "$SCPROF" report "$name.scp" "$name.cut"
	shows_newlines "$SCPROF" merge -o "$name/out" "$name.scp"
	shows_newlines "$SCPROF" merge -o out.scp "$name.cut"
	shows_newlines "$SCPROF" diff "$name.scp" "$name.cut"
	shows_newlines "$SCPROF" plan "$name.cut"
	shows_newlines "$SCPROF" top "$name.cut"
	shows_newlines "$SCPROF" run -s "$name" true
	shows_newlines "$SCPROF" run --below "$name" true
	SCPROF_LIB=/$name shows_newlines "$SCPROF" run true
}
