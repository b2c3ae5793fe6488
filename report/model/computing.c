// SPDX-License-Identifier: GPL-3.0-or-later
/* Samples by function: that of the machine code, into which others may have been inlined; where
 * Python is on the path, the interpreter works for who called it. Shares are of the samples outside
 * of recorded calls, times those of the CPU time that the kernel charged, which is exact. */
#include "report/model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profile/base/array.h"
#include "report/containers/string_index.h"
#include "report/model/sites.h"
#include "report/wording/utf8.h"
#include "stats/mean/proportion.h"

#define BATCHES	  SCP_SAMPLE_BATCHES
#define OF_SOURCE (UINT32_MAX - 1) /* instead of a module's name */

struct sums {
	uint64_t batch[BATCHES], path_samples; /* path_samples: of the row's path */
};

struct building {
	struct report *r;
	struct report_computing *c;
	struct string_index names;
	struct pairs functions; /* name and module: the number is the row's */
	struct pairs paths;	/* path, or row, and program: the number is the path's */
	struct sums *sums;	/* by row */
	uint32_t room, sums_room, path_room;
	uint64_t all[BATCHES], outside[BATCHES], recording[BATCHES];
	struct computing_runs runs;
};

static uint64_t sum_of(const uint64_t batch[BATCHES])
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < BATCHES; i++)
		sum += batch[i];
	return sum;
}

/* Does code of that module work for who called it, where Python is on the path: the interpreter, or
 * the C library? */
static bool works_for_python(const struct profile *p, const struct prof_frame *frame)
{
	static const char *const names[] = {"python", "libpython",   "libc.",	   "libm.",
					    "ld-",    "libpthread.", "linux-vdso."};
	const char *path = frame->module < p->modules ? p->module[frame->module].path : NULL;

	for (size_t i = 0; path && i < sizeof(names) / sizeof(*names); i++)
		if (!strncmp(base_name(path), names[i], strlen(names[i])))
			return true;
	return false;
}

/* The frame of a sample's path whose function it counts for: the innermost; of a path with Python
 * functions the innermost that is neither the interpreter's nor the C library's. */
static uint32_t function_at(const struct profile *p, const struct prof_path *path)
{
	uint32_t site = path_site_of(p, path), at = 0;

	while (at < site && works_for_python(p, &path->frame[at]))
		at++;
	return at;
}

/* The row of the function that a path leads to; NULL: out of memory. */
static struct sums *row_of(struct building *b, const struct prof_path *path)
{
	static const struct symbol nothing = {.source = SYMBOL_UNKNOWN};
	const struct profile *p = b->r->profile;
	struct report_computing *c = b->c;
	uint32_t at = function_at(p, path);
	size_t count = 1;
	const struct symbol *s =
		path->frames ? frame_symbols_find(b->r, path->frame + at, &count) : &nothing;

	s += count - 1;
	uint32_t name = string_index_add(&b->names, s->function ? s->function : "");
	uint32_t module = string_index_add(&b->names, s->module ? s->module : "");

	if (path->frames && path->frame[at].module == PROF_SOURCE &&
	    path->frame[at].offset < p->source_lines) { /* many functions have one name */
		name = p->source_line[path->frame[at].offset].function;
		module = OF_SOURCE;
	}
	uint32_t row = pairs_add(&b->functions, name, module);

	if (b->names.failed)
		return NULL;
	if (!array_reach((void **)&c->row, &b->room, row, sizeof(*c->row), 0) ||
	    !array_reach((void **)&b->sums, &b->sums_room, row, sizeof(*b->sums), 0))
		return NULL;
	if (row == c->rows) {
		PROF_SET(&c->row[row], s, function, brief, module, module_name, language);
		c->rows++;
	}
	return &b->sums[row];
}

/* Of a row. -1: out of memory. */
static int add_path(struct building *b, const struct prof_sample *s, uint32_t row, uint64_t samples)
{
	const struct report *r = b->r;
	struct report_computing *c = b->c;
	uint32_t program = r->apart ? r->program_of[s->process] : REPORT_NO_PROGRAM;
	uint32_t path = pairs_add(&b->paths, r->by == REPORT_BY_PATH ? s->path : row, program);

	if (path == PAIRS_NONE ||
	    !array_reach((void **)&c->path, &b->path_room, path, sizeof(*c->path), 0))
		return -1;
	if (path == c->paths)
		c->path[c->paths++] = (struct report_computing_path){s->path, program, 0};
	c->path[path].samples += samples;
	return 0;
}

