// SPDX-License-Identifier: GPL-3.0-or-later
/* Real numbers become whole picoseconds, nanoseconds, millionths and thousandths, cut to what the
 * reader accepts. */
#include "profile/write/image.h"

#include <math.h>
#include <string.h>

#define MOST_NS INT64_C(1000000000000000000)

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

void write_displacement_site(struct image *img, uint32_t id, const struct profile *p,
			     uint32_t index)
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

static int64_t whole(double ns)
{
	return isnan(ns) ? 0 : (int64_t)llround(fmin((double)MOST_NS, fmax((double)-MOST_NS, ns)));
}

static void *account_record(struct image *img, uint32_t type, uint64_t bytes)
{
	return image_optional_record(img, SCP_OPTIONAL_ACCOUNT, 0, type, bytes);
}

static void write_cpu(struct image *img, const struct prof_account_cpu *cpu, uint32_t id)
{
	struct scp_account_cpu *r = account_record(img, SCP_REC_ACCOUNT_CPU, sizeof *r);

	if (!r)
		return;
	r->account = id;
	r->cpu = cpu->cpu;
	r->wall_ns = (uint64_t)whole(fmax(0, cpu->wall_ns));
	for (int k = 0; k < SCP_ACCOUNT_PARTS; k++)
		r->part_ns[k] = whole(cpu->part_ns[k]);
}

static void write_text(struct image *img, const char *text, uint32_t id, uint32_t index)
{
	size_t bytes = strlen(text) + 1;
	struct scp_account_text *r = account_record(img, SCP_REC_ACCOUNT_TEXT, sizeof *r + bytes);

	if (!r)
		return;
	r->account = id;
	r->index = index;
	memcpy(r->text, text, bytes);
}

static void write_one(struct image *img, const struct prof_account *a, uint32_t id)
{
	struct scp_account *r = account_record(img, SCP_REC_ACCOUNT, sizeof *r);

	if (!r)
		return;
	r->id = id;
	r->run = a->run;
	r->uncharged_ns = whole(a->uncharged.ns);
	r->uncharged_error_ns =
		isfinite(a->uncharged.error_ns) ? whole(a->uncharged.error_ns) : INT64_MAX;
	r->uncharged_freedom_ppk =
		(uint32_t)fmin(UINT32_MAX, fmax(1, round(a->uncharged.freedom * 1e3)));
	r->rusage_ns = whole(a->rusage_ns);
	for (uint32_t i = 0; i < a->cpus; i++)
		write_cpu(img, &a->cpu[i], id);
	for (uint32_t i = 0; i < a->texts; i++)
		write_text(img, a->text[i], id, i);
}

void write_displacement_accounts(struct image *img, const struct profile *p)
{
	for (uint32_t i = 0; i < p->accounts; i++)
		write_one(img, &p->account[i], i + 1);
	if (p->accounts && img->chunk)
		image_close_chunk(img);
}
