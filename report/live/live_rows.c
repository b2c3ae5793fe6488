// SPDX-License-Identifier: GPL-3.0-or-later
/* Sums of entries become rows, rows are sorted, and the rows that are shown are estimated as in a
 * report (site_sums.h). */
#include "report/live/live_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profile/base/array.h"

void live_rows_free(struct rows *r)
{
	PROF_FREE(r, row, order);
	r->rows = 0;
}

/* Calls that found no room have no entries: the header shows their number. */
static int start_afresh(struct rows *r, const struct live_reader *f)
{
	const struct groups *g = &f->groups;

	live_rows_free(r);
	r->row = calloc((size_t)g->rows + 1, sizeof(*r->row));
	r->order = calloc((size_t)g->rows + 1, sizeof(*r->order));
	if (!r->row || !r->order)
		return -1;
	for (uint32_t i = 0; i < g->rows; i++) {
		if (g->row[i].first == GROUP_OVERFLOW)
			continue;
		r->row[r->rows].key =
			row_key_of(f->profile, &g->row[i], groups_path(g, &g->row[i]));
		r->row[r->rows++].group = i;
	}
	r->generation = f->generation;
	return 0;
}

static double time_ns(const struct live_reader *f, const struct report_overhead *o,
		      const struct prof_reading *s)
{
	return (double)s->units * f->profile->clock.ns_per_unit - (double)s->calls * o->inside_ns -
	       (double)s->inner_calls * o->inner_ns;
}

/* In the interval, or where there is none in the run. */
static void fill_states(struct row *r, const struct live_reader *f, const struct report_overhead *o,
			const struct row_sums_states *run, const struct row_sums_states *window)
{
	const struct prof_reading *s = r->has_window ? &r->window : &r->run;
	double inner = s->calls ? (double)s->inner_calls / (double)s->calls * o->inner_ns : 0;

	r->states = row_states_of(r->has_window ? window : run, run, f->profile->clock.ns_per_unit);
	r->kept_ns = r->states.kept_ns - o->inside_ns - inner;
}

/* Counts a row's calls, as many as the model knows of each way. */
static struct report_overhead overhead_of(const struct row *r, const struct live_reader *f,
					  const struct report_overhead *all)
{
	uint64_t calls[SCP_WAYS] = {0};

	for (uint32_t e = f->groups.row[r->group].first; e != PROF_NONE; e = f->groups.next[e])
		for (unsigned i = 0; i < SCP_WAYS; i++)
			calls[i] += f->profile->entry[e].sums.way_calls[i];
	return estimate_overhead_of_ways(all, calls);
}

static void update_row(struct row *r, const struct live_reader *f,
		       const struct report_overhead *all)
{
	const struct report_overhead of_row = overhead_of(r, f, all), *o = &of_row;
	double span = f->at - f->before_at;
	struct row_sums_states run = {0}, window = {0};

	r->run = r->window = (struct prof_reading){0};
	r->has_means = false;
	r->has_window = f->before_at > 0 && span > 0;
	for (uint32_t e = f->groups.row[r->group].first; e != PROF_NONE; e = f->groups.next[e]) {
		uint32_t detector = f->profile->entry[e].sums.detector;
		struct prof_reading since;

		live_add(&r->run, &f->now[e]);
		row_states_add(&run, &f->now[e], detector);
		if (!f->known[e] || live_difference(&f->now[e], &f->before[e], &since))
			r->has_window = false;
		else if (since.calls) {
			live_add(&r->window, &since);
			row_states_add(&window, &since,
				       f->now[e].states.detector ? SCP_SWITCH_NONE : detector);
		}
	}
	fill_states(r, f, o, &run, &window);
	r->waits = f->groups.waits[f->groups.row[r->group].function];
	r->total_ns = time_ns(f, o, &r->run);
	r->calls_s = r->has_window ? (double)r->window.calls / span : NAN;
	r->bytes_s = r->has_window && r->run.has_bytes ? (double)r->window.bytes / span : NAN;
	r->time_s = r->has_window ? fmax(time_ns(f, o, &r->window), 0) / 1e9 / span : NAN;
}

