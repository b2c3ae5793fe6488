#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# `scprof report --format html` in a real browser: loads quietly, searches, zooms, sorts, says
# what the text says, and takes names for text. tests/browser/check_page.py has the checks.

load common

MAKE_PROFILE=$BUILD/tests/unit/make_profile

# Pages of a real program and of made profiles; and one browser for all checks.
setup_file()
{
	local name
	cd "$BATS_FILE_TMPDIR" || return 1
	"$SCPROF" run -c tsc -o real.scp --no-report -- "$EXAMPLES/echo_pair" 3000 100 >/dev/null 2>&1
	"$MAKE_PROFILE" paths 300 some.scp
	"$MAKE_PROFILE" paths 20000 many.scp
	"$MAKE_PROFILE" hostile hostile.scp
	for name in real some many hostile; do
		"$SCPROF" report --format html -o "$name.html" "$name.scp"
		COLUMNS=400 LC_ALL=C.UTF-8 "$SCPROF" report --top 0 --frames 0 "$name.scp" >"$name.txt"
	done
	"$SCPROF" report --format html --by gap -o loop.html real.scp
	COLUMNS=400 LC_ALL=C.UTF-8 "$SCPROF" report --by gap real.scp >loop.txt
	mkdir found
	if has_browser; then
		PYTHONPATH=$BATS_TEST_DIRNAME/../browser timeout -k 5 200 python3 "$BATS_TEST_DIRNAME/../browser/check_page.py" found \
			quiet:real.html quiet:many.html policy:some.html search:some.html:EPOLL search:some.html:so.1+0x3 search:real.html:send \
			zoom:some.html zoom:real.html sort:some.html filters:some.html hostile:hostile.html \
			numbers:real.html:real.txt numbers:some.html:some.txt many:many.html loops:loop.html:loop.txt looks:real.html </dev/null 3>&- 4>&-
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

@test "a page loads without a word on the console, and asks for nothing" {
	holds quiet-real quiet-many
}

@test "its policy lets nothing in a page load or run" {
	holds policy-some
}

@test "search finds rows and boxes, and forgets" {
	holds search-some search-real
}

@test "a click or a key zooms, and there is a way back" {
	holds zoom-some zoom-real
}

@test "the table sorts both ways" {
	holds sort-some
}

@test "the table can be filtered" {
	holds filters-some
}

@test "names are text, whatever they contain" {
	holds hostile-hostile
}

@test "rows say what the text report says" {
	holds numbers-real numbers-some
}

@test "loops say what the text report says" {
	holds loops-loop
}

@test "of very many paths only those in sight become elements" {
	holds many-many
}

@test "light, dark, narrow, wide, paper" {
	holds looks-real
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
		and (.mean / ($time / $calls) - 1 | fabs) < 1e-6 and .low < .mean and .mean < .high' data.json
}
