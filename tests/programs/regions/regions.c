// SPDX-License-Identifier: GPL-3.0-or-later
/* Regions and points of scprof.h in all the ways that go right and wrong; the same source is
 * built in several ways. Prints what it computes, which must not depend on the library.
 * Usage: regions MODE [COUNT] */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "scprof.h"

static int pair[2];
static volatile unsigned long work_done;

static void work(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		work_done++;
}

/* A call that the library records: of the socket group. */
static void call(void)
{
	char c = 'x';

	if (send(pair[0], &c, 1, 0) != 1 || recv(pair[1], &c, 1, 0) != 1)
		exit(99);
}

static void nested(unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		SCPROF_BEGIN("outer");
		work(100);
		SCPROF_BEGIN("inner");
		call();
		SCPROF_END;
		call();
		SCPROF_END_OF("outer");
		call();
	}
}

static void chain(unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		SCPROF_POINT("a");
		work(50);
		SCPROF_POINT("b");
		call();
		SCPROF_POINT("c");
		work(i % 3 * 100);
	}
	SCPROF_POINT("a");
	SCPROF_POINT_STOP;
	call();
}

static int early(unsigned i)
{
	SCPROF_SCOPE("early");
	if (i % 2)
		return 1;
	call();
	return 0;
}

/* Overlapping regions, ends without beginnings, beginnings without ends. */
static void crooked(unsigned n)
{
	SCPROF_END;
	SCPROF_END_OF("never");
	for (unsigned i = 0; i < n; i++) {
		SCPROF_BEGIN("first");
		SCPROF_BEGIN("second");
		call();
		SCPROF_END_OF("first");
		call();
		SCPROF_END_OF("second");
		SCPROF_BEGIN("forgotten");
		early(i);
	}
	SCPROF_END; /* the last forgotten one: the others were given up */
	SCPROF_END;
}

static jmp_buf out;

static __attribute__((noinline)) void leave(unsigned i)
{
	char room[512];

	memset(room, (int)i, sizeof(room));
	SCPROF_SCOPE("left");
	work((unsigned char)room[i % 512]);
	longjmp(out, 1);
}

static void jumps(unsigned n)
{
	for (volatile unsigned i = 0; i < n; i++) {
		if (!setjmp(out))
			leave(i);
		early(0);
	}
}

static unsigned deep(unsigned n)
{
	SCPROF_SCOPE("deep");
	return n ? 1 + deep(n - 1) : 0;
}

static unsigned deep_plain(unsigned n)
{
	unsigned r;

	SCPROF_BEGIN("plain");
	r = n ? 1 + deep_plain(n - 1) : 0;
	SCPROF_END;
	return r;
}

static void names(unsigned n)
{
	char name[64];

	for (unsigned i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "name %u", i % 5);
		SCPROF_BEGIN_NAMED(name);
		name[0] = 'N';
		call();
		name[0] = 'n';
		SCPROF_END_OF_NAMED(name);
		SCPROF_POINT_NAMED(name);
	}
	SCPROF_POINT_STOP;
}

static void on_signal(int number)
{
	(void)number;
	SCPROF_BEGIN("handler");
	work(10);
	SCPROF_END;
}

static void handlers(unsigned n)
{
	struct sigaction action = {.sa_handler = on_signal};

	sigaction(SIGUSR1, &action, NULL);
	for (unsigned i = 0; i < n; i++) {
		SCPROF_BEGIN("interrupted");
		raise(SIGUSR1);
		call();
		SCPROF_END;
		raise(SIGUSR1);
	}
}

static void *run_thread(void *count)
{
	for (unsigned i = 0; i < *(unsigned *)count; i++) {
		SCPROF_POINT("left");
		work(100);
		SCPROF_POINT("right");
	}
	SCPROF_BEGIN("until the end");
	return NULL;
}

static void threads(unsigned n)
{
	pthread_t t[4];

	for (unsigned i = 0; i < 4; i++)
		if (pthread_create(&t[i], NULL, run_thread, &n))
			exit(99);
	for (unsigned i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
}

static void forks(unsigned n)
{
	int status;

	nested(n); /* the child has to describe these names again */
	SCPROF_BEGIN("across");
	fflush(stdout);
	pid_t child = fork();
	if (child == 0) {
		SCPROF_END; /* the parent's */
		nested(n);
		exit(0);
	}
	if (waitpid(child, &status, 0) != child || status)
		exit(99);
	SCPROF_END;
}

static int compare(const void *a, const void *b)
{
	SCPROF_SCOPE("compare");
	return *(const int *)a - *(const int *)b;
}

static void callback(unsigned n)
{
	int v[64];

	for (unsigned i = 0; i < n; i++) {
		for (int k = 0; k < 64; k++)
			v[k] = (k * 37 + (int)i) % 64;
		SCPROF_BEGIN("sort");
		qsort(v, 64, sizeof(*v), compare);
		SCPROF_END;
		work((unsigned)v[0]);
	}
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "nested";
	unsigned n = argc > 2 ? (unsigned)atoi(argv[2]) : 10;
	static const struct {
		const char *name;
		void (*run)(unsigned);
	} modes[] = {{"nested", nested},   {"chain", chain}, {"crooked", crooked},
		     {"jumps", jumps},	   {"names", names}, {"handlers", handlers},
		     {"threads", threads}, {"forks", forks}, {"callback", callback}};

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
		return 99;
	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++)
		if (strcmp(mode, modes[i].name) == 0)
			modes[i].run(n);
	if (strcmp(mode, "deep") == 0)
		printf("%u %u\n", deep(n), deep_plain(n));
	call();
	printf("%s %s\n", mode, work_done ? "worked" : "idle");
	return 0;
}
