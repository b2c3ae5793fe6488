// SPDX-License-Identifier: GPL-3.0-or-later
/* Picoseconds and thousandths in the file, so that it holds no floating point. */
#include "site_cost.h"

#include <math.h>

static struct prof_cost_value value_of(int64_t ps, int64_t error_ps, uint32_t freedom_ppk)
{
	return (struct prof_cost_value){(double)ps / 1e3, (double)error_ps / 1e3,
					(double)freedom_ppk / 1e3};
}

struct prof_site_cost site_cost_load(const struct raw_file *raw, const struct raw_ref *entry)
{
	const struct raw_list *list = &raw->list[SCP_REC_SITE_COST];
	uint32_t i = raw_find(list, entry->table, entry->id, 0);
	const struct scp_site_cost *r;

	if (i == PROF_NONE)
		return (struct prof_site_cost){0};
	r = raw_record(raw, &list->ref[i]);
	return (struct prof_site_cost){
		.state = r->state,
		.group = r->group,
		.spans = r->spans,
		.run = r->run,
		.kept = (double)r->kept_ppm / 1e6,
		.busy = (double)r->busy_ppm / 1e6,
		.inflation = (double)r->inflation_ppk / 1e3,
		.uncharged =
			value_of(r->uncharged_ps, r->uncharged_error_ps, r->uncharged_freedom_ppk),
		.true_cost = value_of(r->true_ps, r->true_error_ps, r->true_freedom_ppk),
	};
}

/* Within what the reader accepts. */
static int64_t ps_of(double ns)
{
	double most = (double)SCP_SITE_COST_MAX_PS;

	return (int64_t)llround(fmin(most, fmax(-most, ns * 1e3)));
}

static uint32_t ppm_of(double share)
{
	return (uint32_t)(fmin(1, fmax(0, share)) * 1e6 + 0.5);
}

static uint32_t ppk_of(double value)
{
	return (uint32_t)fmin(UINT32_MAX, fmax(1, round(value * 1e3)));
}

void site_cost_write(struct image *img, uint32_t id, const struct prof_site_cost *cost)
{
	struct scp_site_cost *r;

	if (!cost->state)
		return;
	r = image_record(img, SCP_REC_SITE_COST, sizeof *r);
	if (!r)
		return;
	r->entry = id;
	r->state = cost->state;
	r->run = cost->run;
	r->group = cost->group;
	r->spans = cost->spans;
	r->kept_ppm = ppm_of(cost->kept);
	r->busy_ppm = ppm_of(cost->busy);
	if (cost->state != SCP_SITE_COST_KNOWN)
		return;
	r->inflation_ppk = ppk_of(cost->inflation);
	r->uncharged_ps = ps_of(cost->uncharged.ns);
	r->uncharged_error_ps = ps_of(cost->uncharged.error_ns);
	r->uncharged_freedom_ppk = ppk_of(cost->uncharged.freedom);
	r->true_ps = ps_of(cost->true_cost.ns);
	r->true_error_ps = ps_of(cost->true_cost.error_ns);
	r->true_freedom_ppk = ppk_of(cost->true_cost.freedom);
}
