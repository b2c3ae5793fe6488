// SPDX-License-Identifier: GPL-3.0-or-later
/* Write seed profiles for the fuzzer into a directory: the sample with each
 * kind of clock and state, a small one, and what write_profile makes of it.
 */
#include <stdio.h>
#include <string.h>

#include "profile/profile.h"
#include "tests/unit/support/scp_build.h"
#include "tests/unit/support/source_file.h"

static const char *directory;

static const char *name_of(const char *name)
{
	static char path[512];

	snprintf(path, sizeof path, "%s/%s.scp", directory, name);
	return path;
}

static void set_clock(struct scp_header *h, uint32_t kind, uint64_t ticks)
{
	h->clock.kind = kind;
	h->clock.last = (struct scp_anchor){ticks, 2000000000, 40};
}

static void save_small(void)
{
	struct scp_build b;

	scp_build_begin(&b);
	scp_build_open_chunk(&b, SCP_CHUNK_PROCESS, 0);
	scp_build_function(&b, 1, "recv", "libc.so.6");
	scp_build_close_chunk(&b);
	scp_build_finish(&b);
	scp_build_save(&b, name_of("small"));
	scp_build_free(&b);
}

static int save_merged(void)
{
	const char *paths[2];
	struct profile_error err;
	char sample[512];
	struct profile *p;

	snprintf(sample, sizeof sample, "%s", name_of("monotonic"));
	paths[0] = paths[1] = sample;
	p = profile_open(paths, 2, &err);
	if (!p || write_profile(p, name_of("merged"), &err)) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	for (uint32_t i = 0; i < p->processes; i++)
		p->process[i].attached =
			(struct prof_attached){.known = true,
					       .flags = SCP_ATTACHED_DETACHED,
					       .stopped_ns = 3000000,
					       .stopped_total_ns = 5000000,
					       .threads = 7,
					       .in_calls = 4,
					       .slots = {.written = 30, .put_back = 29, .gone = 1}};
	if (write_profile(p, name_of("attached"), &err)) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	profile_free(p);
	return 0;
}

/* One that ended, one that still runs, and what is made of them. */
static int save_python(void)
{
	static char first[512], second[512];
	const char *paths[] = {first, second};
	struct profile_error err;
	struct scp_build b;
	struct profile *p;

	snprintf(first, sizeof first, "%s", name_of("python"));
	snprintf(second, sizeof second, "%s", name_of("python-runs"));
	source_file_make(&b, 0);
	scp_build_save(&b, first);
	scp_build_free(&b);
	source_file_make(&b, 1);
	scp_build_header(&b)->end_state = SCP_END_RUNNING;
	scp_build_save(&b, second);
	scp_build_free(&b);
	p = profile_open(paths, 2, &err);
	if (!p || write_profile(p, name_of("python-merged"), &err)) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	profile_free(p);
	return 0;
}

int main(int argc, char **argv)
{
	struct scp_build b;
	struct scp_sample s;

	if (argc != 2) {
		fprintf(stderr, "usage: make_corpus DIRECTORY\n");
		return 2;
	}
	directory = argv[1];
	scp_build_sample(&b, &s);
	scp_build_save(&b, name_of("monotonic"));
	set_clock(scp_build_header(&b), SCP_CLOCK_TSC, 5000000000);
	scp_build_save(&b, name_of("tsc"));
	set_clock(scp_build_header(&b), SCP_CLOCK_PAGE, 2000);
	scp_build_save(&b, name_of("page"));
	scp_build_header(&b)->end_state = SCP_END_RUNNING;
	scp_build_save(&b, name_of("running"));
	scp_build_header(&b)->flags = 0;
	scp_build_save(&b, name_of("not-dual"));
	scp_build_free(&b);
	save_small();
	return save_python() || save_merged();
}
