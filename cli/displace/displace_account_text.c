// SPDX-License-Identifier: GPL-3.0-or-later
/* Where all time of the CPUs went, as means of the runs. A row's parts add up to its wall time. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/displace/displace_print.h"
#include "report/wording/terminal.h"
#include "report/wording/utf8.h"
#include "report/wording/numbers.h"

#define TASKS_SHOWN 8

static void print_row(FILE *out, const char *name, const struct displace_cpu *c)
{
	fprintf(out, "  %-4s %9.4f %9.4f %9.4f %8.4f %9.4f %8.4f %9.4f %9.4f %9.4f\n", name,
		c->wall, c->program, c->others, c->scprof, c->excess, c->resting + c->switching,
		c->stolen, c->idle, c->remainder);
}

void displace_print_name(FILE *out, const char *name)
{
	char *clean = utf8_clean(name, terminal_of(out, 0).utf8);

	fputs(clean ? clean : "?", out);
	free(clean);
}

static void print_tasks(FILE *out, const struct displace_summary *s)
{
	size_t shown = 0;

	for (size_t i = 0; i < s->tasks && shown < TASKS_SHOWN; i++) {
		const struct displace_task *t = &s->task[i];

		if (t->seconds < 1e-4 * s->all.wall && !t->softirq)
			continue;
		fputs(shown++ ? ", " : "  other tasks: ", out);
		displace_print_name(out, t->name); /* a task chooses its own name */
		fprintf(out, " %.4f s", t->seconds);
		if (t->tasks > 1)
			fprintf(out, " (%u)", t->tasks);
	}
	if (shown)
		fprintf(out, "%s\n", s->tasks > shown ? ", ..." : "");
}

void displace_print_account(FILE *out, const struct displace_summary *s)
{
	fprintf(out,
		"\n  where the CPUs' time went, seconds a run:\n"
		"  CPU       wall   program    others   scprof  int.prog int.rest    stolen      "
		"idle remainder\n");
	for (size_t i = 0; i < s->cpus; i++) {
		char name[16];

		snprintf(name, sizeof(name), "%d", s->cpu[i].cpu);
		print_row(out, name, &s->cpu[i]);
	}
	if (s->cpus > 1)
		print_row(out, "all", &s->all);
	fprintf(out, "  the remainder, %+.2f %% of the CPUs' time, is the error of this account\n",
		numbers_tidy(100 * s->all.remainder / s->all.wall, 2));
	print_tasks(out, s);
}