/* -1: out of memory. */
static int add_sample(struct building *b, const struct prof_sample *s)
{
	const struct profile *p = b->r->profile;
	uint64_t samples = 0;

	if (s->path != PROF_NONE && profile_leaves_out(p, s->path))
		return 0;
	for (uint32_t i = 0; i < BATCHES; i++) {
		samples += s->count[i];
		b->all[i] += s->count[i];
		b->outside[i] += s->kind == SCP_SAMPLE_IN_CALL ? 0 : s->count[i];
		b->recording[i] += s->kind == SCP_SAMPLE_RECORDING ? s->count[i] : 0;
	}
	b->c->samples += samples;
	b->c->in_calls += s->kind == SCP_SAMPLE_IN_CALL ? samples : 0;
	if (s->kind == SCP_SAMPLE_IN_CALL || !samples)
		return 0;
	if (s->kind != SCP_SAMPLE_COMPUTING)
		return computing_runs_add(&b->runs, b->r, 0, s->process, samples);
	struct sums *sums = row_of(b, &p->path[s->path]);
	if (!sums ||
	    computing_runs_add(&b->runs, b->r, 1 + (uint32_t)(sums - b->sums), s->process, samples))
		return -1;
	for (uint32_t i = 0; i < BATCHES; i++)
		sums->batch[i] += s->count[i];
	if (samples > sums->path_samples) {
		struct report_site *place = &b->c->row[sums - b->sums].place;

		sums->path_samples = samples;
		PROF_SET(place, &p->path[s->path], frame, frames);
		place->path_flags = p->path[s->path].flags;
		b->c->row[sums - b->sums].at = function_at(p, &p->path[s->path]);
	}
	return add_path(b, s, (uint32_t)(sums - b->sums), samples);
}

static double found_in(const struct profile *p)
{
	double found = 0;

	for (uint32_t i = 0; i < p->samples; i++)
		for (unsigned k = 0; k < BATCHES; k++)
			found += p->sample[i].count[k];
	return found;
}

#define DEVIATIONS 5   /* of a number of samples, which are at random */
#define FEW	   3   /* samples more or less say nothing */
#define ALIKE	   0.2 /* of it: with more than that, accounts are of other processes */

static bool may_be_of(double samples, double expected)
{
	return fabs(samples - expected) <=
	       fmax(ALIKE * expected, DEVIATIONS * sqrt(expected) + FEW);
}

/* A process that outlives the command is in no account but its own, and without calls in none:
 * where there are far more samples than the command's account allows, they tell. */
double computing_charged_ns(const struct profile *p)
{
	bool user = p->sampling.flags & SCP_SAMPLING_USER;
	double period = (double)p->sampling.period_ns, known = (double)p->sampling.cpu_ns;
	double own = !user && p->usage.known & SCP_USAGE_CPU ? (double)p->usage.cpu_ns : 0;
	double found = found_in(p);

	if (!(known > 0) || (own > known && found * period > (own + known) / 2))
		known = own;
	if (!(known > 0) || !(period > 0) || found < known / period)
		return known;
	return may_be_of(found, known / period) ? known : found * period;
}

/* In ns; 0: not known. */
static double charged_ns(const struct profile *p)
{
	return p->below.filtered ? 0 : computing_charged_ns(p);
}

/* CPU time that all samples stand for, in s: charged by the kernel, or where that is not known as
 * their number says. */
static double cpu_of(const struct building *b)
{
	const struct profile *p = b->r->profile;

	return (charged_ns(p) ?: (double)b->c->samples * (double)p->sampling.period_ns) / 1e9;
}

/* The standard error of a CPU time, which is a proportion of one that is known: of one with all or
 * no samples too, by one more of each. */
static double cpu_error(const struct building *b, const uint64_t batch[BATCHES])
{
	double low, high, all = (double)b->c->samples;
	double p = ((double)sum_of(batch) + 1) / (all + 2);
	double effective =
		proportion_batches(batch, b->all, BATCHES, b->r->confidence, &low, &high);

	return (b->c->cpu_s + b->c->in_calls_cpu_s) * sqrt(p * (1 - p) / effective);
}

