// SPDX-License-Identifier: GPL-3.0-or-later
/* The page of delays from the tool's side: nothing that is written into it by others leads astray.
 */
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "collector/causal/causal_page_private.h"
#include "collector/causal/causal_page.h"
#include "profile/base/counter.h"
#include "stats/numerics/random.h"

static char path[64];
static struct causal_page *ours;
static struct scp_causal_page *theirs;

static int set_up(void **state)
{
	const struct causal_page_wishes w = {
		.by = SCP_CAUSAL_BY_SITE, .progress = "write@completed", .longest_s = 1e-3};
	struct profile_error err;
	int fd;

	(void)state;
	snprintf(path, sizeof(path), "/tmp/test_causal_page.%d", (int)getpid());
	umask(077);
	ours = causal_page_create(path, &w, &err);
	fd = open(path, O_RDWR);
	theirs = mmap(NULL, sizeof(*theirs), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	return !ours || theirs == MAP_FAILED;
}

static int tear_down(void **state)
{
	(void)state;
	munmap(theirs, sizeof(*theirs));
	causal_page_close(ours);
	return access(path, F_OK) ? 0 : -1;
}

static void enter(size_t index, uint64_t key, uint32_t flags)
{
	struct scp_causal_site *s = &theirs->site[index];

	*s = (struct scp_causal_site){.key = key, .known = 1, .pid = 7, .path = 3, .flags = flags};
}

static void targets_find_what_was_asked_for(void **state)
{
	struct stat st;

	(void)state;
	assert_memory_equal(theirs->magic, SCP_CAUSAL_MAGIC, 8);
	assert_int_equal(theirs->bytes, sizeof(*theirs));
	assert_int_equal(theirs->by, SCP_CAUSAL_BY_SITE);
	assert_string_equal(theirs->progress, "write@completed");
	assert_int_equal(theirs->longest, (uint64_t)causal_page_units(ours, 1e-3));
	assert_int_equal(theirs->expires, 0);
	/* one that dropped its privileges writes it, too */
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0666);
}

static void a_page_that_is_there_is_not_replaced(void **state)
{
	const struct causal_page_wishes w = {.progress = "write"};
	struct profile_error err;

	(void)state;
	assert_null(causal_page_create(path, &w, &err));
	assert_int_equal(access(path, F_OK), 0);
	assert_string_equal(theirs->progress, "write@completed");
}

static void only_complete_sites_are_listed(void **state)
{
	struct causal_page_site site[8];

	(void)state;
	enter(5, 50, 0);
	enter(6, 60, SCP_CAUSAL_IN_HANDLER);
	enter(7, 70, 0);
	theirs->site[7].known = 0;
	assert_int_equal(causal_page_sites(ours, site, 8), 2);
	assert_int_equal(site[0].index, 5);
	assert_int_equal(site[0].path, 3);
	assert_false(site[0].in_handler);
	assert_true(site[1].in_handler);
	assert_int_equal(causal_page_sites(ours, site, 1), 1);
}

static void delays_are_those_of_the_slots_and_bounded(void **state)
{
	double delays[SCP_CAUSAL_SLOTS] = {0};

	(void)state;
	enter(5, 50, 0);
	enter(6, 60, 0);
	causal_page_choose(ours, 5, 1);
	causal_page_choose(ours, 6, 2);
	causal_page_choose(ours, SCP_CAUSAL_SITES, 3);
	causal_page_choose(ours, 6, SCP_CAUSAL_SLOTS);
	delays[1] = 1e-5;
	delays[2] = 7;
	causal_page_window(ours, delays, 1e-2, 1);
	assert_int_equal(theirs->window, 1);
	assert_int_equal(theirs->site[5].slot, 1);
	assert_int_equal(theirs->site[5].delay, (uint32_t)causal_page_units(ours, 1e-5));
	assert_int_equal(theirs->site[6].delay, theirs->longest);
	assert_true(theirs->expires > 0);
	delays[1] = NAN;
	delays[2] = -1;
	causal_page_window(ours, delays, NAN, 1);
	assert_int_equal(theirs->site[5].delay, 0);
	assert_int_equal(theirs->site[6].delay, 0);
	assert_int_equal(theirs->limit, 0);
	/* another site in a slot, another slot for a site */
	causal_page_choose(ours, 6, 1);
	assert_int_equal(theirs->site[5].slot, 0);
	assert_int_equal(theirs->site[6].slot, 1);
	causal_page_choose(ours, 6, 0);
	assert_int_equal(theirs->site[6].slot, 0);
}

