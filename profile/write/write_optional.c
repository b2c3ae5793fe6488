// SPDX-License-Identifier: GPL-3.0-or-later
/* Records of optional chunks that belong to no entry's sums. */

#include <math.h>
#include <string.h>

#include "profile/write/image.h"

static void write_function(struct image *img, const struct prof_source_function *f, uint32_t id)
{
	size_t name_bytes = strlen(f->name) + 1, file_bytes = strlen(f->file) + 1;
	struct scp_source_function *r = image_record(img, SCP_REC_SOURCE_FUNCTION,
						     offsetof(struct scp_source_function, strings) +
							     name_bytes + file_bytes);

	if (!r)
		return;
	r->id = id;
	PROF_SET(r, f, language, first_line);
	r->name_bytes = (uint32_t)name_bytes;
	r->file_bytes = (uint32_t)file_bytes;
	memcpy(r->strings, f->name, name_bytes);
	memcpy(r->strings + name_bytes, f->file, file_bytes);
}

static void write_line(struct image *img, const struct prof_source_line *l, uint32_t id)
{
	struct scp_source_line r = {.id = id, .function = l->function + 1};

	PROF_COPY_RUN(&r, line, instruction, l, line, instruction);
	image_copy(img, SCP_REC_SOURCE_LINE, &r, sizeof r);
}

static void write_generated(struct image *img, const struct prof_generated *g, uint32_t id)
{
	size_t name_bytes = strlen(g->name) + 1;
	struct scp_generated *r = image_record(img, SCP_REC_GENERATED,
					       offsetof(struct scp_generated, name) + name_bytes);

	if (!r)
		return;
	r->id = id;
	PROF_SET(r, g, start, bytes, pid);
	r->name_bytes = (uint32_t)name_bytes;
	memcpy(r->name, g->name, name_bytes);
}

/* Functions stand before the lines that name them. */
void write_source(struct image *img, const struct profile *p)
{
	for (uint32_t i = 0; i < p->source_functions; i++)
		write_function(img, &p->source_function[i], i + 1);
	for (uint32_t i = 0; i < p->source_lines; i++)
		write_line(img, &p->source_line[i], i + 1);
	for (uint32_t i = 0; i < p->generateds; i++)
		write_generated(img, &p->generated[i], i + 1);
}

void write_look(struct image *img, const struct profile *p)
{
	for (const struct prof_look *k = p->look; k < p->look + p->looks; k++) {
		struct scp_look r = {.function = k->function + 1};

		PROF_COPY_RUN(&r, calls, units_sq_hi, k, calls, units_sq);
		img->table = k->table + 1;
		image_copy(img, SCP_REC_LOOK, &r, sizeof r);
	}
}

static void write_slow_call(struct image *img, const struct prof_slowest *s, uint32_t id,
			    uint32_t entry)
{
	struct scp_slowest r = {.id = id, .entry = entry};

	PROF_COPY_RUN(&r, tid, asleep_ns, s, tid, asleep_ns);
	image_copy(img, SCP_REC_SLOWEST, &r, sizeof r);
}

void write_slowest(struct image *img, const struct profile *p, const uint32_t *entry_id)
{
	for (uint32_t t = 0; p->slowests && t < p->tables; t++) {
		uint32_t written = 0;

		img->table = t + 1;
		for (uint32_t i = 0; i < p->slowests; i++) {
			uint32_t entry = p->slowest[i].entry;

			if (p->entry[entry].table == t)
				write_slow_call(img, &p->slowest[i], ++written, entry_id[entry]);
		}
	}
}

static void fill_tail(struct scp_tail *r, uint32_t id, const struct prof_sums *s)
{
	const struct prof_tail *tail = s->tail;

	r->entry = id;
	r->first = (uint16_t)tail->first;
	r->octaves = (uint16_t)tail->octaves;
	memcpy(r->calls, tail->calls, s->batches.count * sizeof r->calls[0]);
	for (uint32_t i = 0; i < s->batches.count; i++)
		for (uint32_t k = 0; k < SCP_TAIL_OCTAVES; k++)
			r->base[k] += r->calls[i][k];
}

void write_tails(struct image *img, const struct profile *p, const uint32_t *entry_id)
{
	for (uint32_t i = 0; i < p->entries; i++) {
		const struct prof_entry *e = &p->entry[i];
		struct scp_tail *r;

		if (!e->sums.tail || !e->sums.batches.count)
			continue;
		img->table = e->table + 1;
		r = image_record(img, SCP_REC_TAIL, sizeof *r);
		if (r)
			fill_tail(r, entry_id[i], &e->sums);
	}
}

void write_ends(struct image *img, const struct profile *p)
{
	for (uint32_t i = 0; i < p->processes; i++) {
		const struct prof_process *q = &p->process[i];
		const struct scp_end r = {.process = i + 1,
					  .seen = q->end.seen,
					  .value = q->end.value,
					  .run = q->run};

		if (q->end.seen != SCP_END_UNSEEN || q->run)
			image_copy(img, SCP_REC_END, &r, sizeof r);
	}
}

void write_attached(struct image *img, const struct profile *p)
{
	for (uint32_t i = 0; i < p->processes; i++) {
		const struct prof_attached *a = &p->process[i].attached;
		struct scp_attached r = {.process = i + 1};

		PROF_COPY_RUN(&r, flags, pid, a, flags, pid);
		if (a->known)
			image_copy(img, SCP_REC_ATTACH, &r, sizeof r);
	}
}

/* Real numbers become whole picoseconds, nanoseconds, millionths and thousandths, cut to what the
 * reader accepts. */

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
	PROF_SET(r, cost, state, run, group, spans);
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

static void write_cpu(struct image *img, const struct prof_account_cpu *cpu, uint32_t id)
{
	struct scp_account_cpu r = {
		.account = id, .cpu = cpu->cpu, .wall_ns = (uint64_t)whole(fmax(0, cpu->wall_ns))};

	for (int k = 0; k < SCP_ACCOUNT_PARTS; k++)
		r.part_ns[k] = whole(cpu->part_ns[k]);
	image_copy(img, SCP_REC_ACCOUNT_CPU, &r, sizeof r);
}

static void write_text(struct image *img, const char *text, uint32_t id, uint32_t index)
{
	size_t bytes = strlen(text) + 1;
	struct scp_account_text *r = image_record(img, SCP_REC_ACCOUNT_TEXT, sizeof *r + bytes);

	if (!r)
		return;
	r->account = id;
	r->index = index;
	memcpy(r->text, text, bytes);
}

static void write_one(struct image *img, const struct prof_account *a, uint32_t id)
{
	const struct prof_cost_value *u = &a->uncharged;
	const struct scp_account r = {
		.id = id,
		.run = a->run,
		.uncharged_ns = whole(u->ns),
		.uncharged_error_ns = isfinite(u->error_ns) ? whole(u->error_ns) : INT64_MAX,
		.uncharged_freedom_ppk = ppk_of(u->freedom),
		.rusage_ns = whole(a->rusage_ns)};

	image_copy(img, SCP_REC_ACCOUNT, &r, sizeof r);
	for (uint32_t i = 0; i < a->cpus; i++)
		write_cpu(img, &a->cpu[i], id);
	for (uint32_t i = 0; i < a->texts; i++)
		write_text(img, a->text[i], id, i);
}

void write_displacement_accounts(struct image *img, const struct profile *p)
{
	for (uint32_t i = 0; i < p->accounts; i++)
		write_one(img, &p->account[i], i + 1);
}
