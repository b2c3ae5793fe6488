// SPDX-License-Identifier: GPL-3.0-or-later
/* Calls the functions of calibrated.c through the dynamic linker, where a profiler sees
 * them, and between these calls by their addresses, where none does: so that the truth is
 * known from the same process, the same second and the same state of the machine.
 *
 * Usage: calibrated_call DEPTH mean STEPS CALLS         recv of so many steps, and send
 *        calibrated_call DEPTH line STEPS BYTES CALLS   sendto and recvfrom of random sizes
 *
 * The calls are made below DEPTH frames, in BLOCKS blocks; what is to be compared takes
 * turns, block by block. Prints one JSON object: of each kind of block the times of a call
 * in nanoseconds, loop included, their median and mean, and for `line` the mean size.
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#define BLOCKS	    41
#define WARM_BLOCKS 2
#define FEWEST	    4 /* frames that are there anyway: from _start to run_blocks, and the loop */
#define DIRECT	    4 /* of a direct kind so many times fewer calls: they need no ticks */

typedef ssize_t send_function(int, const void *, size_t, int);
typedef ssize_t recv_function(int, void *, size_t, int);
typedef ssize_t sendto_function(int, const void *, size_t, int, const struct sockaddr *, socklen_t);

/* Read for each call, as the linker's table is. */
static struct {
	send_function *volatile send;
	recv_function *volatile recv;
	sendto_function *volatile sendto;
} direct;

struct kind {
	const char *name;
	void (*loop)(long calls, size_t below);
	size_t below; /* sizes are */
	bool seen;    /* by a profiler */
	double ns[BLOCKS], bytes;
};

static size_t steps;
static long calls_a_block;

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Knuth's; where mean_size is to know them, from the same seed in each block. */
#define SEED 0x853c49e6748fea9bu
static inline size_t draw(uint64_t *state, size_t below)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (size_t)((*state >> 32) * below >> 32);
}

static void loop_send(long calls, size_t below)
{
	(void)below;
	for (long i = 0; i < calls; i++)
		send(-1, NULL, 0, 0);
}

static void loop_direct_send(long calls, size_t below)
{
	(void)below;
	for (long i = 0; i < calls; i++)
		direct.send(-1, NULL, 0, 0);
}

static void loop_recv(long calls, size_t below)
{
	(void)below;
	for (long i = 0; i < calls; i++)
		recv(-1, NULL, steps, 0);
}

static void loop_direct_recv(long calls, size_t below)
{
	(void)below;
	for (long i = 0; i < calls; i++)
		direct.recv(-1, NULL, steps, 0);
}

/* Goes on from block to block: the same sizes again would be synchronous with a tick. */
static void loop_sendto(long calls, size_t below)
{
	static uint64_t state = SEED;

	for (long i = 0; i < calls; i++)
		sendto(-1, NULL, draw(&state, below), (int)steps, NULL, 0);
}

static void loop_recvfrom(long calls, size_t below)
{
	static uint64_t state = SEED;

	for (long i = 0; i < calls; i++)
		recvfrom(-1, NULL, draw(&state, below), (int)steps, NULL, NULL);
}

static void loop_direct_sendto(long calls, size_t below)
{
	uint64_t state = SEED;

	for (long i = 0; i < calls; i++)
		direct.sendto(-1, NULL, draw(&state, below), (int)steps, NULL, 0);
}

static void loop_direct_sizes(long calls, size_t below)
{
	uint64_t state = SEED;

	for (long i = 0; i < calls; i++)
		direct.send(-1, NULL, draw(&state, below), 0);
}

static long calls_of(const struct kind *k)
{
	return k->seen || calls_a_block < DIRECT ? calls_a_block : calls_a_block / DIRECT;
}

static double mean_size(const struct kind *k)
{
	uint64_t state = SEED;
	double sum = 0;

	for (long i = 0; i < calls_of(k); i++)
		sum += (double)draw(&state, k->below);
	return sum / (double)calls_of(k);
}

