// SPDX-License-Identifier: GPL-3.0-or-later
/* Claim: fifty threads go round one loop, which a report shows once. They live side by side and
 * work in turn: while one of several makes the profile larger the others would find no room.
 * Usage: loops PASSES; each thread sends and receives so often, and every tenth pass looks
 * once more, in vain. `loops straight`: a thread that never comes by a place twice. */
#include "target.h"

#include <pthread.h>
#include <semaphore.h>

#define THREADS 50

static long passes;
static sem_t done;
static pthread_barrier_t end;

static void *work(void *unused)
{
	char byte = 1;
	int fd[2];

	(void)unused;
	make_pair(fd);
	for (long i = 0; i < passes; i++) {
		if (send(fd[0], &byte, 1, 0) != 1 || recv(fd[1], &byte, 1, 0) != 1)
			die("an exchange");
		if (i % 10 == 0 && recv(fd[1], &byte, 1, MSG_DONTWAIT) != -1)
			die("a byte from nowhere");
	}
	close(fd[0]);
	close(fd[1]);
	sem_post(&done);
	pthread_barrier_wait(&end);
	return NULL;
}

static int straight(void)
{
	char byte = 1;
	int fd[2];

	make_pair(fd);
	if (send(fd[0], &byte, 1, 0) != 1 || recv(fd[1], &byte, 1, 0) != 1)
		die("an exchange");
	shutdown(fd[0], SHUT_RDWR);
	return 0;
}

int main(int argc, char **argv)
{
	pthread_t thread[THREADS];

	if (argc > 1 && !strcmp(argv[1], "straight"))
		return straight();
	passes = argc > 1 ? atol(argv[1]) : 1000;
	sem_init(&done, 0, 0);
	pthread_barrier_init(&end, NULL, THREADS);
	for (int i = 0; i < THREADS; i++) {
		if (pthread_create(&thread[i], NULL, work, NULL))
			die("pthread_create");
		sem_wait(&done);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	return 0;
}
