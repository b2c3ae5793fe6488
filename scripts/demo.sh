#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# `make demo` once all is installed: builds, profiles an example, prints its report and what to try
# next. $MAKE is the make to build with; its words are kept in $BUILD/demo.log.
set -uo pipefail
build=${BUILD:-build}
log=$build/demo.log
mkdir -p "$build"

# step WHAT COMMAND...: a line; where the command fails, the end of what it said, and what to do.
step()
{
	echo "$1..."
	shift
	"$@" >"$log" 2>&1 </dev/null && return
	{
		echo "demo: this failed; the last lines of $log:"
		tail -n 15 "$log" | sed 's/^/    /'
		echo "Mend what they name, then try again: make demo"
		echo "Is a library too old or missing? scripts/setup.sh --list prints the packages that are missing."
	} >&2
	exit 1
}

read -ra make <<<"${MAKE:-make}"
step 'building (a minute or two)' "${make[@]}" all
profile() { "$build/scprof" run --no-report -o "$build/demo.scp" -- "$build/examples/echo_pair" 20000 100; }
step 'running the demo: a client sends 20000 messages, a server sends them back' profile
"$build/scprof" report "$build/demo.scp" || exit 1
cat <<END

Try next:
  $build/scprof run -- COMMAND                                 your own program; the report comes when it ends
  $build/scprof report --format html -o demo.html $build/demo.scp  the same report as a page for a browser
  $build/scprof doctor COMMAND                                 does the library fit a program, what does this machine lack?
END
