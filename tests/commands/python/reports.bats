#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Python functions as reports show them: of a profile made by hand, so that no interpreter is needed.
# What each format says of them beside the others' is compared in ../report/formats.bats.

load ../common

setup()
{
	common_setup
	"$PROFILES/make_python" one.scp two.scp
	export COLUMNS=220
}

@test "python reports 01: text has the function, its file and line, in the order of the call path" {
	"$SCPROF" report one.scp >text
	grep -q ' \(…\|\.\.\) < Service.reply (service.py:142.*) < handle (service.py:88) < <module> (service.py:200)$' text
	COLUMNS=100 "$SCPROF" report --full one.scp >text
	grep -qx ' *handle (service.py:88)' text
	grep -qx ' *<module> (service.py:200)' text
	# Two calls of one line: the instruction tells them apart where the column does not.
	grep -qx ' *Service.reply (service.py:142:9, instruction 16)' text
	grep -qx ' *Service.reply (service.py:142:9, instruction 50)' text
	# Where there is no room for all frames, the call site stays.
	COLUMNS=100 "$SCPROF" report --full --frames 2 one.scp >text
	grep -qx ' *\(…\|\.\.\) 1 more, then Service.reply (service.py:142:9, instruction 16)' text
	grep -qx ' *\(…\|\.\.\) 2 more frames' text
}

@test "python reports 02: by site a row is of a Python line, and has no frame of the interpreter" {
	"$SCPROF" report --by site --format json one.scp two.scp >report.json
	[ "$(jq -c '[.sites[] | [.symbol, .calls, (.stack | length), .stack[0].language, .stack[0].function, .stack[0].line]]' report.json)" = \
		'[["send",1000,1,"python","Service.reply",142],["recv",600,1,"python","handle",80],["recv",40,1,"python","Worker.run",7],["send",40,1,"python","Service.reply",142],["recv",20,1,"javascript","parse",12]]' ]
	"$SCPROF" report --by site --fold --format json one.scp two.scp >report.json
	[ "$(jq -c '[.sites[] | [.symbol, .calls, .paths]]' report.json)" = \
		'[["send",1040,2],["recv",600,1],["recv",40,1],["recv",20,1]]' ]
}

@test "python reports 03: by function a row is of a Python function, without a line" {
	"$SCPROF" report --by function one.scp two.scp >text
	grep -q '^send .* 1,040 .* Service.reply (service.py)$' text
	grep -q '^recv .* 600 .* handle (service.py)$' text
	COLUMNS=100 "$SCPROF" report --by function --full one.scp | grep -qx ' *Service.reply (service.py)'
	"$SCPROF" report --by function --format json one.scp two.scp >report.json
	[ "$(jq -c '[.sites[] | [.symbol, .calls, .stack[0].function, .stack[0].line]]' report.json)" = \
		'[["send",1040,"Service.reply",null],["recv",600,"handle",null],["recv",40,"Worker.run",null],["recv",20,"parse",null]]' ]
	"$SCPROF" report --by function --format folded one.scp | grep -qx 'Service.reply;send 520000'
}

@test "python reports 04: where Python frames are missing a note says so, and one warning explains it" {
	COLUMNS=100 "$SCPROF" report --full one.scp >text
	grep -qx ' *~ Python frames are missing here' text
	[ "$(grep -c '^warning: python-cut' text)" = 1 ]
	COLUMNS=220 "$SCPROF" report one.scp | grep -q '300 .*~ .*handle (service.py:80) < <module> (service.py:200) < (Python'
	[ "$("$SCPROF" report --format json one.scp | jq -c '[.sites[].path]')" = \
		'["complete","python-cut","complete","complete"]' ]
	"$SCPROF" explain python-cut | grep -q 'lack Python frames'
}

