// SPDX-License-Identifier: GPL-3.0-or-later
/* The command line of `scprof diff`. */
#ifndef SCPROF_CLI_DIFF_OPTIONS_H
#define SCPROF_CLI_DIFF_OPTIONS_H

#include <stdint.h>

#include "cli/usage/options.h"
#include "report/compare/diff.h"

struct diff_arguments {
	struct diff_options options;
	const char *output;
	bool format_given; /* NULL: standard output */
	const char **file; /* BASE's first; the names are borrowed from argv */
	uint32_t files, bases;
};

/* OPTIONS_GO, or the exit status. Only after OPTIONS_GO there is something to free. */
int diff_options_parse(int argc, char **argv, struct diff_arguments *a);
void diff_options_free(struct diff_arguments *a);

#endif
