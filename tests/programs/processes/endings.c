// SPDX-License-Identifier: GPL-3.0-or-later
/* Claim: however a program ends, its status is its own, its handlers run, and
 * every call that had returned is in the profile. Usage: endings WAY */
#include "target.h"

#include <pthread.h>
#include <signal.h>

static int pair[2];

static void at_end(void)
{
	exchange_times(pair, 5);
	say("exit handler\n");
}

static void at_quick_end(void)
{
	exchange_times(pair, 5);
	say("quick exit handler\n");
}

static void *exit_from_thread(void *unused)
{
	(void)unused;
	exchange_times(pair, 10);
	exit(6);
}

static void *outlive_main(void *main_thread)
{
	pthread_join(*(pthread_t *)main_thread, NULL);
	exchange_times(pair, 10);
	return NULL;
}

static void end_by_thread(void *(*body)(void *))
{
	static pthread_t self, thread;

	self = pthread_self();
	expect_exchanges(10);
	if (pthread_create(&thread, NULL, body, &self))
		die("pthread_create");
	if (body == outlive_main)
		pthread_exit(NULL);
	pthread_join(thread, NULL);
}

static void end_by_signal(int sig)
{
	raise(sig);
	die("still alive");
}

static void touch_nothing(void)
{
	volatile int *nothing = NULL;

	__asm__("" : "+r"(nothing)); /* the compiler must not know */
	*nothing = 1;
}

int main(int argc, char **argv)
{
	const char *way = argc > 1 ? argv[1] : "return";

	make_pair(pair);
	exchange_times(pair, 100);
	atexit(at_end);
	at_quick_exit(at_quick_end);
	expect_exchanges(100);
	if (!strcmp(way, "return") || !strcmp(way, "exit") || !strcmp(way, "quick_exit") ||
	    strstr(way, "thread"))
		expect_exchanges(5);
	say("ending by %s\n", way);
	if (!strcmp(way, "exit"))
		exit(7);
	if (!strcmp(way, "_exit"))
		_exit(8);
	if (!strcmp(way, "bare")) /* as Go's runtime */
		syscall(SYS_exit_group, 5);
	if (!strcmp(way, "quick_exit"))
		quick_exit(9);
	if (!strcmp(way, "abort"))
		abort();
	if (!strcmp(way, "segv"))
		touch_nothing();
	if (!strcmp(way, "term"))
		end_by_signal(SIGTERM);
	if (!strcmp(way, "kill"))
		end_by_signal(SIGKILL);
#if __GLIBC_PREREQ(2, 34)
	if (!strcmp(way, "execveat"))
		execveat(AT_FDCWD, "/bin/true", (char *[]){"true", NULL}, environ, 0);
#endif
	if (!strcmp(way, "thread_exits"))
		end_by_thread(exit_from_thread);
	if (!strcmp(way, "thread_outlives"))
		end_by_thread(outlive_main);
	return 4;
}
