// SPDX-License-Identifier: GPL-3.0-or-later
/* An optional chunk is one granule, so a table's calls may need several. */
#include "profile/write/write_slowest.h"

#include <string.h>

static void write_one(struct image *img, const struct prof_slowest *s, uint32_t table, uint32_t id,
		      uint32_t entry)
{
	struct scp_slowest *r = image_optional_record(img, SCP_OPTIONAL_SLOWEST, table + 1,
						      SCP_REC_SLOWEST, sizeof *r);

	if (!r)
		return;
	r->id = id;
	r->entry = entry;
	r->pid = s->pid;
	r->tid = s->tid;
	r->units = s->units;
	r->slow_units = s->slow_units;
	r->bytes = s->bytes;
	r->began_at = s->began_at;
	r->ended_mono_ns = s->ended_mono_ns;
	r->ended_real_ns = s->ended_real_ns;
	memcpy(r->name, s->name, sizeof r->name);
	r->state = s->state;
	r->runnable_ns = s->runnable_ns;
	r->asleep_ns = s->asleep_ns;
}

static void write_of_table(struct image *img, const struct profile *p, const uint32_t *entry_id,
			   uint32_t table)
{
	uint32_t written = 0;

	for (uint32_t i = 0; i < p->slowests; i++) {
		uint32_t entry = p->slowest[i].entry;

		if (p->entry[entry].table == table)
			write_one(img, &p->slowest[i], table, ++written, entry_id[entry]);
	}
	if (img->chunk)
		image_close_chunk(img);
}

void write_slowest(struct image *img, const struct profile *p, const uint32_t *entry_id)
{
	for (uint32_t t = 0; p->slowests && t < p->tables; t++)
		write_of_table(img, p, entry_id, t);
}
