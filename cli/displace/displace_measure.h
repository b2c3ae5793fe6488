// SPDX-License-Identifier: GPL-3.0-or-later
/* Runs a command repeatedly while a fluid runs on each CPU. */
#ifndef SCPROF_CLI_DISPLACE_DISPLACE_MEASURE_H
#define SCPROF_CLI_DISPLACE_DISPLACE_MEASURE_H

#include "collector/displacement/displace.h"
#include "cli/displace/displace_options.h"
#include "collector/launch/program.h"

struct displace_measured {
	struct displace_run *run;
	size_t runs;
	struct displacement_value switching;
	int status;	/* of the command: the first that was not 0 */
	int stopped_by; /* a signal that ended the measuring; 0: none */
	double took_s;
};

enum displace_exit {
	DISPLACE_FAILED = 125,
	DISPLACE_NOT_EXECUTABLE = 126,
	DISPLACE_NOT_FOUND = 127
};

/* 0: there is something to report, perhaps from fewer runs than asked for. Else an exit status,
 * having said why. */
int displace_measure(const struct displace_wishes *o, const struct program *program,
		     struct displace_measured *m);
void displace_measured_free(struct displace_measured *m);

/* Says why exec failed. Returns the exit status for it. */
int displace_exec_failed(const struct program *program, int error);

#endif