@test "python reports 05: folded, callgrind, CSV and pprof have names, files and lines" {
	"$SCPROF" report --format folded one.scp >out.folded
	grep -qx '<module>;handle;Service.reply;_socket.so+0x5120;send 500000' out.folded
	"$SCPROF" report --format callgrind one.scp >out.callgrind
	grep -A 4 '^fn=([0-9]*) handle$\|^fn=(2)$' out.callgrind | grep -q '^cob'
	grep -q '^cfn=([0-9]*) Service.reply$' out.callgrind
	grep -q '^calls=520 130$' out.callgrind # it begins in line 130, and is called from line 88
	grep -q '^88 520000 520 ' out.callgrind
	"$SCPROF" report --format csv one.scp >out.csv
	grep -q '"_socket.so+0x5120;Service.reply;handle;<module>"' out.csv
	grep -q '+0x5120;/srv/service/service.py:142;/srv/service/service.py:88;/srv/service/service.py:200"' out.csv
	"$SCPROF" report --format pprof -o out.pprof one.scp
	zcat out.pprof >out.strings
	grep -qa 'Service.reply' out.strings
	grep -qa '/srv/service/service.py' out.strings
	command -v go >/dev/null && go tool pprof -h 2>&1 | grep -q sample_index || return 0
	go tool pprof -symbolize=none -sample_index=calls -lines -top out.pprof 2>/dev/null |
		grep -q 'Service.reply /srv/service/service.py:142'
}

@test "python reports 06: pages colour them as the program's own, with the place of the function" {
	"$SCPROF" report -o page.html one.scp
	grep -q '"/srv/service/service.py:130"' page.html
	grep -q 'Service.reply (service.py:142)' page.html
	"$SCPROF" diff -o diff.html one.scp -- two.scp || [ "$?" = 1 ]
	grep -q 'Service.reply (service.py:142)' diff.html
	"$SCPROF" report --format svg -o page.svg one.scp
	grep -q 'Service.reply' page.svg
}

@test "python reports 07: top says which Python line called, or which function" {
	"$SCPROF" top --batch -n 1 --rows 0 --width 160 one.scp >text
	grep -q '500 *send *Service.reply (service.py:142)$' text
	"$SCPROF" top --batch -n 1 --rows 0 --width 160 --by function one.scp >text
	grep -q '520 *send *Service.reply (service.py)$' text
	"$SCPROF" plan --by function --share 0 --relative 5% one.scp | grep -q 'Service.reply (service.py)'
}

@test "python reports 08: a comparison matches Python lines, whatever their ids in the files" {
	"$SCPROF" diff --format json one.scp -- two.scp >report.json || [ "$?" = 1 ]
	[ "$(jq -c '[.sites[] | select(.stack[1].function == "Service.reply") | [.base.calls, .new.calls]]' report.json)" = '[[520,520]]' ]
	[ "$(jq '[.sites[] | select(.stack[1].function == "Worker.run")] | length' report.json)" = 1 ]
	COLUMNS=100 "$SCPROF" diff --frames 2 one.scp -- two.scp >text || [ "$?" = 1 ]
	grep -A 1 -x ' *Service.reply (service.py:142)' text | grep -qx ' *handle (service.py:88)'
	COLUMNS=100 "$SCPROF" diff --by site --full one.scp -- two.scp >text || [ "$?" = 1 ]
	grep -qx ' *Service.reply (service.py:142)' text
}

# Of each row of a page, beside the function: where the table says that it is called from.
called_from()
{
	sed -n '/id="data">/,/^<\/script>/ { s/.*id="data">//; /^<\/script>/d; p }' "$1" | jq -r '. as $d
		| (.site_fields | length) as $n | (.site_fields | index("site")) as $at | (.line_fields | length) as $m
		| range(0; .sites | length; $n) | $d.sites[. + $at]
		| if . < 0 then "none" else $d.strings[$d.lines[. * $m + ($d.line_fields | index("text"))]] end'
}

@test "python reports 09: the tables of pages name the Python line, not the interpreter's function" {
	"$SCPROF" report -o page.html one.scp
	called_from page.html >text
	grep -q '^Service.reply (service.py:142' text
	! grep -q '_socket.so' text || false
	"$SCPROF" diff -o diff.html one.scp -- two.scp || [ "$?" = 1 ]
	called_from diff.html >text
	grep -q '^Service.reply (service.py:142' text
	! grep -q '_socket.so' text || false
}
