// SPDX-License-Identifier: GPL-3.0-or-later
/* The account of a profile, in the form of one that was read from a file. */
#include "report/model/displacement_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/displacement/displacement.h"

_Static_assert((int)DISPLACED_PARTS == (int)SCP_ACCOUNT_PARTS &&
		       (int)DISPLACED_UNCHARGED == (int)SCP_ACCOUNT_UNCHARGED &&
		       (int)DISPLACED_REMAINDER == (int)SCP_ACCOUNT_REMAINDER,
	       "the same parts in the same order");

static void set_shares(struct displaced_cpu *c)
{
	for (int i = 0; i < DISPLACED_PARTS; i++)
		c->share[i] = c->wall_s > 0 ? c->part_s[i] / c->wall_s : NAN;
}

/* All together come last, where there are several. */
static int take_cpus(struct displaced *d, const struct prof_account *a)
{
	struct displaced_cpu all = {.cpu = -1};

	d->cpu = calloc((size_t)a->cpus + 1, sizeof(*d->cpu));
	if (!d->cpu)
		return -1;
	for (uint32_t i = 0; i < a->cpus; i++) {
		struct displaced_cpu *c = &d->cpu[d->cpus++];

		c->cpu = (int)(a->cpu[i].cpu & INT32_MAX);
		c->wall_s = a->cpu[i].wall_ns / 1e9;
		all.wall_s += c->wall_s;
		for (int k = 0; k < DISPLACED_PARTS; k++) {
			c->part_s[k] = a->cpu[i].part_ns[k] / 1e9;
			all.part_s[k] += c->part_s[k];
		}
		set_shares(c);
	}
	set_shares(&all);
	if (a->cpus > 1)
		d->cpu[d->cpus++] = all;
	return 0;
}

static int take_texts(struct displaced *d, const struct prof_account *a)
{
	d->warning = calloc((size_t)a->texts + 1, sizeof(*d->warning));
	if (!d->warning)
		return -1;
	for (uint32_t i = 0; i < a->texts; i++) {
		char *copy = strdup(a->text[i]);

		if (!copy)
			return -1;
		if (i == 0)
			d->sentence = copy;
		else
			d->warning[d->warnings++] = copy;
	}
	return 0;
}

/* As in the account that was printed when it was recorded. */
static double hidden(const struct prof_account *a)
{
	double others = 0, wall = 0, sum = 0;

	for (uint32_t i = 0; i < a->cpus; i++) {
		const double *part = a->cpu[i].part_ns;

		others += part[SCP_ACCOUNT_OTHERS] + fmax(0, part[SCP_ACCOUNT_REMAINDER]);
		wall += a->cpu[i].wall_ns;
	}
	for (uint32_t i = 0; i < a->cpus; i++) {
		const double *part = a->cpu[i].part_ns;

		sum += displacement_hidden(
			part[SCP_ACCOUNT_UNCHARGED],
			part[SCP_ACCOUNT_UNCHARGED] + part[SCP_ACCOUNT_INTERRUPTS] +
				part[SCP_ACCOUNT_IDLE],
			part[SCP_ACCOUNT_OTHERS] + fmax(0, part[SCP_ACCOUNT_REMAINDER]),
			displacement_is_bound(others, wall));
	}
	return sum / 1e9;
}

static void take_uncharged(struct displaced *d, const struct prof_account *a, double confidence)
{
	struct displacement_value v = {a->uncharged.ns / 1e9, a->uncharged.error_ns / 1e9,
				       a->uncharged.freedom};

	d->confidence = confidence;
	d->uncharged_s = d->low_s = d->high_s = d->share_of_rusage = NAN;
	if (!isfinite(v.error))
		return;
	d->uncharged_s = v.value;
	displacement_limits(v, confidence, &d->low_s, &d->high_s);
	d->high_s += hidden(a);
	if (a->rusage_ns > 0)
		d->share_of_rusage = a->uncharged.ns / a->rusage_ns;
}

struct displaced *displacement_recorded_read(const struct profile *p, double confidence)
{
	const struct prof_account *a = p->account;
	struct displaced *d = p->accounts == 1 && a->cpus ? calloc(1, sizeof(*d)) : NULL;

	if (!d)
		return NULL;
	take_uncharged(d, a, confidence);
	if (take_cpus(d, a) == 0 && take_texts(d, a) == 0)
		return d;
	displacement_file_free(d);
	return NULL;
}
