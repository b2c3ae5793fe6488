// SPDX-License-Identifier: GPL-3.0-or-later
/* What threads do over and over, for the page: the loops of the model as they are, longest first,
 * each row a step, what follows it, or what is left over. */
#include "report/render/html/html_write.h"

#include "report/loops/loop.h"

#define LOOPS_MOST 20

static void put_row(struct html *h, const struct loop_row *row)
{
	const struct report *r = h->report;

	html_write_count(h, row->kind);
	html_write_index(h, row->from < h->sites ? row->from : NAMES_NONE);
	html_write_string(h, row->from < r->sites
				     ? r->profile->function[r->site[row->from].function].name
				     : "(thread start)");
	html_write_index(h, row->to < h->sites ? row->to : NAMES_NONE);
	html_write_string(h, row->to < r->sites
				     ? r->profile->function[r->site[row->to].function].name
				     : "(thread end)");
	html_write_count(h, row->way);
	html_write_count(h, row->states);
	html_write_count(h, row->edges);
	html_write_number(h, row->per_pass);
	html_write_number(h, row->estimate.mean_ns);
	html_write_number(h, row->estimate.low_ns);
	html_write_number(h, row->estimate.high_ns);
	html_write_relative(h, row->estimate.mean_ns, row->estimate.low_ns, row->estimate.high_ns);
	html_write_number(h, row->pass_ns);
	html_write_number(h, row->permille);
	html_write_number(h, row->chance);
	html_write_count(h, row->overlap);
}

static void put_cycle(struct html *h, const struct loop *l, const struct loop_cycle *c)
{
	html_write_open(h, '{');
	html_write_key(h, "closed");
	html_write_count(h, c->closed);
	html_write_key(h, "passes");
	html_write_count(h, c->passes);
	html_write_key(h, "mean");
	html_write_open(h, '[');
	html_write_number(h, c->mean_ns);
	html_write_number(h, c->low_ns);
	html_write_number(h, c->high_ns);
	html_write_close(h, ']');
	html_write_key(h, "permille");
	html_write_number(h, c->permille);
	html_write_key(h, "rows");
	html_write_open(h, '[');
	for (uint32_t i = c->row; i < c->row + c->rows; i++)
		put_row(h, &l->row[i]);
	html_write_close(h, ']');
	html_write_close(h, '}');
}

static void put_loop(struct html *h, const struct loop *l)
{
	const struct loop_row *last = l->rows ? &l->row[l->rows - 1] : NULL;

	html_write_open(h, '{');
	html_write_key(h, "thread");
	html_write_string(h, l->tables ? l->thread[0].name : NULL);
	html_write_key(h, "tid");
	html_write_count(h, l->tables ? l->thread[0].tid : 0);
	html_write_key(h, "others");
	html_write_count(h, l->threads ? l->threads - 1 : 0);
	html_write_key(h, "time");
	html_write_number(h, l->time_ns);
	html_write_key(h, "share");
	html_write_number(h, l->share);
	html_write_key(h, "outside");
	html_write_number(h, last && last->kind == LOOP_OUTSIDE ? last->permille : 0);
	html_write_key(h, "cycles");
	html_write_open(h, '[');
	for (uint32_t i = 0; i < l->cycles; i++)
		put_cycle(h, l, &l->cycle[i]);
	html_write_close(h, ']');
	html_write_close(h, '}');
}

void html_loops(struct html *h)
{
	const struct loop_report *loops = h->report->loops;

	html_write_fields(
		h, "loop_fields",
		"kind from from_name to to_name way states edges per_pass mean low high below "
		"above pass permille chance overlap");
	html_write_key(h, "loops_of");
	html_write_count(h, loops ? loops->loops : 0);
	html_write_key(h, "loops");
	html_write_open(h, '[');
	for (uint32_t i = 0; loops && i < loops->loops && i < LOOPS_MOST; i++)
		put_loop(h, &loops->loop[i]);
	html_write_close(h, ']');
}
