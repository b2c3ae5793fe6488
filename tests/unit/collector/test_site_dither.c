// SPDX-License-Identifier: GPL-3.0-or-later
/* A dithered run beside a target that is made up: two threads with a site each, which do what the
 * page asks for. Delays stay within what may be lost, end with the run, and are accounted for. */
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "collector/displacement/sites/site_dither.h"
#include "include/scprof_causal.h"
#include "tests/unit/support/near.h"
#include "tests/unit/support/scp_build.h"

#define SITES 4 /* of them one is rare, and one in a signal handler */
#define TICK  0.01

static const double rate[SITES] = {4000, 1000, 5, 3000};

struct target {
	struct scp_causal_page *page;
	struct site_dither *dither;
	double owed[SITES], now;
	double held[SITES]; /* in this window */
	uint32_t window;
	double made, delayed; /* ticks: in all, in which a delay was set */
};

static void begin(struct target *t, double share)
{
	const char *path = scp_build_name("causal");
	struct profile_error err;
	int fd;

	memset(t, 0, sizeof(*t));
	t->dither = site_dither_open(path, share, 11, &err);
	assert_non_null(t->dither);
	fd = open(path, O_RDWR);
	assert_true(fd >= 0);
	t->page = mmap(NULL, sizeof(*t->page), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_ptr_not_equal(t->page, MAP_FAILED);
	close(fd);
	t->page->thread[0].owner = (uint64_t)getpid() << 32 | 1;
	for (size_t k = 0; k < SITES; k++)
		t->page->site[100 * k] = (struct scp_causal_site){
			.key = k + 1, .known = 1, .flags = k == 3 ? SCP_CAUSAL_IN_HANDLER : 0};
}

/* A loop whose turn takes 1 / rate. Its thread is held up at each call, until the limit. */
static void make_calls(struct target *t, size_t k, double units_s)
{
	const struct scp_causal_site *s = &t->page->site[100 * k];
	struct scp_causal_count *c = &t->page->thread[0].slot[s->slot];
	double limit = s->delay ? (double)t->page->limit / units_s : 0, held, calls;

	if (t->window != t->page->window)
		memset(t->held, 0, sizeof(t->held));
	t->window = t->page->window;
	held = fmin(TICK, fmax(0, limit - t->held[k]));
	t->held[k] += held;
	t->owed[k] += rate[k] * (TICK - held);
	calls = floor(t->owed[k]);
	t->owed[k] -= calls;
	t->delayed += s->delay != 0;
	if (!s->slot)
		return;
	c->calls += (uint64_t)calls;
	c->busy += (uint64_t)(held * units_s);
}

/* `longest` is 10 ms, by which units are known. */
static void go_on(struct target *t, double seconds)
{
	double units_s = (double)t->page->longest / 0.01;

	for (double end = t->now + seconds; t->now < end; t->now += TICK) {
		site_dither_tick(t->dither, t->now);
		for (size_t k = 0; k < SITES; k++)
			make_calls(t, k, units_s);
		t->made++;
	}
}

static void end(struct target *t)
{
	site_dither_close(t->dither);
	munmap(t->page, sizeof(*t->page));
	assert_int_equal(access(scp_build_name("causal"), F_OK), -1);
}

static void test_delays_cost_what_was_asked_and_no_more(void **state)
{
	struct site_dither_told told;
	struct target t;

	(void)state;
	begin(&t, 0.05);
	go_on(&t, 120);
	told = site_dither_tell(t.dither);
	/* one window in five, but for those before the sites were known */
	assert_in_range((int)t.delayed, (int)(0.17 * t.made), (int)(0.2 * t.made) + 12);
	assert_int_equal(told.sites, 2);
	assert_in_range(told.windows, 0.8 * 24 / DITHER_PLAN_WINDOW_S,
			24 / DITHER_PLAN_WINDOW_S + 2);
	assert_int_equal(told.few, 0);
	assert_false(site_dither_tells_nothing(t.dither, 0, 121));
	/* half of the windows are the one site's, a quarter of its calls are missing in them */
	assert_true(told.slower > 0.015 && told.slower < 0.05);
	assert_true(told.spun > 0.03 * 120 && told.spun <= 0.05 * 120 + DITHER_PLAN_WINDOW_S);
	assert_int_equal(t.page->site[200].delay, 0);
	assert_int_equal(t.page->site[300].slot, 0);
	end(&t);
}

/* Until a site has had windows enough, those that it had are left out, and what follows them; the
 * time before the first one stays. */
static void test_few_windows_tell_nothing(void **state)
{
	struct target t;
	double first;

	(void)state;
	begin(&t, 0.25);
	while (!site_dither_tell(t.dither).windows)
		go_on(&t, TICK);
	first = t.now - TICK;
	assert_false(site_dither_tells_nothing(t.dither, 0, first - TICK));
	assert_true(site_dither_tells_nothing(t.dither, 0, first + TICK));
	assert_true(site_dither_tells_nothing(t.dither, first + 1.5 * DITHER_PLAN_WINDOW_S,
					      first + 2 * DITHER_PLAN_WINDOW_S));
	assert_false(site_dither_tells_nothing(t.dither, first + 2.5 * DITHER_PLAN_WINDOW_S,
					       first + 3 * DITHER_PLAN_WINDOW_S));
	go_on(&t, 20);
	assert_int_equal(site_dither_tell(t.dither).few, 0);
	assert_false(site_dither_tells_nothing(t.dither, 0, t.now));
	end(&t);
}

static void test_what_was_spun_is_told_once(void **state)
{
	double sum = 0;
	struct target t;

	(void)state;
	begin(&t, 0.25);
	for (int i = 0; i < 100; i++) {
		go_on(&t, 0.1);
		sum += site_dither_spun(t.dither);
	}
	assert_true(sum > 1);
	assert_near(sum, site_dither_tell(t.dither).spun, 1e-9);
	/* what no thread can have done is not believed */
	t.page->thread[1].owner = (uint64_t)getpid() << 32 | 2;
	t.page->thread[1].slot[1].busy = UINT64_MAX;
	go_on(&t, 1);
	assert_true(site_dither_spun(t.dither) <= SCP_CAUSAL_THREADS * DITHER_PLAN_WINDOW_S);
	end(&t);
}

static void test_stopping_ends_it_at_once(void **state)
{
	struct target t;
	double delayed;

	(void)state;
	begin(&t, 0.25);
	go_on(&t, 5);
	assert_true(t.page->expires > 0);
	assert_true(t.page->limit > 0);
	site_dither_stop(t.dither);
	assert_int_equal(t.page->expires, 0);
	delayed = (double)site_dither_tell(t.dither).windows;
	assert_true(delayed > 2 * DITHER_PLAN_ENOUGH);
	go_on(&t, 5);
	assert_int_equal(t.page->expires, 0);
	assert_int_equal(site_dither_tell(t.dither).windows, (size_t)delayed);
	end(&t);
}

/* Ends before its first tick, and before there is any site. */
static void test_a_run_without_a_draw(void **state)
{
	struct target t;

	(void)state;
	begin(&t, 0.05);
	assert_false(site_dither_tells_nothing(t.dither, 0, 10));
	assert_true(site_dither_spun(t.dither) == 0);
	assert_true(site_dither_tell(t.dither).slower == 0);
	site_dither_stop(t.dither);
	end(&t);
}

static int clean(void **state)
{
	(void)state;
	scp_build_cleanup();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_delays_cost_what_was_asked_and_no_more),
		cmocka_unit_test(test_few_windows_tell_nothing),
		cmocka_unit_test(test_what_was_spun_is_told_once),
		cmocka_unit_test(test_stopping_ends_it_at_once),
		cmocka_unit_test(test_a_run_without_a_draw),
	};

	return cmocka_run_group_tests(tests, NULL, clean);
}
