// SPDX-License-Identifier: GPL-3.0-or-later
/* Claim: resource limits that a program sets for itself bind only itself: the
 * library neither dies of them, nor has the program die, nor loses calls.
 * Usage: limits fsize|as|nofile|late|none; late: for a thread's first call only */
#include "target.h"

#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>

static int pair[2];

static void limit(int resource, rlim_t value)
{
	struct rlimit r = {value, value};

	if (setrlimit(resource, &r) < 0)
		die("setrlimit");
}

static rlim_t address_space(void)
{
	unsigned long pages = 0;
	FILE *f = fopen("/proc/self/statm", "r");

	if (!f || fscanf(f, "%lu", &pages) != 1)
		die("/proc/self/statm");
	fclose(f);
	return (rlim_t)pages * 4096;
}

/* A new path each depth, far more than a first reservation holds. */
static void many_paths(void)
{
	for (int times = 0; times < 3; times++)
		for (int depth = 0; depth < 180; depth++)
			exchange_below(pair, depth);
}

static void *work(void *unused)
{
	(void)unused;
	exchange_times(pair, 100);
	return NULL;
}

static void limit_files(void)
{
	FILE *f;

	limit(RLIMIT_FSIZE, 4096);
	many_paths();
	signal(SIGXFSZ, SIG_IGN);
	many_paths();
	f = tmpfile();
	for (int i = 0; i < 8192; i++)
		putc('x', f);
	say("the program's own file: %s\n", fflush(f) ? strerror(errno) : "written");
}

static void limit_memory(void)
{
	limit(RLIMIT_AS, address_space() + (256 << 10));
	many_paths();
	say("1 MiB more: %s\n",
	    mmap(NULL, 1 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED
		    ? "refused"
		    : "granted");
	many_paths();
}

static void limit_descriptors(void)
{
	pthread_t thread;

	limit(RLIMIT_NOFILE, 0);
	many_paths();
	say("one more socket: %s\n",
	    socket(AF_UNIX, SOCK_STREAM, 0) < 0 ? strerror(errno) : "granted");
	if (pthread_create(&thread, NULL, work, NULL))
		die("pthread_create");
	pthread_join(thread, NULL);
	many_paths();
}

static void *work_later(void *unused)
{
	struct rlimit before, tight;

	if (getrlimit(RLIMIT_AS, &before) < 0)
		die("getrlimit");
	tight = (struct rlimit){1 << 20, before.rlim_max};
	if (setrlimit(RLIMIT_AS, &tight) < 0)
		die("setrlimit");
	exchange(pair);
	if (setrlimit(RLIMIT_AS, &before) < 0)
		die("setrlimit");
	return work(unused);
}

static void limit_first_call(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, work_later, NULL))
		die("pthread_create");
	pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "fsize";

	make_pair(pair);
	exchange_times(pair, 10);
	expect_exchanges(10 + (strcmp(what, "late") ? 2 * 3 * 180 : 101));
	if (!strcmp(what, "fsize"))
		limit_files();
	if (!strcmp(what, "as"))
		limit_memory();
	if (!strcmp(what, "none")) {
		many_paths();
		many_paths();
	}
	if (!strcmp(what, "nofile")) {
		expect_exchanges(100);
		limit_descriptors();
	}
	if (!strcmp(what, "late"))
		limit_first_call();
	exit(0);
}
