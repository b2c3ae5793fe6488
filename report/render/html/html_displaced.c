// SPDX-License-Identifier: GPL-3.0-or-later
/* The account of the CPUs' time beside the profile, where one was given. */
#include "report/render/html/html_write.h"

#include <math.h>

#include "report/model/displacement_file.h"
#include "report/wording/numbers.h"

static void put_cpu(struct html *h, const struct displaced_cpu *c)
{
	html_write_open(h, '[');
	html_write_index(h, c->cpu < 0 ? NAMES_NONE : (uint32_t)c->cpu);
	html_write_number(h, c->wall_s * 1e9);
	for (int i = 0; i < DISPLACED_PARTS; i++) {
		html_write_number(h, c->part_s[i] * 1e9);
		html_write_number(h, c->share[i]);
	}
	html_write_close(h, ']');
}

static void put_uncharged(struct html *h, const struct displaced *d)
{
	char text[32];

	html_write_key(h, "uncharged");
	html_write_open(h, '[');
	html_write_number(h, d->uncharged_s * 1e9);
	html_write_number(h, d->low_s * 1e9);
	html_write_number(h, d->high_s * 1e9);
	html_write_number(h, d->share_of_rusage);
	html_write_close(h, ']');
	snprintf(text, sizeof(text), "%.6g %%", 100 * d->confidence);
	html_write_key(h, "confidence");
	html_write_text(h, isfinite(d->confidence) ? text : NULL);
}

void html_displaced(struct html *h, const struct displaced *d)
{
	html_write_key(h, "displaced");
	if (!d) {
		html_write_number(h, NAN);
		return;
	}
	html_write_open(h, '{');
	put_uncharged(h, d);
	html_write_key(h, "sentence");
	html_write_text(h, d->sentence);
	html_write_fields(h, "parts",
			  "program uncharged others scprof interrupts stolen idle remainder");
	html_write_key(h, "cpus");
	html_write_open(h, '[');
	for (uint32_t i = 0; i < d->cpus; i++)
		put_cpu(h, &d->cpu[i]);
	html_write_close(h, ']');
	html_write_key(h, "warnings");
	html_write_open(h, '[');
	for (uint32_t i = 0; i < d->warnings; i++)
		html_write_text(h, d->warning[i]);
	html_write_close(h, ']');
	html_write_close(h, '}');
}
