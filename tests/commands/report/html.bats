#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# `scprof report --format html` in a real browser: loads quietly, searches, zooms, sorts, says
# what the text says, and takes names for text. tests/browser/check_page.py has the checks.
# about 11 s

load ../common

MAKE_PROFILE=$PROFILES/make_profile

# with_data DATA PAGE: the page with other data.
with_data()
{
	awk 'FNR == NR { data = $0; next } /id="data">/ { sub(/id="data">.*/, "id=\"data\">"); print $0 data; skip = 1; next }
		skip && /^<\/script>/ { skip = 0 } !skip' "$1" "$2"
}

# Pages of a real program and of made profiles; and one browser for all checks.
setup_file()
{
	local name
	cd "$BATS_FILE_TMPDIR" || return 1
	export SCPROF_SAMPLE=off # samples come at random: make_sampled adds some
	"$SCPROF" run -c tsc -o real.scp --no-report -- "$EXAMPLES/echo_pair" 3000 100 >/dev/null 2>&1
	"$MAKE_PROFILE" paths 300 some.scp
	"$MAKE_PROFILE" paths 20000 many.scp
	"$MAKE_PROFILE" paths 0 none.scp
	"$MAKE_PROFILE" hostile hostile.scp
	"$MAKE_PROFILE" displaced 99 displaced.scp
	"$MAKE_PROFILE" ticks ticks.scp
	"$PROFILES/make_states" rseq switched.scp
	"$PROFILES/make_sampled" real.scp computing.scp
	"$PROFILES/make_sampled" hostile.scp evil.scp
	for name in real some many none hostile displaced ticks switched computing evil; do
		"$SCPROF" report --format html -o "$name.html" "$name.scp"
		[ $name = many ] || COLUMNS=400 LC_ALL=C.UTF-8 "$SCPROF" report --full --top 0 --frames 0 "$name.scp" >"$name.txt"
	done
	"$SCPROF" report --format html --by gap -o loop.html real.scp
	COLUMNS=400 LC_ALL=C.UTF-8 "$SCPROF" report --full --by gap real.scp >loop.txt
	# so few calls that hardly any row meets a tick of 4 ms
	SCPROF_CLOCK=dual "$SCPROF" run -o dual.scp --no-report -- "$EXAMPLES/echo_pair" 1 10 >/dev/null 2>&1
	"$SCPROF" report --format html -o dual.html dual.scp
	COLUMNS=400 LC_ALL=C.UTF-8 "$SCPROF" report --full --top 0 --frames 0 dual.scp >dual.txt
	# numbers that can be checked on paper, texts that would be markup
	# rows of two programs, in turn
	data_of real.html | jq -c '(.site_fields | length) as $n | .programs = {of: 2, fields: ["name", "exe", "processes", "wall", "cpu", "threads", "calls", "time", "waiting", "rows"],
			rows: [(.strings | length), -1, 1, 1, 1, 1, 1, 1, 0, 1, (.strings | length) + 1, -1, 1, 1, 1, 1, 1, 1, 0, 1]}
		| .strings += ["first <u>", "second"] | .site_fields += ["program"]
		| .sites |= [range(0; length / $n) as $i | .[$i * $n:($i + 1) * $n][], $i % 2]' >two.data
	with_data two.data real.html >two-programs.html
	data_of displaced.html | jq -c '.displaced = {uncharged: [250e6, 200e6, 300e6, 0.5], confidence: "95 %", sentence: "a quarter <img src=x>",
		parts: .displaced.parts, warnings: ["careful <u>"],
		cpus: [[0, 1e9, 500e6, 0.5, 250e6, 0.25, 125e6, 0.125, 0, 0, 62500000, 0.0625, 0, 0, 62500000, 0.0625, 0, 0],
			[1, 1e9, 510e6, 0.51, -10e6, -0.01, 0, 0, 0, 0, 0, 0, 250e6, 0.25, 250e6, 0.25, 0, 0]]}' >account.data
	with_data account.data displaced.html >account.html
	# the longest sentence that stands beside the bar
	data_of real.html | jq -c '.threads_time.mostly = "kept from its CPUs" | .verdict = "the machine is overloaded, or a CPU quota used up: "
		+ "12.03 threads wanted a CPU and 1.17 had one; look at CPU time (--sort cpu)"' >busy.data
	with_data busy.data real.html >busy.html
	mkdir found
	# the same again on another page, which `make check-long` does
	local again=(quiet:many.html search:some.html:so.1+0x3 search:real.html:send zoom:real.html numbers:some.html:some.txt
		reaches:some.html:EPOLL header:some.html totals:some.html scale:real.html)
	[ -n "${LONG:-}" ] || again=()
	if has_browser; then
		PYTHONPATH=$ROOT/tests/browser LIMIT=1500 limited python3 "$ROOT/tests/browser/check_page.py" found \
			"${again[@]}" quiet:real.html quiet:none.html policy:some.html search:some.html:EPOLL \
			zoom:some.html sort:some.html filters:some.html hostile:hostile.html \
			numbers:real.html:real.txt many:many.html loops:loop.html:loop.txt displaced:account.html costs:displaced.html:displaced.txt slow:dual.html:dual.txt slow:ticks.html:ticks.txt \
			looks:real.html axis:real.html reaches:real.html:send columns:real.html contrast:real.html:send \
			order:real.html states:switched.html:switched.txt numbers:switched.html:switched.txt unknown_states:some.html \
			header:real.html header:busy.html apart:some.html totals:real.html scale:some.html programs:real.html programs:two-programs.html \
			computing:computing.html:computing.txt without_computing:real.html hostile_computing:evil.html zoom:computing.html </dev/null 3>&- 4>&-
	fi
}

