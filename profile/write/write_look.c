// SPDX-License-Identifier: GPL-3.0-or-later
/* The reverse of load_look. Looks come in runs of one table each: a run has chunks of its own. */
#include "profile/write/write_look.h"

static void write_one(struct image *img, const struct prof_look *k)
{
	struct scp_look *r = image_optional_record(img, SCP_OPTIONAL_LOOK, k->table + 1,
						   SCP_REC_LOOK, sizeof *r);

	if (!r)
		return;
	r->function = k->function + 1;
	r->calls = k->calls;
	r->timed = k->timed;
	r->weight = k->weight;
	r->units = k->units;
	image_split(k->units_sq, &r->units_sq_lo, &r->units_sq_hi);
}

void write_look(struct image *img, const struct profile *p)
{
	for (uint32_t i = 0; i < p->looks; i++) {
		write_one(img, &p->look[i]);
		if (img->chunk && (i + 1 == p->looks || p->look[i + 1].table != p->look[i].table))
			image_close_chunk(img);
	}
}
