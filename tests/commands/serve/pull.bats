#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# What `scprof serve` answers to pprof clients: read by Google's library and tool, and compared with
# what the ingesters of Parca and Pyroscope ask. `make check-long` installs Go for it.

load ../common
load serve

SLEEPER=$PROGRAMS/sleeper

setup()
{
	common_setup
	BACKGROUND=() WINDOWS=() AGENT=
	command -v go >/dev/null || skip 'go is not installed'
	export GOCACHE=$BUILD/go-cache GO111MODULE=off GOPATH=/usr/share/gocode GOFLAGS=
}

teardown()
{
	end_background
}

@test "windows pulled over HTTP are valid, merge, and add up to the report" {
	[ -d /usr/share/gocode/src/github.com/google/pprof/profile ] || skip "no golang-github-google-pprof-dev"
	go build -o pull "$BATS_TEST_DIRNAME/pull.go"
	with_library "$SLEEPER" 0 200 3 >/dev/null
	start_agent out
	./pull "$URL" >sums
	"$SCPROF" report --format json --include-warm-up -o report.json out/*.scp
	[ "$(awk '$1 == "calls" { print $2 }' sums)" = "$(jq '[.sites[].calls] | add' report.json)" ]
	[ "$(awk '$1 == "bytes" { print $2 }' sums)" = "$(jq '[.sites[].bytes // 0] | add' report.json)" ]
	# rounded site by site
	jq -e --argjson have "$(awk '$1 == "time" { print $2 }' sums)" \
		'([.sites[] | [.total_ns, 0] | max] | add) - $have | fabs < 100' report.json
	background "$SLEEPER" 20
	await eval '[ "$(metric "calls_total.*\"send\".*completed")" -gt 600 ]' # the first one's
	./pull "$URL" 0.3 0.3 >sums
}

@test "a frame that nobody can name is called by its place: Pyroscope leaves out what has no name" {
	[ -d /usr/share/gocode/src/github.com/google/pprof/profile ] || skip "no golang-github-google-pprof-dev"
	go build -o pull "$BATS_TEST_DIRNAME/pull.go"
	"$PROFILES/make_profile" paths 20 out/scprof.server.1.scp
	start_agent out
	./pull "$URL" >sums
	[ "$(awk '$1 == "calls" { print $2 }' sums)" -gt 0 ]
}

@test "go tool pprof fetches a window" {
	background "$SLEEPER" 20
	start_agent out
	await eval '[ "$(metric "calls_total.*\"send\".*completed")" -gt 0 ]'
	PPROF_TMPDIR=$T go tool pprof -symbolize=none -sample_index=calls -top "$URL/debug/pprof/profile?seconds=0.3" >top.txt 2>err.txt
	grep -q '^Duration: 300ms, Total samples = [1-9]' top.txt
	grep -q ' send$' top.txt
}
