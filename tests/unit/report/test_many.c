// SPDX-License-Identifier: GPL-3.0-or-later
/* A report that keeps a few rows of very many says about all rows what the whole report says: sums,
 * shares and warnings, with the places of the rows that these name. The profile has what short cuts
 * could get wrong: rows of equal time and calls, of several entries, with reliability warnings and
 * without, on both sides of the number of calls below which there are none. */
#include "tests/unit/support/report_fixture.h"

#include "report/model/sites.h"
#include "report/model/model.h"
#include "stats/mean/mean_interval.h"
#include "stats/stats.h"

#define PATHS	  400
#define ENTRIES	  3000
#define TICK	  UINT64_C(4000000)
#define OF_PHASES 60 /* the last entries */

static struct prof_frame frame[PATHS][2];
static struct prof_path path[PATHS];
static struct prof_entry entry[ENTRIES];
static uint64_t batch_sum[SCP_BATCHES], uneven_sum[SCP_BATCHES], moved_sum[SCP_BATCHES];
static struct prof_line line; /* its batches stay, others of the row give way */
static struct prof_phase locked;

static uint64_t random_below(uint64_t limit)
{
	static uint64_t state = 88172645463325252u;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state % limit;
}

/* So many calls; the longest of them took all the ticks but `others`. */
static struct prof_sums sums_of(uint64_t calls, uint64_t ticks, uint64_t others)
{
	uint64_t longest = ticks - others;

	return (struct prof_sums){.calls = calls,
				  .units = ticks * TICK,
				  .units_sq = (prof_u128)(longest * longest + others) * TICK * TICK,
				  .min_units = calls == 1 ? ticks * TICK : 0,
				  .max_units = longest * TICK,
				  /* rows of equal time and calls lose the same for these */
				  .inner_calls = 2 * calls + ticks};
}

static struct prof_entry entry_of(uint32_t i)
{
	static const uint64_t calls[] = {1, 1, 1, 1, 2, 2, 3, 5, 7, 8, 9, 64, 700};
	uint64_t n = calls[random_below(sizeof(calls) / sizeof(calls[0]))];
	uint64_t ticks = random_below(n < 9 ? 3 : n / 2);
	struct prof_entry e = {.table = (uint32_t)random_below(2),
			       .path = (uint32_t)random_below(PATHS),
			       .function = (uint32_t)random_below(3),
			       .outcome = (uint16_t)random_below(2)};

	e.sums = sums_of(n, ticks, ticks ? random_below(ticks) : 0);
	if (i < 3) { /* large, and its mean moved */
		e.sums = sums_of(6000, 12000, 6000);
		e.sums.batches = (struct prof_batches){100, 60, moved_sum};
		for (uint32_t k = 0; k < 60; k++)
			e.sums.units += moved_sum[k];
		e.sums.units_sq = (prof_u128)e.sums.units * e.sums.units / 6000;
	} else if (i >= ENTRIES - OF_PHASES) { /* all began at one phase, or nothing is known */
		e.path = i % PATHS;
		e.outcome = SCP_PEEK;
		e.sums = sums_of(8, 12, 8);
		e.sums.phase = i % 2 ? &locked : NULL;
	} else if (n == 700) {
		e.sums.batches = (struct prof_batches){16, 40, batch_sum};
		e.sums.units += 40 * 16 * TICK;
		e.sums.units_sq += (prof_u128)(40 * 16) * TICK * TICK;
		e.sums.has_bytes = true;
		e.sums.bytes = 700 * 100 + i;
		e.sums.bytes_sq = (prof_u128)e.sums.bytes * e.sums.bytes;
		e.sums.line = &line;
	} else if (n == 64) { /* of one kind first, then of another: drift, and dependence */
		e.sums.batches = (struct prof_batches){1, 60, uneven_sum};
		e.sums.units += 60 * TICK * 4;
		e.sums.units_sq += (prof_u128)(60 * 40) * TICK * TICK;
		e.sums.has_bytes = true;
		e.sums.bytes = 64 * 100 + i;
		e.sums.bytes_sq = (prof_u128)e.sums.bytes * e.sums.bytes;
	} else if (i % 40 == 0) {
		e.sums.phase = &locked;
	}
	return e;
}

static struct profile *make_profile(void)
{
	struct profile *p = fixture_profile();

	for (uint32_t i = 0; i < SCP_BATCHES; i++)
		batch_sum[i] = 16 * TICK;
	for (uint32_t i = 0; i < SCP_BATCHES; i++) {
		moved_sum[i] = ((i < 40 ? 2000 : 8000) + random_below(100)) * TICK;
		uneven_sum[i] = (i < 40 ? 2 : 8) * TICK + i % 3;
		line.bytes[i] = 1600 + i;
		line.bytes_sq[i] = (prof_u128)line.bytes[i] * line.bytes[i];
	}
	locked.count[3] = 1000;
	for (uint32_t i = 0; i < PATHS; i++) {
		for (uint32_t k = 0; k < 2; k++)
			frame[i][k] =
				(struct prof_frame){.module = PROF_NO_MODULE,
						    .offset = 0x1000 + random_below(40) + k * i};
		path[i] = (struct prof_path){frame[i], 2, 0};
	}
	for (uint32_t i = 0; i < ENTRIES; i++)
		entry[i] = entry_of(i);
	p->clock.kind = SCP_CLOCK_COARSE;
	p->clock.resolution_units = TICK;
	p->clock.tick_ns = (double)TICK;
	p->clock.overhead = (struct prof_overhead){.measurements = 2,
						   .inside_ns = 1234.567,
						   .inside_error_ns = 1,
						   .inner_ns = 3456.789,
						   .inner_error_ns = 1};
	p->path = path;
	p->paths = PATHS;
	p->entry = entry;
	p->entries = ENTRIES;
	p->gaps = 0;
	return p;
}

