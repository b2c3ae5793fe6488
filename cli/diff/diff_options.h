// SPDX-License-Identifier: GPL-3.0-or-later
/* The command line of `scprof diff`: of profiles, or (--live) of two commands. */
#ifndef SCPROF_CLI_DIFF_OPTIONS_H
#define SCPROF_CLI_DIFF_OPTIONS_H

#include <stdint.h>

#include "cli/usage/options.h"
#include "report/compare/diff.h"

struct diff_arguments {
	struct diff_options options;
	const char *output; /* NULL: standard output */
	bool format_given;
	const char **file; /* BASE's first; the names are borrowed from argv */
	uint32_t files, bases;
	bool live;		    /* `file` has the two commands */
	uint32_t runs;		    /* --runs: of each of two commands; 0: files, or --live */
	char **words[2];	    /* of these commands */
	const char *only_live;	    /* an option that was given and only --live has; NULL */
	const char *only_recording; /* likewise, of those that only --live and --runs have */
	double equal;		    /* a share; 0: never stop because of it */
	uint32_t most;		    /* runs of each */
	uint64_t for_ns;	    /* 0: as long as it takes */
	const char *clock, *symbols, *groups; /* as scprof run takes them; NULL */
};

/* OPTIONS_GO, or the exit status. Only after OPTIONS_GO there is something to free. */
int diff_options_parse(int argc, char **argv, struct diff_arguments *a);
void diff_options_free(struct diff_arguments *a);

#endif
