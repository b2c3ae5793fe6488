// SPDX-License-Identifier: GPL-3.0-or-later
/* Picoseconds and thousandths in the file, so that it holds no floating point. */
#include "profile/model/site_cost.h"

#include <math.h>
#include <string.h>

#include "profile/base/array.h"
#include "profile/model/intern.h"

static struct prof_cost_value value_of(int64_t ps, int64_t error_ps, uint32_t freedom_ppk)
{
	return (struct prof_cost_value){(double)ps / 1e3, (double)error_ps / 1e3,
					(double)freedom_ppk / 1e3};
}

/* Where the cost of `entry` is, or would be. */
static uint32_t place_of(const struct profile *p, uint32_t entry)
{
	uint32_t low = 0, high = p->site_costs;

	/* Mostly they come in order. */
	if (high && p->site_cost[high - 1].entry < entry)
		return high;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (p->site_cost[middle].entry < entry)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct prof_site_cost *site_cost_find(const struct profile *p, uint32_t entry)
{
	uint32_t at = p->site_costs ? place_of(p, entry) : 0;

	return at < p->site_costs && p->site_cost[at].entry == entry ? &p->site_cost[at] : NULL;
}

int site_cost_note(struct profile *p, const struct prof_site_cost *cost)
{
	uint32_t at = place_of(p, cost->entry);
	struct prof_site_cost *grown;

	if (at == p->site_costs || p->site_cost[at].entry != cost->entry) {
		grown = array_room(p->site_cost, &p->index->room[MODEL_SITE_COST], p->site_costs,
				   sizeof *grown);
		if (!grown)
			return -1;
		p->site_cost = grown;
		memmove(grown + at + 1, grown + at, (p->site_costs - at) * sizeof *grown);
		p->site_costs++;
	}
	p->site_cost[at] = *cost;
	return 0;
}

/* What comes later is put into the part that is in order already. Those that come to one
 * entry do so in the order of the entries that were added to it. */
void site_cost_fold(struct profile *p, const uint32_t *to)
{
	uint32_t all = p->site_costs;

	p->site_costs = 0;
	for (uint32_t i = 0; i < all; i++) {
		struct prof_site_cost c = p->site_cost[i];
		uint32_t at;

		c.entry = to[c.entry];
		at = place_of(p, c.entry);
		if (at < p->site_costs && p->site_cost[at].entry == c.entry)
			continue;
		memmove(p->site_cost + at + 1, p->site_cost + at, (p->site_costs - at) * sizeof c);
		p->site_cost[at] = c;
		p->site_costs++;
	}
}

int site_cost_load(struct profile *p, const struct raw_file *raw, const struct raw_ref *entry,
		   uint32_t index)
{
	const struct raw_list *list = &raw->list[SCP_REC_SITE_COST];
	uint32_t i = list->count ? raw_find(list, entry->table, entry->id, 0) : PROF_NONE;
	const struct scp_site_cost *r;
	struct prof_site_cost c;

	if (i == PROF_NONE)
		return 0;
	r = raw_record(raw, &list->ref[i]);
	c = (struct prof_site_cost){
		.entry = index,
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
	return site_cost_note(p, &c);
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

void site_cost_write(struct image *img, uint32_t id, const struct profile *p, uint32_t index)
{
	const struct prof_site_cost *cost = site_cost_find(p, index);
	struct scp_site_cost *r;

	if (!cost)
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