static void estimate(const struct building *b, struct report_computing_row *row,
		     const uint64_t batch[BATCHES])
{
	uint64_t all = sum_of(b->outside);

	row->samples = sum_of(batch);
	row->share = all ? (double)row->samples / (double)all : 0;
	row->cpu_s = row->share * b->c->cpu_s;
	row->cpu_error_s = cpu_error(b, batch);
	double effective = proportion_batches(batch, b->outside, BATCHES, b->r->confidence,
					      &row->share_low, &row->share_high);

	b->c->effective = fmin(b->c->effective, effective);
}

ARRAY_COMPARE(by_samples, struct report_computing_row,
	      ARRAY_ORDER(b->samples, a->samples)
		      ?: strcmp(a->function ?: "", b->function ?: "")
		      ?: strcmp(a->module ?: "", b->module ?: ""))

ARRAY_COMPARE(by_path_samples, struct report_computing_path,
	      ARRAY_ORDER(b->samples, a->samples) ?: PROF_ORDER(a, b, path, program))

/* -1: out of memory. */
static int estimate_all(struct building *b)
{
	struct report_computing *c = b->c;
	double cpu_s = cpu_of(b), outside = (double)(c->samples - c->in_calls);

	c->cpu_s = cpu_s * outside / (double)c->samples;
	c->in_calls_cpu_s = cpu_s * (double)c->in_calls / (double)c->samples;
	c->effective = outside;
	estimate(b, &c->recording, b->recording);
	for (uint32_t i = 0; i < c->rows; i++)
		estimate(b, &c->row[i], b->sums[i].batch);
	if (computing_runs_widen(&b->runs, b->r))
		return -1;
	ARRAY_SORT(c->row, c->rows, by_samples);
	ARRAY_SORT(c->path, c->paths, by_path_samples);
	return 0;
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
		status = estimate_all(&b);
	string_index_clear(&b.names);
	pairs_clear(&b.functions);
	pairs_clear(&b.paths);
	PROF_FREE(&b, sums, runs.samples);
	return status;
}

struct report *computing_report(const struct profile *p, struct symbolizer *symbols,
				double confidence)
{
	struct report *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->profile = p;
	r->confidence = confidence;
	r->symbols = symbols ? symbols : symbolize_new(p);
	if (r->symbols && computing_find(r) == 0)
		return r;
	r->symbols = r->symbols == symbols ? NULL : r->symbols;
	computing_report_free(r);
	return NULL;
}

void computing_report_free(struct report *r)
{
	if (!r)
		return;
	frame_symbols_free(r);
	computing_free(r);
	free(r);
}

void computing_free(struct report *r)
{
	if (r->computing)
		PROF_FREE(r->computing, row, path);
	free(r->computing);
}

struct report_site computing_site(const struct report *r, uint32_t path)
{
	const struct report_computing *c = r->computing;
	const struct report_computing_path *at = &c->path[path];
	const struct prof_path *p = &r->profile->path[at->path];
	bool whole = r->by == REPORT_BY_PATH;

	return (struct report_site){
		.function = PROF_NONE,
		.program = at->program,
		.frame = whole ? p->frame : p->frame + function_at(r->profile, p),
		.frames = whole || !p->frames ? p->frames : 1,
		.path_flags = whole ? p->flags : 0,
		.total_ns =
			1e9 * c->cpu_s * (double)at->samples / (double)(c->samples - c->in_calls),
	};
}

#define LEAST_LOST 0.05

double computing_lost(const struct profile *p)
{
	bool user = p->sampling.flags & SCP_SAMPLING_USER; /* then all that is lost is ours */
	bool whole = !(p->flags & SCP_FILE_WINDOWS || p->sampling.flags & SCP_SAMPLING_MIXED);
	double found = found_in(p), all, part;

	if (!p->sampling.lost || !p->sampling.period_ns || !whole)
		return 0;
	all = user ? found + (double)p->sampling.lost
		   : charged_ns(p) / (double)p->sampling.period_ns;
	part = all > 0 ? 1 - found / all : 0;
	return part > LEAST_LOST && part * sqrt(all) > DEVIATIONS ? part : 0;
}

const char *computing_missing(const struct profile *p)
{
	if (p->sampling.flags & SCP_SAMPLING_MIXED)
		return "the profiles were sampled at different rates";
	return p->sampling.period_ns ? NULL : filters_text(p, PROF_FILTER_UNSAMPLED, NULL);
}
