// SPDX-License-Identifier: GPL-3.0-or-later
/* Whole experiments, on programs whose answer is known, in made-up time: where the experiment
 * waits, the program runs for so long, with the delays that stand in the page. So no CPU and no
 * scheduler has a say in it, and each seed gives one result. */
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "collector/causal/causal.h"
#include "collector/causal/causal_private.h"
#include "stats/numerics/random.h"

#define MOST_SITES 80
#define LONGEST_S  0.01

double __wrap_causal_state_now(void);
bool __wrap_causal_state_wait(struct causal *c, double at_s);
double __wrap_causal_threads_stretch(const struct causal_threads *t);

/* A unit of work takes `unit_s`, calls site i calls[i] times, and gets slope[i] longer by each
 * second that one of these is delayed. */
static struct {
	size_t sites;
	double unit_s, noise, calls[MOST_SITES], slope[MOST_SITES];
	double idle_from, idle_to; /* there is nothing to do */
	double turn_s, on_s;	   /* it has its CPU for so long in each turn; 0: always */
	double stretch;		   /* by waiting for a CPU */
	double stop_at;		   /* causal_stop is called */
	double burn_s;		   /* CPU time that is really used, once, after 10 s */
	double rest[MOST_SITES], rest_units[MOST_SITES], done;
	double work_s, base_s; /* of all units: with delays, and what they take without */
	double longest;	       /* unit */
	struct random random;
} program;

static double now;
static char path[64];
static struct scp_causal_page *page;

static uint64_t whole(double *rest, double amount)
{
	*rest += amount;
	double taken = floor(*rest);

	*rest -= taken;
	return (uint64_t)taken;
}

/* Normal, roughly: twelve uniform ones. */
static double scatter(void)
{
	double sum = -6;

	for (int i = 0; i < 12; i++)
		sum += (double)(random_next(&program.random) >> 11) * 0x1p-53;
	return sum;
}

static void run_program(double seconds)
{
	struct scp_causal_thread *mine = &page->thread[2];
	double units_s = (double)page->longest / LONGEST_S, unit = program.unit_s, units;

	unit *= 1 + program.noise * scatter();
	for (size_t i = 0; i < program.sites; i++)
		if (page->expires)
			unit += program.slope[i] * page->site[i].delay / units_s;
	units = seconds / unit;
	program.work_s += seconds;
	program.base_s += units * program.unit_s;
	for (size_t i = 0; i < program.sites; i++) {
		struct scp_causal_count *to = &mine->slot[page->site[i].slot % SCP_CAUSAL_SLOTS];
		uint64_t made = whole(&program.rest[i], units * program.calls[i]);

		to->calls += made;
		to->delayed += page->site[i].delay ? made : 0;
		to->units += made * page->site[i].delay;
	}
	mine->progress.completed += whole(&program.done, units);
	mine->progress.units += (uint64_t)(units * unit * units_s);
}

static double time_on_cpu(double at)
{
	double turns = program.turn_s > 0 ? floor(at / program.turn_s) : 0;

	return program.turn_s > 0
		       ? turns * program.on_s + fmin(at - turns * program.turn_s, program.on_s)
		       : at;
}

double __wrap_causal_threads_stretch(const struct causal_threads *t)
{
	(void)t;
	return program.stretch;
}

static void burn(double seconds)
{
	struct timespec t;
	double end = 0;

	do {
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
		if (end == 0)
			end = (double)t.tv_sec + 1e-9 * (double)t.tv_nsec + seconds;
	} while ((double)t.tv_sec + 1e-9 * (double)t.tv_nsec < end);
}

double __wrap_causal_state_now(void)
{
	return now;
}

bool __wrap_causal_state_wait(struct causal *c, double at_s)
{
	if (at_s > now) {
		double on = time_on_cpu(at_s) - time_on_cpu(now);

		if (on > 0 && (now < program.idle_from || now >= program.idle_to))
			run_program(on);
		now = at_s;
	}
	if (now > 1010 && program.burn_s > 0) {
		burn(program.burn_s);
		program.burn_s = 0;
	}
	if (program.stop_at && now >= program.stop_at)
		causal_stop(c);
	return __atomic_load_n(&c->over, __ATOMIC_RELAXED);
}

