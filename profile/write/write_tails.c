// SPDX-License-Identifier: GPL-3.0-or-later
/* A record fills its chunk. */
#include "profile/write/write_tails.h"

#include <string.h>

static void fill(struct scp_tail *r, uint32_t id, const struct prof_sums *s)
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
		fill(r, entry_id[i], &e->sums);
		image_close_chunk(img);
	}
}
