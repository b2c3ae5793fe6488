// SPDX-License-Identifier: GPL-3.0-or-later
/* The fluid: which chunks count as undisturbed, and what holds of its windows however busy
 * the machine is. */
#include <dirent.h>
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "collector/displacement/fluid/fluid.h"
#include "collector/displacement/fluid/fluid_private.h"
#include "tests/unit/support/near.h"

static void add(struct fluid_loop *l, uint32_t count, uint64_t units)
{
	l->chunks += count;
	if (units / l->width < FLUID_BUCKETS) {
		l->count[units / l->width] += count;
		l->sum[units / l->width] += count * units;
	}
}

static void test_undisturbed_chunks_are_those_around_the_mode(void **state)
{
	struct fluid_loop l = {.width = 5};
	struct fluid_chunks c;

	(void)state;
	add(&l, 700, 640);
	add(&l, 200, 660); /* the clock wavers */
	add(&l, 60, 2000); /* an interrupt */
	add(&l, 40, 900000);
	c = fluid_loop_chunks(&l);
	assert_int_equal(c.undisturbed, 900);
	assert_near(c.mean, (700 * 640 + 200 * 660) / 900.0, 1e-9);
}

/* The clock rate changes in mid-window, or a sibling is busy for a part of it: all of that is
 * progress, and none an interrupt. */
static void test_chunks_of_another_clock_rate_are_progress(void **state)
{
	struct fluid_loop l = {.width = 5};
	struct fluid_chunks c;

	(void)state;
	add(&l, 600, 640);
	add(&l, 399, 960);
	add(&l, 1, 50000);
	c = fluid_loop_chunks(&l);
	assert_int_equal(c.undisturbed, 999);
	assert_near(c.mean * 999, 600 * 640 + 399 * 960, 1e-6);
}

static void test_no_chunk_no_length(void **state)
{
	struct fluid_loop l = {.width = 5};

	(void)state;
	assert_int_equal(fluid_loop_chunks(&l).undisturbed, 0);
	assert_near(fluid_loop_chunks(&l).mean, 0, 0);
	add(&l, 3, 900000);
	assert_near(fluid_loop_chunks(&l).mean, 0, 0);
}

/* ---- windows, from made-up readings: what the kernel charged in these seconds decides nothing
 * ---- */

#define UNITS_PER_NS 2.0

/* 100 chunks of 640 units and one that an interrupt made 10 us longer; own time of 3 us before the
 * first chunk, a second try at the edge of 1 us, and 500 units from the last chunk to the first. */
static struct fluid_window of_edges(uint64_t last)
{
	const struct fluid_edge from = {.at = 1000000,
					.charged_ns = 7000000,
					.waited_ns = 400,
					.turns = 5,
					.first_at = 999000,
					.first_ns = 6999000};
	const struct fluid_edge to = {.at = 1103140,
				      .charged_ns = 7049000,
				      .waited_ns = 2400,
				      .turns = 7,
				      .first_at = 1101140,
				      .first_ns = 7048000};
	struct fluid_loop l = {.width = 5};

	add(&l, 100, 640);
	add(&l, 1, 20640);
	return fluid_thread_window_between(&from, &to, &l, last, 3000, UNITS_PER_NS);
}

static void test_a_window_is_what_lies_between_its_edges(void **state)
{
	struct fluid_window w = of_edges(1100640);

	(void)state;
	assert_true(w.begin == 1000000 && w.end == 1103140);
	assert_true(w.clock_ns == 7000000 && w.charged_ns == 49000);
	assert_int_equal(w.waited_ns, 2000);
	assert_int_equal(w.switches, 2);
	assert_int_equal(w.chunks, 101);
	assert_int_equal(w.disturbed, 1);
	assert_near(w.chunk, 640, 1e-9);
	assert_near(w.progress, 101 * 640 + 500 + UNITS_PER_NS * (3000 + 1000), 1e-6);
}

/* The CPU was lost between the last chunk and the edge: 60 us are no way into the kernel's clock.
 */
