// SPDX-License-Identifier: GPL-3.0-or-later
/* Where the time of rows and of all threads went. */
#include "report/render/html/html_write.h"

#include <math.h>
#include "report/model/displacement_file.h"
#include "report/wording/numbers.h"
#include "report/model/sites.h"
#include "report/model/model.h"

static void put_part(struct html *h, const struct mean_interval *m)
{
	html_write_limits(h, m->mean, m->low, m->high);
}

/* Of each bar of the row's histogram, in its order. */
static void put_switched(struct html *h, const struct report_site *s)
{
	json_write_open(&h->json, NULL, '[');
	for (uint32_t i = 0; i < s->bars; i++)
		json_write_count(&h->json, NULL, s->bar[i].switched);
	json_write_close(&h->json, ']');
}

static void put_row(struct html *h, const struct report_site *s)
{
	const struct report_states *t = &s->states;

	json_write_number(&h->json, NULL, t->switched_share);
	json_write_count(&h->json, NULL, t->estimated);
	json_write_count(&h->json, NULL, t->readings);
	put_part(h, &t->unswitched);
	put_part(h, &t->on_cpu);
	put_part(h, &t->runnable);
	put_part(h, &t->asleep);
	put_part(h, &t->charged);
	html_write_doubts(h, NULL, states_doubts(t));
	put_switched(h, s);
}

/* Most rows of a program that computes were never switched: their mean is all on a CPU, and their
 * two numbers say so. */
static void put_rows(struct html *h)
{
	html_write_fields(h, "state_fields",
			  "row calls switched share estimated readings unswitched unswitched_low "
			  "unswitched_high on_cpu on_cpu_low on_cpu_high runnable runnable_low "
			  "runnable_high asleep asleep_low asleep_high charged charged_low "
			  "charged_high doubts bars");
	json_write_open(&h->json, "states", '[');
	for (uint32_t i = 0; i < h->sites; i++) {
		const struct report_states *t = &h->report->site[i].states;

		if (!t->known)
			continue;
		json_write_open(&h->json, NULL, '[');
		json_write_count(&h->json, NULL, i);
		json_write_count(&h->json, NULL, t->calls);
		json_write_count(&h->json, NULL, t->switched_calls);
		if (t->switched_calls || t->readings)
			put_row(h, &h->report->site[i]);
		json_write_close(&h->json, ']');
	}
	json_write_close(&h->json, ']');
}

static void put_threads(struct html *h)
{
	const struct report_threads_time *t = programs_time(h->report);
	const struct threads_cpu cpu = threads_time_cpu(h->report, t);
	const double parts_s[] = {cpu.in_calls_s, cpu.outside_s,	cpu.recording_s,
				  t->runnable_s,  t->asleep_in_calls_s, t->not_recorded_s};
	const char *mostly = threads_time_mostly(t);

	if (!mostly) {
		json_write_null(&h->json, "threads_time");
		return;
	}
	json_write_open(&h->json, "threads_time", '{');
	json_write_text(&h->json, "mostly", mostly);
	json_write_number(&h->json, "stolen", t->stolen_share);
	html_write_fields(
		h, "parts",
		"cpu_in_calls cpu_outside recording runnable asleep_in_calls not_recorded");
	json_write_open(&h->json, "ns", '[');
	for (size_t i = 0; i < sizeof(parts_s) / sizeof(*parts_s); i++)
		json_write_number(&h->json, NULL, 1e9 * parts_s[i]);
	json_write_close(&h->json, ']');
	json_write_close(&h->json, '}');
}

void html_states(struct html *h)
{
	put_rows(h);
	put_threads(h);
}

/* ---- the account of the CPUs' time, where there is one ---- */

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
	html_write_limits(h, d->uncharged_s * 1e9, d->low_s * 1e9, d->high_s * 1e9);
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
	json_write_texts(&h->json, "warnings", (const char *const *)d->warning, d->warnings);
	json_write_close(&h->json, '}');
}
