// SPDX-License-Identifier: GPL-3.0-or-later
/* Usage: sessions LIBRARY DIRECTORY CYCLES [KEEP]: opens libscprof.so and begins and ends recording
 * so many times, while threads call its wrappers all the time: some for long, some in handlers,
 * some leave by longjmp, end, are cancelled, or fork. Prints, for each KEEPth session, its profile
 * and how many calls of `write` it must have at least and at most; other profiles are removed.
 * With $DELAYS, a page of include/scprof_causal.h, every other session delays all calls; $ORDER is
 * a further setting of each.
 * Last: the growth of memory and mappings between the first tenth of the cycles and the end, and of
 * descriptors between a first session and the end, both times without threads: each thread opens
 * some for a moment. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "include/scprof_causal.h"
#include "tests/programs/attach/order.h"

#define CALLERS	 16
#define BLOCKED	 6
#define HANDLERS 3
#define LEAVERS	 2
#define SPAWNERS 4
#define FORKERS	 1
#define THREADS	 (CALLERS + BLOCKED + HANDLERS + LEAVERS + SPAWNERS + FORKERS)

static ssize_t (*wrapped_write)(int, const void *, size_t);
static ssize_t (*wrapped_read)(int, void *, size_t);
static int (*wrapped_poll)(struct pollfd *, nfds_t, int);
static int (*begin)(const struct scp_attach_order *);
static int (*end)(uint32_t);
static struct scp_attach_state *state;

static int sink;
static atomic_bool over;
static struct scp_causal_page *delays; /* NULL: none */
static atomic_ulong begun, ended;      /* calls of write in this process */

static void call(void)
{
	atomic_fetch_add(&begun, 1);
	wrapped_write(sink, "x", 1);
	atomic_fetch_add(&ended, 1);
}

static __attribute__((noinline)) void deeper(int n)
{
	if (n)
		deeper(n - 1);
	call();
	__asm__ volatile("" ::: "memory");
}

static void pause_us(long us)
{
	struct timespec t = {0, us * 1000};
	nanosleep(&t, NULL);
}

static void *calls(void *unused)
{
	(void)unused;
	for (unsigned i = 0; !over; i++) {
		deeper((int)(i % 7));
		if (i % 64 == 0)
			pause_us(50);
	}
	return NULL;
}

/* A wrapped call that lasts several sessions. */
static void *blocks(void *unused)
{
	struct pollfd none = {-1, POLLIN, 0};
	unsigned seed = (unsigned)(uintptr_t)&none;
	(void)unused;
	while (!over) {
		wrapped_poll(&none, 1, (int)(rand_r(&seed) % 300));
		call();
	}
	return NULL;
}

static __thread sigjmp_buf back;
static __thread volatile int may_leave;

static void on_signal(int signal)
{
	int saved = errno;
	(void)signal;
	call();
	errno = saved;
	if (may_leave) {
		may_leave = 0;
		siglongjmp(back, 1);
	}
}

/* Calls inside handlers that interrupt calls, our bookkeeping, and calls that last. */
static void *is_interrupted(void *unused)
{
	struct pollfd none = {-1, POLLIN, 0};
	(void)unused;
	for (unsigned i = 0; !over; i++) {
		deeper((int)(i % 3));
		if (i % 16 == 0)
			wrapped_poll(&none, 1, 3);
	}
	return NULL;
}

/* Calls that are left for good. */
static void *leaves(void *unused)
{
	struct pollfd none = {-1, POLLIN, 0};
	(void)unused;
	while (!over) {
		if (sigsetjmp(back, 1) == 0) {
			may_leave = 1;
			wrapped_poll(&none, 1, 20);
			may_leave = 0;
		}
		call();
	}
	return NULL;
}

static void *lives_shortly(void *how)
{
	struct pollfd none = {-1, POLLIN, 0};
	for (int i = 0; i < 20; i++)
		call();
	if (how) /* cancelled inside */
		wrapped_poll(&none, 1, 1000000);
	return NULL;
}

