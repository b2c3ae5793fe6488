#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Fuzzes the profile reader with AFL++ for a bounded time, from real profiles.
# Usage: scripts/fuzz.sh BUILD SECONDS. Exit status: 0 nothing found, 1 crashes.
set -euo pipefail
build=${1:?usage: scripts/fuzz.sh BUILD SECONDS} seconds=${2:-60}
work=$build/fuzz/work
rm -rf "$work"
mkdir -p "$work/seeds" "$work/found"
LD_PRELOAD=$(realpath "$build/libscprof.so") SCPROF_OUT=$(realpath "$work/seeds") \
	"$build/examples/echo_pair" 20 100 >/dev/null
AFL_SKIP_CPUFREQ=1 AFL_NO_UI=1 AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=1 AFL_NO_AFFINITY=1 \
	timeout -k 10 $((seconds + 60)) afl-fuzz -V "$seconds" -t 5000 -m none \
	-i "$work/seeds" -o "$work/found" -- "$build/fuzz/tests/fuzz/replay" @@ >"$work/log" 2>&1 || {
	tail -n 20 "$work/log" >&2
	exit 1
}
crashes=$(find "$work/found" -path '*crashes*' -name 'id*' | wc -l)
hangs=$(find "$work/found" -path '*hangs*' -name 'id*' | wc -l)
runs=$(sed -n 's/^execs_done *: //p' "$work/found/default/fuzzer_stats")
echo "fuzz: $runs runs, $crashes crashes, $hangs hangs; kept in $work/found"
[ "$crashes" = 0 ] && [ "$hangs" = 0 ]
