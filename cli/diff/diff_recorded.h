// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef SCPROF_CLI_DIFF_DIFF_RECORDED_H
#define SCPROF_CLI_DIFF_DIFF_RECORDED_H

#include "cli/diff/diff_options.h"

/* Runs both commands of `a` a->runs times, and has the 2 * a->runs profiles compared, the old ones
 * first. The exit status of `scprof diff`; 2 where a run failed or was interrupted. */
int diff_recorded(const struct diff_arguments *a,
		  int (*compare)(const struct diff_arguments *a, const char *const *file));

#endif
