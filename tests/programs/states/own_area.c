// SPDX-License-Identifier: GPL-3.0-or-later
/* A program of a C library that registers no area of rseq(2): threads that exchange bytes, some
 * before and some after they register an area of their own, and detached ones that end at once,
 * while all lose their CPU. Says what the kernel told: the same with and without the library. With
 * an argument: exchanges bytes for ever. */
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define THREADS	 8
#define DETACHED 300
#ifdef __aarch64__
#define SIGNATURE 0xd428bc00
#else
#define SIGNATURE 0x53053053
#endif

struct area {
	uint32_t cpu_id_start, cpu_id;
	uint64_t rest[3];
} __attribute__((aligned(32)));

static long registered, again, known, removed, ended;

static void add(long *to, int n)
{
	__atomic_add_fetch(to, n, __ATOMIC_RELAXED);
}

static void exchange(int n)
{
	int pair[2];
	char c;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
		return;
	for (int i = 0; i < n; i++) {
		nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
		if (send(pair[0], "x", 1, 0) == 1)
			recv(pair[1], &c, 1, 0);
	}
	close(pair[0]);
	close(pair[1]);
}

static void *work(void *before)
{
	struct area a = {.cpu_id = UINT32_MAX}, b = a;

	exchange(before ? 20 : 0);
	add(&registered, !syscall(SYS_rseq, &a, sizeof(a), 0, SIGNATURE));
	exchange(20);
	add(&known, (int32_t)a.cpu_id >= 0);
	add(&again, syscall(SYS_rseq, &b, sizeof(b), 0, SIGNATURE) == -1 && errno == EINVAL);
	add(&removed, !syscall(SYS_rseq, &a, sizeof(a), 1, SIGNATURE));
	exchange(20);
	return NULL;
}

static void *end(void *unused)
{
	exchange(1);
	add(&ended, 1);
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t thread[THREADS];
	int status;

	(void)argv;
	while (argc > 1)
		exchange(1);
	if (syscall(SYS_rseq, NULL, 0, 0, 0) == -1 && errno == ENOSYS) {
		printf("absent\n");
		return 0;
	}
	for (long i = 0; i < THREADS; i++)
		if (pthread_create(&thread[i], NULL, work, i % 2 ? &registered : NULL))
			return 1;
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	for (int i = 0; i < DETACHED; i++)
		if (!pthread_create(&thread[0], NULL, end, NULL))
			pthread_detach(thread[0]);
	while (__atomic_load_n(&ended, __ATOMIC_RELAXED) < DETACHED)
		exchange(1);
	if (!fork()) {
		work(&registered);
		_exit(registered == THREADS + 1 ? 7 : 8);
	}
	wait(&status);
	printf("registered %ld, known %ld, once %ld, removed %ld; child %d\n", registered, known,
	       again, removed, WEXITSTATUS(status));
	return 0;
}
