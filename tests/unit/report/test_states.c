// SPDX-License-Identifier: GPL-3.0-or-later
/* Where the time of rows and threads went, on sums made by hand. tests/unit/stats/ tests the
 * estimates; these test what the report makes of them. */
#include "tests/unit/support/report_fixture.h"

#include <math.h>
#include <stdlib.h>

#include "report/model/sites.h"
#include "report/render/text/text.h"

#define EACH	16
#define BATCHES 40

enum { SEND = 3 };

static struct prof_states states;
static struct prof_state_batches batches;

static struct report *build(const struct profile *p)
{
	struct report_options o = REPORT_OPTIONS_DEFAULT;
	struct report *r = report_build(p, &o);

	assert_non_null(r);
	return r;
}

static const struct report_site *site_of(const struct report *r, const char *function)
{
	for (uint32_t i = 0; i < r->sites; i++)
		if (r->site[i].outcome == SCP_COMPLETED && !r->site[i].overflow &&
		    !strcmp(r->profile->function[r->site[i].function].name, function))
			return &r->site[i];
	fail_msg("no row of %s", function);
	return NULL;
}

static const char *warning(const struct report *r, const char *code)
{
	for (uint32_t i = 0; i < r->warnings; i++)
		if (!strcmp(r->warning[i].code, code))
			return r->warning[i].text;
	return NULL;
}

/* All of it watched by a detector. 100 of the 500 sends were switched: 440 runnable and 2200 asleep
 * each. */
static struct profile *watched(void)
{
	struct profile *p = fixture_profile();

	for (uint32_t i = 0; i < p->entries; i++)
		p->entry[i].sums.detector = SCP_SWITCH_RSEQ;
	for (uint32_t i = 0; i < p->tables; i++)
		p->table[i].states = (struct prof_table_states){.detector = SCP_SWITCH_RSEQ};
	p->switches = (struct scp_switches){.detector = SCP_SWITCH_RSEQ};
	states = (struct prof_states){.detector = SCP_SWITCH_RSEQ,
				      .calls = 100,
				      .units = 440000,
				      .units_sq = (prof_u128)100 * 4400 * 4400,
				      .readings = 100,
				      .off_cpu = {.known = 440000,
						  .weighted = 440000,
						  .runnable_ns = 44000,
						  .asleep_ns = 220000,
						  .ran_ns = 90000},
				      .runnable_sq = (prof_u128)100 * 440 * 440,
				      .asleep_sq = (prof_u128)100 * 2200 * 2200,
				      .runnable_asleep = (prof_u128)100 * 440 * 2200,
				      .units_runnable = (prof_u128)100 * 4400 * 440,
				      .units_asleep = (prof_u128)100 * 4400 * 2200};
	p->entry[SEND].sums.states = &states;
	p->table[p->entry[SEND].table].states.call_off_cpu = states.off_cpu;
	return p;
}

static void parts_add_up_to_the_mean(void **state)
{
	struct report *r = build(watched());
	const struct report_site *s = site_of(r, "send");
	const struct report_states *t = &s->states;

	(void)state;
	assert_true(t->known);
	assert_int_equal(t->switched_calls, 100);
	assert_float_equal(t->switched_share, 0.2, 1e-12);
	assert_float_equal(t->runnable.mean, 88, 1e-6);
	assert_float_equal(t->asleep.mean, 440, 1e-6);
	assert_float_equal(t->on_cpu.mean + t->runnable.mean + t->asleep.mean, s->estimate.mean, 0);
	assert_float_equal(t->unswitched.mean, (2000000 - 440000) / 400.0 - s->overhead_ns, 1e-6);
	report_free(r);
}

static void no_detector_no_states(void **state)
{
	struct profile *p = watched();
	struct report *r;

	(void)state;
	p->entry[SEND].sums.detector = SCP_SWITCH_NONE;
	p->entry[SEND].sums.states = NULL;
	r = build(p);
	assert_false(site_of(r, "send")->states.known);
	assert_true(site_of(r, "recv")->states.known);
	report_free(r);
}

static void calls_never_switched_are_on_the_cpu(void **state)
{
	struct report *r = build(watched());
	const struct report_site *s = site_of(r, "recv");

	(void)state;
	assert_int_equal(s->states.switched_calls, 0);
	assert_float_equal(s->states.on_cpu.mean, s->estimate.mean, 0);
	assert_float_equal(s->states.on_cpu.high, s->estimate.high, 1e-9);
	report_free(r);
}

