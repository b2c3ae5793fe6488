// SPDX-License-Identifier: GPL-3.0-or-later
/* What the rests around a run tell: how fast interrupts come without the program. */
#include <math.h>
#include <stdlib.h>

#include "collector/displacement/displace_private.h"

/* Of two CPUs, one may have been busy at rest: then the other's rate has to do. */
static void complete_rests(struct displace_run *run, unsigned *warnings)
{
	double value = 0, error = 0, n = 0;

	for (size_t i = 0; i < run->cpus; i++)
		if (isfinite(run->cpu[i].rest.error)) {
			value += run->cpu[i].rest.value;
			error = fmax(error, run->cpu[i].rest.error);
			n++;
		}
	for (size_t i = 0; i < run->cpus; i++) {
		struct displacement_value *rest = &run->cpu[i].rest;

		if (isfinite(rest->error))
			continue;
		/* as far off as it is large */
		*rest = n ? (struct displacement_value){value / n, fmax(error, value / n), 1}
			  : (struct displacement_value){0, INFINITY, 1};
		*warnings |= n ? 0 : DISPLACE_REST_UNKNOWN;
	}
}

static int set_rest(const struct displace *d, size_t i, struct displacement_value *rest)
{
	struct displacement_series span[2];
	int failed = displace_windows_rest_spans(d, i, span);

	*rest = displacement_rest_beside(displacement_rests(span, 2, d->switching.value));
	free((void *)(uintptr_t)span[0].window);
	free((void *)(uintptr_t)span[1].window);
	return failed;
}

int displace_rests_set(struct displace *d, struct displace_run *run)
{
	int failed = 0;

	for (size_t i = 0; i < d->cpus && !failed; i++)
		failed = set_rest(d, i, &run->cpu[i].rest);
	complete_rests(run, &d->warnings);
	return failed;
}

/* The rest before the run, and the one after it. */
static bool around(const struct displace *d, size_t i)
{
	const struct rest *r = &d->rest[i];

	return !(i + 1 < d->rests && r[1].to <= d->from) && !(i && r[-1].from >= d->to);
}

size_t displace_rests_softirqd(const struct displace *d, double rate[2])
{
	size_t n = 0;

	for (size_t i = 0; i < d->rests && n < 2; i++) {
		const struct rest *r = &d->rest[i];

		if (!around(d, i))
			continue;
		rate[n++] = r->softirqd_s / ((double)(r->to - r->from) / d->rate / 1e9);
	}
	return n;
}

double displace_rests_length(const struct displace *d)
{
	double sum = 0;

	for (size_t i = 0; i < d->rests; i++)
		if (around(d, i))
			sum += (double)(d->rest[i].to - d->rest[i].from) / d->rate / 1e9;
	return sum;
}
