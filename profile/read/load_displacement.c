// SPDX-License-Identifier: GPL-3.0-or-later
/* In the file these are picoseconds and thousandths, so that it holds no floating point. Accounts
 * lie in optional chunks, which readers that do not know them skip. */
#include "profile/read/load.h"

#include <math.h>

static struct prof_cost_value value_of(int64_t ps, int64_t error_ps, uint32_t freedom_ppk)
{
	return (struct prof_cost_value){(double)ps / 1e3, (double)error_ps / 1e3,
					(double)freedom_ppk / 1e3};
}

int load_displacement_site(struct profile *p, const struct raw_file *raw,
			   const struct raw_ref *entry, uint32_t index)
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

static int load_cpus(struct prof_account *a, const struct raw_file *raw, uint32_t id)
{
	const struct raw_list *list = &raw->list[SCP_REC_ACCOUNT_CPU];

	for (uint32_t i = 0; i < list->count; i++) {
		const struct scp_account_cpu *r = raw_record(raw, &list->ref[i]);
		struct prof_account_cpu cpu = {.cpu = r->cpu, .wall_ns = (double)r->wall_ns};

		if (r->account != id)
			continue;
		for (int k = 0; k < SCP_ACCOUNT_PARTS; k++)
			cpu.part_ns[k] = (double)r->part_ns[k];
		if (account_add_cpu(a, &cpu))
			return -1;
	}
	return 0;
}

static int load_texts(struct prof_account *a, const struct raw_file *raw, uint32_t id)
{
	const struct raw_list *list = &raw->list[SCP_REC_ACCOUNT_TEXT];

	for (uint32_t i = 0; i < list->count; i++) {
		const struct scp_account_text *r = raw_record(raw, &list->ref[i]);

		if (r->account == id && account_add_text(a, r->text))
			return -1;
	}
	return 0;
}

static bool known(const struct profile *p, uint64_t run)
{
	for (uint32_t i = 0; i < p->accounts; i++)
		if (p->account[i].run == run)
			return true;
	return false;
}

static int load_one(struct profile *p, const struct raw_file *raw, const struct scp_account *r)
{
	struct prof_account *a = account_add(p);

	if (!a)
		return -1;
	a->run = r->run;
	a->rusage_ns = (double)r->rusage_ns;
	a->uncharged.ns = (double)r->uncharged_ns;
	a->uncharged.error_ns =
		r->uncharged_error_ns == INT64_MAX ? INFINITY : fabs((double)r->uncharged_error_ns);
	a->uncharged.freedom = fmax(1, r->uncharged_freedom_ppk) / 1e3;
	return load_cpus(a, raw, r->id) || load_texts(a, raw, r->id) ? -1 : 0;
}

int load_displacement_accounts(struct profile *p, const struct raw_file *raw)
{
	const struct raw_list *list = &raw->list[SCP_REC_ACCOUNT];

	for (uint32_t i = 0; i < list->count; i++) {
		const struct scp_account *r = raw_record(raw, &list->ref[i]);

		if (!known(p, r->run) && load_one(p, raw, r))
			return -1;
	}
	return 0;
}
