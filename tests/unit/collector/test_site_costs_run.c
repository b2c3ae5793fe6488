// SPDX-License-Identifier: GPL-3.0-or-later
/* From windows and counts to costs: two sites whose calls take from the fluid what is known, with
 * windows excluded, unread, shared with other tasks, and of a run's edges, which all would bring
 * something else into it. The measurement is made up here: the joining alone is real. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/support/near.h"
#include "include/scprof_format.h"
#include "profile/model/model.h"
#include "collector/displacement/sites/site_costs_run.h"

#define CPUS	2
#define WINDOWS 1200
#define ENTRIES 3
#define SPAN	0.01
#define FIRST	7     /* the fluid's index of the run's first window */
#define RATE	0.002 /* of charged time, at rest */

/* Uncharged seconds a call, by entry; the third is of the first one's site. On CPU 0 half of it,
 * on CPU 1 the other half. */
static const double cost[ENTRIES] = {4e-6, 1e-6, 4e-6};
#define SOFTIRQD 0.5e-6 /* besides, of ksoftirqd, a call of the second */
#define OWN	 2e-6	/* charged to the program, a call of any */

struct measurement {
	struct displacement_window window[CPUS][WINDOWS];
};
struct site_samples {
	uint32_t calls[CPUS + 1][WINDOWS][ENTRIES];
	double program[CPUS + 1][WINDOWS], softirqd[CPUS + 1][WINDOWS];
	bool gap[CPUS][WINDOWS]; /* no reading there */
	size_t entries;
};

static struct measurement made;
static struct site_samples read_of_it;

/* ---- what the joining asks of a measurement ---- */

size_t site_samples_entries(const struct site_samples *s, size_t *missed)
{
	*missed = 0;
	return s->entries;
}

struct site_sampled site_samples_entry(const struct site_samples *s, size_t i)
{
	return (struct site_sampled){"a.scp", i, s->entries};
}

/* One a window and one after the last; of the ticks as many as windows. */
size_t site_samples_readings(const struct site_samples *s, size_t cpu)
{
	(void)s;
	return cpu < CPUS ? WINDOWS + 1 : WINDOWS;
}

/* A reading is at the end of a window: its calls are those of the window before it. */
struct site_reading site_samples_reading(const struct site_samples *s, size_t cpu, size_t i)
{
	static const uint32_t none[ENTRIES];
	struct site_reading r = {
		.at = 100 + (double)(i + 1) * SPAN, .calls = none, .entries = s->entries};

	if (cpu == CPUS) {
		r.calls = s->calls[cpu][i];
		r.program = s->program[cpu][i];
		r.softirqd = s->softirqd[cpu][i];
		return r;
	}
	r.window = FIRST + cpu + i;
	if (i) {
		r.window += s->gap[cpu][i - 1] ? 100000 : 0;
		r.calls = s->calls[cpu][i - 1];
		r.program = s->program[cpu][i - 1];
	}
	return r;
}

/* ---- a made-up run ---- */

static uint32_t next(uint32_t below)
{
	static uint64_t state = 1;

	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(state >> 33) % below;
}

/* Calls a window: a level of each site that changes every 15 windows. */
static void call(size_t cpu, size_t k, const uint32_t *level)
{
	for (size_t e = 0; e < ENTRIES; e++)
		read_of_it.calls[cpu][k][e] = level[e] + next(5);
}

/* A window in which the fluid had `share` of the time and saw that share of the work. */
static void fill(size_t cpu, size_t k, double share)
{
	struct displacement_window *w = &made.window[cpu][k];

	*w = (struct displacement_window){.at = 100 + ((double)k + 0.5) * SPAN,
					  .span = SPAN,
					  .charged = SPAN * share,
					  .switches = (double)next(20)};
	w->work = RATE * w->charged - 1e-7 * w->switches;
	for (size_t e = 0; e < ENTRIES; e++)
		w->work += share * cost[e] / CPUS * read_of_it.calls[cpu][k][e];
}

static void make(void)
{
	uint32_t level[ENTRIES] = {0};

	memset(&read_of_it, 0, sizeof read_of_it);
	read_of_it.entries = ENTRIES;
	for (size_t k = 0; k < WINDOWS; k++) {
		if (k % 15 == 0)
			for (size_t e = 0; e < ENTRIES; e++)
				level[e] = 10 + next(200);
		for (size_t cpu = 0; cpu <= CPUS; cpu++)
			call(cpu, k, level);
		for (size_t cpu = 0; cpu < CPUS; cpu++)
			fill(cpu, k, 1);
		for (size_t e = 0; e < ENTRIES; e++)
			read_of_it.program[CPUS][k] += OWN * read_of_it.calls[CPUS][k][e];
		read_of_it.softirqd[CPUS][k] =
			1e-4 * SPAN + SOFTIRQD * read_of_it.calls[CPUS][k][1];
	}
}

static struct prof_site_cost noted[ENTRIES]; /* by entry */

