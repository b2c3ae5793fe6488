// SPDX-License-Identifier: GPL-3.0-or-later
/* `scprof load [SECONDS]`: how busy each CPU is, by the time that a fluid cannot get and by the
 * kernel's figures. */
#include "cli/cmd.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "collector/machine/cpus.h"
#include "collector/displacement/displacement.h"
#include "report/render/json/json_write.h"

#define COMMAND		"scprof load"
#define SECONDS_DEFAULT 5.0
#define SECONDS_MOST	86400.0
#define SECONDS_LEAST	0.1

static const struct usage_entry usage_operands[] = {
	{.name = "SECONDS", .text = "how long to look, 0.1 to 86400 (default: 5)"}, {0}};

struct wishes {
	double seconds;
	const char *cpus;
	bool json;
};

static const struct usage_entry usage_options[] = {
	{"cpus", 0, "LIST", .text = "these CPUs, such as 0-3,8 (default: all that scprof may use)",
	 OPTIONS_MEMBER(TEXT, wishes, cpus)},
	USAGE_ENTRY_JSON("scprof-load/1", OPTIONS_MEMBER(FLAG, wishes, json)),
	USAGE_ENTRY_HELP,
	{0}};

const struct usage cmd_load_usage = {
	.command = COMMAND,
	.summary = "how busy each CPU is, by what idle priority cannot get",
	.synopsis = {"[--cpus LIST] [--json] [SECONDS]"},
	.text = "How busy each CPU is. A thread at the lowest priority (SCHED_IDLE) on each takes "
		"what is left over. What it cannot get is load, interrupts included. Beside it: "
		"what /proc/stat says, that thread's own time subtracted.",
	.words = "SECONDS",
	.operands = usage_operands,
	.options = usage_options,
	.exit_status = "0 measured; 1 could not measure; 2 wrong usage",
	USAGE_ENDS(2, 1),
};

static int take_seconds(const char *text, double *seconds)
{
	char *end;

	errno = 0;
	*seconds = strtod(text, &end);
	if (*text >= '0' && *text <= '9' && !*end && !errno && *seconds >= SECONDS_LEAST &&
	    *seconds <= SECONDS_MOST)
		return 0;
	return complaint_say(COMMAND, "'%.100s' is not a number of seconds from 0.1 to 86400",
			     text);
}

static int parse(int argc, char **argv, struct wishes *w)
{
	*w = (struct wishes){.seconds = SECONDS_DEFAULT};
	int status = options_parse(&cmd_load_usage, argc, argv, NULL, w);
	if (status != OPTIONS_GO)
		return status;
	if (optind < argc && take_seconds(argv[optind++], &w->seconds))
		return cmd_load_usage.bad_usage;
	if (optind == argc)
		return OPTIONS_GO;
	return options_refuse(&cmd_load_usage,
			      "one number of seconds is enough; scprof load --help");
}

/* Busy time of /proc/stat, in its steps of 1/100 s, less the fluid's own. */
static double stat_load(const struct cpu_load *l)
{
	const struct cpu_times *t = &l->stat;
	double busy = t->user + t->nice + t->system + t->irq + t->softirq - l->charged;

	return t->known ? busy / l->wall : NAN;
}

static double load(const struct cpu_load *l)
{
	return (l->waited + l->interrupts) / l->wall;
}

static int print_text(const struct cpu_load *l, size_t count)
{
	printf("                 by the fluid                      by /proc/stat\n"
	       "CPU     load  others  interrupts  stolen      load  interrupts  stolen\n");
	for (const struct cpu_load *c = l; c < l + count; c++) {
		printf("%-4d %5.1f %%  %5.1f %%   %6.2f %%  %5.1f %%   ", c->cpu, 100 * load(c),
		       100 * c->waited / c->wall, 100 * c->interrupts / c->wall,
		       100 * c->stolen / c->wall);
		if (c->stat.known)
			printf("%5.1f %%   %6.2f %%  %5.1f %%\n", 100 * stat_load(c),
			       100 * (c->stat.irq + c->stat.softirq) / c->wall,
			       100 * c->stat.steal / c->wall);
		else
			printf("    -          -        -\n");
	}
	printf("over %.2f s; load is all that a thread of the lowest priority could not get; the "
	       "host's\nthefts are apart while that thread ran, in the others' column otherwise\n",
	       l->wall);
	return 0;
}

static int print_json(const struct cpu_load *l, size_t count)
{
	struct json_writer json = {.out = stdout, .indent = true}, *w = &json;

	json_write_open(w, NULL, '{');
	JSON_PUT(w, "schema", "scprof-load/1", "wall_s", l->wall);
	JSON_LIST(w, "cpus", e, l, count,
		  JSON_OBJECT(w, NULL, "cpu", e->cpu, "load", load(e), "wall_s", e->wall, "idle_s",
			      e->idle, "others_s", e->waited, "interrupts_s", e->interrupts,
			      "stolen_s", e->stolen, "stat_load", stat_load(e), "stat_irq_s",
			      e->stat.known ? e->stat.irq : NAN, "stat_softirq_s",
			      e->stat.known ? e->stat.softirq : NAN, "stat_stolen_s",
			      e->stat.known ? e->stat.steal : NAN));
	return json_write_finish(w);
}

static int measure(const struct wishes *w, const struct displacement_options *o)
{
	struct profile_error err;
	struct displacement *d = displacement_open(o, &err);
	size_t count = (size_t)CPU_COUNT(&o->cpus);
	struct cpu_load *l = calloc(count, sizeof(*l));
	int status = 1, ended;

	if (!d || !l) {
		complaint_print(COMMAND, d ? "out of memory" : err.text);
	} else {
		ended = cpu_load_measure(d, w->seconds, l);
		if (!l->wall)
			complaint_print(COMMAND, "stopped before anything was seen");
		else if ((w->json ? print_json : print_text)(l, count))
			complaint_print(COMMAND, "out of memory");
		else
			status = ended > 0 ? 128 + ended : 0;
	}
	if (d)
		displacement_close(d);
	free(l);
	return status;
}

int cmd_load(int argc, char **argv)
{
	struct displacement_options o = {0};
	struct profile_error err;
	struct wishes w;
	int status = parse(argc, argv, &w);

	if (status != OPTIONS_GO)
		return status;
	if (cpus_choose(w.cpus, &o.cpus, &err))
		return options_refuse(&cmd_load_usage, "%s", err.text);
	o.rest_s = 0.1; /* the cost of switching is not needed here */
	return measure(&w, &o);
}