/* Time by state in calls that work: in the interval, or in the run. */
static void add_states(struct rows *r, const struct row *row)
{
	double time = row->has_window ? row->time_s : row->total_ns;

	if (isnan(row->states.on_cpu) || !(time > 0))
		return;
	r->has_states = true;
	if (row->waits)
		return;
	r->states.on_cpu += time * row->states.on_cpu;
	r->states.runnable += time * row->states.runnable;
	r->states.asleep += time * row->states.asleep;
}

int live_rows_update(struct rows *r, const struct live_reader *f)
{
	const struct report_overhead overhead = estimate_overhead(&f->profile->clock);
	bool interval = f->before_at > 0;

	if ((!r->row || r->generation != f->generation) && start_afresh(r, f))
		return -1;
	r->calls = 0;
	r->calls_s = r->time_s = r->bytes_s = interval ? 0 : NAN;
	r->waiting_s = 0;
	r->states = (struct row_states){.kept_ns = NAN};
	r->has_states = false;
	for (struct row *row = r->row; row < r->row + r->rows; row++) {
		update_row(row, f, &overhead);
		r->calls += row->run.calls;
		if (row->has_window || !interval)
			add_states(r, row);
		if (!row->has_window)
			continue;
		PROF_ADD(r, row, calls_s, time_s);
		r->waiting_s += row->waits ? row->time_s : 0;
		r->bytes_s += isnan(row->bytes_s) ? 0 : row->bytes_s;
	}
	return 0;
}

/* Makes the sums that a report would load of an entry and needs for a mean: all calls, or (without
 * phases and tail) those since before. The room that `out` points to is the caller's. */
struct entry_room {
	uint64_t sum[SCP_BATCHES];
	struct prof_phase phase;
	struct prof_hist hist;
	struct prof_blocks blocks; /* of `hist` */
};

static void entry_sums(const struct live_reader *f, uint32_t entry, bool window,
		       struct entry_room *room, struct prof_sums *out)
{
	const struct live_reader_file *file = live_reader_file_of(f, entry);
	struct prof_reading s = f->now[entry];
	struct prof_batches b = {.sum = room->sum};
	bool dual = f->profile->flags & SCP_FILE_DUAL; /* its phases are the other clock's */
	uint32_t first = 0;

	live_batches(&file->live, entry - file->first, &s, &b);
	if (window) {
		first = live_first_batch(b.calls, b.count, f->before[entry].calls);
		live_difference(&f->now[entry], &f->before[entry], &s);
		b.sum += first;
		b.count -= first;
	}
	*out = (struct prof_sums){.batches = b};
	PROF_SET(out, &s, calls, units, units_sq, min_units, max_units, has_bytes, bytes, bytes_sq,
		 inner_calls);
	memcpy(out->way_calls, f->profile->entry[entry].sums.way_calls, sizeof out->way_calls);
	if (!window && !dual && live_phases(&file->live, entry - file->first, &room->phase))
		out->phase = &room->phase;
	if (!window && live_hist(&file->live, entry - file->first, &room->hist, &room->blocks))
		out->hist = &room->blocks;
}

static int run_sums(const struct live_reader *f, const struct row *r, struct site_sums *w)
{
	*w = (struct site_sums){.steady.mean_only = true};
	for (uint32_t e = f->groups.row[r->group].first; e != PROF_NONE; e = f->groups.next[e]) {
		bool ordered = site_sums_in_order(f->profile, &f->profile->entry[e]);
		struct entry_room room;
		struct prof_sums one;

		if (!f->now[e].calls)
			continue;
		entry_sums(f, e, false, &room, &one);
		if (site_sums_add(w, &one, ordered, false))
			return -1;
	}
	site_sums_settle(w);
	return 0;
}

