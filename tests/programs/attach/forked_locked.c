// SPDX-License-Identifier: GPL-3.0-or-later
/* Usage: forked_locked LIBRARY DIRECTORY: children are forked while another thread holds the locks
 * of the loader, which nobody gives back in them: before, while recording begins, while it goes on,
 * while it ends, and after. Each ends recording as the tool does; then all words that the linker
 * bound must be as they were, and their pages protected.
 * Without arguments: forks such a child at SIGUSR1, without libc, which would give it the lock of
 * dlopen back; both call read. */
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/programs/attach/order.h"

#define WORDS 8

static int (*begin)(const struct scp_attach_order *);
static int (*end)(uint32_t);
static struct scp_attach_state *state;
static sem_t locked, unlock;
static int zero;

/* Bound by relocations, in a page that the loader protects. */
static const void *const bound[WORDS] = {read, write, recv, send, accept, connect, fsync, pread};
static const void *before[WORDS];

static union order o;

static void note(const void **to)
{
	for (int i = 0; i < WORDS; i++)
		to[i] = __atomic_load_n((const void *const volatile *)&bound[i], __ATOMIC_RELAXED);
}

static bool is_protected(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned long from, to, at = (unsigned long)bound;
	char line[512], how[5] = "";
	bool found = false;

	while (maps && !found && fgets(line, sizeof(line), maps))
		found = sscanf(line, "%lx-%lx %4s", &from, &to, how) == 3 && at >= from && at < to;
	if (maps)
		fclose(maps);
	return found && how[1] == '-';
}

static uint32_t status_now(void)
{
	return __atomic_load_n(&state->status, __ATOMIC_ACQUIRE);
}

static int hold(struct dl_phdr_info *info, size_t size, void *unused)
{
	(void)info, (void)size, (void)unused;
	sem_post(&locked);
	sem_wait(&unlock);
	return 1;
}

static void nothing(void)
{
}

/* dlsym asks it while it holds the lock of dlopen, too. */
static void (*resolve_locked(void))(void)
{
	dl_iterate_phdr(hold, NULL);
	return nothing;
}

void forked_locked_resolved(void) __attribute__((ifunc("resolve_locked")));

static void *hold_locks(void *unused)
{
	dlsym(RTLD_DEFAULT, "forked_locked_resolved");
	return unused;
}

static void *follow(void *order)
{
	if (order)
		begin(order);
	else
		end(0);
	return NULL;
}

static int in_child(const char *when)
{
	const void *now[WORDS];
	char byte;
	int result = SCP_ATTACH_FINE;

	alarm(900);
	if (read(zero, &byte, 1) != 1)
		return 1;
	if (status_now() == SCP_ATTACH_RECORDING)
		result = end(0);
	note(now);
	if (!memcmp(now, before, sizeof(now)) && result == SCP_ATTACH_FINE &&
	    status_now() == SCP_ATTACH_DORMANT && is_protected() &&
	    state->slots.put_back == state->slots.written)
		return 0;
	fprintf(stderr, "%s: status %u, result %d, words %s, %s; %u written, %u put back\n", when,
		status_now(), result, memcmp(now, before, sizeof(now)) ? "changed" : "as before",
		is_protected() ? "protected" : "open", state->slots.written, state->slots.put_back);
	return 1;
}

/* `raw`: libc does not know of it. */
static void fork_one(const char *when, bool raw)
{
	int status = -1;
	pid_t pid = raw ? (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) : fork();

	if (pid == 0)
		_exit(in_child(when));
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0) {
		fprintf(stderr, "%s%s: status %x\n", raw ? "raw " : "", when, (unsigned)status);
		_exit(1); /* exit() may need the lock */
	}
}

/* `wanted`: the status that another thread's order, if any, leads to, and stays at. */
static void fork_locked(const char *when, bool follows, void *order, uint32_t wanted)
{
	pthread_t holder, follower;

	if (pthread_create(&holder, NULL, hold_locks, NULL) != 0)
		exit(2);
	sem_wait(&locked);
	if (follows && pthread_create(&follower, NULL, follow, order) != 0)
		exit(2);
	while (status_now() != wanted)
		usleep(1000);
	fork_one(when, false);
	if (!follows || !order) /* it learns of its birth by a call that is recorded */
		fork_one(when, true);
	sem_post(&unlock);
	pthread_join(holder, NULL);
	if (follows)
		pthread_join(follower, NULL);
}

static void check_all(const char *library, const char *directory)
{
	void *l = dlopen(library, RTLD_NOW);

	begin = (int (*)(const struct scp_attach_order *))dlsym(l, "scprof_attach_begin_1");
	end = (int (*)(uint32_t))dlsym(l, "scprof_attach_end_1");
	state = dlsym(l, "scprof_attach_state_1");
	if (!begin || !end || !state)
		exit(2);
	order_begin(&o);
	order_add(&o, "SCPROF_GROUPS=", "io");
	order_add(&o, "SCPROF_OUT=", directory);
	for (int i = 0; i < 2; i++) {
		fork_locked("before", false, NULL, SCP_ATTACH_DORMANT);
		fork_locked("begins", true, &o.given, SCP_ATTACH_BUSY);
		if (status_now() != SCP_ATTACH_RECORDING || state->slots.written < WORDS)
			exit(3);
		fork_locked("goes on", false, NULL, SCP_ATTACH_RECORDING);
		fork_locked("ends", true, NULL, SCP_ATTACH_BUSY);
		if (in_child("parent") != 0)
			exit(1);
	}
}

static volatile sig_atomic_t asked;

static void on_signal(int number)
{
	asked = number;
}

static void serve(void)
{
	pthread_t holder;
	char byte;

	signal(SIGUSR1, on_signal);
	puts("begun");
	fflush(stdout);
	while (read(zero, &byte, 1) == 1) {
		usleep(1000);
		if (!asked)
			continue;
		asked = 0;
		pthread_create(&holder, NULL, hold_locks, NULL);
		sem_wait(&locked);
		if (syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) == 0) {
			alarm(900);
			if (read(zero, &byte, 1) == 1) /* so that it learns of its birth */
				printf("child %d\n", (int)getpid());
			fflush(stdout);
			continue;
		}
		sem_post(&unlock);
		pthread_join(holder, NULL);
	}
}

int main(int argc, char **argv)
{
	zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	sem_init(&locked, 0, 0);
	sem_init(&unlock, 0, 0);
	note(before);
	if (argc == 3)
		check_all(argv[1], argv[2]);
	else
		serve();
	return 0;
}
