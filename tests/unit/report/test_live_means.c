// SPDX-License-Identifier: GPL-3.0-or-later
/* Means of live rows: the very numbers of a report of the same sums, and what that means for
 * --until: a slow beginning is left out, a program paced by the clock's tick is never known well
 * enough. */
#include <math.h>
#include <stdio.h>

#include "tests/unit/support/near.h"
#include "report/model/sites.h"
#include "report/live/live_rows.h"
#include "tests/unit/support/recording.h"
#include "tests/unit/support/report_fixture.h"
#include "stats/mean/mean_interval.h"
#include "stats/mean/stopping.h"

#define CONFIDENCE 0.95
#define MOST_CALLS 60000

/* One entry as a file would have it. */
struct entry {
	struct recording r;
	struct prof_phase phase;
};

static struct prof_sums sums_of(struct entry *e)
{
	const struct stats_sums *s = &e->r.sums;

	return (struct prof_sums){.calls = s->n,
				  .units = s->sum,
				  .units_sq = s->sum_sq,
				  .min_units = s->min,
				  .max_units = s->max,
				  .inner_calls = s->n / 7,
				  .batches = {e->r.batches.calls, e->r.batches.count, e->r.batch},
				  .phase = e->phase.count[0] || e->phase.count[1] ? &e->phase
										  : NULL};
}

/* The first `slow` calls take 30 times as long. `bins`: of the tick, in which calls begin. */
static void record(struct entry *e, struct recording_source *from, unsigned calls, unsigned slow,
		   unsigned bins)
{
	*e = (struct entry){0};
	recording_begin(&e->r);
	for (unsigned i = 0; i < calls; i++) {
		recording_add(&e->r, (uint64_t)llround((i < slow ? 30 : 1) * recording_draw(from)));
		if (bins)
			e->phase.count[simulate_bits(&from->dice) % bins]++;
	}
}

static struct row_mean mean_of(const struct prof_clock *clock, struct entry *e)
{
	struct site_sums w = {.steady.mean_only = true};
	struct prof_sums s = sums_of(e);
	struct row_mean m;

	assert_int_equal(site_sums_add(&w, &s, true, false), 0);
	site_sums_settle(&w);
	m = means_of_run(clock, &w, CONFIDENCE);
	site_sums_clear(&w);
	return m;
}

/* One row of two threads: the first begins slowly; both are sampled in two bins of the tick. */
static void agrees_with_a_report(void **state)
{
	static struct entry e[2];
	struct recording_source source = {.law = RECORDING_LOGNORMAL, .dice = {5}};
	struct report_options o = REPORT_OPTIONS_DEFAULT;
	struct profile *p = fixture_profile();
	struct site_sums w = {.steady.mean_only = true};
	const struct mean_interval *wanted;
	struct prof_sums sums[2];
	struct row_mean m;
	struct report *r;

	(void)state;
	record(&e[0], &source, 5000, 700, 2);
	record(&e[1], &source, 900, 0, 2);
	p->clock.resolution_units = 4000;
	p->entries = 2;
	p->gaps = 0;
	p->slow.kind = SCP_CLOCK_NONE;
	for (uint32_t i = 0; i < 2; i++) {
		sums[i] = sums_of(&e[i]);
		p->entry[i] = (struct prof_entry){.table = i, .sums = sums[i]};
		assert_int_equal(
			site_sums_add(&w, &sums[i], site_sums_in_order(p, &p->entry[i]), false), 0);
	}
	site_sums_settle(&w);
	m = means_of_run(&p->clock, &w, CONFIDENCE);
	r = report_build(p, &o);
	assert_non_null(r);
	assert_int_equal(r->sites, 1);
	wanted = &r->site[0].estimate;
	assert_true(m.mean_ns == wanted->mean && m.low_ns == wanted->low);
	assert_true(m.high_ns == wanted->high && m.freedom == wanted->freedom);
	assert_true(m.design == wanted->design_effect);
	assert_int_equal(m.unreliable, wanted->unreliable);
	assert_true(m.unreliable & STATS_SYNCHRONOUS);
	assert_true(r->site[0].steadiness.warmup_aside);
	assert_int_equal(m.warmup_calls, r->site[0].steadiness.warmup_calls);
	assert_int_equal(m.calls + m.warmup_calls, 5900);
	report_free(r);
	site_sums_clear(&w);
}

static const struct prof_clock fast = {
	.kind = SCP_CLOCK_TSC, .ns_per_unit = 1, .resolution_units = 1, .tick_ns = 1};

