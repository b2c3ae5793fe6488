// SPDX-License-Identifier: GPL-3.0-or-later
/* hostile_races THREADS: while it is looked at it maps, unmaps and overwrites the heads of objects,
 * begins and ends threads and processes, and sends itself signals. */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static void *sleeps(void *unused)
{
	char byte;
	int fd = open("/dev/zero", O_RDONLY);

	for (;;) {
		if (read(fd, &byte, 1) != 1)
			return unused;
		usleep(20000);
	}
}

static void *ends(void *unused)
{
	return unused;
}

static void *begins(void *unused)
{
	for (;;) {
		pthread_t t;

		if (!pthread_create(&t, NULL, ends, NULL))
			pthread_join(t, NULL);
		usleep(1000);
	}
	return unused;
}

static void *forks(void *unused)
{
	for (;;) {
		pid_t child = fork();

		if (!child) {
			usleep(2000);
			_exit(0);
		}
		if (child > 0)
			waitpid(child, NULL, 0);
	}
	return unused;
}

/* A copy of a library, whose head is written over and which comes and goes. */
static void *remaps(void *path)
{
	int fd = open(path, O_RDONLY);
	char *old = NULL;

	for (unsigned i = 0;; i++) {
		char *at =
			mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE, fd, 0);

		if (at == MAP_FAILED)
			return NULL;
		for (int k = 0; k < 512; k++)
			at[16 + rand() % 4000] = (char)rand();
		if (old)
			munmap(old, 1 << 20);
		old = at;
		usleep(500);
	}
}

static void *signals(void *unused)
{
	for (;;) {
		kill(getpid(), SIGUSR1);
		usleep(3000);
	}
	return unused;
}

static void nothing(int number)
{
	(void)number;
}

static void start(void *(*main)(void *), void *argument)
{
	pthread_attr_t small;
	pthread_t t;

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 128 << 10);
	if (pthread_create(&t, &small, main, argument))
		exit(1);
	pthread_attr_destroy(&small);
}

int main(int argc, char **argv)
{
	struct sigaction a = {.sa_handler = nothing, .sa_flags = SA_RESTART};

	if (argc < 3)
		return 2;
	sigaction(SIGUSR1, &a, NULL);
	for (int i = 0; i < atoi(argv[1]); i++)
		start(sleeps, NULL);
	start(begins, NULL);
	start(forks, NULL);
	start(remaps, argv[2]);
	start(signals, NULL);
	puts("begun");
	fflush(stdout);
	for (;;)
		pause();
}
