# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash disable=SC2034,SC2119,SC2120
# What the command tests share. Each test works in a folder of its own ($T),
# which bats removes.

case ${BATS_TEST_DIRNAME-} in # a shell less for each test
/*/tests/commands/*) ROOT=${BATS_TEST_DIRNAME%/tests/commands/*} ;;
*) ROOT=$(cd -P "${BASH_SOURCE[0]%/*}/../.." && pwd) ;;
esac
BUILD=${SCPROF_BUILD:-$ROOT/build}
LIB=$BUILD/libscprof.so
SCPROF=$BUILD/scprof
PROGRAMS=$BUILD/tests/programs
PROFILES=$BUILD/tests/profiles
EXAMPLES=$BUILD/examples
PATH=$PATH:/usr/sbin:/sbin # ldconfig, which Debian gives to root alone

# Tests ask jq for hundreds of things: gojq begins in 1.7 ms, jq 1.6 in 24. Where only jq is there: 1.7 and later keep
# numbers as they are written, so that 0.0 is not printed as 0, and 0.90000000000000002 is not 0.9. What is
# asked here is about doubles, as with gojq and jq 1.6.
if command -v gojq >/dev/null; then
	jq()
	{
		gojq "$@"
	}
elif export JQ_KEEPS=${JQ_KEEPS-$(jq -n '0.0')} && [ "$JQ_KEEPS" = 0.0 ]; then
	jq()
	{
		local options=()
		while [[ $1 == -* ]]; do
			case $1 in
			--arg | --argjson | --slurpfile) options+=("${@:1:3}") && shift 3 ;;
			*) options+=("$1") && shift ;;
			esac
		done
		command jq "${options[@]}" "walk(if type == \"number\" then . + 0 else . end) | ($1
		)" "${@:2}"
	}
fi

# bats looks at each command before it is executed, to know the line of one that fails. That takes a
# quarter of what a suite's shell does, and it is known when one has failed, too.
find_failure()
{
	local status=$?
	bats_capture_stack_trace
	return $status
}

only_look_at_failures()
{
	declare -F bats_capture_stack_trace bats_error_trap >/dev/null || return 0 # another bats
	trap - DEBUG
	trap 'find_failure || bats_error_trap' ERR
}

common_setup()
{
	only_look_at_failures
	T=$BATS_TEST_TMPDIR
	mkdir -p "$T/out"
	[ -n "${KEEP_CORES-}" ] || ulimit -c 0
	export SCPROF_SAMPLE=off # samples come at random, and not everywhere: run/sample.bats
	cd "$T" || return 1
}

setup()
{
	common_setup
}

# glibc_since VERSION: it is that one or a later one.
glibc_since()
{
	printf '%s\n' "$1" "$(getconf GNU_LIBC_VERSION | cut -d' ' -f2)" | sort -VC
}

# not COMMAND...: fails where it succeeds, which a mere "!" in a test does not.
not()
{
	! "$@"
}

# await COMMAND...: until it succeeds. Only what hangs takes two minutes, however busy the machine is.
await()
{
	local until=$((SECONDS + 120))
	until "$@"; do
		[ $SECONDS -lt "$until" ] || { echo "never so: $*" && return 1; }
		sleep 0.05
	done
}

# limited COMMAND...: what hangs is ended, long before tests/run ends all. No busy machine takes so long.
limited()
{
	timeout -k 5 "${LIMIT:-900}" "$@"
}

# again_where_late STATUS COMMAND...: ends with it; where a tool that attaches was so late, as on a busy
# machine, that it gave up, left all as it was, and said so in attach.err, once more.
again_where_late()
{
	local wanted=$1 status
	shift
	for _ in 1 2 3 4 5 6 7 8; do
		status=0
		"$@" || status=$?
		if [ "$status" = "$wanted" ] || ! grep -q '; try again$' attach.err; then break; fi
	done
	[ "$status" = "$wanted" ] || {
		echo "status $status, not $wanted"
		cat -v attach.err
		return 1
	}
}

# holds FILTER...: each is true of $T/$JSON (report.json), of which $SHOWN (all) is printed where one is not. One
# jq for all: to begin takes it longer than all that is asked of it here.
holds()
{
	local filter all=true
	for filter; do
		all+=" and ($filter)"
	done
	jq -e "$all" "$T/${JSON:-report.json}" >/dev/null && return
	for filter; do
		jq -e "$filter" "$T/${JSON:-report.json}" >/dev/null || echo "does not hold: $filter"
	done
	jq -c "${SHOWN:-.}" "$T/${JSON:-report.json}"
	return 1
}

# has_ended PID: nobody may have waited for it yet, as some containers' first process never does.
has_ended()
{
	not grep -q '^State:.[^ZX]' "/proc/$1/status" 2>/dev/null
}

# gone PATTERN: no process has it in its command line, or soon none has: one that was ended needs a
# moment to be gone.
gone()
{
	await not pgrep -f -- "$1" >/dev/null || { pgrep -af -- "$1"; return 1; }
}

# ADDRESS:PORT to listen at, which nobody takes between now and then: all of 127.0.0.0/8 is loopback,
# and the address is made of this process's number. The port is free at every address just now.
own_place()
{
	local number=$BASHPID port taken each
	printf '127.%d.%d.%d:' $((64 + number / 65536 % 64)) $((number / 256 % 256)) $((number % 256))
	for each in /proc/net/tcp /proc/net/tcp6; do
		[ ! -e $each ] || taken+=$(<$each)
	done
	until
		port=$((16384 + SRANDOM % 16384)) # below those that clients are given
		printf -v each ':%04X ' $port
		[[ $taken != *"$each"* ]]
	do :; done
	echo $port
}

# with_library COMMAND...: under a bare LD_PRELOAD, profiles to $T/out. Socket
# calls and waiting; reads and writes of files are not recorded.
with_library()
{
	limited env LD_PRELOAD="$LIB" SCPROF_OUT="$T/out" \
		SCPROF_GROUPS=socket,wait "$@" </dev/null 3>&- 4>&-
}

without_library()
{
	limited env "$@" </dev/null 3>&- 4>&-
}

# record with|without COMMAND...: $T/with.out, .err, .status. The shell's own
# word on how the command died names this file and goes out of .err.
record()
{
	local kind=$1 status=0
	shift
	EXPECT=$T/expect.$kind "${kind}_library" "$@" >"$T/$kind.out" 2>"$T/$kind.err" || status=$?
	[ ! -s "$T/$kind.err" ] ||
		sed -i '/common\.bash: line [0-9]*:/d' "$T/$kind.err"
	echo "$status" >"$T/$kind.status"
	[ "$status" != 124 ] || echo "$*: hangs ($kind library)"
}

# same_either_way COMMAND...: standard output, standard error and status are
# the same with and without the library. A program that speaks of its own
# failure (status 99) is a failure even when it does so both times.
same_either_way()
{
	record without "$@"
	record with "$@"
	if [ "$(<"$T/without.status")" = 99 ]; then
		echo "$*: fails without the library:"
		cat "$T/without.out"
		return 1
	fi
	cmp -s "$T/without.out" "$T/with.out" && cmp -s "$T/without.err" "$T/with.err" &&
		[ "$(<"$T/without.status")" = "$(<"$T/with.status")" ] && return
	diff "$T/without.status" "$T/with.status" || echo "(exit status)"
	diff "$T/without.out" "$T/with.out"
	diff "$T/without.err" "$T/with.err"
	return 1
}

# All profiles of this test as one JSON report in $T/report.json. Options, such
# as --by function (which needs no symbols, and is quick), may be given.
make_report()
{
	local files
	mapfile -t files < <(find "$T/out" -name '*.scp')
	if [ ${#files[@]} = 0 ]; then
		echo "no profile was written"
		return 1
	fi
	"$SCPROF" report --format json "$@" "${files[@]}" >"$T/report.json" 2>"$T/report.err" || {
		echo "scprof report: status $?"
		cat "$T/report.err"
		return 1
	}
}

# calls_of FUNCTION: from $T/report.json, all outcomes and sites.
calls_of()
{
	jq --arg f "$1" '[.sites[] | select(.symbol == $f) | .calls] | add // 0' "$T/report.json"
}

# Compares the report with what the program expected (target.h). One jq for all: to begin takes
# it longer than all that is asked of it here.
counts_match()
{
	make_report "$@" || return 1
	touch "$T/expect.with"
	jq -r '"lost \(.skipped_calls + (.abandoned_calls // 0))", "overflow \(.overflow_calls)",
		(.sites[] | "calls \(.calls) \(.symbol)")' "$T/report.json" >"$T/found" || return 1
	awk 'expected { min[$1] += $2; max[$1] += $3; lossy[$1] += $4; next }
		$1 == "calls" { calls[substr($0, length($2) + 8)] += $2; next }
		{ of[$1] = $2 }
		END { for (f in min) {
			given_up = lossy[f] < of["lost"] + 0 ? lossy[f] : of["lost"] + 0
			if (calls[f] <= max[f] && calls[f] + given_up + of["overflow"] >= min[f]) continue
			printf "%s: %d calls in the profile, expected %d to %d\n", f, calls[f], min[f], max[f]
			printf "(skipped or abandoned: %d, overflow: %d)\n", of["lost"], of["overflow"]
			bad = 1
		} exit bad }' expected=1 "$T/expect.with" expected= "$T/found"
}

# The whole claim of a target program. REPORT: options of the report, such as --by function.
unnoticed()
{
	# shellcheck disable=SC2086 # options are words
	same_either_way "$@" && counts_match ${REPORT:-}
}