/* The model: entries 0 and 2 are one site (of two tables), entry 1 another. */
static struct site_costs_result join(struct prof_entry *entry)
{
	struct prof_process process = {.file = "profiles/a.scp"};
	struct prof_table table[2] = {{0}, {0}};
	struct profile_index index = {0};
	struct profile p = {.index = &index,
			    .process = &process,
			    .processes = 1,
			    .table = table,
			    .tables = 2,
			    .entry = entry,
			    .entries = ENTRIES};
	struct displacement_cpu cpu[CPUS] = {{0}, {0}};
	struct displacement_run run = {.switching = {-1e-7, 1e-12, 100}, .cpu = cpu, .cpus = CPUS};
	struct site_costs_result told;

	for (size_t i = 0; i < CPUS; i++)
		cpu[i] = (struct displacement_cpu){.rest = {RATE, 1e-9, 50},
						   .series = {made.window[i], WINDOWS},
						   .first = FIRST + i};
	memset(entry, 0, ENTRIES * sizeof *entry);
	entry[1].function = 1;
	entry[2].table = 1;
	for (size_t e = 0; e < ENTRIES; e++)
		entry[e].sums.units = 100;
	assert_int_equal(site_costs_run(&run, &read_of_it, NULL, "profiles", &p, &told), 0);
	memset(noted, 0, sizeof noted);
	for (uint32_t i = 0; i < p.site_costs; i++)
		noted[p.site_cost[i].entry] = p.site_cost[i];
	free(p.site_cost);
	return told;
}

static void assert_costs(double off)
{
	static const double charged_nobody[] = {4e3, 1.5e3}; /* ns */

	for (size_t i = 0; i < 2; i++) {
		const struct prof_site_cost *c = &noted[i];

		assert_int_equal(c->state, SCP_SITE_COST_KNOWN);
		assert_near(c->uncharged.ns, charged_nobody[i], off);
		assert_near(c->true_cost.ns, charged_nobody[i] + 2e3, off);
		assert_true(c->uncharged.error_ns > 0 && c->uncharged.error_ns < off);
	}
}

static void test_costs_are_found(void **state)
{
	struct prof_entry entry[ENTRIES];
	struct site_costs_result told;

	(void)state;
	make();
	told = join(entry);
	assert_int_equal(told.sites, 2);
	assert_int_equal(told.known, 2);
	assert_int_equal(told.missed, 0);
	/* all but the first and the last of each CPU */
	assert_near(told.kept, 1, 1e-12);
	assert_costs(2);
	/* the interrupts of no call: ksoftirqd's, once */
	assert_near(told.intercept, 1e-4, 1e-6);
}

/* Windows that are not used hold anything at all. */
static void test_what_is_set_aside_stays_out(void **state)
{
	struct prof_entry entry[ENTRIES];
	struct site_costs_result told;

	(void)state;
	make();
	for (size_t cpu = 0; cpu < CPUS; cpu++) {
		made.window[cpu][0].work = made.window[cpu][WINDOWS - 1].work = 5;
		for (size_t k = 20; k < WINDOWS - 20; k += 20) {
			made.window[cpu][k].aside = true;
			made.window[cpu][k].work = 1;
			read_of_it.gap[cpu][k + 5] = true;
			made.window[cpu][k + 5].work = -1;
			fill(cpu, k + 10, 0.05);
			made.window[cpu][k + 10].work = 0.5;
		}
	}
	told = join(entry);
	assert_near(told.kept, 0.85, 0.01);
	assert_costs(4);
}

/* Where others had part of the time, the fluid saw that part of the work less, and of the calls. */
static void test_a_share_stands_for_all(void **state)
{
	struct prof_entry entry[ENTRIES];
	struct site_costs_result told;

	(void)state;
	make();
	for (size_t cpu = 0; cpu < CPUS; cpu++)
		for (size_t k = 0; k < WINDOWS; k++)
			if (next(2))
				fill(cpu, k, 0.4);
	told = join(entry);
	assert_costs(2);
	assert_near(told.busy, 0.3, 0.03);
}

/* An entry that the model has not, or of a file of another length, is no site's. */
static void test_a_file_that_changed_counts_for_nothing(void **state)
{
	struct prof_entry entry[ENTRIES];
	struct site_costs_result told;

	(void)state;
	make();
	read_of_it.entries = ENTRIES - 1;
	told = join(entry);
	assert_int_equal(told.missed, ENTRIES - 1);
	assert_int_equal(told.known, 0);
	assert_int_not_equal(noted[0].state, SCP_SITE_COST_KNOWN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_costs_are_found),
		cmocka_unit_test(test_what_is_set_aside_stays_out),
		cmocka_unit_test(test_a_share_stands_for_all),
		cmocka_unit_test(test_a_file_that_changed_counts_for_nothing),
	};

	return cmocka_run_group_tests_name("site_costs_run", tests, NULL, NULL);
}
