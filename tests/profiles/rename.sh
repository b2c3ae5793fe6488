#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# rename.sh CC SOURCE OUT: the library of SOURCE with hostile names for its symbols.
set -eu
cc=$1 source=$2 out=$3
long=$(printf 'long;%09995d' 0)
names=(
	'semi;colon 12'
	$'line\nbreak "quoted", comma\r'
	'<img src=x onerror=alert(1)>'
	$'broken \xff\xc3( utf'
	"$long"
	'=HYPERLINK("x")'
	$'\e[31mred\a'
)
"$cc" -c -o "$out.o" "$source"
arguments=()
for i in "${!names[@]}"; do
	arguments+=(--redefine-sym "hostile_$i=${names[$i]}")
done
objcopy "${arguments[@]}" "$out.o"
"$cc" -shared -nostdlib -o "$out" "$out.o"
rm "$out.o"
