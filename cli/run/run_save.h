// SPDX-License-Identifier: GPL-3.0-or-later
/* What a run, or a process that was attached to, leaves: the profile, and the report. */
#ifndef SCPROF_CLI_RUN_RUN_SAVE_H
#define SCPROF_CLI_RUN_RUN_SAVE_H

#include "cli/run/run_options.h"
#include "cli/run/run_output.h"
#include "collector/launch/gather.h"
#include "collector/launch/run_directory.h"

/* Writes the profile to to->path ("": nowhere), prints the report, and removes the single files,
 * only once their content is safe elsewhere. 0, or -1 having said what failed and where they are
 * kept. */
int run_save(const struct run_options *o, const struct run_output *to, struct run_directory *d,
	     const struct gathered *g);

#endif
