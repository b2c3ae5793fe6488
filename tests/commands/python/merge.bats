#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Python frames of several processes: equal lines are one, whatever ids the files gave them.

load ../common

DUMP=$BUILD/tests/profiles/dump_paths

setup()
{
	common_setup
	"$BUILD/tests/profiles/make_python" first.scp second.scp
}

# Without the entries' numbers and processes.
paths()
{
	"$DUMP" "$@" | sed 's/^entry\t[0-9]*\t[0-9]*/entry/'
}

@test "python merge 01: a merged file has the paths of both, and is read again as it was" {
	"$SCPROF" merge -o merged.scp first.scp second.scp
	diff <(paths first.scp second.scp) <(paths merged.scp)
	"$SCPROF" merge -o again.scp merged.scp
	diff <("$DUMP" merged.scp) <("$DUMP" again.scp)
}
