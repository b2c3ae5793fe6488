// SPDX-License-Identifier: GPL-3.0-or-later
/* Rows are found again by their keys, which mean the same in all pairs of the same two programs. */
#include "report/compare/diff_watch.h"

#include <math.h>
#include <stdlib.h>

#include "profile/base/array.h"
#include "report/compare/match.h"

/* Others of its kind that are needed to tell a site's own change. */
#define LEAST_OTHERS 4

/* What a test's evidence counts for. CPU time against the other sites varies least; evidence of any
 * test is worth its logarithm, so that a small weight costs little. */
static const double weight[DIFF_VIEWS][DIFF_AGAINSTS] = {
	[DIFF_MEAN] = {[DIFF_TOTAL] = 0.10, [DIFF_OWN] = 0.10},
	[DIFF_UNDISTURBED] = {[DIFF_TOTAL] = 0.05, [DIFF_OWN] = 0.10},
	[DIFF_UNSWITCHED] = {[DIFF_TOTAL] = 0.10, [DIFF_OWN] = 0.25},
	[DIFF_UNSWITCHED_UNDISTURBED] = {[DIFF_TOTAL] = 0.10, [DIFF_OWN] = 0.20},
};

struct diff_watch_run diff_watch_run_of(const struct profile *p)
{
	struct diff_watch_run r = {NAN, NAN};
	uint64_t first = UINT64_MAX, last = 0;

	for (const struct prof_process *of = p->process; of < p->process + p->processes; of++) {
		first = of->start_mono_ns < first ? of->start_mono_ns : first;
		last = of->end_mono_ns > last ? of->end_mono_ns : last;
	}
	if (last > first)
		r.elapsed_ns = (double)(last - first);
	if (p->usage.known & SCP_USAGE_CPU && p->usage.cpu_ns)
		r.cpu_ns = (double)p->usage.cpu_ns;
	return r;
}

/* ---- which rows there are ---- */

static const char *key_of(const struct diff *d, const struct diff_site *s)
{
	return d->match->row[(size_t)(s->run - d->runs) / d->profiles].key;
}

/* The logarithm's difference and its squared error; NAN: the pair says nothing. */
static double difference(const struct diff_site *s, enum diff_view view, double *variance)
{
	double y[2], v[2];

	*variance = NAN;
	for (int side = 0; side < 2; side++)
		if (s->run[side].unreliable & STATS_SYNCHRONOUS ||
		    !diff_estimate_log(&s->run[side], view, &y[side], &v[side]))
			return NAN;
	*variance = v[0] + v[1];
	return y[1] - y[0];
}

static double time_of(const struct diff_site *s)
{
	return s->side[DIFF_BASE].total_ns + s->side[DIFF_NEW].total_ns;
}

ARRAY_COMPARE(by_time, struct diff_site *,
	      ARRAY_ORDER(time_of(*b), time_of(*a)) ?: ARRAY_ORDER((*a)->run, (*b)->run))

static int begin_row(struct diff_watch_row *r, const struct diff *d, const struct diff_site *s)
{
	uint32_t frames = diff_path_frames(d, s);
	int failed = 0;
	double v;

	PROF_SET(r, s, symbol, library, outcome, waiting);
	r->frame = calloc(frames + 1, sizeof(*r->frame));
	for (uint32_t i = 0; i < frames && r->frame; i++) {
		r->frame[i] = diff_path_frame_line(d, s, i);
		failed += !r->frame[i];
		r->frames++;
	}
	for (int view = 0; view < DIFF_VIEWS; view++)
		r->planned[view][DIFF_TOTAL] = !isnan(difference(s, (enum diff_view)view, &v));
	return failed || !r->frame ? -1 : 0;
}

/* Tests against others where there are enough of them. */
static void plan_own(struct diff_watch *w)
{
	for (int view = 0; view < DIFF_VIEWS; view++) {
		uint32_t alike[2] = {0, 0};

		for (uint32_t i = 1; i < w->rows; i++)
			alike[w->row[i].waiting] += w->row[i].planned[view][DIFF_TOTAL];
		for (uint32_t i = 1; i < w->rows; i++)
			w->row[i].planned[view][DIFF_OWN] = w->row[i].planned[view][DIFF_TOTAL] &&
							    alike[w->row[i].waiting] > LEAST_OTHERS;
	}
}