static void *spawns(void *unused)
{
	(void)unused;
	for (unsigned i = 0; !over; i++) {
		pthread_t t;
		void *how = i % 4 == 3 ? (void *)1 : NULL;
		if (pthread_create(&t, NULL, lives_shortly, how) != 0)
			abort();
		if (how) {
			pause_us(500);
			pthread_cancel(t);
		}
		pthread_join(t, NULL);
		call();
		pause_us(300);
	}
	return NULL;
}

static void *forks(void *unused)
{
	(void)unused;
	for (unsigned i = 0; !over; i++) {
		int status = 0;
		pid_t child = fork();
		if (child == 0) {
			for (int k = 0; k < 5; k++)
				wrapped_write(sink, "y", 1);
			_exit(7);
		}
		if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status) ||
		    WEXITSTATUS(status) != 7) {
			fprintf(stderr, "a child died: %x\n", status);
			abort();
		}
		call();
		pause_us(4000);
	}
	return NULL;
}

struct size {
	unsigned long mapped_kb, resident_kb, mappings, profiles;
};

/* Without profiles, which stay mapped for a while. */
static struct size look(void)
{
	struct size s = {0, 0, 0, 0};
	char line[512];
	FILE *f = fopen("/proc/self/status", "r");
	while (f && fgets(line, sizeof line, f)) {
		sscanf(line, "VmSize: %lu", &s.mapped_kb);
		sscanf(line, "RssAnon: %lu", &s.resident_kb);
	}
	if (f)
		fclose(f);
	f = fopen("/proc/self/maps", "r");
	while (f && fgets(line, sizeof line, f)) {
		unsigned long from, to;
		bool profile = strstr(line, ".scp") != NULL;
		s.mappings += !profile;
		s.profiles += profile;
		if (profile && sscanf(line, "%lx-%lx", &from, &to) == 2)
			s.mapped_kb -= (to - from) / 1024;
	}
	if (f)
		fclose(f);
	return s;
}

