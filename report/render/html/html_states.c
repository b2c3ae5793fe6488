// SPDX-License-Identifier: GPL-3.0-or-later
/* Where the time of rows and of all threads went. */
#include "report/render/html/html_write.h"

#include <math.h>
#include "report/model/displacement_file.h"
#include "report/model/sites.h"
#include "report/model/model.h"

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
	const struct mean_interval *part[] = {&t->unswitched, &t->on_cpu, &t->runnable, &t->asleep,
					      &t->charged};

	html_write_numbers(h, t->switched_share);
	html_write_counts(h, t->estimated, t->readings);
	for (size_t i = 0; i < sizeof(part) / sizeof(*part); i++)
		html_write_numbers(h, part[i]->mean, part[i]->low, part[i]->high);
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
		html_write_counts(h, i, t->calls, t->switched_calls);
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
	const char *mostly = threads_time_mostly(t);

	if (!json_write_open_known(&h->json, "threads_time", mostly))
		return;
	json_write_text(&h->json, "mostly", mostly);
	json_write_number(&h->json, "stolen", t->stolen_share);
	html_write_fields(
		h, "parts",
		"cpu_in_calls cpu_outside recording runnable asleep_in_calls not_recorded");
	json_write_open(&h->json, "ns", '[');
	html_write_numbers(h, 1e9 * cpu.in_calls_s, 1e9 * cpu.outside_s, 1e9 * cpu.recording_s,
			   1e9 * t->runnable_s, 1e9 * t->asleep_in_calls_s,
			   1e9 * t->not_recorded_s);
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
	html_write_numbers(h, c->wall_s * 1e9);
	for (int i = 0; i < DISPLACED_PARTS; i++)
		html_write_numbers(h, c->part_s[i] * 1e9, c->share[i]);
	json_write_close(&h->json, ']');
}

static void put_uncharged(struct html *h, const struct displaced *d)
{
	char text[32];

	json_write_open(&h->json, "uncharged", '[');
	html_write_numbers(h, d->uncharged_s * 1e9, d->low_s * 1e9, d->high_s * 1e9,
			   d->share_of_rusage);
	json_write_close(&h->json, ']');
	snprintf(text, sizeof(text), "%.6g %%", 100 * d->confidence);
	json_write_text(&h->json, "confidence", isfinite(d->confidence) ? text : NULL);
}

void html_displaced(struct html *h, const struct displaced *d)
{
	if (!json_write_open_known(&h->json, "displaced", d))
		return;
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
