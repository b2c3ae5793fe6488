// SPDX-License-Identifier: GPL-3.0-or-later
/* What `scprof displace` was asked to do. */
#ifndef SCPROF_CLI_DISPLACE_DISPLACE_OPTIONS_H
#define SCPROF_CLI_DISPLACE_DISPLACE_OPTIONS_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

#include "cli/usage/options.h"

struct displace_wishes {
	uint64_t loops; /* operations that the command does; 0: unknown */
	uint32_t replications;
	cpu_set_t cpus;
	double confidence, rest_s, longest_s;
	double at_most_s; /* of a measurement, the command's own time not counted; 0: not said */
	bool json, confirm, wall, quiet, any_quota, no_group, no_task_clock;
	const char *output; /* NULL: standard error; standard output for JSON */
	char **command;
};

/* OPTIONS_GO, or the exit status. */
int displace_options_parse(int argc, char **argv, struct displace_wishes *o);

/* Seconds that a measurement takes besides the command's own time, if other tasks leave the fluid
 * its CPUs; and by how much it may be prolonged where they do not. */
double displace_options_takes(const struct displace_wishes *o);
double displace_options_prolong(const struct displace_wishes *o);

/* "scprof displace: ..." on standard error, one line. */
void displace_complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
