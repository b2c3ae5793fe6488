#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Other projects' own test suites, without and with the library: the verdict on
# every single test must be the same. Takes minutes.
#   CPython: test_socket, test_select, test_threading, test_subprocess, test_signal, test_multiprocessing_fork
#   Tcl:     the socket, event and channel suites, from Debian's source package
#   Perl:    the core's IO::Socket tests, where they are installed
# Usage: scripts/third_party_suites.sh BUILD [PATTERN], PATTERN of suites to run,
# such as 'tcl-*'. Ends with "N passed, N failed".
set -uo pipefail
build=$(realpath "${1:?usage: scripts/third_party_suites.sh BUILD}")
"$(dirname "$0")/setup.sh" --tests --long || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
only=${2:-*}
passed=0 failed=0

# both NAME FILTER COMMAND...: FILTER makes the verdicts from the output.
both()
{
	local name=$1 filter=$2
	shift 2
	# shellcheck disable=SC2053 # a pattern is meant
	[[ $name == $only ]] || return 0
	mkdir -p "$work/$name"
	(cd "$work/$name" && timeout -k 10 900 "$@") </dev/null >"$work/$name.plain" 2>&1
	echo "status $?" >>"$work/$name.plain"
	mkdir -p "$work/$name.profiles"
	(cd "$work/$name" && LD_PRELOAD=$build/libscprof.so SCPROF_OUT=$work/$name.profiles \
		SCPROF_GROUPS=all timeout -k 10 900 "$@") </dev/null >"$work/$name.preload" 2>&1
	echo "status $?" >>"$work/$name.preload"
	"$filter" <"$work/$name.plain" >"$work/$name.plain.verdicts"
	"$filter" <"$work/$name.preload" >"$work/$name.preload.verdicts"
	judge "$name"
}

judge()
{
	local name=$1 tests profiles unreadable=0 file
	tests=$(wc -l <"$work/$name.plain.verdicts")
	profiles=0
	while read -r file; do
		profiles=$((profiles + 1))
		"$build/scprof" report --format json "$file" >/dev/null 2>"$work/message" || {
			unreadable=$((unreadable + 1))
			cat "$work/message"
		}
	done < <(find "$work/$name.profiles" -name '*.scp' | head -n 200)
	if diff "$work/$name.plain.verdicts" "$work/$name.preload.verdicts" && [ "$unreadable" = 0 ] &&
		[ "$tests" -gt 5 ] && [ "$profiles" -gt 0 ]; then
		echo "ok   $name: $tests verdicts the same; $profiles profiles read"
		passed=$((passed + 1))
	else
		echo "FAIL $name: $tests verdicts, $profiles profiles, $unreadable of them unreadable"
		tail -n 5 "$work/$name.preload"
		failed=$((failed + 1))
	fi
}

# "test_x (test.test_socket.Y.test_x) ... ok", which another test's own output
# may have torn apart: the last word of each test counts.
python_verdicts()
{
	awk '/^test[A-Za-z0-9_]* \(/ { name = $1 " " $2 }
		match($0, /(ok|FAIL|ERROR|skipped .*|expected failure)$/) && name != "" {
			print name, substr($0, RSTART); name = "" }
		/^status/ { print }' | sed -E 's/skipped.*/skipped/' | sort
}

tap_verdicts()
{
	sed -nE 's/^(ok|not ok) ([0-9]+).*/\1 \2/p; /^status/p'
}

tcl_verdicts()
{
	grep -E '^(\+\+\+\+ |==== .* (FAILED|SKIPPED)|status)' | sort
}

# VSOCK talks to a virtual machine's host, which may never answer.
for suite in test_socket test_select test_threading test_subprocess test_signal test_multiprocessing_fork; do
	both "python-$suite" python_verdicts /usr/bin/python3 -m test -v -i "*VSOCK*" "$suite"
done

perl_tests()
{
	find /usr/share/perl /usr/lib -path '*IO*/t/*.t' 2>/dev/null | sort
}
mapfile -t perl_files < <(perl_tests)
if [ ${#perl_files[@]} -gt 0 ]; then
	both perl-io tap_verdicts prove -v "${perl_files[@]}"
fi

# Debian's source of a package into $work, by lists of our own: the machine's
# may name no sources.
fetch_source()
{
	local lists=$work/apt file options
	mkdir -p "$lists/state/partial" "$lists/parts"
	for file in /etc/apt/sources.list.d/*.sources; do
		[ ! -e "$file" ] || sed 's/^Types:.*/Types: deb-src/' "$file" >"$lists/parts/${file##*/}"
	done
	sed -n 's/^deb /deb-src /p' /etc/apt/sources.list >"$lists/parts/main.list" 2>/dev/null
	options=(-q -o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts="$lists/parts"
		-o Dir::State::lists="$lists/state")
	(cd "$work" && apt-get "${options[@]}" update && apt-get "${options[@]}" source --download-only "$1") \
		>"$work/apt.log" 2>&1
}

# The source package holds the suite; the tclsh is the one that is installed.
if command -v apt-get >/dev/null && fetch_source tcl8.6; then
	mkdir "$work/tcl"
	tar -xf "$work"/tcl8.6_*.orig.tar.* -C "$work/tcl" --strip-components=1
	for suite in socket event chanio; do
		both "tcl-$suite" tcl_verdicts tclsh "$work/tcl/tests/$suite.test" -verbose pst
	done
else
	echo 'skip tcl: its source package is not available here'
fi
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
