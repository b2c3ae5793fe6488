// SPDX-License-Identifier: GPL-3.0-or-later
/* The parts of `scprof displace`: its options, and how results are printed. */
#pragma once

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "cli/usage/options.h"
#include "collector/displacement/displacement_summary.h"
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

/* `confirm`: NULL without --confirm. 0; -1 with errno. */
int displace_text_print(FILE *out, const struct displace_wishes *o,
			const struct displacement_summary *s,
			const struct displacement_confirm *confirm);
int displace_json_print(FILE *out, const struct displace_wishes *o,
			const struct displacement_summary *s,
			const struct displacement_confirm *confirm);

/* The result in one sentence. */
void displace_text_sentence(const struct displacement_summary *s, char *text, size_t size);
