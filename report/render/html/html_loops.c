// SPDX-License-Identifier: GPL-3.0-or-later
/* The loops of threads for the page, longest first; each row is a call, a gap, or the time left
 * over. */
#include "report/render/html/html_write.h"

#include "report/loops/loop.h"

#define LOOPS_MOST 20

static void put_row(struct html *h, const struct loop_row *row)
{
	const struct report *r = h->report;

	json_write_count(&h->json, NULL, row->kind);
	html_write_index(h, NULL, row->from < h->sites ? row->from : STRING_INDEX_NONE);
	html_write_string(h, NULL,
			  row->from < r->sites
				  ? r->profile->function[r->site[row->from].function].name
				  : "(thread start)");
	html_write_index(h, NULL, row->to < h->sites ? row->to : STRING_INDEX_NONE);
	html_write_string(h, NULL,
			  row->to < r->sites ? r->profile->function[r->site[row->to].function].name
					     : "(thread end)");
	json_write_count(&h->json, NULL, row->way);
	json_write_count(&h->json, NULL, row->states);
	json_write_count(&h->json, NULL, row->edges);
	json_write_number(&h->json, NULL, row->per_pass);
	html_write_interval(h, row->estimate.mean, row->estimate.low, row->estimate.high);
	json_write_number(&h->json, NULL, row->pass_ns);
	json_write_number(&h->json, NULL, row->permille);
	json_write_number(&h->json, NULL, row->chance);
	json_write_count(&h->json, NULL, row->overlap);
}

static void put_cycle(struct html *h, const struct loop *l, const struct loop_cycle *c)
{
	json_write_open(&h->json, NULL, '{');
	json_write_count(&h->json, "closed", c->closed);
	json_write_count(&h->json, "passes", c->passes);
	json_write_open(&h->json, "mean", '[');
	json_write_number(&h->json, NULL, c->mean_ns);
	json_write_number(&h->json, NULL, c->low_ns);
	json_write_number(&h->json, NULL, c->high_ns);
	json_write_close(&h->json, ']');
	json_write_number(&h->json, "permille", c->permille);
	json_write_open(&h->json, "rows", '[');
	for (uint32_t i = c->row; i < c->row + c->rows; i++)
		put_row(h, &l->row[i]);
	json_write_close(&h->json, ']');
	json_write_close(&h->json, '}');
}

static void put_loop(struct html *h, const struct loop *l)
{
	const struct loop_row *last = l->rows ? &l->row[l->rows - 1] : NULL;

	json_write_open(&h->json, NULL, '{');
	html_write_string(h, "thread", l->tables ? l->thread[0].name : NULL);
	json_write_count(&h->json, "tid", l->tables ? l->thread[0].tid : 0);
	json_write_count(&h->json, "others", l->threads ? l->threads - 1 : 0);
	json_write_number(&h->json, "time", l->time_ns);
	json_write_number(&h->json, "share", l->share);
	json_write_number(&h->json, "outside",
			  last && last->kind == LOOP_OUTSIDE ? last->permille : 0);
	json_write_open(&h->json, "cycles", '[');
	for (uint32_t i = 0; i < l->cycles; i++)
		put_cycle(h, l, &l->cycle[i]);
	json_write_close(&h->json, ']');
	json_write_close(&h->json, '}');
}

void html_loops(struct html *h)
{
	const struct loop_report *loops = h->report->loops;

	html_write_fields(
		h, "loop_fields",
		"kind from from_name to to_name way states edges per_pass mean low high below "
		"above pass permille chance overlap");
	json_write_count(&h->json, "loops_of", loops ? loops->loops : 0);
	json_write_open(&h->json, "loops", '[');
	for (uint32_t i = 0; loops && i < loops->loops && i < LOOPS_MOST; i++)
		put_loop(h, &loops->loop[i]);
	json_write_close(&h->json, ']');
}
