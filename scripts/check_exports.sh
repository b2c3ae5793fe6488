#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What libscprof.so exports is exactly what it means to interpose: the names in
# preload/function/wrappers.def. One name more would change how the target links.
# Usage: scripts/check_exports.sh LIBRARY
set -euo pipefail
library=${1:?usage: scripts/check_exports.sh LIBRARY}
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The list, by the preprocessor, as the library itself is made from it.
cat >"$work/names.c" <<-'C'
	#define SCP_WRAP(ret, name, ...) WRAPPED name
	#define SCP_HOOK(name) WRAPPED name
	#define SCP_SERVE(name) WRAPPED name
	#include "preload/function/wrappers.def"
C
cc -E -P -I. "$work/names.c" |
	grep -oE 'WRAPPED [A-Za-z0-9_]+' | cut -d' ' -f2 | sort -u >"$work/intended"
nm -D --defined-only "$library" | awk '{ sub(/@.*/, "", $3); print $3 }' | sort -u >"$work/exported"
if [ ! -s "$work/intended" ]; then
	echo "check_exports: no names found in preload/function/wrappers.def" >&2
	exit 1
fi
if ! diff "$work/intended" "$work/exported" >"$work/diff"; then
	echo "check_exports: < should be exported, > should not" >&2
	cat "$work/diff" >&2
	exit 1
fi
