// SPDX-License-Identifier: GPL-3.0-or-later
/* Feeds mutations of a real profile to the reader and, some of them, to the
 * report: what loads must print. (fuzz_reader.c searches the reader alone.)
 *
 * mutate COUNT SEED FILE [EVERY]   COUNT mutations of FILE, the same for a SEED; one of EVERY
 *                                  (default: 20) is printed, in all formats and groupings in turn
 *
 * A crash leaves the mutation in ./mutate.crash.scp and says which it was. It
 * is not an error that a mutation is accepted: most change only a number.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "profile/profile.h"
#include "report/report.h"

#define MUTANT	     "mutate.crash.scp"
#define SECONDS_EACH 20
#define REPORT_EVERY 20 /* printing, with its look-up of symbols, takes 100 times as long */
#define PRINTS_EACH  2	/* of those that are printed */

static char where[64];

static void fail(const char *what)
{
	fprintf(stderr, "mutate: %s: %s\n", what, strerror(errno));
	exit(2);
}

static void on_crash(int sig)
{
	ssize_t written = write(STDERR_FILENO, where, strlen(where));

	(void)written;
	signal(sig, SIG_DFL);
	raise(sig);
}

#define FORMAT(value, name, print, traits) +1
enum { FORMATS = 0 REPORT_FORMATS(FORMAT), GROUPINGS = REPORT_BY_PROCESS + 1 };
#undef FORMAT

/* What the turn has come to; a format without such a grouping shows its paths. */
static void print_in_turn(const struct profile *p, unsigned turn, FILE *sink)
{
	struct report_options options = REPORT_OPTIONS_DEFAULT;
	enum report_by by = (enum report_by)(turn / FORMATS % GROUPINGS);

	options.format = (enum report_format)(turn % FORMATS);
	if (by < REPORT_BY_GAP || !(report_format_traits(options.format) & REPORT_OF_STACKS))
		options.by = by;
	report_print(p, &options, sink);
}

/* 1 if it was accepted, 0 if refused with a message. */
static int read_one(const char *path, bool print, FILE *sink)
{
	static unsigned turn;
	struct profile_error error = {""};
	struct profile *p;

	alarm(SECONDS_EACH);
	p = profile_open(&path, 1, &error);
	if (!p) {
		if (error.text[0] == '\0') {
			fprintf(stderr, "mutate: refused without a message\n");
			abort();
		}
		return 0;
	}
	for (int i = 0; print && i < PRINTS_EACH; i++)
		print_in_turn(p, turn++, sink);
	profile_free(p);
	return 1;
}

/* Knuth's MMIX generator; the upper bits are the good ones. */
static uint32_t next_random(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(*state >> 33);
}

static uint64_t interesting(uint64_t *state)
{
	static const uint64_t values[] = {0,
					  1,
					  2,
					  63,
					  64,
					  4095,
					  4096,
					  0x7fffffff,
					  0x80000000,
					  0xffffffff,
					  INT64_MAX,
					  (uint64_t)INT64_MAX + 1,
					  UINT64_MAX - 63,
					  UINT64_MAX};

	return values[next_random(state) % (sizeof values / sizeof *values)];
}

/* Somewhere in the file, with a liking for the header and the chunk heads. */
static size_t some_place(uint64_t *state, size_t size)
{
	uint32_t choice = next_random(state) % 4;

	if (choice == 0)
		return next_random(state) % (size < 1024 ? size : 1024);
	if (choice == 1)
		return (next_random(state) % size) / 4096 * 4096 + next_random(state) % 256;
	if (choice == 2)
		return (next_random(state) % size) / 64 * 64 + next_random(state) % 16 * 4;
	return next_random(state) % size;
}

static size_t mutate(uint8_t *data, size_t size, uint64_t *state)
{
	uint32_t changes = 1 + next_random(state) % 4;

	for (uint32_t i = 0; i < changes; i++) {
		size_t at = some_place(state, size), width = 1u << next_random(state) % 4;
		uint64_t value;

		if (at + width > size)
			continue;
		value = interesting(state);
		if (next_random(state) % 2)
			data[at] ^= (uint8_t)(1u << next_random(state) % 8);
		else
			memcpy(data + at, &value, width);
	}
	if (next_random(state) % 20 == 0)
		return next_random(state) % size;
	return size;
}

static uint8_t *load(const char *path, size_t *size)
{
	struct stat st;
	uint8_t *data;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || fstat(fd, &st) < 0 || st.st_size <= 0)
		fail(path);
	*size = (size_t)st.st_size;
	data = malloc(*size);
	if (!data || read(fd, data, *size) != (ssize_t)*size)
		fail(path);
	close(fd);
	return data;
}

/* A new file each time: ext4 writes a file to the disk at once that was cut to nothing and is
 * written anew. */
static void store(const uint8_t *data, size_t size)
{
	int fd;

	unlink(MUTANT);
	fd = open(MUTANT, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		fail(MUTANT);
	close(fd);
}

static int mutate_and_read(long count, uint64_t seed, const char *path, long every, FILE *sink)
{
	size_t size;
	uint8_t *good = load(path, &size), *mutant = malloc(size);
	long accepted = 0;

	if (!mutant)
		fail("memory");
	for (long i = 0; i < count; i++) {
		uint64_t state = seed + (uint64_t)i * UINT64_C(0x9e3779b97f4a7c15);

		snprintf(where, sizeof where, "mutate: crash in mutation %ld of seed %lu\n", i,
			 (unsigned long)seed);
		memcpy(mutant, good, size);
		store(mutant, mutate(mutant, size, &state));
		accepted += read_one(MUTANT, i % every == 0, sink);
	}
	printf("%ld mutations: %ld accepted, %ld refused\n", count, accepted, count - accepted);
	free(good);
	free(mutant);
	unlink(MUTANT);
	return 0;
}

int main(int argc, char **argv)
{
	static const int deadly[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGALRM};
	long every = argc == 5 ? atol(argv[4]) : REPORT_EVERY;
	FILE *sink;

	if (argc < 4 || argc > 5 || every < 1) {
		fprintf(stderr, "usage: mutate COUNT SEED FILE [EVERY]\n");
		return 2;
	}
	sink = fopen("/dev/null", "w");
	if (!sink)
		fail("/dev/null");
	for (size_t i = 0; i < sizeof deadly / sizeof *deadly; i++)
		signal(deadly[i], on_crash);
	return mutate_and_read(atol(argv[1]), strtoull(argv[2], NULL, 10), argv[3], every, sink);
}
