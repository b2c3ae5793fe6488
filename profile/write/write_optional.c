// SPDX-License-Identifier: GPL-3.0-or-later
/* Records of optional chunks that belong to no entry's sums. A chunk is one granule, so that
 * several may be needed. */
#include <string.h>

#include "profile/write/image.h"

static void close_open(struct image *img)
{
	if (img->chunk)
		image_close_chunk(img);
}

static void write_function(struct image *img, const struct prof_source_function *f, uint32_t id)
{
	size_t name_bytes = strlen(f->name) + 1, file_bytes = strlen(f->file) + 1;
	struct scp_source_function *r = image_optional_record(
		img, SCP_OPTIONAL_SOURCE, 0, SCP_REC_SOURCE_FUNCTION,
		offsetof(struct scp_source_function, strings) + name_bytes + file_bytes);

	if (!r)
		return;
	r->id = id;
	r->language = f->language;
	r->first_line = f->first_line;
	r->name_bytes = (uint32_t)name_bytes;
	r->file_bytes = (uint32_t)file_bytes;
	memcpy(r->strings, f->name, name_bytes);
	memcpy(r->strings + name_bytes, f->file, file_bytes);
}

static void write_line(struct image *img, const struct prof_source_line *l, uint32_t id)
{
	struct scp_source_line r = {.id = id, .function = l->function + 1};

	PROF_COPY_RUN(&r, line, instruction, l, line, instruction);
	image_optional_copy(img, SCP_OPTIONAL_SOURCE, 0, SCP_REC_SOURCE_LINE, &r, sizeof r);
}

static void write_generated(struct image *img, const struct prof_generated *g, uint32_t id)
{
	size_t name_bytes = strlen(g->name) + 1;
	struct scp_generated *r =
		image_optional_record(img, SCP_OPTIONAL_SOURCE, 0, SCP_REC_GENERATED,
				      offsetof(struct scp_generated, name) + name_bytes);

	if (!r)
		return;
	r->id = id;
	r->start = g->start;
	r->bytes = g->bytes;
	r->pid = g->pid;
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
	close_open(img);
}

/* Looks come in runs of one table each: a run has chunks of its own. */
void write_look(struct image *img, const struct profile *p)
{
	for (uint32_t i = 0; i < p->looks; i++) {
		const struct prof_look *k = &p->look[i];
		struct scp_look r = {.function = k->function + 1};

		PROF_COPY_RUN(&r, calls, units_sq_hi, k, calls, units_sq);
		image_optional_copy(img, SCP_OPTIONAL_LOOK, k->table + 1, SCP_REC_LOOK, &r,
				    sizeof r);
		if (i + 1 == p->looks || p->look[i + 1].table != k->table)
			close_open(img);
	}
}

static void write_slow_call(struct image *img, const struct prof_slowest *s, uint32_t table,
			    uint32_t id, uint32_t entry)
{
	struct scp_slowest r = {.id = id, .entry = entry};

	PROF_COPY_RUN(&r, tid, asleep_ns, s, tid, asleep_ns);
	image_optional_copy(img, SCP_OPTIONAL_SLOWEST, table + 1, SCP_REC_SLOWEST, &r, sizeof r);
}

void write_slowest(struct image *img, const struct profile *p, const uint32_t *entry_id)
{
	for (uint32_t t = 0; p->slowests && t < p->tables; t++) {
		uint32_t written = 0;

		for (uint32_t i = 0; i < p->slowests; i++) {
			uint32_t entry = p->slowest[i].entry;

			if (p->entry[entry].table == t)
				write_slow_call(img, &p->slowest[i], t, ++written, entry_id[entry]);
		}
		close_open(img);
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
	for (uint32_t i = 0; i < p->entries && !img->failed; i++) {
		const struct prof_entry *e = &p->entry[i];
		struct scp_tail *r;

		if (!e->sums.tail || !e->sums.batches.count)
			continue;
		r = image_optional_record(img, SCP_OPTIONAL_TAIL, e->table + 1, SCP_REC_TAIL,
					  sizeof *r);
		if (!r)
			return;
		fill_tail(r, entry_id[i], &e->sums);
		image_close_chunk(img);
	}
}

void write_ends(struct image *img, const struct profile *p)
{
	for (uint32_t i = 0; i < p->processes; i++) {
		const struct prof_end *end = &p->process[i].end;
		const struct scp_end r = {.process = i + 1, .seen = end->seen, .value = end->value};

		if (end->seen != SCP_END_UNSEEN)
			image_optional_copy(img, SCP_OPTIONAL_ENDS, 0, SCP_REC_END, &r, sizeof r);
	}
	close_open(img);
}

void write_attached(struct image *img, const struct profile *p)
{
	for (uint32_t i = 0; i < p->processes; i++) {
		const struct prof_attached *a = &p->process[i].attached;
		struct scp_attached r = {.process = i + 1};

		PROF_COPY_RUN(&r, flags, pid, a, flags, pid);
		if (a->known)
			image_optional_copy(img, SCP_OPTIONAL_ATTACH, 0, SCP_REC_ATTACH, &r,
					    sizeof r);
	}
	close_open(img);
}