/* A tenth: of 90000 on the CPU 10000 more, which look asleep. */
static void stolen_time_is_not_slept(void **state)
{
	struct profile *p = watched();
	const struct report_states *t;
	struct report *r;

	(void)state;
	p->table[0].states.ran_ns = 1000;
	p->table[0].states.stolen_ns = 100;
	r = build(p);
	t = &site_of(r, "send")->states;
	assert_float_equal(r->threads_time.stolen_share, 0.1, 1e-12);
	assert_float_equal(t->asleep.mean, 420, 1e-6);
	assert_float_equal(t->charged.mean, 0.9 * t->on_cpu.mean, 1e-9);
	report_free(r);
	/* a reading without a detector may be torn: nothing is said of such threads */
	p->table[0].states.detector = SCP_SWITCH_SAMPLED;
	r = build(p);
	assert_true(isnan(r->threads_time.stolen_share));
	assert_float_equal(site_of(r, "send")->states.asleep.mean, 440, 1e-6);
	report_free(r);
}

/* Calls of 10000, all asleep, and after 8 batches of 1000: then none. */
static void a_warmup_takes_its_states_along(void **state)
{
	struct profile *p = watched();
	struct prof_sums *s = &p->entry[SEND].sums;
	const struct report_states *t;
	struct report *r;

	(void)state;
	*s = (struct prof_sums){.calls = BATCHES * EACH, .min_units = 990, .max_units = 10010};
	s->batches = (struct prof_batches){EACH, BATCHES, fixture_batches()};
	s->detector = SCP_SWITCH_RSEQ;
	s->states = &states;
	states = (struct prof_states){.detector = SCP_SWITCH_RSEQ, .batches = &batches};
	memset(&batches, 0, sizeof(batches));
	for (uint32_t i = 0; i < BATCHES * EACH; i++) {
		uint64_t x = (i < 8 * EACH ? 10000 : 1000) + (i % 2 ? 10 : -10u) + i / EACH % 3;
		uint32_t slot = i / EACH;

		s->units += x;
		s->units_sq += (prof_u128)x * x;
		s->batches.sum[slot] += x;
		if (i >= 8 * EACH)
			continue;
		states.calls++, batches.calls[slot]++;
		states.units += x, batches.units[slot] += x;
		states.units_sq += (prof_u128)x * x;
		states.readings++;
		states.off_cpu.known += x, batches.known[slot] += x;
		states.off_cpu.weighted += x, batches.weighted[slot] += x;
		states.off_cpu.asleep_ns += 9000, batches.asleep_ns[slot] += 9000;
	}
	r = build(p);
	t = &site_of(r, "send")->states;
	assert_true(site_of(r, "send")->steadiness.warmup_aside);
	assert_true(t->known);
	assert_int_equal(t->calls, (BATCHES - 8) * EACH);
	assert_int_equal(t->switched_calls, 0);
	assert_float_equal(t->asleep.mean, 0, 0);
	assert_float_equal(t->on_cpu.mean, site_of(r, "send")->estimate.mean, 0);
	report_free(r);
	/* and where nobody knows which of them slept, nothing is said */
	states.batches = NULL;
	r = build(p);
	assert_false(site_of(r, "send")->states.known);
	report_free(r);
}

/* Over a second: the gaps of one thread slept for a tenth of its time. */
static struct profile *timed(double charged_share)
{
	struct profile *p = watched();
	struct prof_table *t = &p->table[1];

	t->states.gaps = 10;
	t->states.gap_units = 1000000;
	t->states.gap_off_cpu = (struct scp_off_cpu){
		.known = 1000000, .weighted = 1000000, .runnable_ns = 100000, .asleep_ns = 800000};
	t->states.covered_ns = 1000000000;
	t->states.cpu_ns = (uint64_t)(charged_share * (1 - 900000.0 / 8999000) * 1e9);
	return p;
}

