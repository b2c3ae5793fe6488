// SPDX-License-Identifier: GPL-3.0-or-later
/* Runs until it is killed: threads that call send and, after each return,
 * count it in a shared file that outlives them. Usage: counter FILE THREADS
 * FILE then holds one 64-bit count a thread. */
#include "target.h"

#include <pthread.h>
#include <stdint.h>
#include <sys/mman.h>

/* New paths go on appearing, so that some kills meet the library growing. */
NOINLINE static void send_below(int fd, int depth)
{
	if (depth > 0)
		send_below(fd, depth - 1);
	else if (send(fd, "x", 1, 0) != 1)
		die("send");
	NO_TAIL_CALL();
}

static void *work(void *counter)
{
	volatile uint64_t *returned = counter;
	int pair[2];
	char c;

	make_pair(pair);
	for (unsigned i = 0;; i++) {
		send_below(pair[0], (int)(i / 64 % 100));
		++*returned;
		if (syscall(SYS_recvfrom, pair[1], &c, 1, 0, NULL, NULL) != 1)
			die("recvfrom");
	}
	return NULL;
}

int main(int argc, char **argv)
{
	long threads = argc > 2 ? atol(argv[2]) : 1;
	uint64_t *counter;
	pthread_t thread;
	int fd;

	fd = argc > 1 ? (int)syscall(SYS_openat, AT_FDCWD, argv[1], O_RDWR | O_CREAT, 0600) : -1;
	if (fd < 0 || ftruncate(fd, 4096) < 0)
		die("the counter file");
	counter = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (counter == MAP_FAILED)
		die("mmap");
	for (long i = 1; i < threads; i++)
		if (pthread_create(&thread, NULL, work, counter + i))
			die("pthread_create");
	work(counter);
	return 0;
}
