// SPDX-License-Identifier: GPL-3.0-or-later
/* What a comparison says in words: factors without exponents, and reasons that are those of
 * the rows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/compare/diff.h"
#include "report/compare/match.h"
#include "report/model/model.h"
#include "report/wording/warning_list.h"
#include "stats/mean/mean_interval.h"
#include "stats/stats.h"

static void check_words(const struct diff_site *s, const char *want)
{
	struct diff d = {.profiles = 6};

	assert_string_equal(diff_words(&d, s).text, want);
}

static void test_factors_are_read_without_exponents(void **state)
{
	struct diff_site s = {.verdict = {.status = DIFF_SAME, .shown = {.detectable = 130.4}}};

	(void)state;
	check_words(&s, "no change seen; one by a factor of 130 would have been");
	s.verdict.shown.detectable = 8.72;
	check_words(&s, "no change seen; one by a factor of 8.7 would have been");
	s.verdict = (struct diff_finding){.status = DIFF_SLOWER,
					  .shown = {.ratio = 2345, .low = 1001, .high = 5432}};
	check_words(&s, "slower by a factor of 1,000 to 5,430");
	/* a change that is shown as a factor has an interval of factors */
	s.verdict.shown = (struct diff_test){.ratio = 8.93, .low = 2.84, .high = 28.1};
	check_words(&s, "slower by a factor of 2.84 to 28.1");
	s.verdict.shown = (struct diff_test){.ratio = 2.5, .low = 2.25, .high = 2.75};
	check_words(&s, "slower by 125 to 175 %");
	/* a base of nothing but overhead is below 0 as often as above */
	s.verdict.shown = (struct diff_test){.ratio = INFINITY, .low = 0, .high = INFINITY};
	check_words(&s, "slower from about 0");
}

/* A site whose CPU time changed by 3 % of 1000 ns, and of whose elapsed time nothing was seen. */
static struct diff_site cpu_slower(const struct diff_run *run)
{
	struct diff_site s = {.run = run, .states = true, .side[DIFF_BASE].unswitched_ns = 1000};
	struct diff_finding *f = &s.found[DIFF_CPU_TIME];

	*f = (struct diff_finding){.status = DIFF_SLOWER,
				   .view = DIFF_UNSWITCHED,
				   .shown = {.ratio = 1.03, .low = 1.025, .high = 1.035}};
	s.verdict = *f;
	s.found[DIFF_ELAPSED].status = DIFF_SAME;
	return s;
}

static void check_other(const struct diff_site *s, const char *want)
{
	struct diff d = {.profiles = 2, .bases = 1};

	assert_string_equal(diff_words_other(&d, s).text, want);
}

static void test_what_elapsed_time_did_is_told_beside_cpu_time(void **state)
{
	struct diff_run run[2] = {{.calls = 10}, {.calls = 10}};
	struct diff_site s = cpu_slower(run);

	(void)state;
	check_words(&s, "CPU time slower by 2.5 to 3.5 %");
	check_other(&s, "elapsed time: no significant change");
	s.found[DIFF_ELAPSED] =
		(struct diff_finding){.status = DIFF_UNTESTED, .reason = DIFF_FEW_CALLS};
	check_other(&s, "elapsed time: cannot be determined: too few calls (10)");
	/* and the other way round: most calls were switched */
	s.verdict.view = DIFF_MEAN;
	run[0].unswitched_calls = 3;
	run[1].unswitched_calls = 7;
	s.found[DIFF_CPU_TIME] = s.found[DIFF_ELAPSED];
	check_other(&s, "CPU time: cannot be determined: too few calls (3)");
	s.states = false;
	check_other(&s, "");
}

/* Rows that could not be compared, with a warning in one of their runs, for this reason. */
static void count_warnings(const char *a, const char *b, struct report_warning *first,
			   uint32_t *warnings)
{
	static const struct profile nothing = {.clock.tick_ns = 1};
	const struct profile *profile[] = {&nothing, &nothing, &nothing, &nothing};
	struct diff_run run[4] = {{.calls = 9, .unreliable = STATS_HEAVY_TAIL}};
	struct diff_site site[2] = {
		{.run = run, .verdict = {.status = DIFF_UNTESTED, .reason = a}},
		{.run = run, .verdict = {.status = DIFF_UNTESTED, .reason = b}}};
	struct match match = {0};
	struct diff d = {.profile = profile,
			 .profiles = 4,
			 .bases = 2,
			 .match = &match,
			 .site = site,
			 .sites = 2};

	diff_warnings_make(&d);
	*warnings = d.warnings;
	if (d.warnings)
		*first = d.warning[0];
	for (uint32_t i = 1; i < d.warnings; i++)
		warning_list_clear(&d.warning[i]);
	free(d.warning);
}

static void test_a_doubt_is_told_of_rows_that_it_hindered(void **state)
{
	struct report_warning first = {0};
	uint32_t warnings;

	(void)state;
	count_warnings(DIFF_UNLIKE, DIFF_FEW_CALLS, &first, &warnings);
	assert_int_equal(warnings, 0);
	count_warnings(DIFF_UNLIKE, reliability_name(STATS_HEAVY_TAIL), &first, &warnings);
	assert_int_equal(warnings, 1);
	assert_string_equal(first.code, "heavy-tail");
	assert_non_null(strstr(first.text, "1 site could not be compared. "));
	warning_list_clear(&first);
}

/* Of few samples: what was seen is no change that would not have been. */
static void test_what_would_have_been_seen_is_no_more_than_what_was(void **state)
{
	struct diff_site s[2] = {
		{.verdict = {.status = DIFF_SAME, .shown = {.detectable = 1.9}}},
		{.verdict = {.status = DIFF_FASTER, .shown = {.ratio = 0.625, .detectable = 1.7}}}};
	struct diff d = {.site = s, .sites = 1};
	struct words words;

	(void)state;
	words = diff_words_power(&d);
	assert_non_null(strstr(words.text, "by less than 90 % would have been seen"));
	d.sites = 2;
	words = diff_words_power(&d);
	assert_non_null(strstr(words.text, "by less than 60 % would have been seen"));
	/* many rows of a third of a sample a run are more than none */
	d.side[DIFF_BASE].calls = 31 + 1.0 / 3;
	words = diff_words_power(&d);
	assert_non_null(strstr(words.text, "31.3 and 0 samples a run are few"));
	s[1].verdict.shown.ratio = 1.1; /* little is enough */
	words = diff_words_power(&d);
	assert_string_equal(words.text, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_factors_are_read_without_exponents),
		cmocka_unit_test(test_what_elapsed_time_did_is_told_beside_cpu_time),
		cmocka_unit_test(test_a_doubt_is_told_of_rows_that_it_hindered),
		cmocka_unit_test(test_what_would_have_been_seen_is_no_more_than_what_was),
	};

	return cmocka_run_group_tests_name("diff words", tests, NULL, NULL);
}