static int window_sums(const struct live_reader *f, const struct row *r, struct prof_sums *sum)
{
	*sum = (struct prof_sums){0};
	for (uint32_t e = f->groups.row[r->group].first; e != PROF_NONE; e = f->groups.next[e]) {
		struct entry_room room;
		struct prof_sums one;

		if (f->now[e].calls == f->before[e].calls)
			continue;
		entry_sums(f, e, true, &room, &one);
		if (sums_add(sum, &one))
			return -1;
	}
	return 0;
}

static struct row_mean run_mean(const struct rows *r, const struct live_reader *f,
				const struct row *row)
{
	struct site_sums w;
	struct row_mean out = means_nothing();

	if (!run_sums(f, row, &w))
		out = means_of_run(&f->profile->clock, &w, r->confidence);
	site_sums_clear(&w);
	return out;
}

static struct row_mean window_mean(const struct rows *r, const struct live_reader *f,
				   const struct row *row, double run_design)
{
	struct prof_sums s;
	struct row_mean out = means_nothing();

	if (!window_sums(f, row, &s))
		out = means_of_window(&f->profile->clock, &s, run_design, r->confidence);
	sums_clear(&s);
	return out;
}

const struct row *live_rows_means(const struct rows *r, const struct live_reader *f, uint32_t i)
{
	struct row *row = &r->row[i];

	if (!row->has_means) {
		row->run_mean = run_mean(r, f, row);
		row->window_mean = row->has_window ? window_mean(r, f, row, row->run_mean.design)
						   : means_nothing();
	}
	row->has_means = true;
	return row;
}

static double or_nothing(double v)
{
	return isnan(v) ? -INFINITY : v;
}

/* An unknown precision counts as the widest. */
static double precision_of(const struct row *r)
{
	return !r->run.calls		     ? -INFINITY
	       : isnan(r->run_mean.relative) ? INFINITY
					     : r->run_mean.relative;
}

static double key_of(const struct row *r, enum row_sort by)
{
	switch (by) {
	case ROW_BY_TIME:
		return or_nothing(r->time_s);
	case ROW_BY_CALLS:
		return or_nothing(r->calls_s);
	case ROW_BY_BYTES:
		return or_nothing(r->bytes_s);
	case ROW_BY_MEAN:
		return r->has_window && r->window.calls ? r->time_s / r->calls_s : -INFINITY;
	case ROW_BY_PRECISION:
		return precision_of(r);
	case ROW_BY_CPU: /* where it is not known, as in a report: the time */
		return or_nothing(r->time_s * (isnan(r->states.on_cpu) ? 1 : r->states.on_cpu));
	default:
		return r->total_ns;
	}
}

static bool is_by_time(enum row_sort by)
{
	return by == ROW_BY_TIME || by == ROW_BY_TOTAL || by == ROW_BY_MEAN || by == ROW_BY_CPU;
}

/* A function that waits comes last by time. Ties by total time, then by the report's order. */
ARRAY_COMPARE(compare, struct row_place,
	      ARRAY_ORDER(a->last, b->last)
		      ?: (a->name ? strcmp(a->name, b->name) : ARRAY_ORDER(b->key, a->key))
		      ?: ARRAY_ORDER(b->total_ns, a->total_ns) ?: ARRAY_ORDER(a->row, b->row))

void live_rows_sort(struct rows *r, const struct live_reader *f, enum row_sort by)
{
	const struct prof_function *function = f->profile->function;

	for (uint32_t i = 0; i < r->rows; i++) {
		const struct row *row = &r->row[i];

		if (by == ROW_BY_PRECISION && row->run.calls)
			live_rows_means(r, f, i);
		r->order[i] = (struct row_place){
			.key = key_of(row, by), .total_ns = row->total_ns, .row = i};
		r->order[i].last = row->waits && is_by_time(by);
		if (by == ROW_BY_NAME)
			r->order[i].name = function[f->groups.row[row->group].function].name;
	}
	ARRAY_SORT(r->order, r->rows, compare);
}
