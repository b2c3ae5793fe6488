// SPDX-License-Identifier: GPL-3.0-or-later
/* Charged time of calls and gaps beside the kernel's account of threads and processes. */
#include "tests/unit/support/report_fixture.h"

#include <math.h>
#include <stdlib.h>

#include "report/model/model.h"
#include "report/render/text/text.h"

static struct report *build(const struct profile *p)
{
	struct report_options o = REPORT_OPTIONS_DEFAULT;
	struct report *r = report_build(p, &o);

	assert_non_null(r);
	return r;
}

/* Watched for a second, in which the gaps of the second thread lost a tenth of its 8999000 ns; it
 * was charged `share` of the rest. */
static struct profile *timed(double share)
{
	struct profile *p = fixture_profile();
	struct prof_table_states *s = &p->table[1].states;

	for (uint32_t i = 0; i < p->entries; i++)
		p->entry[i].sums.detector = SCP_SWITCH_RSEQ;
	for (uint32_t i = 0; i < p->tables; i++)
		p->table[i].states = (struct prof_table_states){.detector = SCP_SWITCH_RSEQ};
	p->switches = (struct scp_switches){.detector = SCP_SWITCH_RSEQ};
	s->gap_off_cpu = (struct scp_off_cpu){
		.known = 1000000, .weighted = 1000000, .runnable_ns = 100000, .asleep_ns = 800000};
	s->covered_ns = 1000000000;
	s->cpu_ns = (uint64_t)(share * (1 - 900000.0 / 8999000) * 1e9);
	return p;
}

/* Its 8999000 units are the second that it was watched for. */
static struct profile *over_a_second(struct profile *p)
{
	struct scp_off_cpu *lost = &p->table[1].states.gap_off_cpu;

	p->clock.ns_per_unit = 1e9 / 8999000;
	lost->runnable_ns = 11112346;
	lost->asleep_ns = 88898766;
	return p;
}

/* The thread was on the CPU for 900 ms and charged 1.03 times as much; the process was charged
 * for 73 ms more. */
static void charged_time_adds_up_to_the_processes_own(void **state)
{
	struct report_options o = REPORT_OPTIONS_DEFAULT;
	struct profile *p = over_a_second(timed(1.03));
	struct report *r;
	char *text;

	(void)state;
	p->process[0].count = 1;
	p->processes = 1;
	p->usage = (struct scp_usage){.known = SCP_USAGE_CPU, .cpu_ns = 1000000000};
	p->usage_cpu_of = 1;
	r = build(p);
	assert_float_equal(r->threads_time.charged_s, 1.03 * 8099 / 8999, 1e-8);
	assert_float_equal(threads_time_not_recorded_s(r), 1 - 1.03 * 8099 / 8999, 1e-8);
	assert_float_equal(threads_time_difference(r), -0.03 * 8099 / 8999, 1e-8);
	assert_false(threads_time_agrees(r));
	report_free(r);
	o.width = 160;
	o.full = true;
	text = fixture_print(p, &o); /* in any report, not only of gaps and threads */
	assert_non_null(strstr(text, "calls 666.7 ms + between 233.2 ms + "));
	assert_non_null(strstr(text, " + not recorded 73.01 ms = 973.0 ms, by the kernel 1.000 s: "
				     "off by -2.7 %"));
	free(text);
	o.format = REPORT_JSON;
	text = fixture_print(p, &o);
	assert_non_null(strstr(text, "\"not_recorded\": 0.073011446, \"threads\": 0.926988554, "
				     "\"processes\": 1.0}, \"charged_difference\": -0.0269"));
	free(text);
	p->usage_cpu_of = 0; /* not known: beside the threads' own clocks */
	r = build(p);
	assert_true(isnan(threads_time_not_recorded_s(r)));
	assert_float_equal(threads_time_difference(r), 1 / 1.03 - 1, 1e-8);
	report_free(r);
}

/* It lost its CPU while it recorded: gaps lost 50 ms more than they lasted. */
static void a_wait_in_the_midst_of_recording_is_no_time_below_0_in_gaps(void **state)
{
	struct profile *p = over_a_second(timed(1));
	struct scp_off_cpu *lost = &p->table[1].states.gap_off_cpu;
	const struct report_threads_time *t;
	struct report *r;

	(void)state;
	lost->asleep_ns += 283222222;
	p->table[1].recording_units = 899900;
	r = build(p);
	t = &r->threads_time;
	assert_float_equal(t->explained_in_calls_s, 0.6667, 1e-4);
	assert_float_equal(t->explained_s - t->explained_in_calls_s, 0.05, 1e-3);
	assert_float_equal(t->explained_recording_s, t->explained_s - t->explained_in_calls_s,
			   1e-6);
	report_free(r);
}

