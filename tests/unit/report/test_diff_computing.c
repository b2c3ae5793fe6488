// SPDX-License-Identifier: GPL-3.0-or-later
/* Functions that compute, compared: runs are drawn, from known CPU times, with samples that may
 * depend on those before them. How often is a change seen that is none, and one that is? */
#include "tests/unit/support/near.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/profile.h"
#include "report/compare/diff.h"
#include "tests/unit/support/simulate.h"

#define FUNCTIONS 6
#define IN_CALLS  FUNCTIONS /* a kind of sample more */
#define PERIOD_NS UINT64_C(5000000)
#define MOST	  10 /* runs */

/* Of the CPU time of a run. Names are those of modules: nothing else is known of code that is not
 * there. */
static const double shares[FUNCTIONS + 1] = {0.30, 0.22, 0.16, 0.11, 0.07, 0.04, 0.10};

struct program {
	double cpu_s;		      /* of a run */
	double common, own;	      /* how far runs differ: deviation of logarithms */
	double stays;		      /* probability that a sample is of the function before */
	double factor[FUNCTIONS + 1]; /* of a function's time */
};

static struct program program_of(double cpu_s)
{
	struct program p = {.cpu_s = cpu_s, .common = 0.05, .own = 0.01};

	for (int i = 0; i <= FUNCTIONS; i++)
		p.factor[i] = 1;
	return p;
}

static int draw(struct simulate *s, const double *time, double sum)
{
	double at = simulate_uniform(s) * sum;

	for (int i = 0; i < FUNCTIONS; i++) {
		at -= time[i];
		if (at < 0)
			return i;
	}
	return IN_CALLS;
}

static struct profile *made(const uint32_t count[FUNCTIONS + 1][SCP_SAMPLE_BATCHES], double cpu_s)
{
	struct profile *p = profile_new();

	assert_non_null(p);
	p->sampling =
		(struct prof_sampling){.period_ns = PERIOD_NS, .cpu_ns = (uint64_t)(1e9 * cpu_s)};
	for (uint32_t i = 0; i <= FUNCTIONS; i++) {
		struct prof_sample one = {.kind = SCP_SAMPLE_IN_CALL, .path = PROF_NONE};
		char name[] = "/nowhere/functionX";

		name[sizeof(name) - 2] = (char)('a' + i);
		if (i != IN_CALLS) {
			struct prof_frame f = {.module = intern_module(p, name, NULL, 0) &
							 PROF_NO_MODULE,
					       .offset = 64,
					       .exact = 1};

			one.kind = SCP_SAMPLE_COMPUTING;
			one.path = samples_path(p, &f, 1, 0);
		}
		memcpy(one.count, count[i], sizeof(one.count));
		assert_int_equal(samples_add(p, &one), 0);
	}
	return p;
}

static struct profile *run(struct simulate *s, const struct program *program)
{
	uint32_t count[FUNCTIONS + 1][SCP_SAMPLE_BATCHES] = {{0}}, samples;
	double time[FUNCTIONS + 1], sum = 0, common = exp(program->common * simulate_normal(s));
	int function = IN_CALLS;

	for (int i = 0; i <= FUNCTIONS; i++) {
		time[i] = program->cpu_s * shares[i] * program->factor[i] * common *
			  exp(program->own * simulate_normal(s));
		sum += time[i];
	}
	samples = (uint32_t)(1e9 * sum / (double)PERIOD_NS);
	for (uint32_t i = 0; i < samples; i++) {
		if (!i || simulate_uniform(s) >= program->stays)
			function = draw(s, time, sum);
		count[function][(uint64_t)i * SCP_SAMPLE_BATCHES / samples]++;
	}
	return made((const uint32_t(*)[SCP_SAMPLE_BATCHES])count, sum);
}

struct comparison {
	bool all; /* what is on one side only is asked for */
	struct profile *profile[MOST];
	struct diff *d;
};

static void compare(struct comparison *c, struct simulate *s, const struct program *base,
		    const struct program *new, uint32_t runs)
{
	struct diff_options o = DIFF_OPTIONS_DEFAULT;
	struct profile_error why;

	if (c->all)
		o.sides = DIFF_SIDES_ALL;
	for (uint32_t i = 0; i < 2 * runs; i++)
		c->profile[i] = run(s, i < runs ? base : new);
	c->d = diff_model_build((const struct profile *const *)c->profile, 2 * runs, runs, &o,
				&why);
	assert_non_null(c->d);
	assert_non_null(c->d->computing);
	assert_int_equal(c->d->status, c->d->computing->status); /* there is no call */
}

static void end(struct comparison *c)
{
	diff_model_free(c->d);
	for (int i = 0; i < MOST; i++)
		profile_free(c->profile[i]);
	*c = (struct comparison){0};
}

/* The row of a function, "a" the first one. */
static const struct diff_site *row_of(const struct diff *d, char function)
{
	for (uint32_t i = 0; i < d->computing->sites; i++) {
		const struct diff_site *s = &d->computing->site[i];

		if (s->symbol[strlen(s->symbol) - 1] == function)
			return s;
	}
	return NULL;
}

