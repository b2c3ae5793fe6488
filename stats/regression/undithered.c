// SPDX-License-Identifier: GPL-3.0-or-later
/* The draws are weighted like the spans (by 1 / length), and their mean per second is subtracted,
 * so the intercept does not change. */
#include "stats/regression/site_costs.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define SPANS_A_DRAW 6

struct projection {
	size_t spans, draws;
	double *draw; /* [spans][draws], centred */
	const struct site_costs_span *span;
	double inverse[SITE_COSTS_MOST * SITE_COSTS_MOST];
};

/* `step`: number of draws in a row of `drawn`; the first p->draws of them are used. */
static void centre(struct projection *p, const double *drawn, size_t step)
{
	double time = 0;

	for (size_t i = 0; i < p->spans; i++)
		time += p->span[i].length;
	for (size_t k = 0; k < p->draws; k++) {
		double sum = 0;

		for (size_t i = 0; i < p->spans; i++)
			sum += drawn[i * step + k];
		for (size_t i = 0; i < p->spans; i++)
			p->draw[i * p->draws + k] =
				drawn[i * step + k] - sum / time * p->span[i].length;
	}
}

static void invert(struct projection *p)
{
	size_t n = p->draws;

	memset(p->inverse, 0, sizeof(p->inverse));
	for (size_t i = 0; i < p->spans; i++)
		for (size_t a = 0; a < n; a++)
			for (size_t b = 0; b < n; b++)
				p->inverse[a * n + b] +=
					p->draw[i * n + a] * p->draw[i * n + b] / p->span[i].length;
	collinearity_invert(p->inverse, n);
}

/* Removes from a column what the draws explain. Element i is at value[i * step]. */
static void project(const struct projection *p, double *value, size_t step)
{
	double product[SITE_COSTS_MOST] = {0}, slope[SITE_COSTS_MOST] = {0};
	size_t n = p->draws;

	for (size_t i = 0; i < p->spans; i++)
		for (size_t a = 0; a < n; a++)
			product[a] += p->draw[i * n + a] * value[i * step] / p->span[i].length;
	for (size_t a = 0; a < n; a++)
		for (size_t b = 0; b < n; b++)
			slope[a] += p->inverse[a * n + b] * product[b];
	for (size_t i = 0; i < p->spans; i++)
		for (size_t a = 0; a < n; a++)
			value[i * step] -= slope[a] * p->draw[i * n + a];
}

static void project_all(const struct projection *p, struct site_costs_span *span, double *calls,
			size_t sites)
{
	const size_t step = sizeof(*span) / sizeof(double);

	_Static_assert(sizeof(struct site_costs_span) % sizeof(double) == 0, "columns of doubles");
	for (size_t k = 0; k < SITE_COSTS_KINDS; k++)
		project(p, &span[0].y[k], step);
	project(p, &span[0].charged, step);
	project(p, &span[0].switches, step);
	project(p, &span[0].unexposed, step);
	for (size_t k = 0; k < sites; k++)
		project(p, &calls[k], sites);
}

int undithered_make(const struct site_costs_series *s, size_t sites, const double *drawn,
		    size_t draws, struct site_costs_series *out)
{
	size_t most = s->spans / SPANS_A_DRAW;
	size_t used = draws < most ? draws : most;
	struct projection p = {.spans = s->spans, .draws = used, .span = s->span};
	struct site_costs_span *span = calloc(s->spans + 1, sizeof(*span));
	double *calls = calloc(s->spans * sites + 1, sizeof(*calls));

	*out = (struct site_costs_series){span, calls, s->spans, s->rest};
	p.draw = calloc(s->spans * used + 1, sizeof(*p.draw));
	if (!span || !calls || !p.draw) {
		free(p.draw);
		undithered_free(out);
		return -1;
	}
	memcpy(span, s->span, s->spans * sizeof(*span));
	memcpy(calls, s->calls, s->spans * sites * sizeof(*calls));
	if (used && used <= SITE_COSTS_MOST) {
		centre(&p, drawn, draws);
		invert(&p);
		project_all(&p, span, calls, sites);
	}
	free(p.draw);
	return 0;
}

void undithered_free(struct site_costs_series *s)
{
	free((void *)(uintptr_t)s->span);
	free((void *)(uintptr_t)s->calls);
	*s = (struct site_costs_series){0};
}
