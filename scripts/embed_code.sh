#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The machine code of an object file as the elements of a C array, on standard output. It will
# be copied to places that no linker sees, so it may have neither relocations nor data.
# Usage: scripts/embed_code.sh OBJECT
set -euo pipefail
object=${1:?usage: scripts/embed_code.sh OBJECT}

if readelf -rW "$object" | grep -q 'R_'; then
	echo "embed_code: $object has relocations:" >&2
	readelf -rW "$object" >&2
	exit 1
fi
extra=$(readelf -SW "$object" | sed 's/^ *\[ *[0-9]*\] //' |
	awk '$7 ~ /A/ && $1 != ".text" && $5 !~ /^0+$/ { print $1 }')
if [ -n "$extra" ]; then
	echo "embed_code: $object has data: ${extra//$'\n'/ }" >&2
	exit 1
fi
code=$(mktemp)
trap 'rm -f "$code"' EXIT
objcopy -O binary -j .text "$object" "$code"
od -An -v -tx1 "$code" | sed 's/ \([0-9a-f][0-9a-f]\)/0x\1,/g'