/* In how many of the comparisons of one program with itself a change is seen. */
static unsigned false_alarms(const struct program *p, uint32_t runs, unsigned trials, uint64_t seed)
{
	struct simulate s = {seed};
	struct comparison c = {0};
	unsigned seen = 0;

	for (unsigned i = 0; i < trials; i++) {
		compare(&c, &s, p, p, runs);
		seen += c.d->status == 1;
		end(&c);
	}
	return seen;
}

/* In how many the function b, and no other, is said to be slower, when it takes a fifth more. */
static unsigned found(const struct program *p, uint32_t runs, unsigned trials, uint64_t seed)
{
	struct program slower = *p;
	struct simulate s = {seed};
	struct comparison c = {0};
	unsigned seen = 0;

	slower.factor[1] = 1.2;
	for (unsigned i = 0; i < trials; i++) {
		compare(&c, &s, p, &slower, runs);
		seen += row_of(c.d, 'b')->verdict.status == DIFF_SLOWER &&
			c.d->computing->slower + c.d->computing->faster == 1;
		end(&c);
	}
	return seen;
}

#define TRIALS simulate_trials(1000)

static void test_one_run_a_side_raises_no_more_false_alarms_than_asked_for(void **state)
{
	struct program p = program_of(40);

	(void)state;
	simulate_assert_rate("40 s of CPU time", false_alarms(&p, 1, TRIALS, 1), TRIALS, 0, 0.05);
	p.cpu_s = 2;
	simulate_assert_rate("2 s", false_alarms(&p, 1, TRIALS, 2), TRIALS, 0, 0.05);
	p.cpu_s = 40;
	p.own = 0.05;
	simulate_assert_rate("functions vary", false_alarms(&p, 1, TRIALS, 3), TRIALS, 0, 0.05);
}

/* A shorter run of the same program, with few samples: functions are not gone. */
static void test_what_a_short_run_did_not_meet_is_not_gone(void **state)
{
	static const struct {
		const char *what;
		double base_s, new_s, stays, own;
		uint32_t runs;
	} cases[] = {
		{"10 s, then 0.3 s", 10, 0.3, 0, 0.01, 1},
		{"10 s, then 1 s", 10, 1, 0, 0.05, 1},
		{"0.8 s twice", 0.8, 0.8, 0, 0.05, 1},
		{"samples in bursts, 10 s, then 1 s", 10, 1, 0.9, 0.05, 1},
		{"bursts, 0.8 s twice", 0.8, 0.8, 0.9, 0.05, 1},
		{"bursts, 0.4 s twice", 0.4, 0.4, 0.9, 0.05, 1},
		{"bursts, three runs a side", 0.8, 0.8, 0.9, 0.05, 3},
	};
	struct comparison c = {0};

	(void)state;
	for (size_t k = 0; k < sizeof(cases) / sizeof(*cases); k++) {
		struct program base = program_of(cases[k].base_s), new = program_of(cases[k].new_s);
		struct simulate s = {20 + k};
		unsigned seen = 0;

		base.stays = new.stays = cases[k].stays;
		base.own = new.own = cases[k].own;
		for (unsigned i = 0; i < TRIALS; i++) {
			compare(&c, &s, &base, &new, cases[k].runs);
			seen += c.d->computing->gone + c.d->computing->came > 0;
			end(&c);
		}
		simulate_assert_rate(cases[k].what, seen, TRIALS, 0, 0.05);
	}
}

/* Of 10 s of CPU time a function that took a tenth; of 2 s, and of 1 s, one with a fifth. */
static void test_a_function_that_went_is_seen(void **state)
{
	static const struct {
		double cpu_s;
		int function;
		uint32_t runs;
	} cases[] = {{10, 3, 1}, {2, 1, 1}, {1.1, 2, 1}, {2, 2, 3}};
	struct comparison c = {0};

	(void)state;
	for (size_t k = 0; k < sizeof(cases) / sizeof(*cases); k++) {
		struct program old = program_of(cases[k].cpu_s), new = old;
		struct simulate s = {30 + k};
		unsigned seen = 0;

		new.factor[cases[k].function] = 0;
		for (unsigned i = 0; i < 200; i++) {
			compare(&c, &s, &old, &new, cases[k].runs);
			seen += c.d->computing->gone == 1 && !c.d->computing->came &&
				row_of(c.d, (char)('a' + cases[k].function))->counts;
			end(&c);
		}
		simulate_assert_rate("gone", seen, 200, 0.95, 1);
	}
}

static void test_samples_that_depend_on_each_other_count_for_less(void **state)
{
	struct program p = program_of(40);

	(void)state;
	p.stays = 0.9;
	p.own = 0;
	simulate_assert_rate("pairs", false_alarms(&p, 1, TRIALS, 4), TRIALS, 0, 0.05);
	p.cpu_s = 4;
	simulate_assert_rate("runs", false_alarms(&p, 3, TRIALS, 5), TRIALS, 0, 0.05);
}

