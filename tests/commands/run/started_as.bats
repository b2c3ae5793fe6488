#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# A program is called what it was started as: by a link, as a script; where the kernel was given no
# name, by its executable's. In profiles and their names, in reports, in `scprof serve`.
# about 9 s

# shellcheck disable=SC2016,SC2030,SC2031,SC2034 # commands of other shells; each test is a subshell; serve.bash

load ../common
load ../serve/serve

NAMED=$PROGRAMS/named

setup()
{
	common_setup
	BACKGROUND=() WINDOWS=() AGENT=
}

teardown()
{
	end_background
}

# called NAME EXE COMMAND...: it leaves one profile with calls, scprof.NAME.PID.scp, of this name and
# executable. What ran before it, by exec, may have left one without calls.
called()
{
	local name=$1 exe=$2 file found=0
	shift 2
	rm -f out/*
	with_library "$@" >/dev/null
	for file in out/*; do
		[ "$("$SCPROF" report --by function --format json "$file" |
			jq -r '[.sites[].calls] | add // 0')" != 0 ] || continue
		found=$((found + 1))
		"$SCPROF" report --by function --format json "$file" >report.json
		[[ $file = out/scprof."$name".[0-9]*.scp ]] || { echo "$file" && return 1; }
	done
	[ "$found" = 1 ] || { ls out && return 1; }
	jq -e --arg n "$name" --arg e "$exe" \
		'[.program, .processes[0]] | map(.name == $n and .exe == $e) | all' report.json >/dev/null ||
		{ jq -c '.program, .processes[0]' report.json && return 1; }
}

@test "started as 01: a link, a link of a link, a search in PATH, a copy: the name that was given" {
	ln -s "$NAMED" server
	ln -s server alias
	cp "$NAMED" copy
	called named "$NAMED" "$NAMED"
	called server "$NAMED" ./server
	called alias "$NAMED" "$T/alias" --port 80
	called alias "$NAMED" env PATH="$T:$PATH" alias
	called copy "$T/copy" ./copy
	called named "$NAMED" bash -c 'exec -a nonsense "$0"' "$NAMED"
	called server "$NAMED" bash -c 'exec ./server'
}

@test "started as 02: a script has its own name, its interpreter's where that was told to read it" {
	printf '#!%s\n' "$NAMED" >app.py
	printf '#! %s  an argument  \n' "$NAMED" >späte.py
	printf '#!/usr/bin/env %s\n' "$NAMED" >by_env
	chmod +x app.py späte.py by_env
	called app.py "$NAMED" ./app.py 1
	called späte.py "$NAMED" "$T/späte.py"
	called app.py "$NAMED" sh -c 'exec ./app.py'
	called named "$NAMED" "$NAMED" app.py
	called named "$NAMED" ./by_env # env executes it by its own name
}

@test "started as 03: the dynamic linker as a command starts what it is told to" {
	local loader
	loader=$(readelf -lW "$NAMED" | sed -n 's/.*interpreter: \(.*\)\]/\1/p')
	ln -s "$NAMED" server
	called server "$(readlink -f "$loader")" "$loader" ./server
	! "$loader" --help | grep -q -- --argv0 || # since glibc 2.33
		called server "$(readlink -f "$loader")" "$loader" --argv0 nonsense ./server
}

@test "started as 04: where the kernel was given no name it is the executable's" {
	ln -s "$NAMED" server
	called named "$NAMED" env NAMED=fexecve ./server
	called named "$NAMED" env NAMED=self ./server
	called named "$NAMED" env NAMED=below ./server
	called fleeting "$T/fleeting (deleted)" env NAMED=deleted ./server
	called memfd:in-memory "/memfd:in-memory (deleted)" env NAMED=memfd ./server
	ln -s "$NAMED" $'new\nline'
	called named "$NAMED" $'./new\nline'
}

@test "started as 05: the name is taken at the start, and a forked child has its parent's" {
	ln -s "$NAMED" server
	NAMED=overwrite with_library ./server >/dev/null
	[ "$(find out -name 'scprof.server.*.scp' | wc -l)" = 2 ]
	[ "$(find out -type f | wc -l)" = 2 ]
	make_report --by function
	jq -e '[.processes[].name] == ["server", "server"]' report.json
	[ "$(calls_of send)" = 6 ]
}

@test "started as 06: the longest name a file can have is whole in the profile, cut in its file's name" {
	local long umlauts
	long=$(printf 'n%.0s' {1..255})
	umlauts=x$(printf 'ä%.0s' {1..127})
	for name in "$long" "$umlauts"; do
		rm -f out/*
		ln -s "$NAMED" "$name"
		with_library "./$name" >/dev/null
		make_report --by function
		[ "$(jq -r .program.name report.json)" = "$name" ]
	done
	[ "$(LC_ALL=C.UTF-8; printf 'scprof.x'; printf 'ä%.0s' {1..99}; echo .)" = "$(find out -name '*.scp' -printf '%f' |
		sed 's/[0-9]*\.scp$//')" ]
}

@test "started as 07: run, merge, reports: names stay, and distinguish programs of one file" {
	ln -s "$NAMED" server
	ln -s "$NAMED" client
	"$SCPROF" run --no-report -o run.scp -- sh -c './server; ./client; "$0"' "$NAMED" >/dev/null
	"$SCPROF" report --by process --format json run.scp >report.json
	[ "$(jq -r '[.processes[] | select(.calls > 0) | .name] | sort | join(" ")' report.json)" = \
		"client named server" ]
	for i in 1 2 3; do with_library ./server >/dev/null; done
	"$SCPROF" merge -o merged.scp run.scp out/*.scp
	"$SCPROF" merge -o again.scp merged.scp
	"$SCPROF" report --by process --format csv again.scp | tr -d '\r' >processes.csv
	python3 - processes.csv <<-'END'
		import csv, sys
		rows = [r for r in csv.DictReader(open(sys.argv[1])) if int(r["calls"])]
		assert sorted(r["name"] for r in rows) == ["client", "named"] + 4 * ["server"], rows
		assert len({r["exe"] for r in rows}) == 1
	END
	"$SCPROF" report --by process again.scp 2>&1 | sed -n '/PROGRAM/,/^$/p' >table
	[ "$(awk '$2 == "server"' table | wc -l)" = 4 ]
	local status=0 # so few calls may not compare: whichever it is, the file says it
	"$SCPROF" diff --format json merged.scp again.scp >diff.json || status=$?
	jq -e --argjson status "$status" '.exit_status == $status' diff.json
	rm -f out/*
	ln -s "$NAMED" longer_than_a_thread_is
	with_library ./longer_than_a_thread_is >/dev/null
	"$SCPROF" report --format html -o page.html out/*.scp
	grep -qF '"longer_than_a_thread_is"' page.html
	jq -e '.base[0].name != null and .base[0].name == .new[0].name' diff.json
}

@test "started as 08: folded are processes of one name and executable; the sums add up as before" {
	ln -s "$NAMED" server
	ln -s "$NAMED" client
	cp "$NAMED" copy
	mkdir elsewhere
	mv copy elsewhere/client
	with_library sh -c 'for i in $(seq 16); do ./server; ./server; ./client; ./client; elsewhere/client; done' \
		>/dev/null
	"$SCPROF" merge -o merged.scp out/*.scp
	"$SCPROF" report --by process --format json merged.scp >report.json
	jq -e '[.processes[] | select(.calls > 0) | [.name, .processes, .calls, (.exe | test("elsewhere"))]] |
		sort == [["client", 16, 96, true], ["client", 32, 192, false], ["server", 32, 192, false]]' report.json
	jq -e '[.threads[].remainder_ns] | all(. == 0)' report.json
}

@test "started as 09: services are what programs were started as; hostile names are one label each" {
	local hostile='a"b\c<i>{},ä'
	ln -s "$NAMED" server
	ln -s "$NAMED" client
	ln -s "$NAMED" "$hostile"
	printf '#!%s\n' "$NAMED" >app.py
	chmod +x app.py
	for i in 1 2; do with_library ./server >/dev/null; done
	for program in ./client ./app.py "./$hostile"; do with_library "$program" >/dev/null; done
	NAMED=fexecve with_library ./server >/dev/null
	start_agent --max-services 4 out
	[ "$(code -H 'Accept: application/openmetrics-text;version=1.0.0' "$URL/metrics")" = 200 ]
	python3 "$ROOT/tests/commands/serve/check_openmetrics.py" openmetrics answer
	# Five programs: the one that was found last, whichever it is, is summed as other.
	grep -q '^scprof_processes_seen_total{service="other"} [13]$' answer
	[ "$(awk '/^scprof_processes_seen_total{/ { n++; all += $NF } END { print n, all }' answer)" = "5 7" ]
	stop_agent
	start_agent out
	[ "$(code "$URL/metrics")" = 200 ]
	[ "$(metric 'calls_total.*service="server".*"send"')" = 6 ]
	grep -qF 'scprof_processes_seen_total{service="a\"b\\c<i>{},ä"} 1' answer
	for name in client app.py named; do
		grep -qF "scprof_processes_seen_total{service=\"$name\"} 1" answer
	done
	grep -qF 'scprof_processes_seen_total{service="server"} 3' answer
	[ "$(code "$URL/")" = 200 ]
	grep -qF 'a&quot;b\c&lt;i&gt;{},ä' answer
	lacks answer '<i>'
	service=$(grep -o '/service?[^"]*%22[^"]*' answer | head -n 1 | sed 's/&amp;/\&/g')
	[ "$(code "$URL$service")" = 200 ]
}
