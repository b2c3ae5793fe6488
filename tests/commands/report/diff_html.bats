#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# `scprof diff --format html` in a real browser: says what the JSON says, moves both sides together, and
# takes names for text. tests/browser/check_diff.py has the checks.
# about 12 s

load ../common
load thirty

MAKE_PROFILE=$PROFILES/make_profile

# page NAME ARGUMENT...: NAME.html and NAME.json of one comparison.
page()
{
	local name=$1
	shift
	"$SCPROF" diff -o "$name.html" "$@" || [ $? -le 2 ]
	"$SCPROF" diff -o "$name.json" "$@" || [ $? -le 2 ]
}

setup_file()
{
	local run
	cd "$BATS_FILE_TMPDIR" || return 1
	"$MAKE_PROFILE" paths 300 some.scp
	"$MAKE_PROFILE" paths 200 fewer.scp
	"$MAKE_PROFILE" paths 20000 many.scp
	"$MAKE_PROFILE" paths 0 none.scp
	"$MAKE_PROFILE" hostile hostile.scp
	for run in 1 2 3; do
		thirty "base$run"
		thirty "new$run" 4 400
	done
	page slower base1.scp base2.scp base3.scp -- new1.scp new2.scp new3.scp
	page gone --sites all some.scp fewer.scp
	page new --sites all fewer.scp some.scp
	"$SCPROF" diff -o many.html many.scp many.scp || [ $? -le 2 ]
	page none none.scp none.scp
	page hostile hostile.scp hostile.scp
	mkdir found
	# the same again on another page, which `make check-long` does
	local again=(diff_quiet:gone.html diff_quiet:many.html diff_says:new.html:new.json diff_boxes:new.html diff_filters:slower.html
		diff_looks:gone.html)
	[ -n "${LONG:-}" ] || again=()
	if has_browser; then
		PYTHONPATH=$ROOT/tests/browser LIMIT=1500 limited python3 "$ROOT/tests/browser/check_page.py" found \
			"${again[@]}" diff_quiet:slower.html diff_quiet:none.html policy:gone.html \
			diff_says:slower.html:slower.json diff_says:gone.html:gone.json \
			diff_pair:slower.html diff_boxes:slower.html diff_boxes:gone.html \
			diff_filters:gone.html diff_scale:slower.html diff_hostile:hostile.html diff_many:many.html \
			diff_looks:slower.html </dev/null 3>&- 4>&-
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

# also CHECK-PAGE...: holds, where it was done again.
also()
{
	[ -z "${LONG:-}" ] || holds "$@"
}

# holds CHECK-PAGE...: the browser ran these, and found nothing wrong.
holds()
{
	local check
	has_browser || skip "no Chromium here: scripts/setup.sh installs it"
	for check; do
		[ -e "found/$check.html" ] || {
			echo "$check did not run"
			return 1
		}
		[ ! -s "found/$check.html" ] || {
			echo "$check: $(cat "found/$check.html")"
			return 1
		}
	done
}

@test "the page of a comparison loads without a word, lets nothing run, takes names for text, fits every window" {
	holds diff_quiet-slower diff_quiet-none policy-gone diff_hostile-hostile diff_many-many diff_looks-slower
	also diff_quiet-gone diff_quiet-many diff_looks-gone
}

@test "it says what the JSON says; flame graphs have one scale and move together, verdicts and words choose rows" {
	holds diff_says-slower diff_says-gone diff_pair-slower diff_boxes-slower diff_boxes-gone diff_filters-gone \
		diff_scale-slower
	also diff_says-new diff_boxes-new diff_filters-slower
}

@test "the name of the file says the format, unless --format does" {
	grep -q '^<!doctype html>' slower.html
	jq -e '.schema == "scprof-diff/1"' slower.json
	run "$SCPROF" diff -o any.txt some.scp some.scp
	[ "$status" = 2 ]
	[[ "${#lines[@]} $output" == "1 scprof diff: nothing could be compared"* ]]
	grep -q "^nothing could be compared" any.txt
	"$SCPROF" diff --format json -o any.html some.scp some.scp || [ $? = 2 ]
	jq -e . any.html >/dev/null
	run "$SCPROF" diff -o any.svg some.scp some.scp
	[ "$status" = 2 ]
	[ "${#lines[@]}" = 1 ]
	[[ $output == *".txt, .json and .html"* ]]
	[ ! -e any.svg ]
}

@test "--top makes the page smaller, and it says so" {
	"$SCPROF" diff --top 3 -o three.html many.scp many.scp || [ $? = 2 ]
	[ "$(sed -n '/id="data">/,/^<\/script>/ { s/.*id="data">//; /^<\/script>/d; p }' three.html | jq -c '[.rows, (.sites | length) / (.site_fields | length)]')" = "[20000,3]" ]
	[ "$(stat -c %s three.html)" -lt 300000 ]
}