/* It computed for 7 s, then slept for 2 in a call that did not end. */
static void what_a_thread_does_after_its_last_call_is_not_recorded(void **state)
{
	struct profile *p = over_a_second(timed(1));
	struct prof_table_states *s = &p->table[1].states;
	struct report *r;

	(void)state;
	s->covered_ns += 9000000000;
	s->cpu_ns += 7000000000;
	s->gap_off_cpu.asleep_ns += 2000000000;
	p->process[0].count = 1;
	p->processes = 1;
	p->usage = (struct scp_usage){.known = SCP_USAGE_CPU, .cpu_ns = s->cpu_ns};
	p->usage_cpu_of = 1;
	r = build(p);
	assert_float_equal(r->threads_time.charged_s, (double)s->cpu_ns / 10e9, 1e-8);
	assert_float_equal(threads_time_not_recorded_s(r), 0.9 * (double)s->cpu_ns / 1e9, 1e-8);
	assert_true(fabs(threads_time_difference(r)) < 0.02);
	report_free(r);
	p->usage_cpu_of = 0;
}

/* It is in the losses of the process, and in the time of a thread. */
static void what_found_no_room_is_no_time_in_calls(void **state)
{
	struct profile *p = timed(1);
	struct report *r = build(p);
	double in_calls = r->threads_time.cpu_in_calls_s, outside = r->threads_time.cpu_outside_s;
	uint64_t lost = p->table[1].gap_units;

	(void)state;
	assert_true(outside > 1e-3);
	report_free(r);
	p->table[1].gap_units -= lost;
	p->losses.overflow_gap_units += lost;
	r = build(p);
	assert_float_equal(r->threads_time.cpu_in_calls_s, in_calls, 1e-9);
	assert_float_equal(r->threads_time.cpu_outside_s, outside, 1e-9);
	assert_true(threads_time_agrees(r));
	report_free(r);
	p->table[1].gap_units += lost;
	p->losses.overflow_gap_units -= lost;
}

/* A difference of 27 us, where 1,000 readings of 0.9 ms off the CPU may be off by 2 / sqrt(1000).
 */
static void what_few_readings_may_be_off_by_is_said(void **state)
{
	struct report_options o = REPORT_OPTIONS_DEFAULT;
	struct profile *p = timed(1.03);
	char *text;

	(void)state;
	p->table[1].states.covered_ns /= 1000;
	p->table[1].states.cpu_ns /= 1000;
	p->switches.readings = 1000;
	o.width = 160;
	o.full = true;
	text = fixture_print(p, &o);
	assert_non_null(strstr(text, "off by -2.9 %, as chance allows"));
	free(text);
	p->switches.flags |= SCP_SWITCH_EXACT;
	text = fixture_print(p, &o);
	assert_non_null(strstr(text, "off by -2.9 %"));
	assert_null(strstr(text, "chance"));
	free(text);
}

/* With a slow clock that did not advance in any of them. */
static void recordings_without_a_tick_have_no_duration(void **state)
{
	struct report_options o = REPORT_OPTIONS_DEFAULT;
	struct profile *p = timed(1);
	char *text;

	(void)state;
	p->table[0].recordings = 7;
	p->table[0].recording_units = 0;
	o.width = 160;
	o.full = true;
	text = fixture_print(p, &o);
	assert_non_null(strstr(text, "new paths: 7 times; no tick fell into any of them\n"));
	free(text);
}

/* Time in calls and its part on a CPU are estimated apart: with little between calls, or much. */
static void time_on_a_cpu_in_calls_is_within_all_of_it(void **state)
{
	const struct report_threads_time few = {
		.known = true, .cpu_in_calls_s = -0.1, .cpu_outside_s = 0.6, .runnable_s = 0.5};
	const struct report_threads_time many = {
		.known = true, .cpu_in_calls_s = 1, .cpu_outside_s = -0.5, .runnable_s = 0.5};

	(void)state;
	assert_float_equal(threads_time_cpu_in_calls_s(&few), 0, 1e-12);
	assert_float_equal(threads_time_cpu_in_calls_s(&many), 0.5, 1e-12);
}

/* Of ten parts of the time a sample says one runnable and eight asleep, the kernel two runnable and
 * four on a CPU. */