static void make_program(size_t sites, double unit_s)
{
	memset(&program, 0, sizeof(program));
	program.sites = sites;
	program.unit_s = unit_s;
	program.noise = 0.02;
	random_seed(&program.random, 11);
	now = 1000;
}

static struct causal *open_experiment(struct causal_wishes *w)
{
	struct profile_error err;
	struct causal *c;
	int fd;

	snprintf(path, sizeof(path), "/tmp/test_causal.%d", (int)getpid());
	w->page = path;
	w->of_page = (struct causal_page_wishes){.progress = "unit", .longest_s = LONGEST_S};
	w->slowdown = 0.05;
	w->seed = 5;
	c = causal_open(w, &err);
	assert_non_null(c);
	fd = open(path, O_RDWR);
	page = mmap(NULL, sizeof(*page), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	assert_ptr_not_equal(page, MAP_FAILED);
	for (size_t i = 0; i < program.sites; i++)
		page->site[i] = (struct scp_causal_site){.key = i + 1, .known = 1, .pid = 1};
	page->site[4000] =
		(struct scp_causal_site){.key = 99, .known = 1, .flags = SCP_CAUSAL_IN_HANDLER};
	page->thread[2].owner = (uint64_t)getpid() << 32 | 1;
	return c;
}

/* The whole of it. */
static void run(struct causal_wishes *w, struct causal_result *r)
{
	struct causal *c = open_experiment(w);

	assert_int_equal(causal_begin(c), 0);
	while (causal_poll(c).phase != CAUSAL_ENDED)
		usleep(1000);
	assert_int_equal(causal_end(c, r), 0);
	assert_int_equal(page->expires, 0);
	munmap(page, sizeof(*page));
	causal_close(c);
	assert_int_not_equal(access(path, F_OK), 0);
}

static const struct causal_result_site *site_of(const struct causal_result *r, size_t index)
{
	for (size_t i = 0; i < r->sites; i++)
		if (r->site[i].candidate.site.index == index)
			return &r->site[i];
	fail_msg("site %zu is not in the result", index);
	return NULL;
}

static double spent(void)
{
	return program.work_s / program.base_s - 1;
}

/* Within four standard errors, and these are small. */
static void assert_slope(const struct causal_result *r, size_t index, double truth, double error)
{
	const struct slopes_value *v = &site_of(r, index)->slopes.slope;

	assert_true(fabs(v->value - truth) < 4 * v->error);
	assert_true(v->error < error);
}

static void slopes_of_a_known_program_are_found(void **state)
{
	struct causal_wishes w = {.for_s = 30};
	struct causal_result r;

	(void)state;
	make_program(4, 20e-6);
	memcpy(program.calls, (double[]){2, 1, 5, 1}, 4 * sizeof(double));
	memcpy(program.slope, (double[]){2, 1, 0, 0}, 4 * sizeof(double));
	program.burn_s = 0.05;
	run(&w, &r);
	assert_int_equal(r.sites, 4);
	assert_true(r.site[0].slopes.threads > 0); /* of this process: that burnt it */
	assert_int_equal(r.problems, 0);
	assert_true(fabs(r.rate_per_s * 20e-6 - 1) < 0.01);
	assert_true(fabs(r.elapsed_s - 30) < 0.1);
	for (size_t i = 0; i < 4; i++) {
		const struct causal_result_site *s = site_of(&r, i);

		assert_true(fabs(s->calls_unit / program.calls[i] - 1) < 0.01);
		assert_true(fabs(s->delay_low / s->delay_high - 0.5) < 0.25);
		assert_slope(&r, i, program.slope[i], 0.15);
	}
	assert_true(site_of(&r, 0)->level[2].value > site_of(&r, 0)->level[0].value);
	/* what was asked is used, and no more */
	assert_true(spent() < 0.05 && spent() > 0.02);
	causal_result_free(&r);
}

/* Each call holds up ten others: delays that look harmless cost ten times as much. */
static void the_slowdown_stays_below_what_was_asked(void **state)
{
	struct causal_wishes w = {.for_s = 60};
	struct causal_result r;

	(void)state;
	make_program(6, 100e-6);
	for (size_t i = 0; i < 6; i++) {
		program.calls[i] = 1;
		program.slope[i] = i < 2 ? 10 : 1;
	}
	run(&w, &r);
	assert_true(spent() < 0.05);
	assert_false(r.problems & CAUSAL_SLOWER_THAN_ASKED);
	assert_slope(&r, 0, 10, 0.5);
	causal_result_free(&r);
}

/* Each nanosecond on a CPU takes twenty: the first delays know that already. */
static void the_slowdown_is_kept_where_others_want_the_cpu(void **state)
{
	struct causal_wishes w = {.for_s = 6};
	struct causal_result r;

	(void)state;
	make_program(2, 10e-3);
	program.calls[0] = program.calls[1] = 1;
	program.slope[0] = program.slope[1] = 20;
	program.stretch = 20;
	run(&w, &r);
	assert_true(spent() < 0.05);
	causal_result_free(&r);
}

static void stretches_without_work_are_left_out(void **state)
{
	struct causal_wishes w = {.for_s = 20};
	struct causal_result r;

	(void)state;
	make_program(2, 50e-6);
	program.calls[0] = program.calls[1] = program.slope[0] = 1;
	program.idle_from = 1005;
	program.idle_to = 1012;
	run(&w, &r);
	assert_int_equal(r.problems, 0);
	assert_true(fabs(r.rate_per_s * 50e-6 - 1) < 0.01);
	assert_slope(&r, 0, 1, 0.1);
	causal_result_free(&r);
}

/* A tenth of a CPU, as on a busy machine: at windows of 10 ms none would be left. */
static void a_program_that_has_its_cpu_in_turns_is_measured(void **state)
{
	struct causal_wishes w = {.for_s = 20};
	struct causal_result r;

	(void)state;
	make_program(2, 50e-6);
	program.calls[0] = program.calls[1] = program.slope[0] = 1;
	program.turn_s = 0.1;
	program.on_s = 0.01;
	run(&w, &r);
	assert_int_equal(r.problems, 0);
	assert_true(r.window_s > 0.03 && r.window_s < 20. / 64);
	assert_true(fabs(r.rate_per_s * 500e-6 - 1) < 0.2);
	assert_true(fabs(site_of(&r, 0)->slopes.slope.value - 10) <
		    4 * site_of(&r, 0)->slopes.slope.error);
	causal_result_free(&r);
}

static void stopped_it_says_what_it_knows_by_then(void **state)
{
	struct causal_wishes w = {.for_s = INFINITY};
	struct causal_result r;

	(void)state;
	make_program(2, 50e-6);
	program.calls[0] = program.calls[1] = program.slope[0] = 1;
	program.stop_at = 1010;
	run(&w, &r);
	assert_int_equal(r.problems, 0);
	assert_true(r.elapsed_s > 8 && r.elapsed_s < 10);
	assert_slope(&r, 0, 1, 0.2);
	causal_result_free(&r);
	/* too early for any */
	make_program(2, 50e-6);
	program.calls[0] = program.calls[1] = 1;
	program.stop_at = 1001.2;
	run(&w, &r);
	assert_int_equal(r.problems, CAUSAL_TOO_SHORT);
	assert_true(fabs(r.rate_per_s * 50e-6 - 1) < 0.05); /* the pilot's */
	causal_result_free(&r);
}

static bool choose_none(void *context, struct causal_candidate *c, size_t count)
{
	(void)context;
	(void)c;
	(void)count;
	return false;
}

static void without_progress_or_calls_there_is_no_experiment(void **state)
{
	struct causal_wishes w = {.for_s = 5};
	struct causal_result r;

	(void)state;
	make_program(2, 50e-6);
	program.idle_to = 2000;
	program.stop_at = 1003;
	run(&w, &r);
	assert_int_equal(r.problems, CAUSAL_NO_PROGRESS);
	assert_int_equal(r.sites, 0);
	causal_result_free(&r);
	/* it makes some, and ends, between two looks */
	make_program(2, 50e-6);
	program.calls[0] = program.calls[1] = 1;
	program.stop_at = 1000.001;
	run(&w, &r);
	assert_int_equal(r.problems, CAUSAL_TOO_SHORT);
	causal_result_free(&r);
	make_program(0, 50e-6);
	run(&w, &r);
	assert_int_equal(r.problems, CAUSAL_NO_SITES);
	causal_result_free(&r);
	/* some, of which none is wanted */
	make_program(2, 50e-6);
	program.calls[0] = program.calls[1] = 1;
	w.choose = choose_none;
	run(&w, &r);
	assert_int_equal(r.problems, CAUSAL_NO_SITES);
	causal_result_free(&r);
}

static bool choose_some(void *context, struct causal_candidate *c, size_t count)
{
	*(size_t *)context = count;
	for (size_t i = 0; i < count; i++) {
		c[i].wanted = c[i].site.index % 2 == 0 && c[i].stretch > 1.5;
		c[i].busy = c[i].site.index == 70 ? 0.5 : 0.001;
	}
	return true;
}

static void more_sites_than_slots_are_counted_in_turn(void **state)
{
	size_t count = 0;
	struct causal_wishes w = {.for_s = 5, .sites = 8, .choose = choose_some, .context = &count};
	struct causal_result r;

	(void)state;
	make_program(MOST_SITES, 100e-6);
	program.stretch = 1.6;
	for (size_t i = 0; i < MOST_SITES; i++)
		program.calls[i] = i == 20 ? 0.1 : 0.5;
	run(&w, &r);
	assert_int_equal(count, MOST_SITES);
	assert_int_equal(r.sites, 8);
	assert_int_equal(r.problems, CAUSAL_SITES_LEFT_OUT);
	assert_int_equal(r.site[0].candidate.site.index, 70);
	for (size_t i = 0; i < r.sites; i++) {
		assert_int_equal(r.site[i].candidate.site.index % 2, 0);
		assert_int_not_equal(r.site[i].candidate.site.index, 20);
		assert_true(fabs(r.site[i].candidate.calls_s / 5000 - 1) < 0.1);
	}
	causal_result_free(&r);
}

static bool all_take_five_microseconds(void *context, struct causal_candidate *c, size_t count)
{
	(void)context;
	for (size_t i = 0; i < count; i++) {
		c[i].wanted = true;
		c[i].busy = c[i].calls_s * 5e-6;
	}
	return true;
}

static void it_ends_when_predictions_are_as_precise_as_asked(void **state)
{
	struct causal_wishes w = {
		.for_s = INFINITY, .precision = 0.002, .choose = all_take_five_microseconds};
	struct causal_result r;

	(void)state;
	make_program(3, 20e-6);
	program.calls[0] = program.calls[1] = program.calls[2] = program.slope[0] = 1;
	program.stop_at = 1900;
	run(&w, &r);
	assert_true(r.elapsed_s > 10 && r.elapsed_s < 800);
	for (size_t i = 0; i < 3; i++) {
		struct slopes_prediction p =
			slopes_predict(&r.slopes, &r.site[i].slopes,
				       (struct slopes_value){5e-6, 0, 1e6}, 0.1, 0.95);

		assert_true((p.high - p.low) / 200 <= 0.002);
	}
	causal_result_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slopes_of_a_known_program_are_found),
		cmocka_unit_test(the_slowdown_stays_below_what_was_asked),
		cmocka_unit_test(the_slowdown_is_kept_where_others_want_the_cpu),
		cmocka_unit_test(stretches_without_work_are_left_out),
		cmocka_unit_test(a_program_that_has_its_cpu_in_turns_is_measured),
		cmocka_unit_test(stopped_it_says_what_it_knows_by_then),
		cmocka_unit_test(without_progress_or_calls_there_is_no_experiment),
		cmocka_unit_test(more_sites_than_slots_are_counted_in_turn),
		cmocka_unit_test(it_ends_when_predictions_are_as_precise_as_asked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
