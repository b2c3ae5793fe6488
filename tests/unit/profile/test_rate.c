// SPDX-License-Identifier: GPL-3.0-or-later
/* How the length of a clock's unit is found. */
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "profile/model/clocks.h"
#include "profile/profile.h"
#include "tests/unit/support/scp_build.h"

static void save(const struct scp_clock *clock, const uint8_t *boot_id, const char *path)
{
	struct scp_build b;
	struct scp_header *h;

	scp_build_begin(&b);
	h = scp_build_header(&b);
	h->clock = *clock;
	if (boot_id)
		memcpy(h->boot_id, boot_id, 16);
	scp_build_save(&b, path);
	scp_build_free(&b);
}

static int add(struct profile *p, const struct scp_clock *clock, const uint8_t *boot_id,
	       struct profile_error *err)
{
	const char *path = scp_build_name("rate.scp");

	save(clock, boot_id, path);
	return profile_add(p, path, err);
}

static struct scp_clock clock_of(uint32_t kind, uint64_t units, uint64_t ns, uint64_t width)
{
	return (struct scp_clock){.kind = kind,
				  .resolution_units = 1,
				  .first = {1000, 5000, width},
				  .last = {1000 + units, 5000 + ns, width}};
}

static void test_counter_rate_comes_from_the_anchors(void **state)
{
	struct scp_clock c = clock_of(SCP_CLOCK_TSC, 25000000000u, 10000000000u, 50);
	struct profile *p = profile_new();
	struct profile_error err;

	(void)state;
	assert_int_equal(add(p, &c, NULL, &err), 0);
	assert_float_equal(p->clock.ns_per_unit, 0.4, 1e-12);
	assert_float_equal(p->clock.rate_error, 1e-8, 1e-15);
	profile_free(p);
}

static void test_counter_of_another_boot_without_anchors_is_refused(void **state)
{
	struct scp_clock c = clock_of(SCP_CLOCK_TSC, 0, 0, 50);
	const uint8_t boot[16] = {1, 2, 3};
	struct profile *p = profile_new();
	struct profile_error err;

	(void)state;
	assert_int_equal(add(p, &c, boot, &err), -1);
	assert_non_null(strstr(err.text, "cannot know the rate of the counter"));
	profile_free(p);
}

