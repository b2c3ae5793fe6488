// SPDX-License-Identifier: GPL-3.0-or-later
/* The parts of `scprof displace`: what it was asked to do, the runs of the command, and how their
 * results are printed. */
#ifndef SCPROF_CLI_DISPLACE_DISPLACE_COMMAND_H
#define SCPROF_CLI_DISPLACE_DISPLACE_COMMAND_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "cli/usage/options.h"
#include "collector/displacement/displacement_summary.h"
#include "collector/launch/program.h"
#include "report/render/json/json_write.h"

struct displace_wishes {
	uint64_t loops; /* operations that the command does; 0: unknown */
	uint32_t replications;
	cpu_set_t cpus;
	double confidence, rest_s;
	bool json, confirm, quiet, any_quota, no_task_clock;
	const char *output; /* NULL: standard error; standard output for JSON */
	char **command;
};

/* OPTIONS_GO, or the exit status. */
int displace_options_parse(int argc, char **argv, struct displace_wishes *o);

/* "scprof displace: ..." on standard error, one line. */
void displace_complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* ---- runs, each between two idle phases ---- */

struct displace_measured {
	struct displacement_run *run;
	size_t runs;
	struct displacement_value switching;
	int status;	/* of the command: the first that was not 0 */
	int stopped_by; /* a signal that ended the measuring; 0: none */
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

/* ---- the report ---- */

/* With --json standard output has the JSON object alone: what the command prints goes to standard
 * error. `kept` gets a copy of the descriptor, for displace_restore_output; -1: nothing was
 * diverted. 0; -1 having said why. */
int displace_divert_output(const struct displace_wishes *o, int *kept);
void displace_restore_output(int kept);

/* Writes the report to where it is wanted. `confirm`: NULL without --confirm. 0; -1 having said
 * why.
 */
int displace_report(const struct displace_wishes *o, const struct displacement_summary *s,
		    const struct displacement_confirm *confirm);

/* 0; -1 with errno. */
int displace_text_print(FILE *out, const struct displace_wishes *o,
			const struct displacement_summary *s,
			const struct displacement_confirm *confirm);
int displace_json_print(FILE *out, const struct displace_wishes *o,
			const struct displacement_summary *s,
			const struct displacement_confirm *confirm);

/* The result in one sentence. */
void displace_text_sentence(const struct displacement_summary *s, char *text, size_t size);
#endif
