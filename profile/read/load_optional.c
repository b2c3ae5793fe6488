// SPDX-License-Identifier: GPL-3.0-or-later
/* Records of optional chunks that belong to no entry's sums (write_optional.c is the reverse). All
 * that a file has is taken, in the order of its ids: so what is written reads back in the same
 * order. */

#include <math.h>
#include <string.h>

#include "profile/model/model.h"
#include "profile/read/load.h"

static int load_functions(struct profile *p, const struct raw_file *raw, uint32_t *map)
{
	const struct raw_list *list = &raw->list[SCP_REC_SOURCE_FUNCTION];

	for (uint32_t i = 0; i < list->count; i++) {
		struct scp_source_function *r = raw_record(raw, &list->ref[i]);
		const struct prof_source_function f = {
			.name = r->strings,
			.file = r->strings + r->name_bytes,
			.first_line = r->first_line,
			.language = r->language,
		};

		map[i] = source_add_function(p, &f);
		if (map[i] == PROF_NONE)
			return -1;
	}
	return 0;
}

static int load_lines(struct profile *p, const struct raw_file *raw, const uint32_t *function,
		      uint32_t *map)
{
	const struct raw_list *list = &raw->list[SCP_REC_SOURCE_LINE];
	const struct raw_list *functions = &raw->list[SCP_REC_SOURCE_FUNCTION];

	for (uint32_t i = 0; i < list->count; i++) {
		const struct scp_source_line *r = raw_record(raw, &list->ref[i]);
		struct prof_source_line l = {
			.function = function[raw_find(functions, 0, r->function, 0)],
		};

		PROF_COPY_RUN(&l, line, instruction, r, line, instruction);
		map[i] = source_add_line(p, &l);
		if (map[i] == PROF_NONE)
			return -1;
	}
	return 0;
}

/* In a file of one process, code of all processes is code of this one. */
static int load_generated(struct profile *p, const struct raw_file *raw)
{
	const struct raw_list *list = &raw->list[SCP_REC_GENERATED];
	const struct scp_header *h = raw_header(raw);
	uint32_t pid = h->flags & SCP_FILE_MERGED ? 0 : h->pid;

	for (uint32_t i = 0; i < list->count; i++) {
		struct scp_generated *r = raw_record(raw, &list->ref[i]);
		const struct prof_generated g = {
			.start = r->start,
			.bytes = r->bytes,
			.pid = r->pid ? r->pid : pid,
			.name = r->name,
		};

		if (source_add_generated(p, &g) == PROF_NONE)
			return -1;
	}
	return 0;
}

int load_source(struct profile *p, const struct raw_file *raw, uint32_t *const *map)
{
	uint32_t *function = map[SCP_REC_SOURCE_FUNCTION];

	return load_functions(p, raw, function) ||
			       load_lines(p, raw, function, map[SCP_REC_SOURCE_LINE]) ||
			       load_generated(p, raw)
		       ? -1
		       : 0;
}

static int load_slow_call(struct profile *p, const struct raw_file *raw, uint32_t *const *map,
			  const struct raw_ref *ref)
{
	const struct scp_slowest *r = raw_record(raw, ref);

	struct prof_slowest *s = model_add(p, MODEL_SLOWEST);
	if (!s)
		return -1;
	*s = (struct prof_slowest){
		.entry = load_index(raw, map, SCP_REC_ENTRY, ref->table, r->entry),
	};
	PROF_COPY_RUN(s, tid, asleep_ns, r, tid, asleep_ns);
	s->pid = r->pid ? r->pid : raw_header(raw)->pid;
	if (s->state > SCP_SLOWEST_READ)
		s->state = SCP_SLOWEST_UNKNOWN;
	if (s->state != SCP_SLOWEST_READ)
		s->runnable_ns = s->asleep_ns = 0;
	memset(s->name + strnlen(s->name, sizeof s->name - 1), 0, 1);
	return 0;
}

int load_slowest(struct profile *p, const struct raw_file *raw, uint32_t *const *map)
{
	const struct raw_list *list = &raw->list[SCP_REC_SLOWEST];

	for (uint32_t i = 0; i < list->count; i++)
		if (load_slow_call(p, raw, map, &list->ref[i]))
			return -1;
	return 0;
}

/* One that was being written when its process was killed may contradict itself: unused. */
static bool look_is_sane(const struct prof_look *k)
{
	return k->timed <= k->calls && k->timed <= k->weight && k->weight >> 48 == 0 &&
	       k->calls >> 60 == 0;
}

static int load_one_look(struct profile *p, const struct raw_file *raw, uint32_t *const *map,
			 const struct raw_ref *ref)
{
	const struct scp_look *r = raw_record(raw, ref);
	struct prof_look k = {
		.table = load_index(raw, map, SCP_REC_TABLE, ref->table, 0),
		.function = load_index(raw, map, SCP_REC_FUNCTION, 0, ref->id),
	};

	PROF_COPY_RUN(&k, calls, units_sq, r, calls, units_sq_hi);
	if (!k.calls || !look_is_sane(&k))
		return 0;
	struct prof_look *own = model_add(p, MODEL_LOOK);
	if (own)
		*own = k;
	return own ? 0 : -1;
}

int load_look(struct profile *p, const struct raw_file *raw, uint32_t *const *map)
{
	const struct raw_list *list = &raw->list[SCP_REC_LOOK];

	for (uint32_t i = 0; i < list->count; i++)
		if (load_one_look(p, raw, map, &list->ref[i]))
			return -1;
	return 0;
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
	struct prof_site_cost c = (struct prof_site_cost){
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