/* What waits is worth a verdict only where nothing works, as in a plan. */
static void find_worth(struct diff_watch *w, const struct diff_site *const *site)
{
	bool works = false;
	double all = 0;

	for (uint32_t i = 1; i < w->rows; i++)
		works = works || !w->row[i].waiting;
	for (uint32_t i = 1; i < w->rows; i++)
		if (w->row[i].waiting != works)
			all += time_of(site[i - 1]);
	for (uint32_t i = 1; i < w->rows; i++) {
		if (w->row[i].waiting == works)
			continue;
		w->row[i].share = time_of(site[i - 1]) / all;
		w->row[i].worth = w->row[i].share >= DIFF_WATCH_WORTH;
	}
}

static void begin_whole(struct diff_watch_row *r, const struct diff_watch_run run[2])
{
	r->worth = true;
	r->share = NAN;
	r->planned[DIFF_MEAN][DIFF_TOTAL] = run[0].elapsed_ns > 0 && run[1].elapsed_ns > 0;
	r->planned[DIFF_UNSWITCHED][DIFF_TOTAL] = run[0].cpu_ns > 0 && run[1].cpu_ns > 0;
}

int diff_watch_begin(struct diff_watch *w, const struct diff *pilot,
		     const struct diff_watch_run run[2])
{
	const struct diff_site **site = calloc(pilot->sites + 1, sizeof(*site));
	uint32_t n = 0, both = 0;
	int failed = 0;
	double v;

	for (uint32_t i = 0; site && i < pilot->sites; i++) {
		both += pilot->site[i].side[DIFF_BASE].calls > 0 &&
			pilot->site[i].side[DIFF_NEW].calls > 0;
		if (!isnan(difference(&pilot->site[i], DIFF_MEAN, &v)))
			site[n++] = &pilot->site[i];
	}
	if (site)
		ARRAY_SORT(site, n, by_time);
	n = n < DIFF_WATCH_MOST ? n : DIFF_WATCH_MOST;
	w->left_out = both - n;
	w->row = calloc(n + 1, sizeof(*w->row));
	if (!site || !w->row) {
		free(site);
		return -1;
	}
	w->rows = n + 1;
	begin_whole(&w->row[0], run);
	for (uint32_t i = 0; i < n && !failed; i++)
		failed = string_index_add(&w->keys, key_of(pilot, site[i])) != i ||
			 begin_row(&w->row[i + 1], pilot, site[i]);
	if (!failed) {
		plan_own(w);
		find_worth(w, site);
	}
	free(site);
	return failed;
}

/* ---- a pair ---- */

/* A row's difference in this pair by one view. */
struct value {
	double y, v;
	uint32_t row;
};

ARRAY_COMPARE(by_y, struct value, PROF_ORDER(a, b, y, row))

/* Of sorted values without one of them: where half of the weights 1 / v lie below. */
static double median_without(const struct value *value, uint32_t n, uint32_t left_out)
{
	double all = 0, below = 0;

	for (uint32_t i = 0; i < n; i++)
		all += i == left_out ? 0 : 1 / value[i].v;
	for (uint32_t i = 0; i < n; i++) {
		below += i == left_out ? 0 : 1 / value[i].v;
		if (i != left_out && below >= all / 2)
			return value[i].y;
	}
	return NAN;
}

/* Which site of the pair each row is: the number of its key tells. NULL: out of memory. */
static const struct diff_site **sites_of_rows(struct diff_watch *w, const struct diff *pair)
{
	const struct diff_site **of = calloc(w->rows, sizeof(*of));

	for (uint32_t i = 0; of && i < pair->sites; i++) {
		uint32_t number = string_index_add(&w->keys, key_of(pair, &pair->site[i]));

		if (number < w->rows - 1)
			of[number + 1] = &pair->site[i];
	}
	return of;
}

static void add_view(struct diff_watch *w, const struct diff_site *const *site, enum diff_view view,
		     bool waiting, struct value *value)
{
	uint32_t n = 0;

	for (uint32_t i = 1; i < w->rows; i++) {
		double v, y = site[i] && w->row[i].waiting == waiting &&
					      w->row[i].planned[view][DIFF_TOTAL]
				      ? difference(site[i], view, &v)
				      : NAN;

		if (isnan(y))
			continue;
		sequential_add(&w->row[i].seen[view][DIFF_TOTAL], y);
		if (v > 0 && isfinite(v))
			value[n++] = (struct value){y, v, i};
	}
	ARRAY_SORT(value, n, by_y);
	for (uint32_t k = 0; k < n && n > LEAST_OTHERS; k++) {
		struct diff_watch_row *r = &w->row[value[k].row];

		if (r->planned[view][DIFF_OWN])
			sequential_add(&r->seen[view][DIFF_OWN],
				       value[k].y - median_without(value, n, k));
	}
}