static void test_where_the_cpu_was_lost_before_the_edge_is_no_progress(void **state)
{
	struct fluid_window w = of_edges(1101140 - 120000);

	(void)state;
	assert_near(w.progress, 101 * 640 + UNITS_PER_NS * (3000 + 1000), 1e-6);
}

/* ---- threads ---- */

static struct fluid *fluid;
static size_t cpus;

/* However a test ended, the next one finds no thread of its. */
static int stop_fluids(void **state)
{
	(void)state;
	if (fluid)
		fluid_stop(fluid);
	fluid = NULL;
	return 0;
}

static void start(struct fluid_options o)
{
	struct profile_error err;

	sched_getaffinity(0, sizeof(o.cpus), &o.cpus);
	cpus = (size_t)CPU_COUNT(&o.cpus);
	fluid = fluid_start(&o, &err);
	if (!fluid)
		fail_msg("%s", err.text);
}

/* A look now and then until it is so, however long a busy machine takes; what hangs is ended by
 * tests/run. */
static void look_later(void)
{
	const struct timespec pause = {.tv_nsec = 1000000};

	nanosleep(&pause, NULL);
}

static void wait_for_windows(size_t wanted)
{
	for (size_t i = 0; i < cpus; i++)
		while (fluid_windows(fluid, i) < wanted)
			look_later();
}

/* What the kernel says now of thread i. */
static void read_schedstat(size_t i, uint64_t *waited_ns, uint64_t *turns)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/task/%d/schedstat", (int)fluid_thread(fluid, i));
	FILE *file = fopen(path, "r");
	assert_non_null(file);
	int found = fscanf(file, "%*u %" SCNu64 " %" SCNu64, waited_ns, turns);
	fclose(file);
	assert_int_equal(found, 2);
}

/* Progress that is no chunks': nanoseconds. */
static double beside_chunks_ns(struct fluid_window w)
{
	return (w.progress - w.chunk * w.chunks) / fluid->units_per_ns;
}

/* All of this holds for every window, as each sum is of parts of what it is compared with, read
 * from the same clock: 1 ns for the rounding of doubles. How the kernel's accounts compare with the
 * wall clock is the kernel's affair. */
static void assert_window(struct fluid_window w)
{
	assert_true(w.begin < w.end);
	assert_true(w.disturbed <= w.chunks);
	assert_true(w.chunk * w.chunks <= (double)(w.end - w.begin) + 1);
	assert_true(w.progress >= w.chunk * w.chunks);
	/* own time was charged; and at most 50 us of the way to the edge */
	assert_true(beside_chunks_ns(w) <= (double)w.charged_ns + 50000 + 1);
	assert_false(w.moved);
}

static void test_windows_follow_each_other_and_add_up(void **state)
{
	(void)state;
	start((struct fluid_options){.window_ns = 2000000});
	wait_for_windows(20);
	for (size_t i = 0; i < cpus; i++) {
		size_t count = fluid_windows(fluid, i);
		uint64_t waited = 0, switches = 0, waited_ns, turns;
		struct fluid_window last = fluid_window(fluid, i, 0);

		assert_window(last);
		for (size_t k = 1; k < count; k++) {
			struct fluid_window w = fluid_window(fluid, i, k);

			assert_window(w);
			assert_true(last.end == w.begin);
			assert_true(last.clock_ns + last.charged_ns == w.clock_ns);
			waited += w.waited_ns;
			switches += w.switches;
			last = w;
		}
		read_schedstat(i, &waited_ns, &turns);
		assert_true(waited <= waited_ns && switches <= turns);
		assert_true(fluid_thread_clock_ns(fluid_thread(fluid, i)) >=
			    last.clock_ns + last.charged_ns);
	}
}

#define EDGES 20
static uint64_t taken_ns[CPU_SETSIZE][EDGES];

