// SPDX-License-Identifier: GPL-3.0-or-later
/* Comparisons of profiles that were not recorded alike: with other groups, by another clock. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "report/compare/diff.h"
#include "tests/unit/support/report_fixture.h"

#define SOCKET SCP_GROUP_SOCKET
#define IO     SCP_GROUP_IO

static struct diff *compare(const struct profile *base, const struct profile *new)
{
	static const struct profile *both[2];
	struct diff_options o = DIFF_OPTIONS_DEFAULT;
	struct profile_error why;
	struct diff *d;

	both[0] = base;
	both[1] = new;
	d = diff_model_build(both, 2, 1, &o, &why);
	assert_non_null(d);
	return d;
}

static bool warns(const struct diff *d, const char *text)
{
	for (uint32_t i = 0; i < d->warnings; i++)
		if (strstr(d->warning[i].text, text))
			return true;
	return false;
}

/* The new profile has no sends (the fixture's fourth entry and fifth), whose group is io. */
static void check_gone(uint32_t base_groups, uint32_t new_groups, uint32_t gone)
{
	struct profile base = *fixture_profile(), new = base;
	struct diff *d;

	base.groups = base_groups;
	new.groups = new_groups;
	for (uint32_t i = 0; i < base.functions; i++)
		base.function[i].group = !strcmp(base.function[i].name, "send") ? IO : SOCKET;
	new.entries = 3;
	d = compare(&base, &new);
	assert_int_equal(d->gone, gone);
	assert_int_equal(warns(d, "with the same groups"), base_groups != new_groups);
	diff_model_free(d);
	d = compare(&new, &base);
	assert_int_equal(d->came, gone);
	diff_model_free(d);
}

static void test_what_was_not_recorded_is_not_gone(void **state)
{
	(void)state;
	check_gone(SOCKET | IO, SOCKET | IO, 1);
	check_gone(SOCKET | IO, SOCKET, 0);
	/* not known of either side: recorded all the same */
	check_gone(SOCKET, SOCKET, 1);
}

/* A thousand calls of 2 us in no tick of 4 ms: half a tick was expected. */
static void test_no_tick_is_not_no_time(void **state)
{
	struct profile base = *fixture_profile(), new = base;
	struct prof_entry coarse = base.entry[0];
	struct diff *d;

	(void)state;
	new.clock = (struct prof_clock){.kind = SCP_CLOCK_COARSE,
					.ns_per_unit = 1,
					.resolution_units = 4000000,
					.tick_ns = 4e6};
	coarse.sums = (struct prof_sums){.calls = 1000};
	new.entry = &coarse;
	new.entries = 1;
	d = compare(&base, &new);
	for (uint32_t i = 0; i < d->sites; i++)
		assert_false(diff_is_changed(&d->site[i].verdict));
	assert_true(warns(d, "different clocks"));
	diff_model_free(d);
}

/* Recording takes 2.5 us, the calls of recv 2. */
static void test_no_mean_is_shown_below_nothing(void **state)
{
	struct profile *p = fixture_profile();
	char *text = NULL;
	size_t bytes = 0;
	FILE *to = open_memstream(&text, &bytes);
	struct diff *d;

	(void)state;
	p->clock.overhead = (struct prof_overhead){.measurements = 2, .inside_ns = 2500};
	d = compare(p, p);
	d->options.full = true;
	d->options.width = 200;
	assert_int_equal(report_print_diff(d, to), 0);
	assert_int_equal(fclose(to), 0);
	assert_non_null(strstr(text, "recv"));
	assert_null(strstr(text, "-500"));
	free(text);
	diff_model_free(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_was_not_recorded_is_not_gone),
		cmocka_unit_test(test_no_tick_is_not_no_time),
		cmocka_unit_test(test_no_mean_is_shown_below_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