static void test_neither_do_several_runs(void **state)
{
	struct program p = program_of(10);

	(void)state;
	simulate_assert_rate("3 runs", false_alarms(&p, 3, TRIALS, 6), TRIALS, 0, 0.05);
	simulate_assert_rate("5 runs", false_alarms(&p, 5, TRIALS / 2, 7), TRIALS / 2, 0, 0.05);
	p.cpu_s = 2;
	p.own = 0.05;
	simulate_assert_rate("functions vary", false_alarms(&p, 3, TRIALS, 8), TRIALS, 0, 0.05);
	p.cpu_s = 40;
	p.own = 0.3;
	simulate_assert_rate("by 30 %", false_alarms(&p, 3, TRIALS, 13), TRIALS, 0, 0.05);
}

static void test_a_function_that_takes_a_fifth_more_is_found(void **state)
{
	struct program p = program_of(100);

	(void)state;
	simulate_assert_rate("one run a side", found(&p, 1, 200, 9), 200, 0.8, 1);
	p.cpu_s = 20;
	simulate_assert_rate("5 runs a side", found(&p, 5, 200, 10), 200, 0.8, 1);
}

static void test_a_function_that_came_is_a_change_and_one_with_few_samples_says_nothing(
	void **state)
{
	struct program old = program_of(10), new = old;
	struct simulate s = {11};
	struct comparison c = {.all = true};
	struct words words, all;

	(void)state;
	old.factor[2] = old.factor[4] = 0;
	new.factor[4] = 0.02;
	old.factor[5] = new.factor[5] = 0.1;
	compare(&c, &s, &old, &new, 1);
	assert_int_equal(row_of(c.d, 'c')->verdict.status, DIFF_ONLY_NEW);
	assert_true(row_of(c.d, 'c')->counts);
	assert_int_equal(row_of(c.d, 'e')->verdict.status, DIFF_ONLY_NEW);
	assert_false(row_of(c.d, 'e')->counts); /* two or three samples */
	/* which could say nothing, and so takes nothing from what others say */
	assert_true(isnan(row_of(c.d, 'e')->found[DIFF_ELAPSED].p));
	assert_true(row_of(c.d, 'c')->found[DIFF_ELAPSED].p <= 0.05);
	assert_int_equal(c.d->computing->came, 1);
	assert_int_equal(c.d->status, 1);
	assert_int_equal(row_of(c.d, 'f')->verdict.status, DIFF_UNTESTED);
	words = diff_words(c.d->computing, row_of(c.d, 'f'));
	assert_non_null(strstr(words.text, "too few samples"));
	all = diff_words_verdict(c.d);
	assert_non_null(strstr(all.text, "Computing: "));
	assert_non_null(strstr(all.text, "only in new"));
	end(&c);
}

static void test_where_a_side_has_no_samples_or_others_nothing_is_compared(void **state)
{
	struct program p = program_of(10);
	struct simulate s = {12};
	struct profile *both[] = {run(&s, &p), run(&s, &p)};
	struct diff_options o = DIFF_OPTIONS_DEFAULT;
	struct profile_error why;
	int warned = 0;

	(void)state;
	for (int i = 0; i < 3; i++) {
		both[1]->samples = i < 2 ? both[1]->samples : 0;
		both[1]->sampling.flags = i ? 0 : SCP_SAMPLING_USER;
		both[1]->sampling.period_ns = i == 1 ? 0 : PERIOD_NS;
		struct diff *d =
			diff_model_build((const struct profile *const *)both, 2, 1, &o, &why);

		assert_null(d->computing);
		assert_int_equal(d->status, 2);
		for (uint32_t k = 0; k < d->warnings; k++)
			warned += !strcmp(d->warning[k].code, "not-sampled") &&
				  strstr(d->warning[k].text, i < 2 ? "of one kind" : "1 of 2 runs");
		assert_int_equal(warned, i + 1);
		diff_model_free(d);
	}
	profile_free(both[0]);
	profile_free(both[1]);
}

/* Columns go before a name is cut to a few letters. */
static void test_names_can_be_read(void **state)
{
	struct program p = program_of(10);
	struct simulate s = {1};
	struct comparison c = {0};
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	(void)state;
	compare(&c, &s, &p, &p, 2);
	assert_int_equal(diff_text(c.d, out), 0);
	fclose(out);
	if (!strstr(text, "functiona (no symbols)") ||
	    !strstr(text, "computing outside of calls, without recording by scprof, of an average"))
		fail_msg("%s", text);
	free(text);
	end(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names_can_be_read),
		cmocka_unit_test(test_one_run_a_side_raises_no_more_false_alarms_than_asked_for),
		cmocka_unit_test(test_what_a_short_run_did_not_meet_is_not_gone),
		cmocka_unit_test(test_a_function_that_went_is_seen),
		cmocka_unit_test(test_samples_that_depend_on_each_other_count_for_less),
		cmocka_unit_test(test_neither_do_several_runs),
		cmocka_unit_test(test_a_function_that_takes_a_fifth_more_is_found),
		cmocka_unit_test(
			test_a_function_that_came_is_a_change_and_one_with_few_samples_says_nothing),
		cmocka_unit_test(test_where_a_side_has_no_samples_or_others_nothing_is_compared),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