static bool look(struct stopping *s, double now_s, const struct entry *e, const struct row_mean *m)
{
	return stopping_look(
		s, now_s,
		&(struct stopping_look){.used = m->calls,
					.skipped = m->warmup_calls,
					.raw = (double)e->r.sums.sum / (double)e->r.sums.n,
					.mean = m->mean_ns,
					.low = m->low_ns,
					.high = m->high_ns,
					.freedom = m->freedom,
					.design_effect = m->design,
					.unreliable = m->unreliable});
}

static bool add(struct stopping *s, double now_s, const struct entry *e)
{
	return stopping_add(s, now_s, &(struct stopping_stretch){e->r.sums.n, e->r.sums.sum});
}

/* A hundred calls a second. 1: stopped, and the interval holds the mean of the steady calls; 0: it
 * does not; -1: never. */
static int stop(struct recording_source *source, unsigned slow, double relative)
{
	static struct entry e;
	struct stopping s;

	e = (struct entry){0};
	recording_begin(&e.r);
	stopping_begin(&s, relative, 10, 0, &(struct stopping_stretch){0});
	for (unsigned i = 0; i < MOST_CALLS; i++) {
		recording_add(&e.r,
			      (uint64_t)llround((i < slow ? 30 : 1) * recording_draw(source)));
		if (!add(&s, (i + 1) / 100.0, &e))
			continue;
		struct row_mean m = mean_of(&fast, &e);

		if (look(&s, (i + 1) / 100.0, &e, &m))
			return fabs(m.mean_ns - 1000) <= relative * m.mean_ns;
	}
	return -1;
}

static void check_slow_beginning(enum recording_law law, unsigned slow)
{
	struct recording_source source = {.law = law, .dice = {law + 31}};
	unsigned covered = 0, stopped = 0, trials = simulate_trials(200);
	char what[96];

	for (unsigned i = 0; i < trials; i++) {
		int how = stop(&source, slow, 0.1);

		stopped += how >= 0;
		covered += how > 0;
	}
	snprintf(what, sizeof(what), "%s, %u slow calls first", recording_law_names[law], slow);
	assert_true(stopped >= 0.95 * trials);
	simulate_assert_rate(what, covered, stopped, 0.93, 1);
}

static void leaves_a_slow_beginning_out(void **state)
{
	(void)state;
	check_slow_beginning(RECORDING_EXPONENTIAL, 40);
	check_slow_beginning(RECORDING_EXPONENTIAL, 400);
	check_slow_beginning(RECORDING_LOGNORMAL, 400);
}

/* The same calls of a slow clock: what their phases say decides. */
static void doubts_what_keeps_step_with_the_tick(void **state)
{
	struct prof_clock clock = {
		.kind = SCP_CLOCK_COARSE, .ns_per_unit = 1, .resolution_units = 1, .tick_ns = 1};
	struct recording_source source = {.law = RECORDING_EXPONENTIAL, .dice = {3}};
	struct stopping s;
	struct entry e;

	(void)state;
	for (unsigned bins = 2; bins <= SCP_PHASE_BINS; bins += SCP_PHASE_BINS - 2) {
		stopping_begin(&s, 0.2, 10, 0, &(struct stopping_stretch){0});
		e = (struct entry){0};
		recording_begin(&e.r);
		for (unsigned i = 0; i < MOST_CALLS && !s.reached; i++) {
			recording_add(&e.r,
				      simulate_ticks(&source.dice, recording_draw(&source), 4000));
			e.phase.count[simulate_bits(&source.dice) % bins]++;
			if (!add(&s, (i + 1) / 100.0, &e))
				continue;
			struct row_mean m = mean_of(&clock, &e);

			assert_int_equal(!!(m.unreliable & STATS_SYNCHRONOUS), bins == 2);
			look(&s, (i + 1) / 100.0, &e, &m);
		}
		assert_int_equal(s.reached, bins != 2);
	}
}

/* All calls of the window count, slow ones too; its interval may borrow the run's dependence. */
static void a_window_is_of_all_its_calls(void **state)
{
	struct recording_source source = {.law = RECORDING_EXPONENTIAL, .dice = {8}};
	static struct entry e;
	struct prof_sums s;
	struct row_mean m;

	(void)state;
	record(&e, &source, 3000, 400, 0);
	s = sums_of(&e);
	m = means_of_window(&fast, &s, NAN, CONFIDENCE);
	assert_true(fabs(m.mean_ns - (double)s.units / (double)s.calls) < 1e-9 * m.mean_ns);
	assert_int_equal(m.calls, 3000);
	assert_int_equal(m.warmup_calls, 0);
	s.calls = 0;
	assert_true(isnan(means_of_window(&fast, &s, NAN, CONFIDENCE).mean_ns));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(agrees_with_a_report),
		cmocka_unit_test(leaves_a_slow_beginning_out),
		cmocka_unit_test(doubts_what_keeps_step_with_the_tick),
		cmocka_unit_test(a_window_is_of_all_its_calls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
