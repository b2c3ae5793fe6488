#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# scprof explain, and that one screen of text has what --full has more words for.

load ../common

setup()
{
	common_setup
	MAKE_PROFILE=$SCPROF_BUILD/tests/profiles/make_profile
	"$MAKE_PROFILE" paths 200 p.scp
}

@test "explain 01: all codes are listed with a line, and each has a longer text" {
	local code
	"$SCPROF" explain | grep '^[a-z][a-z-]*  ' >codes
	[ "$(wc -l <codes)" -ge 40 ]
	[ "$(awk 'NF < 3' codes | wc -l)" = 0 ]
	while read -r code _; do
		"$SCPROF" explain "$code" >long
		[ "$(wc -l <long)" -ge 2 ]
		grep -q "^$code: " long
	done <codes
	"$SCPROF" explain heavy-tail drift | grep -c '^[a-z]' | grep -qx 2
}

@test "explain 02: an unknown code is one error with the nearest name, status 2" {
	run "$SCPROF" explain heavytail
	[ "$status" = 2 ]
	[ "${#lines[@]}" = 1 ]
	[[ $output == *"did you mean 'heavy-tail'?"* ]]
	run "$SCPROF" explain drift nonsense-of-no-kind
	[ "$status" = 2 ]
	[ "${#lines[@]}" = 1 ]
	if "$SCPROF" explain >/dev/full 2>err; then
		return 1
	fi
}

@test "explain 03: every code that the source warns with can be explained" {
	local code
	grep -rhoE '(warning_list_note\(r|warn\(d|warning_list_note\($|^\s+r), *"[a-z-]+"' \
		"$ROOT/report" --include=*.c | grep -oE '"[a-z-]+"' | tr -d '"' | sort -u >used
	[ "$(wc -l <used)" -ge 20 ]
	while read -r code; do
		"$SCPROF" explain "$code" >long || return 1
	done <used
}

@test "explain 04: every column of text, and every mark, can be explained, however it is written" {
	local name
	# the titles in the sources of tables and of top, and those of a report
	grep -hoE '\{"[^"]+", \.(right|least|drop|style|type)|^[^/]*COLUMN_[A-Z_]*\] = \{"[^"]+", [0-9]' \
		"$ROOT"/report/render/text/*.c "$ROOT"/report/live/columns.c "$ROOT"/cli/plan/*.c "$ROOT"/cli/diff/*.c |
		grep -oE '"[^"]+"' | tr -d '"' | sort -u >titles
	[ "$(wc -l <titles)" -ge 50 ]
	{
		sed -n 's/.*{\.title = "\([^"]*\)".*/\1/p' "$ROOT"/cli/causal/causal_text.c
		printf '%s\n' '±?' … share interval mean 'mean now' 'cpu/run/slp' 'CALLED FROM' waiting 'of time' \
			'!' '~' '?' '%' '±' '+-' '^'
		"$SCPROF" report --full p.scp | grep '^FUNCTION' | sed 's/   */\n/g'
	} >>titles
	while read -r name; do
		"$SCPROF" explain "$name" >long || return 1
		grep -qE ': .{8,}' long
	done <titles
	run "$SCPROF" explain shares
	[ "$status" = 2 ]
}

@test "screen 01: a terminal has 5 to 25 rows, most of the time in calls; a file, --full and --top 0 every row" {
	TERM=dumb LC_ALL=C script -qec "stty rows 40 cols 120; '$SCPROF' report --frames 0 p.scp" /dev/null </dev/null |
		tr -d '\r' >screen
	sites=$("$SCPROF" report --format json p.scp | jq '.sites | length')
	shown=$(sed -n '/^FUNCTION/,/^  [+!~]/p' screen | grep -E '^[a-z_0-9]+ .*%' | grep -vc '^! ')
	[ "$shown" -le 25 ] && [ "$shown" -ge $((sites < 5 ? sites : 5)) ]
	grep -qE "^  \+ $((sites - shown)) more rows?: " screen || [ "$shown" = "$sites" ]
	LC_ALL=C "$SCPROF" report --frames 0 p.scp >file
	[ "$(sed -n '/^FUNCTION/,/^  [!~]/p' file | grep -E '^[a-z_0-9]+ .*%' | grep -vc '^! ')" = "$sites" ]
	LC_ALL=C "$SCPROF" report --top 3 --frames 0 p.scp >top
	[ "$(sed -n '/^FUNCTION/,/^  + /p' top | sed '1d;$d' | grep -c ' %')" = 3 ]
	LC_ALL=C "$SCPROF" report --top 0 --frames 0 p.scp >all
	# each block has a heading
	[ "$(sed -n '/^FUNCTION/,/^  [!~]/p' all | grep -E '^[a-z_0-9]+ .*%' | grep -vc '^! ')" = "$sites" ]
	LC_ALL=C "$SCPROF" report --full --frames 0 p.scp >full
	[ "$(sed -n '/^FUNCTION/,/^$/p' full | grep -c '^[a-z]')" = "$sites" ]
}

@test "screen 02: the shares of the line of time add up to 100 %" {
	"$SCPROF" report p.scp >short
	LC_ALL=C "$SCPROF" report p.scp | sed -n '/^  time /,/^  calls /p' | sed '/^ *it works/,$d' | tr -s ' \n' ' ' >parts
	grep -oE '[0-9.]+ %' parts | awk '{ sum += $1 } END { exit !(sum > 99.95 && sum < 100.05) }'
}
