// SPDX-License-Identifier: GPL-3.0-or-later
/* `scprof run --runs N` and `scprof attach --windows N`: several recordings, one after the other,
 * each with a profile of its own, and one report of them. */
#pragma once

#include "cli/run/run_options.h"

/* May o->runs be more than 1 beside the other options? 0, or -1 having said why. */
int run_again_check(const struct run_options *o);

/* After the options were parsed: optind is where the command, or the processes, begin. The exit
 * status: the first that is not 0 of the recordings'. `tick_ns`: of the page clock, for all; 0:
 * none. */
int run_again(const char *command, int argc, char **argv, const struct run_options *o,
	      uint64_t tick_ns);
