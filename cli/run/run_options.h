// SPDX-License-Identifier: GPL-3.0-or-later
/* What `scprof run` was asked to do: options first, then the environment. */
#ifndef SCPROF_CLI_RUN_RUN_OPTIONS_H
#define SCPROF_CLI_RUN_RUN_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/run/run_filters.h"
#include "cli/run/run_slowest.h"
#include "cli/usage/options.h"
#include "cli/usage/report_options.h"
#include "include/scprof_format.h"

struct run_options {
	const char *output; /* -o, NULL: by the command's name and pid */
	enum scp_clock_kind clock;
	uint64_t tick_ns;
	bool tick_asked;       /* by -d or the environment */
	bool exact_tick;       /* whatever it costs */
	const char *groups;    /* NULL: the library's default */
	const char *symbols;   /* patterns, NULL: none */
	char built_in[128];    /* those of `groups` that the library knows; "none" */
	char ready_made[2048]; /* patterns of the ready-made groups among `groups` */
	bool only_ready_made;  /* and no others are */
	struct run_filters filters;
	struct run_slowest slowest;
	const char *states;	  /* off, budget, exact */
	const char *verify_paths; /* one new path in so many; NULL: none */
	bool report;
	struct report_choice shown; /* how it is printed */
	bool displace;
	bool live;
	double until;	      /* --until: relative half width; 0: none */
	double until_least_s; /* --until-least; 0: not given */
	const char *until_of; /* functions; NULL: all */
	bool disabled;	      /* SCPROF_DISABLE is set */
	char **command;
};

/* OPTIONS_GO, or the exit status. */
int run_options_parse(int argc, char **argv, struct run_options *o);

#endif