static void the_kernels_account_goes_before_the_sample(void **state)
{
	struct profile *p = timed(1);
	struct prof_table_states *s = &p->table[1].states;
	double time =
		(double)(p->table[0].time_units + p->table[1].time_units) * p->clock.ns_per_unit;
	const struct report_threads_time *t;
	struct report *r;

	(void)state;
	s->covered_ns = s->delay_covered_ns = 10000000;
	s->cpu_ns = 4000000;
	s->delay_ns = 2000000;
	p->table[0].states = *s;
	r = build(p);
	t = &r->threads_time;
	assert_float_equal((t->cpu_in_calls_s + t->cpu_outside_s + t->recording_s) * 1e9 / time,
			   0.4, 1e-9);
	assert_float_equal(t->runnable_s * 1e9 / time, 0.2, 1e-9);
	assert_float_equal((t->asleep_in_calls_s + t->not_recorded_s) * 1e9 / time, 0.4, 1e-9);
	assert_true(t->cpu_in_calls_s >= 0 && t->cpu_outside_s >= 0);
	report_free(r);
}

/* Threads that live for a moment have their CPU time known, and few are asked for more: of the time
 * without a CPU one ninth was runnable where one was, and so it was in the table of which none was.
 */
static void what_few_threads_were_asked_is_said_of_all(void **state)
{
	struct profile *p = timed(1);
	struct prof_table_states *s = &p->table[1].states;
	double time =
		(double)(p->table[0].time_units + p->table[1].time_units) * p->clock.ns_per_unit;
	const struct report_threads_time *t;
	struct report *r;

	(void)state;
	s->covered_ns = 10000000;
	s->cpu_ns = 4000000;
	p->table[0].states = *s;
	p->table[0].states.gap_off_cpu = (struct scp_off_cpu){.known = 1000};
	r = build(p);
	t = &r->threads_time;
	assert_float_equal((t->cpu_in_calls_s + t->cpu_outside_s + t->recording_s) * 1e9 / time,
			   0.4, 1e-9);
	assert_float_equal(t->runnable_s * 1e9 / time, 0.6 / 9, 1e-9);
	assert_float_equal((t->asleep_in_calls_s + t->not_recorded_s) * 1e9 / time, 0.6 * 8 / 9,
			   1e-6);
	report_free(r);
}

/* Calls of 6 ms were asleep for all that was read of them; of a gap of 3 ms nothing was read. The
 * kernel says that the thread slept for 8.1 ms. */
static void calls_sleep_no_longer_than_they_last(void **state)
{
	struct profile *p = timed(1);
	struct prof_table_states *s = &p->table[1].states;
	const struct report_threads_time *t;
	struct report *r;
	double calls;

	(void)state;
	s->covered_ns = s->delay_covered_ns = 10000000;
	s->cpu_ns = 1000000;
	s->gap_off_cpu = (struct scp_off_cpu){.known = 1000, .weighted = 1000, .asleep_ns = 1};
	s->call_off_cpu = (struct scp_off_cpu){.known = 1000, .weighted = 1000, .asleep_ns = 1000};
	r = build(p);
	t = &r->threads_time;
	calls = (double)p->table[1].call_units / 1e9;
	assert_true(t->asleep_in_calls_s <= calls);
	assert_true(t->asleep_in_calls_s + t->not_recorded_s > 0.89 * 0.008999);
	report_free(r);
}

/* One theft of 4 ms in 10 ms that were looked at says nothing of 400. */
static void a_theft_in_little_time_is_not_said_of_all(void **state)
{
	struct profile *p = timed(1);
	struct prof_table_states *s = &p->table[1].states;
	double time =
		(double)(p->table[0].time_units + p->table[1].time_units) * p->clock.ns_per_unit;
	const struct report_threads_time *t;
	struct report *r;

	(void)state;
	s->covered_ns = s->delay_covered_ns = 10000000;
	s->cpu_ns = 4000000;
	s->ran_ns = 100000;
	s->stolen_ns = 40000;
	p->table[0].states = *s;
	r = build(p);
	t = &r->threads_time;
	assert_float_equal((t->cpu_in_calls_s + t->cpu_outside_s + t->recording_s) * 1e9 / time,
			   0.4, 1e-9);
	report_free(r);
}

