#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Makes one page of its pieces: assemble.sh OUT PAGE.html FILE.css... FILE.js... writes OUT.head,
# all up to the data (of a page without scripts: up to its body), and OUT.tail, all after it. Styles and scripts are allowed by their hashes
# and nothing else is, whatever a profile's names contain. Only tools of coreutils, and awk.
set -eu

out=$1 page=$2
shift 2
: >"$out.css"
: >"$out.js"
for file; do
	case $file in
	*.css) cat "$file" >>"$out.css" ;;
	*.js) cat "$file" >>"$out.js" ;;
	esac
done

# hash FILE: as a policy names it, sha256 in base64.
hash()
{
	octets=$(sha256sum <"$1" | cut -c1-64 | sed 's/../\\x&/g')
	env printf %b "$octets" | base64
}
if grep -qi '</s\(cript\|tyle\)' "$out.css" "$out.js"; then
	echo 'assemble.sh: </script or </style within a piece would end its element' >&2
	exit 1
fi

awk -v style="$(hash "$out.css")" -v script="$(hash "$out.js")" \
	-v css="$out.css" -v js="$out.js" -v head="$out.head" -v tail="$out.tail" '
	function insert(file, line) {
		while ((getline line <file) > 0)
			print line >to
		close(file)
	}
	# What stands around an inserted file must not add to it: the hash is of all between the tags.
	BEGIN { to = head }
	/@STYLE@/ { printf "<style>" >to; insert(css); print "</style>" >to; next }
	/@SCRIPT@/ { printf "<script>" >to; insert(js); print "</script>" >to; next }
	/@DATA@/ { printf "<script type=\"application/json\" id=\"data\">" >head
		to = tail; printf "</script>\n" >to; next }
	/@BODY@/ { to = tail; next }
	{ gsub(/@STYLE_HASH@/, "sha256-" style); gsub(/@SCRIPT_HASH@/, "sha256-" script); print >to }
' "$page"
