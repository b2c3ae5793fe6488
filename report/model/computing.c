// SPDX-License-Identifier: GPL-3.0-or-later
/* Samples by function: that of the machine code, into which others may have been inlined. Shares
 * are of the samples outside of recorded calls, times those of the CPU time that the kernel
 * charged, which is exact. */
#include "report/model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profile/base/array.h"
#include "report/containers/string_index.h"
#include "stats/mean/proportion.h"

#define BATCHES SCP_SAMPLE_BATCHES

struct sums {
	uint64_t batch[BATCHES], path_samples; /* path_samples: of the row's path */
};

struct building {
	struct report *r;
	struct report_computing *c;
	struct string_index names;
	struct pairs functions; /* name and module: the number is the row's */
	struct sums *sums;	/* by row */
	uint32_t room, sums_room;
	uint64_t outside[BATCHES], recording[BATCHES];
};

static uint64_t sum_of(const uint64_t batch[BATCHES])
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < BATCHES; i++)
		sum += batch[i];
	return sum;
}

/* The row of the function that a path leads to; NULL: out of memory. */
static struct sums *row_of(struct building *b, const struct prof_path *path)
{
	static const struct symbol nothing = {.source = SYMBOL_UNKNOWN};
	struct report_computing *c = b->c;
	size_t count = 1;
	const struct symbol *s =
		path->frames ? frame_symbols_find(b->r, path->frame, &count) : &nothing;

	s += count - 1;
	uint32_t name = string_index_add(&b->names, s->function ? s->function : "");
	uint32_t module = string_index_add(&b->names, s->module ? s->module : "");
	uint32_t row = pairs_add(&b->functions, name, module);

	if (b->names.failed || row == PAIRS_NONE)
		return NULL;
	if (row == c->rows) {
		struct report_computing_row *grown =
			array_room(c->row, &b->room, c->rows, sizeof(*grown));
		struct sums *more = array_room(b->sums, &b->sums_room, c->rows, sizeof(*more));

		c->row = grown ? grown : c->row;
		b->sums = more ? more : b->sums;
		if (!grown || !more)
			return NULL;
		c->row[c->rows++] = (struct report_computing_row){.function = s->function,
								  .brief = s->brief,
								  .module = s->module,
								  .module_name = s->module_name,
								  .language = s->language};
	}
	return &b->sums[row];
}

/* -1: out of memory. */
static int add_sample(struct building *b, const struct prof_sample *s)
{
	const struct profile *p = b->r->profile;
	struct sums *sums;
	uint64_t samples = 0;

	if (s->path != PROF_NONE && profile_leaves_out(p, s->path))
		return 0;
	for (uint32_t i = 0; i < BATCHES; i++) {
		samples += s->count[i];
		b->outside[i] += s->kind == SCP_SAMPLE_IN_CALL ? 0 : s->count[i];
		b->recording[i] += s->kind == SCP_SAMPLE_RECORDING ? s->count[i] : 0;
	}
	b->c->samples += samples;
	b->c->in_calls += s->kind == SCP_SAMPLE_IN_CALL ? samples : 0;
	if (s->kind != SCP_SAMPLE_COMPUTING)
		return 0;
	sums = row_of(b, &p->path[s->path]);
	if (!sums)
		return -1;
	for (uint32_t i = 0; i < BATCHES; i++)
		sums->batch[i] += s->count[i];
	if (samples > sums->path_samples) {
		struct report_site *place = &b->c->row[sums - b->sums].place;

		sums->path_samples = samples;
		place->frame = p->path[s->path].frame;
		place->frames = p->path[s->path].frames;
		place->path_flags = p->path[s->path].flags;
	}
	return 0;
}

/* CPU time that all samples stand for, in s: charged by the kernel, or where that is not known as
 * their number says. */
static double cpu_of(const struct building *b)
{
	const struct profile *p = b->r->profile;
	uint64_t known = p->sampling.cpu_ns;

	if (!known && !b->c->user && p->usage.known & SCP_USAGE_CPU)
		known = p->usage.cpu_ns;
	return (known && !p->below.filtered
			? (double)known
			: (double)b->c->samples * (double)p->sampling.period_ns) /
	       1e9;
}

static void estimate(const struct building *b, struct report_computing_row *row,
		     const uint64_t batch[BATCHES])
{
	uint64_t all = sum_of(b->outside);

	row->samples = sum_of(batch);
	row->share = all ? (double)row->samples / (double)all : 0;
	row->cpu_s = row->share * b->c->cpu_s;
	double effective = proportion_batches(batch, b->outside, BATCHES, b->r->confidence,
					      &row->share_low, &row->share_high);

	b->c->effective = fmin(b->c->effective, effective);
}

static int by_samples(const void *a, const void *b)
{
	const struct report_computing_row *x = a, *y = b;

	return ARRAY_ORDER(y->samples, x->samples)
		       ?: strcmp(x->function ? x->function : "", y->function ? y->function : "")
		       ?: strcmp(x->module ? x->module : "", y->module ? y->module : "");
}

static void estimate_all(struct building *b)
{
	struct report_computing *c = b->c;
	double cpu_s = cpu_of(b), outside = (double)(c->samples - c->in_calls);

	c->cpu_s = cpu_s * outside / (double)c->samples;
	c->in_calls_cpu_s = cpu_s * (double)c->in_calls / (double)c->samples;
	c->effective = outside;
	estimate(b, &c->recording, b->recording);
	for (uint32_t i = 0; i < c->rows; i++)
		estimate(b, &c->row[i], b->sums[i].batch);
	if (c->rows)
		qsort(c->row, c->rows, sizeof(*c->row), by_samples);
}

int computing_find(struct report *r)
{
	const struct profile *p = r->profile;
	struct building b = {.r = r};
	int status = 0;

	if (r->computing || !p->sampling.period_ns || p->sampling.flags & SCP_SAMPLING_MIXED)
		return 0;
	b.c = r->computing = calloc(1, sizeof(*b.c));
	if (!b.c)
		return -1;
	b.c->user = p->sampling.flags & SCP_SAMPLING_USER;
	for (uint32_t i = 0; i < p->samples && !status; i++)
		status = add_sample(&b, &p->sample[i]);
	if (!status && b.c->samples)
		estimate_all(&b);
	string_index_clear(&b.names);
	pairs_clear(&b.functions);
	free(b.sums);
	return status;
}

void computing_free(struct report *r)
{
	free(r->computing ? r->computing->row : NULL);
	free(r->computing);
}

const char *computing_missing(const struct profile *p)
{
	if (p->sampling.flags & SCP_SAMPLING_MIXED)
		return "the profiles were sampled at different rates";
	return p->sampling.period_ns ? NULL : filters_text(p, PROF_FILTER_UNSAMPLED, NULL);
}
