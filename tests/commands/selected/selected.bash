# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash disable=SC2154 # $T, $SCPROF, $SYMBOLS are set by common.bash and by the tests
# After common.bash: the tests of chosen symbols run programs by `scprof run -s`.

# Instead of a bare LD_PRELOAD: with $SYMBOLS chosen. scprof's own words go out of the
# program's standard error.
with_library()
{
	local status=0
	rm -f "$T/out/p.scp"
	limited "$SCPROF" run --no-report -c "${CLOCK:-tsc}" -o "$T/out/p.scp" \
		-s "$SYMBOLS" "$@" </dev/null 3>&- 4>&- 2>"$T/all.err" || status=$?
	sed '/^scprof: profile:/d; /^scprof: -s leaves out/d; /^        read it again/d' "$T/all.err" >&2
	return "$status"
}

# chosen SYMBOLS PROGRAM ARGUMENT...: the program is the same either way, and the counts
# are those that it expects.
chosen()
{
	SYMBOLS=$1
	shift
	rm -f "$T"/expect.*
	unnoticed "$@"
}