setup()
{
	common_setup
	cd "$BATS_FILE_TMPDIR" || return 1
}

has_browser()
{
	command -v chromium >/dev/null || command -v chromium-browser >/dev/null
}

# data_of PAGE: the JSON in it.
data_of()
{
	sed -n '/id="data">/,/^<\/script>/ { s/.*id="data">//; /^<\/script>/d; p }' "$1"
}

# also CHECK-PAGE...: holds, where it was done again.
also()
{
	[ -z "${LONG:-}" ] || holds "$@"
}

# holds CHECK-PAGE...: the browser ran these, and found nothing wrong.
holds()
{
	local check bad=0
	has_browser || skip "no Chromium here: scripts/setup.sh installs it"
	for check; do
		if [ ! -e "found/$check.html" ]; then
			echo "$check did not run"
			bad=1
		elif [ -s "found/$check.html" ]; then
			echo "$check: $(cat "found/$check.html")"
			bad=1
		fi
	done
	return $bad
}

@test "pages load without a word, ask for nothing, let nothing load or run, and take names for text" {
	holds quiet-real quiet-none policy-some hostile-hostile hostile_computing-evil
	also quiet-many
}

@test "search, zoom, order, filters; what was found, each column and any number of rows come into the window" {
	holds search-some zoom-some sort-some filters-some programs-real programs-two-programs zoom-computing many-many \
		looks-real reaches-real columns-real
	also search-real zoom-real reaches-some
}

@test "pages say what the text says: rows, slow clocks, loops, where time went, what was computed, accounts" {
	holds numbers-real numbers-switched slow-dual slow-ticks loops-loop states-switched computing-computing \
		without_computing-real unknown_states-some displaced-account costs-displaced order-real
	also numbers-some
}

@test "header, halves, boxes, intervals and histograms: one scale, nothing in the way, words whole and legible" {
	holds header-real header-busy apart-some totals-real scale-some axis-real contrast-real
	also header-some totals-some scale-real
}

@test "of several runs' accounts none is shown, and that is said" {
	"$MAKE_PROFILE" displaced 100 second.scp
	"$SCPROF" report --format html -o two.html displaced.scp second.scp
	data_of two.html >two.json
	jq -e '.displaced == null and (.warnings | map(.[0]) | index("site-costs-apart") != null)' two.json
	data_of displaced.html | jq -e '.displaced.cpus | length == 3'
}

# lacks PAGE PATTERN: no byte of the page matches.
lacks()
{
	if LC_ALL=C grep -aoP "$2" "$1"; then
		return 1
	fi
}

@test "a page is one file without an address in it" {
	local name
	for name in real hostile; do
		lacks "$name.html" '(src|href)="?(https?:)?//[^" ]*|@import|url\('
	done
	[ "$(grep -ac '<script' hostile.html)" = 2 ]
	[ "$(grep -ac '</script' hostile.html)" = 2 ]
	lacks hostile.html '\xe2\x80\xae|\x1b'
}

@test "a page is the same each time, and valid JSON lies in it" {
	"$SCPROF" report --format html -o again.html some.scp
	cmp some.html again.html
	data_of hostile.html >data.json
	jq -e '.schema == "scprof-html/1" and (.sites | length) == 6 * (.site_fields | length)' data.json
}

@test "boxes add up, and a box of several rows has the mean of their calls" {
	data_of some.html >data.json
	"$SCPROF" report --format json some.scp >report.json
	jq -e --slurpfile r report.json '[.sums[0:(.sum_fields | length)], .sum_fields] | transpose
		| map({(.[1]): .[0]}) | add | ($r[0].sites | map(.calls) | add) as $calls
		| ($r[0].sites | map(.mean_ns * .calls) | add) as $time
		| .calls == $calls and .rows == 300 and (.value / $time - 1 | fabs) < 1e-6
		and (.mean / ($time / $calls) - 1 | fabs) < 1e-6 and .low == null and .high == null' data.json
}

@test "histograms hold all calls of their rows, in JSON and in the page" {
	"$SCPROF" report --format json real.scp >report.json
	jq -e '[.sites[] | select(.histogram) | (.histogram.calls | add) == .calls
		and .histogram.from_ns == (.histogram.from_ns | sort) and .histogram.to_ns[-1] >= .max_ns]
		| length > 5 and all' report.json
	data_of real.html >data.json
	# a row's bars: bucket, calls, height of each
	jq -e --slurpfile r report.json '[.latencies[] | [.[0], .[-1]] | (.[1] | length) % 3 == 0
		and ([.[1] as $b | range(1; $b | length; 3) | $b[.]] | add) == $r[0].sites[.[0]].calls
		and ([.[1] as $b | range(2; $b | length; 3) | $b[.]] | max) == 1] | length > 5 and all' data.json
}
