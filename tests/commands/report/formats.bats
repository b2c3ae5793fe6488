#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Every format of `scprof report` is read back, by the tool that it is for where
# that is here, and by a reader of its published grammar always: with an
# ordinary profile, and with one whose every name tries to break the format.

load ../common

CHECK=$BATS_TEST_DIRNAME/formats
SCHEMA=$ROOT/docs/scprof-report.schema.json
HOSTILE=$PROFILES

# The distribution's, which has its jsonschema.
python()
{
	/usr/bin/python3 "$@"
}

ordinary()
{
	"$SCPROF" run -o ordinary.scp --no-report -- "$EXAMPLES/echo_pair" 200 100
	"$SCPROF" report --format json -o ordinary.json ordinary.scp
}

# A path through each of the library's seven functions.
hostile()
{
	"$HOSTILE/make_hostile" hostile.scp "$HOSTILE/hostile.so" \
		0x3000 0x3010 0x3020 0x3030 0x3040 0x3050 0x3060
	"$SCPROF" report --format json -o hostile.json hostile.scp
}

# Time on a CPU, runnable and asleep at four sites.
switched()
{
	"$PROFILES/make_states" rseq switched.scp
	"$SCPROF" report --format json -o switched.json switched.scp
}

# Costs by displacement at five of six sites, one of them below 0.
displaced()
{
	"$PROFILES/make_profile" displaced 99 displaced.scp
	"$SCPROF" report --format json -o displaced.json displaced.scp
}

# Python frames above an extension's, a path without some of them, and one through generated code.
interpreted()
{
	"$PROFILES/make_python" interpreted.scp interpreted2.scp
	"$SCPROF" report --format json -o interpreted.json interpreted.scp
}

# The profile $1 as $1_computing, with samples of what was computed, in each form.
sampled()
{
	local name=$1_computing form
	"$PROFILES/make_sampled" "$1.scp" "$name.scp"
	"$SCPROF" report --format json -o "$name.json" "$name.scp"
	"$SCPROF" report --format folded --weight computing -o "$name.folded" "$name.scp"
	"$SCPROF" report --format csv --weight computing -o "$name.csv" "$name.scp"
	for form in pprof callgrind speedscope html svg; do
		"$SCPROF" report --format $form -o "$name.$form" "$name.scp"
	done
}

# All tests read the same profiles.
setup_file()
{
	cd "$BATS_FILE_TMPDIR" || return 1
	export SCPROF_SAMPLE=off # samples come at random: make_sampled adds some
	ordinary >/dev/null
	hostile
	interpreted
	displaced
	switched
}

