# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# Real programs are attached to by the harnesses of tests/bench/attach, a few times each.

# shellcheck source=/dev/null
source "${BASH_SOURCE[0]%/*}/reachable.bash"

setup_file()
{
	make_reachable
}

teardown_file()
{
	rm -rf "${REACHABLE:-/none}"
}

# trial HARNESS WORD...: skipped where the program is not installed.
trial()
{
	local status=0
	SCPROF=${TRIED:-${REACHABLE:+$REACHABLE/scprof}} timeout -k 5 600 python3 "$ROOT/tests/bench/attach/$1" "${@:2}" \
		--build "$BUILD" </dev/null 3>&- 4>&- >trial.out 2>&1 || status=$?
	cat trial.out
	[ $status != 3 ] || skip "$(head -n 1 trial.out)"
	return $status
}
