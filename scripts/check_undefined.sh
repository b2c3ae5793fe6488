#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What libscprof.so takes from elsewhere is on scripts/undefined.allow, and it
# needs no library but libc: no malloc, no stdio, no unwinder comes with it.
# Usage: scripts/check_undefined.sh LIBRARY
set -euo pipefail
library=${1:?usage: scripts/check_undefined.sh LIBRARY}
allowed=$(dirname "$0")/undefined.allow
bad=0

extra=$(nm -D --undefined-only "$library" | awk '{ sub(/@.*/, "", $NF); print $NF }' | sort -u |
	comm -23 - <(grep -vE '^(#|$)' "$allowed" | sort -u))
if [ -n "$extra" ]; then
	echo "check_undefined: not on scripts/undefined.allow: ${extra//$'\n'/ }" >&2
	bad=1
fi
libraries=$(readelf -d "$library" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' |
	grep -vE '^(libc\.so\.6|ld-linux-.*)$' || true)
if [ -n "$libraries" ]; then
	echo "check_undefined: needs libraries besides libc: ${libraries//$'\n'/ }" >&2
	bad=1
fi
exit $bad
