// SPDX-License-Identifier: GPL-3.0-or-later
/* Calls a wrapped function while some bytes of the interpreter's memory hold garbage: nothing of
 * the interpreter runs meanwhile. For tests/programs/python/garbage.py, by ctypes. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

long with_garbage(unsigned char *where, uint64_t value, long bytes, int fd, long calls);
long under_hammer(unsigned char *where, uint64_t value, long bytes, int fd, long calls);

/* pwrite's result, with the `bytes` at `where` being those of `value` during `calls` calls. */
long with_garbage(unsigned char *where, uint64_t value, long bytes, int fd, long calls)
{
	uint64_t kept = 0;
	long result = 0;
	memcpy(&kept, where, (size_t)bytes);
	memcpy(where, &value, (size_t)bytes);
	for (long i = 0; i < calls; i++)
		result += pwrite(fd, "x", 1, 0);
	memcpy(where, &kept, (size_t)bytes);
	return result;
}

struct hammer {
	volatile unsigned char *where;
	uint64_t value;
	long bytes;
	atomic_int stop;
};

static void store(volatile unsigned char *to, uint64_t value, long bytes)
{
	if (bytes == 8)
		*(volatile uint64_t *)to = value;
	else
		for (long i = 0; i < bytes; i++)
			to[i] = (unsigned char)(value >> 8 * i);
}

static void *hammer_run(void *argument)
{
	struct hammer *h = argument;
	uint64_t kept = 0;
	memcpy(&kept, (const void *)h->where, (size_t)h->bytes);
	while (!h->stop) {
		store(h->where, h->value, h->bytes);
		store(h->where, kept, h->bytes);
	}
	return NULL;
}

/* The same, while another thread writes the garbage and puts it back, over and over. */
long under_hammer(unsigned char *where, uint64_t value, long bytes, int fd, long calls)
{
	struct hammer h = {.where = where, .value = value, .bytes = bytes};
	pthread_t thread;
	long result = 0;
	if (pthread_create(&thread, NULL, hammer_run, &h))
		return -1;
	for (long i = 0; i < calls; i++)
		result += pwrite(fd, "x", 1, 0);
	h.stop = 1;
	pthread_join(thread, NULL);
	return result;
}
