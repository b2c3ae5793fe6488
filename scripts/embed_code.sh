#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The machine code of an object file as data: the section .scprof_early of another object file.
# It will be copied to places that no linker sees, so it may have neither relocations nor data.
# Usage: scripts/embed_code.sh OBJECT RESULT OBJCOPY
set -euo pipefail
usage='usage: scripts/embed_code.sh OBJECT RESULT OBJCOPY'
object=${1:?$usage} result=${2:?$usage} objcopy=${3:?$usage}

if readelf -rW "$object" | grep -q 'R_'; then
	echo "embed_code: $object has relocations:" >&2
	readelf -rW "$object" >&2
	exit 1
fi
extra=$(readelf -SW "$object" | sed 's/^ *\[ *[0-9]*\] //' |
	awk '$7 ~ /A/ && $1 != ".text" && $1 != ".note.gnu.property" && $5 !~ /^0+$/ { print $1 }')
if [ -n "$extra" ]; then
	echo "embed_code: $object has data: ${extra//$'\n'/ }" >&2
	exit 1
fi
"$objcopy" --rename-section .text=.scprof_early,alloc,load,readonly,data,contents "$object" "$result"
