// SPDX-License-Identifier: GPL-3.0-or-later
/* Where the time of calls went, as counters: the three states add up to the calls' time, agree with
 * the report's ratio, and never go back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/serve/sums/counters.h"

/* A process with one path: 1000 calls of 2 us, 100 of which were switched in segments of 11 us; one
 * of four was read, which slept for 8 us and waited for a CPU for 1 us. */
struct one {
	struct prof_function function;
	struct prof_entry entry;
	struct prof_states states;
	struct profile profile;
	struct counters counters;
	struct counters_service *service;
	struct cells cells;
};

static void begin(struct one *x)
{
	*x = (struct one){.function = {.name = (char *)"recv", .library = (char *)"libc.so.6"},
			  .states = {.detector = SCP_SWITCH_RSEQ,
				     .calls = 100,
				     .units = 1000000,
				     .readings = 25,
				     .off_cpu = {.known = 1100000,
						 .weighted = 1100000,
						 .runnable_ns = 100000,
						 .asleep_ns = 800000}}};
	x->entry.outcome = SCP_COMPLETED;
	x->entry.sums = (struct prof_sums){
		.calls = 1000, .units = 2000000, .detector = SCP_SWITCH_RSEQ, .states = &x->states};
	x->profile = (struct profile){.function = &x->function,
				      .functions = 1,
				      .entry = &x->entry,
				      .entries = 1,
				      .clock = {.kind = SCP_CLOCK_MONOTONIC, .ns_per_unit = 1},
				      .switches = {.detector = SCP_SWITCH_RSEQ}};
	x->counters = (struct counters){.most_services = 10, .most_functions = 10};
	x->service = counters_service(&x->counters, "a", NULL);
}

static void end(struct one *x)
{
	row_counters_free(&x->cells);
	counters_end(&x->counters);
}

static const struct counters_row *look(struct one *x)
{
	bool skip[1], grew;
	struct counters_function *f;

	assert_int_equal(row_counters_take(&x->cells, &x->counters, x->service, &x->profile, skip),
			 0);
	assert_int_equal(
		row_counters_publish(&x->cells, x->service, &x->profile, true, false, &grew), 0);
	f = counters_function(&x->counters, x->service, "recv", "libc.so.6");
	return counters_row(f, SCP_COMPLETED, SCP_CLOCK_MONOTONIC);
}

static void expect(const struct counters_row *row, double on_cpu, double runnable, double asleep)
{
	const long double *s = row->sums.state_seconds;

	assert_float_equal((double)s[COUNTERS_ON_CPU], on_cpu, 1e-12);
	assert_float_equal((double)s[COUNTERS_RUNNABLE], runnable, 1e-12);
	assert_float_equal((double)s[COUNTERS_ASLEEP], asleep, 1e-12);
}

static void states_add_up_to_the_time(void **state)
{
	struct one x;
	const struct counters_row *row;

	(void)state;
	begin(&x);
	row = look(&x);
	expect(row, 1.1e-3, 0.1e-3, 0.8e-3);
	assert_float_equal((double)row->sums.switched_calls, 100, 0);
	/* twice as many switches, as many readings: the ratio makes up for it */
	x.entry.sums.units *= 2;
	x.entry.sums.calls *= 2;
	x.states.off_cpu.known *= 2;
	x.states.calls *= 2;
	expect(look(&x), 2.2e-3, 0.2e-3, 1.6e-3);
	assert_int_equal(x.service->detectors, 1 << SCP_SWITCH_RSEQ);
	end(&x);
}

static void estimates_that_go_back_leave_counters_where_they_are(void **state)
{
	struct one x;

	(void)state;
	begin(&x);
	look(&x);
	x.states.off_cpu.asleep_ns = 700000;
	expect(look(&x), 1.2e-3, 0.1e-3, 0.8e-3);
	x.states.off_cpu.asleep_ns = 900000;
	expect(look(&x), 1.2e-3, 0.1e-3, 0.9e-3);
	end(&x);
}

static void calls_are_not_off_the_cpu_for_longer_than_they_take(void **state)
{
	struct one x;

	(void)state;
	begin(&x);
	x.states.off_cpu.asleep_ns = UINT64_MAX / 2;
	x.states.off_cpu.runnable_ns = 0;
	expect(look(&x), 0, 0, 2e-3);
	end(&x);
}

static void what_was_not_read_is_not_told(void **state)
{
	struct one x;
	const struct counters_row *row;

	(void)state;
	begin(&x);
	x.states.readings = x.states.off_cpu.weighted = 0;
	x.states.off_cpu.runnable_ns = x.states.off_cpu.asleep_ns = 0;
	expect(look(&x), 0, 0, 0);
	x.entry.sums.states = NULL; /* no call was switched */
	expect(look(&x), 2e-3, 0, 0);
	x.entry.sums.detector = SCP_SWITCH_NONE;
	x.entry.sums.units = 9000000;
	row = look(&x);
	expect(row, 2e-3, 0, 0);
	assert_true(row->has_states);
	end(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(states_add_up_to_the_time),
		cmocka_unit_test(estimates_that_go_back_leave_counters_where_they_are),
		cmocka_unit_test(calls_are_not_off_the_cpu_for_longer_than_they_take),
		cmocka_unit_test(what_was_not_read_is_not_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