static void add_whole(struct diff_watch_row *r, const struct diff_watch_run run[2])
{
	double elapsed = log(run[1].elapsed_ns / run[0].elapsed_ns),
	       cpu = log(run[1].cpu_ns / run[0].cpu_ns);

	if (r->planned[DIFF_MEAN][DIFF_TOTAL] && isfinite(elapsed))
		sequential_add(&r->seen[DIFF_MEAN][DIFF_TOTAL], elapsed);
	if (r->planned[DIFF_UNSWITCHED][DIFF_TOTAL] && isfinite(cpu))
		sequential_add(&r->seen[DIFF_UNSWITCHED][DIFF_TOTAL], cpu);
}

/* ---- the verdict ---- */

/* Shown of a change is the test that adds most to the evidence. */
static double e_of_row(struct diff_watch_row *r)
{
	double e = 0, weights = 0, most = -1;

	for (int view = 0; view < DIFF_VIEWS; view++)
		for (int against = 0; against < DIFF_AGAINSTS; against++) {
			double of = weight[view][against], adds;

			if (!r->planned[view][against])
				continue;
			adds = of * sequential_e(&r->seen[view][against], 0, DIFF_WATCH_TUNED);
			weights += of;
			e += adds;
			if (!(adds > most))
				continue;
			most = adds;
			r->view = (enum diff_view)view;
			r->against = (enum diff_against)against;
		}
	return weights > 0 ? e / weights : 1;
}

enum diff_view diff_watch_main_view(const struct diff_watch_row *r)
{
	return r->planned[DIFF_UNSWITCHED][DIFF_TOTAL] ? DIFF_UNSWITCHED : DIFF_MEAN;
}

static void show(struct diff_watch *w, struct diff_watch_row *r, double alpha)
{
	if (!r->found) {
		r->view = diff_watch_main_view(r);
		r->against = DIFF_TOTAL;
	}
	const struct sequential *s = &r->seen[r->view][r->against];
	struct sequential_limits l = sequential_interval(s, alpha, DIFF_WATCH_TUNED);
	r->ratio = s->n > 0 ? exp(s->mean) : NAN;
	r->low = exp(l.low);
	r->high = exp(l.high);
	r->equal = !r->found && r->low > 1 - w->equal && r->high < 1 + w->equal;
	w->known = w->known || isfinite(r->high);
}

static void judge_rows(struct diff_watch *w, double *e, unsigned char *found)
{
	double alpha = 1 - w->confidence;
	uint32_t worth = 0, equal = 0;

	for (uint32_t i = 0; i < w->rows; i++)
		e[i] = w->row[i].e = e_of_row(&w->row[i]);
	w->found = (uint32_t)sequential_discover(e, w->rows, alpha, found);
	w->known = false;
	for (uint32_t i = 0; i < w->rows; i++) {
		struct diff_watch_row *r = &w->row[i];

		r->found = found[i];
		show(w, r, found[i] ? alpha * w->found / w->rows : alpha);
		worth += r->worth;
		equal += r->worth && r->equal;
	}
	w->all_equal = !w->found && worth == equal;
}

static int judge(struct diff_watch *w)
{
	unsigned char *found = calloc(w->rows, 1);
	double *e = calloc(w->rows, sizeof(*e));
	int failed = found && e ? 0 : -1;

	if (!failed)
		judge_rows(w, e, found);
	free(e);
	free(found);
	return failed;
}

int diff_watch_add(struct diff_watch *w, const struct diff *pair,
		   const struct diff_watch_run run[2])
{
	const struct diff_site **site = sites_of_rows(w, pair);
	struct value *value = calloc(w->rows, sizeof(*value));
	int failed = site && value ? 0 : -1;

	if (!failed) {
		w->pairs++;
		add_whole(&w->row[0], run);
		for (int view = 0; view < DIFF_VIEWS; view++)
			for (int waiting = 0; waiting < 2; waiting++)
				add_view(w, site, (enum diff_view)view, waiting, value);
		for (uint32_t i = 1; i < w->rows; i++) {
			if (!site[i])
				continue;
			w->row[i].calls[0] += site[i]->side[DIFF_BASE].calls;
			w->row[i].calls[1] += site[i]->side[DIFF_NEW].calls;
		}
		failed = judge(w);
	}
	free(site);
	free(value);
	return failed;
}

void diff_watch_free(struct diff_watch *w)
{
	for (struct diff_watch_row *r = w->row; r < w->row + w->rows; r++) {
		for (uint32_t k = 0; r->frame && k < r->frames; k++)
			free(r->frame[k]);
		free(r->frame);
	}
	string_index_clear(&w->keys);
	PROF_FREE(w, row);
	w->rows = 0;
}
