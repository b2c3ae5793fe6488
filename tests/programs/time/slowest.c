// SPDX-License-Identifier: GPL-3.0-or-later
/* Claim: the slowest calls are listed one by one: which, in which order, from where.
 *
 * Usage: slowest MODE
 * calls     thousands of quick echoes on a socket pair, among them replies that come 30,
 *           60 and 120 ms late, read in early(), middle() and late()
 * threads   the same three late replies, each in a thread named after its function
 * fork      the same, each in a child
 * exec      early() here, then the mode "rest": middle() and late() in another image
 * again     four replies 40 ms late among 4000 on one path, which is known by then; and
 *           four long regions among 4000 inside a region
 * kill      calls, then SIGKILL while a receive waits
 * waits     a poll of 80 ms beside a reply 20 ms late
 * region    a region of 50 ms beside replies 20 ms late
 */
#include "target.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "scprof.h"

#define QUICK 2000

static int pair[2];
static pid_t asker; /* the thread that waits for a late reply */

static void sleep_ms(long ms)
{
	struct timespec t = {ms / 1000, ms % 1000 * 1000000};

	while (nanosleep(&t, &t) < 0 && errno == EINTR)
		;
}

/* Back when the asker sleeps in its call: the reply is late by what follows, and by no less. */
static void await_asker(void)
{
	char name[64], text[256];
	const char *state;

	snprintf(name, sizeof name, "/proc/self/task/%d/stat", (int)asker);
	do {
		long fd = syscall(SYS_openat, AT_FDCWD, name, O_RDONLY | O_CLOEXEC);

		memset(text, 0, sizeof text);
		if (fd < 0 || syscall(SYS_read, fd, text, sizeof text - 1) <= 0 ||
		    syscall(SYS_close, fd))
			die("looking at the asker");
		state = strrchr(text, ')');
	} while (!state || state[2] != 'S');
}

/* Sleeps for as many milliseconds as the byte says, and answers. */
static void *echo(void *unused)
{
	unsigned char ms;

	while (syscall(SYS_read, pair[1], &ms, 1) == 1) {
		if (ms) {
			await_asker();
			sleep_ms(ms);
		}
		if (syscall(SYS_write, pair[1], &ms, 1) != 1)
			die("answering");
	}
	return unused;
}

static void start_echo(void)
{
	pthread_t thread;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) || pthread_create(&thread, NULL, echo, NULL))
		die("starting");
}

static void ask(unsigned char ms)
{
	asker = (pid_t)syscall(SYS_gettid);
	if (send(pair[0], &ms, 1, 0) != 1)
		die("asking");
}

NOINLINE static void quick(long times)
{
	char c;

	for (long i = 0; i < times; i++) {
		ask(0);
		if (recv(pair[0], &c, 1, 0) != 1)
			die("quick");
		NO_TAIL_CALL();
	}
}

#define LATE(name, ms)                                                                             \
	NOINLINE static void name(void)                                                            \
	{                                                                                          \
		char c[2];                                                                         \
		ask(ms);                                                                           \
		if (recv(pair[0], c, sizeof c, 0) != 1)                                            \
			die(#name);                                                                \
		NO_TAIL_CALL();                                                                    \
	}
LATE(early, 30)
LATE(middle, 60)
LATE(late, 120)

static void all_three(void)
{
	quick(QUICK);
	early();
	quick(QUICK);
	late();
	middle();
	quick(QUICK);
}

struct named {
	const char *name;
	void (*function)(void);
};
static const struct named named[] = {{"early", early}, {"middle", middle}, {"late", late}};

static void *run_named(void *what)
{
	const struct named *n = what;

	pthread_setname_np(pthread_self(), n->name);
	n->function();
	return NULL;
}

static void in_threads(void)
{
	for (unsigned i = 0; i < 3; i++) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, run_named, (void *)&named[i]) ||
		    pthread_join(thread, NULL))
			die("a thread");
	}
}

static void in_children(void)
{
	for (unsigned i = 0; i < 3; i++) {
		pid_t child = fork();

		if (child == 0) {
			start_echo();
			named[i].function();
			exit(0);
		}
		if (child < 0 || waitpid(child, NULL, 0) != child)
			die("a child");
	}
}

static void wait_and_ask(void)
{
	quick(QUICK);
	if (poll(NULL, 0, 80) != 0)
		die("poll");
	ask(20);
	quick(0);
	char c;
	if (recv(pair[0], &c, 1, 0) != 1)
		die("recv");
}

static void in_a_region(void)
{
	char c;

	ask(20);
	SCPROF_BEGIN("the work");
	if (recv(pair[0], &c, 1, 0) != 1)
		die("recv");
	sleep_ms(30);
	SCPROF_END;
}

NOINLINE static void again(long i)
{
	char c;

	ask(i % 1000 == 999 ? 40 : 0);
	if (recv(pair[0], &c, 1, 0) != 1)
		die("recv");
	NO_TAIL_CALL();
}

NOINLINE static void inner(long i)
{
	SCPROF_BEGIN("inner");
	if (i % 1000 == 999)
		sleep_ms(40);
	SCPROF_END;
	NO_TAIL_CALL();
}

static void on_one_path(void)
{
	for (long i = 0; i < 4000; i++)
		again(i);
	SCPROF_BEGIN("outer");
	for (long i = 0; i < 4000; i++)
		inner(i);
	SCPROF_END;
}

static void be_killed(void)
{
	struct timespec soon = {0, 50000000};
	char c;

	all_three();
	if (fork() == 0) {
		syscall(SYS_nanosleep, &soon, NULL);
		kill(getppid(), SIGKILL);
		_exit(0);
	}
	recv(pair[0], &c, 1, 0);
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";

	start_echo();
	if (!strcmp(mode, "calls")) {
		all_three();
	} else if (!strcmp(mode, "threads")) {
		in_threads();
	} else if (!strcmp(mode, "fork")) {
		in_children();
	} else if (!strcmp(mode, "exec")) {
		early();
		execl("/proc/self/exe", argv[0], "rest", (char *)NULL);
		die("exec");
	} else if (!strcmp(mode, "rest")) {
		middle();
		late();
	} else if (!strcmp(mode, "waits")) {
		wait_and_ask();
	} else if (!strcmp(mode, "region")) {
		in_a_region();
	} else if (!strcmp(mode, "again")) {
		on_one_path();
	} else if (!strcmp(mode, "kill")) {
		be_killed();
	} else {
		die("which mode?");
	}
	say("done\n");
	return 0;
}