static int count_descriptors(void)
{
	int n = 0;
	for (int fd = 0; fd < 1024; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

static void give_order(const char *directory, bool with_delays)
{
	static union order o;
	order_begin(&o);
	order_add(&o, "SCPROF_GROUPS=", "io,wait");
	order_add(&o, "SCPROF_OUT=", directory);
	if (with_delays)
		order_add(&o, "SCPROF_CAUSAL=", getenv("DELAYS"));
	if (getenv("ORDER"))
		order_add(&o, getenv("ORDER"), "");
	int r = begin(&o.given);
	if (r != SCP_ATTACH_FINE) {
		fprintf(stderr, "not begun: %d, errno %u\n", r, state->error);
		abort();
	}
}

/* Every site of the page is delayed, in slots at random. */
static void *sets_delays(void *page)
{
	struct scp_causal_page *p = page;
	for (unsigned n = 0; !over; n++) {
		for (unsigned i = 0; i < SCP_CAUSAL_SITES; i++)
			if (p->site[i].key && p->site[i].known) {
				p->site[i].slot = (i + n) % SCP_CAUSAL_SLOTS;
				p->site[i].delay = 1000 + n % 8 * 5000;
			}
		p->window++;
		pause_us(500);
	}
	return NULL;
}

static struct scp_causal_page *map_delays(void)
{
	const char *path = getenv("DELAYS");
	int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
	void *page = fd < 0 ? MAP_FAILED
			    : mmap(NULL, sizeof(struct scp_causal_page), PROT_READ | PROT_WRITE,
				   MAP_SHARED, fd, 0);
	if (fd >= 0)
		close(fd);
	return page == MAP_FAILED ? NULL : page;
}

/* One session; what it must have of calls. */

/* Nothing is done, and nothing waits, where another thread keeps the loader's lock. */
static void end_while_loader_is_kept(void)
{
	static uint32_t lock;
	lock = 1;
	state->loader_lock = (uint64_t)(uintptr_t)&lock;
	if (end(0) != SCP_ATTACH_LOADER_BUSY || state->status != SCP_ATTACH_RECORDING ||
	    state->problem != SCP_ATTACH_LOADER_BUSY)
		abort();
	lock = 0;
	state->loader_lock = (uint64_t)(uintptr_t)&lock;
}

static void cycle(const char *directory, unsigned number, unsigned keep)
{
	unsigned long most = atomic_load(&ended), least;
	give_order(directory, delays && number % 2 == 0);
	least = atomic_load(&begun);
	pause_us(number % 8 == 0 ? 20000 : (long)(number * 7919 % 2500));
	unsigned long done = atomic_load(&ended);
	if (number == 1)
		end_while_loader_is_kept();
	if (end(0) != SCP_ATTACH_FINE)
		abort();
	unsigned long all = atomic_load(&begun);
	least = done > least + THREADS ? done - least - THREADS : 0;
	most = all - most;
	if (keep && number % keep == 0)
		printf("%s %lu %lu\n", state->profile, least, most);
	else
		unlink(state->profile);
	if (number % 3 == 0)
		pause_us((long)(number * 104729 % 3000));
}

static void *interrupts(void *threads)
{
	pthread_t *t = threads;
	for (unsigned i = 0; !over; i++) {
		pthread_kill(t[CALLERS + BLOCKED + i % (HANDLERS + LEAVERS)], SIGUSR1);
		pause_us(700);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	static void *(*const work[])(void *) = {calls,	blocks, is_interrupted,
						leaves, spawns, forks};
	static const unsigned count[] = {CALLERS, BLOCKED, HANDLERS, LEAVERS, SPAWNERS, FORKERS};
	pthread_t thread[THREADS + 1];
	unsigned n = 0, cycles = argc > 3 ? (unsigned)atoi(argv[3]) : 0;
	struct sigaction act = {.sa_handler = on_signal};
	void *library = argc > 3 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
	if (!library)
		return 2;
	wrapped_write = dlsym(library, "write");
	wrapped_read = dlsym(library, "read");
	wrapped_poll = dlsym(library, "poll");
	begin = dlsym(library, "scprof_attach_begin_1");
	end = dlsym(library, "scprof_attach_end_1");
	state = dlsym(library, "scprof_attach_state_1");
	dlclose(library); /* it stays: calls of ours may be under way in it */
	sink = open("/dev/null", O_WRONLY);
	sigaction(SIGUSR1, &act, NULL);
	delays = map_delays();
	if (cycles)
		cycle(argv[2], 1, 0);
	int descriptors = count_descriptors();
	for (unsigned kind = 0; kind < 6; kind++)
		for (unsigned i = 0; i < count[kind]; i++)
			pthread_create(&thread[n++], NULL, work[kind], NULL);
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	pthread_create(&thread[n], NULL, interrupts, thread);
	pthread_t tool;
	if (delays)
		pthread_create(&tool, NULL, sets_delays, delays);
	struct size early = {0, 0, 0, 0}, most = early;
	for (unsigned i = 1; i <= cycles; i++) {
		cycle(argv[2], i, argc > 4 ? (unsigned)atoi(argv[4]) : 0);
		struct size s = i % 20 && i != cycles / 10 ? early : look();
		if (i == cycles / 10)
			early = most = s;
		if (i % (cycles / 10 ? cycles / 10 : 1) == 0)
			fprintf(stderr,
				"%u: %lu kB mapped, %lu kB resident, %lu mappings, %lu of "
				"profiles\n",
				i, s.mapped_kb, s.resident_kb, s.mappings, s.profiles);
		most = s.mapped_kb > most.mapped_kb ? s : most;
	}
	struct size late = look();
	over = true;
	for (unsigned i = n + 1; i-- > 0;) /* first the one that sends signals to the others */
		pthread_join(thread[i], NULL);
	if (delays)
		pthread_join(tool, NULL);
	printf("grown: %ld kB mapped, %ld kB resident, %d descriptors, %ld mappings\n",
	       (long)(late.mapped_kb - early.mapped_kb),
	       (long)(late.resident_kb - early.resident_kb), count_descriptors() - descriptors,
	       (long)(late.mappings - early.mappings));
	return 0;
}
