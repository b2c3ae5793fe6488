#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# What `scprof report` and `scprof merge` promise to scripts: exit status,
# messages, and that a result file is whole or not there.

load ../common

# A profile of a shell tool that certainly makes socket calls, and a second one of the same.
setup_file()
{
	local run
	T=$BATS_FILE_TMPDIR
	cd "$T" || return 1
	cat >client.py <<-'END'
		import socket
		a, b = socket.socketpair()
		for i in range(50):
		    a.send(b'x' * (i + 1))
		    b.recv(100)
	END
	for run in first second; do
		mkdir out
		# Itself: a script of its name that starts it would leave a profile of that name, too.
		with_library "$(python3 -c 'import sys; print(sys.executable)')" client.py
		mv out "$run"
	done
}

setup()
{
	common_setup
	cp "$BATS_FILE_TMPDIR"/first/*.scp out
	PROFILE=$(find "$T/out" -name '*python*.scp' | head -n 1)
	[ -n "$PROFILE" ] || skip "python3 left no profile"
}

fails_saying()
{
	local text=$1
	shift
	run "$@"
	[ "$status" = "${WANTED:-1}" ]
	[[ $output == *"$text"* ]]
	[ "${#lines[@]}" -le 3 ]
}

@test "wrong usage is status 2 and says what is right" {
	local WANTED=2
	fails_saying "which profile?" "$SCPROF" report
	fails_saying "there are: text, json" "$SCPROF" report --format xml "$PROFILE"
	fails_saying "path, site, function" "$SCPROF" report --by colour "$PROFILE"
	fails_saying "between 0 and 1" "$SCPROF" report --confidence 95 "$PROFILE"
	fails_saying "between 0 and 1" "$SCPROF" report --confidence nan "$PROFILE"
	fails_saying "not a whole number" "$SCPROF" report --top -3 "$PROFILE"
	fails_saying "where to?" "$SCPROF" merge "$PROFILE"
	fails_saying "which profiles?" "$SCPROF" merge -o x.scp
}

@test "an ending that nothing has is refused with those that there are, before anything runs or is written" {
	local WANTED=2 words
	for words in "report -o out.pb" "report -o out.pdf" "diff -o out.pb $PROFILE" "merge -o out.zip"; do
		# shellcheck disable=SC2086 # words
		fails_saying ".html" "$SCPROF" $words "$PROFILE"
	done
	WANTED=125 fails_saying ".scp" "$SCPROF" run -o out.pdf -- touch ran
	[ -z "$(find . -name 'out.*')" ] && [ ! -e ran ]
	# a format that is asked for (it beats the name), a name without an ending, a number behind the last dot, a folder
	"$SCPROF" report --format pprof -o made.pb "$PROFILE"
	"$SCPROF" report -o made "$PROFILE"
	"$SCPROF" report -o made.2 "$PROFILE"
	mkdir made.d
	"$SCPROF" run --no-report -o made.d -- true
}

@test "what is no profile is status 1" {
	echo hello >text
	head -c 5000 "$PROFILE" >cut.scp
	fails_saying "text" "$SCPROF" report text
	fails_saying "cut.scp" "$SCPROF" report cut.scp
	fails_saying "No such file" "$SCPROF" report missing.scp
}

# leaves_out COMMAND...: goes on without what cannot be read, which it names, with status 1.
leaves_out()
{
	local status=0
	"$@" >left.out 2>left.err || status=$?
	[ "$status" = 1 ] && [ "$(grep -vc 'its calls count twice' left.err)" = 3 ] &&
		grep -qF 'left out: empty.scp: is empty' left.err &&
		grep -qF 'left out: cut.scp: ends after 5000' left.err &&
		grep -qF 'left out: missing.scp: cannot open' left.err && return
	echo "$*: status $status"
	cat left.err
	return 1
}

@test "of several profiles, those that cannot be read are named and left out, and the status is 1" {
	: >empty.scp
	head -c 5000 "$PROFILE" >cut.scp
	leaves_out "$SCPROF" report --format json empty.scp "$PROFILE" cut.scp "$PROFILE" missing.scp
	[ "$(grep -c 'its calls count twice' left.err)" = 1 ]
	"$SCPROF" report --format json "$PROFILE" "$PROFILE" >whole.json
	cmp left.out whole.json
	leaves_out "$SCPROF" merge -o merged.scp empty.scp "$PROFILE" cut.scp missing.scp
	"$SCPROF" report --format json merged.scp >merged.json
	jq '[.sites[] | {symbol, calls, total_ns}]' merged.json >merged
	"$SCPROF" report --format json "$PROFILE" | jq '[.sites[] | {symbol, calls, total_ns}]' | cmp - merged
	leaves_out "$SCPROF" plan cut.scp empty.scp "$PROFILE" missing.scp
}

@test "where no profile of several can be read each is named, and the status is 1" {
	: >empty.scp
	head -c 5000 "$PROFILE" >cut.scp
	local command
	for command in report "merge -o merged.scp" plan; do
		# shellcheck disable=SC2086 # words
		fails_saying "none of these 2 profiles can be read" "$SCPROF" $command empty.scp cut.scp
		[[ $output == *"empty.scp: is empty"* && $output == *"cut.scp: ends after"* ]]
	done
	[ ! -e merged.scp ]
}

@test "every grouping and format prints" {
	local by
	for by in path site function gap thread process; do
		"$SCPROF" report --by "$by" "$PROFILE" >text.out
		[ -s text.out ]
		"$SCPROF" report --by "$by" --format json "$PROFILE" | jq -e '.schema == "scprof-report/1"'
	done
}

@test "calls, bytes and time of the report are the program's" {
	"$SCPROF" report --by function --format json "$PROFILE" >r.json
	jq -e '.sites[] | select(.symbol == "send") | .calls == 50 and .bytes == 1275' r.json
	jq -e '([.sites[].share] | add) as $s | $s > 0.999999 and $s < 1.000001' r.json
	jq -e '.totals.remainder_ns == 0' r.json
	jq -e '.totals | (.calls_ns - .nested_ns + .gaps_ns + .recording_ns - .time_ns) | fabs < 1' r.json
}

@test "a report that cannot be written leaves the old file" {
	echo old >out.txt
	"$SCPROF" report -o out.txt "$PROFILE"
	grep -q send out.txt
	run "$SCPROF" report "$PROFILE" -o /dev/full
	[ "$status" = 1 ]
	fails_saying "No such file" "$SCPROF" report -o none/out.txt "$PROFILE"
	if "$SCPROF" report "$PROFILE" >/dev/full 2>err.txt; then
		return 1
	fi
	grep -q "No space" err.txt
	# No partial file stays behind.
	[ "$(find . -name 'out.txt*' | wc -l)" = 1 ]
}

@test "a signal while a file is written ends it, and leaves the old file and no other" {
	local signal
	for signal in INT TERM HUP; do
		echo old >out.txt
		cp out.txt merged.scp
		# right after the file beside it was made
		run strace -qq -o /dev/null -e trace=fchmod -e inject=fchmod:signal=$signal \
			"$SCPROF" report -o out.txt "$PROFILE"
		[ "$status" = $((128 + $(kill -l $signal))) ]
		# when all is written but its name
		run strace -qq -o /dev/null -e trace=fsync -e inject=fsync:signal=$signal \
			"$SCPROF" merge -o merged.scp "$PROFILE"
		[ "$status" = $((128 + $(kill -l $signal))) ]
		[ "$(cat out.txt merged.scp)" = $'old\nold' ]
	done
	# a limit, in the middle of it
	run bash -c 'ulimit -f 1; exec "$@"' sh "$SCPROF" report --format html -o out.txt "$PROFILE"
	[ "$status" = $((128 + $(kill -l XFSZ))) ]
	[ "$(cat out.txt)" = old ]
	[ "$(find . -name 'out.txt*' -o -name 'merged.scp*' | wc -l)" = 2 ]
}

@test "no colours and no escapes outside of a terminal" {
	TERM=xterm "$SCPROF" report "$PROFILE" >out.txt
	[ "$(grep -c $'\033' out.txt)" = 0 ]
}

@test "rows keep to COLUMNS" {
	local width
	for width in 40 60 100 200; do
		# a command to copy is not broken
		COLUMNS=$width LC_ALL=C "$SCPROF" report "$PROFILE" | sed '/^next:/,$d' >out.txt
		[ "$(wc -L <out.txt)" -le "$width" ]
	done
}

@test "merged profiles report as they do together" {
	cp "$BATS_FILE_TMPDIR"/second/*.scp out
	mapfile -t files < <(find "$T/out" -name '*.scp' | sort)
	"$SCPROF" merge -o merged.scp "${files[@]}"
	"$SCPROF" report --format json "${files[@]}" | jq '[.sites[] | {symbol, calls, bytes, ticks}]' >a
	"$SCPROF" report --format json merged.scp | jq '[.sites[] | {symbol, calls, bytes, ticks}]' >b
	diff a b
}

@test "no profile, and no displacement, that is read is written over, whatever -o calls it" {
	local out
	cp "$PROFILE" a.scp
	cp "$PROFILE" b.scp
	ln -s a.scp link.scp
	ln a.scp hard.scp
	sha256sum a.scp b.scp >before
	for out in a.scp ./b.scp link.scp hard.scp; do
		WANTED=2 fails_saying "would replace" "$SCPROF" merge -o "$out" a.scp b.scp
		WANTED=2 fails_saying "would replace" "$SCPROF" report --format json -o "$out" a.scp b.scp
		WANTED=2 fails_saying "would replace" "$SCPROF" diff --format json -o "$out" a.scp b.scp
	done
	WANTED=2 fails_saying "would replace" "$SCPROF" merge -o a.scp b.scp link.scp
	sha256sum -c before
	[ -L link.scp ]
	# another one is: as a compiler's output
	cp b.scp c.scp
	"$SCPROF" merge -o c.scp a.scp b.scp
	not cmp -s b.scp c.scp
}