static void compare_sites(const struct report *all, const struct report *some)
{
	for (uint32_t i = 0; i < some->kept; i++) {
		const struct report_site *a = &all->site[i], *b = &some->site[i];

		assert_int_equal(a->function, b->function);
		assert_int_equal(a->outcome, b->outcome);
		assert_ptr_equal(a->frame, b->frame);
		assert_int_equal(a->calls, b->calls);
		assert_int_equal(a->units, b->units);
		assert_int_equal(a->findings, b->findings);
		assert_memory_equal(&a->total_ns, &b->total_ns, sizeof(double));
		assert_memory_equal(&a->share, &b->share, sizeof(double));
		assert_memory_equal(&a->estimate.low, &b->estimate.low, sizeof(double));
		assert_memory_equal(&a->estimate.high, &b->estimate.high, sizeof(double));
	}
}

/* Of small rows nothing is said. */
static const struct report_note *next_note(const struct report *r, uint32_t *at)
{
	while (*at < r->notes) {
		const struct report_note *n = &r->note[(*at)++];

		if (!(n->share < RELIABILITY_LEAST_SHARE))
			return n;
	}
	return NULL;
}

static void compare_notes(const struct report *all, const struct report *some)
{
	const struct report_note *a, *b;
	uint32_t in_all = 0, in_some = 0;

	while ((a = next_note(all, &in_all))) {
		b = next_note(some, &in_some);
		assert_non_null(b);
		assert_int_equal(a->row, b->row);
		assert_int_equal(a->unreliable, all->site[a->row].estimate.unreliable);
		assert_int_equal(a->function, b->function);
		assert_int_equal(a->unreliable, b->unreliable);
		assert_int_equal(a->findings, b->findings);
		assert_memory_equal(&a->share, &b->share, sizeof(double));
	}
	assert_null(next_note(some, &in_some));
	assert_int_equal(all->warnings, some->warnings);
	for (uint32_t i = 0; i < all->warnings; i++)
		assert_string_equal(all->warning[i].text, some->warning[i].text);
}

/* Else the comparison would say nothing. */
static void expect_hard_rows(const struct report *all)
{
	uint32_t equal = 0, mixed = 0;
	unsigned unreliable = 0, findings = 0;

	for (uint32_t i = 1; i < all->sites; i++) {
		const struct report_site *a = &all->site[i - 1], *b = &all->site[i];

		if (a->units != b->units || a->calls != b->calls)
			continue;
		equal++;
		mixed += i > 20 && a->estimate.unreliable != b->estimate.unreliable;
	}
	for (uint32_t i = 0; i < all->notes; i++)
		unreliable |= all->note[i].unreliable,
			findings |=
			all->note[i].share >= RELIABILITY_LEAST_SHARE ? all->note[i].findings : 0;
	assert_int_equal(findings & REPORT_DRIFT, REPORT_DRIFT);
	assert_true(equal > 100 && mixed > 10);
	assert_int_equal(unreliable, STATS_SYNCHRONOUS | STATS_FEW_INDEPENDENT);
}

static void test_rows_that_are_not_kept_count_as_if_they_were(void **state)
{
	static const uint32_t keep[] = {0, 1, 20, 700, UINT32_MAX};
	static const enum report_by by[] = {REPORT_BY_PATH, REPORT_BY_SITE, REPORT_BY_FUNCTION,
					    REPORT_BY_THREAD};
	struct profile *p = make_profile();
	struct report_options o = REPORT_OPTIONS_DEFAULT;

	(void)state;
	for (size_t b = 0; b < sizeof(by) / sizeof(by[0]); b++) {
		struct report *all;

		o.by = by[b];
		all = report_build(p, &o);
		assert_non_null(all);
		if (o.by == REPORT_BY_PATH)
			expect_hard_rows(all);
		for (size_t k = 0; k < sizeof(keep) / sizeof(keep[0]); k++) {
			struct report *some = report_build_some(p, &o, keep[k]);

			assert_non_null(some);
			assert_int_equal(some->sites, all->sites);
			assert_int_equal(some->kept, keep[k] < all->sites ? keep[k] : all->sites);
			assert_int_equal(some->calls, all->calls);
			assert_memory_equal(&some->calls_ns, &all->calls_ns, sizeof(double));
			compare_sites(all, some);
			compare_notes(all, some);
			report_free(some);
		}
		report_free(all);
	}
}

/* So that sums over rows in their order come out the same from any order of the file. */
static void test_all_rows_are_in_order_of_time_and_calls(void **state)
{
	static uint32_t at[ENTRIES];
	struct groups g;

	(void)state;
	assert_int_equal(groups_make(&g, make_profile(), REPORT_BY_PATH, NULL, NULL), 0);
	assert_int_equal(groups_order_sort(&g), 0);
	for (uint32_t i = 0; i < g.rows; i++)
		at[g.place[i]] = i;
	for (uint32_t i = 1; i < g.rows; i++) {
		const struct group_row *a = &g.row[at[i - 1]], *b = &g.row[at[i]];

		assert_true(a->units > b->units || (a->units == b->units && a->calls >= b->calls));
	}
	groups_free(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows_that_are_not_kept_count_as_if_they_were),
		cmocka_unit_test(test_all_rows_are_in_order_of_time_and_calls),
	};

	return cmocka_run_group_tests_name("report of many rows", tests, NULL, NULL);
}