/* Of the first thread 1 ms more lies outside of the readings; both called recv. */
static void calls_had_no_more_of_a_cpu_than_their_threads(void **state)
{
	static const double cpu_ns[] = {4e6, 2e6};
	static const uint32_t switched[] = {0, 1, 3};
	static struct prof_states some = {
		.detector = SCP_SWITCH_RSEQ,
		.calls = 100,
		.units = 440000,
		.units_sq = (prof_u128)100 * 4400 * 4400,
		.readings = 100,
		.off_cpu = {.known = 440000, .weighted = 440000, .asleep_ns = 220000}};
	struct profile *p = timed(1);
	double most_of_4000 = NAN, most_of_500 = NAN;
	struct report *r;

	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		struct prof_table *t = &p->table[i];

		t->states.cpu_ns = (uint64_t)cpu_ns[i];
		t->states.covered_ns = (uint64_t)((double)t->time_units * p->clock.ns_per_unit) + 1;
	}
	p->table[0].states.covered_ns -= 1000001;
	for (size_t i = 0; i < sizeof(switched) / sizeof(*switched); i++)
		p->entry[switched[i]].sums.states = &some;
	r = build(p);
	for (uint32_t i = 0; i < r->sites; i++) {
		const struct report_site *s = &r->site[i];
		double most = s->states.most_on_cpu_ns * (double)s->states.calls;

		if (s->calls == 4000)
			most_of_4000 = most;
		else if (s->calls == 500)
			most_of_500 = most;
	}
	assert_true(fabs(most_of_500 - 5e6) < 10); /* infinity equals all for cmocka */
	assert_true(fabs(most_of_4000 - 7e6) < 10);
	report_free(r);
}

static void what_its_threads_had_limits_a_share(void **state)
{
	struct report_site s = {.estimate = {.mean = 1000},
				.states = {.known = true,
					   .on_cpu = {.mean = 400, .high = 2000},
					   .most_on_cpu_ns = INFINITY}};

	(void)state;
	assert_string_equal(text_notes_states_cpu(&s).text, "?");
	s.states.most_on_cpu_ns = 600;
	assert_string_equal(text_notes_states_cpu(&s).text, "< 60 %");
	s.states.most_on_cpu_ns = 450;
	assert_string_equal(text_notes_states_cpu(&s).text, "40 %");
	s.states.most_on_cpu_ns = 300; /* the estimate has an error */
	assert_string_equal(text_notes_states_cpu(&s).text, "30 %");
}

/* A server that waited for its first request: the calls that followed kept their CPU. */
static void what_is_set_aside_leaves_its_share_open(void **state)
{
	struct report_site s = {.estimate = {.mean = 1000},
				.total_ns = 1e9,
				.set_aside_ns = 0.4e9,
				.states = {.known = true,
					   .on_cpu = {.mean = 1000, .low = 990, .high = 1010},
					   .most_on_cpu_ns = INFINITY}};

	(void)state;
	assert_string_equal(text_notes_states_cpu(&s).text, "100 %");
	s.set_aside_ns = 0.6e9;
	assert_string_equal(text_notes_states_cpu(&s).text, "> 40 %");
	s.set_aside_ns = 0.999e9;
	assert_string_equal(text_notes_states_cpu(&s).text, "?");
	s.states.on_cpu = (struct mean_interval){.mean = 10, .low = 0, .high = 20};
	s.set_aside_ns = 0.6e9;
	assert_string_equal(text_notes_states_cpu(&s).text, "< 61 %");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_set_aside_leaves_its_share_open),
		cmocka_unit_test(a_wait_in_the_midst_of_recording_is_no_time_below_0_in_gaps),
		cmocka_unit_test(recordings_without_a_tick_have_no_duration),
		cmocka_unit_test(time_on_a_cpu_in_calls_is_within_all_of_it),
		cmocka_unit_test(the_kernels_account_goes_before_the_sample),
		cmocka_unit_test(what_few_threads_were_asked_is_said_of_all),
		cmocka_unit_test(calls_sleep_no_longer_than_they_last),
		cmocka_unit_test(a_theft_in_little_time_is_not_said_of_all),
		cmocka_unit_test(what_a_thread_does_after_its_last_call_is_not_recorded),
		cmocka_unit_test(what_found_no_room_is_no_time_in_calls),
		cmocka_unit_test(charged_time_adds_up_to_the_processes_own),
		cmocka_unit_test(what_few_readings_may_be_off_by_is_said),
		cmocka_unit_test(calls_had_no_more_of_a_cpu_than_their_threads),
		cmocka_unit_test(what_its_threads_had_limits_a_share),
	};

	return cmocka_run_group_tests_name("charged time", tests, NULL, NULL);
}
