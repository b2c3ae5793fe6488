// SPDX-License-Identifier: GPL-3.0-or-later
/* The fluid: which chunks count as undisturbed, and what holds of its windows however busy
 * the machine is. */
#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "collector/displacement/fluid/fluid.h"
#include "collector/displacement/fluid/fluid_loop.h"
#include "tests/unit/near.h"
#include "collector/displacement/wall_method_fluid.h"

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

static void test_so_many_loops_as_asked_or_until_stopped(void **state)
{
	struct fluid_loop l;
	const int go_on = 0, stop = 1;

	(void)state;
	fluid_loop_begin(&l, 1);
	assert_true(l.iterations >= 25 && l.width >= 1);
	assert_int_equal(fluid_loop_count(&l, 5000, &go_on), 5000);
	assert_int_equal(fluid_loop_count(&l, 5000, &stop), 1);
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

static struct fluid *start(uint64_t window_ns)
{
	struct fluid_options o = {.window_ns = window_ns, .scheduling = FLUID_IDLE};
	struct profile_error err;

	sched_getaffinity(0, sizeof(o.cpus), &o.cpus);
	struct fluid *f = fluid_start(&o, &err);
	if (!f)
		fail_msg("%s", err.text);
	return f;
}

/* However busy the machine: until each CPU has so many windows, for a minute at most. */
static void wait_for_windows(const struct fluid *f, size_t wanted)
{
	const struct timespec pause = {.tv_nsec = 5000000};

	for (size_t i = 0; i < fluid_cpus(f); i++)
		for (int k = 0; k < 12000 && fluid_windows(f, i) < wanted; k++)
			nanosleep(&pause, NULL);
}

static void test_windows_follow_each_other_and_add_up(void **state)
{
	struct fluid *f = start(2000000);
	double rate;

	(void)state;
	wait_for_windows(f, 20);
	rate = fluid_rate(f);
	for (size_t i = 0; i < fluid_cpus(f); i++) {
		size_t count = fluid_windows(f, i), doubtful = 0;

		assert_true(count >= 20);
		for (size_t k = 1; k < count; k++) {
			struct fluid_window a = fluid_window(f, i, k - 1),
					    b = fluid_window(f, i, k);
			double wall = (double)(b.end - b.begin) / rate;

			assert_true(a.end == b.begin);
			assert_true(a.clock_ns + a.charged_ns == b.clock_ns);
			/* one does not wait and run at once, nor progress beyond what one was
			 * charged; microseconds of the clocks' own. And of a switch: a task that
			 * another CPU wakes is charged from its wake-up on, while the fluid
			 * still runs (docs/displacement-results.md): up to 0.9 us a switch
			 * beside a ping-pong, in every fifth window more than the 20 us */
			doubtful += (double)(b.charged_ns + b.waited_ns) > 1.001 * wall + 20000 ||
				    b.progress / rate > 1.02 * (double)b.charged_ns + 20000 +
								2000.0 * b.switches;
			assert_true(b.disturbed <= b.chunks);
			assert_false(b.moved);
		}
		assert_int_equal(doubtful, 0);
		assert_true(fluid_chunks(f, i) > 0);
		struct fluid_window last = fluid_window(f, i, count - 1);
		assert_true(fluid_clock_ns(f, i) >= last.clock_ns + last.charged_ns);
	}
	fluid_stop(f);
}

/* A millisecond of the thread's CPU time between two windows of two. */
static void take_long(void *context, size_t i, size_t index)
{
	struct timespec t;
	double end = 0;

	(void)context;
	(void)i;
	(void)index;
	do {
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
		end = end > 0 ? end : (double)t.tv_sec + (double)t.tv_nsec / 1e9 + 0.001;
	} while ((double)t.tv_sec + (double)t.tv_nsec / 1e9 < end);
}

/* Progress a second that was charged. */
static double shown_progress(void)
{
	struct fluid_options o = {
		.window_ns = 2000000, .scheduling = FLUID_IDLE, .edge = take_long};
	double charged = 0, progress = 0, rate;
	struct profile_error err;
	struct fluid *f;

	sched_getaffinity(0, sizeof(o.cpus), &o.cpus);
	f = fluid_start(&o, &err);
	assert_non_null(f);
	wait_for_windows(f, 20);
	rate = fluid_rate(f);
	for (size_t i = 0; i < fluid_cpus(f); i++)
		for (size_t k = 1; k < fluid_windows(f, i); k++) {
			struct fluid_window w = fluid_window(f, i, k);

			charged += (double)w.charged_ns;
			progress += w.progress / rate;
		}
	fluid_stop(f);
	return progress / charged;
}

/* A third to a half of it would be missing; interrupts are some hundredths. A host that steals
 * and does not say so takes time of a run, but not of each of three. */
static void test_what_is_done_between_windows_is_progress(void **state)
{
	double found = 0;

	(void)state;
	for (int i = 0; i < 3 && found < 0.8; i++)
		found = shown_progress();
	if (found < 0.8)
		fail_msg("%g of what was charged is progress", found);
}

/* A thread that was joined may be in the directory for a while yet. */
static void await_threads(size_t count)
{
	const struct timespec pause = {.tv_nsec = 1000000};

	for (int k = 0; k < 10000 && threads() != count; k++)
		nanosleep(&pause, NULL);
	assert_int_equal(threads(), count);
}

static void test_no_thread_is_left_and_nothing_is_changed(void **state)
{
	cpu_set_t before, after;
	const size_t count = ALONE;

	(void)state;
	await_threads(count);
	sched_getaffinity(0, sizeof(before), &before);
	struct fluid *f = start(FLUID_WINDOW_NS);
	assert_int_equal(threads(), count + (size_t)CPU_COUNT(&before));
	fluid_stop(f);
	sched_getaffinity(0, sizeof(after), &after);
	await_threads(count);
	assert_true(CPU_EQUAL(&before, &after));
	assert_int_equal(sched_getscheduler(0), SCHED_OTHER);
}

static void test_a_cpu_that_cannot_be_had_is_named(void **state)
{
	struct fluid_options o = {.window_ns = FLUID_WINDOW_NS, .scheduling = FLUID_IDLE};
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

static void test_the_papers_fluid_runs_its_loops_and_tells_when(void **state)
{
	const struct timespec pause = {.tv_nsec = 5000000};
	cpu_set_t set;
	uint64_t loops[CPU_SETSIZE];
	struct wall_fluid *f;

	(void)state;
	sched_getaffinity(0, sizeof(set), &set);
	f = wall_fluid_make(&set);
	for (size_t i = 0; i < wall_fluid_count(f); i++)
		loops[i] = 20000;
	assert_int_equal(wall_fluid_start(f, loops), 0);
	for (int k = 0; k < 12000 && !wall_fluid_ended(f); k++)
		nanosleep(&pause, NULL);
	assert_true(wall_fluid_ended(f));
	wall_fluid_finish(f);
	for (size_t i = 0; i < wall_fluid_count(f); i++) {
		struct wall_fluid_run r = wall_fluid_result(f, i);

		assert_int_equal(r.loops, 20000);
		assert_true(r.ended > r.began && r.intervals >= 1);
	}
	/* without end */
	memset(loops, 0, sizeof(loops));
	assert_int_equal(wall_fluid_start(f, loops), 0);
	nanosleep(&pause, NULL);
	assert_false(wall_fluid_any_ended(f));
	wall_fluid_finish(f);
	assert_true(wall_fluid_result(f, 0).loops > 0);
	wall_fluid_free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_undisturbed_chunks_are_those_around_the_mode),
		cmocka_unit_test(test_chunks_of_another_clock_rate_are_progress),
		cmocka_unit_test(test_no_chunk_no_length),
		cmocka_unit_test(test_so_many_loops_as_asked_or_until_stopped),
		cmocka_unit_test(test_windows_follow_each_other_and_add_up),
		cmocka_unit_test(test_what_is_done_between_windows_is_progress),
		cmocka_unit_test(test_no_thread_is_left_and_nothing_is_changed),
		cmocka_unit_test(test_a_cpu_that_cannot_be_had_is_named),
		cmocka_unit_test(test_the_papers_fluid_runs_its_loops_and_tells_when),
	};

	return cmocka_run_group_tests_name("displace fluid", tests, NULL, NULL);
}
