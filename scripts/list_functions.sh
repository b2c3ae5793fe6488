#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The table of recorded functions in docs/functions.md, made from
# preload/function/wrappers.def so that it cannot differ. Usage:
# scripts/list_functions.sh [--write | --check]; without, to standard output.
# shellcheck disable=SC2016 # backquotes are of Markdown, $1 is of awk
set -eu
cd "$(dirname "$0")/.."
document=docs/functions.md

# One line a function: name, groups that always record it, groups for sockets.
functions()
{
	printf '%s\n' '#define SCP_WRAP(type, symbol, name, always, sockets, ...) @ name / always / sockets' \
		'#define SCP_SYSCALL(name, always, ...) @ name / always / 0' \
		'#define SCP_HOOK(symbol)' '#include "preload/function/wrappers.def"' |
		cpp -P -I. - | grep -o '@ [^@]*' | tr -d ' @' | grep . | awk '!seen[$0]++'
}

# row GROUP, then the filter of awk on its two columns of groups
row()
{
	local names
	names=$(functions | awk -F/ -v group="$2" "$3"' { printf "%s`%s`", n++ ? ", " : "", $1 }')
	printf '| %s | %s |\n' "$1" "$names"
}

table()
{
	local group
	echo '| group | functions |'
	echo '|---|---|'
	for group in SOCKET IO WAIT RESOLVE; do
		row "\`${group,,}\`" $group '$2 ~ group'
	done
	row '`socket`, when the descriptor is a socket' SOCKET '$3 ~ group'
}

updated()
{
	local line inside=
	while IFS= read -r line; do
		case $line in
		'<!-- functions: end -->') inside= ;;
		esac
		[ -n "$inside" ] || printf '%s\n' "$line"
		case $line in
		'<!-- functions: begin'*)
			inside=1
			table
			;;
		esac
	done <"$document"
}

case ${1-} in
--write)
	updated >"$document.new"
	mv "$document.new" "$document"
	;;
--check)
	updated | diff "$document" - || {
		echo "$document is not what preload/function/wrappers.def says: run scripts/list_functions.sh --write"
		exit 1
	}
	;;
*) table ;;
esac