setup()
{
	common_setup
	ln -s "$BATS_FILE_TMPDIR"/*.scp "$BATS_FILE_TMPDIR"/*.json .
}

@test "the hostile names are really in the profile" {
	jq -e '[.sites[].stack[].function] | index("semi;colon 12") != null' hostile.json
	jq -e '[.sites[].stack[].function] | index("line\nbreak \"quoted\", comma\r") != null' hostile.json
	jq -e '[.sites[].symbol | length] | max == 10000' hostile.json
	jq -e '[.sites[].outcome] | unique | length == 6' hostile.json
}

@test "folded: every site, whatever it is weighed by" {
	local p weight
	for p in ordinary hostile; do
		for weight in time calls bytes; do
			"$SCPROF" report --format folded --weight $weight -o $p.folded $p.scp
			python "$CHECK/check_folded.py" $p.folded $p.json $weight
		done
	done
	"$SCPROF" report --format folded -o interpreted.folded interpreted.scp
	python "$CHECK/check_folded.py" interpreted.folded interpreted.json time
	"$SCPROF" report --format folded --weight uncharged -o displaced.folded displaced.scp
	python "$CHECK/check_folded.py" displaced.folded displaced.json uncharged
	[ "$(wc -l <displaced.folded)" = 3 ]
	for weight in on_cpu runnable asleep; do
		"$SCPROF" report --format folded --weight $weight -o switched.folded switched.scp
		python "$CHECK/check_folded.py" switched.folded switched.json $weight
	done
	# 1025 calls of recv slept for 40 us, 3 of connect for 700 us; JSON and this are estimates
	awk '{ sum += $NF } END { exit !(sum > 42.5e6 && sum < 43.6e6) }' switched.folded
	"$SCPROF" report --format folded ordinary.scp | cmp - <("$SCPROF" report --format folded --weight time ordinary.scp)
}

@test "csv: RFC 4180, every field of every site" {
	local p by
	for p in ordinary hostile displaced switched interpreted; do
		for by in path site function; do
			"$SCPROF" report --by $by --format csv -o $p.csv $p.scp
			"$SCPROF" report --by $by --format json -o by.json $p.scp
			python "$CHECK/check_csv.py" $p.csv by.json
		done
	done
	[ "$(grep -c '^=' hostile.csv)" = 0 ]
}

@test "csv: rows of gaps, threads, processes are those of JSON" {
	local by rows
	for by in gap thread process; do
		"$SCPROF" report --by $by --format csv -o by.csv ordinary.scp
		rows=$("$SCPROF" report --by $by --format json ordinary.scp |
			jq "{gap: .gaps, thread: .threads, process: .processes}.$by | length")
		[ "$(($(wc -l <by.csv) - 1))" = "$rows" ]
		[ "$(awk -F, 'NR == 1 { n = NF } NF != n' by.csv | grep -vc '"')" = 0 ]
	done
	head -n 1 by.csv | grep -q '^pid,ppid,processes,exe,'
}

@test "callgrind: its grammar, and costs that add up" {
	local p
	for p in ordinary hostile displaced switched interpreted; do
		"$SCPROF" report --format callgrind -o $p.callgrind $p.scp
		python "$CHECK/check_callgrind.py" $p.callgrind $p.json
	done
}

@test "callgrind: callgrind_annotate reads it" {
	local p total
	command -v callgrind_annotate >/dev/null || skip "no callgrind_annotate"
	for p in ordinary hostile; do
		"$SCPROF" report --format callgrind -o $p.callgrind $p.scp
		callgrind_annotate --auto=no --threshold=100 $p.callgrind >$p.txt 2>$p.err
		cat $p.err
		[ ! -s $p.err ]
		total=$(jq '[.sites[].calls] | add' $p.json)
		tr -d , <$p.txt | grep -E "[( ]$total \(100.0%\).* PROGRAM TOTALS"
	done
	grep -q ':send \[' ordinary.txt
	callgrind_annotate --inclusive=yes --tree=both --auto=no ordinary.callgrind >tree.txt
	grep -q ':main' tree.txt
}

@test "pprof: every reference and every site, by the published schema" {
	local p
	for p in ordinary hostile displaced switched interpreted; do
		"$SCPROF" report --format pprof -o $p.pprof $p.scp
		python "$CHECK/check_pprof.py" $p.pprof $p.json
	done
}

@test "pprof: Google's pprof reads it" {
	local p
	command -v go >/dev/null && go tool pprof -h 2>&1 | grep -q sample_index || skip "no go tool pprof"
	for p in ordinary hostile; do
		"$SCPROF" report --format pprof -o $p.pprof $p.scp
		for index in calls time bytes; do
			go tool pprof -symbolize=none -sample_index=$index -top $p.pprof >$p.$index.txt 2>err.txt
		done
		[ "$(jq '[.sites[].calls] | add' $p.json)" = \
			"$(sed -n 's/.* of \([0-9]*\) total$/\1/p' $p.calls.txt | head -n 1)" ]
	done
	"$SCPROF" report --format pprof -o displaced.pprof displaced.scp
	go tool pprof -symbolize=none -sample_index=uncharged -unit=ns -top displaced.pprof >uncharged.txt 2>err.txt
	# 3.2 us a call at send and recv, 0.25 at write
	[ "$(sed -n 's/.* of \([0-9]*\)ns total$/\1/p' uncharged.txt | head -n 1)" = "$((3200 * (19000 + 18000) + 250 * 17000))" ]
	"$SCPROF" report --format pprof -o switched.pprof switched.scp
	go tool pprof -symbolize=none -sample_index=asleep -unit=ns -top switched.pprof 2>err.txt | grep -q recv
	go tool pprof -symbolize=none -traces ordinary.pprof >traces.txt
	grep -q 'outcome:' traces.txt
	grep -q '(inline)' traces.txt
	grep -q "Build ID: $(readelf -n "$EXAMPLES/echo_pair" | sed -n 's/.*Build ID: //p')" ordinary.calls.txt
	go tool pprof -symbolize=none -sample_index=calls -peek '^send$' ordinary.pprof | grep -q ask_round
}

@test "json: the published schema, and no field beside it" {
	local p by
	"$SCPROF" run -c dual -o dual.scp --no-report -- "$EXAMPLES/echo_pair" 300 100
	"$SCPROF" run --slowest 5 --depth 2 --for 60s -o chosen.scp --no-report -- "$EXAMPLES/echo_pair" 300 100
	for p in ordinary hostile dual chosen interpreted; do
		for by in path site function gap thread process; do
			"$SCPROF" report --by $by --format json -o $p.$by.json $p.scp
		done
	done
	python "$CHECK/check_schema.py" "$SCHEMA" ./*.path.json ./*.site.json ./*.function.json \
		./*.gap.json ./*.thread.json ./*.process.json
	# Each of the parts that are not always there was looked at.
	jq -e '.loops | length > 0 and (.[0].cycles[0].states | length > 0)' ordinary.gap.json
	jq -e '.slowest_asked.count == 5 and (.slowest | length > 0)' chosen.path.json
	jq -e '.filters.depth == ["2"] and .recorded.windows == 1 and .sites[0].path == "limited"' chosen.path.json
	jq -e '[.sites[].histogram] | any(. != null)' ordinary.path.json
	# The check can fail: a field too many, one too few, one of another type.
	jq '.sites[0].novel = 1' ordinary.json >more.json
	jq 'del(.sites[0].calls)' ordinary.json >less.json
	jq '.clock.tick_ns = "1"' ordinary.json >other.json
	for p in more less other; do
		run python "$CHECK/check_schema.py" "$SCHEMA" $p.json
		[ "$status" = 1 ]
	done
}

@test "computing: in each form, as much as JSON says, beside calls that are as they were" {
	local p
	for p in ordinary hostile; do
		sampled $p
		python "$CHECK/check_computing.py" ${p}_computing.{json,folded,pprof,callgrind,speedscope,csv,html}
		"$SCPROF" report --format folded -o $p.folded $p.scp
		"$SCPROF" report --format folded ${p}_computing.scp | cmp - $p.folded
		"$SCPROF" report --format csv -o $p.csv $p.scp
		"$SCPROF" report --format csv ${p}_computing.scp | cmp - $p.csv
		xmllint --noout ${p}_computing.svg || python -c 'import sys, xml.dom.minidom as m; m.parse(sys.argv[1])' ${p}_computing.svg
		grep -q 'width by their time and CPU time outside of them' ${p}_computing.svg
		grep -q ' of it computing</title>' ${p}_computing.svg
	done
	"$SCPROF" report --format csv --weight computing --top 2 ordinary_computing.scp >two.csv
	[ "$(wc -l <two.csv)" = 3 ]
	[ "$(grep -c '^=' hostile_computing.csv)" = 0 ]
}

@test "computing: by function each is one path; pprof and callgrind_annotate read it" {
	sampled ordinary
	"$SCPROF" report --format folded --weight computing --by function -o by.folded ordinary_computing.scp
	[ "$(jq '.computing.rows | length' ordinary_computing.json)" = "$(wc -l <by.folded)" ]
	[ "$(awk '{ n += $NF } END { printf "%.0f", n }' by.folded)" = "$(awk '{ n += $NF } END { printf "%.0f", n }' ordinary_computing.folded)" ]
	if command -v callgrind_annotate >/dev/null; then
		callgrind_annotate --auto=no --show=computing_ns --sort=computing_ns ordinary_computing.callgrind >tree.txt 2>err
		[ ! -s err ]
		tr -d , <tree.txt | grep -E "^ *$(awk '{ n += $NF } END { printf "%.0f", n }' ordinary_computing.folded) \(100.0%\)  PROGRAM TOTALS"
	fi
	if command -v go >/dev/null && go tool pprof -h 2>&1 | grep -q sample_index; then
		go tool pprof -symbolize=none -sample_index=computing -unit=ns -top ordinary_computing.pprof >top.txt 2>err
		[ "$(sed -n 's/.* of \([0-9]*\)ns total$/\1/p' top.txt | head -n 1)" = "$(awk '{ n += $NF } END { printf "%.0f", n }' ordinary_computing.folded)" ]
	fi
}

@test "computing is refused where nothing was sampled" {
	local format
	for format in folded csv; do
		run "$SCPROF" report --format $format --weight computing hostile.scp
		[ "$status" = 1 ]
		[[ $output == *"--sample off"* ]]
	done
}

@test "call paths of gaps are refused, and so are unknown weights" {
	local format
	for format in pprof folded callgrind; do
		run "$SCPROF" report --format $format --by gap ordinary.scp
		[ "$status" = 2 ]
		[[ $output == *"--by path, site or function"* ]]
	done
	run "$SCPROF" report --format folded --weight colour ordinary.scp
	[ "$status" = 2 ]
	[[ $output == *"time, calls, bytes, on_cpu, runnable, asleep, uncharged, computing"* ]]
}

@test "uncharged time is refused where the profile has none" {
	run "$SCPROF" report --format folded --weight uncharged ordinary.scp
	[ "$status" = 1 ]
	[[ $output == *"run --displace"* ]]
	run "$SCPROF" report --format folded --weight uncharged --by function displaced.scp
	[ "$status" = 1 ]
	[[ $output == *"--by path"* ]]
}

@test "the time of states is refused where the profile has none" {
	run "$SCPROF" report --format folded --weight asleep hostile.scp
	[ "$status" = 1 ]
	[[ $output == *"--states off"* ]]
}

@test "a terminal gets no binary format" {
	script -qec "'$SCPROF' report --format pprof ordinary.scp; echo status=\$?" typescript >out.txt </dev/null
	grep -q 'not for a terminal' out.txt
	grep -q 'status=2' out.txt
}

@test "equal profiles give equal bytes" {
	local format
	for format in json html folded csv callgrind pprof; do
		"$SCPROF" report --format $format -o one ordinary.scp
		"$SCPROF" report --format $format -o two ordinary.scp
		cmp one two
	done
}

@test "an output that fills up is status 1 in every format" {
	local format
	for format in json html folded csv callgrind pprof; do
		run "$SCPROF" report --format $format -o /dev/full hostile.scp
		[ "$status" = 1 ]
		[[ $output == *"No space left"* ]]
	done
}
