#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Completion: what `scprof complete` offers, and what the real shells make of it.

bats_require_minimum_version 1.5.0
load ../common

# offers INDEX WORD...: the candidates, without what is said of them.
offers()
{
	"$SCPROF" complete "$@" | cut -f1
}

# has WORD...: each is a line of the input, which is shown if not.
has()
{
	local lines word
	lines=$(cat)
	for word; do
		grep -qxF -- "$word" <<<"$lines" || { echo "no '$word' in:"; echo "$lines"; return 1; }
	done
}

@test "complete 01: commands and options, with what they are" {
	offers 0 '' | has run report doctor help --help
	[ "$(offers 0 re)" = report ]
	offers 1 run - | has --groups -g --displace --stopped -h
	[ "$(offers 1 run --gr)" = --groups ]
	"$SCPROF" complete 1 run --gr | grep -q $'^--groups\tfunctions to time'
	offers 1 help d | has diff displace doctor
	offers 0 '' | not grep -E 'describe|complete|preload'
}

@test "complete 02: values: clocks, groups in a list, choices, formats" {
	offers 2 run -c '' | has tsc coarse page dual
	offers 1 run --clock=c | has --clock=coarse
	offers 2 run -g socket, | has :open socket,io socket,ssl
	[ "$(offers 2 report --by pr)" = process ]
	[ "$(offers 1 report --format=js)" = --format=json ]
	[ -z "$(offers 2 plan --mean '')" ] # nobody knows
}

@test "complete 03: files, and a command's own line, are the shell's" {
	[ "$(offers 1 report '')" = ':files .scp' ]
	[ "$(offers 3 diff a.scp b.scp '')" = ':files .scp' ]
	[ "$(offers 2 run -o '')" = ':files ' ]
	[ "$(offers 1 run --output=x)" = ':files ' ]
	[ "$(offers 1 run '')" = ':command 1' ]
	[ "$(offers 3 run -c tsc l)" = ':command 3' ]
	[ "$(offers 4 run --no-report -- ls -)" = ':command 3' ]
	[ "$(offers 2 bench -- l)" = ':command 2' ]
	[ "$(offers 1 top '')" = ':files .scp' ]
	[ "$(offers 1 serve '')" = ':dirs' ]
	[ "$(offers 2 top --sort pre)" = precision ]
	# after -- and names no option is offered
	[ "$(offers 2 report -- -)" = ':files .scp' ]
}

@test "complete 05: nonsense is silent" {
	local words
	for words in '' x '-1 run' '5 run' '1' '1 nothing x' '3 run -c'; do
		# shellcheck disable=SC2086 # words apart
		run "$SCPROF" complete $words
		[ -z "$output" ]
		[ "$status" -le 2 ]
	done
	# every length of a line
	run -0 "$SCPROF" complete 2 run -xyz ''
	run -0 "$SCPROF" complete 3 run - -- ''
}

# in_bash LINE: what bash would offer at the end of LINE.
in_bash()
{
	PATH=$BUILD:$PATH bash --norc --noprofile -c '
		source "$1"
		COMP_LINE=$2 COMP_POINT=${#2}
		# as readline splits it
		mapfile -t COMP_WORDS < <(sed "s/\([=:]\)/ \1 /g" <<<"$2" | xargs -n1 printf "%s\n")
		[[ $2 != *[\ =:] ]] || COMP_WORDS+=("")
		[[ $2 != *[=:] ]] || unset "COMP_WORDS[${#COMP_WORDS[@]}-1]"
		COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
		compopt() { :; }
		_scprof
		printf "%s\n" "${COMPREPLY[@]}"
	' bash "$ROOT/scripts/packaging/completion/scprof.bash" "$1" 2>&1
}

@test "complete 06: bash: options, values behind =, lists, profiles, commands" {
	: >one.scp
	: >two.txt
	mkdir folder
	in_bash 'scprof run --gr' | has --groups
	in_bash 'scprof report --format=' | has json html
	in_bash 'scprof report --format=js' | has json
	in_bash 'scprof run -g socket,i' | has socket,io
	in_bash 'scprof report ' | has one.scp folder
	in_bash 'scprof report ' | not grep two
	in_bash 'scprof run -o tw' | has two.txt
	in_bash 'scprof run tru' | has true
}

# The shell itself, in a terminal of its own, at a press of the tab key.
# typed SHELL SETUP TEXT WANTED: see there.
typed()
{
	PATH=$BUILD:$PATH python3 "$BATS_TEST_DIRNAME/type.py" "$@"
}

@test "complete 07: bash at a terminal completes a command, an option, a value and a file" {
	: >one.scp
	local load="source $ROOT/scripts/packaging/completion/scprof.bash"
	typed bash "$load" 'scprof rep?on' 'scprof report one.scp'
	typed bash "$load" 'scprof run --no-r?' '--no-report'
	typed bash "$load" 'scprof report --format=cs?' 'report --format=csv'
	typed bash "$load" 'scprof run -g socket,reg?' 'socket,region'
}

@test "complete 10: bash with bash-completion completes the profiled command by its own rules" {
	local package=/usr/share/bash-completion/bash_completion load
	[ -e $package ] || skip 'bash-completion is not installed (scripts/setup.sh --shells)'
	# a command with rules of its own, that the test knows
	load="source $package; source $ROOT/scripts/packaging/completion/scprof.bash; complete -W 'apple pear' fruit"
	typed bash "$load" 'scprof run --groups=io -s lib:x -- fruit app?pe?' 'fruit apple pear'
	typed bash "$load" 'scprof run fruit pe?' 'fruit pear'
}

@test "complete 08: zsh at a terminal does, too" {
	command -v zsh >/dev/null || skip 'zsh is not installed (scripts/setup.sh --shells)'
	: >one.scp
	local load="fpath=($ROOT/scripts/packaging/completion \$fpath); autoload -Uz compinit; compinit -u -d $T/dump"
	typed zsh "$load" 'scprof rep?on' 'scprof report one.scp'
	typed zsh "$load" 'scprof run --no-r?' '--no-report'
	typed zsh "$load" 'scprof report --format=cs?' 'report --format=csv'
}

@test "complete 09: fish does, too" {
	command -v fish >/dev/null || skip 'fish is not installed (scripts/setup.sh --shells)'
	: >one.scp
	local load="source $ROOT/scripts/packaging/completion/scprof.fish"
	in_fish() { HOME=$T PATH=$BUILD:$PATH fish -c "$load; complete -C '$1'" | cut -f1; }
	in_fish 'scprof rep' | has report
	in_fish 'scprof run --gr' | has --groups
	in_fish 'scprof report --format=cs' | has --format=csv
	in_fish 'scprof report on' | has one.scp
	in_fish 'scprof run -g socket,i' | has socket,io
	in_fish 'scprof run tru' | has true
}

@test "complete 11: names that a terminal would obey are cleaned" {
	printf 'void good(void) {}\nvoid bad(void) {}\nvoid red(void) {}\n' >lib.c
	printf 'void good(void);\nint main(void) { good(); return 0; }\n' >main.c
	gcc -c -fPIC lib.c
	objcopy --redefine-sym 'bad=bad$(touch ran)' --redefine-sym red=$'red\033[31m' lib.o
	gcc -shared -Wl,-soname,libodd.so -o libodd.so lib.o
	gcc -o main main.c -L. -lodd -Wl,-rpath,"$PWD"
	run "$SCPROF" symbols ./main 'libodd*:*'
	[[ $output == *'libodd.so:bad$(touch ran)'* && $output == *'libodd.so:red\x1b[31m'* ]]
}