static void after_stop_no_window_delays(void **state)
{
	double delays[SCP_CAUSAL_SLOTS] = {0};

	(void)state;
	causal_page_window(ours, delays, 1, 1);
	assert_int_not_equal(theirs->expires, 0);
	causal_page_stop(ours);
	assert_int_equal(theirs->expires, 0);
	causal_page_window(ours, delays, 1, 1);
	assert_int_equal(theirs->expires, 0);
	causal_page_renew(ours, 1);
	assert_int_equal(theirs->expires, 0);
}

static void counts_of_all_threads_add_up_and_never_go_back(void **state)
{
	struct scp_causal_thread c;

	(void)state;
	enter(9, 90, 0);
	causal_page_choose(ours, 9, 4);
	theirs->thread[0].owner = (uint64_t)getpid() << 32 | 1;
	theirs->thread[0].progress = (struct scp_causal_progress){10, 100};
	theirs->thread[0].slot[4].calls = 3;
	theirs->thread[SCP_CAUSAL_THREADS - 1].slot[4].calls = 4; /* shared, without an owner */
	causal_page_read(ours, &c);
	assert_int_equal(c.progress.completed, 10);
	assert_int_equal(c.progress.units, 100);
	assert_int_equal(c.slot[4].calls, 7);
	/* the block is given back: what was counted stays, and what the next owner counts is added
	 */
	theirs->thread[0].owner = 0;
	theirs->thread[0].progress.completed = 2;
	causal_page_read(ours, &c);
	assert_int_equal(c.progress.completed, 10);
	theirs->thread[0].progress.completed = 11;
	causal_page_read(ours, &c);
	assert_int_equal(c.progress.completed, 11);
	assert_null(causal_page_refused(ours));
}

static void refuses_counts_that_time_does_not_allow(void **state)
{
	static const double none[SCP_CAUSAL_SLOTS];
	struct scp_causal_thread c;

	(void)state;
	enter(9, 90, 0);
	causal_page_choose(ours, 9, 4);
	causal_page_window(ours, none, 1, 1);
	assert_int_not_equal(theirs->expires, 0);
	theirs->thread[0].owner = (uint64_t)getpid() << 32 | 1;
	theirs->thread[0].slot[4].calls = 3;
	causal_page_read(ours, &c);
	theirs->thread[0].slot[4].calls = 2450000000000000000;
	causal_page_read(ours, &c);
	assert_int_equal(c.slot[4].calls, 3);
	assert_non_null(strstr(causal_page_refused(ours), "holds 2.45e+18 calls after "));
	assert_int_equal(theirs->expires, 0);
	theirs->thread[0].slot[4].calls = 5; /* once is enough */
	causal_page_read(ours, &c);
	assert_int_equal(c.slot[4].calls, 3);
}

/* What is beyond the limits of each count, and what is just within. */
static void bounds_are_those_of_time(void **state)
{
	const struct causal_bounds one = {3e9, 1, 1e6, 1}, eight = {3e9, 1, 1e6, 8};
	struct scp_causal_thread t = {0};
	struct scp_causal_count *n = &t.slot[7];
	uint64_t value;

	(void)state;
	t.skipped = t.progress.completed = n->calls = n->delayed = 400000000;
	t.progress.units = (uint64_t)4e8 * 3000000000;
	n->units = 400000000u * (uint64_t)1e6;
	n->busy = (uint64_t)8e8 * 3000000000;
	assert_null(causal_bounds_refuse(&one, &t, &value));
	n->busy += n->busy / 2;
	assert_string_equal(causal_bounds_refuse(&one, &t, &value),
			    "counter units of delay on a CPU");
	assert_int_equal(value, n->busy);
	n->units *= 5;
	assert_string_equal(causal_bounds_refuse(&one, &t, &value), "counter units of delay");
	n->units /= 5;
	n->delayed *= 3;
	assert_string_equal(causal_bounds_refuse(&one, &t, &value), "delayed calls");
	n->calls *= 3;
	assert_null(causal_bounds_refuse(&eight, &t, &value));
	assert_string_equal(causal_bounds_refuse(&one, &t, &value), "calls");
	t.progress.units *= 3;
	assert_string_equal(causal_bounds_refuse(&one, &t, &value), "counter units of progress");
	t.progress.completed *= 3;
	assert_string_equal(causal_bounds_refuse(&one, &t, &value), "units of progress");
	t.skipped *= 3;
	assert_string_equal(causal_bounds_refuse(&one, &t, &value), "delays that were not made");
}

