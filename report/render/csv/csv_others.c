// SPDX-License-Identifier: GPL-3.0-or-later
/* Gaps, threads and processes as CSV. */
#include <math.h>

#include "report/render/csv/csv_write.h"
#include "report/model/model.h"

/* A site at the end of a gap: number of its row by --by site, function, its caller. */
static void put_end(struct csv *c, struct report *r, uint32_t site, const char *const column[3],
		    const char *none)
{
	const struct report_site *s = site < r->sites ? &r->site[site] : NULL;
	const struct symbol *symbol = NULL;
	size_t count;

	if (s && s->frames)
		symbol = frame_symbols_find(r, &s->frame[path_site_find(s->frame, s->frames)],
					    &count);
	csv_write_text(c, column[0], s ? r->profile->function[s->function].name : none);
	csv_write_text(c, column[1], s ? report_names_outcome(s) : NULL);
	csv_write_text(c, column[2], symbol ? symbol->function : NULL);
}

static void put_gap(struct csv *c, struct report *r, const struct report_gap *g)
{
	static const char *const from[] = {"from", "from_outcome", "from_caller"};
	static const char *const to[] = {"to", "to_outcome", "to_caller"};

	put_end(c, r, g->from, from, "(thread start)");
	put_end(c, r, g->to, to, "(thread end)");
	csv_write_fields(c, row_fields_gap, g, true);
	csv_write_end(c);
}

int csv_others_gaps(struct csv *c, struct report *r, const struct report_options *o)
{
	static const struct report_gap none = {.from = PROF_NONE, .to = PROF_NONE};

	put_gap(c, r, &none);
	for (uint32_t i = 0; i < rows_shown(r->gaps, o); i++)
		put_gap(c, r, &r->gap[i]);
	return c->failed ? -1 : 0;
}

static void put_thread(struct csv *c, const struct report_thread *t)
{
	csv_write_fields(c, row_fields_thread, t, true);
	csv_write_end(c);
}

int csv_others_threads(struct csv *c, struct report *r, const struct report_options *o)
{
	static const struct report_thread none;

	put_thread(c, &none);
	for (uint32_t i = 0; i < rows_shown(r->threads, o); i++)
		put_thread(c, &r->thread[i]);
	return c->failed ? -1 : 0;
}

static void put_process(struct csv *c, const struct report_process *p)
{
	static const struct prof_process none;
	const struct prof_process *in = c->names ? &none : p->process;

	csv_write_count(c, "pid", in->pid);
	csv_write_count(c, "ppid", in->ppid);
	csv_write_count(c, "processes", in->count);
	csv_write_text(c, "exe", in->exe);
	csv_write_text(c, "argv0", in->argc ? in->argv[0] : NULL);
	csv_write_text(c, "ended", report_names_end(in));
	csv_write_number(c, "wall_s", p->wall_s);
	csv_write_fields(c, row_fields_process, p, true);
	csv_write_text(c, "name", in->program);
	csv_write_number(c, "status", in->end.seen == SCP_END_STATUS ? in->end.value : NAN);
	csv_write_number(c, "signal", in->end.seen == SCP_END_SIGNAL ? in->end.value : NAN);
	csv_write_end(c);
}

int csv_others_processes(struct csv *c, struct report *r, const struct report_options *o)
{
	static const struct report_process none;

	put_process(c, &none);
	for (uint32_t i = 0; i < rows_shown(r->processes, o); i++)
		put_process(c, &r->process[i]);
	return c->failed ? -1 : 0;
}