/* A millisecond of the thread's CPU time between two windows of two; how much it was. */
static void take_long(void *context, size_t i, size_t index)
{
	uint64_t begin = clocks_read_ns(CLOCK_THREAD_CPUTIME_ID), end;

	(void)context;
	do
		end = clocks_read_ns(CLOCK_THREAD_CPUTIME_ID);
	while (end - begin < 1000000);
	if (index < EDGES)
		taken_ns[i][index] = end - begin;
}

/* Held against the same clock: all of what was taken lies in what the window has beside its
 * chunks, whoever else ran meanwhile. */
static void test_what_is_done_between_windows_is_progress(void **state)
{
	(void)state;
	start((struct fluid_options){.window_ns = 2000000, .edge = take_long});
	wait_for_windows(EDGES);
	for (size_t i = 0; i < cpus; i++)
		for (size_t k = 0; k < EDGES; k++) {
			struct fluid_window w = fluid_window(fluid, i, k);

			assert_window(w);
			assert_true(taken_ns[i][k] >= 1000000);
			assert_true(beside_chunks_ns(w) >= (double)taken_ns[i][k] - 1);
			assert_true(w.charged_ns >= taken_ns[i][k]);
		}
}

#define ALONE 3 /* names in the directory: one thread, "." and ".." */

static size_t threads(void)
{
	DIR *dir = opendir("/proc/self/task");
	size_t count = 0;

	while (readdir(dir))
		count++;
	closedir(dir);
	return count;
}

/* A thread that was joined may be in the directory for a while yet. One that was left behind
 * never goes, and tests/run ends the wait. */
static void await_threads(size_t count)
{
	while (threads() != count)
		look_later();
}

static void test_no_thread_is_left_and_nothing_is_changed(void **state)
{
	cpu_set_t before, after;

	(void)state;
	await_threads(ALONE);
	sched_getaffinity(0, sizeof(before), &before);
	start((struct fluid_options){.window_ns = FLUID_WINDOW_NS});
	assert_int_equal(threads(), ALONE + (size_t)CPU_COUNT(&before));
	for (size_t i = 0; i < cpus; i++)
		assert_int_equal(sched_getscheduler(fluid_thread(fluid, i)), SCHED_IDLE);
	stop_fluids(state);
	sched_getaffinity(0, sizeof(after), &after);
	await_threads(ALONE);
	assert_true(CPU_EQUAL(&before, &after));
	assert_int_equal(sched_getscheduler(0), SCHED_OTHER);
}

static void test_a_cpu_that_cannot_be_had_is_named(void **state)
{
	struct fluid_options o = {.window_ns = FLUID_WINDOW_NS};
	struct profile_error err = {.text = ""};
	cpu_set_t allowed;
	int first = 0;

	(void)state;
	sched_getaffinity(0, sizeof(allowed), &allowed);
	while (!CPU_ISSET(first, &allowed))
		first++;
	CPU_SET(first, &o.cpus);
	CPU_SET(CPU_SETSIZE - 1, &o.cpus);
	assert_null(fluid_start(&o, &err));
	assert_non_null(strstr(err.text, "1023"));
	await_threads(ALONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_undisturbed_chunks_are_those_around_the_mode),
		cmocka_unit_test(test_chunks_of_another_clock_rate_are_progress),
		cmocka_unit_test(test_no_chunk_no_length),
		cmocka_unit_test(test_a_window_is_what_lies_between_its_edges),
		cmocka_unit_test(test_where_the_cpu_was_lost_before_the_edge_is_no_progress),
		cmocka_unit_test_teardown(test_windows_follow_each_other_and_add_up, stop_fluids),
		cmocka_unit_test_teardown(test_what_is_done_between_windows_is_progress,
					  stop_fluids),
		cmocka_unit_test_teardown(test_no_thread_is_left_and_nothing_is_changed,
					  stop_fluids),
		cmocka_unit_test_teardown(test_a_cpu_that_cannot_be_had_is_named, stop_fluids),
	};

	return cmocka_run_group_tests_name("displace fluid", tests, NULL, NULL);
}