#if defined __x86_64__
static void read_boot_id(uint8_t boot[16])
{
	FILE *f = fopen("/proc/sys/kernel/random/boot_id", "r");

	assert_non_null(f);
	for (int i = 0; i < 16; i++) {
		unsigned byte;

		if (i == 4 || i == 6 || i == 8 || i == 10)
			assert_int_equal(fgetc(f), '-');
		assert_int_equal(fscanf(f, "%2x", &byte), 1);
		boot[i] = (uint8_t)byte;
	}
	fclose(f);
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* The first test: a counter is measured once for all files. */
static void test_counter_is_measured_from_the_start_of_the_program(void **state)
{
	struct scp_header h = {.machine = EM_X86_64};
	struct scp_clock c = clock_of(SCP_CLOCK_TSC, 0, 0, 50);
	uint64_t before = now_ns(), after;
	struct prof_clock resolved;
	struct profile_error err;

	(void)state;
	read_boot_id(h.boot_id);
	rate_begin();
	after = now_ns();
	if (rate_resolve("x.scp", &h, &c, &resolved, &err))
		fail_msg("%s", err.text);
	if (c.last.mono_ns - before > 60000000000u)
		skip(); /* too long ago to rely on */
	assert_in_range(c.first.mono_ns, before, after);
	assert_true(c.last.mono_ns > after && c.last.clock_at > c.first.clock_at);
	assert_float_equal(resolved.rate_error,
			   (double)(c.first.width_ns + c.last.width_ns) /
				   (double)(c.last.mono_ns - c.first.mono_ns),
			   1e-12);
}
#endif

static void test_counter_of_this_boot_is_measured_here(void **state)
{
#if defined __x86_64__
	struct scp_clock c = clock_of(SCP_CLOCK_TSC, 0, 0, 50);
	struct profile *p = profile_new();
	struct profile_error err;
	uint8_t boot[16];

	(void)state;
	read_boot_id(boot);
	if (add(p, &c, boot, &err))
		fail_msg("%s", err.text);
	/* between 500 MHz and 10 GHz, and known to a thousandth */
	assert_true(p->clock.ns_per_unit > 0.1 && p->clock.ns_per_unit < 2);
	assert_true(p->clock.rate_error > 0 && p->clock.rate_error < 1e-3);
	profile_free(p);
#else
	(void)state;
	skip();
#endif
}

static void test_page_clock_is_nominal_until_a_thousand_ticks(void **state)
{
	struct scp_clock c = clock_of(SCP_CLOCK_PAGE, 999, 999 * 1100000u, 50);
	struct profile *p = profile_new();
	struct profile_error err;

	(void)state;
	c.unit_ps = 1000000000;
	assert_int_equal(add(p, &c, NULL, &err), 0);
	assert_float_equal(p->clock.tick_ns, 1e6, 1e-6);
	/* a longer file of the same ticker: now it is measured */
	c = clock_of(SCP_CLOCK_PAGE, 2000, 2000 * 1100000u, 50);
	c.unit_ps = 1000000000;
	assert_int_equal(add(p, &c, NULL, &err), 0);
	assert_float_equal(p->clock.tick_ns, 1.1e6, 1e-6);
	c.unit_ps = 2000000000;
	assert_int_equal(add(p, &c, NULL, &err), -1);
	profile_free(p);
}

static void test_page_clock_that_stood_still_lacks_ticks(void **state)
{
	static const struct {
		uint64_t ticks, span_ns;
		double missing;
	} of[] = {{2000, 2000000000, 0},  {1940, 2000000000, 0}, {1114, 3055000000, 0.635},
		  {300, 3000000000, 0.9}, {3, 6000000, 0},	 {0, 3000000000, 0},
		  {2100, 2000000000, 0}};

	(void)state;
	for (size_t i = 0; i < sizeof(of) / sizeof(*of); i++) {
		struct scp_clock c = clock_of(SCP_CLOCK_PAGE, of[i].ticks, of[i].span_ns, 50);
		struct profile *p = profile_new();
		struct profile_error err;

		c.unit_ps = 1000000000;
		assert_int_equal(add(p, &c, NULL, &err), 0);
		assert_float_equal(p->clock.missing, of[i].missing, 1e-3);
		profile_free(p);
	}
}

static void test_different_counters_do_not_mix(void **state)
{
	struct scp_clock c = clock_of(SCP_CLOCK_TSC, 25000000000u, 10000000000u, 50);
	struct profile *p = profile_new();
	struct profile_error err;

	(void)state;
	assert_int_equal(add(p, &c, NULL, &err), 0);
	c = clock_of(SCP_CLOCK_TSC, 25001000000u, 10000000000u, 50);
	assert_int_equal(add(p, &c, NULL, &err), 0);
	c = clock_of(SCP_CLOCK_TSC, 30000000000u, 10000000000u, 50);
	assert_int_equal(add(p, &c, NULL, &err), -1);
	assert_non_null(strstr(err.text, "one by one"));
	c = clock_of(SCP_CLOCK_COARSE, 1, 1, 0);
	assert_int_equal(add(p, &c, NULL, &err), -1);
	profile_free(p);
}

static void test_nanosecond_clocks_are_nanoseconds(void **state)
{
	struct scp_clock c = clock_of(SCP_CLOCK_COARSE, 10, 5000, 0);
	struct profile *p = profile_new();
	struct profile_error err;

	(void)state;
	c.resolution_units = 4000000;
	assert_int_equal(add(p, &c, NULL, &err), 0);
	assert_float_equal(p->clock.ns_per_unit, 1, 0);
	assert_float_equal(p->clock.tick_ns, 4e6, 0);
	c.resolution_units = 1000000;
	assert_int_equal(add(p, &c, NULL, &err), -1);
	assert_non_null(strstr(err.text, "ticks of 1e+06 ns"));
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#if defined __x86_64__
		cmocka_unit_test(test_counter_is_measured_from_the_start_of_the_program),
#endif
		cmocka_unit_test(test_counter_rate_comes_from_the_anchors),
		cmocka_unit_test(test_counter_of_another_boot_without_anchors_is_refused),
		cmocka_unit_test(test_counter_of_this_boot_is_measured_here),
		cmocka_unit_test(test_page_clock_is_nominal_until_a_thousand_ticks),
		cmocka_unit_test(test_page_clock_that_stood_still_lacks_ticks),
		cmocka_unit_test(test_different_counters_do_not_mix),
		cmocka_unit_test(test_nanosecond_clocks_are_nanoseconds),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
