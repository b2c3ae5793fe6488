// SPDX-License-Identifier: GPL-3.0-or-later
/* Traces are read whole and never freed: they serve all runs. */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/bench/coverage/heldout/traces.h"

/* A block is a fiftieth of the trace on average: long enough to keep its dependence, and many
 * enough to make runs differ. */
#define BLOCKS 50

struct place {
	uint64_t at;
};

static double begin(struct stream *s, struct dice *d)
{
	const struct trace *t = s->law->data;

	STREAM_STATE_OF(struct place, s)->at = (uint64_t)(dice_unit(d) * (double)t->count);
	return t->mean;
}

static double next(struct stream *s, struct dice *d)
{
	struct place *p = STREAM_STATE_OF(struct place, s);
	const struct trace *t = s->law->data;
	double ticks = (double)t->ticks[p->at];

	if (++p->at == t->count)
		p->at = 0;
	if (s->law->a > 0 && dice_unit(d) * s->law->a < 1)
		p->at = (uint64_t)(dice_unit(d) * (double)t->count);
	return ticks;
}

struct stream_law traces_law(const struct trace *t, const char *name, double blocks)
{
	return (struct stream_law){.name = name,
				   .begin = begin,
				   .next = next,
				   .a = blocks,
				   .data = t,
				   .dependent = true};
}

bool traces_reach(const struct stream_law *law, uint64_t n)
{
	const struct trace *t = law->data;

	return law->begin != begin || law->a > 0 || 2 * n <= t->count;
}

/* False: not a trace. */
static bool read_ticks(const char *path, struct trace *t)
{
	FILE *f = fopen(path, "rb");
	uint64_t *ticks = NULL;
	long size;

	if (!f)
		return false;
	if (fseek(f, 0, SEEK_END) == 0 && (size = ftell(f)) >= (long)sizeof *ticks &&
	    fseek(f, 0, SEEK_SET) == 0 && (ticks = malloc((size_t)size))) {
		double sum = 0;

		t->count = fread(ticks, sizeof *ticks, (size_t)size / sizeof *ticks, f);
		for (uint64_t i = 0; i < t->count; i++)
			sum += (double)ticks[i];
		t->mean = sum / (double)t->count;
		t->ticks = ticks;
	}
	fclose(f);
	return ticks && t->count && t->mean > 0;
}

static bool load(const char *path, struct stream_law law[2])
{
	const char *base = strrchr(path, '/') + 1;
	struct trace *t = calloc(1, sizeof *t);
	char *name = malloc(2 * sizeof t->name);

	if (!t || !name || !read_ticks(path, t)) {
		fprintf(stderr, "coverage: %s: no trace\n", path);
		free(t);
		free(name);
		return false;
	}
	snprintf(t->name, sizeof t->name, "%.*s", (int)(strlen(base) - strlen(".ticks")), base);
	snprintf(name, sizeof t->name, "%.55s/stretch", t->name);
	snprintf(name + sizeof t->name, sizeof t->name, "%.55s/blocks", t->name);
	law[0] = traces_law(t, name, 0);
	law[1] = traces_law(t, name + sizeof t->name, (double)t->count / BLOCKS);
	return true;
}

int traces_load(const char *folder, struct stream_law law[2 * TRACES_MOST])
{
	char pattern[512];
	glob_t found;
	int count = 0;

	snprintf(pattern, sizeof pattern, "%s/*.ticks", folder);
	if (glob(pattern, 0, NULL, &found)) {
		fprintf(stderr, "coverage: no traces in %s\n", folder);
		return -1;
	}
	for (size_t i = 0; i < found.gl_pathc && count < 2 * TRACES_MOST; i++, count += 2)
		if (!load(found.gl_pathv[i], &law[count])) {
			count = -1;
			break;
		}
	globfree(&found);
	return count;
}
