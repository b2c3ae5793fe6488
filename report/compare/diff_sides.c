// SPDX-License-Identifier: GPL-3.0-or-later
/* Sites that came or went. Rare paths differ between equal runs: a site counts as gone where it
 * made many calls in every run of its side, an appreciable share of all, and none in any run of the
 * other; and where its function did not only move to other paths. */
#include "report/compare/diff.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Calls in each run, as many as one run a side needs for a mean; and the share of a side's calls,
 * or of its time in calls that work, below which a site is rare. */
#define LEAST_CALLS DIFF_PAIR_CALLS
#define LEAST_SHARE 0.01
/* Calls of the function on new paths, of those on paths that went, that make them the same. */
#define MOVED 0.5

/* The one-sided sites of a function: neighbours when sorted. */
struct one_sided {
	struct diff_site *site;
	double calls;
	bool new;
};

static bool is_frequent(const struct diff *d, const struct diff_site *s)
{
	bool new = s->verdict.status == DIFF_ONLY_NEW;
	double calls = new ? s->new_calls : s->base_calls;
	double all = new ? d->new_calls : d->base_calls;
	double ns = new ? s->new_total_ns : s->base_total_ns;
	double all_ns = new ? d->new_total_ns : d->base_total_ns;

	for (uint32_t i = new ? d->bases : 0; i < (new ? d->profiles : d->bases); i++)
		if (s->run[i].calls < LEAST_CALLS)
			return false;
	return calls >= LEAST_SHARE * all || (!s->waiting && ns >= LEAST_SHARE * all_ns);
}

static int by_function(const void *left, const void *right)
{
	const struct one_sided *a = left, *b = right;
	int c = strcmp(a->site->symbol, b->site->symbol);

	return c ? c : strcmp(a->site->library, b->site->library);
}

/* Of one function. */
static void judge_function(struct diff *d, struct one_sided *one, uint32_t count)
{
	double calls[2] = {0, 0};

	for (uint32_t i = 0; i < count; i++)
		calls[one[i].new] += one[i].calls;
	for (uint32_t i = 0; i < count; i++) {
		struct diff_site *s = one[i].site;
		bool moved = calls[!one[i].new] >= MOVED * calls[one[i].new];

		s->counts =
			d->options.sides == DIFF_SIDES_ALL ||
			(d->options.sides == DIFF_SIDES_FREQUENT && !moved && is_frequent(d, s));
		d->gone += s->counts && !one[i].new;
		d->came += s->counts && one[i].new;
	}
}

int diff_sides_judge(struct diff *d)
{
	struct one_sided *one = calloc((size_t)d->only_base + d->only_new + 1, sizeof(*one));
	uint32_t count = 0, end;

	if (!one)
		return -1;
	for (uint32_t i = 0; i < d->sites; i++) {
		struct diff_site *s = &d->site[i];
		bool new = s->verdict.status == DIFF_ONLY_NEW;

		if (new || s->verdict.status == DIFF_ONLY_BASE)
			one[count++] =
				(struct one_sided){s, new ? s->new_calls : s->base_calls, new};
	}
	if (count)
		qsort(one, count, sizeof(*one), by_function);
	for (uint32_t i = 0; i < count; i = end) {
		for (end = i + 1; end < count && !by_function(&one[i], &one[end]);)
			end++;
		judge_function(d, one + i, end - i);
	}
	free(one);
	return 0;
}