static void five_parts_are_the_threads_time(void **state)
{
	struct report *r = build(timed(1));
	const struct report_threads_time *t = &r->threads_time;

	(void)state;
	assert_true(t->known);
	assert_float_equal(t->cpu_in_calls_s + t->cpu_outside_s + t->runnable_s +
				   t->asleep_in_calls_s + t->not_recorded_s,
			   (4999000 + 8999000) / 1e9, 1e-12);
	assert_float_equal(t->asleep_in_calls_s, 220000 / 1e9, 1e-12);
	assert_float_equal(t->not_recorded_s, 800000 / 1e9, 1e-12);
	assert_float_equal(t->runnable_s, (44000 + 100000) / 1e9, 1e-12);
	report_free(r);
}

static void a_thread_without_a_detector_leaves_all_unknown(void **state)
{
	struct profile *p = timed(1);
	struct report *r;

	(void)state;
	p->table[0].states.detector = SCP_SWITCH_SAMPLED;
	r = build(p);
	assert_false(r->threads_time.known);
	report_free(r);
}

/* A call inside another: what it slept is in both entries, and once in the thread's own sums. */
static void nested_sleep_counts_once(void **state)
{
	struct profile *p = timed(1);
	struct report *r;

	(void)state;
	p->table[0].states.call_off_cpu.asleep_ns /= 2;
	r = build(p);
	assert_float_equal(r->threads_time.asleep_in_calls_s, 110000 / 1e9, 1e-10);
	report_free(r);
}

static void a_near_ticker_hides_the_calls_that_kept_their_cpu(void **state)
{
	struct profile *p = timed(1);
	struct report *r;

	(void)state;
	p->clock.kind = SCP_CLOCK_PAGE;
	p->ticker_readings = 1000;
	p->ticker_near = 20;
	r = build(p);
	assert_null(warning(r, "ticker-near"));
	assert_false(isnan(site_of(r, "send")->states.unswitched.mean));
	report_free(r);
	p = timed(1);
	p->clock.kind = SCP_CLOCK_PAGE;
	p->ticker_readings = 1000;
	p->ticker_near = 21;
	r = build(p);
	assert_non_null(warning(r, "ticker-near"));
	assert_true(isnan(site_of(r, "send")->states.unswitched.mean));
	assert_false(isnan(site_of(r, "send")->states.on_cpu.mean));
	report_free(r);
}

/* The 8999000 units of its thread are the second that it was watched for. */
static struct profile *over_a_second(struct profile *p)
{
	struct scp_off_cpu *lost = &p->table[1].states.gap_off_cpu;

	p->clock.ns_per_unit = 1e9 / 8999000;
	lost->runnable_ns = 11112346;
	lost->asleep_ns = 88898766;
	return p;
}

static void one_percent_off_the_kernels_account_warns(void **state)
{
	struct report *r = build(over_a_second(timed(1.009)));

	(void)state;
	assert_null(warning(r, "states-check"));
	report_free(r);
	r = build(over_a_second(timed(0.97)));
	assert_non_null(warning(r, "states-check"));
	assert_non_null(strstr(warning(r, "states-check"), "3.1 % more"));
	report_free(r);
	r = build(over_a_second(timed(1.03)));
	assert_non_null(strstr(warning(r, "states-check"), "2.9 % less"));
	report_free(r);
}

