// SPDX-License-Identifier: GPL-3.0-or-later
/* Where the threads' time went: shares that add up to 100 %. */
#include "report/render/text/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "report/model/model.h"
#include "report/wording/numbers.h"
#include "report/wording/utf8.h"

#define PARTS 6

/* A sum that is off by more than this is no reason to print tenths of a percent. */
#define EXACT 0.01
/* A share that says what most of the time was. */
#define MOST 500

struct part {
	double s;
	const char *most; /* "mostly ...", if it is more than half */
	const char *label;
};

struct time_line {
	struct part part[PARTS];
	size_t parts;
	double all_s;
	bool about;
	char waits[160];
};

static void add(struct time_line *l, double s, const char *most, const char *label)
{
	l->part[l->parts] = (struct part){fmax(s, 0), most, label};
	l->all_s += l->part[l->parts++].s;
}

/* How long calls at this site waited, in ns. */
static double waited_ns(const struct report_site *s, bool only_waits)
{
	if (s->waits)
		return s->total_ns;
	return only_waits || !s->states.known || !(s->states.asleep.mean > 0)
		       ? 0
		       : s->states.asleep.mean * (double)s->calls;
}

/* "waiting in epoll_wait, recv": the functions that waited longest. */
static void name_waits(const struct report *r, bool only_waits, char *out, size_t room)
{
	double *ns = calloc((size_t)r->profile->functions + 1, sizeof(*ns)), all = 0;
	size_t used = (size_t)snprintf(out, room, "waiting in calls");

	for (uint32_t i = report_next_filled(r, 0); ns && i < r->sites;
	     i = report_next_filled(r, i + 1)) {
		double waited = waited_ns(&r->site[i], only_waits);

		ns[r->site[i].function] += waited;
		all += waited;
	}
	for (int named = 0; ns && all > 0 && named < 2; named++) {
		uint32_t best = 0;

		for (uint32_t f = 1; f < r->profile->functions; f++)
			best = ns[f] > ns[best] ? f : best;
		if (!(ns[best] > 0.01 * all))
			break;
		if (!named)
			used = (size_t)snprintf(out, room, "waiting in ");
		used += (size_t)snprintf(out + used, room - used, "%s%.40s", named ? ", " : "",
					 r->profile->function[best].name);
		ns[best] = 0;
	}
	free(ns);
}

/* From the kernel's account of each thread. */
static void fill_states(struct time_line *l, const struct report *r)
{
	const struct report_threads_time *t = &r->threads_time;
	double in_calls = threads_time_cpu_in_calls_s(t);
	double all_cpu = t->cpu_in_calls_s + t->cpu_outside_s + t->recording_s;
	double recording = fmin(fmax(t->recording_s, 0), fmax(all_cpu - in_calls, 0));
	double off = threads_time_difference(r);

	l->about = !(fabs(off) <= EXACT) && t->estimated_s > EXACT * r->time_ns / 1e9;
	name_waits(r, false, l->waits, sizeof(l->waits));
	add(l, in_calls, "in calls, on a CPU", "on a CPU in calls");
	add(l, all_cpu - in_calls - recording, "computing outside of calls",
	    "on a CPU outside of them");
	add(l, recording, "recorded by scprof", "recording by scprof");
	add(l, t->runnable_s, "kept from its CPUs", "runnable: waited for a CPU");
	add(l, t->asleep_in_calls_s, "waiting", l->waits);
	add(l, t->not_recorded_s, "waiting elsewhere", "waiting, not recorded");
}

/* From the calls alone. */
static void fill_calls(struct time_line *l, const struct report *r)
{
	double outer_ns = r->calls_ns - r->nested_ns;

	name_waits(r, true, l->waits, sizeof(l->waits));
	add(l, (outer_ns - r->waiting_ns) / 1e9, "in calls", "in calls that work");
	add(l, r->gaps_ns / 1e9, "between calls", "between calls, or not recorded");
	add(l, r->recording_ns / 1e9, "recorded by scprof", "recording by scprof");
	add(l, fmin(r->waiting_ns, outer_ns) / 1e9, "waiting", l->waits);
}

static void put_whole(FILE *out, const struct text *t, const struct time_line *l,
		      const int32_t *permille)
{
	const struct report *r = t->report;
	char time[32], off[32];
	uint64_t threads = 0;

	for (uint32_t i = 0; i < r->threads; i++)
		threads += r->thread[i].threads;
	numbers_duration(time, sizeof(time), r->time_ns, t->terminal.utf8);
	fprintf(out, "%s%s of %" PRIu64 " thread%s", time,
		r->profile->clock.kind == SCP_CLOCK_THREAD_CPU ? " of CPU time" : "", threads,
		threads == 1 ? "" : "s");
	for (size_t i = 0; i < l->parts; i++)
		if (permille[i] > MOST)
			fprintf(out, ", mostly %s", l->part[i].most);
	numbers_share(off, sizeof(off), fabs(threads_time_difference(r)));
	if (l->about)
		fprintf(out, "; roughly, the check is %s off", off);
}

static void put_parts(FILE *out, const struct time_line *l, const int32_t *permille)
{
	for (size_t i = 0; i < l->parts; i++) {
		char share[32];

		if (!permille[i])
			continue;
		if (l->about)
			snprintf(share, sizeof(share), "%" PRId32 " %%", permille[i] / 10);
		else
			numbers_permille(share, sizeof(share), permille[i]);
		fprintf(out, "; %s %s", share, l->part[i].label);
	}
}

void text_time(struct text *t)
{
	struct time_line l = {0};
	struct utf8_memory memory;
	double part[PARTS];
	int32_t permille[PARTS];
	char *line;

	if (t->report->threads_time.known)
		fill_states(&l, t->report);
	else
		fill_calls(&l, t->report);
	for (size_t i = 0; i < l.parts; i++)
		part[i] = l.part[i].s;
	if (!(l.all_s > 0) ||
	    numbers_percentages(part, l.parts, l.about ? 100 : 1000, permille) < 0)
		return;
	for (size_t i = 0; l.about && i < l.parts; i++)
		permille[i] *= 10;
	utf8_memory_begin(&memory);
	if (memory.to) {
		put_whole(memory.to, t, &l, permille);
		put_parts(memory.to, &l, permille);
	}
	line = utf8_memory_end(&memory);
	if (line)
		text_cell_fact(t, "time", "%s", line);
	free(line);
}
