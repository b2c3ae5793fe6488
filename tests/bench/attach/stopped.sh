#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# How long a thread is held up: stopped.sh SCPROF PROGRAMS TIMES [PREFIX...]. PROGRAMS python3 with 5
# threads are attached to TIMES times each. PREFIX, such as chrt -f 1, is put before both commands.
# Prints the sorted milliseconds of the first times (which open the library) and of the later ones.
set -eu
scprof=$1 programs=$2 times=$3
shift 3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
for _ in $(seq "$programs"); do
	"$@" python3 -c '
import threading, time
for i in range(4):
    threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
open("begun", "w").close()
time.sleep(600)' &
	pid=$!
	until [ -e begun ]; do sleep 0.05; done
	rm begun
	to=first
	for _ in $(seq "$times"); do
		"$@" timeout 60 "$scprof" attach --for 0.05s -o run.json "$pid" >messages 2>&1 || cat messages
		python3 -c 'import json; print(json.load(open("run.json"))["attach"]["stopped_ms"])' >>$to
		to=later
	done
	kill "$pid"
	wait "$pid" 2>/dev/null || true
done
for file in first later; do
	echo "$file: $(sort -n $file | tr '\n' ' ')"
done
