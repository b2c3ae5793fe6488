// SPDX-License-Identifier: GPL-3.0-or-later
/* On a machine with too few CPUs the text puts the time on a CPU first; JSON and pages keep their
 * order, and so does what is asked for. */
#include "tests/unit/support/report_fixture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/model/model.h"

enum { SEND = 3 };

static struct prof_states states, slept[2];

/* `send` was kept from its CPU for nearly all of its time: of that `recv [would-block]` had less,
 * of the CPU's more. */
static struct profile *kept_waiting(uint64_t delay_ns)
{
	struct profile *p = fixture_profile();
	uint64_t units = p->entry[SEND].sums.units;

	for (uint32_t i = 0; i < p->entries; i++)
		p->entry[i].sums.detector = SCP_SWITCH_RSEQ;
	for (uint32_t i = 0; i < p->tables; i++)
		p->table[i].states = (struct prof_table_states){.detector = SCP_SWITCH_RSEQ};
	p->switches = (struct scp_switches){.detector = SCP_SWITCH_RSEQ};
	p->table[0].states.delay_covered_ns = 1000;
	p->table[0].states.delay_ns = delay_ns;
	states = (struct prof_states){.detector = SCP_SWITCH_RSEQ,
				      .calls = p->entry[SEND].sums.calls,
				      .units = units,
				      .units_sq = p->entry[SEND].sums.units_sq,
				      .readings = p->entry[SEND].sums.calls,
				      .off_cpu = {.known = units,
						  .weighted = units,
						  .runnable_ns = units - units / 1000}};
	p->entry[SEND].sums.states = &states;
	return p;
}

static char *text_of(const struct profile *p, enum report_sort sort, bool given)
{
	struct report_options o = REPORT_OPTIONS_DEFAULT;

	o.by = REPORT_BY_FUNCTION;
	o.sort = sort;
	o.cpu_first = !given;
	o.width = 160;
	o.full = true;
	return fixture_print(p, &o);
}

/* -1: the first is not before the second. */
static int in_order(const char *text, const char *first, const char *second)
{
	const char *table = strstr(text, "\nFUNCTION"), *a, *b;

	assert_non_null(table);
	a = strstr(table, first);
	b = strstr(table, second);
	return a && b && a < b ? 0 : -1;
}

static void more_than_a_fifth_is_overloaded(void **state)
{
	(void)state;
	assert_false(threads_time_overloaded(kept_waiting(200)));
	assert_true(threads_time_overloaded(kept_waiting(201)));
}

static void then_text_is_by_time_on_a_cpu(void **state)
{
	char *text = text_of(kept_waiting(500), REPORT_SORT_TIME, false);

	(void)state;
	assert_int_equal(in_order(text, "would-block", "\nsend  "), 0);
	assert_non_null(strstr(text, "ON CPU"));
	assert_non_null(strstr(text, "ELAPSED"));
	assert_non_null(strstr(text, "\n  overloaded "));
	free(text);
}

static void else_it_is_by_elapsed_time(void **state)
{
	char *text = text_of(kept_waiting(100), REPORT_SORT_TIME, false);

	(void)state;
	assert_int_equal(in_order(text, "\nsend  ", "would-block"), 0);
	assert_null(strstr(text, "ELAPSED"));
	assert_null(strstr(text, "\n  overloaded "));
	free(text);
}

static void what_is_asked_for_is_done(void **state)
{
	char *text = text_of(kept_waiting(100), REPORT_SORT_CPU, true);

	(void)state;
	assert_int_equal(in_order(text, "would-block", "\nsend  "), 0);
	free(text);
	text = text_of(kept_waiting(500), REPORT_SORT_TIME, true);
	assert_null(strstr(text, "ELAPSED"));
	assert_null(strstr(text, "\n  overloaded "));
	free(text);
}

/* epoll_wait slept for 8 ms, and was on a CPU for less than its calls that had nothing to wait for.
 */
static void what_waited_longest_is_shown(void **state)
{
	static char name[] = "epoll_wait";
	struct report_options o = REPORT_OPTIONS_DEFAULT;
	struct profile *p = kept_waiting(500);
	uint32_t rows = 0;
	char *text;

	(void)state;
	p->function[0].name = name;
	p->function[0].group = SCP_GROUP_WAIT;
	p->entry[SEND].sums.states = NULL;
	for (uint32_t i = 0; i < p->entries; i++) {
		struct prof_sums *s = &p->entry[i].sums;

		if (p->entry[i].function || p->entry[i].outcome != SCP_COMPLETED)
			continue;
		slept[i % 2] = (struct prof_states){.detector = SCP_SWITCH_RSEQ,
						    .calls = s->calls,
						    .units = s->units,
						    .units_sq = s->units_sq,
						    .readings = s->calls,
						    .off_cpu = {.known = s->units,
								.weighted = s->units,
								.asleep_ns = s->units}};
		s->states = &slept[i % 2];
	}
	o.by = REPORT_BY_FUNCTION;
	o.sort = REPORT_SORT_CPU;
	o.top = 3;
	text = fixture_print(p, &o);
	for (const char *at = text; (at = strstr(at, "\nepoll_wait")); at++)
		rows++;
	assert_int_equal(rows, 2);
	free(text);
}

static void json_keeps_its_order(void **state)
{
	struct report_options o = REPORT_OPTIONS_DEFAULT;
	struct report *r;

	(void)state;
	o.format = REPORT_JSON;
	r = report_build(kept_waiting(500), &o);
	assert_non_null(r);
	assert_int_equal(r->sort, REPORT_SORT_TIME);
	assert_true(r->overloaded);
	report_free(r);
}

/* Without a warm-up that was set aside the mean is of slower calls than all were. */
static void no_calls_have_more_of_a_cpu_than_they_took(void **state)
{
	struct report_site s = {
		.calls = 285, .total_ns = 596613, .states = {.known = true, .on_cpu.mean = 2259}};

	(void)state;
	assert_float_equal(site_cpu_ns(&s), 596613, 0);
	s.total_ns = 700000;
	assert_float_equal(site_cpu_ns(&s), 285 * 2259, 0);
	s.states.known = false;
	assert_true(isnan(site_cpu_ns(&s)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(more_than_a_fifth_is_overloaded),
		cmocka_unit_test(then_text_is_by_time_on_a_cpu),
		cmocka_unit_test(else_it_is_by_elapsed_time),
		cmocka_unit_test(what_is_asked_for_is_done),
		cmocka_unit_test(what_waited_longest_is_shown),
		cmocka_unit_test(json_keeps_its_order),
		cmocka_unit_test(no_calls_have_more_of_a_cpu_than_they_took),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
