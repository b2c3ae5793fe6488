// SPDX-License-Identifier: GPL-3.0-or-later
/* The account of the CPUs' time, where there is one. */
#include "report/render/html/html_write.h"

#include <math.h>

#include "report/model/displacement_file.h"
#include "report/wording/numbers.h"

static void put_cpu(struct html *h, const struct displaced_cpu *c)
{
	json_write_open(&h->json, NULL, '[');
	html_write_index(h, NULL, c->cpu < 0 ? STRING_INDEX_NONE : (uint32_t)c->cpu);
	json_write_number(&h->json, NULL, c->wall_s * 1e9);
	for (int i = 0; i < DISPLACED_PARTS; i++) {
		json_write_number(&h->json, NULL, c->part_s[i] * 1e9);
		json_write_number(&h->json, NULL, c->share[i]);
	}
	json_write_close(&h->json, ']');
}

static void put_uncharged(struct html *h, const struct displaced *d)
{
	char text[32];

	json_write_open(&h->json, "uncharged", '[');
	json_write_number(&h->json, NULL, d->uncharged_s * 1e9);
	json_write_number(&h->json, NULL, d->low_s * 1e9);
	json_write_number(&h->json, NULL, d->high_s * 1e9);
	json_write_number(&h->json, NULL, d->share_of_rusage);
	json_write_close(&h->json, ']');
	snprintf(text, sizeof(text), "%.6g %%", 100 * d->confidence);
	json_write_text(&h->json, "confidence", isfinite(d->confidence) ? text : NULL);
}

void html_displaced(struct html *h, const struct displaced *d)
{
	if (!d) {
		json_write_null(&h->json, "displaced");
		return;
	}
	json_write_open(&h->json, "displaced", '{');
	put_uncharged(h, d);
	json_write_text(&h->json, "sentence", d->sentence);
	html_write_fields(h, "parts",
			  "program uncharged others scprof interrupts stolen idle remainder");
	json_write_open(&h->json, "cpus", '[');
	for (uint32_t i = 0; i < d->cpus; i++)
		put_cpu(h, &d->cpu[i]);
	json_write_close(&h->json, ']');
	json_write_open(&h->json, "warnings", '[');
	for (uint32_t i = 0; i < d->warnings; i++)
		json_write_text(&h->json, NULL, d->warning[i]);
	json_write_close(&h->json, ']');
	json_write_close(&h->json, '}');
}