/* A SIGBUS would end the test. Of its own: between fixture and test cmocka changes the handlers. */
static void goes_on_with_a_page_that_was_cut(void **state)
{
	static const double delays[SCP_CAUSAL_SLOTS] = {[4] = 1e-5};
	const struct causal_page_wishes w = {.longest_s = 1e-3};
	struct scp_causal_thread c;
	struct causal_page_site site[4];
	struct profile_error err;
	char name[80];
	struct stat st;

	(void)state;
	snprintf(name, sizeof(name), "%s.cut", path);
	struct causal_page *page = causal_page_create(name, &w, &err);
	assert_non_null(page);
	for (int round = 0; round < 10; round++) {
		assert_int_equal(truncate(name, round % 2 ? 4096 : 0), 0);
		causal_page_choose(page, 9, 4);
		causal_page_window(page, delays, 1, 1);
		causal_page_sites(page, site, 4);
		causal_page_read(page, &c);
		assert_string_equal(causal_page_refused(page), "was cut short");
		assert_int_equal(stat(name, &st), 0);
		if (!round) /* for the targets */
			assert_int_equal(st.st_size, sizeof(*theirs));
	}
	causal_page_close(page);
	assert_int_equal(access(name, F_OK), -1);
}

/* The handler is that of the page, which another process's signal does not mean. */
static void a_signal_that_is_sent_ends_it(void **state)
{
	const struct causal_page_wishes w = {.longest_s = 1e-3};
	struct profile_error err;
	char name[80];
	int status;

	(void)state;
	snprintf(name, sizeof(name), "%s.sent", path);
	pid_t child = fork();
	if (!child) {
		setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
		if (causal_page_create(name, &w, &err))
			kill(getpid(), SIGBUS);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(unlink(name), 0);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGBUS);
}

static void garbage_does_no_harm(void **state)
{
	uint64_t *words = (uint64_t *)theirs;
	const uint64_t longest = theirs->longest; /* by the counter's rate as of then */
	struct causal_page_site site[16];
	struct scp_causal_thread c, before = {0};
	double delays[SCP_CAUSAL_SLOTS];
	struct random r;

	(void)state;
	assert_true(fabs((double)longest / causal_page_units(ours, 1e-3) - 1) < 0.1);
	random_seed(&r, 3);
	for (int round = 0; round < 20; round++) {
		for (size_t i = 0; i < sizeof(*theirs) / sizeof(*words); i++)
			words[i] = random_next(&r) >> (random_next(&r) % 64);
		size_t found = causal_page_sites(ours, site, 16);

		assert_true(found <= 16);
		for (size_t i = 0; i < found; i++) {
			assert_true(site[i].index < SCP_CAUSAL_SITES);
			causal_page_choose(ours, site[i].index, (unsigned)(i + 1));
		}
		for (size_t i = 0; i < SCP_CAUSAL_SLOTS; i++)
			delays[i] = (double)random_next(&r) - 0x1p63;
		causal_page_window(ours, delays, delays[0], delays[1]);
		for (size_t i = 0; i < found; i++)
			assert_true(theirs->site[site[i].index].delay <= longest);
		causal_page_read(ours, &c);
		assert_true(c.skipped >= before.skipped);
		assert_true(c.progress.completed >= before.progress.completed);
		assert_true(c.slot[1].units >= before.slot[1].units);
		assert_true(c.slot[1].busy >= before.slot[1].busy);
		before = c;
	}
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(targets_find_what_was_asked_for),
		TEST(a_page_that_is_there_is_not_replaced),
		TEST(only_complete_sites_are_listed),
		TEST(delays_are_those_of_the_slots_and_bounded),
		TEST(after_stop_no_window_delays),
		TEST(counts_of_all_threads_add_up_and_never_go_back),
		TEST(refuses_counts_that_time_does_not_allow),
		TEST(bounds_are_those_of_time),
		TEST(goes_on_with_a_page_that_was_cut),
		TEST(a_signal_that_is_sent_ends_it),
		TEST(garbage_does_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
