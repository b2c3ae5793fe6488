// SPDX-License-Identifier: GPL-3.0-or-later
/* Computes in functions of known shares until so much CPU time was used, and calls between: in
 * itself, in a forked child, in a thread, in a library's wrappers alone, or, having asked for that
 * by a signal to its parent, or does so itself, while recording is on. Or in a library, and a
 * child, that began while its parent was stopped, and there was much to tell it of. computes PLACE
 * CPU-MS */
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "include/scprof.h"
#include "include/scprof_control.h"

static volatile unsigned long sum;
static int ends[2];

#define NEVER_INLINED __attribute__((noinline, noclone))

NEVER_INLINED static void computes_little(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		sum = sum * 3 + i;
}

NEVER_INLINED static void computes_much(unsigned long n)
{
	for (unsigned long i = 0; i < 9 * n; i++)
		sum = sum * 5 + i;
}

static double cpu_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

NEVER_INLINED static void outer(double ms)
{
	while (cpu_ms() < ms) {
		computes_little(5000);
		computes_much(5000);
		sum++;
	}
}

/* Calls alone: the kernel copies a megabyte in each. */
static void calls(double ms)
{
	static char bytes[1 << 20];
	int size = 4 << 20;

	setsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
	while (cpu_ms() < ms)
		for (ssize_t sent = send(ends[0], bytes, sizeof(bytes), MSG_DONTWAIT); sent > 0;)
			sent -= recv(ends[1], bytes, sizeof(bytes), 0);
}

NEVER_INLINED static void computes_unseen(double ms)
{
	for (double until = cpu_ms() + ms; cpu_ms() < until;)
		for (unsigned long i = 0; i < 50000; i++)
			sum = sum * 7 + i;
}

NEVER_INLINED static void computes_forked(double ms)
{
	while (cpu_ms() < ms)
		for (unsigned long i = 0; i < 50000; i++)
			sum = sum * 11 + i;
}

/* Asks for recording to stop or start, and waits until all processes are told so. */
static void flip(const struct scp_control_page *page)
{
	uint64_t before = *(const volatile uint64_t *)&page->word;

	kill(getppid(), SIGUSR1);
	while (*(const volatile uint64_t *)&page->word == before)
		usleep(100);
}

static int windows(double ms)
{
	const char *path = getenv("SCPROF_CONTROL");
	int fd = path ? open(path, O_RDONLY) : -1;
	const struct scp_control_page *page =
		mmap(NULL, SCP_CONTROL_BYTES, PROT_READ, MAP_SHARED, fd, 0);

	if (page == MAP_FAILED)
		return 1;
	computes_unseen(ms);
	flip(page);
	outer(cpu_ms() + ms);
	flip(page);
	computes_unseen(ms);
	return 0;
}

/* More than the rings hold of one CPU: each mapping of code is a record of 100 bytes and more. */
static int maps(double ms)
{
	int fd = open("/proc/self/exe", O_RDONLY);
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	sched_setaffinity(0, sizeof(one), &one);
	kill(getppid(), SIGSTOP);
	for (int i = 0; i < 60000; i++)
		munmap(mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0), 4096);
	void *library = dlopen("libm.so.6", RTLD_NOW);
	double (*function)(double) = library ? (double (*)(double))dlsym(library, "tgamma") : NULL;
	pid_t pid = fork();

	if (!function || pid < 0)
		return 1;
	if (pid)
		kill(getppid(), SIGCONT);
	usleep(300000); /* until it has looked */
	for (double until = cpu_ms() + ms; cpu_ms() < until;)
		for (int i = 0; i < 1000; i++)
			sum += (unsigned long)function(pid ? 5.5 : 6.5);
	return pid && waitpid(pid, NULL, 0) != pid;
}

/* Recorded by its own wish: in a child alone at first, whose child goes on. */
static int starts(double ms)
{
	computes_unseen(ms);
	pid_t pid = fork();

	if (!pid) {
		SCPROF_START;
		pid = fork();
		if (!pid)
			computes_forked(ms);
		_exit(pid && waitpid(pid, NULL, 0) != pid);
	}
	if (waitpid(pid, NULL, 0) != pid)
		return 1;
	computes_unseen(ms);
	SCPROF_START;
	outer(cpu_ms() + ms);
	SCPROF_STOP;
	computes_unseen(ms);
	return 0;
}

static void *thread(void *ms)
{
	outer(*(double *)ms);
	return NULL;
}

int main(int argc, char **argv)
{
	const char *place = argc > 1 ? argv[1] : "";
	double ms = argc > 2 ? strtod(argv[2], NULL) : 100;
	pthread_t t;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) || send(ends[0], "x", 1, 0) != 1)
		return 1;
	if (!strcmp(place, "calls")) {
		calls(ms);
	} else if (!strcmp(place, "elsewhere")) {
		computes_unseen(ms);
		calls(cpu_ms() + ms);
	} else if (!strcmp(place, "thread")) {
		if (pthread_create(&t, NULL, thread, &ms) || pthread_join(t, NULL))
			return 1;
	} else if (!strcmp(place, "windows")) {
		return windows(ms);
	} else if (!strcmp(place, "starts")) {
		return starts(ms);
	} else if (!strcmp(place, "maps")) {
		return maps(ms);
	} else if (!strcmp(place, "child")) {
		pid_t pid = fork();

		if (!pid) {
			outer(ms);
			_exit(0);
		}
		return waitpid(pid, NULL, 0) != pid;
	} else {
		outer(ms);
	}
	return 0;
}
