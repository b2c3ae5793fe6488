# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# thirty NAME [SITE PERCENT]: thirty call sites of known cost, one dearer on request, in made-up time
# (tests/programs/loaded/made_clock.c): what differs is drawn by the program, and not the machine's.
thirty()
{
	rm -rf made && mkdir made
	env LD_PRELOAD="$LIB $PROGRAMS/made_clock.so" MADE_CLOCK="${T:-$PWD}/clock" SCPROF_OUT="${T:-$PWD}/made" \
		SCPROF_CLOCK=monotonic "$BUILD/bench/thirty" 1500 2000 "${@:2}" 3>&-
	mv made/*.scp "$1.scp"
}
