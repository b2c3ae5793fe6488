// SPDX-License-Identifier: GPL-3.0-or-later
/* Threads that run and have no CPU do not stop at once, and a dump is wanted soon. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>
#include <sys/types.h>

#include "collector/attach/attach.h"
#include "collector/clocks/clocks_read.h"
#include "profile/base/given_file.h"

static double now_s;
static size_t tries;

static double made_up_clock(void)
{
	return now_s;
}

static const char *runs(pid_t pid, pid_t tid, char text[PROC_STAT_BYTES])
{
	(void)pid, (void)tid;
	return strcpy(text, "R");
}

static void does_not_stop(pid_t tid, void (*look)(void *context), void *context, double *held_ms)
{
	(void)tid, (void)look, (void)context, (void)held_ms;
	now_s += 0.2;
	tries++;
}

#define clocks_read_seconds made_up_clock
#define proc_stat_read	    runs
#define attach_sample	    does_not_stop
#include "collector/dump/dump.c"

static void many_threads_that_run_are_asked_for_ten_seconds(void **state)
{
	static struct dump_thread thread[1000];
	static struct dump_moment moment;
	static struct reading g;
	struct dump d = {.pid = -1, .thread = thread, .threads = 1000};

	(void)state;
	g.d = &d;
	g.moment = &moment;
	read_all(&g, true);
	assert_in_range(tries, 45, 55);
	assert_int_equal(thread[999].state, 'R');
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(many_threads_that_run_are_asked_for_ten_seconds),
	};

	return cmocka_run_group_tests_name("a dump", tests, NULL, NULL);
}
