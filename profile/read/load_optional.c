// SPDX-License-Identifier: GPL-3.0-or-later
/* Records of optional chunks that belong to no entry's sums (write_optional.c is the reverse). All
 * that a file has is taken, in the order of its ids: so what is written reads back in the same
 * order. */

#include <math.h>
#include <string.h>

#include "profile/model/model.h"
#include "profile/read/load.h"

int load_source_function(struct load *l, uint32_t i)
{
	struct scp_source_function *r = load_record(l, SCP_REC_SOURCE_FUNCTION, i);
	const struct prof_source_function f = {
		.name = r->strings,
		.file = r->strings + r->name_bytes,
		.first_line = r->first_line,
		.language = r->language,
	};

	l->map[SCP_REC_SOURCE_FUNCTION][i] = source_add_function(l->p, &f);
	return l->map[SCP_REC_SOURCE_FUNCTION][i] == PROF_NONE ? -1 : 0;
}

int load_source_line(struct load *l, uint32_t i)
{
	const struct scp_source_line *r = load_record(l, SCP_REC_SOURCE_LINE, i);
	struct prof_source_line line = {
		.function = load_index(l, SCP_REC_SOURCE_FUNCTION, 0, r->function),
	};

	PROF_COPY_RUN(&line, line, instruction, r, line, instruction);
	l->map[SCP_REC_SOURCE_LINE][i] = source_add_line(l->p, &line);
	return l->map[SCP_REC_SOURCE_LINE][i] == PROF_NONE ? -1 : 0;
}

/* In a file of one process, code of all processes is code of this one. */
int load_generated(struct load *l, uint32_t i)
{
	struct scp_generated *r = load_record(l, SCP_REC_GENERATED, i);
	const struct scp_header *h = raw_header(l->raw);
	uint32_t pid = h->flags & SCP_FILE_MERGED ? 0 : h->pid;
	const struct prof_generated g = {
		.start = r->start,
		.bytes = r->bytes,
		.pid = r->pid ? r->pid : pid,
		.name = r->name,
	};

	return source_add_generated(l->p, &g) == PROF_NONE ? -1 : 0;
}

int load_slow_call(struct load *l, uint32_t i)
{
	const struct raw_ref *ref = &l->raw->list[SCP_REC_SLOWEST].ref[i];
	const struct scp_slowest *r = raw_record(l->raw, ref);
	struct prof_slowest *s = model_add(l->p, MODEL_SLOWEST);

	if (!s)
		return -1;
	s->entry = load_index(l, SCP_REC_ENTRY, ref->table, r->entry);
	PROF_COPY_RUN(s, tid, asleep_ns, r, tid, asleep_ns);
	s->pid = r->pid ? r->pid : raw_header(l->raw)->pid;
	if (s->state > SCP_SLOWEST_READ)
		s->state = SCP_SLOWEST_UNKNOWN;
	if (s->state != SCP_SLOWEST_READ)
		s->runnable_ns = s->asleep_ns = 0;
	memset(s->name + strnlen(s->name, sizeof s->name - 1), 0, 1);
	return 0;
}

/* One that was being written when its process was killed may contradict itself: unused. */
static bool look_is_sane(const struct prof_look *k)
{
	return k->timed <= k->calls && k->timed <= k->weight && k->weight >> 48 == 0 &&
	       k->calls >> 60 == 0;
}

int load_look(struct load *l, uint32_t i)
{
	const struct raw_ref *ref = &l->raw->list[SCP_REC_LOOK].ref[i];
	const struct scp_look *r = raw_record(l->raw, ref);
	struct prof_look k = {
		.table = load_index(l, SCP_REC_TABLE, ref->table, 0),
		.function = load_index(l, SCP_REC_FUNCTION, 0, ref->id),
	};

	PROF_COPY_RUN(&k, calls, units_sq, r, calls, units_sq_hi);
	if (!k.calls || !look_is_sane(&k))
		return 0;
	struct prof_look *own = model_add(l->p, MODEL_LOOK);
	if (own)
		*own = k;
	return own ? 0 : -1;
}

/* In the file these are picoseconds and thousandths, so that it holds no floating point. Accounts
 * lie in optional chunks, which readers that do not know them skip. */

static struct prof_cost_value value_of(int64_t ps, int64_t error_ps, uint32_t freedom_ppk)
{
	return (struct prof_cost_value){(double)ps / 1e3, (double)error_ps / 1e3,
					(double)freedom_ppk / 1e3};
}

int load_displacement_site(struct profile *p, const struct raw_file *raw,
			   const struct raw_ref *entry, uint32_t index)
{
	const struct scp_site_cost *r = load_block(raw, SCP_REC_SITE_COST, entry, 0);

	if (!r)
		return 0;
	struct prof_site_cost c = {
		.entry = index,
		.kept = (double)r->kept_ppm / 1e6,
		.busy = (double)r->busy_ppm / 1e6,
		.inflation = (double)r->inflation_ppk / 1e3,
		.uncharged =
			value_of(r->uncharged_ps, r->uncharged_error_ps, r->uncharged_freedom_ppk),
		.true_cost = value_of(r->true_ps, r->true_error_ps, r->true_freedom_ppk),
	};
	PROF_SET(&c, r, state, group, spans, run);
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

int load_account(struct load *l, uint32_t i)
{
	const struct scp_account *r = load_record(l, SCP_REC_ACCOUNT, i);

	if (known(l->p, r->run))
		return 0;
	struct prof_account *a = account_add(l->p);
	if (!a)
		return -1;
	a->run = r->run;
	a->rusage_ns = (double)r->rusage_ns;
	a->uncharged.ns = (double)r->uncharged_ns;
	a->uncharged.error_ns =
		r->uncharged_error_ns == INT64_MAX ? INFINITY : fabs((double)r->uncharged_error_ns);
	a->uncharged.freedom = fmax(1, r->uncharged_freedom_ppk) / 1e3;
	return load_cpus(a, l->raw, r->id) || load_texts(a, l->raw, r->id) ? -1 : 0;
}
