#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# What a command accepts, what its --help says, and what man pages and completion
# make of that are the same thing.

bats_require_minimum_version 1.5.0
load ../common

commands()
{
	"$SCPROF" describe | awk -F'\t' '$1 == "command" { print $3 }'
}

# documented COMMAND: its options by --help, a line each: letter, name, takes an argument.
documented()
{
	"$SCPROF" describe "$1" | awk -F'\t' '$1 == "option" { print $2, $3, $4 != "-" }' | sort
}

accepted()
{
	LD_PRELOAD=$PROGRAMS/getopt_spy.so "$SCPROF" "$1" x | sort
}

@test "help 01: every option that a command accepts is in its --help, and the reverse" {
	local command name bad=0
	[ "$(commands | wc -l)" -ge 11 ]
	for command in $(commands); do
		accepted "$command" >a.txt
		documented "$command" >d.txt
		[ -s a.txt ] || { echo "$command: accepts nothing?"; bad=1; }
		diff a.txt d.txt >difference ||
			{ echo "$command: accepted (<), documented (>), as: letter, name, argument"; cat difference; bad=1; }
		"$SCPROF" "$command" --help >help.txt
		while read -r _ name _; do
			[ "$name" = - ] || grep -qE -- "^  (-., )?--$name([^a-z-]|$)" help.txt ||
				{ echo "$command --help: no --$name"; bad=1; }
		done <d.txt
	done
	[ $bad = 0 ]
}

@test "help 02: every command has --help, -h and help, the same, status 0, within 100 columns" {
	local command
	for command in $(commands); do
		"$SCPROF" "$command" --help >long
		"$SCPROF" "$command" -h >short
		"$SCPROF" help "$command" >word
		cmp long short
		cmp long word
		grep -q "^usage: scprof $command" long || { echo "$command: no usage line"; return 1; }
		grep -q '^exit status: ' long || { echo "$command: no exit status"; return 1; }
		[ -z "$(awk 'length > 100' long)" ] || { echo "$command:"; awk 'length > 100' long; return 1; }
		# A way to use it begins with an option or an operand, never with a sentence.
		! grep -E "^(usage: |       )scprof $command [A-Z]([a-z ]|$)" long || { echo "$command: what usage is this?"; return 1; }
		"$SCPROF" --help | grep -q "^  $command  " || { echo "$command: not in scprof --help"; return 1; }
	done
	[ "$("$SCPROF" --help | grep -c '^  [a-z]')" = "$(commands | wc -l)" ]
	"$SCPROF" --help >all
	[ -z "$(awk 'length > 100' all)" ]
}

@test "help 03: what helps the machine is not shown to people" {
	"$SCPROF" --help | not grep -qE 'preload-stubs|complete|describe'
	run -2 "$SCPROF" help describe
	run -2 "$SCPROF" describe nothing
}

@test "help 04: a wrong command is one line with the way on, status 2" {
	local words
	for words in 'reprot p.scp' 'help reprot'; do
		# shellcheck disable=SC2086 # words apart
		run -2 "$SCPROF" $words
		[ "${#lines[@]}" = 1 ]
		[[ ${lines[0]} == "scprof: "*"--help"* ]]
	done
	run -2 "$SCPROF" reprot
	[[ $output == *"did you mean 'report'?"* ]]
	# one letter of three is another word
	run -2 "$SCPROF" foo
	[[ $output != *"did you mean"* ]]
}

@test "help 05: help is whole or fails: a full disk is status 1" {
	[ -w /dev/full ] || skip 'no /dev/full here'
	run -1 sh -c '"$1" --help >/dev/full' sh "$SCPROF"
	run -1 sh -c '"$1" --version >/dev/full' sh "$SCPROF"
}

@test "help 06: man pages say all that --help says, with exit status and examples" {
	local command page option
	[ -d "$BUILD/man" ] || { echo 'not built: make man'; return 1; }
	for command in $(commands); do
		page=$BUILD/man/scprof-$command.1
		for section in NAME SYNOPSIS DESCRIPTION OPTIONS ENVIRONMENT 'EXIT STATUS' EXAMPLES; do
			grep -qE "^\.SH \"?$section\"?$" "$page" || { echo "$page: no $section"; return 1; }
		done
		command -v groff >/dev/null || continue
		# groff hides nothing: the page as it is read
		groff -man -Tascii -P-c "$page" 2>/dev/null | sed 's/.\x08//g' >text
		for option in $(documented "$command" | awk '$2 != "-" { print "--" $2 }'); do
			grep -qE -- "$option([^a-z-]|\$)" text || { echo "$page: no $option"; return 1; }
		done
	done
	grep -qE '^\.SH COMMANDS$' "$BUILD/man/scprof.1"
	for command in $(commands); do
		grep -q "scprof\\\\-$command" "$BUILD/man/scprof.1" || { echo "scprof.1: no $command"; return 1; }
	done
}

@test "help 07: groff has nothing to warn of in the man pages" {
	command -v groff >/dev/null || skip 'groff is not installed'
	local page
	for page in "$BUILD"/man/*.[15]; do
		groff -man -Tutf8 -ww -z "$page" 2>warnings
		[ ! -s warnings ] || { echo "$page:"; cat warnings; return 1; }
	done
}

@test "help 08: commands that the pages' examples show have only options that there are" {
	local page words bad=0
	sed -n '/^\.SH EXAMPLES/,/^\.SH SEE/p' "$BUILD"/man/*.1 | sed 's/\\-/-/g' |
		grep -E '^(\$ )?scprof ' | sed 's/^\$ //' >examples
	[ "$(wc -l <examples)" -ge 15 ]
	while read -r _ command words; do
		documented "$command" >known || { echo "no command $command"; bad=1; continue; }
		for option in $(tr ' ' '\n' <<<"${words%% -- *}" | grep -oE '^--[a-z-]+' | cut -c3-); do
			grep -q " $option " known || { echo "scprof $command has no --$option"; bad=1; }
		done
	done <examples
	[ $bad = 0 ]
}

@test "help 09: the page of the whole says each thing about the environment once" {
	local name text
	while IFS=$'\t' read -r _ _ name _ text; do
		[ "$(grep -cF -- "${text//-/\\-}" "$BUILD/man/scprof.1")" = 1 ] || { echo "$name: not once"; return 1; }
	done < <("$SCPROF" describe | grep '^environment')
}