/* Blocks that warm up go into the first, and are overwritten. */
static __attribute__((noinline)) void run_blocks(struct kind *kind, int kinds)
{
	for (int i = -WARM_BLOCKS; i < BLOCKS; i++)
		for (int k = 0; k < kinds; k++) {
			uint64_t from = now_ns();

			kind[k].loop(calls_of(&kind[k]), kind[k].below);
			kind[k].ns[i < 0 ? 0 : i] =
				(double)(now_ns() - from) / (double)calls_of(&kind[k]);
		}
}

static __attribute__((noinline)) void below(int depth, struct kind *kind, int kinds)
{
	if (depth > 0)
		below(depth - 1, kind, kinds);
	else
		run_blocks(kind, kinds);
	__asm__ volatile("" ::: "memory"); /* not a jump */
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void print_kind(struct kind *k, bool last)
{
	double sum = 0;

	printf("\"%s\": {\"blocks\": [", k->name);
	for (int i = 0; i < BLOCKS; i++) {
		sum += k->ns[i];
		printf("%s%.4f", i ? ", " : "", k->ns[i]);
	}
	qsort(k->ns, BLOCKS, sizeof k->ns[0], by_size);
	printf("], \"median\": %.4f, \"mean\": %.4f, \"bytes\": %.3f}%s", k->ns[BLOCKS / 2],
	       sum / BLOCKS, k->bytes, last ? "}\n" : ", ");
}

static int find_direct(void)
{
	void *library = dlopen("libcalibrated.so", RTLD_NOW | RTLD_NOLOAD);

	if (!library)
		return -1;
	direct.send = (send_function *)dlsym(library, "send");
	direct.recv = (recv_function *)dlsym(library, "recv");
	direct.sendto = (sendto_function *)dlsym(library, "sendto");
	return direct.send && direct.recv && direct.sendto ? 0 : -1;
}

static int usage(void)
{
	fprintf(stderr, "usage: calibrated_call DEPTH mean STEPS CALLS\n"
			"       calibrated_call DEPTH line STEPS BYTES CALLS\n");
	return 2;
}

int main(int argc, char **argv)
{
	bool line = argc == 6 && !strcmp(argv[2], "line");
	size_t sizes = line ? strtoul(argv[4], NULL, 10) : 0;
	struct kind of_mean[] = {
		{.name = "empty", .loop = loop_direct_send},
		{.name = "direct", .loop = loop_direct_recv},
		{.name = "called_empty", .loop = loop_send, .seen = true},
		{.name = "called", .loop = loop_recv, .seen = true},
	};
	struct kind of_line[] = {
		{.name = "empty", .loop = loop_direct_sizes, .below = sizes},
		{.name = "small", .loop = loop_direct_sendto, .below = sizes / 4 + 1},
		{.name = "direct", .loop = loop_direct_sendto, .below = sizes},
		{.name = "called", .loop = loop_sendto, .below = sizes, .seen = true},
		{.name = "dearer", .loop = loop_recvfrom, .below = sizes, .seen = true},
	};
	struct kind *kind = line ? of_line : of_mean;
	int kinds = line ? 5 : 4;
	int depth = argc > 1 ? atoi(argv[1]) : 0;

	if (!line && (argc != 5 || strcmp(argv[2], "mean") != 0))
		return usage();
	steps = strtoul(argv[3], NULL, 10);
	calls_a_block = atol(argv[argc - 1]) / BLOCKS;
	if (depth < FEWEST || calls_a_block < 1 || (line && !sizes))
		return usage();
	if (find_direct()) {
		fprintf(stderr, "calibrated_call: libcalibrated.so is not what was linked\n");
		return 2;
	}
	below(depth - FEWEST, kind, kinds);
	putchar('{');
	for (int k = 0; k < kinds; k++) {
		kind[k].bytes = mean_size(&kind[k]);
		print_kind(&kind[k], k == kinds - 1);
	}
	return 0;
}