static void each_reason_has_its_line(void **state)
{
	static const struct {
		uint32_t detector, flags;
		const char *code, *words;
	} of[] = {
		{SCP_SWITCH_SAMPLED, SCP_SWITCH_NO_LIBC, "no-switch-detector", "2.35"},
		{SCP_SWITCH_SAMPLED, SCP_SWITCH_DISABLED, "no-switch-detector", "tunable"},
		{SCP_SWITCH_SAMPLED, SCP_SWITCH_NO_PERF, "no-switch-detector", "perf"},
		{SCP_SWITCH_SAMPLED, SCP_SWITCH_MISSED, "no-switch-detector", "given up"},
		{SCP_SWITCH_RSEQ, SCP_SWITCH_NO_DELAY, "no-switch-detector", "asleep"},
		{SCP_SWITCH_RSEQ, SCP_SWITCH_SANDBOX, "sandboxed", "system calls"},
		{SCP_SWITCH_RSEQ, SCP_SWITCH_MIXED, "profiles-differ", "alike"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(of) / sizeof(*of); i++) {
		struct profile *p = watched();
		struct report *r;

		p->switches.detector = of[i].detector;
		p->switches.flags = of[i].flags;
		r = build(p);
		assert_non_null(warning(r, of[i].code));
		assert_non_null(strstr(warning(r, of[i].code), of[i].words));
		report_free(r);
	}
}

static void text_says_it_in_eighty_columns(void **state)
{
	struct report_options o = REPORT_OPTIONS_DEFAULT;
	char *text, *line;

	(void)state;
	o.width = 80;
	o.full = true;
	text = fixture_print(timed(1), &o);
	assert_non_null(strstr(text, "computes: "));
	assert_non_null(strstr(text, "  CPU"));
	assert_non_null(strstr(text, "% on CPU 86.8 %, runnable 2.2 %, asleep 11.0 %"));
	assert_non_null(strstr(text, "% 80.0 % of the calls kept their CPU: mean 3.90"));
	for (line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
		if (strstr(line, "kept their") || strstr(line, "% on CPU"))
			assert_true(strlen(line) <= 80);
	free(text);
	o.by = REPORT_BY_THREAD;
	text = fixture_print(timed(1.03), &o);
	assert_non_null(strstr(text, "off by -2.9 %"));
	assert_null(strstr(text, "chance"));
	free(text);
}

/* Calls were switched, and none of them was read. */
static void text_gives_no_share_of_what_is_not_known(void **state)
{
	struct report_site s = {.estimate = {.mean = 1000},
				.states = {.known = true, .on_cpu = {.mean = NAN}}};

	(void)state;
	assert_string_equal(text_notes_states_cpu(&s).text, "");
	s.states.on_cpu.mean = 400;
	s.states.most_on_cpu_ns = INFINITY;
	assert_string_equal(text_notes_states_cpu(&s).text, "40 %");
}

static void folded_has_each_state(void **state)
{
	struct report_options o = REPORT_OPTIONS_DEFAULT;
	uint64_t time, parts = 0;
	char *text;

	(void)state;
	o.format = REPORT_FOLDED;
	o.by = REPORT_BY_FUNCTION;
	text = fixture_print(timed(1), &o);
	time = strtoull(strstr(text, "send ") + 5, NULL, 10);
	free(text);
	for (o.weight = REPORT_WEIGHT_ON_CPU; o.weight <= REPORT_WEIGHT_ASLEEP; o.weight++) {
		text = fixture_print(timed(1), &o);
		parts += strtoull(strstr(text, "send ") + 5, NULL, 10);
		free(text);
	}
	assert_in_range(parts, time - 1, time + 1);
	o.weight = REPORT_WEIGHT_ASLEEP;
	assert_null(report_weight_missing(timed(1), &o));
	assert_non_null(report_weight_missing(fixture_profile(), &o));
}

static void json_has_parts_or_null(void **state)
{
	struct report_options o = REPORT_OPTIONS_DEFAULT;
	char *text;

	(void)state;
	o.format = REPORT_JSON;
	text = fixture_print(timed(1), &o);
	assert_non_null(strstr(text, "\"detector\": \"rseq\""));
	assert_non_null(strstr(text, "\"asleep\": {\"mean_ns\": 440"));
	assert_non_null(strstr(text, "\"not_recorded\": 0.0008"));
	free(text);
	text = fixture_print(fixture_profile(), &o);
	assert_non_null(strstr(text, "\"states\": null, \"charged_ns\": null"));
	assert_non_null(strstr(text, "\"not_recorded\": null"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_add_up_to_the_mean),
		cmocka_unit_test(no_detector_no_states),
		cmocka_unit_test(calls_never_switched_are_on_the_cpu),
		cmocka_unit_test(stolen_time_is_not_slept),
		cmocka_unit_test(a_warmup_takes_its_states_along),
		cmocka_unit_test(five_parts_are_the_threads_time),
		cmocka_unit_test(a_thread_without_a_detector_leaves_all_unknown),
		cmocka_unit_test(nested_sleep_counts_once),
		cmocka_unit_test(a_near_ticker_hides_the_calls_that_kept_their_cpu),
		cmocka_unit_test(one_percent_off_the_kernels_account_warns),
		cmocka_unit_test(each_reason_has_its_line),
		cmocka_unit_test(text_says_it_in_eighty_columns),
		cmocka_unit_test(text_gives_no_share_of_what_is_not_known),
		cmocka_unit_test(folded_has_each_state),
		cmocka_unit_test(json_has_parts_or_null),
	};

	return cmocka_run_group_tests_name("where time went", tests, NULL, NULL);
}
