// SPDX-License-Identifier: GPL-3.0-or-later
/* Fuzz the reader: any bytes are either refused with a message or load into a
 * sound model that folds, is written, and reads back.
 *
 * Built by AFL++'s compiler it runs persistently on AFL's shared buffer; built
 * otherwise (with ASan and UBSan) it replays the files named on the command
 * line, or standard input.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/unit/support/model_check.h"

#define MOST_BYTES (1u << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void give_up(const char *what)
{
	fprintf(stderr, "fuzz_reader: %s\n", what);
	abort();
}

/* The reader opens files by name: a file in memory has one in /proc. */
static const char *input_name(const uint8_t *data, size_t size)
{
	static char name[40];
	static int fd = -1;

	if (fd < 0) {
		fd = memfd_create("fuzz", MFD_CLOEXEC);
		snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
	}
	if (fd < 0 || ftruncate(fd, 0) || pwrite(fd, data, size, 0) != (ssize_t)size)
		give_up("cannot make the input file");
	return name;
}

static void check(const struct profile *p, const char *when)
{
	const char *bad = model_check(p);

	if (bad) {
		fprintf(stderr, "%s: ", when);
		give_up(bad);
	}
}

static void write_and_read(const struct profile *p)
{
	static char name[64];
	struct profile_error err;
	struct profile *q = profile_new();

	if (!name[0])
		snprintf(name, sizeof name, "/dev/shm/fuzz_reader.%d.scp", (int)getpid());
	if (write_profile(p, name, &err) || profile_add(q, name, &err)) {
		unlink(name);
		give_up(err.text);
	}
	unlink(name);
	check(q, "after writing");
	if (q->entries != p->entries || q->gaps != p->gaps || q->tables != p->tables)
		give_up("written and read is another model");
	profile_free(q);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct profile *p = profile_new();
	struct profile_error err;
	const char *name;

	if (size > MOST_BYTES)
		size = MOST_BYTES;
	name = input_name(data, size);
	if (profile_add(p, name, &err)) {
		if (strlen(err.text) < 20)
			give_up("no message");
		profile_free(p);
		return 0;
	}
	check(p, "loaded");
	if (profile_add(p, name, &err) == 0)
		check(p, "loaded twice");
	fold_model(p, 1);
	check(p, "folded");
	write_and_read(p);
	profile_free(p);
	return 0;
}

#ifdef __AFL_HAVE_MANUAL_CONTROL

__AFL_FUZZ_INIT();

int main(void)
{
	unsigned char *buffer;

	__AFL_INIT();
	buffer = __AFL_FUZZ_TESTCASE_BUF;
	while (__AFL_LOOP(10000))
		LLVMFuzzerTestOneInput(buffer, (size_t)__AFL_FUZZ_TESTCASE_LEN);
	return 0;
}

#else

static void replay(FILE *f, const char *name)
{
	uint8_t *data = malloc(MOST_BYTES);
	size_t size;

	if (!f || !data) {
		perror(name);
		exit(2);
	}
	size = fread(data, 1, MOST_BYTES, f);
	LLVMFuzzerTestOneInput(data, size);
	free(data);
	if (f != stdin)
		fclose(f);
}

int main(int argc, char **argv)
{
	if (argc < 2)
		replay(stdin, "standard input");
	for (int i = 1; i < argc; i++)
		replay(fopen(argv[i], "rb"), argv[i]);
	return 0;
}

#endif
